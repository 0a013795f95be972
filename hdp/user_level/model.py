r"""Users with several samples each: variance of a user's mean, ideal weights, and the usual baselines.

User i draws :math:`p_i` from a distribution D on [0, 1] with mean p and variance :math:`\sigma_p^2`, and then
:math:`k_i` samples that are Bernoulli(:math:`p_i`); her estimate :math:`\hat p_i` is their mean.  The :math:`k_i` are
public, and independent of the :math:`p_i`.  Page `user-level/model` derives the variance, `user-level/non-private` the
weights.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.clipping import _normalise

BETA = 0.05  # probability of failure, where none is asked for
BASELINES = ("ideal", "uniform", "proportional", "median")


def sample_mean_variance(p: float, sigma_p: float, k: ArrayLike) -> float | Floats:
    r"""Variance of a user's mean, :math:`\sigma_i^2 = p(1-p)/k + (1 - 1/k)\sigma_p^2`.

    Lemma 2.1 and eq. (2) of Cummings et al. (2022).

    Parameters
    ----------
    p, sigma_p : float
        Mean of D, in [0, 1], and its standard deviation, in [0, sqrt(p(1-p))]: none on [0, 1] has more.
    k : array_like
        Numbers of samples, in [1, inf]; whole for data, but the formula holds for any.

    Returns
    -------
    numpy.ndarray or float
        Of the shape of `k`.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.sample_mean_variance(0.5, 0.1, [1, 24, float("inf")]).round(6)
    array([0.25, 0.02, 0.01])
    """
    bernoulli, between = _moments(p, sigma_p)
    return _plain(variance_of_mean(bernoulli, between, _validate.number("k", k, 1)))


def variance_of_mean(bernoulli, between, k):
    """The same for arguments that are as they must be: the variance of one sample, and of the users' own means."""
    return (bernoulli - between) / k + between


def ideal_weights(k: ArrayLike, p: float, sigma_p: float) -> Floats:
    r"""Weights :math:`w_i^* \propto 1/\sigma_i^2` of the unbiased linear estimate of least variance, eqs. (1) and (2).

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples of the users, in [1, inf].
    p, sigma_p : float
        Mean of D, in [0, 1], and its standard deviation, in [0, sqrt(p(1-p))]: none on [0, 1] has more.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Weights, which sum to 1; users without variance, if there are any, share everything equally.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.ideal_weights([8, 1, 1], p=0.5, sigma_p=0).round(3)
    array([0.8, 0.1, 0.1])
    >>> user_level.ideal_weights([8, 1, 1], p=0.5, sigma_p=0.5).round(3)
    array([0.333, 0.333, 0.333])
    """
    k = _validate.vector("k", k, 1)
    with np.errstate(divide="ignore", over="ignore"):
        return _normalise(1 / sample_mean_variance(p, sigma_p, k))


def variance_of(weights: ArrayLike, k: ArrayLike, p: float, sigma_p: float) -> float:
    r"""Variance :math:`\sum_i w_i^2\sigma_i^2` of the weighted mean of the users' means.

    Parameters
    ----------
    weights : array_like, shape (n,)
        Weights in [-1e50, 1e50], which sum to 1, so that this is the mean squared error.
    k : array_like, shape (n,)
        Numbers of samples of the users, in [1, inf].
    p, sigma_p : float
        Mean of D, in [0, 1], and its standard deviation, in [0, sqrt(p(1-p))]: none on [0, 1] has more.

    Returns
    -------
    float
        In [0, 1/4] if no weight is negative.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.variance_of([0.8, 0.1, 0.1], [8, 1, 1], 0.5, 0), 6)
    0.025
    """
    w, k = _validate.unbiased("weights", weights), _validate.vector("k", k, 1)
    _validate.alike(weights=w, k=k)
    return float(np.sum(w**2 * sample_mean_variance(p, sigma_p, k)))


def median_reduction(k: ArrayLike) -> tuple[NDArray[np.bool_], float]:
    r"""Keep users with at least the median number of samples, and that many samples of each.

    The reduction to equal numbers in the works that section 1.1 of Cummings et al. (2022) compares with.

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples of the users, in [1, inf].

    Returns
    -------
    kept : numpy.ndarray of bool, shape (n,)
        Who takes part.
    samples : float
        Number of samples of each: the (n+1)/2-th largest k, rounded down, so that at least half of the users have it.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.median_reduction([9, 4, 2, 1])
    (array([ True,  True, False, False]), 4.0)
    """
    k = _validate.vector("k", k, 1)
    samples = float(np.sort(k)[::-1][(k.size - 1) // 2])
    return k >= samples, samples


def baseline_variance(name: str, k: ArrayLike, p: float, sigma_p: float) -> float:
    r"""Exact mean squared error of a non-private estimate of p.

    Parameters
    ----------
    name : {"ideal", "uniform", "proportional", "median"}
        Weights :math:`1/\sigma_i^2`, equal weights, weights :math:`k_i` (the mean of all samples), `median_reduction`.
    k : array_like, shape (n,)
        Numbers of samples, in [1, 1e50]: nobody can average infinitely many.
    p, sigma_p : float
        Mean of D, in [0, 1], and its standard deviation, in [0, sqrt(p(1-p))]: none on [0, 1] has more.

    Returns
    -------
    float
        In [0, 1/4].

    Examples
    --------
    >>> from hdp import user_level
    >>> [round(user_level.baseline_variance(b, [8, 1, 1], 0.5, 0.1), 4) for b in user_level.BASELINES]
    [0.0303, 0.06, 0.0306, 0.0833]
    """
    _validate.choice("name", name, BASELINES)
    k = _validate.vector("k", k, 1, _validate.LARGE)
    if name == "median":
        kept, samples = median_reduction(k)
        return float(sample_mean_variance(p, sigma_p, samples) / np.count_nonzero(kept))
    proportions = {"ideal": ideal_weights(k, p, sigma_p), "uniform": np.ones(k.size), "proportional": k.copy()}[name]
    return variance_of(_normalise(proportions), k, p, sigma_p)


def checked_prior(prior):
    """Return what is known beforehand, a mean in (0, 1) and a standard deviation, as floats, or raise ValueError."""
    pair = _validate.number("prior", prior)
    if pair.shape != (2,):
        raise ValueError(f"prior must be a pair, mean and standard deviation, got {_validate.show(prior)}")
    names = "the mean of prior", "the standard deviation of prior"
    return _validate.mean_and_deviation(*pair, names, open_low=True, open_high=True)


def _moments(p, sigma_p):
    """Variance of one sample and variance of the users' own means."""
    p, sigma_p = _validate.mean_and_deviation(p, sigma_p)
    bernoulli = p * (1 - p)
    return bernoulli, min(sigma_p**2, bernoulli)
