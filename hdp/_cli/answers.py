"""What is said of some users, on the page *Your own users* and on the command line: ranking, plan, error, and the call.

Nothing of it depends on a value.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hdp import compare
from hdp._number import between, bound, digits
from hdp.compare.rankings import DOES
from hdp.release import Ledger, Plan, radii
from hdp.release import plan as make_plan
from hdp.release.accuracy import MISSED, says
from hdp.release.groups import NOTHING, Group, groups
from hdp.release.statements import belief
from hdp.users import Users
from hdp.users.reading import Reading

UNIT = (0.0, 1.0)
BELIEF = "50 % becomes: what somebody who thought both of two values as likely believes of the right one at most"
_EQUAL = 1 + 1e-6  # rounding makes no estimator better
_PARTS = {
    "sampling": "the users' differences make",
    "noise": "the curator's noise",
    "reports": "reports",
    "rounding": "whole numbers",
}


class Report(NamedTuple):
    """All that is said of some users."""

    people: Users
    rows: list[dict[str, Any]]  # the ranking, least error first
    plan: Plan  # the release by the weights that are best for these users
    groups: list[Group]  # who counts how much, and gives up what
    remark: str  # what a reader should know before she takes the plan; empty if nothing
    given: dict[str, Any]  # what the plan was told of the values
    error: float  # the error bar: root of the plan's expected squared error, in the values' unit
    values: str  # which ones it is about

    def told(self) -> dict[str, Any]:
        """All but the plan's own table, for JSON, where infinity is the word inf, as in a plan."""
        plan, found = self.plan, {"users": self.plan.n, "error": self.error, "remark": self.remark}
        found |= {"rows": self.rows, "groups": [vars(group) for group in self.groups]}
        found |= {"method": plan.method, "digest": plan.digest, "constant": plan.constant, "parts": vars(plan.error)}
        found |= {"interval": {"beta": MISSED, **radii(plan)._asdict()}}
        return json.loads(json.dumps(found), parse_constant={"Infinity": "inf"}.__getitem__)

    def shown(self) -> dict[str, Any]:
        """The same as texts, for the page."""
        usable = [row for row in self.rows if "root" in row]
        rows = [{"root": bound(row["root"]), "times": digits(row["times"])} for row in usable]
        lines = [cells(group, self.plan.noise) for group in self.groups]
        texts = {"rows": rows, "groups": lines, "parts": parts(vars(self.plan.error))}
        texts |= {"interval": says(self.plan), "values": self.values, "belief": f"{BELIEF}."}
        return {"error": bound(self.error), **texts}


def rank(
    people: Users, variance: float | None = None, prior: Any = None, lower: float = 0.0, upper: float = 1.0
) -> list[dict[str, Any]]:
    """The ranking of `hdp.compare` in words and numbers, for values between these ends, in their unit.

    An error without a bound is None, and who does not apply has an obstacle in the place of numbers.
    """
    square = (upper - lower) ** 2
    found = compare.ranking(people, None if variance is None else min(variance / square, 1 / 4), prior)
    rows: list[dict[str, Any]] = []
    least = math.sqrt(found[0].error * square)
    for row in found:
        told: dict[str, Any] = {"estimator": row.name, "does": DOES[row.name]}
        if row.obstacle:
            told |= {"obstacle": row.obstacle, "does": f"not for these users: {row.obstacle}"}
        else:
            error, worst = row.error * square, row.worst_case * square
            root = math.sqrt(error)
            times = root / least if least else math.inf if root else 1.0
            whole = "1/4" if (lower, upper) == UNIT else "a quarter of the squared interval"
            told |= {"error": error, "worst_case": worst if worst < math.inf else None, "root": root, "times": times}
            told |= {"users": row.users, "guarantee": row.guarantee, "needs": row.needs.replace("1/4", whole)}
        rows.append(told)
    return rows


def report(
    people: Users, *, truncated: bool = False, noise: str = "laplace", spend: float = 1.0, ledger: Any = None,
    value: str = "value", **given: Any,
) -> Report:  # fmt: skip
    """The estimators for some users, and the best linear release, if of their values the `given` is true.

    There is a ranking for whole budgets in nats only.
    """
    method = "truncated" if truncated else "user-level" if "prior" in given else "mixed"
    plan = make_plan(people, method, noise=noise, spend=spend, ledger=ledger, value=value, **given)
    rows = rank(people, **given) if noise == "laplace" and spend == 1 and ledger is None else []
    rest = None if ledger is None else Ledger.of(ledger).left(plan)
    error, values = math.sqrt(plan.error.total), f"values in {between(plan.lower, plan.upper)}"
    return Report(people, rows, plan, groups(plan, rest), _remark(rows, plan), given, error, values)


def _remark(rows, plan):
    """Where the plan is not simply that of the first row."""
    if plan.constant:
        answers = "the plan answers it, and nobody gives up anything"
        return f"Every such release errs more than the constant {_centre(plan.lower, plan.upper)}: {answers}."
    if not rows:
        return "Budgets and losses are rho, those of zero-concentrated privacy." if plan.noise == "gaussian" else ""
    first, mixed = rows[0], next(row for row in rows if row["estimator"] == "mixed")
    if mixed["root"] <= first["root"] * _EQUAL:
        return ""
    less = f"{first['estimator']} errs less, {digits(first['root'])} against {digits(mixed['root'])}"
    return f"{less}, and needs {first['needs']}; the plan is that of mixed."


def _centre(lower, upper):
    """The middle of an interval, as a sentence says it."""
    return "1/2" if lower + upper == 1 else digits((lower + upper) / 2)


def cells(group: Group, noise: str = "laplace") -> dict[str, str]:
    """What the group allows, counts, spends and keeps, and what its largest loss tells, as tables write it."""
    most = group.epsilon[1]
    nothing = NOTHING * most if math.isfinite(most) else 0.0
    ranges = {name: getattr(group, name) for name in ("epsilon", "records", "spent", "left")}
    ranges["kept"] = tuple(0.0 if kept <= nothing else kept for kept in group.kept)
    told = {name: " to ".join(dict.fromkeys(map(digits, ends))) for name, ends in ranges.items()}
    told["belief"] = "100 %" if math.isinf(most) else belief(group.spent[1], noise)
    told["trust"] = "local" if group.local else "curator"
    return told | {"users": str(group.users), "weight": f"{100 * group.weight:.1f} %"}


def parts(squares: Mapping[str, float]) -> str:
    """What an expected square consists of; parts below a thousandth are left out."""
    total = sum(squares.values())
    large = [name for name in _PARTS if squares[name] > total / 1000]
    return ", ".join(f"{_PARTS[name]} {100 * squares[name] / total:.1f} %" for name in large)


def python_call(found: Report, source: str | None) -> str:
    """Lines of Python that do for the users of a file, or of groups, what a report says, and release the mean."""
    plan, values = found.plan, ""
    if source is None:
        kinds, values = plan.kinds, "users = users.having(values=...)  # one for each, in this order"
        columns = kinds.epsilon, np.where(kinds.local, "local", "curator"), kinds.records.astype(np.int64)
        texts = [str(column.tolist()).replace("inf", "np.inf") for column in columns]
        made = [f"    np.repeat({text}, {kinds.users.tolist()})," for text in texts]
        read = ["import numpy as np", "users = hdp.Users(", *made, ")"]
    else:
        usual, told = vars(Reading()), plan.reading or {}
        named = {name: value for name, value in told.items() if value != usual[name]} | {"value": plan.value}
        read = [f"users = hdp.read_users({source!r}{_arguments(named)})"]
    lines = [
        "import hdp", "import hdp.release", *read,
        f"plan = hdp.release.plan(users, {plan.method!r}{_arguments(found.given)})",
        "plan.error.total ** 0.5, hdp.release.radii(plan), hdp.release.receipts(plan, users)",
        values, "ledger = hdp.release.Ledger.new(\"ledger.json\", plan)", "ledger.release(plan, users).answer",
    ]  # fmt: skip
    return "\n".join(filter(None, lines))


def _arguments(told):
    """Arguments in Python, which has no word for inf, as budgets may be."""
    texts = {name: repr(value) for name, value in told.items()}
    if told.get("budgets"):
        words = ((word, 'float("inf")' if meant == "inf" else repr(meant)) for word, meant in told["budgets"].items())
        texts["budgets"] = f"{{{', '.join(f'{word!r}: {meant}' for word, meant in words)}}}"
    return "".join(f", {name}={text}" for name, text in texts.items())
