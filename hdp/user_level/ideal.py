"""User-level privacy with everything known: truncation of data and of weights, and the private ideal estimator.

Section 4.1 of Cummings, Feldman, McMillan & Talwar (2022).  Public are here also p, sigma_p and a bound on the tails.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, affine
from hdp._types import Floats, Rng
from hdp.clipping import optimal_weights
from hdp.user_level.model import BETA, sample_mean_variance


def half_width(k: ArrayLike, n: int, proxy: float, beta: float) -> Floats:
    r"""Distance from p that no user mean exceeds, all n users together, with probability at least 1 - beta.

    .. math:: f^k = \sqrt{2 s \log(4n/\beta)} + \sqrt{\log(4n/\beta) / (2k)}

    Parameters
    ----------
    k : array_like
        Samples of a user, in [1, 1e50].
    n : int
        Number of users, at least 1.
    proxy : float
        Variance proxy :math:`s` of a sub-Gaussian distribution of the p_i, in [0, 1e50]: :math:`\sigma_p^2` if it is
        strictly sub-Gaussian, `beta_proxy` for a Beta distribution, 0 for a point mass (then the samples alone deviate,
        and the width is :math:`\sqrt{\log(2n/\beta)/(2k)}`).  Where it may be None it is :math:`\sigma_p^2`.
    beta : float
        Probability of failure, in (0, 1).

    Returns
    -------
    numpy.ndarray
        Half-width, of the shape of `k`.

    Notes
    -----
    The paper's :math:`f_D^k(n, \sigma_p^2, \beta)`, whose appendix G is not at hand: this choice is ours.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.half_width([1, 100, 10_000], n=1000, proxy=0.0, beta=0.05).round(4)
    array([2.3018, 0.2302, 0.023 ])
    """
    k = _validate.number("k", k, 1, _validate.LARGE)
    n = _validate.whole("n", n, 1)
    proxy = _validate.scalar("proxy", proxy, 0, _validate.LARGE)
    return width(k, n, proxy, _validate.chance("beta", beta))


def width(k, n, proxy, beta):
    """The same for arguments that are known to be right."""
    if proxy == 0:
        return np.sqrt((np.log(2 * n) - np.log(beta)) / (2 * k))
    log = np.log(4 * n) - np.log(beta)  # the quotient may be no float
    return np.sqrt(2 * proxy * log) + np.sqrt(log / (2 * k))


def beta_proxy(a: float, b: float) -> float:
    """Variance proxy 1 / (4 (a + b + 1)) of the Beta distribution (Marchal & Arbel, 2017).

    Parameters
    ----------
    a, b : float
        Shape parameters, in (0, inf).

    Returns
    -------
    float
        The variance if a = b, and more otherwise.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.beta_proxy(2, 2)
    0.05
    """
    ends = {"open_low": True, "open_high": True}
    return 1 / (4 * (_validate.scalar("a", a, 0, **ends) + _validate.scalar("b", b, 0, **ends) + 1))


def truncated_weights(sigma: ArrayLike, truncation: float) -> Floats:
    r"""Weights of eq. 4, proportional to :math:`\min(1/\sigma_i^2, T/\sigma_i)`.

    Parameters
    ----------
    sigma : array_like, shape (n,)
        Standard deviation of each user's mean, in [1e-50, 1e50].
    truncation : float
        T, in (0, inf].

    Returns
    -------
    numpy.ndarray, shape (n,)
        Weights, which sum to 1.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.truncated_weights([0.1, 0.5], truncation=5.0).round(4)
    array([0.9259, 0.0741])
    """
    sigma = _validate.vector("sigma", sigma, _validate.SMALL, _validate.LARGE)
    truncation = _validate.scalar("truncation", truncation, 0, open_low=True)
    truncation = max(truncation, 1 / sigma.max())  # below, all are clipped, and the weights stay
    proportions = np.minimum(1 / sigma, truncation) / sigma
    return proportions / proportions.sum()


def best_truncation(sigma: ArrayLike, width: ArrayLike, epsilon: float, penalty: float = 2.0) -> float:
    r"""Exact minimiser T* of eq. 6, by its stationary points on every piece.

    .. math:: T^* = \arg\min_T \sum_i w_i(T)^2 \sigma_i^2 + \kappa \max_i w_i(T)^2 d_i^2 / \epsilon^2

    Parameters
    ----------
    sigma, width : array_like, shape (n,)
        Standard deviation of each user mean, in [1e-50, 1e50], and length d_i of her interval, in [0, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50].
    penalty : float
        Variance of Laplace noise of scale 1, in [1e-50, 1e50]: 2.  The paper has 1.

    Returns
    -------
    float
        T*.  Below the smallest 1 / sigma the objective is constant, and that end is returned.

    Examples
    --------
    If the widths are proportional to sigma, clipped users share T* = sum(1 / sigma) / (count + 2 (d / sigma / eps)^2):

    >>> from hdp import user_level
    >>> user_level.best_truncation([0.1, 0.1, 0.5, 0.5], [0.1, 0.1, 0.5, 0.5], epsilon=1.0)
    5.0
    """
    sigma = _validate.vector("sigma", sigma, _validate.SMALL, _validate.LARGE)
    width = _validate.vector("width", width, 0, _validate.LARGE)
    _validate.alike(sigma=sigma, width=width)
    noise = _validate.size("penalty", penalty) / _validate.size("epsilon", epsilon) ** 2
    order = np.argsort(-sigma)
    t, d = 1 / sigma[order], width[order]  # t ascends; the first m users are not clipped, T in [t_m, t_{m+1}]
    free = np.cumsum(t * t)[:-1]  # m = 1 .. n-1; m = 0 is constant and m = n the end of the last piece
    count = np.arange(t.size - 1, 0, -1)
    clipped = np.cumsum(t[::-1])[::-1][1:]
    fixed = np.maximum.accumulate(t * t * d)[:-1]
    slope = np.maximum.accumulate((t * d)[::-1])[::-1][1:]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        switch = np.where(slope > 0, fixed / slope, t[:-1])
    candidates = [t[:-1], t[1:], switch, clipped / (count + noise * slope**2)]
    candidates.append((free + noise * fixed**2) * clipped / (count * free))
    found = np.clip(np.array(candidates), t[:-1], t[1:])
    value = free + count * found**2 + noise * np.maximum(fixed, slope * found) ** 2
    value /= (free + clipped * found) ** 2
    return float(found.flat[np.argmin(value)]) if t.size > 1 else float(t[0])


@dataclass(frozen=True, eq=False)
class IdealRelease:
    """Everything that the release of one weighted sum needs, in the order of the users.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        Weight of each user.
    lower, upper : numpy.ndarray, shape (n,)
        Interval onto which her mean is projected.
    scale : float
        Scale of the Laplace noise.
    variance : float
        Bound on the variance of the answer: projection onto an interval never raises a variance.

    Examples
    --------
    >>> from hdp import user_level
    >>> plan = user_level.private_ideal([100, 100], p=0.5, sigma_p=0.05, epsilon=1.0)
    >>> float(plan.answer([0.25, 0.75]))
    0.5
    """

    weights: Floats
    lower: Floats
    upper: Floats
    scale: float
    variance: float

    @property
    def users(self) -> int:
        """How many users it is made for."""
        return self.weights.size

    def mse(self, variance: ArrayLike | None = None) -> float:
        """The bound on the variance, for what was told; inf for other variances, where nothing bounds the truncation.

        No value is more than 1/2 from the middle of [0, 1], and where p is wrong, its interval may be anywhere.
        """
        return self.variance if variance is None else np.inf

    @property
    def loss(self) -> Floats:
        """Loss of every user, in nats, shape (n,), when all her data are replaced."""
        return affine.loss(self.weights, self.scale, self.upper - self.lower)

    def answer(self, means: ArrayLike) -> float | Floats:
        """The weighted sum of truncated user means, last axis, before noise; `means` in [0, 1]."""
        x = _validate.data(means, self.weights.size, 0, 1, name="means")
        return np.clip(x, self.lower, self.upper) @ self.weights

    def estimate(self, means: ArrayLike, rng: Rng) -> float | Floats:
        """The private estimate of eq. 3; `means` of shape (..., n) in [0, 1], `rng` a Generator or a seed."""
        answer = self.answer(means)
        return answer + _validate.generator(rng).laplace(0.0, self.scale, np.shape(answer))


def release(centre, sigma, radius, epsilon):
    """The best weights for these standard deviations, intervals and budgets, one of all or one of each user.

    The intervals are cut to [0, 1], where every user mean lies anyway: shorter ones, the same answer, less noise.
    """
    lower, upper = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
    cost = (upper - lower) / epsilon
    w = optimal_weights(sigma**2, cost, 2.0)
    scale = float(np.max(w * cost))
    return IdealRelease(w, lower, upper, scale, affine.unbiased_error(w, scale, sigma**2))


def private_ideal(
    k: ArrayLike, p: float, sigma_p: float, epsilon: ArrayLike, beta: float = BETA, proxy: float | None = None
) -> IdealRelease:
    r"""The private ideal estimator: eqs. 3 and 4, with the best weights on the whole simplex.

    .. math:: w_i \propto \min(1/\sigma_i^2, T\epsilon_i/d_i), \qquad
              d_i = \left|[p - f^{k_i}, p + f^{k_i}] \cap [0, 1]\right|

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    p, sigma_p : float
        Mean, in (0, 1), and standard deviation of the p_i, with sigma_p^2 <= p (1 - p).
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50].
    beta : float
        Probability of failure, in (0, 1).
    proxy : float
        Variance proxy :math:`s` of a sub-Gaussian distribution of the p_i, in [0, 1e50]: :math:`\sigma_p^2` if it is
        strictly sub-Gaussian, `beta_proxy` for a Beta distribution, 0 for a point mass (then the samples alone deviate,
        and the width is :math:`\sqrt{\log(2n/\beta)/(2k)}`).  Where it may be None it is :math:`\sigma_p^2`.

    Returns
    -------
    IdealRelease
        Weights, intervals, scale of the noise, variance; `.estimate(means, rng)` releases.

    Notes
    -----
    When all data of one user are replaced, she loses her budget at most.
    Eq. 4 has :math:`T/\sigma_i`, which is as good only where d_i is proportional to sigma_i: see `best_truncation`.

    Examples
    --------
    >>> from hdp import user_level
    >>> plan = user_level.private_ideal([400] * 10 + [4] * 990, p=0.5, sigma_p=0.05, epsilon=1.0)
    >>> round(plan.variance ** 0.5, 4)
    0.0081
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    p, sigma_p = _validate.mean_and_deviation(p, sigma_p, open_low=True, open_high=True)
    radius = half_width(k, k.size, sigma_p**2 if proxy is None else proxy, beta)
    sigma = np.sqrt(sample_mean_variance(p, sigma_p, k))
    return release(p, sigma, radius, budgets(epsilon, k.size))


def budgets(epsilon, n):
    """The budget of each of n users, where one was given for all or one for each."""
    eps = _validate.sizes("epsilon", epsilon)
    if eps.shape not in ((), (n,)):
        raise ValueError(f"epsilon must be a number or have shape ({n},), got shape {eps.shape}")
    return np.broadcast_to(eps, (n,))
