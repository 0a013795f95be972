"""What the page *Your own users* and the command line say of some users: ranking, plan, groups, error, and the call."""

import json
import math
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from hdp import _validate, compare
from hdp._report.reasons import reasons
from hdp._report.shown import bound, cells, digits, interval, parts
from hdp.compare import Candidate, Population
from hdp.compare.files import Users
from hdp.release import Kinds, Plan, left, radii
from hdp.release import plan as make_plan
from hdp.release.groups import Group, groups
from hdp.release.radii import MISSED

UNIT = (0.0, 1.0)
_EQUAL = 1 + 1e-6  # rounding makes no estimator better
_TOLD = ("users", "guarantee", "needs")


@dataclass(frozen=True, eq=False)
class Row:
    """An estimator in the ranking."""

    candidate: Candidate  # its errors, and what it promises and needs
    times: float  # root of its error as a multiple of the least; inf where it does not apply
    why: str  # a sentence with the users' numbers

    @property
    def root(self) -> float:
        """Root of the expected squared error."""
        return math.sqrt(self.candidate.error)

    def as_dict(self) -> dict[str, Any]:
        """The row in plain words and numbers; None is an error without a bound."""
        row = self.candidate
        if row.obstacle:
            return {"estimator": row.name, "obstacle": row.obstacle, "why": self.why}
        worst = row.worst_case if math.isfinite(row.worst_case) else None
        told = {"error": row.error, "worst_case": worst, "root": self.root, "times": self.times}
        return {"estimator": row.name, **told, **{name: getattr(row, name) for name in _TOLD}, "why": self.why}


@dataclass(frozen=True)
class Report:
    """All that is said of some users; nothing of it depends on a value."""

    users: int  # how many
    rows: tuple[Row, ...]  # the ranking, least error first
    plan: Plan  # the release by the weights that are best for these users
    groups: tuple[Group, ...]  # who counts how much, and gives up what
    error: float  # the error bar: root of the plan's expected squared error, in the values' unit
    remark: str  # what a reader should know before she takes the plan; empty if nothing
    call: str  # the lines of Python that compute the same

    def to_json(self, shown: bool = False) -> str:
        """The report without the plan's own table; infinity is the word inf, as in a plan.

        With ``shown`` it has the texts of the page, too.
        """
        found = {name: value for name, value in vars(self).items() if name not in ("plan", "rows", "groups")}
        found["rows"] = [row.as_dict() for row in self.rows]
        found["groups"] = [asdict(group) for group in self.groups]
        found |= {"method": self.plan.method, "digest": self.plan.digest, "constant": self.plan.constant}
        found["parts"] = vars(self.plan.error)
        found["interval"] = {"beta": MISSED, **vars(radii(self.plan, MISSED))}
        if shown:
            rows = [{"root": bound(row.root), "times": digits(row.times)} for row in self.rows]
            texts = {"rows": rows, "groups": list(map(cells, self.groups)), "parts": parts(vars(self.plan.error))}
            values = f"values from {self.plan.lower:.12g} to {self.plan.upper:.12g}"
            found["shown"] = {"error": bound(self.error), "interval": interval(self.plan), "values": values, **texts}
        return json.dumps(_words(found), allow_nan=False)


def rank(
    people: Population,
    variance: float | None = None,
    prior: tuple[float, float] | None = None,
    ends: tuple[float, float] = UNIT,
) -> list[Row]:
    """The ranking of `hdp.compare` with a sentence for every row; errors are in squared units of the values.

    Parameters
    ----------
    people : Population
        The users.
    variance : float, optional
        Public upper bound of each value's variance, in squared units, to a quarter of the squared interval.
    prior : (float, float), optional
        Public mean and standard deviation of the users' own means; only one of the two is given.
    ends : (float, float)
        Interval of the values, in their unit; with a prior it is [0, 1].
    """
    square = (ends[1] - ends[0]) ** 2
    if prior is not None and ends != UNIT:
        raise ValueError(f"prior must be None unless values lie in [0, 1], got {prior!r}")
    if variance is not None:
        variance = min(_validate.scalar("variance", variance, 0, square / 4, open_low=True) / square, 1 / 4)
    found = compare.ranking(people, variance, prior)
    sentences = reasons(found, people)
    if ends != UNIT:
        found = [_in_unit(row, square) for row in found]
        sentences = [_said_in_unit(text, *ends) for text in sentences]
    least = found[0].error
    return [
        Row(row, _times(math.sqrt(row.error), math.sqrt(least)), sentence)
        for row, sentence in zip(found, sentences, strict=True)
    ]


def _in_unit(row, square):
    """The row for values in an interval of this square, of which it knows the error on [0, 1]."""
    needs = row.needs.replace("1/4", "a quarter of the squared interval")
    return replace(row, error=row.error * square, worst_case=row.worst_case * square, needs=needs)


def _said_in_unit(text, lower, upper):
    """A sentence about values in [0, 1] for values in another interval."""
    text = text.replace("as far away as 1/2", f"as far away as {digits((upper - lower) / 2)}")
    return text.replace("1/2", _centre(lower, upper))


def _centre(lower, upper):
    """The middle of an interval, as a sentence says it."""
    return "1/2" if lower + upper == 1 else digits((lower + upper) / 2)


def _times(root, least):
    """The one as a multiple of the other, which may be so little that it is 0."""
    return root / least if least else math.inf if root else 1.0


def chosen(
    people: Population,
    variance: float | None = None,
    prior: tuple[float, float] | None = None,
    noise: str = "laplace",
    truncated: bool = False,
    ends: tuple[float, float] = UNIT,
    spend: float | None = None,
    ledger: str | PathLike[str] | None = None,
) -> Plan:
    """The plan of the best linear release: by the prior for users with records, else for values of any kind.

    Parameters
    ----------
    people : Population
        The users.
    variance : float, optional
        Public upper bound of each value's variance, in (0, 1/4].
    prior : (float, float), optional
        Public mean and standard deviation of the users' own means; only one of the two is given.
    noise : {"laplace", "gaussian"}
        That of the plan.  If it is Gaussian, budgets are rho, for which there is no ranking.
    truncated : bool
        Whether the users' means are taken to the intervals that the prior gives.
    ends : (float, float)
        Interval of the values, in their unit.
    spend : float, optional
        Share of the budgets, in (0, 1], that the release may use.
    ledger : str or pathlib.Path, optional
        Ledger of earlier releases, which says what everybody has left.
    """
    method = "truncated" if truncated else "mixed" if prior is None else "user-level"
    return make_plan(
        people, method, noise=noise, variance=variance, prior=prior, lower=ends[0], upper=ends[1], spend=spend,
        ledger=ledger,
    )  # fmt: skip


def report(
    people: Population,
    variance: float | None = None,
    prior: tuple[float, float] | None = None,
    source: str | Users | None = None,
    noise: str = "laplace",
    truncated: bool = False,
    ends: tuple[float, float] = UNIT,
    spend: float | None = None,
    ledger: str | PathLike[str] | None = None,
) -> Report:
    """Rank the estimators for some users and plan the best linear release; no value is read.

    Parameters
    ----------
    people : Population
        The users.
    variance : float, optional
        Public upper bound of each value's variance, in (0, 1/4].
    prior : (float, float), optional
        Public mean and standard deviation of the users' own means; only one of the two is given.
    source : str or Users, optional
        The file from which the users come, by its name or as it was read; without one the call lists them by kind.
    noise : {"laplace", "gaussian"}
        That of the plan.  If it is Gaussian, budgets are rho, for which there is no ranking.
    truncated : bool
        Whether the users' means are taken to the intervals that the prior gives.
    ends : (float, float)
        Interval of the values, in their unit; errors are in it, too.
    spend : float, optional
        Share of the budgets, in (0, 1], that the release may use.  There is a ranking for whole budgets only.
    ledger : str or pathlib.Path, optional
        Ledger of earlier releases, which says what everybody has left.  With it there is no ranking, either.
    """
    plan = chosen(people, variance, prior, noise, truncated, ends, spend, ledger)
    rows = rank(people, variance, prior, ends) if noise == "laplace" and spend is ledger is None else []
    bar = math.sqrt(plan.error.total)
    call = python_call(plan, variance, prior, source, spend, ledger)
    rest = None if ledger is None else left(plan, ledger)
    return Report(people.size, tuple(rows), plan, tuple(groups(plan, rest)), bar, _remark(rows, plan), call)


def _remark(rows, plan):
    """Where the plan is not simply that of the first row."""
    if plan.constant:
        answers = "the plan answers it, and nobody gives up anything"
        return f"Every such release errs more than the constant {_centre(plan.lower, plan.upper)}: {answers}."
    if not rows:
        return "Budgets and losses are rho, those of zero-concentrated privacy." if plan.noise == "gaussian" else ""
    first = rows[0]
    mixed = next(row for row in rows if row.candidate.name == "mixed")
    if mixed.root <= first.root * _EQUAL:
        return ""
    return (
        f"{first.candidate.name} errs less, {digits(first.root)} against {digits(mixed.root)}, and needs "
        f"{first.candidate.needs}; the plan is that of mixed."
    )


def python_call(
    plan: Plan,
    variance: float | None,
    prior: tuple[float, float] | None,
    source: str | Users | None,
    spend: float | None = None,
    ledger: str | PathLike[str] | None = None,
) -> str:
    """Lines of Python that read the people of a ``plan`` from ``source``, or make them by kind, and rank and plan.

    What is known is ``variance`` or ``prior``, what may be used ``spend`` and ``ledger`` say; the method is that of the
    ``plan``.
    """
    used = {"spend": spend, "ledger": None if ledger is None else str(ledger)}
    options = "".join(f", {name}={value!r}" for name, value in used.items() if value is not None)
    ranked, planned = _calls(plan, variance, prior, options)
    square = (plan.upper - plan.lower) ** 2
    unit = (plan.lower, plan.upper) == UNIT
    scaled = "" if unit else f" on the scale of [0, 1]: times {square!r} in squared units"
    lines = ["import numpy as np", "from hdp import compare, release", ""]
    if isinstance(source, Users):
        lines = [*lines[1:], f"people, _ = {source.call()}"]
    elif source is not None:
        lines = [*lines[1:], f"people, values = compare.read_csv({source!r})"]
    else:
        lines += _by_kind(plan.kinds)
    return "\n".join([
        *lines,
        *([f"rows = {ranked}  # errors are expected squares{scaled}"] if ranked else []),
        f"plan = {planned}",
        "receipts = release.receipts(plan, people)  # allowed, spent, kept",
        "bar = plan.error.total ** 0.5",
    ])  # fmt: skip


def _calls(plan: Plan, variance: float | None, prior: tuple[float, float] | None, used: str = "") -> tuple[str, str]:
    """The calls that rank the ``people`` of a plan, empty where there is no ranking, and that plan for them.

    What the plan may use of budgets is said by the arguments ``used``; without them it is all.
    """
    known = {"variance": variance, "prior": prior}
    given = ranked = "".join(f", {name}={value!r}" for name, value in known.items() if value is not None)
    if (plan.lower, plan.upper) != UNIT:
        ranked = "" if variance is None else f", {variance!r} / {(plan.upper - plan.lower) ** 2!r}"
        given += f", lower={plan.lower!r}, upper={plan.upper!r}"
    if plan.noise == "gaussian":
        return "", f"release.plan(people, {plan.method!r}{given}, noise='gaussian'{used})"
    return "" if used else f"compare.ranking(people{ranked})", f"release.plan(people, {plan.method!r}{given}{used})"


def _by_kind(kinds: Kinds) -> list[str]:
    """The population, from one number of users for each kind."""
    columns = [kinds.epsilon, np.where(kinds.local, "local", "curator"), kinds.records.astype(np.int64)]
    users = kinds.users.tolist()
    texts = [", ".join(repr(x) if x != np.inf else "np.inf" for x in column.tolist()) for column in columns]
    return ["people = compare.Population(", *(f"    np.repeat([{text}], {users})," for text in texts), ")"]


def _words(value: Any) -> Any:
    """The same for JSON, where infinity is a word."""
    if isinstance(value, dict):
        return {name: _words(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_words(entry) for entry in value]
    return "inf" if value == math.inf else value
