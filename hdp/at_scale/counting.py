"""How many users have each budget: the table that a grid or a menu makes of any number of users."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hdp._types import Floats
from hdp.at_scale.grids import Rules
from hdp.at_scale.groups import Groups
from hdp.at_scale.parts import Part, account_for, chunks, runner

MOST = 2**20  # different budgets


def count(
    parts: Sequence[Part] | Any,
    *,
    missing: float | None = None,
    bits: int | None = None,
    cluster: bool = False,
) -> Groups:
    """Count the users with each budget, in one pass; the table is the same however the users are cut into parts.

    Parameters
    ----------
    parts : sequence, numpy.ndarray or dask collection
        Budgets, as for `weigh`, at most 2^20 different ones.
    missing : float, optional
        Budget in [0, inf] of those who gave none, with a warning; without it they are refused.
    bits : int, optional
        Round every budget down as `round_down` does, in [0, 52].
    cluster : bool
        Hand the parts to the workers of dask.

    Returns
    -------
    Groups
        The budgets, each with its users.

    Raises
    ------
    ValueError
        If an argument lies outside its range, no budget is usable, or too many are different.

    Examples
    --------
    >>> from hdp.at_scale import count
    >>> found = count([[1.0, 1.3], [float("inf"), 1.1]], bits=1)
    >>> found.epsilon.tolist(), found.users.tolist()
    ([1.0, inf], [3, 1])
    """
    found = runner(parts, cluster)(partial(_census, rules=Rules(missing, bits)), _joined)
    account_for(found, missing)
    if not found.values.any():
        raise ValueError(f"parts must hold at least one budget in (0, inf], got none for {found.users} users")
    return Groups(found.values, found.counts)


class Census(NamedTuple):
    """Users, those without a budget, and each budget with the number of its users."""

    users: int
    missing: int
    values: Floats
    counts: NDArray[np.int64]


def _census(part, rules):
    """Count one part."""
    empty = Census(0, 0, np.zeros(0), np.zeros(0, np.int64))
    return reduce(lambda done, chunk: _joined([done, _counted(chunk, rules)]), chunks(part), empty)


def _counted(chunk, rules):
    epsilon, missing = rules.read(chunk)
    values, counts = np.unique(epsilon, return_counts=True)
    return Census(epsilon.size, missing, values, counts.astype(np.int64))


def _joined(found):
    """The counts of all."""
    values, places = np.unique(np.concatenate([census.values for census in found]), return_inverse=True)
    if values.size > MOST:
        raise ValueError(f"bits must make at most {MOST} budgets different, got {values.size}: round down to fewer")
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, places, np.concatenate([census.counts for census in found]))
    return Census(sum(c.users for c in found), sum(c.missing for c in found), values, counts)
