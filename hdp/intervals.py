r"""Intervals that hold for every n: how far a weighted private mean is from what the data say, and from the truth.

The answer is :math:`\langle w, x\rangle + N` on independent data in [-1/2, 1/2] of one mean, as in `hdp.affine`.  An
interval of this radius about it misses its target with a probability of at most beta.  Page
:doc:`/book/use/intervals` proves it: one exponential bounds the errors of sampling and of the noise together; page
:doc:`/book/use/learned-variance` says when a variance is worth its price.
"""

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate, adpm, affine
from hdp._types import Floats, Rng, _plain
from hdp.laplace_sum import LaplaceSum

__all__ = ["noise_radius", "population_radius", "private_variance", "split_radius", "variance_bound"]

_HALVINGS = 100  # of an interval in which the best exponent lies; any exponent in it gives a valid radius
LEAST = 1e-300  # of the probabilities of missing; their logarithms are wanted


def noise_radius(scale: float, beta: float, step: float = 0.0, count: int = 1) -> float:
    r"""Radius for the sample's own weighted mean: the exact quantile of the noise, which nothing else separates.

    .. math:: \eta\log\frac1\beta, \qquad
       s\left(\left\lceil\frac\eta s\log\frac{2}{(1 + e^{-s/\eta})\,\beta}\right\rceil - 1\right)_+

    continuous, and discrete with steps s.

    Parameters
    ----------
    scale : float
        Scale of the Laplace noise, in [0, 1e50].
    beta : float
        Probability of missing, in [1e-300, 1).
    step : float
        Distance of the values that discrete noise takes, in [0, scale]; 0 is continuous noise.
    count : int
        How many independent noises of this scale are added, in [1, 10^5]; more than one are continuous.

    Returns
    -------
    float
        Least r for which the noise exceeds r in size with a probability of at most beta.

    Examples
    --------
    >>> from hdp import adpm, affine, intervals
    >>> round(intervals.noise_radius(1.0, 0.05), 4)
    2.9957
    """
    scale, beta, step = _noise(scale, beta, step)
    count = _validate.whole("count", count, 1, 10**5)
    if count == 1 or scale == 0:
        exact = scale * max(0.0, -math.log(beta) + math.log(2 * (1 - _positive(scale, step))))
        if step and exact / step < _validate.EXACT:  # beyond, the next step is the next float
            return step * max(0.0, math.ceil(exact / step) - 1.0)
        return exact
    if step:
        raise ValueError(f"step must be 0 for several noises, got {step!r}")
    law = LaplaceSum(count, 1.0)
    far = 2 * (count - math.log(beta))  # the chance of more is below beta / 2, as E exp(Y/2) = (4/3)^n
    tail = lambda x: math.log(max(2 * law.survival(x), 1e-320)) - math.log(beta)  # noqa: E731
    return scale * float(scipy.optimize.brentq(tail, 0.0, far, xtol=1e-14 * far))


def population_radius(
    weights: ArrayLike, scale: float, beta: float, variance: float | None = None, step: float = 0.0
) -> float:
    r"""Radius for the mean from which the values were drawn: sampling and noise in one exponential.

    .. math:: \min_{\lambda\le1/\eta} \frac{\log(2A(\lambda\eta)/\beta)}{\lambda} + \frac{V\lambda}{2(1-c\lambda)},
       \qquad A(a) = \frac{1}{1+a}\left(\frac{2a}{1+a}\right)^a

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weights of the values, each at most 1e50 in size; what their sum lacks to 1 is added to the radius as a bias.
    scale : float
        Scale of the Laplace noise, in [0, 1e50].
    beta : float
        Probability of missing, in [1e-300, 1).
    variance : float, optional
        Upper bound of the variance of a value, in [0, 1/4]; then V is its product with the sum of squared weights, and
        c a third of the largest weight (Bernstein), if that is narrower than V = a quarter of the sum and c = 0
        (Hoeffding).
    step : float
        Distance of the values that discrete noise takes, in [0, scale]; 0 is continuous noise.

    Returns
    -------
    float
        In units of the data; 1 or more says nothing beside an answer in [-1/2, 1/2].

    Examples
    --------
    >>> from hdp import ADPM, affine, intervals
    >>> epsilon = [0.1] * 700 + [1.0] * 300
    >>> w = ADPM(epsilon).weights
    >>> noise = affine.noise_scale(w, epsilon)
    >>> round(intervals.population_radius(w, noise, 0.05), 4)
    0.0416
    >>> round(intervals.population_radius(w, noise, 0.05, variance=0.02), 4)
    0.024
    """
    w = _validate.vector("weights", weights, -_validate.LARGE, _validate.LARGE)
    scale, beta, step = _noise(scale, beta, step)
    with np.errstate(under="ignore"):
        squares, bias = float(w @ w), abs(1 - math.fsum(w)) / 2
    radius = tilted(squares / 4, 0.0, scale, beta, step)
    if variance is not None:
        v = _validate.scalar("variance", variance, 0, adpm.TRIVIAL_MSE)
        radius = min(radius, tilted(v * squares, float(np.abs(w).max()) / 3, scale, beta, step))
    return radius + bias


def split_radius(weights: ArrayLike, scale: float, beta: float, share: float | None = None) -> float:
    r"""The same by a union bound, for comparison: Hoeffding at a share b of beta, and the noise at the rest.

    .. math:: \sigma\sqrt{2\log\frac{2}{b\beta}} + \eta\log\frac{1}{(1-b)\,\beta}, \qquad \sigma^2 = \sum_i w_i^2/4

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weights of the values, each at most 1e50 in size; what their sum lacks to 1 is added to the radius as a bias.
    scale : float
        Scale of the Laplace noise, in [0, 1e50].
    beta : float
        Probability of missing, in [1e-300, 1).
    share : float, optional
        The share b, in (0, 1); the best one unless given.

    Returns
    -------
    float
        Never less than `population_radius`, whatever the share.

    Examples
    --------
    >>> from hdp import ADPM, affine, intervals
    >>> epsilon = [0.1] * 700 + [1.0] * 300
    >>> w = ADPM(epsilon).weights
    >>> noise = affine.noise_scale(w, epsilon)
    >>> round(intervals.split_radius(w, noise, 0.05), 4)
    0.0776
    """
    w = _validate.vector("weights", weights, -_validate.LARGE, _validate.LARGE)
    scale, beta, _ = _noise(scale, beta, 0.0)
    with np.errstate(under="ignore"):
        sigma, bias = float(np.linalg.norm(w)) / 2, abs(1 - math.fsum(w)) / 2
    b = best_split(sigma, scale, beta) if share is None else _validate.chance("share", share)
    sampling = sigma * math.sqrt(2 * (math.log(2 / b) - math.log(beta))) if sigma else 0.0
    noise = scale * (-math.log1p(-b) - math.log(beta)) if scale else 0.0
    return sampling + noise + bias


def private_variance(x: ArrayLike, epsilon: ArrayLike, rng: Rng) -> float | Floats:
    r"""Unbiased noisy estimate of the values' variance, from half the squared differences of neighbours by budget.

    Each user is in at most one pair, and loses at most her entry of epsilon: a second loss, on top of that of the
    mean, for which `variance_bound` shows what to do with the estimate.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Data in [-1/2, 1/2]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        What each user may lose by this, in [0, inf], in any order; at least two entries are not 0.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    float or numpy.ndarray, shape (...)
        One estimate for each data set; noise may make it negative.

    Examples
    --------
    >>> from hdp import adpm, affine, intervals
    >>> intervals.private_variance([0.5, -0.5, 0.5, 0.5], [float("inf")] * 4, 1)
    0.25
    """
    first, second, u, scale = _pairs(epsilon)
    values = _validate.data(x, np.size(epsilon))
    halves = (values[..., first] - values[..., second]) ** 2 / 2
    noise = _validate.generator(rng).laplace(0.0, scale, values.shape[:-1])
    return _plain(halves @ u + noise)


def variance_bound(noisy: float, epsilon: ArrayLike, beta: float) -> float:
    r"""Upper confidence bound of the variance from `private_variance`, if all values have one law.

    .. math:: \frac{T + \log(A(\lambda\eta)/\beta)/\lambda}{1 - \zeta\lambda/2}, \qquad
       \zeta = \tfrac12\sum_j u_j^2

    Parameters
    ----------
    noisy : float
        The estimate T, in [-1e50, 1e50].
    epsilon : array_like, shape (n,)
        What it was made with: u are the weights of its pairs, and :math:`\eta` its noise.
    beta : float
        Probability of missing, in [1e-300, 1).

    Returns
    -------
    float
        In [0, 1/4]; less than the variance with a probability of at most beta.

    Examples
    --------
    >>> from hdp import adpm, affine, intervals
    >>> round(intervals.variance_bound(0.02, [0.1] * 10_000, 0.005), 4)
    0.0259
    """
    estimate = _validate.scalar("noisy", noisy, -_validate.LARGE, _validate.LARGE)
    _, beta, _ = _noise(0.0, beta, 0.0)
    _, _, u, scale = _pairs(epsilon)
    kappa, log = float(u @ u) / 2, -math.log(beta)
    half = kappa * log / 2
    largest = (math.sqrt(max(estimate, 0.0) + half) + math.sqrt(half)) ** 2  # the bound itself without noise
    tilt = min(math.sqrt(2 * log / (kappa * largest)), 1 / scale if scale else math.inf)
    bound = (estimate + (log + _log_factor(tilt * scale, 0.5)) / tilt) / (1 - kappa * tilt / 2)
    return min(max(bound, 0.0), adpm.TRIVIAL_MSE)


def tilted(v, c, scale, beta, step=0.0):
    r"""Radius of a sum with :math:`\log E e^{\pm\lambda S} \le v\lambda^2/(2(1-c\lambda))` and Laplace noise."""
    log, p = math.log(2) - math.log(beta), _positive(scale, step)
    if v == 0:
        return scale * max(0.0, log + _log_factor(1.0, p))
    most = min(1 / scale, math.sqrt(2 * _validate.LARGE**2 / v)) if scale > 0 else math.inf
    most = min(most, (1 - 2**-50) / c) if c else most  # rounded, 1 - c times the best one must stay positive

    def tilt(rest):
        g = math.sqrt(2 * max(rest, 0.0) / v)
        return min(g / (1 + c * g), most)

    low, high = 0.0, tilt(log)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rest = log + math.log1p(-p * _peak(middle * scale, p))
        low, high = (middle, high) if tilt(rest) > middle else (low, middle)
    best = high
    if best == 0:
        return math.inf
    return (log + _log_factor(best * scale, p)) / best + v * best / (2 * (1 - c * best))


def best_split(sigma, scale, beta):
    """The share of beta for sampling where the derivative of the union bound is 0."""
    most = 1 - 2.0**-53

    def slope(b):
        return (1 - b) * sigma - b * scale * math.sqrt(2 * (math.log(2 / b) - math.log(beta)))

    if sigma == 0 or slope(most) >= 0:
        return 1 - most if sigma == 0 else most
    return float(scipy.optimize.brentq(slope, 2.0**-1000, most, xtol=1e-300, rtol=1e-14))


def _noise(scale, beta, step):
    scale = _validate.scalar("scale", scale, 0, _validate.LARGE)
    beta = _validate.chance("beta", beta, LEAST)
    return scale, beta, _validate.scalar("step", step, 0, scale)


def _positive(scale, step):
    """Probability that the noise is positive."""
    return 1 / (1 + math.exp(step / scale)) if step else 0.5


def _peak(a, p):
    """Where v^a (1 - p v) is largest in [0, 1]."""
    return min(1.0, a / ((1 + a) * p))


def _log_factor(a, p):
    """Logarithm of that largest value: how far the noise's tail is below an exponential of rate a."""
    v = _peak(a, p)
    return (a * math.log(v) if v else 0.0) + math.log1p(-p * v)


def _pairs(epsilon):
    """Two users of each pair, ordered by budget, the weights of the pairs, and the scale of the noise."""
    eps = _validate.budgets(epsilon)
    order = np.argsort(-eps, kind="stable")
    pairs = eps.size // 2
    first, second = order[0 : 2 * pairs : 2], order[1 : 2 * pairs : 2]
    if not eps[second].any():
        raise ValueError(f"epsilon must have at least two entries in (0, inf], got {_validate.show(epsilon)}")
    u = adpm.ADPM(eps[second]).weights
    scale = affine.noise_scale(u, eps[second], width=0.5)
    if not scale <= _validate.LARGE:
        raise ValueError(f"epsilon must let the noise have a scale of at most 1e50, got {_validate.show(epsilon)}")
    return first, second, u, scale
