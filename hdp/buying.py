r"""Buying privacy: users sell each nat of privacy loss at a price of their own, and the curator chooses whom to ask.

Setting of `hdp.adpm`, but for the budgets: a loss of :math:`\epsilon_i` costs :math:`c_i\epsilon_i`.  Weights
:math:`w_i` that sum to 1 and Laplace noise of scale :math:`\eta` cause the losses :math:`\epsilon_i = w_i/\eta`, and
the error is at most :math:`\tfrac14\sum_i w_i^2 + 2\eta^2`.
Page :doc:`/book/heterogeneous-budgets/buying-privacy` derives it.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp._types import Floats
from hdp.affine import Affine
from hdp.clipping import level

__all__ = ["Purchase", "buy", "buy_at_rate", "price_level"]


_FREE = 1e-60  # what a nat costs in units of error, of which nobody can tell it from a gift
_STEPS = 60  # of Newton's iteration at most; it needs about six


@dataclass(frozen=True, eq=False)
class Purchase:
    """What is bought of whom, and what it is good for.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        Weights in the average, with the sum 1; all 0 if nobody is asked.
    epsilon : numpy.ndarray, shape (n,)
        Privacy loss that is bought of each user, in nats; inf of whom it costs nothing and no noise protects.
    scale : float
        Scale of the Laplace noise.
    error : float
        Largest mean squared error over all distributions on [-1/2, 1/2]; above 1/4 it is better to ask nobody.
    payment : float
        What all users are paid together.

    Examples
    --------
    >>> from hdp import buying
    >>> buying.buy([1.0, 1.0, 3.0], 4.0)
    Purchase(weights=array([0.5, 0.5, 0. ]), epsilon=array([2., 2., 0.]), scale=0.25, error=0.25, payment=4.0)
    """

    weights: Floats
    epsilon: Floats
    scale: float
    error: float
    payment: float


def price_level(price: ArrayLike, money: float) -> float:
    r"""Price :math:`\ell` from which on nobody is asked.

    .. math:: \sum_i c_i\,(\ell - c_i)_+ = \frac{B^2}8

    Parameters
    ----------
    price : array_like, shape (n,)
        Price of one nat of each user's privacy: 0, in [1e-50, 1e50], or inf; 0 is a gift, inf an unusable value.  Not
        all may be inf.
    money : float
        Sum B that may be spent, in [1e-50, 1e50].

    Returns
    -------
    float
        The level, above the least price; inf if no finite price is positive.

    Examples
    --------
    >>> from hdp import buying
    >>> buying.price_level([1.0, 1.0, 9.0], 4.0)
    2.0
    """
    c, money = _prices(price), _validate.size("money", money)
    usable = c[np.isfinite(c)]
    return float(usable.min() + money * _depth(usable / money).max())


def buy(price: ArrayLike, money: float, epsilon: ArrayLike = np.inf) -> Purchase:
    r"""Buy for a sum of money what makes the error least: :math:`\epsilon_i = \tfrac8B(\ell - c_i)_+`.

    Parameters
    ----------
    price : array_like, shape (n,)
        Price of one nat of each user's privacy: 0, in [1e-50, 1e50], or inf; 0 is a gift, inf an unusable value.  Not
        all may be inf.
    money : float
        Sum B that may be spent, in [1e-50, 1e50].
    epsilon : array_like, shape (n,) or scalar
        Most that each user sells: 0, in [1e-50, 1e50], or inf, which is no limit.  Somebody of finite price must sell.

    Returns
    -------
    Purchase
        The only best one.  With limits it is the two lemmas at once: losses :math:`a - bc_i`, but at least 0 and at
        most what the user sells; money may then be left.

    Notes
    -----
    O(n) operations without limits.  With them a root is looked for in :math:`\ell = a/b`: for each, the one lemma gives
    b, and the root is where all money is spent.

    Examples
    --------
    >>> from hdp import buying
    >>> buying.buy([1.0, 2.0, 9.0], 4.0).epsilon.round(4)
    array([2.6667, 0.6667, 0.    ])
    >>> buying.buy([1.0, 2.0, 9.0], 4.0, epsilon=2.0).epsilon
    array([2., 1., 0.])
    """
    c, money = _prices(price), _validate.size("money", money)
    given = _validate.number("epsilon", epsilon, 0)
    most = _sizes("epsilon", given if given.ndim else np.full(c.size, given))
    _validate.alike(price=c, epsilon=most)
    asked = np.isfinite(c) & (most > 0)
    if not asked.any():
        raise ValueError(f"epsilon must be above 0 for somebody whose price is finite, got {most.tolist()[:5]!r}")
    p, cap, sold = c[asked] / money, most[asked], np.zeros(c.size)
    free = 8 * _depth(p)
    sold[asked] = free if np.all(free <= cap) else _limited(p, cap)
    return _purchase(c, sold)


def buy_at_rate(price: ArrayLike, rate: float) -> Purchase:
    r"""Buy what makes error and payment together least, :math:`E + \lambda\sum_i c_i\epsilon_i`.

    Parameters
    ----------
    price : array_like, shape (n,)
        Price of one nat of each user's privacy: 0, in [1e-50, 1e50], or inf; 0 is a gift, inf an unusable value.  Not
        all may be inf.
    rate : float
        Squared error that a unit of money is worth, in [1e-50, 1e50].

    Returns
    -------
    Purchase
        The best of all, also where the sum has several local minima; nobody is asked if that costs less, and then the
        answer is 0, with the error 1/4.

    Notes
    -----
    One sort, and a root of a polynomial for each set of the k cheapest users.

    Examples
    --------
    >>> from hdp import buying
    >>> round(buying.buy_at_rate([1.0] * 100, 0.005).payment, 4)
    9.2832
    """
    c, rate = _prices(price), _validate.size("rate", rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(c > 0, np.maximum(c * rate, _FREE), 0.0)  # whoever costs 1 or more is not worth asking
        asked = q < 1
        total, losses = _cheapest(np.sort(q[asked])) if asked.any() else (np.inf, None)
        if total >= adpm.TRIVIAL_MSE:
            return Purchase(np.zeros(c.size), np.zeros(c.size), 0.0, adpm.TRIVIAL_MSE, 0.0)
        sold = np.zeros(c.size)
        sold[np.flatnonzero(asked)[np.argsort(q[asked], kind="stable")]] = losses
    return _purchase(c, sold)


def _prices(price):
    """Prices as a vector, somebody's finite."""
    c = _sizes("price", price)
    if np.isinf(c).all():
        raise ValueError("price must have at least one entry in [0, 1e+50], got only inf")
    return c


def _sizes(name, value):
    """A vector of numbers that are 0, inf, or such that their squares are floats."""
    array = _validate.vector(name, value, 0)
    _validate.sizes(name, array[(array > 0) & (array < np.inf)])
    return array


def _depth(p):
    """How far each price is below the level, in units of the money; without the digits that a difference loses."""
    low = p.min()
    if not p.any():
        return np.full(p.size, np.inf)
    with np.errstate(over="ignore", under="ignore"):
        asked = p - low <= level(p - low, p, 0.125) * (1 + 1e-9)  # the level may be rounded to below a price, or above
        for _ in range(p.size):  # each time the dearest who is asked goes, at least
            most = p[asked].max()
            rest = (0.125 - np.sum(p[asked] * (most - p[asked]))) / p[asked].sum()
            if rest >= 0:
                break
            asked &= most - p > -rest
        return np.maximum(rest + (most - p), 0.0)


def _limited(p, cap):
    """Losses clip(b (l - p), 0, cap), where some cap binds: all money, here 1, is spent, or l is inf and b is 0.

    With the depths d below the level l, the slope b solves b + sum_i cap_i (b d_i - cap_i)_+ = 8.  The level is found
    by how far it lies above the dearest price that is asked, so no loss is a difference of numbers nearly alike.
    """
    bound = np.isfinite(cap)

    def losses(depth):
        d, most = np.maximum(depth, 0.0), cap[bound]
        return np.minimum(level(np.append(most / d[bound], 0.0), np.append(most * d[bound], 1.0), 8.0) * d, cap)

    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        alike = np.minimum(level(cap[bound], cap[bound], 8.0), cap)
        if p @ alike <= 1:
            return alike
        prices = np.unique(p)
        above = bisect_left(prices, 1, key=lambda height: p @ losses(height - p))
        below, ends = prices[above - 1] - p, prices[above : above + 1] - prices[above - 1]
        if not ends.size:
            ends = max(np.ptp(p), 1 / (8 * p.sum())) * 4.0 ** np.arange(250)
        spent = lambda rest: p @ losses(below + rest) - 1  # noqa: E731
        end = ends[min(bisect_left(ends, 0, key=spent), ends.size - 1)]
        if spent(end) > 0:
            end = scipy.optimize.brentq(spent, 0.0, end, xtol=1e-300, rtol=1e-15, maxiter=2000)
        return losses(below + end)


def _cheapest(q):
    """Least error plus payment over sorted prices, and the losses: of each set of the k cheapest, its best total loss.

    In the total loss u, the sum is 1/(4k) + m u - V u^2 + 2/u^2 as long as exactly the k cheapest are asked, with the
    mean m of their prices and the sum V of the squares of their distances from it.
    """
    k, d = np.arange(1, q.size + 1), q - q[0]
    mean = np.cumsum(d) / k
    squares = np.maximum(np.cumsum(d * d) - k * mean**2, 0.0)
    end = 1 / np.maximum(2 * k * (d - mean), 0.0)  # from here on the k-th is not asked
    m = q[0] + mean
    u, turn = np.cbrt(4 / m), (6 / squares) ** 0.25  # from `turn` on the sum is concave
    for _ in range(_STEPS):  # the slope is concave there, so Newton's steps stay below its root
        slope, bend = m - 2 * squares * u - 4 / u**3, 12 / u**4 - 2 * squares
        u = np.minimum(u - np.where(np.isfinite(u), slope / bend, 0.0), turn)
    u = np.clip(u, np.append(end[1:], 0.0), end)
    total = 1 / (4 * k) + np.where(m > 0, m * u - squares * u * u, 0.0) + 2 / u**2
    best = int(np.nanargmin(total))
    size, u = k[best], u[best]
    shares = np.zeros(q.size)
    shares[:size] = 1 / size if np.isinf(u) else np.maximum(1 / size - 2 * u * (d[:size] - mean[size - 1]), 0.0)
    return total[best], np.where(shares > 0, shares * u, 0.0)


def _purchase(c, sold):
    """The purchase of these losses: weights in proportion to them, and one over their sum as the noise."""
    endless = np.isinf(sold)
    shares = endless.astype(float) if endless.any() else sold / sold.max()
    weights = shares / shares.sum()
    scale = 0.0 if endless.any() else float(1 / sold.sum())
    error = Affine(weights, np.array([scale])).mean_squared_error(0.25, 0.0)
    sells = (c > 0) & (sold > 0)
    return Purchase(weights, sold, scale, error, float(c[sells] @ sold[sells]))
