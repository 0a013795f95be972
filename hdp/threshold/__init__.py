r"""One threshold instead of a budget for each user (Cyffers & Ziani, 2026).

User i holds one value in an interval of width 1 and demands that the output be :math:`\epsilon_i`-private when only
her value changes; n and the budgets are public.  The unique-threshold estimator drops everybody whose budget is below
a threshold :math:`\tau` and averages the others with noise for the budget :math:`\tau`.  The formulas of the paper are
lost in the text as we have it; page :doc:`/book/threshold/one-threshold` derives them again.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp._types import Floats, Rng
from hdp.affine import Affine, with_one_noise
from hdp.threshold.few_levels import Levels, best_levels
from hdp.threshold.worst_case import (
    harmonic_bound,
    saturating_budgets,
    worst_case_budgets,
    worst_case_ratio,
    worst_case_sizes,
)

__all__ = [
    "Levels", "affine_mse", "best_levels", "best_threshold", "estimate", "estimator", "harmonic_bound",
    "saturating_budgets", "threshold_mse", "weights", "worst_case_budgets", "worst_case_ratio", "worst_case_sizes",
]  # fmt: skip


_LEAST = 1e-300
BLOCK = 1024  # users among whom the search for the best threshold does not look unless it must


def weights(epsilon: ArrayLike, tau: float) -> Floats:
    r"""Weights of the threshold mechanism: equal for all users with :math:`\epsilon_i \ge \tau`, else 0 (Definition 6).

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    tau : float
        Threshold in (0, max(epsilon)].

    Returns
    -------
    numpy.ndarray, shape (n,)
        Weights, which sum to 1.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.weights([0.1, 1.0, 2.0], 1.0)
    array([0. , 0.5, 0.5])
    """
    return _weights(*_arguments(epsilon, tau))


def threshold_mse(epsilon: ArrayLike, tau: float | None = None) -> float:
    r"""Worst-case error of the threshold mechanism, at its best or at a given threshold (eq. 3).

    .. math:: R_{\mathrm{thr}}(\tau) = \frac{1}{4 n_\tau} + \frac{2}{(n_\tau\tau)^2},
              \qquad n_\tau = \#\{i : \epsilon_i \ge \tau\}

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    tau : float, optional
        Threshold in (0, max(epsilon)]; without it the best one, which depends on the public budgets only.

    Returns
    -------
    float
        Squared error over all distributions on the interval, in (0, inf]; there is no cap by the trivial answer.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.threshold_mse([1.0, 2.0, 2.0], 2.0)
    0.25
    >>> threshold.threshold_mse([1.0, 2.0, 2.0, float("inf")])
    0.1388888888888889
    """
    if tau is None:
        tau, count = _best(_validate.budgets(epsilon))
    else:
        eps, tau = _arguments(epsilon, tau)
        count = np.count_nonzero(eps >= tau)
    return float(_risk(np.float64(count), tau))


def best_threshold(epsilon: ArrayLike) -> float:
    r"""Threshold with the least worst-case error; it is one of the budgets.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    float
        The threshold, in (0, inf]; of several best ones the smallest, which protects its users most.
        Costs one sort and a few passes.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.best_threshold([0.01, 1.0, 1.0, 2.0])
    1.0
    """
    return _best(_validate.budgets(epsilon))[0]


def affine_mse(epsilon: ArrayLike, tau: float | None = None) -> float:
    r"""Worst-case error of the affine estimator with budgets clipped at a level, at its best or at a given one (eq. 2).

    .. math:: R_{\mathrm{aff}}(\tau) = \frac{\sum_i \min(\epsilon_i,\tau)^2}{4 S^2} + \frac{2}{S^2},
              \qquad S = \sum_i \min(\epsilon_i,\tau)

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    tau : float, optional
        Clipping level in (0, inf); without it a best one, `hdp.adpm.clipping_level`.  That one alone is best if some
        budget exceeds it; if none does, so is every level from the largest budget on, with the same weights.

    Returns
    -------
    float
        Squared error in (0, inf]; unlike `hdp.adpm.worst_case_mse` without the cap of 1/4.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.affine_mse([1.0, 1.0], 1.0)
    0.625
    >>> threshold.affine_mse([1.0, 4.0, float("inf")])
    0.125
    """
    if tau is None:
        return adpm._affine_mse(epsilon)
    eps = _validate.budgets(epsilon)
    clipped = np.minimum(eps, _validate.scalar("tau", tau, 0, np.inf, open_low=True, open_high=True))
    with np.errstate(over="ignore", under="ignore"):
        shares, total = clipped / clipped.max(), clipped.sum()  # which may be no float, and the noise is none
        return Affine(shares / shares.sum(), np.array([1 / total])).mean_squared_error(0.25, 0.0)


def estimator(epsilon: ArrayLike, tau: float | None = None) -> Affine:
    """Make the unique-threshold estimator, an `hdp.estimator.Estimator`: every user who is kept loses tau.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    tau : float, optional
        Threshold in (0, max(epsilon)]; without it the best one, which depends on the public budgets only.

    Returns
    -------
    Estimator
        For data in [-1/2, 1/2], ``.around(1/2)`` for data in [0, 1]; with `weights` and noise `scales`.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the noise would be no float.

    Examples
    --------
    >>> from hdp import threshold
    >>> made = threshold.estimator([0.1, 1.0, 2.0, 2.0], 2.0)
    >>> made.error(), made.privacy_loss()
    (0.25, array([0., 0., 2., 2.]))
    """
    if tau is None:
        eps = _validate.budgets(epsilon)
        tau = _best(eps)[0]
    else:
        eps, tau = _arguments(epsilon, tau)
    if tau < _LEAST:
        raise ValueError(f"epsilon or tau must let the noise be a float, got a threshold of {tau!r}")
    return with_one_noise(_weights(eps, tau), np.full(eps.size, tau))


def estimate(x: ArrayLike, epsilon: ArrayLike, rng: Rng, tau: float | None = None) -> float | Floats:
    """Run the unique-threshold estimator on each data set; every user who is kept loses tau, everybody else nothing.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Data in [-1/2, 1/2]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.
    tau : float, optional
        Threshold in (0, max(epsilon)]; without it the best one, which depends on the public budgets only.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One estimate for each data set.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the noise would be no float.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.estimate([0.5, -0.5, 0.5], [float("inf"), 0.0, float("inf")], 1)
    0.5
    """
    return estimator(epsilon, tau).estimate(x, rng)


def _weights(eps, tau):
    kept = eps >= tau
    return kept / np.count_nonzero(kept)


def _arguments(epsilon, tau):
    eps = _validate.budgets(epsilon)
    tau = _validate.scalar("tau", tau, 0, open_low=True)
    if tau > eps.max():
        raise ValueError(f"tau must lie in (0, max(epsilon)] = (0, {eps.max():g}], got {tau!r}")
    return eps, tau


def _risk(count, tau):
    """Eq. (3); inf where it overflows."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return 0.25 / count + 2 / np.square(count * tau)


def _best(eps):
    """The best threshold and how many users it keeps."""
    increasing = np.sort(eps)
    # Among equal budgets the first has the right count, and the others count too few, so they are never better.
    # Within a block no risk is below that of its largest count with its largest budget; few blocks survive that.
    first = np.arange(0, eps.size, BLOCK)
    last = np.minimum(first + BLOCK, eps.size) - 1
    counts = eps.size - first.astype(float)
    known = _risk(counts, increasing[first]).min()
    rows = np.flatnonzero(_risk(counts, increasing[last]) <= known)
    index = (first[rows, None] + np.arange(BLOCK)).ravel()
    index = index[index < eps.size]
    count, tau = eps.size - index.astype(float), increasing[index]
    risk = _risk(count, tau)
    best = np.argmin(risk)
    if np.isinf(risk[best]):  # budgets so small that the errors overflow: noise alone decides
        best = np.argmax(count * tau)
    return float(tau[best]), int(count[best])
