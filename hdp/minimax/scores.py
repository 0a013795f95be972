r"""A lower bound from scores: how fast the law of the data changes with the mean, and what privacy lets through of it.

A coin's mean moves over :math:`[-\delta/2, \delta/2]`.  The score of a user is the derivative of the logarithm of the
probability of her toss; an estimator that follows the mean must be correlated with the sum of the scores.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate

NORMAL = np.sqrt(2 / np.pi)  # mean absolute value of a standard normal variable
BIASES = np.append(np.geomspace(1e-3, 0.7, 12), [0.9, 0.999])  # where the search for delta begins
LEVELS = np.geomspace(NORMAL, 1 / NORMAL, 9)  # |w| over its value without the normal limit: the best one lies between


def van_trees(epsilon: ArrayLike) -> float:
    r"""Lower bound on the minimax error from the scores of a coin whose mean moves; best where the error is small.

    .. math::
        L \ge \Big(\sqrt{s^2 + 2s\min\{y,\ y\sqrt{2/\pi} + r\} + y^2} + \tfrac2\delta\Big)^{-2}, \qquad
        s = \sum_i (1-u_i)\,c_i, \quad c_i = \frac{2t_i}{\sqrt{1-\delta t_i}}, \quad
        y^2 = 4\,\frac{\operatorname{artanh}\delta}\delta \sum_i u_i^2

    for all :math:`u_i \in [0, 1]` and :math:`\delta \in (0, 1)`, where :math:`t_i = \tanh(\epsilon_i/2)`, and

    .. math::
        S\Big(S + \tfrac2\delta\Big)\frac L2 + \tfrac2\delta\sqrt L \ge 1, \qquad S = \sum_i \frac{2t_i}{1-\delta t_i} .

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    float
        In (0, 1/4], the larger one of the two; never above the minimax error.

    Notes
    -----
    Of user i's score the share :math:`1 - u_i` is limited by her privacy, as a mean given the output, and the rest by
    its variance; :math:`u_i = \min\{1, c_i/T\}` is optimal for some T.  By r the mean absolute value of the latter may
    exceed that of the normal limit; it is the third moment over the second (Goldstein, 2010, with his constant 1).
    The second inequality weighs the error by its sign and by its size: where privacy is nearly all that counts, it
    proves that Laplace noise is optimal.

    The search takes O(n log n) operations for one sort and O(n) for each of about 40 values of :math:`\delta`.  Every
    :math:`\delta` and T give a valid bound, so an inexact maximum could not invalidate it.

    Examples
    --------
    >>> from hdp import ADPM, minimax
    >>> budgets = [1e-3] * 1_000_000
    >>> round(ADPM(budgets).mse() / minimax.van_trees(budgets), 2)
    1.13
    """
    with np.errstate(under="ignore"):
        influence, users = np.unique(np.tanh(_validate.budgets(epsilon) / 2), return_counts=True)

        def bound(delta):
            return max(_split(delta, influence, users), _signs(delta, influence, users))

        found = [bound(delta) for delta in BIASES]
        best = int(np.argmax(found))
        ends = BIASES[max(best - 1, 0)], BIASES[min(best + 1, BIASES.size - 1)]
        inner = scipy.optimize.minimize_scalar(lambda delta: -bound(delta), bounds=ends, method="bounded")
    return float(max(found[best], -inner.fun, _signs(1.0, influence, users)))


def _split(delta, influence, users):
    """The first bound, best over a few T, for the distinct t_i in ascending order and the numbers of their users."""
    cost = 2 * influence / np.sqrt(1 - delta * influence)
    average = np.arctanh(delta) / delta  # of 1/(1 - 4 mu^2)
    totals = [np.append(0.0, np.cumsum(users * cost**power)) for power in (0, 1, 2, 3)]
    above = totals[0][-1] - totals[0]  # users who are not among the first k
    size = 4 * average * LEVELS**2  # sum of min(c_i, T)^2
    k = np.searchsorted(totals[2][:-1] + cost**2 * above[:-1], size)
    inside = k < cost.size
    k = np.append(k[inside], cost.size)  # and T infinite: everybody's privacy counts
    _, first, second, third = (total[k] for total in totals)
    level = np.append(np.sqrt((size[inside] - second[:-1]) / above[k[:-1]]), np.inf)
    squares, cubes = second / level**2 + above[k], third / level**3 + above[k]  # sums of u_i^2, u_i^3
    private, public = first - second / level, 2 * np.sqrt(average * squares)
    excess = np.sqrt(2 / (1 - delta**2) - 2 * average + 1)
    rest = 2 * excess * np.divide(cubes, squares, out=np.zeros_like(cubes), where=squares > 0)
    product = private * np.minimum(public, NORMAL * public + rest)
    return np.max(1 / (np.sqrt(private**2 + 2 * product + public**2) + 2 / delta) ** 2)


def _signs(delta, influence, users):
    """The second bound: the positive root of a quadratic equation in the root of the error, squared."""
    if delta * influence[-1] >= 1:
        return 0.0  # the sum is infinite
    total, end = np.sum(users * 2 * influence / (1 - delta * influence)), 2 / delta
    return (2 / (end + np.sqrt(end**2 + 2 * total * (total + end)))) ** 2
