r"""Affine estimators: weights and noise give the error, every user's privacy loss, and the estimate.

The estimator is :math:`M(x) = \langle w, x\rangle + N` on data in :math:`[-1/2, 1/2]`, with :math:`N` Laplace noise
of scale :math:`\eta`.  Neighbouring data sets differ in the value of one user; n and the budgets are public.
Page :doc:`/book/foundations/privacy` derives the privacy loss, :doc:`/book/heterogeneous-budgets/upper-bound` the
error.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, Rng, _plain
from hdp._validate import LARGE
from hdp.estimator import variance_vector
from hdp.laplace_sum import LaplaceMixture

__all__ = ["estimate", "mean_squared_error", "noise_scale", "privacy_loss"]

UNBIASED = 1e-9  # how far weights may be from a sum of 1 that an answer still counts as unbiased


def noise_scale(weights: ArrayLike, epsilon: ArrayLike, width: float = 1.0) -> float:
    r"""Smallest Laplace scale with which user i loses at most her budget: :math:`\max_i W |w_i| / \epsilon_i`.

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weight of each user, in [-1e50, 1e50].
    epsilon : array_like, shape (n,)
        Privacy budgets in [0, inf]; inf is a public value.
    width : float
        Width :math:`W` of the interval that holds the data, in (0, inf).

    Returns
    -------
    float
        The scale; 0 when only public values carry weight, inf when a user with budget 0 has weight.  Otherwise it is at
        least 2.2e-308, also times a width above 1: a smaller number lacks digits, or is rounded to no noise.

    Examples
    --------
    >>> from hdp import affine
    >>> affine.noise_scale([0.25, 0.75], [0.5, 1.0])
    0.75
    """
    w = np.abs(_validate.vector("weights", weights, -LARGE, LARGE))
    eps = _validate.vector("epsilon", epsilon, 0)
    _validate.alike(weights=w, epsilon=eps)
    return least_scale(w, eps, _validate.scalar("width", width, 0, np.inf, open_low=True, open_high=True))


def least_scale(w, eps, width=1.0):
    """The same for weights of at least 0 and budgets that are known to be right."""
    used = w > 0
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        least = _validate.TINY / min(width, 1.0) if np.isfinite(eps[used]).any() else 0.0
        return float(width * np.max(w[used] / eps[used], initial=least))


def privacy_loss(weights: ArrayLike, scale: float, width: float = 1.0) -> Floats:
    r"""Largest privacy loss of every user, :math:`W |w_i| / \eta` (Lemma 1 of Chaudhuri & Courtade).

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weight of each user, in [-1e50, 1e50].
    scale : float
        Scale :math:`\eta` of the Laplace noise, in [0, inf].
    width : float
        Width :math:`W` of the interval that holds the data, in (0, inf).

    Returns
    -------
    numpy.ndarray, shape (n,)
        Loss in nats; 0 for a user without weight, inf for one with weight when there is no noise.

    Examples
    --------
    >>> from hdp import affine
    >>> affine.privacy_loss([0.25, 0.75], 0.75).round(4)
    array([0.3333, 1.    ])
    """
    w = np.abs(_validate.vector("weights", weights, -LARGE, LARGE))
    scale = _validate.scalar("scale", scale, 0)
    width = _validate.scalar("width", width, 0, np.inf, open_low=True, open_high=True)
    return loss(w, scale, width)


def loss(w, scale, width=1.0):
    """The same for weights of at least 0 and a scale, or one for each of them, that are known to be right."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return np.divide(width * w, scale, out=np.zeros(w.size), where=w > 0)


def mean_squared_error(weights: ArrayLike, scale: float, variance: ArrayLike = 0.25) -> float:
    r"""Expected squared error :math:`\sum_i v_i w_i^2 + 2\eta^2` of an affine estimator whose weights sum to 1.

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weights, which sum to 1, so that the estimator is unbiased.
    scale : float
        Scale :math:`\eta` of the Laplace noise, in [0, inf].
    variance : array_like, shape (n,) or scalar
        Variance of the data, in [0, 1e100]; 1/4, the default, is the worst that an interval of width 1 allows.

    Returns
    -------
    float
        In squared units of the data; inf with infinite noise.

    Examples
    --------
    >>> from hdp import affine
    >>> affine.mean_squared_error([0.5, 0.5], 0.25)
    0.25
    """
    w = _validate.unbiased("weights", weights)
    variance = _validate.number("variance", variance, 0, LARGE**2)
    if variance.shape not in ((), w.shape):
        raise ValueError(f"variance must be a scalar or of shape {w.shape}, got {variance.shape}")
    return unbiased_error(w, _validate.scalar("scale", scale, 0), variance)


def unbiased_error(w, scale, variance=0.25):
    """The same for weights, scale and variances that are known to be right."""
    with np.errstate(under="ignore"):
        return float(np.sum(variance * w**2) + 2.0 * scale * scale)


def estimate(x: ArrayLike, weights: ArrayLike, scale: float, rng: Rng) -> float | Floats:
    r"""Draw :math:`\langle w, x\rangle + N` for each data set.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Data in [-1/2, 1/2]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    weights : array_like, shape (n,)
        Weight of each user, in [-1e50, 1e50].
    scale : float
        Scale of the Laplace noise, in [0, inf).
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One estimate for each data set; a float for a single one.

    Examples
    --------
    >>> from hdp import affine
    >>> affine.estimate([0.5, -0.5], [0.75, 0.25], 0.0, 1)
    0.25
    """
    w = _validate.vector("weights", weights, -LARGE, LARGE)
    scale = _validate.scalar("scale", scale, 0, np.inf, open_high=True)
    return Affine(w, np.array([scale])).estimate(x, rng)


def with_one_noise(weights, epsilon):
    """These weights with the least noise that keeps these budgets, none of which is checked."""
    return Affine(weights, np.atleast_1d(least_scale(weights, epsilon)))


@dataclass(frozen=True, eq=False)
class Affine:
    r"""An estimator: centre + <w, x - centre> + a sum of independent Laplace noises; the weights need not sum to 1.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        Weight of each user, at least 0.
    scales : numpy.ndarray, shape (k,)
        Scales of the noises, in the unit of the data; none for an answer that costs nobody anything.
    lower, upper : float
        Interval that holds the data, with the centre in its middle.
    noise_of : numpy.ndarray of int, shape (n,), optional
        Which noise was added to what each user is part of, if not one to the whole.
    """

    weights: Floats
    scales: Floats
    lower: float = -0.5
    upper: float = 0.5
    noise_of: NDArray[np.intp] | None = None

    def within(self, lower: float, upper: float) -> Self:
        """The same for data in another interval, with noise in proportion to its width."""
        factor = (upper - lower) / (self.upper - self.lower)
        return replace(self, scales=self.scales * factor, lower=lower, upper=upper)

    @property
    def users(self) -> int:
        """How many users have weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def width(self) -> float:
        """Upper minus lower."""
        return self.upper - self.lower

    def mse(self, variance: ArrayLike | None = None) -> float:
        r"""Largest expected squared error if no value varies more than this, :math:`\sum_i v_i w_i^2 + 2\sum_k s_k^2`.

        Unless given, v is the most that the interval allows, a quarter of its squared width.  Where weights do not sum
        to 1 the bias comes on top: it is largest for a mean on an end, next to which nothing can vary, and the worst
        mean lies between.
        """
        most = 0.25 * self.width**2
        w, v = self.weights, variance_vector(most if variance is None else variance, self.weights.size, self.width)
        with np.errstate(over="ignore", under="ignore"):
            noise, bias = float(2 * np.sum(self.scales**2)), 1 - np.sum(w)
            if abs(bias) <= UNBIASED:
                return float(np.sum(v * w**2)) + noise
            v, square = np.sort(v), w[np.argsort(v)] ** 2  # concave in the square of the mean: the ends of its pieces
            below, v = np.append(0.0, np.cumsum(v * square)), np.append(0.0, v)
            above = np.sum(square) - np.append(0.0, np.cumsum(square))
            return float(np.max(below + v * above + bias**2 * (most - v))) + noise

    @property
    def loss(self) -> Floats:
        """Loss of every user in nats, shape (n,), also towards whoever sees the noisy parts of the sum."""
        if not self.scales.size:
            return np.zeros(self.weights.size)
        return loss(self.weights, self.scales[0 if self.noise_of is None else self.noise_of], self.width)

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set, shape (..., n), whose values the interval holds."""
        x = _validate.data(x, self.weights.size, self.lower, self.upper)
        if np.isinf(self.scales).any():
            raise ValueError("scale must lie in [0, inf) for a draw, got inf")
        return _plain(self.draw(x, _validate.generator(rng)))

    def mean_squared_error(self, variance, mean):
        """Variance of data and noise, and the squared bias ((1 - sum w) mean)^2; the mean is that from the centre."""
        w = self.weights
        with np.errstate(over="ignore", under="ignore"):
            noise = 2 * np.sum(self.scales**2)
            return float(variance * np.sum(w**2) + noise + ((1 - np.sum(w)) * mean) ** 2)

    def draw(self, x, rng, unit_noise=None):
        """One answer for each row of x; the noise is drawn if it is not one, or not given in units of its scale."""
        centre = (self.lower + self.upper) / 2
        with np.errstate(under="ignore"):
            if not centre:
                return self.noisy(x @ self.weights, rng, unit_noise)
            rows = x.reshape(-1, x.shape[-1]) - centre  # a copy anyway: one product of many rows is faster
            return (self.noisy(rows @ self.weights, rng, unit_noise) + centre).reshape(x.shape[:-1])

    def noisy(self, exact, rng, unit_noise=None):
        """Noise added to these values of <w, x>; see `draw`."""
        if unit_noise is None or self.scales.size > 1:
            return exact + self.noise.sample(rng, np.size(exact)).reshape(np.shape(exact))
        return exact + self.scales.sum() * unit_noise

    @cached_property
    def noise(self):
        """The law of the sum of the noises."""
        return LaplaceMixture(self.scales)


@dataclass(frozen=True, eq=False)
class WeightedMean:
    r"""What weighted means with one Laplace noise and a budget of each user's own have in common.

    The answer is :math:`c + \langle w, x - c\rangle + N`, with c in the middle of the interval and the least noise
    that keeps every budget.  `hdp.linear.Linear`, `hdp.given_data.GivenData` and `hdp.threshold.Threshold` say which
    weights these are.
    """

    epsilon: Any = field(repr=False)
    lower: float = -0.5
    upper: float = 0.5

    def __post_init__(self):
        lower, upper = _validate.interval(self.lower, self.upper)
        self.__dict__.update(epsilon=_validate.budgets(self.epsilon), lower=lower, upper=upper)

    @property
    def weights(self) -> Floats:
        """Weight of each user, shape (n,)."""
        raise NotImplementedError

    @cached_property
    def as_affine(self) -> Affine:
        """The weights and the noise."""
        return with_one_noise(self.weights, self.epsilon).within(self.lower, self.upper)

    @property
    def scale(self) -> float:
        """Scale of the noise, in the unit of the data, 0 for no noise."""
        return float(self.as_affine.scales[0])

    @property
    def users(self) -> int:
        """How many users have weight."""
        return self.as_affine.users

    @property
    def loss(self) -> Floats:
        """What each user gives up, in nats, shape (n,), at most her budget."""
        return self.as_affine.loss

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Largest expected squared error if no value varies more than `variance`, of shape (n,) or one for all."""
        return self.as_affine.mse(variance)

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set `x`, shape (..., n), with `rng`, a Generator or a seed; not clamped.

        Values outside the interval are refused: clamp beforehand, for a check that fails is itself an output.
        """
        return self.as_affine.estimate(x, rng)
