"""ADPM beyond the paper's setting: what other budgets amount to in it, and how it then draws."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, affine, notions
from hdp._types import Floats, Rng, _plain
from hdp.affine import Affine
from hdp.notions import Notion


@dataclass(frozen=True)
class Unit:
    """What budgets are in: how they become pure ones of one number, with the same weights and error, and back."""

    kind: Notion | None  # None in the paper's setting, in which nothing need be translated
    factor: float = 1.0

    def reach(self, epsilon):
        """How far budgets reach, which are checked here."""
        if self.kind is None:
            return _validate.budgets(epsilon)
        return self.kind.reach(_validate.vector("epsilon", epsilon, 0))

    def pure(self, reach):
        """The pure budgets of one number."""
        return reach if self.kind is None else _validate.budgets(reach * self.factor)

    def back(self, budget):
        """A pure budget of one number in this unit."""
        return float(budget if self.kind is None else self.kind.loss(budget / self.factor))


def unit_of(notion, dimension, shape):
    """The unit of budgets under a notion, for values of this dimension in this shape."""
    _validate.choice("shape", shape, notions.SHAPES)
    if isinstance(notion, str) and notion == "pure" and type(dimension) is int and dimension == 1:
        return Unit(None)
    kind = notions.resolve(notion)
    return Unit(kind, notions.unit(kind, dimension, shape))


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """Algorithm 1 under another notion of privacy, or for vectors, beside the one of one number that errs alike."""

    alike: Affine
    kind: Notion
    scale: float  # of the noise in the unit of the notion
    dimension: int
    shape: str

    @property
    def users(self) -> int:
        """How many users have weight."""
        return self.alike.users

    def error(self, variance: ArrayLike | None = None) -> float:
        """Largest expected squared distance if no value, in the cube no coordinate, varies more than this."""
        return notions.parts(self.dimension, self.shape) * self.alike.error(variance)

    def privacy_loss(self) -> Floats:
        """Loss of every user in the unit of the notion, shape (n,)."""
        return np.asarray(self.kind.loss(affine.loss(self.alike.weights, self.scale)))

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set, shape (..., n) or (..., n, d)."""
        x = notions.vectors(x, self.alike.weights.size, self.dimension, self.shape)
        if not self.alike.scales.size:
            return _plain(np.zeros(x.shape[:-1] if self.dimension == 1 else (*x.shape[:-2], self.dimension)))
        return notions.release(x, self.alike.weights, self.scale, self.kind, self.dimension, rng, self.shape)
