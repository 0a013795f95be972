"""Releases through OpenDP: its own account of the losses, the errors that were expected, and each output.

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
    left,
    measurement,
    measuring,
    new_ledger,
    persons,
    plan,
    published,
    radii,
    receipts,
    release,
    release_together,
    report,
    report_value,
    spending,
)
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import opendp, summed
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
    users = Population([0.1, 1.0] * 500)
    made = plan(users, bits=20)
    measure = measurement(made, users)
    x = np.full(1000, 1.0)
    noise = np.array([measure(x) / made.total - 1 for _ in range(6000)])
    assert_monte_carlo(noise, 0, SIGMAS)
    assert_monte_carlo(noise**2, made.error.noise, SIGMAS)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_report_of_one_bit_follows_the_value_and_varies_as_the_plan_says(noise):
    made = plan(Population([0.5, 3.0] * 30, "local"), "mixed", noise=noise)
    assert made.kinds.bit.all()
    for epsilon, x in ((0.5, 0.0), (3.0, 0.3), (3.0, 1.0)):
        found = np.array([report_value(made, epsilon, report(made, epsilon, x)) for _ in range(1000)])
        assert_monte_carlo(found, x, SIGMAS)
        variance = 0.25 / (1 - 2 * chance_of_a_lie(epsilon, noise)) ** 2 - (x - 0.5) ** 2
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


@pytest.mark.parametrize("values", [[math.nan] + [0.5] * 9, [0.5] * 9 + [-math.inf], [0.5] * 9, [[0.5] * 10], "no"])
def test_values_that_do_not_fit_are_refused_before_the_ledger_is_charged(values, tmp_path):
    users, ledger = Population([2.0] * 10), tmp_path / "ledger.json"
    new_ledger(plan(users), ledger)
    with pytest.raises(ValueError, match=r"^values must be"):
        release(plan(users), users, values, ledger)
    assert json.loads(ledger.read_text())["plans"] == []
    with pytest.raises(opendp().OpenDPException, match="values must be"):
        measurement(plan(users), users)(values)


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


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("noise", "reports"), [("laplace", "simple"), ("laplace", "noisy"), ("gaussian", "noisy")])
def test_a_raw_value_cannot_stand_where_a_report_belongs(noise, reports):
    """Nor a report for another plan, nor one that the noise has no business to be; messages name the user alone."""
    users = Population([1.0] * 300 + [2.0], ["curator"] * 300 + ["local"])
    made, names = plan(users, "mixed", noise=noise, reports=reports), [f"u{i}" for i in range(301)]
    told = report(made, 2.0, 0.737)
    start, whole, share = f"report:{made.digest[:16]}:1", 737 if reports == "noisy" else 1, int(told.rpartition("/")[2])
    most = share + ((90 if noise == "laplace" else 14) * made.scale if reports == "noisy" else 0)
    for text in (told, f" {told} ", f"{start}:{whole}/{share}", f"{start}:{most}/{share}"):
        assert math.isfinite(release(made, users, [0.5] * 301, reports=[""] * 300 + [text]).answer)
    wrong = [0.737, "0.737", "", None, f"{whole}/{share}", f"{start}:0.737/{share}", told + "0", told.encode()]
    wrong += [f"{start}:{whole}/{share + 1}", f"{start}:{most + 1}/{share}", f"{start}:{share - most - 1}/{share}"]
    wrong += [f"report:{'0' * 16}:1:{whole}/{share}", f"{start[:-1]}0:{whole}/{share}"]
    for text in wrong:
        with pytest.raises(ValueError, match=r"reports must be as .* none of user 'u300'") as refused:
            release(made, users, [0.5] * 301, reports=[None] * 300 + [text], names=names)
        assert "0.737" not in str(refused.value)
    for wrong_shape in (None, told, [told] * 300):
        with pytest.raises(ValueError, match="reports must hold one text, or None, for each of 301 users"):
            release(made, users, [0.5] * 301, reports=wrong_shape)


@pytest.mark.settles("hdp-release-ledger")
def test_columns_are_released_together_or_not_at_all(tmp_path, monkeypatch):
    budgets, file = [0.5, 1.0] * 50, tmp_path / "ledger.json"
    users, x = Population(budgets), np.linspace(0, 1, 100)
    plans = [plan(users, spend=share, upper=upper) for share, upper in ((0.5, 9000.0), (0.3, 100.0), (0.2, 1.0))]
    values, seen, draw = [9000 * x, 100 * x, x], [], measuring._drawn
    new_ledger(plans[0], file)

    def watched(*arguments):
        seen.append(json.loads(file.read_text())["plans"])
        return draw(*arguments)

    monkeypatch.setattr(measuring, "_drawn", watched)
    empty = file.read_text()
    dear, gaussian = plan(users, spend=0.25), plan(users, spend=0.2, noise="gaussian")
    for last, columns, said in (
        (plans[2], [*values[:2], np.where(x == 1, np.nan, x)], "values must be finite"),
        (dear, values, "ledger must leave budgets for release 3"), (gaussian, values, "ledger must be for gaussian"),
        (plan([*budgets, 1.0]), values, "population must be the one"), (plans[2], values[:2], "one each for 3 plans"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            release_together([*plans[:2], last], users, columns, file)
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


@pytest.mark.parametrize("value", [0.737, "0.737", object()])
def test_columns_that_are_none_are_refused_by_name_and_not_shown(value):
    users, one = Population([2.0] * 30), plan([2.0] * 30)
    for name, columns, reports in (
        ("values", value, None),
        ("values", [value], None),
        ("reports", [[0.5] * 30], value),
    ):
        with pytest.raises((TypeError, ValueError), match=f"{name} must be") as wrong:
            release_together([one], users, columns, reports=reports)
        assert "737" not in str(wrong.value) + repr(wrong.value.__cause__)
    with pytest.raises(TypeError, match=r"plans? must be"):
        release_together(value, users, [[0.5] * 30])


# -- From a value to whatever leaves the machine: the noise is not drawn but tried, with values as in hostile files.

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
VALUES = [0.0, 1.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, 1e300, 0.3, 0.5, 1 - 2**-53, -3.0, 5.0, 1.0000000000000002]


def small(seed, method, noise):
    """A few users with large budgets, so that they are worth a release: ties, public and unusable ones, some local."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    epsilon = rng.choice([0.0, 2.0, 9.0, 9.0, 30.0, math.inf], n, p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    epsilon[:2] = 20.0
    local = method not in ("adpm", "threshold") and seed % 3
    users = Population(epsilon, rng.choice(["local", "curator"], n) if local else "curator", rng.choice([1, 400], n))
    options = METHODS[method] | {"noise": noise, "reports": ("simple", "noisy")[seed % 2]}
    if "prior" not in options and seed % 5 == 0:
        options = options | {"lower": -3.0, "upper": 5.0} | ({"variance": 16.0} if method == "mixed" else {})
    return users, plan(users, method, bits=None if seed % 4 else int(rng.integers(0, 9)), **options), rng


def log_ratio(z, first, second, made):
    """How much likelier, in nats, the noisy sum z is for the first sum; with Gaussian noise the divergence, rho."""
    c = 2**made.bits
    if made.noise == "gaussian":
        return Fraction((first - second) ** 2, 2 * c**2)
    return Fraction(abs(z - second) - abs(z - first), c)


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_what_is_published_is_the_same_for_two_values_of_a_user(method, noise, monkeypatch, tmp_path):
    """Of 200 populations, whatever local users hold; the loss at every noisy sum is at most what her receipt says."""
    drawn, tried, whole = {}, 0, 0
    monkeypatch.setattr(measuring, "measurement", lambda made, users: lambda x: drawn["z"])
    monkeypatch.setattr(persons.secrets, "token_hex", lambda size: "00" * size)  # the salt of a ledger
    for seed in range(200):
        users, made, rng = small(seed, method, noise)
        kind, spent = made.kind_of(users), receipts(made, users).spent
        counted = np.flatnonzero(made.kinds.counted[kind] & np.isfinite(users.epsilon))
        if not counted.size or made.noiseless:
            continue
        total, handed = summed(made, kind), reports_of(made, users)
        x = rng.choice(VALUES, users.size)
        for i, other in zip(rng.choice(counted, 2), rng.choice(VALUES, 2), strict=True):
            y = np.where(np.arange(users.size) == i, other, x)
            first, second = total(x), total(y)
            assert isinstance(first, int) and abs(first - second) <= made.kinds.share[kind[i]]
            for z in (first, second - made.scale, -(2**61)):
                drawn["z"] = z
                unread = np.where(users.local, math.nan, y)
                texts = [release(made, users, values, reports=handed).to_json() for values in (x, y, unread)]
                assert len({*texts}) == 1 and math.isfinite(json.loads(texts[0])["unclamped"])
                assert log_ratio(z, first, second, made) <= Fraction(spent[i])
                tried += 1
        if whole < 5:
            ledgers = [tmp_path / f"{whole}-{j}" for j in range(2)]
            for ledger, values in zip(ledgers, (x, y), strict=True):
                new_ledger(made, ledger)
                release(made, users, values, ledger, reports=handed)
            assert ledgers[0].read_text() == ledgers[1].read_text()
        whole += 1
    assert tried > 500 and whole >= 187


def reports_of(made, users):
    """Some report of everybody whom the plan weighs."""
    kind = made.kind_of(users)
    shares = np.where(made.kinds.bit, 1, made.kinds.share)
    return [f"report:{made.digest[:16]}:{row}:1/{shares[row]}" if made.kinds.weight[row] else None for row in kind]


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("method", "noise"), [kind for kind in KINDS if kind[0] not in ("adpm", "threshold")])
def test_every_report_is_possible_for_every_value_and_as_likely_as_her_receipt_says(method, noise, monkeypatch):
    """A whole number before its noise, or the chance of a bit: for all values, ends and hostile ones."""
    seen, tried = [], 0
    noisy = spending._noisy
    monkeypatch.setattr(spending, "_noisy", lambda dp, made, x, *more: seen.append(x) or noisy(dp, made, x, *more))
    monkeypatch.setattr(spending, "_bit", lambda dp, unit, *_: seen.append(unit) or 1)
    for seed in range(200):
        _, made, _ = small(seed, method, noise)
        spent = receipts(made).spent
        for row in np.flatnonzero(made.kinds.weight > 0):
            seen.clear()
            asked = made.kinds.epsilon[row], int(made.kinds.records[row])
            for value in VALUES:
                assert report(made, asked[0], value, asked[1]).startswith(f"report:{made.digest[:16]}:")
            assert len(seen) == len(VALUES)
            if made.kinds.bit[row]:  # dearest where both ends are told
                odds = math.log(1 / float(chance_of_a_lie(made.part[row], noise)) - 1)
                assert 0 <= min(seen) <= max(seen) <= 1
                assert odds * (1 if noise == "laplace" else math.tanh(odds / 2)) <= spent[row] * (1 + 2**-45)
            else:
                assert 0 <= min(seen)
                assert log_ratio(0, 0, max(seen) - min(seen), made) <= Fraction(spent[row])
            tried += 1
    assert tried > 50
