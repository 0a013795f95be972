"""The error bars of a plan: how far its answer may be from what the values say, and from the mean behind them."""

from dataclasses import dataclass

import numpy as np

from hdp import _validate, intervals
from hdp.release import bits as _bits
from hdp.release.planning import FLOAT, beyond
from hdp.release.plans import Plan

MISSED = 0.05  # how often the interval may miss that is stated where nobody asks for another
HELD = f"{100 * (1 - MISSED):.0f} %"
IF_TOLD = "if what the plan was told of their spread is right"  # what the second radius rests on where means are cut


@dataclass(frozen=True)
class Radii:
    """Half-widths of two intervals about the answer, in the unit of the values.

    Parameters
    ----------
    noise : float
        For the weighted mean of the users' own values, which the plan defines.
    population : float
        For the mean from which independent values, one from each user, were drawn.

    Examples
    --------
    >>> from hdp.release import Radii
    >>> Radii(0.1, 0.2).population
    0.2
    """

    noise: float
    population: float


def tilt(plan: Plan) -> float:
    r"""How much further the mean of these very users may be away, if who allows less has other values, in their unit.

    Whatever values of the interval they have, their weighted and their plain mean differ by at most the width times
    half of :math:`\sum_i |w_i - 1/n|`, which is 0 where all weigh the same, and follows from what is public.

    Examples
    --------
    >>> from hdp.release import plan
    >>> from hdp.release.radii import tilt
    >>> tilt(plan([1.0] * 100)), round(tilt(plan([0.5] * 100 + [float("inf")] * 100, upper=1000.0)))
    (0.0, 69)
    """
    if plan.constant:
        return 0.0
    apart = float(plan.kinds.users @ np.abs(plan.weights - 1 / plan.n)) / 2
    return (plan.upper - plan.lower) * apart if apart > FLOAT * plan.kinds.users.size else 0.0


def radii(plan: Plan, beta: float) -> Radii:
    """Half-widths of intervals that miss with a probability of at most beta, each by itself.

    They follow from the plan alone, so they cost no privacy, and hold for every number of users, with discrete noise,
    reports of both kinds and the rounding of values counted.  Values outside the interval of the plan count as its
    ends; with truncated means the second one holds if each lies outside of its interval with a chance of at most the
    plan's own beta over n.  Page :doc:`/book/use/intervals` proves it.

    Parameters
    ----------
    plan : Plan
        The plan.
    beta : float
        Probability of missing, in [1e-300, 1).

    Returns
    -------
    Radii
        Where the answer is constant, both are half the interval.

    Examples
    --------
    >>> from hdp.release import plan, radii
    >>> bars = radii(plan([0.1] * 700 + [1.0] * 300), 0.05)
    >>> round(bars.noise, 4), round(bars.population, 4)
    (0.0223, 0.0416)
    """
    beta = _validate.chance("beta", beta, intervals.LEAST)
    width = _validate.instance("plan", plan, Plan).upper - plan.lower
    if plan.constant:
        return Radii(width / 2, width / 2)
    table, own, c = plan.kinds, plan.curator_weight, 2.0**plan.bits
    unit = own / (float(table.users @ table.units) or 1.0)  # what one integer of the curator's is worth
    span, share = table.high - table.low, np.maximum(table.share, 1).astype(float)
    w = np.where(table.counted, unit * table.units, table.weight) * span
    plain, gaussian = (table.weight > 0) & ~table.bit, plan.noise == "gaussian"
    added = np.where(plain, w * c / share, 0.0)  # scale of a report's own noise in the answer
    lie = np.where(table.bit, _bits.chance_of_a_lie(plan.part, plan.noise), 0.0)
    bits = np.where(table.bit, w / (1 - 2 * lie), 0.0)
    reports = (1 if gaussian else 2) * added**2 + bits**2 / 4
    largest = 0.0 if gaussian else float(added.max())
    values = np.where(table.bit, 0.0, w**2 / 4)
    noisy = table.counted.any() and not plan.noiseless
    scale, step = (unit * c, unit) if noisy and not gaussian else (0.0, 0.0)
    spread = float(table.users @ reports) + ((unit * c) ** 2 if noisy and gaussian else 0.0)
    rounding = float(table.users @ (w * np.where(table.bit, 0.0, 0.5 / share) + w / span * FLOAT))
    rounding += beyond(plan.lower, plan.upper)
    moved = plan.error.bias**0.5 / width  # by truncation, if the prior is right

    def radius(v):
        return width * (intervals.tilted(v, largest, scale, beta, step) + rounding)

    noise = width * (intervals.noise_radius(scale, beta, step) + rounding) if spread == 0 else radius(spread)
    return Radii(noise, radius(spread + float(table.users @ values)) + width * moved)
