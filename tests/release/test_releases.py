"""Releases through OpenDP: its own account of the losses, and the errors that were expected.

OpenDP draws from the system's randomness, so no seed repeats a draw.  Averages over thousands of releases are compared
within six standard errors: what is right fails less than once in ten million runs, and a noise ten per cent too large
or too small is seen all but always.
"""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")

from hdp._report import shown
from hdp.compare import Population
from hdp.proof import assert_monte_carlo
from hdp.release import (
    Release,
    left,
    measurement,
    measuring,
    new_ledger,
    plan,
    published,
    radii,
    receipts,
    release,
    release_together,
    report,
    report_value,
)
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import opendp
from hdp.sym.use import real_release as sym
from tests.release.test_plans import KINDS, METHODS, loss, populations

SIGMAS = 6


@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_opendp_accounts_for_every_user_within_her_budget(method, noise):
    """For 60 populations of each: its map of a user is what she loses, rounded up, and never above her budget."""
    asked = 0
    for users, made in populations(60, method, noise):
        if not made.kinds.counted.any():
            continue
        measure, found, kind = measurement(made, users), receipts(made, users), made.kind_of(users)
        for i in np.flatnonzero(~users.local):
            account = measure.map(int(i))
            assert account <= users.epsilon[i] and account == pytest.approx(found.spent[i], rel=1e-12)
            if not made.noiseless:
                assert account >= loss(made.kinds.share[kind[i]], made)
                asked += 1
    assert asked > 100


def thousand(method, noise, rng):
    """Users of three budgets and a few public ones, twenty local ones where the method has any; plan, and samples."""
    local = 20 if method not in ("adpm", "threshold") else 0
    epsilon = rng.choice([0.05, 0.2, 1.0, math.inf], 1000, p=[0.5, 0.3, 0.19, 0.01])
    epsilon[:local] = np.resize([3.0, 9.0], local)
    users = Population(epsilon, np.repeat(["local", "curator"], [local, 1000 - local]), np.resize([1, 400], 1000))
    if "prior" not in METHODS[method]:
        made = plan(users, method, noise=noise, lower=-3.0, upper=5.0)
        return users, made, lambda: np.where(rng.random(1000) < 0.5, -3.0, 5.0)
    made = plan(users, method, noise=noise, prior=(0.5, 0.02))
    shape = (0.25 / 0.02**2 - 1) / 2
    return users, made, lambda: rng.binomial(users.records.astype(int), rng.beta(shape, shape, 1000)) / users.records


@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_the_error_is_the_expected_one(method, noise):
    """A thousand users of each method; values on the ends, or with the moments and the mean of the prior."""
    users, made, draw = thousand(method, noise, np.random.default_rng(5))
    curated, mean, found = method in ("adpm", "threshold"), (made.lower + made.upper) / 2, []
    measure = measurement(made, users)
    assert made.kinds.low.any() == (method == "truncated") and made.kinds.weight.any() == (not curated)
    for _ in range(3000 if curated else 150):
        x = draw()
        if curated:
            found.append(made.lower + (made.upper - made.lower) * measure(x) / made.total)
            continue
        told = [None] * users.size
        for i in np.flatnonzero(users.local):
            told[i] = report(made, users.epsilon[i], x[i], int(users.records[i]))
        found.append(release(made, users, x, reports=told).unclamped)
    error = made.error
    assert_monte_carlo(found, mean, SIGMAS)
    assert_monte_carlo((np.array(found) - mean) ** 2, error.sampling + error.noise + error.reports, SIGMAS)


def test_the_noise_alone_is_the_expected_one():
    """Of values that do not vary: this sees a scale that is off by a tenth."""
    users = Population([0.1, 1.0] * 500)
    made = plan(users, bits=20)
    measure = measurement(made, users)
    x = np.full(1000, 1.0)
    noise = np.array([measure(x) / made.total - 1 for _ in range(6000)])
    assert_monte_carlo(noise, 0, SIGMAS)
    assert_monte_carlo(noise**2, made.error.noise, SIGMAS)
    with pytest.raises(AssertionError, match="standard errors"):
        assert_monte_carlo(noise**2, 1.21 * made.error.noise, SIGMAS - 2)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("reports", ["simple", "noisy"])
def test_a_report_follows_the_value_and_varies_as_the_plan_says(reports, noise):
    """Not only on average over values: for each of three, whatever the kind of the report."""
    users = Population([0.5, 3.0] * 30, "local")
    made = plan(users, "mixed", reports=reports, noise=noise)
    assert made.kinds.bit.all() == (reports == "simple")
    for row, (epsilon, x) in ((0, (0.5, 0.0)), (1, (3.0, 0.3)), (1, (3.0, 1.0))):
        found = np.array([report_value(made, epsilon, report(made, epsilon, x)) for _ in range(1000)])
        assert_monte_carlo(found, x, SIGMAS)
        if reports == "noisy":
            variance = (2.0 if noise == "laplace" else 1.0) * (2.0**made.bits / made.kinds.share[row]) ** 2
        else:
            lie = chance_of_a_lie(epsilon, noise)
            variance = 0.25 / (1 - 2 * lie) ** 2 - (x - 0.5) ** 2
        assert_monte_carlo((found - x) ** 2, variance, SIGMAS)


def test_a_mean_is_taken_to_the_interval_of_its_kind():
    """That of the truncated release is shorter: a value beyond its end is told as that end, and so is the answer."""
    users = Population([1e9] * 20, records=400)
    made = plan(users, "truncated", prior=(0.5, 0.02))
    high = float(made.kinds.high[0])
    assert 0.6 < high < 0.9
    assert release(made, users, np.ones(20)).answer == pytest.approx(high, abs=1e-6)
    assert release(made, users, np.full(20, 0.55)).answer == pytest.approx(0.55, abs=1e-6)
    mine = Population([1e9] * 20, "local", 400)
    made = plan(mine, "truncated", prior=(0.5, 0.02), reports="noisy")
    told = report_value(made, 1e9, report(made, 1e9, 1.0, 400), 400)
    assert told == pytest.approx(float(made.kinds.high[0]), abs=1e-6)


def test_where_no_value_is_counted_the_sum_is_0():
    """And nothing has drawn a noise."""
    users = Population([0.1, 0.1])
    made = plan(users)
    assert made.constant and release(made, users, [0.2, 0.9]) == Release(made.digest, 0.5, 0.5, 0, "none")


@pytest.mark.settles("hdp-release-grid")
def test_rounding_the_answer_costs_everybody_the_grid():
    """What OpenDP asks for a sum in floating point that is rounded to a grid: the budget and the grid."""
    dp = opendp()
    dp.enable_features("idealized-numerics")
    for k in (-30, -20, -10):
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        measure = dp.m.make_laplace(*space, scale=1.0, k=k)
        for epsilon in (1e-6, 0.001, 0.1, 1.0):
            charged = measure.map(epsilon)
            stated = float(sym.rounded_after.subs({sym.bits: -k, sym.epsilon: sp.Rational(epsilon)}) * epsilon)
            assert charged > epsilon and charged == pytest.approx(stated, rel=1e-12)


def test_ends_that_are_large_for_their_distance_cost_their_digits():
    """All answers lie within the radius of the noise, to which the floats at the ends give nearly all."""
    low, high = 1e12, 1e12 + 2.0**-10
    made = plan([1.0] * 16384, lower=low, upper=high)
    radius = radii(made, 0.05).noise
    assert 2.0**-14 < radius < 2.0**-10 and made.error.rounding**0.5 > 2.0**-14
    people, values = Population([1.0] * 16384), np.full(16384, low + 2.0**-12)
    assert all(abs(release(made, people, values).answer - values[0]) <= radius for _ in range(20))
    assert shown.between(low, high) == "[1000000000000.0, 1000000000000.001]" and shown.between(0, 9e4) == "[0, 90000]"


def test_public_values_are_averaged_exactly():
    made, users = plan([math.inf] * 4), Population([math.inf] * 4)
    assert release(made, users, [0.0, 0.25, 0.5, 1.0]).answer == 0.4375
    assert measurement(made, users).map(0) == math.inf


@pytest.mark.settles("hdp-release-outputs")
def test_values_outside_are_taken_to_the_nearer_end_and_the_answer_too():
    users = Population([40.0] * 20)
    made = plan(users, lower=2.0, upper=3.0)
    total = measuring.summed(made, made.kind_of(users))
    for end, unit in ((-1.79e308, 0), (-1e300, 0), (1e300, 1), (1.79e308, 1)):
        assert total([end] * 20) == 20 * unit * made.kinds.share[0], "the largest floats count as the ends, too"
    far = release(made, users, [1e300, -1e300] * 10)
    assert far.unclamped == pytest.approx(2.5, abs=0.2) and "OpenDP 0." in far.sampler
    assert {release(made, users, [3.0] * 20).answer <= 3.0 for _ in range(30)} == {True}
    assert {release(made, users, [2.0] * 20).answer >= 2.0 for _ in range(30)} == {True}
    assert json.loads(far.to_json())["plan"] == made.digest


@pytest.mark.parametrize(
    "values", [[math.nan] + [0.5] * 9, [0.5] * 9 + [-math.inf], [0.5] * 9, [[0.5] * 10], "no", [None] * 10, [[1], 2]]
)
def test_values_that_do_not_fit_are_refused_before_the_ledger_is_charged(values, tmp_path):
    """By the release and by the measurement alone, which asks the same question."""
    users, ledger = Population([2.0] * 10), tmp_path / "ledger.json"
    new_ledger(plan(users), ledger)
    with pytest.raises(ValueError, match=r"^values must be"):
        release(plan(users), users, values, ledger)
    assert json.loads(ledger.read_text())["plans"] == []
    with pytest.raises(opendp().OpenDPException, match="values must be"):
        measurement(plan(users), users)(values)


@pytest.mark.settles("hdp-release-ledger")
def test_no_noise_is_drawn_where_the_ledger_refuses(tmp_path, monkeypatch):
    """And where it does not, the entry stands by then."""
    users, ledger, entered = Population([2.0] * 10), tmp_path / "ledger.json", []

    def draw(_):
        entered.append(json.loads(ledger.read_text())["plans"])
        return 0

    new_ledger(plan(users), ledger)
    monkeypatch.setattr(measuring, "measurement", lambda *_: draw)
    release(plan(users), users, [0.5] * 10, ledger)
    with pytest.raises(ValueError, match="ledger must leave budgets"):
        release(plan(users), users, [0.5] * 10, ledger)
    assert entered == [[plan(users).digest]]


@pytest.mark.parametrize("odd", ["0.737", 10**400, 1j, None, object(), Fraction(1, 10**400), float("nan")])
def test_what_stands_at_an_unused_place_is_not_even_converted(odd):
    users = Population([0.0, 5.0, 5.0] * 10, ["curator", "curator", "local"] * 10)
    made = plan(users, "mixed")
    told = [None, None, report(made, 5.0, 0.5)] * 10
    with np.errstate(all="raise"):
        assert math.isfinite(release(made, users, [odd, 0.5, odd] * 10, reports=told).answer)
    with pytest.raises(ValueError, match="values must be finite where the plan uses them") as refused:
        release(made, users, [0.5, odd, 0.5] * 10, reports=told)
    assert "737" not in str(refused.value)


def test_what_the_plan_does_not_use_is_not_read():
    """Users without a budget, and whatever stands where a local user's value would."""
    users = Population([0.0, 5.0, 5.0] * 10)
    x = [math.nan, 0.5, 0.5] * 10
    assert math.isfinite(release(plan(users), users, x).answer)
    users = Population([5.0] * 30, ["curator"] * 20 + ["local"] * 10)
    made = plan(users, "mixed")
    told = [None] * 20 + [report(made, 5.0, 0.5) for _ in range(10)]
    for unread in (math.nan, math.inf, 1.7e308, 0.737):
        assert math.isfinite(release(made, users, [0.5] * 20 + [unread] * 10, reports=told).unclamped)


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize("kind", [("laplace", "simple"), ("laplace", "noisy"), ("gaussian", "noisy")])
def test_a_raw_value_cannot_stand_where_a_report_belongs(kind):
    """Nor a report for another plan, nor one that the noise has no business to be; messages name the user alone."""
    noise, reports = kind
    users = Population([1.0] * 300 + [2.0], ["curator"] * 300 + ["local"])
    made = plan(users, "mixed", noise=noise, reports=reports)
    told, names = report(made, 2.0, 0.737), [f"u{i}" for i in range(301)]
    start, _, share = told.rpartition("/")
    start, whole = start.rpartition(":")[0], 737 if reports == "noisy" else 1
    assert start == f"report:{made.digest[:16]}:1"
    far = (91 if noise == "laplace" else 15) * made.scale + int(share)
    good = [told, f"{start}:{whole}/{share}", f" {told} "]
    wrong = [0.737, "0.737", "1", 1, "1000000.0", "", None, math.nan, f"{whole}/{share}", f"{start}:0.737/{share}"]
    wrong += [f"{start}:{whole}/{int(share) + 1}", f"{start}:{far}/{share}", f"{start}:-{far}/{share}", told + "0"]
    wrong += [
        told.replace("report", "Report"),
        f"report:{'0' * 16}:1:{whole}/{share}",
        start.replace(":1", ":0") + f":{whole}/{share}",
        [told],
        told.encode(),
    ]
    for text in good:
        assert math.isfinite(release(made, users, [0.5] * 301, reports=[""] * 300 + [text]).answer)
    for text in wrong:
        with pytest.raises(
            ValueError, match=r"reports must be as `report` made them .* none of user 'u300'"
        ) as refused:
            release(made, users, [0.5] * 301, reports=[None] * 300 + [text], names=names)
        assert "0.737" not in str(refused.value)
    for wrong_shape in (None, told, [told], [told] * 300):
        with pytest.raises(ValueError, match="reports must hold one text, or None, for each of 301 users"):
            release(made, users, [0.5] * 301, reports=wrong_shape)


def test_one_report_moves_the_answer_by_no_more_than_its_law_allows():
    """A user of a small weight decides nothing alone, whatever she hands over."""
    users = Population([1.0] * 300 + [0.1], ["curator"] * 300 + ["local"])
    made = plan(users, "mixed", reports="noisy")
    start, most = f"report:{made.digest[:16]}:0", 90 * made.scale
    share, weight = made.kinds.share[made.kinds.local][0], made.kinds.weight.max()
    largest = release(made, users, [0.5] * 301, reports=[None] * 300 + [f"{start}:{share + most}/{share}"])
    assert 0 < weight < 1e-4 and largest.unclamped < 1 + 901 * weight


@pytest.mark.settles("hdp-release-ledger")
def test_columns_are_released_together_or_not_at_all(tmp_path, monkeypatch):
    """All are in the ledger before the first noise is drawn; one too much, or one bad value, and none is."""
    budgets, file = [0.5, 1.0] * 50, tmp_path / "ledger.json"
    users, x = Population(budgets), np.linspace(0, 1, 100)
    plans = [plan(users, spend=share, upper=upper) for share, upper in ((0.5, 9000.0), (0.3, 100.0), (0.2, 1.0))]
    values, seen, answer = [9000 * x, 100 * x, x], [], measuring.answered
    new_ledger(plans[0], file)

    def watched(*arguments):
        seen.append(json.loads(file.read_text())["plans"])
        return answer(*arguments)

    monkeypatch.setattr(measuring, "answered", watched)
    empty = file.read_text()
    wrong = [*values[:2], np.where(x == 1, np.nan, x)]
    dear = [plans[0], plans[1], plan(users, spend=0.25)]
    others = [*plans[:2], plan([*budgets, 1.0])]
    gaussian = [*plans[:2], plan(users, spend=0.2, noise="gaussian")]
    for refused, columns, said in (
        (plans, wrong, "values must be finite"), (dear, values, "ledger must leave budgets for release 3"),
        (others, values, "population must be the one"), (gaussian, values, "ledger must be for gaussian noise"),
        (plans, values[:2], "values and reports must be one each for 3 plans"), ([], [], "at least 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            release_together(refused, users, columns, file)
        assert file.read_text() == empty and not seen
    made = release_together(plans, users, values, file)
    assert seen == [[one.digest for one in plans]] * 3 and published(file) == made
    assert [one.plan for one in made] == seen[0] and len({one.noisy_sum for one in made}) == 3
    for one, of in zip(made, plans, strict=True):
        assert abs(one.answer - of.upper / 2) < 9 * of.error.total**0.5
    spent = sum(receipts(one).spent for one in plans)
    assert left(plans[0], file) == pytest.approx(plans[0].kinds.epsilon - spent, abs=1e-12)
    with pytest.raises(ValueError, match="ledger must leave budgets for release 4"):
        release(plans[2], users, x, file)


def test_reports_are_those_of_their_column():
    users = Population([9.0] * 30, "local")
    plans = [plan(users, "mixed", spend=share) for share in (0.7, 0.3)]
    told = [[report(made, 9.0, value)] * 30 for made, value in zip(plans, (0.0, 1.0), strict=True)]
    made = release_together(plans, users, [[None] * 30] * 2, reports=told)
    assert [one.noisy_sum for one in made] == [0, 0] and made[0].unclamped != made[1].unclamped
    with pytest.raises(ValueError, match="reports must be as `report` made them for this plan"):
        release_together(plans, users, [[None] * 30] * 2, reports=told[::-1])
    with pytest.raises(ValueError, match="reports must hold"):
        release_together(plans, users, [[None] * 30] * 2)


def test_columns_that_are_none_are_refused_by_name_and_not_shown():
    users, one = Population([2.0] * 30), plan([2.0] * 30)
    for value in (0.737, "0.737", None, object()):
        with pytest.raises(TypeError, match="values must be a sequence") as wrong:
            release_together([one], users, value)
        assert "737" not in str(wrong.value)
        with pytest.raises((TypeError, ValueError), match="values must") as wrong:
            release_together([one], users, [value])
        assert "737" not in str(wrong.value) + repr(wrong.value.__cause__)
        if value is not None:
            with pytest.raises(TypeError, match="reports must be a sequence"):
                release_together([one], users, [[0.5] * 30], reports=value)
    for plans in (one, None, "plan.json", [None], ["plan.json"]):
        with pytest.raises(TypeError, match=r"plans? must be"):
            release_together(plans, users, [[0.5] * 30])
