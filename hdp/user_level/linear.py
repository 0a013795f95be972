"""Cummings et al. (2022), Section 5.1: noisy linear estimators, the best of them, and their private counterpart.

User i reports the mean of ``k_i`` samples, of variance ``sigma_i^2`` (Lemma 2.1).
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, clipping
from hdp._types import Floats, Rng

VARIANCES = 1e-100, 1e100
LAPLACE = 2.0  # variance of Laplace noise of scale 1


def noisy_linear_variance(weights: ArrayLike, variance: ArrayLike, epsilon: float) -> float:
    r"""Variance of a noisy linear estimator, whose noise is scaled to standard deviations.

    .. math:: \sum_i w_i^2 \sigma_i^2 + \frac{2}{\epsilon^2} \max_i (w_i \sigma_i)^2

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weights :math:`w_i` in [0, 1].
    variance : array_like, shape (n,)
        Variance :math:`\sigma_i^2` of each user's mean, in [1e-100, 1e100].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.

    Returns
    -------
    float
        The variance.  Such an estimator is *not* private: no interval of length :math:`\sigma_i` holds the data.

    Notes
    -----
    Class NLE of Cummings et al. (2022), Section 5.1.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.noisy_linear_variance([0.5, 0.5], [0.04, 0.01], 1.0)
    0.0325
    """
    w = _validate.vector("weights", weights, 0, 1)
    v = _validate.vector("variance", variance, *VARIANCES)
    _validate.alike(weights=w, variance=v)
    spread = w**2 * v
    return float(np.sum(spread) + LAPLACE / budget(epsilon) ** 2 * spread.max())


def ideal_clip(variance: ArrayLike, epsilon: float) -> float:
    r"""Clip T of Lemma 5.2: the best weights are proportional to :math:`\min(1/\sigma_i^2, T/\sigma_i)`.

    .. math:: \sum_i \Big(\frac{1}{T \sigma_i} - 1\Big)_+ = \frac{2}{\epsilon^2}

    Parameters
    ----------
    variance : array_like, shape (n,)
        Variance :math:`\sigma_i^2` of each user's mean, in [1e-100, 1e100].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.

    Returns
    -------
    float
        T in (0, inf), in units of one over a standard deviation; in O(n) operations.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.ideal_clip([0.04, 0.01], 1.0), 12)
    3.75
    """
    sigma = np.sqrt(_validate.vector("variance", variance, *VARIANCES))
    return 1 / clipping.level(sigma, 1 / sigma, LAPLACE / _validate.size("epsilon", epsilon) ** 2)


def ideal_variance(variance: ArrayLike, epsilon: float) -> float:
    r"""Least variance of a noisy linear estimator, attained by the weights of Lemma 5.2.

    .. math:: \min_w \sum_i w_i^2 \sigma_i^2 + \frac{2}{\epsilon^2} \max_i (w_i \sigma_i)^2

    Parameters
    ----------
    variance : array_like, shape (n,)
        Variance :math:`\sigma_i^2` of each user's mean, in [1e-100, 1e100].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.

    Returns
    -------
    float
        The variance at the weights of `hdp.clipping.optimal_weights`.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.ideal_variance([0.04, 0.01], 1.0), 12)
    0.017777777778
    """
    v = _validate.vector("variance", variance, *VARIANCES)
    weights = clipping.optimal_weights(v, np.sqrt(v) / _validate.size("epsilon", epsilon), LAPLACE)
    return noisy_linear_variance(weights, v, epsilon)


def truncated_estimate(
    x: ArrayLike, weights: ArrayLike, centre: float, half_width: ArrayLike, epsilon: float, rng: Rng
) -> float | Floats:
    r"""Estimate by clipped means plus Laplace noise, eq. (9).

    .. math:: \sum_i w_i [x_i]_{p - f_i}^{p + f_i} + \mathrm{Lap}\Big(\frac{\max_i 2 w_i f_i}{\epsilon}\Big)

    Parameters
    ----------
    x : array_like, shape (..., n)
        Means of the users, in [0, 1].
    weights : array_like, shape (n,)
        Weights :math:`w_i` in [0, 1].
    centre : float
        The p of the formula, in [0, 1].  The paper puts the unknown mean here, so the estimator is an ideal.
    half_width : array_like, shape (n,)
        Half the length :math:`f_i` of each interval, in [1e-50, 1e50], fixed without looking at `x`, as are the
        weights.
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray or float, shape (...)
        The estimates.  Each is epsilon-private for data sets that differ in everything one user has: the clipped sum
        moves by at most :math:`2 w_i f_i`.

    Examples
    --------
    >>> from hdp import user_level
    >>> float(user_level.truncated_estimate([0.4, 0.9], [0.5, 0.5], 0.5, [0.2, 0.2], 1e9, 1).round(6))
    0.55
    """
    w = _validate.vector("weights", weights, 0, 1)
    f = _validate.vector("half_width", half_width, _validate.SMALL, _validate.LARGE)
    x = _validate.number("x", x, 0, 1, secret=True)
    if not w.shape == f.shape == x.shape[-1:]:
        raise ValueError(f"x, weights and half_width must agree in n, got {x.shape}, {w.shape} and {f.shape}")
    centre = _validate.scalar("centre", centre, 0, 1)
    scale = 2 * np.max(w * f) / _validate.size("epsilon", epsilon)
    total = np.clip(x, centre - f, centre + f) @ w
    return total + _validate.generator(rng).laplace(0, scale, total.shape)


def budget(epsilon):
    """Return the budget of every user as a float in [1e-50, 1e50], or inf."""
    found = _validate.scalar("epsilon", epsilon, _validate.SMALL)
    return found if found == np.inf else _validate.size("epsilon", found)
