"""How far the answer of a plan may be from what the values say, and from the mean behind them; and what is said of it.

All of it follows from the plan, so it costs no privacy.  Page :doc:`/book/use/intervals` proves it.
"""

from typing import NamedTuple

import numpy as np

from hdp import _validate, intervals
from hdp._number import between, bound
from hdp.release import bits as _bits
from hdp.release.arithmetic import FLOAT, beyond
from hdp.release.plans import Plan, interval

MISSED = 0.05  # how often the interval may miss that is stated where nobody asks for another
HELD = f"{100 * (1 - MISSED):.0f} %"
IF_TOLD = "if what the plan was told of their spread is right"


class Radii(NamedTuple):
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


def radii(plan: Plan, beta: float = MISSED) -> Radii:
    """Half-widths of intervals that miss with a probability of at most beta, each by itself.

    They hold for every number of users, with discrete noise, reports of both kinds and the rounding of values counted.
    Values outside the interval of the plan count as its ends; with truncated means the second one holds if each lies
    outside of its interval with a chance of at most the plan's own beta over n, and with a stated variance if no value
    varies more.

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
    >>> bars = radii(plan([0.1] * 700 + [1.0] * 300))
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
    lie = np.where(table.bit, _bits.chance_of_a_lie(plan.allowance, plan.noise), 0.0)
    bits = np.where(table.bit, w / (1 - 2 * lie), 0.0)
    reports = (1 if gaussian else 2) * added**2 + bits**2 / 4
    largest = 0.0 if gaussian else float(added.max())
    values = np.where(table.bit, 0.0, w)
    noisy = table.counted.any() and not plan.noiseless
    scale, step = (unit * c, unit) if noisy and not gaussian else (0.0, 0.0)
    spread = float(table.users @ reports) + ((unit * c) ** 2 if noisy and gaussian else 0.0)
    rounding = float(table.users @ (w * np.where(table.bit, 0.0, 0.5 / share) + w / span * FLOAT))
    rounding += beyond(plan.lower, plan.upper)
    moved = plan.error.bias**0.5 / width  # by truncation, if the prior is right

    def radius(v, largest=largest):
        return width * (intervals.tilted(v, largest, scale, beta, step) + rounding)

    noise = width * (intervals.noise_radius(scale, beta, step) + rounding) if spread == 0 else radius(spread)
    squares = float(table.users @ values**2)
    found = radius(spread + squares / 4)
    if plan.variance is not None:  # Bernstein, where it is narrower than Hoeffding
        v = plan.variance / (width * width)
        found = min(found, radius(spread + v * squares, max(largest, float(values.max()) / 3)))
    return Radii(noise, found + width * moved)


def tilt(plan: Plan) -> float:
    r"""How much further the mean of these very users may be away, if who allows less has other values, in their unit.

    Whatever values of the interval they have, their weighted and their plain mean differ by at most the width times
    half of :math:`\sum_i |w_i - 1/n|`, which is 0 where all weigh the same, and follows from what is public.

    Parameters
    ----------
    plan : Plan
        The plan.

    Returns
    -------
    float
        At most the width of the interval.

    Examples
    --------
    >>> from hdp.release import plan, tilt
    >>> tilt(plan([1.0] * 100)), round(tilt(plan([0.5] * 100 + [float("inf")] * 100, upper=1000.0)))
    (0.0, 69)
    """
    if _validate.instance("plan", plan, Plan).constant:
        return 0.0
    apart = float(plan.kinds.users @ np.abs(plan.weights - 1 / plan.n)) / 2
    return (plan.upper - plan.lower) * apart if apart > FLOAT * plan.kinds.users.size else 0.0


def says(plan: Plan) -> str:
    """What an answer by a ``plan`` says: how near it is to which mean, with what chance; or that it says nothing.

    Examples
    --------
    >>> from hdp.release import plan
    >>> from hdp.release.accuracy import says
    >>> print(says(plan([1.0] * 1000)))
    within 0.0408 of the mean from which independent values in [0, 1] are drawn, with a chance of at least 95 %
    >>> print(says(plan([1.0] * 4)))
    of no use: within 0.874 of the mean ...; so near to all values of the interval is its middle, too
    """
    radius, half = radii(plan).population, (plan.upper - plan.lower) / 2
    mean = f"the mean from which independent values in {between(plan.lower, plan.upper)} are drawn"
    near = f"within {bound(radius)} of {mean}, with a chance of at least {HELD}"
    if plan.variance is not None or plan.method == "truncated":
        near += f", {IF_TOLD}"
    if radius >= half:
        return f"of no use: {near}; so near to all values of the interval is its middle, too"
    own = f"; the mean of these very users may be {bound(tilt(plan))} further away, if values go with budgets"
    return f"{near}{own if tilt(plan) else ''}"


def clipping_cost(
    lower: float,
    upper: float,
    *,
    moment: tuple[float, float] | None = None,
    pareto: tuple[float, float] | None = None,
) -> float:
    r"""Most by which taking values to the interval moves any mean of them whose weights are not negative and sum to 1.

    .. math:: \frac{(p-1)^{p-1}}{p^p}\,\frac{m^p}{r^{p-1}} \ \text{ for } r \ge \frac{p-1}p m, \text{ else } m - r;
       \qquad \frac{t}{\alpha-1}\Big(\frac tr\Big)^{\alpha-1} \ \text{ for } r \ge t,
       \text{ else } t - r + \frac t{\alpha-1}

    with r half the interval, for a moment and for a Pareto tail; both are attained.  Nobody is told how many values lay
    beyond: that is itself data.

    Parameters
    ----------
    lower, upper : float
        The interval, each end at most 1e50 in size; it may have been chosen after the values.
    moment : (float, float), optional
        Order p in (1, 100], and m in [0, 1e50]: the p-th powers of the distances from the middle of the interval have,
        with the mean's own weights, a mean of at most :math:`m^p`.
    pareto : (float, float), optional
        Index alpha in (1, 100], and t in [0, 1e50]: a part of at most :math:`(t/s)^\alpha` of the weight is further
        than s from the middle of the interval, for all s above t.  Exactly one of the two is given.

    Returns
    -------
    float
        In the unit of the values.

    Examples
    --------
    >>> from hdp.release import clipping_cost
    >>> round(clipping_cost(0, 200_000, moment=(2, 40_000))), round(clipping_cost(0, 200_000, pareto=(3, 40_000)))
    (4000, 3200)
    """
    r = interval(lower, upper) / 2
    if (moment is None) == (pareto is None):
        raise ValueError(f"moment must be given, or pareto, and not both, got {moment!r} and {pareto!r}")
    name = "pareto" if moment is None else "moment"
    pair = _validate.vector(name, pareto if moment is None else moment, 0, _validate.LARGE)
    if pair.size != 2:
        raise ValueError(f"{name} must be two numbers, got {pair.size}")
    p, size = _validate.scalar(name, pair[0], 1, 100, open_low=True), float(pair[1])
    if pareto is not None:
        return size / (p - 1) * (size / r) ** (p - 1) if r >= size else size - r + size / (p - 1)
    furthest = p / (p - 1) * r  # where those are who cost most
    return (furthest - r) * (size / furthest) ** p if size <= furthest else size - r
