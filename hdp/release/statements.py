"""A page for those whose data are used: what a plan says, in plain words, and what each sentence promises.

Whatever it says follows from the plan.  What is lost at most is rounded up, and what is left at least down.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np

from hdp import _validate
from hdp._number import bound, number
from hdp.release.accuracy import IF_TOLD, says
from hdp.release.groups import NOTHING, groups
from hdp.release.plans import Plan

_HEAD = (
    "users", "budget", "whom they trust", "records of each", "each loses at most", "odds rise at most",
    "of her budget this leaves at least", "together they have of the answer",
)  # fmt: skip
_REPORTS = {False: "a number with noise", True: "one bit that is wrong with a known chance"}
_RARE, _RARELY = 1e-6, "one in a million"  # of a loss with Gaussian noise, which has no other end
_SURE, _LARGE = 6.0, 20.0  # nats beyond which a belief is all but certain, and odds are written as a power


def statement(plan: Plan) -> str:
    r"""What a release by this plan means for those whose values it uses, in plain words.

    Parameters
    ----------
    plan : Plan
        The plan, from which every sentence and number follows; no value is read.

    Returns
    -------
    str
        A page in Markdown: what is published, who loses how much at most and keeps what, what a loss means in odds,
        who is trusted with what, for how long it holds, and how a receipt is checked.  Odds rise by a factor of at most
        :math:`e^\epsilon`, and with Gaussian noise by :math:`e^{\rho + 2\sqrt{\rho\log 10^6}}`, but for one chance in a
        million.

    Examples
    --------
    >>> from hdp.release import plan, statement
    >>> text = statement(plan([0.5, 1.0, float("inf")] * 100))
    >>> print(text.splitlines()[0])
    # What happens to your value
    >>> [line for line in text.splitlines() if line.startswith("| 100 | 0.5 ")]
    ['| 100 | 0.5 | the curator | 1 | 0.5 | × 1.65 | 0 | 27.5 % |']
    """
    plan = _validate.instance("plan", plan, Plan)
    parts = {
        "What is published": _published(plan),
        "Who loses how much": _losses(plan),
        "What a loss means": _meaning(plan),
        "Whom you trust, and with what": _trusted(plan),
        "For how long": _lasting(plan),
        "How to check your receipt": _checking(plan),
    }
    sections = [f"## {title}\n\n" + "\n".join(lines) for title, lines in parts.items() if lines]
    return "\n\n".join(["# What happens to your value", *sections]) + "\n"


def _published(plan):
    low, high = _exact(plan.lower), _exact(plan.upper)
    public = (
        "Anybody may know the plan, and with it the interval and how many users there are of each budget, trust and"
        " number of records: nothing hides that, nor who takes part."
    )
    if plan.constant:
        centre = _exact((plan.lower + plan.upper) / 2)
        return [f"The answer is {centre}, the centre of the interval from {low} to {high}, whatever the values are.",
                "No value is used, and nobody loses anything.", "", public]  # fmt: skip
    told = "Values of those who trust nobody come into it as reports, which chance has changed."
    lines = [
        f"One answer is published, a weighted average of values, each of which is taken to the interval from {low} to"
        f" {high} first{', or to a narrower one within it, which the plan names' if _narrow(plan) else ''}.",
        *(["Random noise is added to the sum of the values that the curator sees."] if _noisy(plan) else []),
        *([told] if plan.reported else []),
        *([] if _noisy(plan) or plan.reported else ["It has no noise, because only public values are used."]),
        "As an estimate of the mean from which independent values in this interval are drawn it has a typical error"
        f" (root mean square) of at most {bound(math.sqrt(plan.error.total))}, {IF_TOLD}.",
        f"It is {says(plan)}.",
        "What else is published follows from the same numbers: the sum with its noise, the answer before it is taken to"
        " the interval, and what drew the noise.",
    ]
    return [*lines, "", public]


def _losses(plan):
    rows = [_HEAD, ["---"] * len(_HEAD), *(_row(group, plan.noise) for group in groups(plan))]
    unit = "nats" if plan.noise == "laplace" else "rho, the unit of zero-concentrated privacy"
    rare = [] if plan.noise == "laplace" else [f"The odds may rise by more with a chance of {_RARELY}."]
    said = [
        f"Budgets and losses are in {unit}.",
        "A loss is what this answer costs, whatever the values are.",
        *rare,
        "",
    ]
    return [*said, *(f"| {' | '.join(row)} |" for row in rows)]


def _row(group, noise):
    low, high = group.epsilon
    budget = _exact(high) if low == high else f"{_down(low)} to {_up(high)}"
    records = " to ".join(dict.fromkeys(map(_exact, group.records)))
    trust = "nobody" if group.local else "the curator"
    part, users = f"{100 * group.weight:.1f} %", number(group.users)
    if math.isinf(high):
        return users, "none: public", "need trust nobody", records, "no limit", "no limit", "nothing is promised", part
    lost = group.spent[1]
    loss = _exact(high) if low == high < _ceil(lost) else _up(lost)
    left = 0.0 if group.kept[0] <= NOTHING * high else group.kept[0]
    trust = trust if high else "nobody: not used"
    return users, budget, trust, records, loss, f"× {_odds(lost, noise)}", _down(left), part


def _meaning(plan):
    private = np.isfinite(plan.kinds.epsilon)
    spent = [group.spent[1] for group in groups(plan) if math.isfinite(group.epsilon[1])]
    if not private.any() or not max(spent):
        return []
    most, odds = max(spent), _odds(max(spent), plan.noise)
    sure = _exponent(most, plan.noise) >= _SURE
    likely = f"Who gave both the chance 50 % then gives yours {belief(most, plan.noise)} at the most"
    rare, unit = ("", "nats") if plan.noise == "laplace" else (f", but for a chance of {_RARELY}", "rho")
    return [
        f"The largest loss in the table, but for public values, is {_up(most)} {unit}.",
        "It limits what anybody who has not seen your value finds out about it from all that is published"
        f"{', and from a report of yours' if plan.reported else ''}: the odds that you hold your value, against any"
        f" other one, rise by a factor of at most {odds}{rare}.",
        *([f"{likely}{rare}."] if not sure else []),
        "That holds whatever else he knows of you or of others, as long as the others' values tell him nothing of"
        " yours; where they do, as in a family, he may learn that from theirs.",
        "Your value is protected as a whole, of however many records it is the mean.",
    ]


def _trusted(plan):
    kinds = plan.kinds
    private, used = np.isfinite(kinds.epsilon), kinds.counted | (kinds.weight > 0)
    lines = []
    if (kinds.counted & private).any():
        lines.append(
            "- **The curator** sees the values of those who trust her, and is trusted to use them for this answer, with"
            " its noise, and to show them to nobody."
        )
    if plan.reported:
        bit = set(kinds.bit[kinds.weight > 0].tolist())
        kind = _REPORTS[bit.pop()] if len(bit) == 1 else " or ".join(_REPORTS.values())
        lines.append(
            f"- **Who trusts nobody** hands over a report, {kind}, made on her own machine; it costs what the table"
            " says, whoever sees it.\n  She trusts that machine, and the program on it."
        )
    if (private & ~used & (kinds.epsilon > 0)).any():
        lines.append("- **Where the table says that a loss is 0**, the value is not used, and need not be handed over.")
    if (~private & used).any():
        lines.append("- **Public values** may be seen by anybody.")
    if _noisy(plan) or plan.reported:
        lines.append("- **Everybody** trusts that the program draws its noise as it says (it leaves that to OpenDP).")
    return lines


def _lasting(plan):
    lines = [
        "What has been published cannot be taken back, so the limit of your loss does not end: it holds whatever"
        " anybody learns or computes later.",
        "Another answer from the same values costs anew, and losses add up.",
        "The curator is trusted to enter every answer in one ledger, which refuses the one by which anybody would lose"
        " more than her budget, as long as everybody's budget stays as it is.",
    ]
    if plan.reported:
        lines.append("Who trusts nobody has a ledger of her own, which does the same for her reports.")
    lines.append("What earlier answers have cost is in the ledger, and is not deducted in the table.")
    return lines


def _checking(plan):
    return [
        "Your receipt is a row with your budget, what the answer takes of it at most and what it leaves, below a header"
        " that ends in the name of the plan:",
        "", f"    plan:{plan.digest}", "",
        "The name is the SHA-256 of the plan's text, the file `plan.json`: `sha256sum plan.json` prints it (on Windows"
        " `certutil -hashfile plan.json SHA256`, on a Mac `shasum -a 256 plan.json`).",
        "If it is another one, or the row has another budget than yours, then it is no receipt of yours for this plan.",
        "Python computes all receipts of the plan anew:",
        "", "    from pathlib import Path",
        "    from hdp.release import Plan, receipts", "",
        "    made = Plan.from_json(Path(\"plan.json\").read_text(encoding=\"utf-8\"))",
        "    print(*receipts(made), sep=\"\\n\")",
    ]  # fmt: skip


def _noisy(plan):
    return bool(plan.kinds.counted.any()) and not plan.noiseless


def _narrow(plan):
    return bool(((plan.kinds.high - plan.kinds.low < 1) & (plan.weights > 0)).any())


def _exponent(loss, noise):
    """By which power of e the odds rise at most; with Gaussian noise but for a chance of one in a million."""
    return loss if noise == "laplace" else loss + 2 * math.sqrt(loss * math.log(1 / _RARE))


def belief(loss: float, noise: str) -> str:
    """What a chance of 50 % may have become by this ``loss``, in percent, rounded up."""
    return f"{_up(100 / (1 + math.exp(-_exponent(loss, noise))), 3)} %"


def _odds(loss, noise):
    power = _exponent(loss, noise)
    return f"e^{_up(power)}" if power > _LARGE else _up(math.exp(power), 3)


def _exact(value):
    """A number to its last digit."""
    return f"{float(value)!r}".removesuffix(".0")


def _ceil(value, digits=4):
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value * (1 - 1e-14))))


def _up(value, digits=4):
    """So many digits, not rounded down by more than floats round."""
    return number(_ceil(value, digits), digits)


def _down(value, digits=4):
    return number(float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value))), digits)
