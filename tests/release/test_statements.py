"""A statement for those whose values are used: every sentence and number holds for every plan, against the library."""

import math
import re

import numpy as np
import pytest

from hdp.release import Plan, plan, radii, receipts, statement, tilt
from hdp.users import Users
from tests.release.test_plans import populations

USERS = Users(
    [0.1] * 70 + [0.5] * 30 + [2.0] * 20 + [math.inf] * 5, ["curator"] * 60 + ["local"] * 40 + ["curator"] * 25
)
SPREAD = Users(np.random.default_rng(1).uniform(0.1, 2, 300), ["curator", "local", "curator"] * 100)
RECORDS = Users(np.repeat([0.05, 0.3], 500), records=np.repeat([900, 1], 500))
PLANS = [
    plan([math.inf] * 9),
    plan(Users([9.0, 20.0] * 50, "local"), "mixed", reports="noisy"),
    plan(USERS, "mixed", variance=0.01),
    plan([1.0] * 300 + [2.0] * 10, noise="gaussian", spend=1 / 3, lower=0, upper=150_000),
    plan(RECORDS, "truncated", prior=(0.4, 0.02)),
    plan(SPREAD, "mixed"),
    plan([1e-9, *[1.0] * 300], "threshold"),
    plan([1.0, 1e9] * 300),
]


def read(text):
    """A number as the page writes it, with a power of ten or without."""
    power = re.fullmatch(r"(?:(.+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if power:
        return float(f"{power[1] or 1}e{power[2].translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}")
    return float(text.replace(",", ""))


def rows(text):
    """The cells of the table."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def exponent(loss, made):
    """By which power of e the odds rise: rho + 2 sqrt(rho log(1/delta)) with a chance of more of at most delta."""
    return loss if made.noise == "laplace" else loss + 2 * math.sqrt(loss * math.log(1e6))


def check_rows(made):
    """Every user is in a row with a loss of at least hers and at most her budget, that leaves her no more than it."""
    table, kinds, found = rows(statement(made)), made.kinds, receipts(made)
    public = sum(read(users) for users, budget, *_ in table if budget == "none: public")
    assert public == kinds.users[np.isinf(kinds.epsilon)].sum()
    for users, budget, trust, records, loss, odds, left, part in table:
        if budget == "none: public":
            assert (loss, odds) == ("no limit",) * 2 and left == "nothing is promised"
            continue
        low, high = (read(end) for end in (budget.split(" to ") * 2)[:2])
        here = (kinds.epsilon >= low) & (kinds.epsilon <= high)
        here &= kinds.local == (trust == "nobody") if high else True
        ends = [float(end) for end in (records.split(" to ") * 2)[:2]]
        here &= (kinds.records >= ends[0]) & (kinds.records <= ends[1])
        assert kinds.users[here].sum() >= int(users.replace(",", "")) > 0
        spent = found.spent[here].max()
        assert spent * (1 - 1e-12) <= read(loss) <= min(high, max(spent * 1.01, 1e-300)) * (1 + 1e-12)
        assert read(left) <= found.kept[here].min()
        assert read(left) >= 0.99 * found.kept[here].min() - 2e-9 * high
        power = exponent(spent, made)
        if odds.startswith("× e^"):
            assert power > 20 and power <= read(odds[4:]) * (1 + 1e-12)
        else:
            assert math.exp(power) * (1 - 1e-9) <= read(odds[2:]) <= 1.011 * math.exp(power)
        assert float(part.removesuffix(" %")) == pytest.approx(100 * kinds.users[here] @ made.weights[here], abs=0.11)


def check_sentences(made, text):
    """Each sentence that not every plan has is there where it is true, and there alone."""
    kinds, private = made.kinds, np.isfinite(made.kinds.epsilon)
    told, counted = (kinds.weight > 0).any(), kinds.counted.any()
    noisy = counted and (private & kinds.counted).any()
    spent, bits = receipts(made).spent, set(kinds.bit[kinds.weight > 0].tolist())
    never = ~kinds.counted & (kinds.weight == 0)
    wanted = {
        "whatever the values are.\nNo value is used, and nobody loses anything.": made.constant,
        "One answer is published": not made.constant,
        "Random noise is added": noisy,
        "as reports, which chance has changed": told,
        "It has no noise, because only public values": not made.constant and not noisy and not told,
        "a narrower one": not made.constant and ((kinds.high - kinds.low < 1) & (made.weights > 0)).any(),
        "The largest loss in the table": (spent[private] > 0).any(),
        "**The curator** sees": (kinds.counted & private).any(),
        "**Who trusts nobody** hands over": told,
        "a report, one bit that is wrong": bits == {True},
        "a report, a number with noise, made": bits == {False},
        "a report, a number with noise or one bit that": bits == {True, False},
        "**Where the table says that a loss is 0**": (never & private & (kinds.epsilon > 0)).any(),
        "**Public values** may be seen": (~private & ~never).any(),
        "leaves that to OpenDP": noisy or told,
        "has a ledger of her own": told,
        "and from a report of yours": told and (spent[private] > 0).any(),
        "are in nats": made.noise == "laplace",
        "are in rho": made.noise == "gaussian",
        "with a chance of one in a million": made.noise == "gaussian",
        f"    plan:{made.digest}\n": True,
    }
    for words, holds in wanted.items():
        assert (words in text) == bool(holds), words


def check_numbers(made, text):
    """They are not on the unsafe side, nor far on the safe one."""
    most, near = receipts(made).spent[np.isfinite(made.kinds.epsilon)].max(initial=0), radii(made).population
    belief, half = 100 / (1 + math.exp(-exponent(most, made))), (made.upper - made.lower) / 2
    for pattern, exact, here in (
        (r"loss in the table, but for public values, is (\S+) (nats|rho)\.", most, most > 0),
        (r"then gives yours (\S+) % at the most", belief, 0 < exponent(most, made) < 6),
        (r"of at most (\S+), if what the plan was told", made.error.total**0.5, not made.constant),
        (r"within (\S+) of the mean from .* drawn, with a chance of at least 95 %", near, not made.constant),
        (r"of no use: within (\S+) of", near, not made.constant and near >= half),
        (r"very users may be (\S+) further away", tilt(made), tilt(made) > 0 and near < half),
    ):
        found = re.search(pattern, text)
        assert bool(found) == here
        assert not here or exact * (1 - 1e-12) <= read(found[1]) <= 1.01 * exact
    given = text.count("if what the plan was told of their spread is right")
    assert given == (not made.constant) * (1 + (made.method == "truncated" or made.variance is not None))
    assert "nan" not in text.lower() and "∞" not in text


def test_what_is_said_is_true_of_the_plan():
    for made in [*PLANS, *(made for _, made in populations(150))]:
        text = statement(made)
        check_sentences(made, text)
        check_numbers(made, text)
        if made in PLANS or np.unique(made.kinds.epsilon).size == made.kinds.users.size <= 12:
            check_rows(made)
        assert sum(int(row[0].replace(",", "")) for row in rows(text)) == made.n
    assert statement(Plan.from_json(made.to_json())) == text


def test_the_lines_of_python_print_the_receipts(tmp_path, monkeypatch, capsys):
    made = PLANS[2]
    (tmp_path / "plan.json").write_text(made.to_json(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    (?!plan:)(.*)$", statement(made), re.M)
    exec("\n".join(lines), {})
    assert capsys.readouterr().out.splitlines() == [str(receipt) for receipt in receipts(made)]
