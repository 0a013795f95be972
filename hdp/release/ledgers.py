"""A file that counts what has been released about some users, and lets no release take more than they allowed.

Losses add up: whoever sees two releases, of which the second may have been chosen after the first, has learnt at the
most what both may tell (basic composition).  So the sums of all that was spent must stay within the budgets.
"""

import json
import os
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike
from pathlib import Path

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.release.kinds import read_column, words
from hdp.release.plans import Plan
from hdp.release.receipts import spent_by

SCHEMA = "hdp-ledger/1"
_CLOSE = 1e-9  # relatively: sums of floats this near to a budget are done again with fractions


def charge(plan: Plan, ledger: str | PathLike[str]) -> Floats:
    """Enter one release by this plan in the ledger, or refuse to.

    Parameters
    ----------
    plan : Plan
        The plan of the release that is to be made next.
    ledger : str or pathlib.Path
        The file; the first release makes it.  One file belongs to one list of users: a change of the list wants a new
        ledger, and a decision of whoever keeps it, since it does not know who is still there.

    Returns
    -------
    numpy.ndarray, shape (m,)
        What each kind of user has spent now, in nats, rounded to floats.

    Raises
    ------
    ValueError
        If somebody's budget would be passed, if the ledger is for other users or no ledger, or if another process has
        it open; then nothing is entered.

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
    path = Path(ledger)
    with locked(path):
        found = _read(path, plan)
        columns = [*found["spent"], spent_by(plan)]
        total = np.sum(columns, axis=0)
        _refuse_more_than_allowed(columns, total, plan.kinds.epsilon)
        found["plans"].append(plan.digest)
        found["spent"] = [words(column.tolist()) for column in columns]
        write(path, found)
    return total


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
    except (KeyError, TypeError, json.JSONDecodeError):
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
