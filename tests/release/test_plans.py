"""Plans in exact arithmetic: no share exceeds a budget, whatever the methods and their floats come to."""

import ast
import hashlib
import inspect
import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy
import scipy.optimize

from hdp import adpm, clipping, compare, threshold, user_level
from hdp.clipping import optimal_weights
from hdp.compare import Population
from hdp.release import Errors, Plan, arithmetic, bits, choosing, measurement, plan, planning, plans, receipts, release
from hdp.release.arithmetic import exp, level, noise_variance, tanh
from hdp.release.bits import chance_of_a_lie, limit
from hdp.release.measuring import integers

METHODS = {
    "adpm": {},
    "threshold": {},
    "mixed": {"variance": 0.1},
    "user-level": {"prior": (0.4, 0.1)},
    "truncated": {"prior": (0.4, 0.02)},
}
NOISES = ("laplace", "gaussian")
KINDS = list(itertools.product(METHODS, NOISES))


def people(rng, n, local=True):
    """Some users of many kinds: equal and unequal budgets, public and unusable ones."""
    epsilon = rng.choice([0.0, 1e-9, 0.1, 1 / 3, 1.0, 40.0, math.inf, *rng.lognormal(size=3)], n)
    epsilon[0] = 0.7
    trust = rng.choice(compare.TRUST, n) if local else "curator"
    return Population(epsilon, trust, rng.choice([1, 2, 900], n))


def populations(count, method=None, noise=None):
    """Random populations, of every method and noise if none is named, with a coarse and the finest scale."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        kind = KINDS[seed % len(KINDS)] if method is None else (method, noise)
        users = people(rng, int(rng.integers(1, 30)), local=kind[0] not in ("adpm", "threshold"))
        bits = None if seed % 3 == 0 else int(rng.integers(0, 12))
        options = METHODS[kind[0]] | {"noise": kind[1], "reports": ("simple", "noisy")[seed // 7 % 2]}
        yield users, plan(users, kind[0], bits=bits, releases=1 + seed % 4 // 3, **options)


def exact(epsilon):
    return math.inf if math.isinf(epsilon) else Fraction(float(epsilon))


def loss(share, made):
    """What a user with this share loses, in exact arithmetic: nats, or rho."""
    part = Fraction(int(share), 2**made.bits)
    return part if made.noise == "laplace" else part**2 / 2


@pytest.mark.settles("hdp-release-integers", "hdp-release-gaussian")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_every_users_share_is_within_her_budget_in_fractions(method, noise):
    """For 200 populations of each; `spent` and `kept` are on the safe sides."""
    released = 0
    for users, made in populations(200, method, noise):
        found, kind = receipts(made, users), made.kind_of(users)
        for i in range(users.size):
            share, budget = made.kinds.share[kind[i]], exact(users.epsilon[i])
            assert 0 <= loss(share, made) <= budget / made.releases
            if math.isfinite(found.spent[i]):
                assert loss(share, made) <= Fraction(found.spent[i]) <= budget
                assert math.isinf(budget) or 0 <= Fraction(found.kept[i]) <= budget - Fraction(found.spent[i])
        released += not made.constant
    assert released > 50


@pytest.mark.settles("hdp-release-integers", "hdp-release-truncated")
def test_no_two_values_of_a_user_are_further_apart_than_her_share():
    """By trying: ends, what lies outside, ties of rounding and their neighbours, shares beyond the digits of floats."""
    for _, made in populations(200):
        for share in {1, *made.kinds.share.tolist(), 2**53 + 3, 2**61 + 2**8 - 1} - {0}:
            steps = {0, 1, 2, share // 2, share - 1, share}
            ties = np.array([(k + 0.5) / share for k in steps] + [k / share for k in steps])
            values = np.concatenate([ties, np.nextafter(ties, 2), np.nextafter(ties, -1), [-1e300, -0.0, 1, 1e300]])
            found = integers(values, np.full(values.size, share), made.lower, made.upper).tolist()
            assert max(found) - min(found) <= share, "in integers of Python, which know no bounds"
            assert found[-4] == found[-3] == 0 and found[-2] == found[-1] >= share * (1 - 2**-52)


@pytest.mark.settles("hdp-release-integers")
def test_the_law_of_the_noisy_sum_is_within_the_budget_in_intervals():
    """For populations of three users all data on a grid are tried, and all outputs: intervals of 40 digits decide."""
    mpmath.iv.dps = 40
    tried = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        users = Population(rng.choice([1.0, 1.5, 2.0, 1 / 3], 3))
        made = plan(users, bits=int(rng.integers(0, 3)))
        made = replace(made, kinds=replace(made.kinds, share=limit(made.part, made.bits)))  # though too few to release
        kind, c = made.kind_of(users), 2**made.bits
        share, q = made.kinds.share[kind], mpmath.iv.exp(mpmath.iv.mpf(-1) / c)
        most = [0] * 3
        for x in itertools.product([0.0, 0.3, 0.5, 1.0], repeat=3):
            for i, other in itertools.product(range(3), [0.0, 0.5, 1.0]):
                y = np.array([*x[:i], other, *x[i + 1 :]])
                first, second = (int(integers(np.array(v), share, 0, 1).sum()) for v in (x, y))
                for z in range(-2, int(share.sum()) + 3):
                    ratio = q ** (abs(z - first) - abs(z - second))
                    assert ratio.a <= mpmath.iv.exp(mpmath.iv.mpf(float(users.epsilon[i]))).b
                    assert abs(z - second) - abs(z - first) <= c * Fraction(float(users.epsilon[i]))
                    most[i] = max(most[i], abs(z - second) - abs(z - first))
                    tried += 1
        assert most == share.tolist(), "the loss is her share, and no less"
    assert tried > 5_000


@pytest.mark.parametrize("releases", [3, 5, 7])
def test_the_parts_of_all_releases_are_within_the_budget_in_fractions(releases):
    """A quotient that is rounded to the nearest float is above it for many budgets."""
    budgets = np.random.default_rng(6).uniform(0.1, 10, 200)
    parts = plan(budgets, releases=releases).part
    allowed = plan(budgets, releases=releases).kinds.epsilon
    rows = list(zip(parts.tolist(), allowed.tolist(), strict=True))
    assert all(Fraction(one) * releases <= Fraction(budget) for one, budget in rows)
    assert any(Fraction(budget / releases) * releases > Fraction(budget) for _, budget in rows)


@pytest.mark.settles("hdp-release-integers")
def test_shares_are_the_floor_of_budget_or_level_in_fractions():
    """Another route: the level in floats, all after it in fractions; half of the budgets are whole shares."""
    for seed in range(40):
        epsilon = np.random.default_rng(seed).lognormal(size=200)
        epsilon[::2] = np.ceil(8 * epsilon[::2]) / 8
        made = plan(epsilon, bits=30 + seed % 3)
        tau = Fraction(adpm.clipping_level(epsilon))
        kinds = made.kinds
        wanted = [math.floor(2**made.bits * min(Fraction(e), tau)) for e in kinds.epsilon.tolist()]
        assert kinds.share.tolist() == wanted and made.level == Fraction(max(wanted), 2**made.bits) <= tau
        tau = threshold.best_threshold(epsilon)
        wanted = [math.floor(2**30 * Fraction(tau)) * (e >= tau) for e in kinds.epsilon.tolist()]
        assert plan(epsilon, "threshold", bits=30).kinds.share.tolist() == wanted


LEVELS = {
    "ties": ([1.0, 1.0], [1e-5, 1e12], 1e-5),
    "more ties": ([2.0, 2.0, 2.0, 3.0], [1e-9, 1e20, 1.0, 1.0], 2.0),
    "a few units of the last digit apart": (
        [3.0000000000000027, 3.0000000000000036, 3.0000000000000098, 3.0000000000000195],
        [1.8e-08, 2.8e10, 0.129, 2e-08],
        1.2e-07,
    ),
    "one": ([0.5], [3.0], 1.0),
    "apart": ([0.0, 1.0, 2.0, 1e9], [1.0, 3.0, 0.1, 5.0], 7.3),
}


@pytest.mark.parametrize("case", LEVELS)
def test_the_level_is_the_least_of_any_prefix_in_any_order(case):
    """In fractions, to the last digit but one; where items begin together their order changes nothing."""
    knots, slopes, volume = LEVELS[case]
    items = [(Fraction(u), Fraction(a)) for u, a in zip(knots, slopes, strict=True)]
    sets = [items[:k] for k in range(1, len(items) + 1)]
    least = min((Fraction(volume) + sum(u * a for u, a in chosen)) / sum(a for _, a in chosen) for chosen in sets)
    orders = map(list, itertools.permutations(range(len(knots))))
    found = {level(np.array(knots)[order], np.array(slopes)[order], volume) for order in orders}
    assert len(found) == 1 and found.pop() == pytest.approx(float(least), rel=3e-16)


def test_errors_are_those_of_the_library_at_a_fine_scale():
    epsilon = np.random.default_rng(1).lognormal(size=1000)
    assert plan(epsilon).error.total == pytest.approx(adpm.worst_case_mse(epsilon), rel=1e-9)
    assert plan(epsilon, "threshold").error.total == pytest.approx(threshold.threshold_mse(epsilon), rel=1e-9)
    users = Population(epsilon, ["local", "curator"] * 500, [1, 5] * 500)
    mixed = compare.mixed_release(users, 0.1)
    found = plan(users, "mixed", variance=0.1)
    assert found.error.total == pytest.approx(mixed.error(), rel=1e-9)
    weights = np.where(found.kinds.local, found.kinds.weight, found.curator_weight / found.total * found.kinds.share)
    np.testing.assert_allclose(weights[found.kind_of(users)], mixed.weights, rtol=1e-9)
    best = compare.ranking(users, prior=(0.4, 0.1))[0]
    assert best.name == "mixed"
    assert plan(users, "user-level", prior=(0.4, 0.1)).error.total == pytest.approx(best.error, rel=1e-9)


@pytest.mark.settles("hdp-release-error")
def test_error_is_in_the_unit_of_the_values():
    epsilon = [0.5, 1.0] * 200
    one, other = plan(epsilon, bits=12), plan(epsilon, bits=12, lower=-3.0, upper=4.0)
    assert other.error.total == pytest.approx(49 * one.error.total)
    assert (one.kinds.share == other.kinds.share).all()
    users = Population(epsilon, ["local", "curator"] * 200)
    given, moved = plan(users, "mixed", variance=0.1), plan(users, "mixed", variance=4.9, lower=-3.0, upper=4.0)
    assert moved.error.total == pytest.approx(49 * given.error.total)
    assert plan(users, "mixed", variance=12.25, lower=-3.0, upper=4.0).error.sampling > 2 * moved.error.sampling
    with pytest.raises(ValueError, match="variance must lie in"):
        plan(users, "mixed", variance=12.26, lower=-3.0, upper=4.0)


@pytest.mark.parametrize("bits", [0, 1, 3, 20])
def test_variance_of_discrete_laplace_noise_by_its_series(bits):
    q = math.exp(-(2.0**-bits))
    terms = np.arange(1, 60 * 2**bits if bits < 4 else 1)
    series = 2 * (1 - q) / (1 + q) * np.sum(terms**2 * q**terms) if bits < 4 else 2 * 4.0**bits - 1 / 6
    assert noise_variance(bits, "laplace") == pytest.approx(series, rel=1e-9)


def test_variance_of_discrete_gaussian_noise_is_less_than_a_plan_says():
    """At the coarsest scale by 2e-7 of it, by its series; so what a plan says is a bound."""
    k = np.arange(-40, 41)
    masses = np.exp(-(k**2) / 2)
    missing = 1 - np.sum(k**2 * masses) / np.sum(masses) / noise_variance(0, "gaussian")
    assert missing == pytest.approx(8 * np.pi**2 * np.exp(-2 * np.pi**2), rel=1e-3)


def test_both_branches():
    """The centre is the answer where the release would err more."""
    few, many = [0.1] * 5, [0.1] * 200
    assert adpm.answers_zero(few) and not adpm.answers_zero(many)
    assert plan(few).constant and not plan(many).constant
    nothing = plan(few, lower=2.0, upper=4.0)
    assert nothing.error == Errors(0.0, 0.0, 0.0, 0.0, 1.0) and receipts(nothing).spent.tolist() == [0.0]


def test_public_values_need_no_noise():
    made = plan([math.inf] * 4)
    assert made.noiseless and made.scale == 0 and made.level == math.inf and receipts(made).spent.tolist() == [math.inf]
    mostly = plan([math.inf] * 400 + [0.1], "threshold")
    assert mostly.noiseless and receipts(mostly).spent.tolist() == [0.0, math.inf]
    with_others = plan([math.inf] * 4 + [1.0] * 40)
    assert not with_others.noiseless and math.isfinite(receipts(with_others).spent.max())


def test_waste_and_rounding_shrink_with_the_bits():
    epsilon = [0.1] * 700 + [1.0] * 300
    for bits in (10, 20, 30):
        made = plan(epsilon, bits=bits)
        used = np.minimum(made.kinds.epsilon, adpm.clipping_level(epsilon))
        assert (used - receipts(made).spent <= 2.0**-bits).all()
        ideal = adpm.worst_case_mse(epsilon)
        assert made.error.total - ideal < 2**-bits * 500 * ideal
    assert ((used - receipts(made).spent) / used).max() < 1.2e-7


def test_json_gives_the_plan_back_and_its_name():
    names = set()
    for _, made in populations(60):
        text = made.to_json()
        again = Plan.from_json(json.dumps(json.loads(text), indent=3))
        assert again.to_json() == text and again.digest == made.digest
        names.add(made.digest)
    assert len(names) == 60


@pytest.mark.settles("hdp-release-digest")
def test_digest_is_that_of_the_text():
    """And stays what it is, on every machine: a plan of last year must be found again."""
    made = plan([0.5, 1.0] * 100, bits=10)
    assert made.digest == hashlib.sha256(made.to_json().encode()).hexdigest()
    assert made.digest == "e9b2e3f6d0032f6dc4a0ebcd8fae3fa5b8b9c97b6e373e108b7c007db4ae5125"


WRONG = [
    ('"bits":10', '"bits":9'),
    ('"share":[512', '"share":[513'),
    ('"users":200', '"users":201'),
    ('"scale":1024', '"scale":1'),
    ('"level":"', '"level":"1'),
    ('"share":[512', '"share":[512.0'),
    ('"epsilon":[0.5', '"epsilon":[1.0'),
    ('"local":false', '"local":0'),
    ('"local":false', '"local":true'),
    ('"weight":0.0', '"weight":0.5'),
    ('"schema":"hdp-plan/3"', '"schema":"hdp-plan/2"'),
    ('"schema":"hdp-plan/3"', '"schema":"hdp-plan/4"'),
    ('"budgets":"', '"budgets":"0'),
    ('"budgets":"', '"budgets":0,"more":"'),
    ('"noise":"laplace"', '"noise":"none"'),
    ('"interval":[0.0,1.0]', '"interval":[1.0,1.0]'),
    ('"releases":1', '"releases":2'),
    ('"share":[512', '"share":[1e400'),
    ('"share":[512', '"share":["inf"'),
    ('"share":[512', '"share":[-1'),
    ("{", "["),
]


@pytest.mark.parametrize(("old", "new"), WRONG)
def test_a_text_that_is_no_plan_is_refused(old, new):
    text = plan([0.5, 1.0] * 100, bits=10).to_json()
    assert old in text
    with pytest.raises(ValueError, match="must"):
        Plan.from_json(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("users", 0, "users must be positive"),
        ("low", -1.0, "low and high must be"),
        ("high", 2.0, "low and high must be"),
        *((column, value, "weight must be") for column, value in (("weight", 2.0), ("share", 1), ("bit", False))),
    ],
)
def test_kinds_of_local_users_that_cannot_be_are_refused(column, value, said):
    kinds = plan(Population([1.0] * 90, "local"), "mixed").kinds
    assert kinds.bit.all() and kinds.weight == pytest.approx(1 / 90)
    with pytest.raises(ValueError, match=said):
        replace(kinds, **{column: np.array([value])})


def test_weights_of_reports_sum_to_1_also_where_some_are_too_coarse():
    made = plan(Population([0.2] * 5 + [20.0] * 200, "local"), "mixed", reports="noisy", bits=2)
    assert made.kinds.share.tolist() == [0, 80]
    assert made.kinds.weight == pytest.approx([0, 1 / 200], rel=1e-14)


def test_another_population_is_refused():
    made = plan([0.5, 1.0] * 100)
    for others in ([1.0, 0.5] * 101, [0.5, 1.0] * 101, [0.5, 1.1] * 100, [0.5, 0.5, 1.0] * 66 + [0.5, 1.0]):
        with pytest.raises(ValueError, match="population must be the one of the plan"):
            made.kind_of(Population(others))


def test_exponential_functions_are_those_of_mpmath_to_the_last_digits():
    """Down to the least chance of a lie, 2^-53, and beyond."""
    x = np.array([-1e-9, -0.3, -2.0, -19.0, -21.0, -37.0, -199.0])
    with mpmath.workdps(40):
        for ours, theirs in ((exp(x), mpmath.exp), (tanh(-x), lambda number: mpmath.tanh(-number))):
            np.testing.assert_allclose(ours, [float(theirs(mpmath.mpf(float(number)))) for number in x], rtol=4e-16)


@pytest.mark.settles("hdp-release-ledger")
def test_users_in_another_order_are_the_same():
    """Their plan and its name, so that no second ledger is needed; each is found in her kind again."""
    rng = np.random.default_rng(2)
    for users, made in populations(20):
        order = rng.permutation(users.size)
        again = Population(users.epsilon[order], users.trust[order], users.records[order])
        assert (made.kind_of(again) == made.kind_of(users)[order]).all()
        options = {"noise": made.noise, "bits": made.bits, "releases": made.releases, **METHODS[made.method]}
        if made.method in ("adpm", "threshold"):
            assert plan(again, made.method, **options).digest == made.digest


@pytest.mark.parametrize("column", ["epsilon", "local", "records", "users"])
def test_a_plan_for_others_is_refused_before_a_value_is_read(column):
    """Also one with the fingerprint of these users: it is no plan at all."""
    users = {"epsilon": [0.1, 0.1], "trust": "curator", "records": [1, 2]}
    others = users | {"epsilon": {"epsilon": [9.0, 9.0]}, "local": {"trust": ["curator", "local"]},
                      "records": {"records": [1, 3]}, "users": {}}[column]  # fmt: skip
    here, there = (Population(*(np.repeat(x, 90) if np.ndim(x) else x for x in p.values())) for p in (users, others))
    if column == "users":
        there = Population([0.1] * 180, records=[1] * 89 + [2] * 91)
    other, mine = plan(there, "mixed"), plan(here, "mixed")
    calls = other.kind_of, lambda p: receipts(other, p), lambda p: measurement(other, p)
    for call in (*calls, lambda p: release(other, p, [0.5] * 180)):
        with pytest.raises(
            ValueError, match=f"population must be the one of the plan, got another one: compare the .*{column} of"
        ):
            call(here)
    with pytest.raises(ValueError, match="population must be the one of the plan, of 180 users, got 90"):
        other.kind_of(Population([0.1] * 90))
    forged = json.loads(other.to_json()) | {"budgets": mine.budgets}
    with pytest.raises(ValueError, match="entries that contradict each other"):
        Plan.from_json(json.dumps(forged))


def test_what_is_no_plan_cannot_be_made():
    made = plan([0.5] * 100)
    for kinds in ({"high": [5e-324]}, {"low": [1 - 2.0**-40]}):
        with pytest.raises(ValueError, match="low and high must be ends"):
            replace(made.kinds, **kinds)
    with pytest.raises(ValueError, match="low and high must be ends that floats tell apart"):
        narrow = replace(made.kinds, low=[0.5], high=[0.5 + 2.0**-30])
        replace(made, lower=1e40, upper=np.nextafter(1e40, np.inf), kinds=narrow)
    told = plan(Population([1e-30] * 9, "local"), "mixed", reports="noisy")
    bits = replace(told.kinds, bit=[True], weight=[1 / 9], share=[0])
    with pytest.raises(ValueError, match="bit must not be set where a report would lie as often as not"):
        replace(told, kinds=bits)
    assert type(replace(made, lower=np.float32(0), upper=np.array(1.0)).upper) is float
    for wrong in ({"error": 1}, {"kinds": None}):
        with pytest.raises(TypeError, match=f"{next(iter(wrong))} must be a"):
            replace(made, **wrong)
    for column, entries in (("share", [10**400]), ("users", [2**70]), ("epsilon", ["a"]), ("share", [[1], [2, 3]])):
        with pytest.raises(ValueError, match=f"{column} must be an array of numbers"):
            replace(made.kinds, **{column: entries})


def test_what_was_checked_cannot_be_changed_through_the_callers_array():
    share = np.array([1], dtype=np.int64)
    made = replace(plan([0.5] * 100), kinds=replace(plan([0.5] * 100).kinds, share=share))
    share[0] = 2**60
    assert receipts(made).spent[0] <= 0.5 and made.kinds.share[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        made.kinds.share[0] = 2


def test_local_users_may_give_up_more_than_the_level():
    """Which is about values that the curator counts, and infinite only if all of these are public."""
    for noise in NOISES:
        made = plan(Population([0.5] * 100 + [3.0] * 5, ["curator"] * 100 + ["local"] * 5), "mixed", noise=noise)
        found, counted = receipts(made), made.kinds.counted
        level = float(made.level) if noise == "laplace" else float(made.level) ** 2 / 2
        assert found.spent[counted].max() == pytest.approx(level, rel=1e-12) and found.spent.max() > 5 * level
        assert np.isfinite(float(plan([0.5, math.inf] * 100, noise=noise).level))
        assert plan([0.0, math.inf] * 100, noise=noise).level == math.inf


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.5, 1.0, math.pi, 20.0, 36.0, 100.0])
def test_one_bit_tells_no_more_than_its_budget(epsilon):
    """The odds of the truth, in intervals of 40 digits."""
    mpmath.iv.dps = 40
    lie = mpmath.iv.mpf(float(chance_of_a_lie(epsilon)))
    assert 1 - float(chance_of_a_lie(epsilon)) == float(1 - Fraction(float(chance_of_a_lie(epsilon))))
    assert ((1 - lie) / lie).b <= mpmath.iv.exp(mpmath.iv.mpf(epsilon)).a
    if epsilon < 20:
        assert float(mpmath.log(1 / float(chance_of_a_lie(epsilon)) - 1)) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("noise", NOISES)
def test_a_release_for_curators_is_not_for_local_users(noise):
    with pytest.raises(ValueError, match=r"^trust must be curator"):
        plan(Population([1.0], "local"), noise=noise)


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("method", ["adpm", "mixed", "user-level", "truncated"])
def test_gaussian_weights_are_those_of_the_one_lemma(method):
    """With its penalty 1 and the roots of twice rho; reports with noise of variance 1/(2 rho), or one bit."""
    rng = np.random.default_rng(3)
    for reports in ("simple", "noisy"):
        trust = "curator" if method == "adpm" else ["local", "curator", "curator"] * 100
        users = Population(rng.lognormal(size=300), trust, [1, 30, 400, 1] * 75)
        made = plan(users, method, noise="gaussian", reports=reports, **METHODS[method])
        kind, rho, local = made.kind_of(users), users.epsilon, users.local
        width = (made.kinds.high - made.kinds.low)[kind]
        prior = METHODS[method].get("prior")
        v = np.full(300, METHODS[method].get("variance", 0.25))
        v = user_level.sample_mean_variance(*prior, users.records) if prior else v
        sent = v + local * width**2 / (2 * rho)
        if reports == "simple":
            epsilon = np.array([scipy.optimize.brentq(lambda e, r=r: e * math.tanh(e / 2) - r, 0, 1e3) for r in rho])
            sent = np.where(local, np.minimum(sent, width**2 / np.tanh(epsilon / 2) ** 2 / 4), sent)
        weights = optimal_weights(sent, np.where(local, 0.0, width / np.sqrt(2 * rho)), 1.0)
        np.testing.assert_allclose(made.weights[kind], weights, rtol=1e-9)
        error = np.sum(sent * weights**2) + np.max((weights * width / np.sqrt(2 * rho))[~local]) ** 2
        assert made.error.total - made.error.bias == pytest.approx(error, rel=1e-9)


def test_the_gaussian_threshold_is_the_best_of_all():
    """By trying every budget as the threshold."""
    for seed in range(20):
        rho = np.random.default_rng(seed).lognormal(sigma=2, size=50)
        counts = np.array([np.sum(rho >= one) for one in rho])
        errors = 0.25 / counts + 1 / (2 * rho * counts**2)
        made = plan(rho, "threshold", noise="gaussian")
        assert made.error.total == pytest.approx(min(errors.min(), 0.25), rel=1e-9)
        assert made.constant or made.kinds.counted.sum() == counts[np.argmin(errors)]


@pytest.mark.settles("hdp-release-truncated")
def test_truncated_releases_are_the_private_ideal_ones():
    """For one budget, where the paper has them; with unequal ones the error is below that of the strictest."""
    k = np.repeat([900.0, 30.0, 1.0], [50, 400, 550])
    for proxy, sigma in ((None, 0.05), (0.004, 0.05), (0.0, 0.0)):
        ideal = user_level.private_ideal(k, 0.4, sigma, 0.7, beta=0.1, proxy=proxy)
        made = plan(Population([0.7] * 1000, records=k), "truncated", prior=(0.4, sigma), beta=0.1, proxy=proxy)
        kind = made.kind_of(Population([0.7] * 1000, records=k))
        np.testing.assert_allclose(made.weights[kind], ideal.weights, rtol=1e-9)
        np.testing.assert_allclose(made.kinds.low[kind], ideal.lower, rtol=1e-12)
        np.testing.assert_allclose(made.kinds.high[kind], ideal.upper, rtol=1e-12)
        assert made.error.sampling + made.error.noise == pytest.approx(ideal.variance, rel=1e-9)
        assert made.error.bias == pytest.approx(1e-8, rel=1e-9)
    epsilon = np.where(np.arange(1000) % 2, 0.7, 3.0)
    freer = plan(Population(epsilon, records=k), "truncated", prior=(0.4, 0.05))
    assert freer.error.total < plan(Population([0.7] * 1000, records=k), "truncated", prior=(0.4, 0.05)).error.total
    assert freer.error.total < plan(Population(epsilon, records=k), "user-level", prior=(0.4, 0.05)).error.total


RHO = [1e-9, 1e-4, 0.01, 0.3, 1.0, 2.5, 7.0, 20.0, 30.0, 36.0, 50.0, 1e4]


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("rho", RHO)
def test_one_bit_is_within_its_budget_of_rho(rho):
    """Its divergence of every order, in intervals of 40 digits; the order 1 is the dearest, and nearly spends it."""
    mpmath.iv.dps = mpmath.mp.dps = 40
    q = mpmath.iv.mpf(float(chance_of_a_lie(rho, "gaussian")))
    nats = (1 - 2 * q) * mpmath.iv.log((1 - q) / q)
    assert nats.b <= mpmath.iv.mpf(rho).a
    if 1e-4 <= rho <= 20:
        assert nats.a >= rho * (1 - 1e-6)
    for order in ("1.0001", "1.5", "2", "10", "1000"):
        a = mpmath.iv.mpf(order)
        both = (1 - q) ** a * q ** (1 - a) + q**a * (1 - q) ** (1 - a)
        assert (mpmath.iv.log(both) / (a - 1) / a).b <= mpmath.iv.mpf(rho).b


@pytest.mark.settles("hdp-release-gaussian")
def test_the_law_of_gaussian_noise_is_within_rho_in_intervals():
    """Divergences of the sum of integers for two values of a user, of four orders: sums over all likely outputs."""
    mpmath.iv.dps = 40
    for bits, shares in ((0, (1, 2, 3)), (1, (1, 5)), (3, (2, 11))):
        c = 2**bits
        law = {z: mpmath.iv.exp(mpmath.iv.mpf(-(z**2)) / (2 * c**2)) for z in range(-40 * c, 40 * c)}
        norm = sum(law.values())
        for share, order in itertools.product(shares, (1.1, 2, 5, 20)):
            a, rho = mpmath.iv.mpf(order), loss(share, plan([1.0] * 99, noise="gaussian", bits=bits))
            terms = (law[z] ** a * law[z - share] ** (1 - a) for z in range(share - 40 * c, 40 * c))
            divergence = mpmath.iv.log(sum(terms) / norm) / (a - 1)
            assert divergence.a <= order * mpmath.mpf(rho.numerator) / rho.denominator + mpmath.mpf(10) ** -20


def _nudged(function):
    """The same function, but for the last digit of some of its results."""

    def nudged(*args, **options):
        found = np.asarray(function(*args, **options), dtype=float)
        away = np.where(np.arange(found.size).reshape(found.shape) % 2, np.inf, -np.inf)
        return np.nextafter(found, away)[()]

    return nudged


@pytest.mark.settles("hdp-release-digest")
@pytest.mark.parametrize("module", [arithmetic, bits, choosing, planning, plans])
def test_no_array_is_summed_where_a_plan_is_computed(module):
    """The order would be the machine's: `arithmetic` has `math.fsum`."""
    sums = {"average", "cumsum", "dot", "einsum", "inner", "matmul", "mean", "norm", "reduce", "sum", "vdot"}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        assert not isinstance(node, ast.MatMult) and getattr(node, "attr", None) not in sums, ast.dump(node)


@pytest.mark.settles("hdp-release-digest")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_a_plan_is_the_same_where_functions_differ_in_their_last_digits(method, noise, monkeypatch):
    """As those of another processor, or of a browser, do; but another budget, by one digit, is another plan."""
    users = people(np.random.default_rng(8), 400, local=method not in ("adpm", "threshold"))
    users = Population(np.maximum(users.epsilon, 0.01), users.trust, users.records)
    options = METHODS[method] | {"noise": noise}
    text = plan(users, method, **options).to_json()
    for name in ("exp", "log", "tanh", "sinh", "expm1", "power", "sum", "dot"):
        monkeypatch.setattr(np, name, _nudged(getattr(np, name)))
    for name in ("exp", "log", "pow"):
        monkeypatch.setattr(math, name, _nudged(getattr(math, name)))
    monkeypatch.setattr(clipping, "level", _nudged(clipping.level))
    monkeypatch.setattr(scipy.special, "expit", _nudged(scipy.special.expit))
    assert plan(users, method, **options).to_json() == text
    epsilon = users.epsilon.copy()
    epsilon[0] = np.nextafter(epsilon[0], 1)
    other = plan(Population(epsilon, users.trust, users.records), method, **options)
    assert other.budgets != json.loads(text)["budgets"]
