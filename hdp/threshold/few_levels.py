r"""The best few levels: affine estimators with at most j different positive weights.

With weights of j different sizes nobody is told more than one of j levels, and who allows less than the lowest is left
out; one level is the threshold of the paper, and as many levels as budgets are the best weights.
Page :doc:`/book/threshold/few-levels` shows how many are enough.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate, adpm
from hdp._types import Floats
from hdp.affine import Affine
from hdp.threshold import staircase

_STRICT = 1e-50  # where all budgets are below this, only their ratios matter


@dataclass(frozen=True, eq=False)
class Levels:
    r"""The best levels, and what follows from them for every user.

    Parameters
    ----------
    levels : numpy.ndarray, shape (m,)
        The levels, falling, in (0, inf]; at most as many as were asked for.
    users : numpy.ndarray of int, shape (m,)
        How many users are used at each.
    effective_epsilon : numpy.ndarray, shape (n,)
        What each user loses: the largest level that is not above her budget, or 0.
    weights : numpy.ndarray, shape (n,)
        Weights proportional to these losses, with the sum 1.
    mse : float
        Worst-case squared error in (0, inf], without the cap of 1/4.
    ratio : float
        The same over `hdp.threshold.affine_mse`, the error of the best weights: at least 1.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.best_levels([0.1, 1.0, 2.0], 1).users
    array([2])
    """

    levels: Floats
    users: NDArray[np.intp]
    effective_epsilon: Floats
    weights: Floats
    mse: float
    ratio: float


def best_levels(epsilon: ArrayLike, j: int) -> Levels:
    r"""Levels with the least worst-case error of all choices of at most j.

    .. math:: R_j = \min_{x_1 > \dots > x_j > 0}\ \frac{\sum_i e_i^2}{4 S^2} + \frac{2}{S^2}, \qquad
              e_i = \max\{x_l \le \epsilon_i\}\ \text{or}\ 0, \quad S = \sum_i e_i

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    j : int
        Most levels that there may be, at least 1.  One is `hdp.threshold.Threshold`; all the different budgets are
        `hdp.threshold.affine_mse` at its best.

    Returns
    -------
    Levels
        Levels, losses, weights and error.  Of all levels but the first each is a budget.
        The error is the least one but for a relative error of 1e-13.
        For :math:`10^5` different budgets it takes a few seconds up to j = 8.

    Notes
    -----
    For a given noise the sum over the users separates, and levels are found one after the other, each from the concave
    hull of what the ones above it reach, in O(n j) operations after sorting.  The noise is found by a search that
    rules out whole intervals by a bound.

    Examples
    --------
    >>> from hdp import threshold
    >>> found = threshold.best_levels([0.01, 0.1, 0.1, 1.0, 3.0, 3.0, 9.0], 2)
    >>> found.levels, found.users, round(found.ratio, 4)
    (array([3., 1.]), array([3, 1]), 1.0526)
    >>> found.effective_epsilon
    array([0., 0., 0., 1., 3., 3., 3.])
    """
    eps = _validate.budgets(epsilon)
    j = _validate.whole("j", j, 1)
    usable = np.minimum(eps[eps > 0], _validate.FREE)
    unit = 1.0 if usable.max() > _STRICT else float(usable.max())
    budgets, numbers = np.unique(usable, return_counts=True)
    noise = 8.0 if unit == 1 else 8 / _STRICT**2
    curve = staircase.Curve(budgets[::-1] / unit, np.cumsum(numbers[::-1]).astype(float), noise)
    with np.errstate(under="ignore"):
        found = staircase.best(curve, min(j, budgets.size))
    levels = budgets[::-1][list(found.rows)]
    if found.users:
        levels = np.append(found.top * unit, levels)
    return _served(eps, np.unique(levels))


def _served(eps, levels):
    """Every user at the largest of the rising levels that is not above her budget."""
    place = np.searchsorted(levels, eps, side="right")
    effective = np.append(0.0, levels)[place]
    with np.errstate(over="ignore", under="ignore"):
        weights = effective / effective.max()
        total = weights.sum()
        weights /= total
        mse = Affine(weights, np.array([1 / effective.max() / total])).mean_squared_error(0.25, 0.0)
    if levels[-1] >= _validate.FREE:  # whoever has so much is told apart from a public user nowhere else
        least = eps[place == levels.size].min()
        effective[place == levels.size] = levels[-1] = least
    best = adpm.ADPM(eps).affine_mse
    ratio = max(mse / best, 1.0) if np.isfinite(mse) and best > 0 else 1.0
    users = np.bincount(place, minlength=levels.size + 1)[1:]
    return Levels(levels[::-1].copy(), users[::-1].copy(), effective, weights, mse, ratio)
