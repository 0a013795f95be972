"""The one lemma: weights that minimise variance plus the worst user's noise.

Minimise over the simplex::

    F(w) = sum_i v_i w_i^2 + kappa * max_i (s_i w_i)^2

with ``v_i`` the variance of item i, ``s_i`` what item i costs in noise per unit of weight, and ``kappa`` the
penalty.  The minimiser is ``w_i`` proportional to ``min(h / v_i, 1 / s_i)``, where the level ``h`` solves::

    sum_i (1 / s_i) * (h - v_i / s_i)_+ = kappa

This is water-filling: pour the volume ``kappa`` into a vessel whose floor rises at the knots ``v_i / s_i``.
Page :doc:`/book/foundations/one-lemma` derives it from the Karush-Kuhn-Tucker conditions.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats

__all__ = ["optimal_weights", "water_level"]

_SORT_DIRECTLY = 4096  # below this size a sort is cheaper than looking for a bracket first
_PIVOTS = 64


def optimal_weights(variance: ArrayLike, noise_cost: ArrayLike, penalty: float) -> Floats:
    r"""Weights on the simplex that minimise variance plus the worst item's noise.

    .. math:: \min_{w \ge 0,\ \sum_i w_i = 1}\ \sum_i v_i w_i^2 + \kappa \max_i (s_i w_i)^2

    Parameters
    ----------
    variance : array_like, shape (n,) or scalar
        Variance :math:`v_i` of each item, in (0, inf).
    noise_cost : array_like, shape (n,) or scalar
        Noise :math:`s_i` per unit of weight, in [0, inf]; 0 is a public item, inf an unusable one.
    penalty : float
        Weight :math:`\kappa` of the noise, in (0, inf).

    Returns
    -------
    numpy.ndarray, shape (n,)
        The unique minimiser, exact up to rounding, in O(n log n) operations.

    Raises
    ------
    ValueError
        If an argument lies outside its range, the shapes differ, or every item is unusable.

    Notes
    -----
    Algorithm 1 of Chaudhuri & Courtade (2023) is :math:`v_i = 1/4, s_i = 1/\epsilon_i, \kappa = 2`; Lemma 5.2 of
    Cummings et al. (2022) is :math:`v_i = \sigma_i^2, s_i = \sigma_i/\epsilon`.

    Examples
    --------
    The third item is free of noise, but its weight is clipped by its own variance:

    >>> from hdp.clipping import optimal_weights
    >>> optimal_weights(variance=[0.25, 0.25, 0.25], noise_cost=[1, 1, 0], penalty=2).round(4)
    array([0.1429, 0.1429, 0.7143])
    """
    v = _validate.number("variance", variance, 0, np.inf, open_low=True, open_high=True)
    s = _validate.number("noise_cost", noise_cost, 0)
    kappa = _validate.scalar("penalty", penalty, 0, np.inf, open_low=True, open_high=True)
    try:
        v, s = np.broadcast_arrays(v, s)
    except ValueError:
        raise ValueError(f"variance and noise_cost must agree in shape, got {v.shape} and {s.shape}") from None
    if v.ndim != 1 or v.size == 0:
        raise ValueError(f"variance and noise_cost must be non-empty vectors of shape (n,), got shape {v.shape}")
    if np.isinf(s).all():
        raise ValueError("noise_cost must have at least one entry in [0, inf), got only inf")
    unit = 2.0 ** np.floor(np.log2(v.max()))  # of the objective; without it v / s might overflow
    v, public = v / unit, s == 0
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        volume = max(kappa / unit, np.finfo(float).tiny)  # a smaller number would lose its digits, or vanish
        height = level(v / s, 1 / s, volume)
        if public.any():  # then 1 / v sets the size of the proportions, otherwise 1 / s does
            return _normalise(np.where(public, 1 / v, np.minimum(1 / v, 1 / np.where(public, 1, s) / height)))
        return _normalise(np.minimum(height / v, 1 / s))


def water_level(knots: Floats, slopes: Floats, volume: float) -> float:
    r"""Level :math:`h` at which :math:`\sum_i a_i (h - u_i)_+` reaches the volume.

    Parameters
    ----------
    knots : numpy.ndarray, shape (n,)
        Heights :math:`u_i` in [0, inf] at which the items begin to fill; an item at inf never does.
    slopes : numpy.ndarray, shape (n,)
        Widths :math:`a_i \ge 0` of the items, in the order of the knots.
    volume : float
        What is poured in, in (0, inf).

    Returns
    -------
    float
        The level; inf if no item of positive width has a finite knot.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.clipping import water_level
    >>> water_level(np.array([1.0, 4.0]), np.array([1.0, 1.0]), 5.0)
    5.0
    """
    knots, slopes = _validate.vector("knots", knots), _validate.vector("slopes", slopes, 0)
    if knots.shape != slopes.shape:
        raise ValueError(f"knots and slopes must agree in shape, got {knots.shape} and {slopes.shape}")
    if np.any(np.isinf(slopes) & np.isfinite(knots)):
        raise ValueError("slopes must lie in [0, inf) where knots are finite, got inf")
    return level(knots, slopes, _validate.scalar("volume", volume, 0, np.inf, open_low=True, open_high=True))


def level(knots, slopes, volume):
    """`water_level` of arrays that are as they must be."""
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        finite = np.isfinite(knots)
        if not finite.all():
            knots, slopes = knots[finite], slopes[finite]
        if not slopes.any():
            return np.inf
        floor, width, filled, middle = _bracket(knots, slopes, volume)
        order = np.argsort(knots[middle])
        u = np.concatenate([[floor], knots[middle][order]])
        a = np.concatenate([[width], slopes[middle][order]])
        step = np.diff(u)
        with np.errstate(invalid="ignore"):  # inf * 0 between ties
            rise = np.where(step > 0, np.cumsum(a)[:-1] * step, 0.0)
        contents = filled + np.concatenate([[0.0], np.cumsum(rise)])
        # The highest knot that the water covers; rounding may put the level just below a floor that it equals.
        last = max(np.searchsorted(contents, volume) - 1, 0)
        u, a = u[: last + 1], a[: last + 1]  # again with sums in pairs: running sums add up their rounding
        return float(u[-1] + (volume - filled - np.sum(a * (u[-1] - u))) / np.sum(a))


def _bracket(knots, slopes, volume):
    """Narrow the search: the height of a floor below the level, the width and the contents there, and the
    mask of the knots that may lie between the floor and the level."""
    if knots.size <= _SORT_DIRECTLY:
        return knots.min(), 0.0, 0.0, np.ones(knots.size, dtype=bool)

    depth = np.empty(knots.size)  # one buffer: new memory for every pivot would cost more than the arithmetic

    def contents(height):
        np.subtract(height, knots, out=depth)
        np.maximum(depth, 0, out=depth)
        return slopes @ depth

    pivots = np.sort(knots[:: knots.size // _PIVOTS])
    below, above = -1, pivots.size
    while above - below > 1:
        pivot = (below + above) // 2
        below, above = (pivot, above) if contents(pivots[pivot]) < volume else (below, pivot)
    middle = np.ones(knots.size, dtype=bool) if above == pivots.size else knots < pivots[above]
    if below < 0:
        return knots.min(), 0.0, 0.0, middle
    floor = pivots[below]
    covered = knots <= floor
    wet = np.where(covered, slopes, 0.0)
    return floor, np.sum(wet), np.sum(wet * (floor - knots)), middle & ~covered


def _normalise(proportions):
    """Scale nonnegative proportions (inf: shares everything with its like) to sum to 1 without overflow."""
    top = proportions.max()
    if np.isinf(top):
        shares = np.isinf(proportions).astype(float)
    else:
        shares = proportions / top
    return shares / shares.sum()
