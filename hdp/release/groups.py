"""Groups of users for a table: at most a dozen, whatever the budgets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp._types import Floats
from hdp.release.arithmetic import less
from hdp.release.plans import Plan

MOST = 12  # rows of a picture
NOTHING = 1e-9  # of a budget: what whole numbers leave over is neither told nor drawn
_BINS = 5  # of private budgets, where there are more different ones than rows

Range = tuple[float, float]


@dataclass(frozen=True)
class Group:
    """Users of one trust whose budgets, and numbers of records, lie in a range; what each spends and keeps."""

    epsilon: Range  # least and largest budget, in nats
    local: bool  # whether they hand over reports only
    records: Range  # least and largest number of records
    users: int  # how many they are
    weight: float  # their part of the answer, in [0, 1]
    spent: Range  # least and largest loss, in nats
    kept: Range  # what is least and most kept, in nats
    left: Range  # what is least and most left by a ledger before this release, in nats; the budget without one
    share: float  # what they spend of what they allow together, in [0, 1]; 0 for budgets of 0 and of infinity


def groups(plan: Plan, left: Floats | None = None) -> list[Group]:
    """The kinds of users of a ``plan``, pooled where they are more than a picture can show.

    What of the budgets is ``left`` before this release, for each kind, a ledger says.
    """
    w, spent, rest = plan.weights, plan.spent, plan.kinds.epsilon if left is None else left
    return [_group(plan.kinds, rows, w, spent, rest) for rows in _members(plan)]


def _members(plan: Plan) -> list[NDArray[np.intp]]:
    """The kinds of each group, as rows of the plan's."""
    kinds = plan.kinds
    if kinds.users.size <= MOST:
        label = np.arange(kinds.users.size)
    else:
        label = 2 * _levels(kinds) + (kinds.local & (kinds.epsilon > 0))  # who is kept out need trust nobody
    return [np.flatnonzero(label == one) for one in np.unique(label)]


def _levels(kinds):
    """A number for each budget, rising with it; few numbers for many budgets, about as many users in each."""
    budgets, place = np.unique(kinds.epsilon, return_inverse=True)
    if np.unique(2 * place + kinds.local).size <= MOST:
        return place
    private = (budgets > 0) & np.isfinite(budgets)
    users = np.bincount(place, kinds.users)
    before = np.cumsum(np.where(private, users, 0.0)) - users / 2
    bins = np.clip((before / users[private].sum() * _BINS).astype(int), 0, _BINS - 1)
    return np.where(private, 1 + bins, np.where(budgets > 0, 1 + _BINS, 0))[place]


def _group(kinds, rows, w, spent, left):
    users = kinds.users[rows]
    columns = [column[rows] for column in (kinds.epsilon, kinds.records, spent, less(left, spent), left)]
    epsilon, records, each, kept, rest = ((float(column.min()), float(column.max())) for column in columns)
    share = 0.0
    if 0 < epsilon[1] < np.inf:  # both sums in units of the largest budget, or a float could not hold them
        used, allowed = (float(np.sum(users * (column[rows] / epsilon[1]))) for column in (spent, kinds.epsilon))
        share = used / allowed
    part = float(np.sum(users * w[rows]))
    return Group(epsilon, bool(kinds.local[rows[0]]), records, int(users.sum()), part, each, kept, rest, share)
