"""What each user allowed, what a release spends of it at the most, and what she keeps; and the files that say so.

A row of a file and the header above it are all that a user needs: the last column is called plan:, with the SHA-256 of
the plan's text, and is empty.  What is computed of a plan is alike for all users of a kind, and so is written once.
"""

from dataclasses import dataclass
from itertools import chain, islice
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.release.arithmetic import less
from hdp.release.plans import Plan, Planned
from hdp.users import Users
from hdp.users.names import spreadsheet_safe

_ROWS = 10_000  # that are in memory as text at a time
_QUOTED = '",;\t\r\n'  # what a cell can only hold between quotes, in a spreadsheet that separates by others, too


@dataclass(frozen=True, eq=False)
class Receipts:
    """One receipt a row, of one user or of all users who are alike.

    Parameters
    ----------
    plan : str
        SHA-256 of the plan.
    allowed : numpy.ndarray, shape (m,)
        Budgets, in nats or rho.
    spent : numpy.ndarray, shape (m,)
        Upper bounds on the loss, in nats, or rho if the noise is Gaussian; with Laplace noise exact below 2^53/c.  A
        report of one bit lies a little more often than it must, and costs a little less.
    kept : numpy.ndarray, shape (m,)
        The difference, rounded down; 0 where a public value is released as it is.
    users : numpy.ndarray of int, shape (m,)
        How many users each row is for.

    Examples
    --------
    >>> from hdp.release import plan, receipts
    >>> found = receipts(plan([0.5, 1.0, float("inf")] * 100, bits=10))
    >>> found.allowed.tolist(), found.spent.tolist(), found.users.tolist()
    ([0.5, 1.0, inf], [0.5, 0.6591796875, 0.6591796875], [100, 100, 100])
    >>> found[1]["kept"]
    0.3408203125
    """

    plan: str
    allowed: Floats
    spent: Floats
    kept: Floats
    users: NDArray[np.int64]

    def __len__(self) -> int:
        return self.allowed.size

    def __getitem__(self, row: int) -> dict[str, str | float | int]:
        """The receipt in this row, in plain numbers."""
        columns = {name: getattr(self, name)[row].item() for name in ("allowed", "spent", "kept", "users")}
        return {"plan": self.plan, **columns}


def receipts(plan: Planned, users: Users | None = None) -> Receipts:
    """What a release by this plan takes from everybody.

    Parameters
    ----------
    plan : Plan or BoundsPlan
        The plan.
    users : Users, optional
        With them there is one row for each user, in their order; else one for each kind of user, in that of the plan.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import plan, receipts
    >>> people = hdp.Users([1.0, 0.5] * 100)
    >>> receipts(plan(people), people)[1]["spent"]
    0.5
    """
    kinds = _validate.instance("plan", plan, Planned).kinds
    spent = plan.spent
    kept = less(kinds.epsilon, spent)
    if users is None:
        return Receipts(plan.digest, kinds.epsilon, spent, kept, kinds.users)
    kind = plan.kind_of(users)
    return Receipts(plan.digest, kinds.epsilon[kind], spent[kind], kept[kind], np.ones(kind.size, dtype=np.int64))


def write_receipts(file: TextIO, plan: Planned, users: Users | None = None, kept: Floats | None = None) -> None:
    """Write what each user allowed, spends and keeps: `receipts`, in the columns user, allowed, spent and kept.

    Parameters
    ----------
    file : text file
        What is written to, opened with ``newline=""``.
    plan : Plan or BoundsPlan
        The plan; the header's last cell is its name, after plan: and above an empty column.
    users : Users, optional
        With them there is a row for each user, in their order, with her name or else the number of her row; without,
        one for each kind of user, whose first column, users, says how many they are.  A name that a spreadsheet would
        run gets an apostrophe, which `hdp.users.read_users` leaves out.
    kept : numpy.ndarray, shape (m,), optional
        What each kind of user keeps, where other releases took from her budget, too.

    Examples
    --------
    >>> import hdp, sys
    >>> from hdp.release import plan, write_receipts
    >>> people = hdp.Users([0.5, float("inf")], names=["ann", "bob"])
    >>> write_receipts(sys.stdout, plan(people), people)
    user,allowed,spent,kept,plan:...
    ann,0.5,0.5,0.0,
    bob,inf,16.5,inf,
    """
    found = receipts(plan)
    _write(file, plan, {"allowed": found.allowed, "spent": found.spent, "kept": _kept(found, kept)}, users)


def write_weights(file: TextIO, plan: Plan, users: Users | None = None, kept: Floats | None = None) -> None:
    """Write what each user counts, too: columns user, epsilon, trust, records, weight, spent and kept.

    Parameters
    ----------
    file, plan, users, kept : as of write_receipts
        What is written, and for whom.

    Examples
    --------
    >>> import sys
    >>> from hdp.release import plan, write_weights
    >>> write_weights(sys.stdout, plan([float("inf")] * 4))
    users,epsilon,trust,records,weight,spent,kept,plan:...
    4,inf,curator,1,0.25,inf,0.0,
    """
    found, kinds = receipts(plan), plan.kinds
    trust, records = np.where(kinds.local, "local", "curator"), kinds.records.astype(np.int64)
    known = {"epsilon": kinds.epsilon, "trust": trust, "records": records, "weight": plan.weights}
    _write(file, plan, known | {"spent": found.spent, "kept": _kept(found, kept)}, users)


def _kept(found, kept):
    if kept is None:
        return found.kept
    told = _validate.vector("kept", kept, 0)
    if told.shape != found.kept.shape or (told > found.allowed).any():
        raise ValueError(f"kept must be at most the budget of each of {found.kept.size} kinds of users")
    return np.minimum(told, found.kept)


def _write(file, plan, columns, users):
    rows = [f",{','.join(map(str, row))},\n" for row in zip(*(x.tolist() for x in columns.values()), strict=True)]
    head = f",{','.join(columns)},plan:{plan.digest}\n"
    if users is None:
        file.write(f"users{head}")
        file.writelines(f"{count}{row}" for count, row in zip(plan.kinds.users.tolist(), rows, strict=True))
        return
    kind, rows, done = plan.kind_of(users), np.array(rows, dtype=object), 0
    names = map(str, range(1, users.size + 1)) if users.names is None else (name or "" for name in users.names)
    file.write(f"user{head}")
    while some := list(islice(names, _ROWS)):
        of = kind[done : done + len(some)]
        done += len(some)
        file.write("".join(chain.from_iterable(zip(_cells(some), rows[of].tolist(), strict=True))))


def _cells(names):
    """The names as cells, which most of them are as they stand."""
    text, first = "".join(names), {name[:1] for name in names}
    if not any(sign in text for sign in _QUOTED) and all(spreadsheet_safe(sign) == sign != "'" for sign in first):
        return names
    return [_cell(spreadsheet_safe(name)) for name in names]


def _cell(name):
    """A cell, between quotes where it must be."""
    return '"' + name.replace('"', '""') + '"' if any(sign in name for sign in _QUOTED) else name
