r"""Lower bounds from two coins that are hard to tell apart: Theorem 2, and its argument at its best for any budgets.

The coins lie on the ends of the interval and have means :math:`\pm\delta/2`; what the output of a private mechanism
cannot tell apart, no estimator can estimate.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp._types import Floats, _plain

FACTOR_A, FACTOR_B = 1560.0, 1048.0  # of Theorem 2: eqs. (50) and (45)


def lower_bound(epsilon_1: ArrayLike, epsilon_2: ArrayLike, n: ArrayLike, f: ArrayLike) -> float | Floats:
    r"""Lower bound of Theorem 2 for two groups, both cases, with the paper's constants.

    .. math::
        r \le R:\ \frac1{1560}\min\Big\{\frac{fR+(1-f)r^2}{4n[f+(1-f)r]^2}, \frac14\Big\}, \qquad
        r \ge R:\ \frac1{1048}\min\Big\{\frac{R}{4n[f+(1-f)R]}, \frac14\Big\}

    Parameters
    ----------
    epsilon_1 : array_like
        Budget of group 1, the stricter one, in [0, inf].
    epsilon_2 : array_like
        Budget of group 2, in [`epsilon_1`, inf].
    n : array_like
        Number of users, in [1, inf).
    f : array_like
        Fraction of users in group 1, in [0, 1]; a set of users only where `n * f` is whole.

    Returns
    -------
    float or numpy.ndarray
        In (0, 1/4192], broadcast over the arguments; never above the minimax error.  At r = R, where both cases
        hold, the larger value, that of case (B).

    Notes
    -----
    Equations (45) and (50) of the full version.  They are the bound of Theorem 1, `hdp.adpm.two_group_bound`,
    divided by a constant: that the two bounds match is the theorem.

    Examples
    --------
    >>> from hdp import adpm
    >>> from hdp import minimax
    >>> bound = minimax.lower_bound(0.1, 1.0, 1000, 0.7)
    >>> round(adpm.two_group_bound(0.1, 1.0, 1000, 0.7) / bound)
    1048
    """
    upper = adpm.two_group_bound(epsilon_1, epsilon_2, n, f)  # which checks the arguments
    eps_1, eps_2, n, f = (np.asarray(value, dtype=float) for value in (epsilon_1, epsilon_2, n, f))
    finite_ratio = (f > 0) & (eps_1 > 0)  # otherwise R is infinite, and the case is (A)
    return _plain(upper / np.where(adpm.saturated(eps_1, eps_2, n, f) & finite_ratio, FACTOR_B, FACTOR_A))


def coin_distance(m: ArrayLike, delta: ArrayLike) -> float | Floats:
    r"""Total variation distance between m tosses of two coins with biases :math:`\pm\delta`.

    .. math::
        T_m(\delta) = \|P_1^m - P_2^m\|_{TV} = I_{\delta^2}\big(\tfrac12, \lceil m/2\rceil\big), \qquad
        P_{1,2}\{\text{head}\} = \frac{1\pm\delta}2

    Parameters
    ----------
    m : array_like
        Number of tosses, whole, in [0, inf).
    delta : array_like
        Bias, in [0, 1].

    Returns
    -------
    float or numpy.ndarray
        In [0, 1], broadcast over the arguments; 0 for m = 0.

    Notes
    -----
    I is the regularised incomplete beta function.  The number of heads is sufficient, and the best test is the
    majority; an even toss does not help it, so :math:`T_{2j} = T_{2j-1}`.

    Examples
    --------
    >>> from hdp import minimax
    >>> minimax.coin_distance([0, 1, 2, 3], 0.5)
    array([0.    , 0.5   , 0.5   , 0.6875])
    """
    m = _validate.number("m", m, 0, np.inf, open_high=True)
    if np.any(m != np.floor(m)):
        raise ValueError(f"m must be whole, got {float(m[m != np.floor(m)].flat[0])!r}")
    delta = _validate.number("delta", delta, 0, 1)
    _validate.same_shapes(m=m, delta=delta)
    return _plain(_majority(np.ceil(m / 2), delta))


def le_cam(epsilon: ArrayLike) -> float:
    r"""The best lower bound on the minimax error that the argument of Theorem 2 gives, for any budgets.

    .. math::
        \max_{0\le k\le n}\ \max_{0\le\delta\le1}\ \frac{\delta^2}4\Big(1 - \delta\sum_{i\le k}\tanh\frac{\epsilon_i}2
        - T_{n-k}(\delta)\Big), \qquad \epsilon_1 \le \dots \le \epsilon_n

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    float
        In (0, 1/4]; never above the minimax error, so never above `hdp.adpm.ADPM.mse`.

    Notes
    -----
    Each line of the paper's argument, (28), (16), (51), (52) and (30) to (36), with the best constant that it allows:
    page :doc:`/book/heterogeneous-budgets/two-coins` says which.  Every k and delta give a valid bound, so an inexact
    maximum could not invalidate it.

    Examples
    --------
    >>> from hdp import ADPM
    >>> from hdp import minimax
    >>> budgets = [0.1] * 700 + [1.0] * 300
    >>> round(ADPM(budgets).mse() / minimax.le_cam(budgets), 2)
    4.82
    """
    return two_coins(epsilon).bound


@dataclass(frozen=True)
class TwoCoins:
    """The hardest pair of coins of the argument: `bound` is what they prove.

    Parameters
    ----------
    bound : float
        Lower bound on the minimax error, in (0, 1/4].
    delta : float
        Bias of the coins, in (0, 1]; their means are +delta/2 and -delta/2.
    k : int
        Number of users, those with the smallest budgets, whose influence is limited by privacy; the influence of
        the other n - k is limited by their number.

    Examples
    --------
    >>> from hdp import minimax
    >>> minimax.two_coins([0.001] * 700 + [1.0] * 300).k
    700
    """

    bound: float
    delta: float
    k: int


def two_coins(epsilon: ArrayLike) -> TwoCoins:
    """Bias and number of private users that attain `le_cam`.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    TwoCoins
        The maximum and where it is attained; O(n log n) operations but for the special functions, of which there
        are about n for n distinct budgets and a few for a few distinct ones.

    Notes
    -----
    For fixed k the bound is a log-concave function of delta, so it has one maximum, found by Newton's method inside
    a bracket.  Within a run of ties the bound is convex in even n - k, and an odd number of tosses is as good as the
    next even one: only even n - k at the ends of runs (and k = 0) can be best.  Of these, whole blocks are discarded
    by a bound.

    Examples
    --------
    >>> from hdp import minimax
    >>> minimax.two_coins([0.001] * 700 + [1.0] * 300).k
    700
    """
    with np.errstate(under="ignore"):
        cost = np.sort(np.tanh(_validate.budgets(epsilon) / 2))
    n = cost.size
    total = np.append(0.0, np.cumsum(cost, dtype=np.longdouble).astype(float))
    k = np.arange(n % 2, n + 1, 2)
    inside = np.minimum(k + 1, n - 1)
    tied = (k >= 2) & (k <= n - 2) & (cost[k - 2] == cost[inside])
    k = np.append(0, k[~tied]) if n % 2 else k[~tied]
    blocks = np.array_split(np.arange(k.size), int(np.ceil(np.sqrt(k.size))))
    first, last = (k[[block[i] for block in blocks]] for i in (0, -1))
    ceiling, _ = _best_bias(total[first], n - last)  # at least the bound of every k in the block
    floor = _best_bias(total[first], n - first)[0].max()
    k = np.concatenate([k[b] for b, c in zip(blocks, ceiling, strict=True) if c >= floor * (1 - 1e-12)])
    bound, delta = _best_bias(total[k], n - k)
    best = int(bound.argmax())
    return TwoCoins(float(bound[best]), float(delta[best]), int(k[best]))


def _majority(j, delta):
    """T_m for m = 2j - 1 and 2j tosses; 0 for j = 0."""
    return np.where(j > 0, scipy.special.betainc(0.5, np.maximum(j, 1), np.square(delta)), 0.0)


def _best_bias(total, m):
    """Maximise delta^2/4 (1 - delta total - T_m(delta)) over [0, 1], for arrays; return the maximum and delta."""
    total = np.asarray(total, dtype=float)
    j = np.ceil(np.asarray(m) / 2)
    slope = np.where(j > 0, 2 * scipy.special.poch(np.maximum(j, 1), 0.5) / np.sqrt(np.pi), 0.0)  # T_m'(0)
    with np.errstate(all="ignore"):
        low = np.minimum(2 / (3 * (total + slope)), 1.0)  # where T_m is replaced by its tangent
        high = np.minimum(2 / (3 * total), 1.0)  # where it is left out
        delta = low
        for _ in range(100):
            rest = np.log1p(-np.square(np.minimum(delta, 1 - 1e-16)))
            density = slope * np.exp((j - 1) * rest)  # T_m'
            left = 1 - delta * total - _majority(j, delta)
            excess = 2 * left - delta * (total + density)  # positive below the maximum
            low, high = np.where(excess > 0, delta, low), np.where(excess > 0, high, delta)
            bend = -2 * (j - 1) * delta * density / np.exp(rest)  # T_m''
            step = delta + excess / (3 * (total + density) + delta * bend)
            inside = (step > low) & (step < high)
            following = np.where(inside, step, (low + high) / 2)
            done = np.abs(following - delta) <= 1e-9 * delta  # an error of 1e-9 in delta is one of 1e-18 in the bound
            delta = following
            if done.all():
                break
        bound = np.square(delta) / 4 * (1 - delta * total - _majority(j, delta))
    return bound, delta
