r"""Other notions of privacy, and vectors: what a budget allows, and the pure budget of one number that is as good.

A user's value, a vector in the ball of radius 1/2 in d dimensions, may move the answer by :math:`w_i`.
Under every notion here she demands that this be at most :math:`b_i` times the scale of the noise; what
:math:`b_i`, her *reach*, is for her budget, and the mean squared length :math:`\kappa` of noise of scale 1, are all
that a notion says.  So weights and error are those of the pure budgets :math:`b_i\sqrt{2/\kappa}` for one number.
In the cube of side 1 (``shape="cube"``) that holds for each coordinate, with another :math:`\kappa`.
Page :doc:`/book/foundations/notions` derives it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate, gaussian
from hdp._types import Floats, _plain

__all__ = ["Notion", "approximate", "renyi"]


LEAST_DELTA = 1e-40
_FAR = 1e6  # a reach beyond which the second term of the Gaussian curve is lost in rounding


def _each(solve):
    """The function of an array that solves an equation once for each different number."""

    def solve_each(numbers, delta):
        found, place = np.unique(numbers, return_inverse=True)
        return np.array([solve(float(x), delta) for x in found])[place].reshape(np.shape(numbers))

    return solve_each


def _exact_reach(epsilon, delta):
    if epsilon > _validate.LARGE:
        return np.sqrt(2) * np.sqrt(epsilon)  # the root, to rounding
    return gaussian.ratio_of(epsilon, delta)


def _exact_loss(reach, delta):
    if reach > _FAR:
        return reach * (reach / 2 + float(scipy.stats.norm.isf(delta)))
    return gaussian.epsilon_of(reach, delta) if reach > 0 else 0.0


# The budget that allows a reach, and the reach that a budget allows; p is delta, or the order
_KINDS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "pure": (lambda loss, p: loss, lambda reach, p: reach),
    "zcdp": (lambda loss, p: 2 * np.sqrt(loss / 2), lambda reach, p: reach**2 / 2),
    "gdp": (lambda loss, p: loss, lambda reach, p: reach),
    "renyi": (lambda loss, p: 2 * np.sqrt(loss / p / 2), lambda reach, p: p * reach**2 / 2),
    "approximate": (_each(_exact_reach), _each(_exact_loss)),
}
NAMES = ("pure", "zcdp", "gdp")  # those that need no parameter
SHAPES = ("ball", "cube")  # where values lie: |x| at most 1/2 in the Euclidean or in the maximum norm


@dataclass(frozen=True)
class Notion:
    r"""A way to measure how much the output says about one user.

    Parameters
    ----------
    name : str
        ``"pure"``: the budget is :math:`\epsilon`; ``"zcdp"``, zero-concentrated: :math:`\rho`; ``"gdp"``, Gaussian:
        :math:`\mu`; ``"renyi"``: :math:`\epsilon` at one order; ``"approximate"``: :math:`\epsilon` at one delta.
    parameter : float, optional
        The order in (1, 1e50] of ``"renyi"``, or the delta in [1e-40, 1) of ``"approximate"``; else None.

    Raises
    ------
    ValueError
        If there is no such notion, or the parameter lies outside its range.

    Notes
    -----
    With (epsilon, delta) of her own, a user's reach ``approximate(delta).reach(epsilon)`` is her budget under
    ``"gdp"``.

    Examples
    --------
    >>> from hdp import notions
    >>> zcdp = notions.Notion("zcdp")
    >>> zcdp.reach(0.5), zcdp.loss(1.0), zcdp.noise_penalty(3)
    (1.0, 0.5, 3.0)
    >>> notions.Notion("pure").noise_penalty(), notions.Notion("pure").noise_penalty(3)
    (2.0, 12.0)
    """

    name: str
    parameter: float | None = None

    def __post_init__(self):
        _validate.choice("name", self.name, _KINDS)
        if self.name == "renyi":
            _validate.field(self, "parameter", _validate.scalar, 1, _validate.LARGE, open_low=True)
        elif self.name == "approximate":
            _validate.field(self, "parameter", _validate.chance, LEAST_DELTA)
        elif self.parameter is not None:
            raise ValueError(f"parameter must be None for {self.name}, got {_validate.show(self.parameter)}")

    def reach(self, epsilon: ArrayLike) -> float | Floats:
        """How many scales of the noise a budget, epsilon in [0, inf], allows a user to move the answer."""
        budget = _validate.number("epsilon", epsilon, 0)
        return _plain(np.asarray(_KINDS[self.name][0](budget, self.parameter), dtype=float))

    def loss(self, reach: ArrayLike) -> float | Floats:
        """The least budget that allows this reach in [0, inf]."""
        reach = _validate.number("reach", reach, 0)
        with np.errstate(over="ignore", under="ignore"):
            return _plain(np.asarray(_KINDS[self.name][1](reach, self.parameter), dtype=float))

    def noise_penalty(self, dimension: int = 1, shape: str = "ball") -> float:
        r"""Mean squared length :math:`\kappa` of noise of scale 1, where no value has a larger variance than 1/4.

        With the dimension d it is :math:`d(d + 1)` for the shape ``"ball"`` if pure, else d; for ``"cube"`` it is that
        of one coordinate, :math:`(d + 1)(d + 2)/3` if pure, else d.
        """
        d = float(_validate.whole("dimension", dimension, 1))
        pure = (d + 1) * (d + 2) / 3 if _validate.choice("shape", shape, SHAPES) == "cube" else d * (d + 1)
        return pure if self.name == "pure" else d

    def noise(
        self, scale: float, dimension: int, rng: np.random.Generator, size: tuple[int, ...], shape: str = "ball"
    ) -> Floats:
        r"""Draw noise of a scale in [0, 1e50] with rng, a generator; its shape is size, and dimension if above 1.

        For pure privacy its density is proportional to :math:`e^{-\|y\|_2/s}`, or to :math:`e^{-\|y\|_\infty/s}` for
        the shape ``"cube"``; otherwise it is Gaussian, and in the cube, whose diagonal is :math:`\sqrt d`, that much
        longer.
        """
        scale = _validate.scalar("scale", scale, 0, _validate.LARGE)
        d, rng = _validate.whole("dimension", dimension, 1), _validate.generator(rng)
        size, cube = _validate.shape(size), _validate.choice("shape", shape, SHAPES) == "cube"
        _validate.affordable("size", *size, d)
        if self.name == "pure" and cube:  # the length has a gamma distribution, the place in the cube is uniform
            found = rng.uniform(-1.0, 1.0, (*size, d)) * rng.gamma(d + 1, size=(*size, 1))
        else:
            found = rng.normal(0.0, np.sqrt(d) if cube else 1.0, (*size, d))
        if self.name == "pure" and not cube:  # the direction is uniform
            found *= rng.gamma(d, size=(*size, 1)) / np.linalg.norm(found, axis=-1, keepdims=True)
        return scale * (found[..., 0] if d == 1 else found)


def approximate(delta: float) -> Notion:
    r"""Privacy with :math:`(\epsilon_i, \delta)`, by the exact guarantee of Gaussian noise (Balle & Wang, 2018).

    Parameters
    ----------
    delta : float
        In [1e-40, 1), common to all users.

    Returns
    -------
    Notion
        For `hdp.adpm`.

    Notes
    -----
    An equation is solved for each different budget, which takes some milliseconds.

    Examples
    --------
    >>> from hdp import notions
    >>> round(notions.approximate(1e-6).reach(1.0), 4)
    0.2367
    """
    return Notion("approximate", _validate.chance("delta", delta, LEAST_DELTA))


def renyi(order: float) -> Notion:
    r"""Rényi privacy: the divergence of this order of the two outputs is at most :math:`\epsilon_i` (Mironov, 2017).

    Parameters
    ----------
    order : float
        The order :math:`\alpha` in (1, 1e50], common to all users.

    Returns
    -------
    Notion
        For `hdp.adpm`.

    Examples
    --------
    >>> from hdp import notions
    >>> notions.renyi(2.0).reach(0.25)
    0.5
    """
    return Notion("renyi", _validate.scalar("order", order, 1, _validate.LARGE, open_low=True))


def unit(kind, dimension, shape="ball"):
    """What a reach is multiplied by."""
    return np.sqrt(2 / kind.noise_penalty(dimension, shape))


def resolve(measure):
    """The notion of this name, or the notion itself; or raise ValueError."""
    if isinstance(measure, Notion):
        return measure
    if not isinstance(measure, str) or measure not in NAMES:
        allowed = f"{', '.join(NAMES)}, notions.renyi(order) or notions.approximate(delta)"
        raise ValueError(f"measure must be one of {allowed}, got {_validate.show(measure)}")
    return Notion(measure)


def parts(dimension, shape):
    """How many coordinates there are that err as one number does: squared lengths are sums of so many."""
    return _validate.whole("dimension", dimension, 1) if _validate.choice("shape", shape, SHAPES) == "cube" else 1


def vectors(x, n, dimension, shape="ball"):
    """Return data of shape (..., n, d) in the ball or cube, of shape (..., n) for d = 1, or raise ValueError."""
    if dimension == 1:
        return _validate.data(x, n)
    array = _validate.number("x", x, -0.5, 0.5, secret=True)
    if array.shape[-2:] != (n, dimension):
        raise ValueError(f"x must have shape (..., {n}, {dimension}), one row for each user, got {array.shape}")
    if shape == "cube":
        return array
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    longest = float(lengths.max(initial=0.0))
    if longest > 0.5 * (1 + _validate.ROUNDING):
        row = int(lengths[..., 0].argmax()) % n
        raise ValueError(f"x must lie in the ball of radius 1/2, got a longer row of user {row}, counted from 0")
    return array if longest <= 0.5 else array * (0.5 / np.maximum(lengths, 0.5))  # the noise is for the ball itself


def release(x, w, scale, kind, dimension, rng, shape="ball"):
    """Weighted sum of data that `vectors` has returned, plus noise: one estimate for each data set."""
    with np.errstate(under="ignore"):
        signal = x @ w if dimension == 1 else np.einsum("...ij,i->...j", x, w)
    size = signal.shape if dimension == 1 else signal.shape[:-1]
    return _plain(signal + kind.noise(scale, dimension, _validate.generator(rng), size, shape))
