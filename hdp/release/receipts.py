"""What each user allowed, what a release spends of it at the most, and what she keeps; and the file that counts it.

Losses add up: whoever sees two releases, of which the second may have been chosen after the first, has learnt at the
most what both may tell (basic composition).  So the sums of all that was spent must stay within the budgets.
"""

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.compare import Population
from hdp.release.kinds import read_column, words
from hdp.release.plans import Plan

SCHEMA = "hdp-ledger/1"
_CLOSE = 1e-9  # relatively: sums of floats this near to a budget are done again with fractions
_MOST_OF_A_BIT = np.nextafter(53 * np.log(2), np.inf)  # no lie is drawn more rarely than 2^-53


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


def receipts(plan: Plan, population: Population | None = None) -> Receipts:
    r"""What a release by this plan takes from everybody.

    Parameters
    ----------
    plan : Plan
        The plan.
    population : Population, optional
        With it there is one row for each user, in its order; else one for each kind of user, in that of the plan.

    Returns
    -------
    Receipts
        For a user whose value the curator counts, `spent` is :math:`\text{share}/c`, and so it is for a report with
        noise; for a report of one bit it is her budget, up to :math:`53\log 2`.  With Gaussian noise it is
        :math:`(\text{share}/c)^2/2`, and no nats but :math:`\rho`.

    Raises
    ------
    ValueError
        If the population is not the plan's.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, receipts
    >>> people = Population([1.0, 0.5] * 100)
    >>> receipts(plan(people), people)[1]["spent"]
    0.5
    """
    kinds = _validate.instance("plan", plan, Plan).kinds
    spent = spent_by(plan)
    kept = _less(kinds.epsilon, spent)
    if population is None:
        return Receipts(plan.digest, kinds.epsilon, spent, kept, kinds.users)
    kind = plan.kind_of(population)
    return Receipts(plan.digest, kinds.epsilon[kind], spent[kind], kept[kind], np.ones(kind.size, dtype=np.int64))


def _less(allowed, spent):
    """The difference, rounded down, by the error that a floating-point difference is known to have; inf - inf is 0."""
    with np.errstate(invalid="ignore"):
        left = allowed - spent
        back = left - allowed
        missing = (allowed - (left - back)) - (spent + back)
    left = np.where(missing < 0, np.nextafter(left, 0), left)
    return np.where(np.isinf(spent), 0.0, left)


def spent_by(plan):
    """Upper bound on the loss of a user of each kind, never above her budget."""
    kinds = plan.kinds
    rounded = kinds.share.astype(float)
    low = np.array([int(a) < b for a, b in zip(rounded.tolist(), kinds.share.tolist(), strict=True)], dtype=bool)
    spent = np.ldexp(np.where(low, np.nextafter(rounded, np.inf), rounded), -plan.bits)
    if plan.noise == "gaussian":
        spent = np.where(spent > 0, np.nextafter(np.square(spent) / 2, np.inf), 0.0)
    spent[kinds.bit] = np.minimum(plan.part[kinds.bit], _MOST_OF_A_BIT)
    if plan.noiseless:
        spent[kinds.counted] = np.inf
    return spent


def charge(plan: Plan, ledger: str | PathLike[str], population: Population | None = None) -> Floats:
    """Enter one release by this plan in the ledger, or refuse to.

    Parameters
    ----------
    plan : Plan
        The plan of the release that is to be made next.
    ledger : str or pathlib.Path
        The file; the first release makes it.  One file belongs to one list of users: a change of the list wants a new
        ledger, and a decision of whoever keeps it, since it does not know who is still there.
    population : Population, optional
        The users, so that a plan with their fingerprint and the budgets of others is refused, as `release` refuses it.
        Without it the plan is believed.

    Returns
    -------
    numpy.ndarray, shape (m,)
        What each kind of user has spent now, in nats or rho, rounded to floats.

    Raises
    ------
    ValueError
        If the population is not the plan's, if somebody's budget would be passed, if the ledger is for other users, no
        ledger, or has a second name, or if another process has it open; then nothing is entered.

    Notes
    -----
    The entry is made before the noise is drawn.  A release that fails afterwards has been counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import charge, plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     half = plan([0.5, 1.0] * 100, bits=10, releases=2)
    ...     for _ in range(2):
    ...         spent = charge(half, pathlib.Path(folder, "ledger.json"))
    >>> spent.tolist()
    [0.498046875, 0.998046875]
    """
    plan, path = _validate.instance("plan", plan, Plan), file_of(ledger)
    if population is not None:
        plan.kind_of(population)
    with locked(path):
        found = _read(path, plan)
        columns = [*found["spent"], spent_by(plan)]
        total = np.sum(columns, axis=0)
        _refuse_more_than_allowed(columns, total, plan.kinds.epsilon)
        found["plans"].append(plan.digest)
        found["spent"] = [words(column.tolist()) for column in columns]
        write(path, found)
    return total


def file_of(ledger):
    """The path of a ledger, in a folder that exists; of a link to one, where it leads: one ledger has one path."""
    if not isinstance(ledger, str | PathLike):
        raise TypeError(f"ledger must be a str or a pathlib.Path, got {_validate.show(ledger)}")
    path = Path(ledger)
    if not path.name or not path.resolve().parent.is_dir():
        raise ValueError(f"ledger must be a file in a folder that exists, got {str(ledger)!r}")
    path = path.resolve()
    names = path.stat().st_nlink if path.is_file() else 1
    if names > 1:  # a new file takes one of them, and the others keep the old count
        raise ValueError(f"ledger must have one name, got {str(ledger)!r}, which has {names} (hard links)")
    return path


@contextmanager
def locked(path):
    """Nobody else writes the ledger meanwhile."""
    lock = path.with_name(path.name + ".lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        raise ValueError(f"ledger must not be in use, got {lock}: remove it if no release is running") from None
    try:
        yield
    finally:
        lock.unlink()


def _read(path, plan):
    """The ledger, a new one if there is none."""
    if not path.exists():
        return {"schema": SCHEMA, "budgets": plan.budgets, "noise": plan.noise, "plans": [], "spent": []}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        schema, budgets, noise, plans = (found[name] for name in ("schema", "budgets", "noise", "plans"))
        m = plan.kinds.users.size
        if schema != SCHEMA or len(found) != 5 or len(plans) != len(found["spent"]):
            raise KeyError("schema")
        if (budgets, noise) != (plan.budgets, plan.noise):
            raise ValueError(f"ledger must be for the users of the plan, {plan.budgets}, got one for {budgets}")
        columns = [np.broadcast_to(read_column("spent", column), (m,)) for column in found["spent"]]
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError):
        raise ValueError(f"ledger must be a file that charge wrote, got {str(path)!r}") from None
    for column in columns:
        _validate.number("the column spent of ledger", column, 0)
    return found | {"spent": columns}


def _refuse_more_than_allowed(columns, total, allowed):
    """Floats decide where they are far from the budget, fractions where they are near."""
    over = total > allowed * (1 + _CLOSE)
    for row in np.flatnonzero((total > allowed * (1 - _CLOSE)) & np.isfinite(total) & ~over):
        over[row] = sum(Fraction(float(column[row])) for column in columns) > Fraction(float(allowed[row]))
    if over.any():
        row = int(np.flatnonzero(over)[0])
        raise ValueError(
            f"ledger must leave budgets for release {len(columns)}: users who allow {float(allowed[row])!r} "
            f"would have spent {float(total[row])!r}"
        )


def write(path, found):
    """All of it or nothing, and on the disk before anything is released."""
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(found, sort_keys=True, separators=(",", ":")))
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    if hasattr(os, "O_DIRECTORY"):  # where a folder can be opened, its new entry is only safe once it is written, too
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
