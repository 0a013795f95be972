"""A local user's own ledger: exact sums, refusals, and what a report costs."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import new_own_ledger, plan, receipts, report, report_value, spend
from tests.release.test_plans import loss

NO_BUDGETS = [-1.0, math.nan, Decimal("sNaN"), 10**400, None, "4", [], [4.0], [1, [2, 3]]]
KINDS = [(noise, reports) for noise in ("laplace", "gaussian") for reports in ("simple", "noisy")]


def made_for(epsilon, noise="laplace", reports="noisy", releases=1, bits=None):
    """A plan for local users of this budget."""
    users = Population([epsilon] * 900 + [7.0] * 9, "local")
    return plan(users, "mixed", noise=noise, reports=reports, releases=releases, bits=bits)


@pytest.mark.settles("hdp-release-own-ledger")
@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_what_was_spent_is_never_above_the_budget(noise, reports, tmp_path):
    """Plans of all kinds one after the other, as long as one is taken; the sums in fractions."""
    rng = np.random.default_rng(1)
    for run in range(20):
        epsilon, own, total = float(rng.uniform(2, 5)), tmp_path / f"{run}.json", Fraction(0)
        new_own_ledger(own, epsilon, noise)
        for _ in range(12):
            made = made_for(epsilon, noise, reports, int(rng.integers(2, 9)))
            row = int(np.flatnonzero(made.kinds.epsilon == epsilon)[0])
            cost = Fraction(float(receipts(made).spent[row]))
            assert cost >= (loss(made.kinds.share[row], made) if reports == "noisy" else 0)
            if total + cost > Fraction(epsilon):
                with pytest.raises(ValueError, match="ledger must leave a budget"):
                    spend(made, epsilon, own)
                continue
            total += cost
            assert 0 <= Fraction(spend(made, epsilon, own)) - total <= total / 2**52
        found = json.loads(own.read_text())
        assert sum(map(Fraction, found["spent"])) == total <= Fraction(epsilon) and len(found["plans"]) > 1


@pytest.mark.settles("hdp-release-own-ledger")
def test_the_last_digit_of_a_budget_counts(tmp_path):
    """Where sums of floats would say that all is well."""
    own, half = tmp_path / "own.json", made_for(1.0, releases=2)
    cost = float(receipts(half).spent[0])
    spent = [1 - cost, 2.0**-80]
    entries = {
        "schema": "hdp-own-ledger/2",
        "budget": 1.0,
        "noise": "laplace",
        "plans": ["a", "b"],
        "reports": [None, None],
    }
    assert sum([*spent, cost]) == 1 < sum(map(Fraction, [*spent, cost]))
    own.write_text(json.dumps(entries | {"spent": spent}))
    with pytest.raises(ValueError, match="ledger must leave a budget for report 3"):
        spend(half, 1.0, own)
    own.write_text(json.dumps(entries | {"spent": [1 - cost, 0.0]}))
    assert spend(half, 1.0, own) == 1


@pytest.mark.settles("hdp-release-own-ledger")
def test_another_budget_or_notion_wants_another_file(tmp_path):
    own = tmp_path / "own.json"
    new_own_ledger(own, 1.0)
    spend(made_for(1.0, releases=4), 1.0, own)
    text = own.read_text()
    for epsilon, noise in ((2.0, "laplace"), (1.0, "gaussian")):
        with pytest.raises(ValueError, match="ledger must be for the budget"):
            spend(made_for(epsilon, noise, releases=4), epsilon, own)
    assert own.read_text() == text


def test_who_does_not_report_spends_nothing(tmp_path):
    made = plan(Population([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    for epsilon, records in ((1.0, 1), (3.0, 1), (4.0, 2)):
        with pytest.raises(ValueError, match="epsilon must be that of local users who report"):
            spend(made, epsilon, tmp_path / "own.json", records)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("epsilon", "records", "allowed"),
    [(bad, 1, r"epsilon must .*(lie in \[0, inf\]|numeric|which a float can hold|scalar)") for bad in NO_BUDGETS]
    + [(4.0, bad, r"records must be an integer in \[1, 2\^53\)") for bad in (0, 1.5, math.nan, None, [], 10**400)],
    ids=lambda value: repr(value)[:9],
)
def test_what_is_no_budget_or_no_number_of_records_is_refused_by_name(epsilon, records, allowed, tmp_path):
    with pytest.raises(ValueError, match=allowed):
        spend(made_for(4.0), epsilon, tmp_path / "own.json", records)
    assert not list(tmp_path.iterdir())


def test_a_report_is_entered_before_it_is_made(tmp_path):
    """And a value that is no number is refused before it is entered; a file in use is left alone."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    own, made = tmp_path / "own.json", made_for(2.0, reports="simple")
    new_own_ledger(own, 2.0)
    empty, lock = own.read_text(), own.with_name("own.json.lock")
    lock.touch()
    for value, message in ((math.inf, "value must"), (0.3, "ledger must not be in use")):
        with pytest.raises(ValueError, match=message):
            report(made, 2.0, value, ledger=own)
        assert own.read_text() == empty
    lock.unlink()
    report(made, 2.0, 0.3, ledger=own)
    with pytest.raises(ValueError, match="ledger must leave a budget for report 2"):
        report(made, 2.0, 0.3, ledger=own)
    assert json.loads(own.read_text())["plans"] == [made.digest]


class Known:
    """OpenDP's measurements in the place of themselves: they say what they cost, and draw what is asked for.

    Noise is as many times its scale as `size`; a bit is told as it is, or with `size` 1 as it is not.  Before each draw
    `watch` is called.
    """

    def __init__(self, monkeypatch):
        import opendp.measurements as real

        self.size, self.dearer, self.watch = 0, 1.0, lambda: None
        for name in ("make_laplace", "make_gaussian", "make_randomized_response_bool"):
            monkeypatch.setattr(real, name, partial(self._made, getattr(real, name)))

    def _made(self, make, *domains, **options):
        true, known = make(*domains, **options), self

        class Measurement:
            def map(self, distance):
                return true.map(distance) * known.dearer

            def __call__(self, x):
                known.watch()
                return bool(x) != bool(known.size) if "prob" in options else x + round(known.size * options["scale"])

        self.options = options
        return Measurement()


@pytest.fixture
def known(monkeypatch):
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    return Known(monkeypatch)


@pytest.mark.settles("hdp-release-own-ledger")
@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_a_report_tells_as_much_as_its_ledger_counts(noise, reports, releases, known, tmp_path):
    """How far both ends are apart, over the noise that was really added, or the odds of a lie that was really told."""
    made, own = made_for(3.0, noise, reports, releases), tmp_path / "own.json"
    new_own_ledger(own, 3.0, noise)

    def told_of(x):
        return report_value(made, 3.0, report(made, 3.0, x))

    told = [told_of(x) for x in (-0.5, 0.0, 1.0, 1.5)]
    known.size = 1
    moved = told_of(0.0) - told[0]
    if reports == "noisy":
        assert told == [0, 0, 1, 1]
        ratio = 1 / moved
        loss = ratio if noise == "laplace" else ratio**2 / 2
    else:
        assert told[0] == told[1] == 1 - told[2] == 1 - told[3] == pytest.approx(0.5 - moved / 2)
        odds = math.log(known.options["prob"] / (1 - known.options["prob"]))
        assert moved == pytest.approx(1 / math.tanh(odds / 2), rel=1e-9)  # unbiased for this chance of a lie
        loss = odds if noise == "laplace" else odds * math.tanh(odds / 2)
    assert loss == pytest.approx(3 / releases, rel=1e-6)
    entered = []
    known.watch = lambda: entered.append(len(json.loads(own.read_text())["spent"]))
    for times in range(1, releases + 1):
        report(made, 3.0, 0.5, ledger=own)
        assert sum(json.loads(own.read_text())["spent"]) == pytest.approx(times * loss, rel=1e-6)
    with pytest.raises(ValueError, match="ledger must leave a budget"):
        report(made, 3.0, 0.5, ledger=own)
    assert entered == list(range(1, releases + 1)), "each is entered before it is drawn, and no other is drawn"


@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_spending_says_what_is_gone_and_how_much_more_may_go(noise, reports, tmp_path):
    """Where a tenth more than is left is asked for, it is refused, and the file stays."""
    made, own = made_for(3.0, noise, reports, 2), tmp_path / "own.json"
    new_own_ledger(own, 3.0, noise)
    assert spend(made, 3.0, own) == pytest.approx(1.5, rel=1e-6)
    kept = json.loads(own.read_text())
    assert kept["spent"] == [pytest.approx(1.5, rel=1e-6)]
    own.write_text(json.dumps(kept | {"spent": [1.55]}))
    with pytest.raises(ValueError, match="ledger must leave a budget"):
        spend(made, 3.0, own)
    own.write_text(json.dumps(kept | {"spent": [1.45]}))
    assert spend(made, 3.0, own) == pytest.approx(2.95, rel=1e-6)


@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_what_opendp_finds_dearer_than_the_plan_is_not_told(noise, reports, known):
    made = made_for(3.0, noise, reports)
    known.dearer = 1.02
    with pytest.raises(ValueError, match="cost"):
        report(made, 3.0, 0.5)
