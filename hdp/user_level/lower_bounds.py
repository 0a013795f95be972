"""Cummings et al. (2022), Section 5.2: caps on the numbers of samples, and lower bounds.

The paper's bounds leave constants and logarithms open: every function computes the expression in its formula, exactly.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, clipping
from hdp.user_level.linear import LAPLACE, budget


def effective_cap(k: ArrayLike, epsilon: float) -> float:
    r"""Cap K on the numbers of samples at which the best weights saturate where :math:`\sigma_p = 0`.

    .. math:: \sum_i \Big(\sqrt{k_i / K} - 1\Big)_+ = \frac{2}{\epsilon^2}

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1e-50, 1e50]; with p and sigma_p, in [1, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.

    Returns
    -------
    float
        K in (0, max k); a user with more samples weighs like :math:`\sqrt{k_i K}` samples.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.effective_cap([9.0, 9.0, 1.0], 1.0), 12)
    2.25
    """
    root = np.sqrt(_samples(k))
    return float(clipping.level(1 / root, root, LAPLACE / _validate.size("epsilon", epsilon) ** 2) ** -2)


def sample_cap(k: ArrayLike, epsilon: float) -> float:
    r"""The paper's k*: the best number of samples to use of a user at most, where all used samples weigh the same.

    .. math:: k^* = \arg\min_k\ \frac{k/\epsilon^2 + \sum_i \min(k_i, k)}{\big(\sum_i \min(k_i, k)\big)^2}

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1e-50, 1e50]; with p and sigma_p, in [1, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.

    Returns
    -------
    float
        The smallest minimiser; it is one of the :math:`k_i` (page :doc:`/book/user-level/effective-cap`), so they are
        tried.

    Notes
    -----
    Section 5.2, with the variance :math:`1/\epsilon^2` of Laplace noise as printed; it is twice that.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.sample_cap([100.0] + [1.0] * 20, 1.0), user_level.sample_cap([100.0] + [1.0] * 20, 0.1)
    (100.0, 1.0)
    """
    k = np.sort(_samples(k))
    cap, first = np.unique(k, return_index=True)
    used = np.concatenate([[0.0], np.cumsum(k)])[first] + cap * (k.size - first)
    return float(cap[np.argmin((cap / budget(epsilon) ** 2 + used) / used**2)])


def corollary_5_5(k: ArrayLike, epsilon: float, sigma_p: float) -> float:
    r"""Expression of Corollary 5.5 as printed, with its minimum, and without constant and logarithms.

    .. math:: \min\Big\{\frac{k^*/\epsilon^2 + \sum_i \min(k_i, k^*)}
              {\big(\sum_i \min(k_i, \sqrt{k_i k^*})\big)^2},\ \frac{\sigma_p^2}{n}\Big\}

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1e-50, 1e50]; with p and sigma_p, in [1, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.
    sigma_p : float
        Standard deviation of the users' means, in [0, 1/2].

    Returns
    -------
    float
        The expression.  At `sigma_p` = 0 it is 0: use `lower_bound`.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.corollary_5_5([1.0] * 100, 1.0, 0.0)
    0.0
    """
    k, cap = _samples(k), sample_cap(k, epsilon)
    sigma_p = _validate.scalar("sigma_p", sigma_p, 0, 0.5)
    first = (cap / budget(epsilon) ** 2 + np.sum(np.minimum(k, cap))) / np.sum(np.minimum(k, np.sqrt(k * cap))) ** 2
    return float(min(first, sigma_p**2 / k.size))


def sample_variance(k: ArrayLike, epsilon: float, p: float, sigma_p: float) -> float:
    r"""Explicit formula in numbers of samples, within a factor of two of the least variance.

    .. math:: B = \frac{p(1-p)}{\sum_i \min(\tilde k_i, \sqrt{\tilde k_i K})}, \qquad
              \tilde k_i = \min\Big(k_i, \frac{p(1-p)}{\sigma_p^2}\Big)

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1e-50, 1e50]; with p and sigma_p, in [1, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.
    p : float
        Mean of the users' means, in (0, 1).
    sigma_p : float
        Their standard deviation, in [0, sqrt(p (1 - p))].

    Returns
    -------
    float
        B, with K the `effective_cap` of the numbers :math:`\tilde k_i`; the least variance of a noisy linear
        estimator lies in [B, 2B], and is B at `sigma_p` = 0.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.sample_variance([9.0, 9.0, 1.0], 1.0, 0.5, 0.0), 12)
    0.025
    """
    k, quarter, sigma_p = _model(k, p, sigma_p)
    capped = k if sigma_p**2 < 1e-100 else np.minimum(k, quarter / sigma_p**2)
    cap = effective_cap(capped, epsilon)
    return float(quarter / np.sum(np.minimum(capped, np.sqrt(capped * cap))))


def lower_bound(k: ArrayLike, epsilon: float, p: float, sigma_p: float) -> float:
    r"""Lower bound on the variance of every noisy linear estimator: Corollary 5.5 with a maximum.

    .. math:: \max\Big\{\frac{p(1-p)}{\sum_i \min(k_i, \sqrt{k_i K})},\
              \frac{\sigma_p^2}{n}\Big(1 + \frac{2}{n\epsilon^2}\Big)\Big\}

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1e-50, 1e50]; with p and sigma_p, in [1, 1e50].
    epsilon : float
        Budget of every user, in [1e-50, 1e50]; `noisy_linear_variance`, `sample_cap` and `corollary_5_5` take inf, too.
    p : float
        Mean of the users' means, in (0, 1).
    sigma_p : float
        Their standard deviation, in [0, sqrt(p (1 - p))].

    Returns
    -------
    float
        The bound; an equality at `sigma_p` = 0, and where the :math:`p_i` are 0 or 1.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.lower_bound([1.0] * 100, 1.0, 0.5, 0.0), 12)
    0.00255
    """
    k, _, sigma_p = _model(k, p, sigma_p)
    between = sigma_p**2 / k.size * (1 + LAPLACE / (k.size * _validate.size("epsilon", epsilon) ** 2))
    return max(sample_variance(k, epsilon, p, 0.0), between)


def _samples(k):
    return _validate.vector("k", k, _validate.SMALL, _validate.LARGE)


def _model(k, p, sigma_p):
    """Return the checked numbers of samples, p (1 - p) and sigma_p."""
    k = _validate.vector("k", k, 1, _validate.LARGE)
    p, sigma_p = _validate.mean_and_deviation(p, sigma_p, open_low=True, open_high=True)
    return k, p * (1 - p), sigma_p
