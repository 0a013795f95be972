r"""ADPM, the affine differentially private mean (Algorithm 1 of Chaudhuri & Courtade, 2023).

User i holds one value in a public interval and demands that the output be :math:`\epsilon_i`-private when only her
value changes; n and the budgets are public.
Page :doc:`/book/heterogeneous-budgets/upper-bound` derives the weights, :doc:`/book/foundations/notions` what budgets
amount to under another measure of privacy, and for vectors.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, affine, notions
from hdp._types import Floats, Rng, _plain
from hdp.affine import Affine
from hdp.clipping import _normalise, level
from hdp.notions import Notion

__all__ = ["ADPM", "saturation_ratio", "two_group_bound"]


TRIVIAL_MSE = 0.25  # worst-case squared error of the answer 0 on [-1/2, 1/2], and in a ball of radius 1/2


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


def unit_of(measure, dimension, shape):
    """The unit of budgets under a measure of privacy, for values of this dimension in this shape."""
    _validate.choice("shape", shape, notions.SHAPES)
    if isinstance(measure, str) and measure == "pure" and type(dimension) is int and dimension == 1:
        return Unit(None)
    kind = notions.resolve(measure)
    return Unit(kind, notions.unit(kind, dimension, shape))


@dataclass(frozen=True, eq=False)
class ADPM:
    r"""The affine differentially private mean, :math:`c + \langle w, x - c\rangle + N`, c the middle of the interval.

    Of all weighted means with one noise that keep every budget it has the least worst-case error (Algorithm 1); where
    even that exceeds the error of c itself, c is the answer, which costs nobody anything.  With one unknown, the level,

    .. math:: w_i \propto \min(\epsilon_i, \tau), \qquad \sum_i \epsilon_i\,(\tau - \epsilon_i)_+ = 8.

    N is Laplace noise for pure privacy and one number; of density proportional to :math:`e^{-\|y\|_2/s}` for vectors,
    to :math:`e^{-\|y\|_\infty/s}` in the cube; and Gaussian under every other measure.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    lower, upper : float
        Public interval that holds every value, in their unit; for vectors :math:`[-1/2, 1/2]`, which is the paper's.
    measure : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where vectors lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Examples
    --------
    >>> from hdp import ADPM
    >>> made = ADPM([1.0, 4.0, float("inf")])
    >>> made.weights.round(4), made.loss, made.level, made.mse()
    (array([0.1, 0.4, 0.5]), array([1., 4., 5.]), 5.0, 0.125)
    >>> round(ADPM([0.1] * 700 + [1.0] * 300, lower=0, upper=90_000).mse() ** 0.5, 1)
    1797.6
    >>> ADPM([0.5, 2.0, 8.0], measure="zcdp", dimension=2).weights.round(4)
    array([0.1429, 0.2857, 0.5714])
    """

    epsilon: Any = field(repr=False)
    lower: float = -0.5
    upper: float = 0.5
    measure: str | Notion = field(default="pure", kw_only=True)
    dimension: int = field(default=1, kw_only=True)
    shape: str = field(default="ball", kw_only=True)
    _unit: Unit = field(init=False, repr=False)
    _reach: Floats = field(init=False, repr=False)
    _pure: Floats = field(init=False, repr=False)

    def __post_init__(self):
        lower, upper = _validate.interval(self.lower, self.upper)
        unit = unit_of(self.measure, self.dimension, self.shape)
        if self.dimension > 1 and (lower, upper) != (-0.5, 0.5):
            raise ValueError(f"lower and upper must be -1/2 and 1/2 for vectors, got {lower!r} and {upper!r}")
        reach = unit.reach(self.epsilon)
        epsilon = reach if unit.kind is None else _validate.vector("epsilon", self.epsilon, 0)
        self.__dict__.update(
            epsilon=epsilon, lower=lower, upper=upper, _unit=unit, _reach=reach, _pure=unit.pure(reach)
        )

    @cached_property
    def _level(self):
        return level(self._pure, self._pure, 8.0)

    @property
    def level(self) -> float:
        r"""Budget :math:`\tau` above which nobody's data is used any more loosely; inf if all that is used is public.

        For two groups it is :math:`\epsilon_1 R` (eqs. 4 and 24 of the full version) whenever group 2 is clipped.
        """
        return self._unit.back(self._level)

    @cached_property
    def weights(self) -> Floats:
        """Weights of the affine answer, shape (n,), on the simplex and exact up to rounding, in O(n) operations."""
        with np.errstate(under="ignore"):
            return _normalise(np.clip(self._pure, 0, self._level))  # twice as fast as `minimum` with a scalar

    @cached_property
    def affine_mse(self) -> float:
        r"""Worst-case error of the affine answer, :math:`W^2(\|w\|_2^2/4 + 2\max_i (w_i/\epsilon_i)^2)`, without c."""
        return (self.upper - self.lower) ** 2 * affine.unbiased_error(
            self.weights, affine.least_scale(self.weights, self._pure)
        )

    @property
    def constant(self) -> bool:
        """Whether c is the answer, since the affine error would exceed a quarter of the squared width."""
        return self.affine_mse > TRIVIAL_MSE * (self.upper - self.lower) ** 2

    @property
    def scale(self) -> float:
        """Scale of the noise, in the unit of the data, 0 for no noise."""
        return 0.0 if self.constant else affine.least_scale(self.weights, self._reach, self.upper - self.lower)

    @property
    def loss(self) -> Floats:
        r"""What each user gives up, shape (n,): :math:`\min(\epsilon_i, \tau)`, or nothing if the answer is c."""
        return np.zeros(self.epsilon.size) if self.constant else np.minimum(self.epsilon, self.level)

    @property
    def users(self) -> int:
        """How many users have weight."""
        return self.as_affine.users

    @cached_property
    def as_affine(self) -> Affine:
        """The answer as weights and noise, for the pure budgets of one number that amount to the same."""
        if self.constant:
            return Affine(np.zeros(self.epsilon.size), np.empty(0), self.lower, self.upper)
        scale = affine.least_scale(self.weights, self._pure, self.upper - self.lower)
        return Affine(self.weights, np.array([scale]), self.lower, self.upper)

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Largest expected squared error, or distance, if no value, in the cube no coordinate, varies more.

        `variance` is one number for all, or of shape (n,); without it the worst case is meant, which a fair coin on two
        opposite ends or corners attains, or a point mass on one if the answer is `constant`.
        """
        return notions.parts(self.dimension, self.shape) * self.as_affine.mse(variance)

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set `x`, shape (..., n) or (..., n, d), with `rng`, a Generator or a seed.

        Values outside the interval, the ball or the cube are refused: clamp beforehand, for a check that fails is
        itself an output.  The answer is as the algorithm prints it, not clamped.
        """
        if self._unit.kind is None:
            return self.as_affine.estimate(x, rng)
        width, centre, data = self.upper - self.lower, (self.lower + self.upper) / 2, x
        if self.dimension == 1:
            data = np.clip((_validate.data(x, self.epsilon.size, self.lower, self.upper) - centre) / width, -0.5, 0.5)
        data = notions.vectors(data, self.epsilon.size, self.dimension, self.shape)
        if self.constant:
            return _plain(
                np.full(data.shape[:-1] if self.dimension == 1 else (*data.shape[:-2], self.dimension), centre)
            )
        scale = affine.least_scale(self.weights, self._reach)
        drawn = notions.release(data, self.weights, scale, self._unit.kind, self.dimension, rng, self.shape)
        return centre + width * drawn


def saturation_ratio(
    epsilon_1: ArrayLike,
    n: ArrayLike,
    f: ArrayLike,
    *,
    measure: str | Notion = "pure",
    dimension: int = 1,
    shape: str = "ball",
) -> float | Floats:
    r"""Ratio :math:`R = 1 + 8/(\epsilon_1^2 n f)` of budgets from which group 2 is clipped (eq. 4, full version).

    Under another measure of privacy, or for vectors, it is the ratio of budgets in its unit.

    Parameters
    ----------
    epsilon_1 : array_like
        Budget of group 1, the stricter one, in [0, inf].
    n : array_like
        Number of users, in [1, inf).
    f : array_like
        Fraction of users in group 1, in [0, 1]; no formula needs `n * f` to be whole.
    measure : str or Notion
        Unit of the budgets, as `ADPM` takes it.
    dimension : int
        Dimension of the values.
    shape : str
        Where vectors lie.

    Returns
    -------
    float or numpy.ndarray
        In [1, inf], broadcast over the arguments; inf when the stricter group is empty or unusable.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.saturation_ratio(0.01, 80_000, 0.5)
    3.0
    """
    eps, n, f = _two_groups(epsilon_1, n, f)
    _validate.same_shapes(epsilon_1=eps, n=n, f=f)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        unit = unit_of(measure, dimension, shape)
        if unit.kind is None:
            return _plain(np.where(f == 0, np.inf, 1 + _excess(eps, n, f) / eps))
        same = unit.kind.reach(eps) * unit.factor
        clip = np.where(f == 0, np.inf, same + _excess(same, n, f)) / unit.factor
        return _plain(np.where(np.isinf(clip), np.inf, unit.kind.loss(clip) / eps))


def two_group_bound(epsilon_1: ArrayLike, epsilon_2: ArrayLike, n: ArrayLike, f: ArrayLike) -> float | Floats:
    r"""Upper bound of Theorem 1 for two groups, both cases, with the cap of 1/4.

    .. math::
        r \le R:\ \frac{fR+(1-f)r^2}{4n[f+(1-f)r]^2}, \qquad
        r \ge R:\ \frac{n f\epsilon_1^2+8}{4n[n f\epsilon_1^2+8(1-f)]}, \qquad r = \epsilon_2/\epsilon_1

    Parameters
    ----------
    epsilon_1 : array_like
        Budget of group 1, the stricter one, in [0, inf].
    epsilon_2 : array_like
        Budget of group 2, in [`epsilon_1`, inf].
    n : array_like
        Number of users, in [1, inf).
    f : array_like
        Fraction of users in group 1, in [0, 1]; no formula needs `n * f` to be whole.

    Returns
    -------
    float or numpy.ndarray
        Worst-case squared error in (0, 1/4], broadcast over the arguments.

    Examples
    --------
    >>> from hdp import adpm
    >>> round(adpm.two_group_bound(0.1, 1.0, 1000, 0.7), 9)
    0.000398936
    """
    eps_1, n, f = _two_groups(epsilon_1, n, f)
    eps_2 = _validate.number("epsilon_2", epsilon_2, 0)
    _validate.same_shapes(epsilon_1=eps_1, epsilon_2=eps_2, n=n, f=f)
    if np.any(eps_2 < eps_1):
        raise ValueError(f"epsilon_2 must lie in [epsilon_1, inf], got {epsilon_2!r} < epsilon_1 = {epsilon_1!r}")
    eps_1, eps_2 = np.where(f == 0, eps_2, eps_1), np.where(f == 1, eps_1, eps_2)  # an empty group has no budget
    with np.errstate(all="ignore"):
        clips = saturated(eps_1, eps_2, n, f)
        q = np.where(eps_2 > 0, eps_1 / eps_2, 1.0)
        mean_ratio = f * q + (1 - f)
        proportional = (f * q**2 + 1 - f) / (4 * n * mean_ratio**2) + 2 / (n * eps_2 * mean_ratio) ** 2
        strict = np.where(f == 0, 0.0, n * f * eps_1**2)
        clipped = np.where(np.isinf(strict), 1 / (4 * n), (strict + 8) / (4 * n * (strict + 8 * (1 - f))))
        bound = np.minimum(np.where(clips | np.isinf(eps_2), clipped, proportional), TRIVIAL_MSE)
    return _plain(bound)


def saturated(eps_1, eps_2, n, f):
    """Whether group 2 is clipped, eps_2 >= eps_1 R; decided where R itself would overflow, too."""
    with np.errstate(all="ignore"):
        return eps_2 >= eps_1 + _excess(eps_1, n, f)


def _excess(eps_1, n, f):
    """By how much the level of two groups, of which the second is clipped, exceeds the first one's budget."""
    f = np.where((f > 0) & np.isinf(eps_1), 1.0, f)  # nothing, however few are public; not inf / inf
    return 8 / (n * f) / eps_1


def _two_groups(epsilon_1, n, f):
    eps_1 = _validate.number("epsilon_1", epsilon_1, 0)
    n = _validate.number("n", n, 1, np.inf, open_high=True)
    return eps_1, n, _validate.number("f", f, 0, 1)
