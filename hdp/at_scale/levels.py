r"""The level of users in parts, as exactly as a float can say it.

With whole numbers :math:`S_1` and :math:`S_2`, the sums of the budgets below the level and of their squares, the level
is :math:`(8 + S_2)/S_1`.  One pass over the budgets finds the bin of floats in which it lies, the next one the bin
within that bin, and so on; mostly the second one is empty, and after four passes every bin is a single float.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hdp.at_scale.grids import Rules
from hdp.at_scale.groups import Groups
from hdp.at_scale.parts import Part, account_for, runner
from hdp.at_scale.sums import TINY, Window, merge, tally, units
from hdp.at_scale.weighting import Weights

_VOLUME = 8 << 2 * TINY


def weigh(
    parts: Sequence[Part] | Groups | Any,
    *,
    missing: float | None = None,
    bits: int | None = None,
    cluster: bool = False,
) -> Weights:
    r"""Optimal weights of users whose budgets come in parts, the same to the bit however they are cut.

    Parameters
    ----------
    parts : sequence, numpy.ndarray, Groups or dask collection
        Budgets in [0, inf], not all 0, NaN where one is missing.  Each part is an array of shape (m,), or a function
        that returns one, or several one after the other, the same ones whenever it is called; then no more than one of
        these need be in memory.  A vector is one part; a dask array has parts of its own.
    missing : float, optional
        Budget in [0, inf] of those who gave none; with a warning that says how many they are.  Without it they are
        refused.  Only 0 needs nobody's consent.
    bits : int, optional
        Round every budget down as `round_down` does, in [0, 52].
    cluster : bool
        Hand the parts to the workers of dask: those of the ``dask.distributed.Client`` that was made last, or as dask's
        settings say.

    Returns
    -------
    Weights
        The float nearest to the exact level, the one nearest to the exact sum of the budgets clipped there, and what
        follows from them for every user.

    Raises
    ------
    ValueError
        If an argument lies outside its range, no budget is usable, or a part is not the same whenever it is read.

    Notes
    -----
    Parts are read once or twice, and at most four times.  `hdp.adpm.ADPM.weights` of all users at once agrees but for
    rounding: its sums are rounded, and so depend on the order of the users.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.at_scale import weigh
    >>> budgets = np.random.default_rng(1).lognormal(size=1000)
    >>> weigh([budgets[:10], budgets[10:]]) == weigh(budgets) == weigh(budgets[::-1])
    True
    """
    rules = Rules(missing, bits)
    if isinstance(parts, Groups):
        found = parts.rounded(bits)
        counted, below = found._tally(), _fill(found._bins(), NOTHING)[0]
    else:
        counted, below = _passes(runner(parts, cluster), rules)
    if not counted.public + counted.usable:
        raise ValueError(f"parts must hold at least one budget in (0, inf], got none for {counted.users} users")
    account_for(counted, missing)
    level = _rounded(_VOLUME + below.second, below.first << TINY) if below.first else math.inf
    total = _total(counted, below, level)
    return Weights(level, total, counted.users, counted.public, counted.missing, rules.missing, rules.bits)


class Sums(NamedTuple):
    """Of the budgets below the level: their number, their sum and that of their squares, in units of `sums.TINY`."""

    users: int
    first: int
    second: int


NOTHING = Sums(0, 0, 0)


def _passes(run, rules):
    """What the first pass counts, and the sums of the budgets below the level."""
    window, below, counted = Window(), NOTHING, None
    while window:
        found = run(partial(tally, window=window, rules=rules), merge)
        counted = counted or found
        if (changed := np.flatnonzero((found.seen != counted.seen).any(axis=1))).size:
            again = f"got others from part {changed[0]}, counted from 0, when it was read again"
            raise ValueError(f"parts must hold the same budgets whenever they are read, {again}")
        below, place = _fill(found.bins(window), below)
        single = place is None or not window.shift  # a bin of one float is never divided
        window = None if single else window.inside(int(found.keys[place]))
    return counted, below


def _fill(bins, below):
    """Add ascending bins while they lie below the level whole; and the place of the one in which it is, if one is."""
    for place, (left, right, count, first, second) in enumerate(bins):
        if left * below.first - below.second >= _VOLUME:
            break
        alike = count * second == first**2
        joined = Sums(below.users + count, below.first + first, below.second + second)
        if (first // count if alike else right) * joined.first - joined.second <= _VOLUME:
            below = joined
        else:
            return below, None if alike else place
    return below, None


def _total(counted, below, level):
    """The float nearest to the sum of the clipped budgets, where only public ones count to their number."""
    if math.isinf(level) and counted.public:
        return float(counted.public)
    above = counted.usable + counted.public - below.users
    clipped = above * units(level) if above else 0
    if math.isinf(total := _rounded(below.first + clipped, 1 << TINY)):
        raise ValueError("parts must hold budgets that sum to at most 1.8e308 once they are clipped, got larger ones")
    return total


def _rounded(numerator, denominator):
    """The float nearest to a fraction of whole numbers, as Python divides them."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf
