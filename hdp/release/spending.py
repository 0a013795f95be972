"""What a local user does by herself, on her own machine: her value becomes a report, and only that is handed over.

A file of her own counts what her reports have cost, and lets none pass her budget.  Her reports are all that anybody
learns of her values, so nobody need be trusted for this file but that machine.  Losses add up, also if a later plan, or
a later value of hers, depends on earlier reports (basic composition); with Gaussian noise it is rho that adds up.
"""

import math
import secrets
from contextlib import contextmanager, nullcontext, suppress
from fractions import Fraction
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp.release import ledgers, reports
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import checked, integers, opendp
from hdp.release.plans import NOISES, Plan, ends
from hdp.release.receipts import spent_by

SCHEMA = "hdp-own-ledger/2"
_FIELDS = {"budget", "noise", "plans", "spent", "reports"}


def report(
    plan: Plan, epsilon: float, value: ArrayLike, records: int = 1, ledger: str | PathLike[str] | None = None
) -> str:
    r"""The report of one local user: private towards everybody, and unbiased but for rounding.

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
    ledger : str or pathlib.Path, optional
        Her own file, on her own machine, in which `spend` enters what the report costs before it is made, and which
        keeps the report: see `reported`.  Without it nobody counts.

    Returns
    -------
    str
        What she hands over, and nothing else: her integer and discrete noise of scale c, over her share; or, where the
        plan has bits, 0/1 or 1/1: the value rounded at random to one of the ends of the interval, and told by OpenDP's
        randomised response.  `report_value` says what it stands for.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the value is not finite, if the plan wants no report from such a user, or if her ledger is missing or has no
        budget left.

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
    row, kinds = row_of(plan, epsilon, records), plan.kinds
    try:
        x = checked([value], np.ones(1, dtype=bool))
    except ValueError:
        raise ValueError("value must be a finite number, got another one") from None
    dp = opendp()
    lower, upper = (float(end) for end in ends(plan, row))
    unit = (min(max(float(x[0]), lower), upper) - lower) / (upper - lower)
    whole = int(integers(x, kinds.share[row : row + 1], lower, upper)[0])
    entry = nullcontext((None, None)) if ledger is None else _spent(plan, row, float(epsilon), ledger)
    with entry as (_, keep):
        if kinds.bit[row]:
            told = _bit(dp, unit, float(plan.part[row]), plan.noise)
        else:
            told = _noisy(dp, plan, whole, int(kinds.share[row]), plan.part[row])
        found = reports.written(plan, row, told)
        if keep:
            with suppress(OSError):  # it is drawn and paid for: she has it, if not her ledger
                keep(found)
    return found


def _noisy(dp, plan, whole, share, allowed):
    """Her whole number with noise of the plan's scale."""
    make = dp.m.make_laplace if plan.noise == "laplace" else dp.m.make_gaussian
    noise = make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=2.0**plan.bits)
    _refuse_if_dearer(noise.map(share), allowed)
    return noise(whole)


def _bit(dp, unit, allowed, noise):
    """One bit about a value in [0, 1], told with a chance of a lie."""
    lie = float(chance_of_a_lie(allowed, noise))
    tell = dp.m.make_randomized_response_bool(prob=1 - lie)
    cost = tell.map(1)
    _refuse_if_dearer(cost if noise == "laplace" else cost * math.tanh(cost / 2), allowed)
    return int(tell(secrets.randbits(53) < unit * 2.0**53))


def _refuse_if_dearer(cost, allowed):
    if not cost <= allowed:
        raise ValueError(f"plan must cost at most {allowed!r}, got {cost!r} from OpenDP")


def report_value(plan: Plan, epsilon: float, report: str, records: int = 1) -> float:
    r"""What a report stands for: a number whose mean is her value, but for rounding.

    Parameters
    ----------
    plan : Plan
        The plan of the report.
    epsilon : float
        Her budget.
    report : str
        What `report` gave.
    records : int
        Her number of records.

    Returns
    -------
    float
        With noise the whole number over her share, in the interval's unit; one of the two numbers
        :math:`\frac12 \pm \frac1{2(1-2q)}` for one bit, which lies with the chance q.

    Raises
    ------
    ValueError
        If it is no report by this plan of such a user.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, report_value
    >>> made = plan(Population([2.0] * 900, "local"), "mixed")
    >>> round(report_value(made, 2.0, f"report:{made.digest[:16]}:0:1/1"), 3)
    1.157
    """
    return reports.stands_for(plan, row_of(plan, epsilon, records), report)


def new_own_ledger(ledger: str | PathLike[str], epsilon: float, noise: str = "laplace") -> None:
    """Make a local user's own ledger, which has counted nothing yet.

    Parameters
    ----------
    ledger : str or pathlib.Path
        Her file, which must be new.  A second one for the same values would let her budget be spent again.
    epsilon : float
        Her budget for all her reports together, in [0, inf); rho, if the noise is Gaussian.
    noise : {"laplace", "gaussian"}
        The noise of the plans, which says what her budget counts.

    Raises
    ------
    ValueError
        If there is such a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import new_own_ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_own_ledger(pathlib.Path(folder, "mine.json"), 3.0)
    ...     new_own_ledger(pathlib.Path(folder, "mine.json"), 3.0)
    Traceback (most recent call last):
    ValueError: ledger must be a new file, got '...mine.json', which exists: ...
    """
    budget = _validate.scalar("epsilon", epsilon, 0, open_high=True)
    noise, path = _validate.choice("noise", noise, NOISES), ledgers.file_of(ledger)
    entries = {"schema": SCHEMA, "budget": budget, "noise": noise, "plans": [], "spent": [], "reports": []}
    ledgers.create(path, entries)


def reported(ledger: str | PathLike[str]) -> list[str | None]:
    """Read the reports that a local user's own ledger keeps, in their order; to hand one over again costs nothing.

    Parameters
    ----------
    ledger : str or pathlib.Path
        Her ledger.

    Returns
    -------
    list of str or None
        None where a report was counted and is not kept.

    Raises
    ------
    ValueError
        If there is no such ledger, or one that was edited.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import new_own_ledger, reported
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_own_ledger(pathlib.Path(folder, "mine.json"), 3.0)
    ...     reported(pathlib.Path(folder, "mine.json"))
    []
    """
    return list(_entries(ledgers.file_of(ledger))["reports"])


def spend(plan: Plan, epsilon: float, ledger: str | PathLike[str], records: int = 1) -> float:
    r"""Enter one report by this plan in a local user's own ledger, or refuse to.

    Parameters
    ----------
    plan : Plan
        The plan of the report.
    epsilon : float
        Her budget for all her reports together, by which the plan knows her; rho, if the noise is Gaussian.
    ledger : str or pathlib.Path
        Her file, which `new_own_ledger` has made.
    records : int
        Her number of records, by which the plan knows her too.

    Returns
    -------
    float
        What she has spent now, rounded up.

    Raises
    ------
    ValueError
        If her budget would be passed, if the plan wants no report from such a user, if the ledger is missing, for
        another budget, no ledger, or has a second name, or if another process has it open; then nothing is entered.

    Notes
    -----
    Sums are exact, of fractions: what is spent is refused as soon as it exceeds the budget, by however little.  The
    entry is made before the noise is drawn.  Who reports about two files of values, and one of them to somebody else,
    uses one ledger for both; a ledger that is deleted has counted nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.compare import Population
    >>> from hdp.release import new_own_ledger, plan, spend
    >>> half = plan(Population([3.0] * 90, "local"), "mixed", reports="noisy", releases=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = pathlib.Path(folder, "mine.json")
    ...     new_own_ledger(mine, 3.0)
    ...     spent = [round(spend(half, 3.0, mine), 9) for _ in range(2)]
    ...     spend(half, 3.0, mine)
    Traceback (most recent call last):
    ValueError: ledger must leave a budget for report 3: of 3.0 have been spent 2.9999999..., and it costs 1.4999999...
    """
    with _spent(plan, row_of(plan, epsilon, records), float(epsilon), ledger) as (total, _):
        return total


@contextmanager
def _spent(plan, row, epsilon, ledger):
    """While a report is made: its entry stands in her ledger, and it can be kept there; yields what she has spent."""
    path = ledgers.file_of(ledger)
    with ledgers.locked(path):
        found = _read(path, epsilon, plan.noise)
        before, cost = sum(map(Fraction, found["spent"]), Fraction(0)), float(spent_by(plan)[row])
        if before + Fraction(cost) > Fraction(epsilon):
            raise ValueError(
                f"ledger must leave a budget for report {len(found['spent']) + 1}: of {epsilon!r} have been "
                f"spent {float(before)!r}, and it costs {cost!r}"
            )
        found["plans"].append(plan.digest)
        found["spent"].append(cost)
        found["reports"].append(None)
        ledgers.write(path, found)

        def keep(text):
            found["reports"][-1] = text
            ledgers.write(path, found)

        total = float(before + Fraction(cost))
        yield total if Fraction(total) >= before + Fraction(cost) else float(np.nextafter(total, np.inf)), keep


def row_of(plan, epsilon, records):
    """Row of the kind of local users to which she belongs, or ValueError if these report nothing."""
    kinds = _validate.instance("plan", plan, Plan).kinds
    epsilon, records = _validate.scalar("epsilon", epsilon, 0), _validate.whole("records", records, 1)
    rows = np.flatnonzero((kinds.epsilon == epsilon) & kinds.local & (kinds.records == records) & (kinds.weight > 0))
    if not rows.size:
        raise ValueError(f"epsilon must be that of local users who report, got {epsilon!r} with {records!r} records")
    return int(rows[0])


def _entries(path):
    """What her ledger holds, or ValueError."""
    found = ledgers.read(path, SCHEMA, _FIELDS, "new_own_ledger")
    lists = [found[name] for name in ("spent", "plans", "reports")]
    fits = all(type(entries) is list and len(entries) == len(lists[0]) for entries in lists)
    fits = fits and all(type(cost) is float and 0 <= cost < np.inf for cost in lists[0])
    if not fits or not {*map(type, lists[1])} <= {str} or not {*map(type, lists[2])} <= {str, type(None)}:
        raise ledgers.no_ledger(path, SCHEMA)
    return found


def _read(path, budget, noise):
    """The same for this budget and noise."""
    found = _entries(path)
    if (found["budget"], found["noise"]) != (budget, noise):
        got = f"{_validate.show(found['budget'])} with {_validate.show(found['noise'])} noise: {str(path)!r}"
        raise ValueError(f"ledger must be for the budget {budget!r} with {noise} noise, got one for {got}")
    return found
