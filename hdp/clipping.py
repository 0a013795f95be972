r"""The one lemma: weights that minimise variance plus the worst user's noise.

Let :math:`v_i` be the variance of item i, :math:`s_i` what it costs in noise per unit of weight, and :math:`\kappa` the
penalty.  The best weights are proportional to :math:`\min(h / v_i, 1 / s_i)`, where the level h solves

.. math:: \sum_i \frac{1}{s_i} \Big(h - \frac{v_i}{s_i}\Big)_+ = \kappa .

This is water-filling: pour the volume :math:`\kappa` into a vessel whose floor rises at the knots :math:`v_i / s_i`.
Page :doc:`/book/foundations/one-lemma` derives it from the Karush-Kuhn-Tucker conditions.
"""

from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats

__all__ = ["optimal_weights", "water_level"]

_BLOCK = 2**15  # items at a time, so that what is computed from them stays in the processor's cache
_FEW = 2**11  # of so many the level is found by sorting them
_HIGHEST = np.finfo(float).max


def optimal_weights(variance: ArrayLike, noise_cost: ArrayLike, penalty: float) -> Floats:
    r"""Weights on the simplex that minimise variance plus the worst item's noise.

    .. math:: \min_{w \ge 0,\ \sum_i w_i = 1}\ \sum_i v_i w_i^2 + \kappa \max_i (s_i w_i)^2

    Parameters
    ----------
    variance : array_like, shape (n,) or scalar
        Variance :math:`v_i` of each item, in (0, inf); one below 2e-308 times the largest counts as so much.
    noise_cost : array_like, shape (n,) or scalar
        Noise :math:`s_i` per unit of weight, in [0, inf]; 0 is a public item, inf an unusable one; not all inf.
    penalty : float
        Weight :math:`\kappa` of the noise, in (0, inf).

    Returns
    -------
    numpy.ndarray, shape (n,)
        The unique minimiser, exact up to rounding, in O(n) operations.

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
    shape = _validate.same_shapes(variance=v, noise_cost=s)
    if len(shape) != 1 or 0 in shape:
        raise ValueError(f"variance and noise_cost must be non-empty vectors of shape (n,), got shape {shape}")
    if s.min() == np.inf:
        raise ValueError("noise_cost must have at least one entry in [0, inf), got only inf")
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        unit = np.ldexp(0.5, np.frexp(v.max())[1])  # of the objective; without it v / s might overflow
        v = np.maximum(v / unit, _validate.TINY)  # a smaller number would lose its digits, or vanish
        volume = max(kappa / unit, _validate.TINY)
        w, slopes = v / s, np.broadcast_to(1 / s, shape)  # the knots, whose memory the proportions take over
        height = level(w, slopes, volume)
        if np.isinf(slopes.max()):  # somebody is public: then 1 / v sets the size of the proportions, otherwise 1 / s
            np.minimum(1 / v, np.divide(slopes, min(height, _HIGHEST), out=w), out=w)
        else:
            np.minimum(np.divide(height, v, out=w), slopes, out=w)
        return _normalise(w)


def water_level(knots: Floats, slopes: Floats, volume: float) -> float:
    r"""Level :math:`h` at which :math:`\sum_i a_i (h - u_i)_+` reaches the volume.

    Parameters
    ----------
    knots : numpy.ndarray, shape (n,)
        Heights :math:`u_i` in [0, inf] at which the items begin to fill; an item at inf never does.
    slopes : numpy.ndarray, shape (n,)
        Widths :math:`a_i \ge 0` of the items, in the order of the knots; with a finite sum where knots are finite.
    volume : float
        What is poured in, in (0, inf).

    Returns
    -------
    float
        The level; inf if no item of positive width has a finite knot.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.clipping import water_level
    >>> water_level(np.array([1.0, 4.0]), np.array([1.0, 1.0]), 5.0)
    5.0
    """
    knots, slopes = _validate.vector("knots", knots, 0), _validate.vector("slopes", slopes, 0)
    _validate.alike(knots=knots, slopes=slopes)
    with np.errstate(over="ignore"):
        if np.isinf(width := slopes[np.isfinite(knots)].sum()):
            raise ValueError(f"slopes must add up to at most {_HIGHEST:.2g} where knots are finite, got {width}")
    return level(knots, slopes, _validate.scalar("volume", volume, 0, np.inf, open_low=True, open_high=True))


def level(knots, slopes, volume):
    """`water_level` of arrays that are as they must be.

    Newton's iteration: the items below a trial height alone would have a level that is never below the true one, so it
    is the next trial, and whatever begins above it is dry.  If they hold less than the volume up to the trial, they
    are all covered.  The first trial is the level of a few items, a little too low, so that few remain undecided.
    Where the steps are too short, medians take turns with them: each decides half, so that all takes O(n) operations.
    """
    trial, top = _level_of_few(knots, slopes, volume), np.inf
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        width, mean = np.float64(0), np.float64(0)  # of what is covered
        for step in count():
            more, its_mean = _below(knots, slopes, trial)
            total = width + more
            joint = mean + (its_mean - mean) * (more / (total or 1))
            top = min(top, joint + volume / total if total else np.inf)
            contents = total * (trial - joint)
            # Written with `not`, because a NaN must come here, too.
            if not 1e-10 * total * trial <= abs(contents - volume) < np.inf:  # the difference has lost its digits
                contents = width * (trial - mean) + np.sum(np.minimum(slopes, _HIGHEST) * np.maximum(trial - knots, 0))
            if contents <= volume:
                width, mean = total, joint
                # Positions, not masks: each picks from two arrays, which takes a third to a half of the time.
                undecided = np.flatnonzero((knots >= trial) & (knots < top))
                if not undecided.size:
                    return float(top)
            else:
                top = min(top, np.nextafter(trial, 0))  # if rounding hides the step
                undecided = np.flatnonzero(knots < top)
            knots, slopes, trial = knots[undecided], slopes[undecided], top
            # The budgets of tests/benchmarks, from 10^3 to 10^6 of them, take six rounds at most: what comes here is
            # what the sample did not see.
            if step > 8 and step % 2 and knots.size:
                trial = np.nextafter(np.partition(knots, knots.size // 2)[knots.size // 2], np.inf)


def _level_of_few(knots, slopes, volume):
    """Level of at most `_FEW` items, the least that any of their prefixes has; a sample gets a third less water."""
    # A trial that is too high decides nothing.  With all of its water, 10^5 budgets of two values were gone through
    # three times, with a third less once; of other budgets about one in twenty more is looked at again.
    step = -(-knots.size // _FEW)
    order = np.argsort(knots[::step])
    u, a = knots[::step][order], slopes[::step][order]
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        levels = (volume / (step if step == 1 else 1.5 * step) + np.cumsum(a * u)) / np.cumsum(a)
        # Where a knot is inf and its slope 0, the prefixes from there on are no numbers; `fmin` passes over them.
        return np.fmin.reduce(levels, initial=_HIGHEST)


def _below(knots, slopes, height):
    """Of the items that begin below the height: the sum of the slopes, and the mean knot with the slopes as weights."""
    sums, (low, wet) = [(0.0, 0.0)], np.empty((2, min(knots.size, _BLOCK)))  # new memory in each turn would cost more
    for start in range(0, knots.size, _BLOCK):
        u, a = knots[start : start + _BLOCK], slopes[start : start + _BLOCK]
        out = wet[: u.size]
        # Where slopes and knots are one array, as for ADPM, u[0] stands for a maximum that is known already.
        if max(u.max(), u[0] if slopes is knots else a.max()) > _HIGHEST:  # inf * 0 is not a number
            u, a = np.clip(u, 0, _HIGHEST, out=low[: u.size]), np.clip(a, 0, _HIGHEST, out=out)
        np.multiply(a, u < height, out=out)
        sums.append((out.sum(), np.multiply(out, u, out=out).sum()))
    width, moment = (np.sum(column) for column in zip(*sums, strict=True))  # in pairs, against rounding
    if np.isfinite(width + moment):
        return width, moment / (width or 1)
    unit = np.frexp(min(slopes[knots < height].max(), _HIGHEST))[1] + 60  # a power of 2 changes no digit
    width, mean = _below(knots, np.ldexp(np.minimum(slopes, _HIGHEST), -unit), height)
    return min(np.ldexp(width, unit), _HIGHEST), mean


def _normalise(proportions):
    """Scale nonnegative proportions (inf: shares everything with its like) to sum to 1 without overflow, in place.

    Fresh memory for the result would cost more than the arithmetic.
    """
    with np.errstate(over="ignore"):
        total = proportions.sum()
    if not _validate.SMALL < total < _validate.LARGE:
        top = proportions.max()
        proportions[:] = np.isinf(proportions) if np.isinf(top) else proportions / top
        total = proportions.sum()
    return np.divide(proportions, total, out=proportions)
