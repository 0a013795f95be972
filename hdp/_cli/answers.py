"""What is said of some users, on the page *Your own users* and on the command line: ranking, plan, error, and the call.

Nothing of it depends on a value.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hdp import Threshold, adpm, compare, user_level
from hdp._number import between, bound, digits, many
from hdp.baselines.mechanisms import fme_level
from hdp.release import Ledger, Plan, radii
from hdp.release import plan as make_plan
from hdp.release.accuracy import MISSED, says
from hdp.release.groups import NOTHING, Group, groups
from hdp.release.statements import belief
from hdp.users import Users
from hdp.users.reading import Reading

UNIT = (0.0, 1.0)
BELIEF = "50 % becomes: what somebody who thought both of two values as likely believes of the right one at most"
_COMBINED = {"kvh": "for the least error", "pwh": "for the least noise", "naive": "by their numbers of users"}
_MUCH = 1e308  # the largest power of ten that a float holds
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
    """The ranking of `hdp.compare` in words and numbers, for values between these ends, in their unit, and why.

    An error without a bound is None, and who does not apply has an obstacle in the place of numbers.
    """
    square = (upper - lower) ** 2
    found = compare.ranking(people, None if variance is None else min(variance / square, 1 / 4), prior)
    rows: list[dict[str, Any]] = []
    least = math.sqrt(found[0].error * square)
    for row, why in zip(found, _sentences(found, people, lower, upper), strict=True):
        told: dict[str, Any] = {"estimator": row.name}
        if row.obstacle:
            told["obstacle"] = row.obstacle
        else:
            error, worst = row.error * square, row.worst_case * square
            root = math.sqrt(error)
            times = root / least if least else math.inf if root else 1.0
            whole = "1/4" if (lower, upper) == UNIT else "a quarter of the squared interval"
            told |= {"error": error, "worst_case": worst if worst < math.inf else None, "root": root, "times": times}
            told |= {"users": row.users, "guarantee": row.guarantee, "needs": row.needs.replace("1/4", whole)}
        rows.append(told | {"why": f"{why[0].upper()}{why[1:]}."})
    return rows


def _sentences(rows, people, lower, upper):
    """What each estimator of a ranking does with these users, in their numbers; only what is public is counted."""
    usable, budgets = people.epsilon > 0, people.epsilon[people.trusting]
    trust, local = budgets.size, int(np.count_nonzero(usable & people.local))
    public = int(np.count_nonzero(np.isinf(people.epsilon)))
    private = int(np.count_nonzero(usable)) - public
    who_trust, shared = many(trust, "who trusts", "who trust"), trust - public
    least, most = budgets.min(initial=np.inf), budgets.max(initial=0)
    low, high = digits(least), digits(most)
    strictest = f"at the strictest budget of all, {digits(people.epsilon[usable].min())}"
    without = many(local, "without trust is left out", "without trust are left out")
    left_out = f"; {without}" if local else ""
    cap = adpm.ADPM(budgets).level if trust else 0.0
    centre, half = _centre(lower, upper), "1/2" if (lower, upper) == UNIT else digits((upper - lower) / 2)
    for row in rows:
        match row.name:
            case _ if row.obstacle:
                yield f"not for these users: {row.obstacle}"
            case "mixed":
                parts = [many(shared, "shares", "share") + " one noise of the curator"] * (shared > 0)
                parts += [many(local, "sends", "send") + " a report of their own"] * (local > 0)
                parts += [many(public, "is public", "are public")] * (public > 0)
                far = f"each as far as its budget and variance allow: {', '.join(parts)}"
                yield f"counts {many(row.users, 'value')}, {far}"
            case "reports" if not shared:
                yield "nobody with a private value trusts the curator here, so this is what mixed does"
            case "reports":
                found = many(private, "report with noise of its own", "reports with noise of their own")
                yield f"as mixed, if nobody trusted the curator: {found}"
            case "ldpe-users":
                yield f"every private value gets Laplace noise of its own, {many(private, 'time')}, trust or not"
            case "centre":
                yield f"answers {centre} and reads no value; the mean may be as far away as {half}"
            case "adpm" if not row.users:
                yield f"its noise for the {who_trust} would err more than the constant {centre}, which it answers"
            case "adpm" if least == np.inf:
                yield f"a plain average of the {many(trust, 'public value')}, without noise"
            case "adpm":
                above = int(np.count_nonzero(budgets > cap))
                larger = f"of the {many(above, 'larger budget')} it spends {digits(cap)}"
                spent = larger if above else "it spends every budget in full"
                yield f"one noise for the {who_trust}, and {spent}{left_out}"
            case "propdpm" if public:
                counting = many(public, "public value counts", "public values count")
                yield f"with weights proportional to budgets only the {counting}"
            case "propdpm" if least == most:
                yield f"all budgets are {low}, so weights proportional to them are equal{left_out}"
            case "propdpm":
                times = digits(most / least) if most / _MUCH <= least else f"more than {digits(_MUCH)}"
                counts = f"one of {high} counts {times} times as much as one of {low}"
                yield f"weights proportional to budgets: {counts}{left_out}"
            case "ldpe" if least == np.inf:
                yield f"no noise, because the {many(trust, 'who trusts is', 'who trust are')} public"
            case "ldpe":
                levels = np.unique(budgets[np.isfinite(budgets)]).size
                noise = "one noise" if levels == 1 else f"a noise for each of {levels} different budgets"
                have = many(trust, "who trusts has", "who trust have")
                why = f"because the {have} one budget" if levels == 1 else "where one for all would do"
                others = f"and none for the {many(public, 'who is', 'who are')} public"
                yield f"{noise}, {others if public else why}{left_out}"
            case "sm":
                noise = "no noise" if most == np.inf else f"the noise of the largest budget, {high}"
                values = f"about {row.users} of {many(trust, 'value')}"
                yield f"keeps {values}, drawn by their budgets, with {noise}{left_out}"
            case "fme":
                level = fme_level(budgets)
                capped = f"capped at {digits(level)}" if most > level else "none of them capped"
                best = f"; the cap of least worst error is {digits(cap)}" if most > cap else ""
                yield f"weights proportional to budgets, {capped}{best}{left_out}"
            case "uni":
                noise = "without noise" if least == np.inf else f"with noise as if all allowed only {low}"
                yield f"a plain average of the {who_trust}, {noise}{left_out}"
            case "threshold":
                tau = Threshold(budgets).tau
                below = int(np.count_nonzero(budgets < tau))
                less = f"{many(below, 'who allows', 'who allow')} less" if below else "nobody who trusts"
                of = many(trust - below, "budget")
                yield f"spends {digits(tau)} of each of {of} and leaves out {less}{left_out}"
            case "tcm-only":
                yield f"a plain average of the {who_trust}, {strictest}"
            case "full-lm":
                yield f"averages {many(row.users, 'report')}, trust or not, {strictest}"
            case "kvh" | "pwh" | "naive":
                how = f"combined {_COMBINED[row.name]}, both {strictest}"
                yield f"two averages, of {who_trust} and of {many(local, 'report')}, {how}"
            case "private-ideal":
                cuts = "cuts values far from the prior mean"
                yield f"weighs the {who_trust} by their records at their strictest budget, {low}, and {cuts}"
            case "algorithm-2":
                groups = user_level.user_groups(people.records[people.trusting], least)
                head, middle, tail = (group.size for group in groups)
                yield f"spends {head + tail} users on rough moments first, and averages the other {middle}"
            case _:
                yield f"asks {many(row.users, 'user')}, who give up at the most: {row.guarantee}"


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
