"""Budgets as groups, each once with the number of its users: the table that a grid or a menu makes of any number."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.at_scale.grids import Rules, round_down
from hdp.at_scale.parts import Part, account_for, chunks, runner
from hdp.at_scale.sums import EMPTY, Tally, units

MOST = 2**20  # different budgets


@dataclass(frozen=True, eq=False)
class Groups:
    """How many users have each budget.  `Groups.of` counts them.

    Parameters
    ----------
    epsilon : numpy.ndarray, shape (m,)
        Budgets in [0, inf], ascending, each once.
    users : numpy.ndarray of int, shape (m,)
        How many users have each, at least 1, fewer than 2^53 altogether.

    Raises
    ------
    ValueError
        If budgets do not ascend, a group is empty, or the columns differ in length.

    Examples
    --------
    >>> from hdp.at_scale import Groups, weigh
    >>> menu = Groups([0.1, 1.0, float("inf")], [6_000_000, 3_900_000, 100_000])
    >>> weigh(menu).users, weigh(menu).loss([0.1, 1.0]).round(4)
    (10000000, array([0.1, 0.1]))
    """

    epsilon: Floats
    users: NDArray[np.int64]

    def __post_init__(self):
        object.__setattr__(self, "epsilon", _validate.budgets(self.epsilon))
        users = _validate.vector("users", self.users, 1, _validate.EXACT)
        _validate.alike(epsilon=self.epsilon, users=users)
        if np.any(users != np.floor(users)) or users.sum() > _validate.EXACT:
            raise ValueError(
                f"users must be whole numbers of less than 2^53 together, got {_validate.show(self.users)}"
            )
        if np.any(self.epsilon[1:] <= self.epsilon[:-1]):
            raise ValueError(f"epsilon must ascend, each budget once, got {_validate.show(self.epsilon)}")
        object.__setattr__(self, "users", users.astype(np.int64))

    @classmethod
    def of(cls, epsilon: ArrayLike) -> Self:
        """Count users with each of the budgets ``epsilon``, an array of shape (n,)."""
        return cls(*np.unique(_validate.budgets(epsilon), return_counts=True))

    def rounded(self, bits: int | None) -> Self:
        """The groups that are left when all budgets are rounded down to so many ``bits``, as `round_down` does."""
        if bits is None:
            return self
        epsilon, places = np.unique(round_down(self.epsilon, bits), return_inverse=True)
        users = np.zeros(epsilon.size, np.int64)
        np.add.at(users, places, self.users)
        return type(self)(epsilon, users)

    def _tally(self):
        """What `hdp.at_scale.sums.tally` counts, in a single bin."""
        public, usable = (int(self.users[which].sum()) for which in (np.isinf(self.epsilon), self._finite))
        return Tally(int(self.users.sum()), public, 0, EMPTY.keys, np.array([[usable] + [0] * 9]), EMPTY.seen)

    def _bins(self):
        """Of each budget that is positive and finite, as a bin of its own, what `Tally.bins` says."""
        for budget, users in zip(self.epsilon[self._finite].tolist(), self.users[self._finite].tolist(), strict=True):
            unit = units(budget)
            yield unit, unit + 1, users, users * unit, users * unit**2

    @property
    def _finite(self):
        return (self.epsilon > 0) & np.isfinite(self.epsilon)


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
    done = Census(0, 0, np.zeros(0), np.zeros(0, np.int64))
    for chunk in chunks(part):
        epsilon, missing = rules.read(chunk)
        values, counts = np.unique(epsilon, return_counts=True)
        done = _joined([done, Census(epsilon.size, missing, values, counts.astype(np.int64))])
    return done


def _joined(found):
    """The counts of all."""
    values, places = np.unique(np.concatenate([census.values for census in found]), return_inverse=True)
    if values.size > MOST:
        raise ValueError(f"bits must make at most {MOST} budgets different, got {values.size}: round down to fewer")
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, places, np.concatenate([census.counts for census in found]))
    return Census(sum(c.users for c in found), sum(c.missing for c in found), values, counts)
