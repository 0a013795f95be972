r"""What clipping costs at most, if tails are known: how far a mean moves when its values are taken to an interval.

Nobody is told how many values lay beyond: that is itself data.  What can be said comes from outside of the data.
"""

from hdp import _validate
from hdp.release.plans import interval


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

    with r half the interval, for a moment and for a Pareto tail; both are attained.

    Parameters
    ----------
    lower, upper : float
        The interval, each end at most 1e50 in size; it may have been chosen after the values.
    moment : (float, float), optional
        Order p in (1, 100], and m in [0, 1e50]: the p-th powers of the distances from the middle of the interval have,
        with the mean's own weights, a mean of at most :math:`m^p`.
    pareto : (float, float), optional
        Index alpha in (1, 100], and t in [0, 1e50]: a part of at most :math:`(t/s)^\alpha` of the weight is further
        than s from the middle of the interval, for all s above t.

    Returns
    -------
    float
        In the unit of the values.

    Raises
    ------
    ValueError
        Unless exactly one tail is given, or if an argument lies outside its range.

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
