"""The curator's ledger: what all releases about the same users have spent of everybody's budget, and what they said.

Losses add up: whoever sees two releases, of which the second may have been chosen after the first, has learnt at the
most what both may tell (basic composition).  So the sums of all that was spent must stay within the budgets.  An entry
is made before the noise is drawn, and the answer is put beside it before anybody sees it: it can be printed again,
which costs nothing, and nothing is drawn twice.
"""

from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from os import PathLike

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.release import ledgers, persons
from hdp.release.answers import Bounds, Release, kept
from hdp.release.buckets import BoundsPlan
from hdp.release.columns import read_column, words
from hdp.release.plans import Plan
from hdp.release.receipts import PLANS, spent_by

SCHEMA = "hdp-ledger/3"
_FIELDS = {"budgets", "noise", "persons", "plans", "spent", "answers"}
_CLOSE = 1e-9  # relatively: sums of floats this near to a budget are done again with fractions


def new_ledger(plan: Plan | BoundsPlan, ledger: str | PathLike[str]) -> None:
    """Make the ledger of a plan's users, which has counted nothing yet.

    Parameters
    ----------
    plan : Plan
        Any plan for these users: releases by others, with the same noise, are counted in the same file.
    ledger : str or pathlib.Path
        The file, which must be new.  One file belongs to one list of users; a second one for the same users would let
        their budgets be spent again.

    Raises
    ------
    ValueError
        If there is such a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import left, new_ledger, plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made, ledger = plan([0.5, 1.0] * 100, bits=10), pathlib.Path(folder, "ledger.json")
    ...     new_ledger(made, ledger)
    ...     left(made, ledger).tolist()
    [0.5, 1.0]
    """
    path = ledgers.file_of(ledger)
    plan = _validate.instance("plan", plan, PLANS)
    entries = {"schema": SCHEMA, "budgets": plan.budgets, "noise": plan.noise, "persons": None}
    ledgers.create(path, entries | {"plans": [], "spent": [], "answers": []})


def charge(plan: Plan | BoundsPlan, ledger: str | PathLike[str]) -> Floats:
    """Enter one release by this plan in the ledger, or refuse to.

    Parameters
    ----------
    plan : Plan
        The plan of the release that is to be made next.
    ledger : str or pathlib.Path
        The file, which `new_ledger` made.  A change of the list of users wants a new one, and a decision of whoever
        keeps it, since it does not know who is still there.

    Returns
    -------
    numpy.ndarray, shape (m,)
        What each kind of user has spent now, in nats or rho, rounded to floats.

    Raises
    ------
    ValueError
        If somebody's budget would be passed, if the ledger is missing, for other users, no ledger, or has a second
        name, or if another process has it open; then nothing is entered.

    Notes
    -----
    The entry is made before the noise is drawn.  A release that fails afterwards has been counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import charge, new_ledger, plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     half, ledger = plan([0.5, 1.0] * 100, bits=10, releases=2), pathlib.Path(folder, "ledger.json")
    ...     new_ledger(half, ledger)
    ...     for _ in range(2):
    ...         spent = charge(half, ledger)
    >>> spent.tolist()
    [0.498046875, 0.998046875]
    """
    plan, path = _validate.instance("plan", plan, PLANS), ledgers.file_of(ledger)
    with charged([plan], path) as (spent, _):
        return spent


@contextmanager
def charged(plans, path, population=None, names=None):
    """While releases are made: the ledger, which nobody else writes, has an entry of each, or of none, and keeps them.

    Of whose values, it remembers, and refuses others.
    Yields what each kind of user has spent now, and a function that keeps the list of `Release`.
    """
    with ledgers.locked(path):
        for plan in plans:
            found, earlier = _read(path, plan.kinds.epsilon, plan.budgets, plan.noise)
        columns = [*earlier, *map(spent_by, plans)]
        total = np.sum(columns, axis=0)
        if population is not None and found["persons"] is None:
            found["persons"] = persons.remembered(population, names)
        elif population is not None:
            persons.refuse_others(found["persons"], population, names, str(path))
        _refuse_more_than_allowed(columns, total, plan.kinds.epsilon)
        found["plans"] += [plan.digest for plan in plans]
        found["spent"] = [words(column.tolist()) for column in columns]
        found["answers"] += [None] * len(plans)
        ledgers.write(path, found)

        def keep(made):
            found["answers"][-len(made) :] = map(asdict, made)
            ledgers.write(path, found)

        yield total, keep


def refuse_together(plans):
    """Raise the ValueError with which a new ledger would refuse these releases, before it is made."""
    first, columns = plans[0], [*map(spent_by, plans)]
    if any((plan.budgets, plan.noise) != (first.budgets, first.noise) for plan in plans):
        raise ValueError("plans must be for the same users and with the same noise, to be counted in one ledger")
    _refuse_more_than_allowed(columns, np.sum(columns, axis=0), first.kinds.epsilon)


def left(plan: Plan | BoundsPlan, ledger: str | PathLike[str]) -> Floats:
    """What each kind of the plan's users has left by the ledger, in nats or rho, never rounded up; shape (m,).

    Parameters
    ----------
    plan : Plan
        A plan for these users.
    ledger : str or pathlib.Path
        Their ledger.

    Returns
    -------
    numpy.ndarray, shape (m,)
        In the order of the plan's kinds; inf for public users.

    Raises
    ------
    ValueError
        If the ledger is missing, for other users, or no ledger.

    Examples
    --------
    >>> from hdp.release import left, plan
    >>> left(plan([0.5] * 100), "nowhere.json")
    Traceback (most recent call last):
    ValueError: ledger must exist, got '...nowhere.json': check the name, or make one with new_ledger
    """
    plan = _validate.instance("plan", plan, PLANS)
    return left_of(plan.kinds.epsilon, plan.budgets, plan.noise, ledger)


def left_of(allowed, budgets, noise, ledger):
    """The same for users who allow this, and are known by this name, before there is a plan."""
    _, columns = _read(ledgers.file_of(ledger), allowed, budgets, noise)
    rounding = (len(columns) + 2) * 2.0**-52  # of a sum of so many floats, and more
    with np.errstate(invalid="ignore"):
        rest = np.nextafter(allowed - np.sum(columns, axis=0) * (1 + rounding), -np.inf) if columns else allowed
    return np.where(np.isinf(allowed), np.inf, np.maximum(rest, 0.0))


def published(ledger: str | PathLike[str]) -> list[Release | Bounds | None]:
    """Read the releases that a ledger keeps, in their order; to publish one of them again costs nothing.

    Parameters
    ----------
    ledger : str or pathlib.Path
        The curator's ledger.

    Returns
    -------
    list of Release, Bounds or None
        None where a release was counted and its answer is not kept: it was stopped, or the disk was full.

    Raises
    ------
    ValueError
        If there is no such ledger, or one that was edited.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import charge, new_ledger, plan, published
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made, ledger = plan([0.5, 1.0] * 100), pathlib.Path(folder, "ledger.json")
    ...     new_ledger(made, ledger)
    ...     _ = charge(made, ledger)
    ...     published(ledger)
    [None]
    """
    return _entries(ledgers.file_of(ledger))[2]


def _entries(path):
    """What a ledger holds, what each release has spent, and what each has said; or ValueError."""
    found = ledgers.read(path, SCHEMA, _FIELDS, "new_ledger")
    lists = [found[name] for name in ("plans", "spent", "answers")]
    try:
        if not all(type(entries) is list and len(entries) == len(lists[0]) for entries in lists):
            raise ValueError("lists differ")
        columns = [np.asarray(read_column("spent", column)) for column in lists[1]]
        said = [None if answer is None else kept(answer) for answer in lists[2]]
        fits = all(column.size and (column >= 0).all() for column in columns)  # a NaN compares false
        told = {"by": "", "salt": "", "digest": ""} if found["persons"] is None else found["persons"]
        texts = [*lists[0], *told.values()]
        if not fits or set(told) != {"by", "salt", "digest"} or not all(type(text) is str for text in texts):
            raise ValueError("entries must be numbers and names")
        if any(one and one.plan != plan for one, plan in zip(said, lists[0], strict=True)):
            raise ValueError("answers must be those of the plans")
    except (ValueError, TypeError, AttributeError, ArithmeticError, IndexError):
        raise ledgers.no_ledger(path, SCHEMA) from None
    return found, columns, said


def _read(path, allowed, budgets, noise):
    """The entries of a ledger of these users, and what each release has spent, one column each."""
    found, columns, _ = _entries(path)
    if found["budgets"] != budgets:
        got = _validate.show(found["budgets"])
        raise ValueError(f"ledger must be for the users of the plan, {budgets}, got one for {got}: {str(path)!r}")
    if found["noise"] != noise:
        got = _validate.show(found["noise"])
        raise ValueError(f"ledger must be for {noise} noise, as the plan, got one for {got}: {str(path)!r}")
    if not all(column.shape in ((), allowed.shape) for column in columns):
        raise ledgers.no_ledger(path, SCHEMA)
    columns = [np.broadcast_to(column, allowed.shape) for column in columns]
    if any(np.isinf(column[np.isfinite(allowed)]).any() for column in columns):
        raise ledgers.no_ledger(path, SCHEMA)
    return found, columns


def _refuse_more_than_allowed(columns, total, allowed):
    """Floats decide where they are far from the budget, fractions where they are near."""
    over = total > allowed * (1 + _CLOSE)
    for row in np.flatnonzero((total > allowed * (1 - _CLOSE)) & np.isfinite(total) & ~over):
        over[row] = sum(Fraction(float(column[row])) for column in columns) > Fraction(float(allowed[row]))
    if over.any():
        row = int(np.flatnonzero(over)[0])
        raise ValueError(
            f"ledger must leave budgets for release {len(columns)}: users who allow {float(allowed[row])!r} "
            f"would have spent {float(total[row]):.12g}; a plan with the argument ledger uses what is left"
        )
