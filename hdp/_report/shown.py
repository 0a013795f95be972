"""How a report writes its numbers, in sentences, in the tables of the page and on the command line."""

from decimal import ROUND_CEILING, Context, Decimal
from math import isfinite

from hdp._number import number
from hdp.release.groups import NOTHING, Group, Range
from hdp.release.plans import Plan
from hdp.release.radii import HELD, IF_TOLD, MISSED, radii, tilt

ROUNDING = 1 - 1e-12  # what an error owes to floats makes no digit larger
_PARTS = {
    "sampling": "the users' differences make",
    "noise": "the curator's noise",
    "reports": "reports",
    "rounding": "whole numbers",
}


def digits(value: float) -> str:
    """A number, whole or of three digits."""
    return number(value, 3)


def bound(value: float) -> str:
    """What is at most so much: three digits, and not rounded down by more than floats round."""
    return number(float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(value * ROUNDING))), 3)


def between(lower: float, upper: float) -> str:
    """An interval, with as many digits as tell its ends apart."""
    short = [f"{end:.12g}" for end in (lower, upper)]
    return f"[{', '.join(map(repr, (lower, upper)) if short[0] == short[1] else short)}]"


def interval(plan: Plan) -> str:
    """How near the answer is to the mean from which the values are drawn, and with what chance."""
    mean = f"the mean from which independent values in {between(plan.lower, plan.upper)} are drawn"
    told = f", {IF_TOLD}" if plan.method == "truncated" else ""
    own = f"; the mean of these very users may be {bound(tilt(plan))} further away, if values go with budgets"
    near = f"within {bound(radii(plan, MISSED).population)} of {mean}, with a chance of at least {HELD}{told}"
    return f"{near}{own if tilt(plan) else ''}"


def many(count: int, one: str, more: str = "") -> str:
    """A number and what it counts: 1 budget, 2 budgets."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def percent(part: float) -> str:
    """A part of a whole."""
    return f"{100 * part:.1f} %"


def span(ends: Range) -> str:
    """A range, or the number where both ends are written alike."""
    return " to ".join(dict.fromkeys(map(digits, ends)))


def cells(group: Group) -> dict[str, str]:
    """What the group allows, counts, spends and keeps."""
    ranges = {name: span(getattr(group, name)) for name in ("epsilon", "records", "spent", "left")}
    nothing = NOTHING * group.epsilon[1] if isfinite(group.epsilon[1]) else 0.0
    low, high = (0.0 if kept <= nothing else kept for kept in group.kept)
    return ranges | {"kept": span((low, high)), "users": str(group.users), "weight": percent(group.weight)}


def parts(squares: dict[str, float]) -> str:
    """What an expected square consists of; parts below a thousandth are left out."""
    total = sum(squares.values())
    large = [
        f"{words} {percent(squares[name] / total)}" for name, words in _PARTS.items() if squares[name] > total / 1000
    ]
    return ", ".join(large)
