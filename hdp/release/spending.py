"""What a local user does by herself, on her own machine: her value becomes a report, and only that is handed over.

A file of her own counts what her reports have cost, and lets none pass her budget.  Her reports are all that anybody
learns of her values, so nobody need be trusted for this file but that machine.  Losses add up, also if a later plan, or
a later value of hers, depends on earlier reports (basic composition); with Gaussian noise it is rho that adds up.
"""

import json
import math
import secrets
from fractions import Fraction
from os import PathLike

import numpy as np

from hdp import _docs, _validate
from hdp.release.kinds import chance_of_a_lie
from hdp.release.measuring import integers, opendp
from hdp.release.plans import Plan, ends
from hdp.release.receipts import file_of, locked, spent_by, write

_doc = _docs.USERS.but(
    """
    Parameters
    ----------
    plan : Plan
        The plan of the report, which says what is reported, and how exactly.
    epsilon : float
        Her budget for all her reports together, by which the plan knows her; rho, if the noise is Gaussian.
    value : float
        Her value; what lies outside the interval of the plan is taken to its nearer end.
    records : int
        Her number of records, by which the plan knows her too.
    """
)
SCHEMA = "hdp-own-ledger/1"


@_doc
def report(
    plan: Plan, epsilon: float, value: float, records: int = 1, ledger: str | PathLike[str] | None = None
) -> float:
    r"""The report of one local user: private towards everybody, and unbiased but for rounding.

    Parameters
    ----------
    ledger : str or pathlib.Path, optional
        Her own file, on her own machine, in which `spend` enters what the report costs before it is made.  Without it
        nobody counts.

    Returns
    -------
    float
        Her integer and discrete noise of scale c, over her share; or, where the plan has bits, one of two
        numbers around the centre of the interval: the value rounded at random to one of its ends, and told by
        OpenDP's randomised response.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the value is not finite, if the plan wants no report from such a user, or if her ledger has no budget left.

    Notes
    -----
    A second report of the same value costs the same again.  A report that is handed over twice costs nothing more.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, report
    >>> made = plan(Population([1.0] * 9 + [2.0], "local"), "mixed")
    >>> report(made, 3.0, 0.3)
    Traceback (most recent call last):
    ValueError: epsilon must be that of local users who report, got 3.0 with 1 records
    """
    x = _validate.scalar("value", value, -np.inf, np.inf, open_low=True, open_high=True)
    row, kinds = row_of(plan, epsilon, records), plan.kinds
    dp = opendp()
    lower, upper = (float(end) for end in ends(plan, row))
    if ledger is not None:
        spend(plan, epsilon, ledger, records)
    if kinds.bit[row]:
        return lower + (upper - lower) * _bit(dp, (x - lower) / (upper - lower), float(plan.part[row]), plan.noise)
    share = kinds.share[row : row + 1]
    make = dp.m.make_laplace if plan.noise == "laplace" else dp.m.make_gaussian
    noise = make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=2.0**plan.bits)
    _refuse_if_dearer(noise.map(int(share[0])), plan.part[row])
    whole = int(integers(np.array([x]), share, lower, upper)[0])
    return lower + (upper - lower) * (noise(whole) / int(share[0]))


def _bit(dp, unit, allowed, noise):
    """One bit about a value in [0, 1], told with a chance of a lie, on the scale of the values."""
    lie = float(chance_of_a_lie(allowed, noise))
    tell = dp.m.make_randomized_response_bool(prob=1 - lie)
    cost = tell.map(1)
    _refuse_if_dearer(cost if noise == "laplace" else cost * math.tanh(cost / 2), allowed)
    one = secrets.randbits(53) < min(max(unit, 0.0), 1.0) * 2.0**53
    return 0.5 + (0.5 if tell(one) else -0.5) / (1 - 2 * lie)


def _refuse_if_dearer(cost, allowed):
    if not cost <= allowed:
        raise ValueError(f"plan must cost at most {allowed!r}, got {cost!r} from OpenDP")


@_doc
def spend(plan: Plan, epsilon: float, ledger: str | PathLike[str], records: int = 1) -> float:
    r"""Enter one report by this plan in a local user's own ledger, or refuse to.

    Parameters
    ----------
    ledger : str or pathlib.Path
        Her file; her first report makes it, and notes her budget in it.

    Returns
    -------
    float
        What she has spent now, rounded up.

    Raises
    ------
    ValueError
        If her budget would be passed, if the plan wants no report from such a user, if the ledger is for another
        budget, no ledger, or has a second name, or if another process has it open; then nothing is entered.

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
    row, path = row_of(plan, epsilon, records), file_of(ledger)
    with locked(path):
        found = _read(path, float(epsilon), plan.noise)
        before, cost = sum(map(Fraction, found["spent"]), Fraction(0)), float(spent_by(plan)[row])
        if before + Fraction(cost) > Fraction(float(epsilon)):
            raise ValueError(
                f"ledger must leave a budget for report {len(found['spent']) + 1}: of {float(epsilon)!r} have been "
                f"spent {float(before)!r}, and it costs {cost!r}"
            )
        found["plans"].append(plan.digest)
        found["spent"].append(cost)
        write(path, found)
    total = float(before + Fraction(cost))
    return total if Fraction(total) >= before + Fraction(cost) else float(np.nextafter(total, np.inf))


def row_of(plan, epsilon, records):
    """Row of the kind of local users to which she belongs, or ValueError if these report nothing."""
    kinds = _validate.instance("plan", plan, Plan).kinds
    epsilon, records = _validate.scalar("epsilon", epsilon, 0), _validate.whole("records", records, 1)
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
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError):
        raise ValueError(f"ledger must be a file that spend wrote, got {str(path)!r}") from None
    if (found["budget"], found["noise"]) != (budget, noise):
        got = f"{found['budget']!r} with {found['noise']} noise"
        raise ValueError(f"ledger must be for the budget {budget!r} with {noise} noise, got one for {got}")
    return found
