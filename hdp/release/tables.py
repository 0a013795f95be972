"""Receipts and weights as comma-separated text: a row for every user, and the name of the plan once, in the header.

A row and the header above it are all that a user needs: the last column is called plan:, with the SHA-256 of the plan's
text, and is empty.  What is computed of a plan is alike for all users of a kind, and so is written once.
"""

from collections.abc import Iterable
from itertools import chain, islice
from typing import TextIO

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.compare import Population
from hdp.compare.files import spreadsheet_safe
from hdp.release.buckets import BoundsPlan
from hdp.release.plans import Plan
from hdp.release.receipts import less, receipts

_ROWS = 10_000  # that are in memory as text at a time
_QUOTED = '",;\t\r\n'  # what a cell can only hold between quotes, in a spreadsheet that separates by others, too


def write_receipts(
    file: TextIO,
    plan: Plan | BoundsPlan,
    population: Population | None = None,
    names: Iterable[str] | None = None,
    *,
    left: Floats | None = None,
) -> None:
    """Write what each user allowed, spends and keeps: `receipts`, in the columns user, allowed, spent and kept.

    Parameters
    ----------
    file : text file
        What is written to, opened with ``newline=""``.
    plan : Plan or BoundsPlan
        The plan; the header's last cell is its name, after plan: and above an empty column.
    population : Population, optional
        With it there is a row for each user, in its order; else one for each kind of user, whose first column, users,
        says how many they are.
    names : iterable of str, optional
        What the users are called, in the same order; given with a population, and not without one.  A name that a
        spreadsheet would run gets an apostrophe, which `hdp.compare.read_csv` leaves out.
    left : numpy.ndarray, shape (m,), optional
        What each kind of user has left before this release, as of `write_weights`.

    Raises
    ------
    ValueError
        If the population is not the plan's, if names are not as many, or if more is left than was allowed.

    Examples
    --------
    >>> import sys
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, write_receipts
    >>> people = Population([0.5, float("inf")])
    >>> write_receipts(sys.stdout, plan(people), people, ["ann", "bob"])
    user,allowed,spent,kept,plan:...
    ann,0.5,0.5,0.0,
    bob,inf,16.5,inf,
    """
    found = receipts(plan)
    columns = {"allowed": found.allowed, "spent": found.spent, "kept": _kept(plan, found, left)}
    _write(file, plan, columns, population, names)


def write_weights(
    file: TextIO,
    plan: Plan,
    population: Population | None = None,
    names: Iterable[str] | None = None,
    *,
    left: Floats | None = None,
) -> None:
    """Write what each user counts, spends and keeps: columns user, epsilon, trust, records, weight, spent and kept.

    Parameters
    ----------
    file : text file
        What is written to, opened with ``newline=""``.
    plan : Plan
        The plan; the header's last cell is its name, after plan: and above an empty column.
    population : Population, optional
        With it there is a row for each user, in its order; else one for each kind of user, whose first column, users,
        says how many they are.
    names : iterable of str, optional
        What the users are called, in the same order; given with a population, and not without one.  A name that a
        spreadsheet would run gets an apostrophe, which `hdp.compare.read_csv` leaves out.
    left : numpy.ndarray, shape (m,), optional
        What each kind of user has left before this release, as `left` tells; their budgets unless given.  What she
        keeps is what of it this release leaves.

    Raises
    ------
    ValueError
        If the population is not the plan's, if names are not as many, or if more is left than was allowed.

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
    _write(file, plan, known | {"spent": found.spent, "kept": _kept(plan, found, left)}, population, names)


def _kept(plan, found, left):
    """What each kind keeps, of its budget or of what is left of that."""
    if left is None:
        return found.kept
    rest = _validate.vector("left", left, 0)
    if rest.shape != found.kept.shape or (rest > plan.kinds.epsilon).any():
        raise ValueError(f"left must be at most the budget of each of {found.kept.size} kinds of users")
    return np.maximum(less(rest, found.spent), 0.0)


def _write(file, plan, columns, population, names):
    rows = [f",{','.join(map(str, row))},\n" for row in zip(*(x.tolist() for x in columns.values()), strict=True)]
    head = f",{','.join(columns)},plan:{plan.digest}\n"
    if (population is None) != (names is None):
        raise ValueError("names must be given with a population, and not without one")
    if names is None:
        file.write(f"users{head}")
        file.writelines(f"{users}{row}" for users, row in zip(plan.kinds.users.tolist(), rows, strict=True))
        return
    kind, rows, names, done = plan.kind_of(population), np.array(rows, dtype=object), iter(names), 0
    file.write(f"user{head}")
    while some := list(islice(names, _ROWS)):
        of = kind[done : done + len(some)]
        done += len(some)
        if of.size == len(some):
            file.write("".join(chain.from_iterable(zip(_cells(some), rows[of].tolist(), strict=True))))
    if done != kind.size:
        raise ValueError(f"names must be one for each of {kind.size} users, got {done}")


def _cells(names):
    """The names as cells, which most of them are as they stand."""
    text, first = "".join(names), {name[:1] for name in names}
    if not any(sign in text for sign in _QUOTED) and all(spreadsheet_safe(sign) == sign != "'" for sign in first):
        return names
    return [_cell(spreadsheet_safe(name)) for name in names]


def _cell(name):
    """A cell, between quotes where it must be."""
    return '"' + name.replace('"', '""') + '"' if any(sign in name for sign in _QUOTED) else name
