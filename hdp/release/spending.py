"""A file of a local user's own that counts what her reports have cost, and lets no report pass her budget.

Her reports are all that anybody learns of her values, so nobody need be trusted for this file but her own machine.
Losses add up, also if a later plan, or a later value of hers, depends on earlier reports (basic composition); with
Gaussian noise it is rho that adds up.
"""

import json
from fractions import Fraction
from os import PathLike
from pathlib import Path

import numpy as np

from hdp import _validate
from hdp.release import ledgers
from hdp.release.plans import Plan
from hdp.release.receipts import spent_by

SCHEMA = "hdp-own-ledger/1"


def spend(plan: Plan, epsilon: float, ledger: str | PathLike[str], records: int = 1) -> float:
    r"""Enter one report by this plan in a local user's own ledger, or refuse to.

    Parameters
    ----------
    plan : Plan
        The plan of the report that is to be made next.
    epsilon : float
        Her budget for all her reports together, by which the plan knows her; rho, if the noise is Gaussian.
    ledger : str or pathlib.Path
        Her file; her first report makes it, and notes her budget in it.
    records : int
        Her number of records, by which the plan knows her too.

    Returns
    -------
    float
        What she has spent now, rounded up.

    Raises
    ------
    ValueError
        If her budget would be passed, if the plan wants no report from such a user, if the ledger is for another budget
        or no ledger, or if another process has it open; then nothing is entered.

    Notes
    -----
    Sums are exact, of fractions: what is spent is refused as soon as it exceeds the budget, by however little.  The
    entry is made before the noise is drawn.  Who reports about two files of values, and one of them to somebody else,
    uses one ledger for both; a ledger that is deleted has counted nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, spend
    >>> half = plan(Population([3.0] * 90, "local"), "mixed", reports="noisy", releases=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = pathlib.Path(folder, "mine.json")
    ...     spent = [round(spend(half, 3.0, mine), 9) for _ in range(2)]
    ...     spend(half, 3.0, mine)
    Traceback (most recent call last):
    ValueError: ledger must leave a budget for report 3: of 3.0 have been spent 2.9999999..., and it costs 1.4999999...
    """
    row, path = row_of(plan, epsilon, records), Path(ledger)
    with ledgers.locked(path):
        found = _read(path, float(epsilon), plan.noise)
        before, cost = sum(map(Fraction, found["spent"]), Fraction(0)), float(spent_by(plan)[row])
        if before + Fraction(cost) > Fraction(float(epsilon)):
            raise ValueError(
                f"ledger must leave a budget for report {len(found['spent']) + 1}: of {float(epsilon)!r} have been "
                f"spent {float(before)!r}, and it costs {cost!r}"
            )
        found["plans"].append(plan.digest)
        found["spent"].append(cost)
        ledgers.write(path, found)
    total = float(before + Fraction(cost))
    return total if Fraction(total) >= before + Fraction(cost) else float(np.nextafter(total, np.inf))


def row_of(plan, epsilon, records):
    """Row of the kind of local users to which she belongs, or ValueError if these report nothing."""
    kinds = _validate.instance("plan", plan, Plan).kinds
    rows = np.flatnonzero((kinds.epsilon == epsilon) & kinds.local & (kinds.records == records) & (kinds.weight > 0))
    if not rows.size:
        raise ValueError(f"epsilon must be that of local users who report, got {epsilon!r} with {records!r} records")
    return int(rows[0])


def _read(path, budget, noise):
    """Her ledger, a new one if there is none."""
    if not path.exists():
        return {"schema": SCHEMA, "budget": budget, "noise": noise, "plans": [], "spent": []}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        spent = found["spent"]
        if set(found) != {"schema", "budget", "noise", "plans", "spent"} or found["schema"] != SCHEMA:
            raise KeyError("schema")
        if len(found["plans"]) != len(spent) or not all(type(cost) is float and 0 <= cost < np.inf for cost in spent):
            raise KeyError("spent")
    except (KeyError, TypeError, json.JSONDecodeError):
        raise ValueError(f"ledger must be a file that spend wrote, got {str(path)!r}") from None
    if (found["budget"], found["noise"]) != (budget, noise):
        got = f"{found['budget']!r} with {found['noise']} noise"
        raise ValueError(f"ledger must be for the budget {budget!r} with {noise} noise, got one for {got}")
    return found
