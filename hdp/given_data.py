r"""The mean of data that nobody has drawn: the best weights for the worst data (setting of Chaudhuri & Courtade, 2024).

The values are given numbers in [-1/2, 1/2], and what is asked for is their average :math:`\bar x`, not the mean of a
distribution.  The estimator is that of `hdp.adpm`, :math:`\langle w, x\rangle` plus Laplace noise of scale
:math:`\max_i w_i/\epsilon_i`; neighbouring data sets differ in the value of one user, n and the budgets are public.
Its error, at the worst data, is :math:`\tfrac14(\sum_i|w_i - \tfrac1n|)^2 + 2\max_i(w_i/\epsilon_i)^2`.
Page :doc:`/book/heterogeneous-budgets/given-data` derives it, and the weights for which it is least.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, Rng
from hdp.affine import Affine, with_one_noise

__all__ = ["clipping_level", "effective_epsilon", "estimate", "estimator", "weights", "worst_case_mse"]


def clipping_level(epsilon: ArrayLike) -> float:
    r"""Budget :math:`\tau` above which nobody's data is used any more loosely.

    The largest with :math:`\big(\sum_{\epsilon_i<\tau}\epsilon_i\big)\sum_i(\tau-\epsilon_i)_+ \le 8`; found from the
    averages :math:`\bar\epsilon_k` of the k smallest budgets:

    .. math:: \tau = \min_k \max\Big\{\bar\epsilon_k + \frac8{k^2\,\bar\epsilon_k},\ \epsilon_{(k)}\Big\}

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    float
        The level, in (0, inf], in O(n log n) operations; inf when every usable value is public.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> given_data.clipping_level([1.0, 4.0, float("inf")])
    4.0
    """
    return _level(_validate.budgets(epsilon))


def weights(epsilon: ArrayLike) -> Floats:
    r"""Best weights, :math:`\min(\epsilon_i, \tau)/(n\tau)`: as in the plain average, but for users below the level.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Weights in [0, 1/n]; they sum to less than 1 where anybody is below the level.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> given_data.weights([1.0, 4.0, float("inf")]).round(4)
    array([0.0833, 0.3333, 0.3333])
    """
    return estimator(epsilon).weights


def effective_epsilon(epsilon: ArrayLike) -> Floats:
    r"""Privacy loss :math:`\min(\epsilon_i, \tau)` that the release causes each user, at most what she allowed.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Loss in nats.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> given_data.effective_epsilon([1.0, 4.0, float("inf")])
    array([1., 4., 4.])
    """
    eps = _validate.budgets(epsilon)
    return np.minimum(eps, _level(eps))


def worst_case_mse(epsilon: ArrayLike) -> float:
    r"""Error with the best weights at the worst data, :math:`\tfrac14(1 - \sum_i w_i)^2 + 2/(n\tau)^2`.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    float
        Squared distance from the average of the data, in expectation over the noise, in [0, 1/4]; 0 if all is public.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> round(given_data.worst_case_mse([1.0]), 6)
    0.222222
    """
    made = estimator(epsilon)
    w, scale = made.weights, float(made.scales[0])
    with np.errstate(under="ignore"):
        return float(np.sum(1 / w.size - w) ** 2 / 4 + 2 * scale**2)


def estimator(epsilon: ArrayLike) -> Affine:
    """Make the estimator with the best weights, an `hdp.estimator.Estimator`.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    Estimator
        For data in [-1/2, 1/2], ``.around(1/2)`` for data in [0, 1]; with `weights` and noise `scales`.  Its `error`
        is against the common mean of values that are drawn; against the average of given ones it is `worst_case_mse`.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> made = given_data.estimator([1.0, 4.0, float("inf")])
    >>> made.weights.round(4), made.privacy_loss()
    (array([0.0833, 0.3333, 0.3333]), array([1., 4., 4.]))
    """
    eps = _validate.budgets(epsilon)
    tau = _level(eps)
    with np.errstate(under="ignore"):
        w = np.divide(eps, tau, out=np.ones(eps.size), where=eps < tau) / eps.size
    return with_one_noise(w, eps)  # 1/(n tau), and more where a weight is too small to have all its digits


def estimate(x: ArrayLike, epsilon: ArrayLike, rng: Rng) -> float | Floats:
    """Draw the weighted sum with its noise for each data set.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Data in [-1/2, 1/2]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One estimate for each data set, not clamped to [-1/2, 1/2].

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import given_data
    >>> given_data.estimate([0.5, -0.25], [float("inf"), float("inf")], 1)
    0.125
    """
    return estimator(epsilon).estimate(x, rng)


def _level(eps):
    finite = np.sort(eps[np.isfinite(eps)])
    k = np.arange(1, finite.size + 1)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        total = np.cumsum(finite)
        return float(np.maximum(total / k + 8 / total / k, finite).min(initial=np.inf))
