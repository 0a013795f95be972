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
from hdp.release import Errors, Plan, arithmetic, bits, choosing, plan, planning, plans, receipts, release
from hdp.release.arithmetic import exp, level, tanh
from hdp.release.bits import chance_of_a_lie
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


def loss(share, made):
    """What a user with this share loses, in exact arithmetic: nats, or rho."""
    part = Fraction(int(share), 2**made.bits)
    return part if made.noise == "laplace" else part**2 / 2


@pytest.mark.settles("hdp-release-integers", "hdp-release-gaussian")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_every_users_share_is_within_her_budget_in_fractions(method, noise):
    released = 0
    for users, made in populations(200, method, noise):
        found, kind = receipts(made, users), made.kind_of(users)
        for i in range(users.size):
            share, budget = made.kinds.share[kind[i]], float(users.epsilon[i])
            budget = Fraction(budget) if math.isfinite(budget) else budget
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


@pytest.mark.parametrize("releases", [3, 7])
def test_the_parts_of_all_releases_are_within_the_budget_in_fractions(releases):
    """A quotient that is rounded to the nearest float is above it for many budgets."""
    made = plan(np.random.default_rng(6).uniform(0.1, 10, 200), releases=releases)
    rows = list(zip(made.part.tolist(), made.kinds.epsilon.tolist(), strict=True))
    assert all(Fraction(one) * releases <= Fraction(budget) for one, budget in rows)


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


def test_the_level_is_the_least_of_any_prefix_in_any_order():
    """In fractions, to the last digit but one; where items begin together their order changes nothing."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        knots = rng.choice([0.0, 1.0, 2.0, 3.0000000000000027, 3.0000000000000036, 3.0000000000000195, 1e9], 5)
        slopes, volume = rng.lognormal(sigma=9, size=5), float(rng.lognormal(sigma=9))
        items = sorted((Fraction(u), Fraction(a)) for u, a in zip(knots, slopes, strict=True))
        sets = [items[:k] for k in range(1, 6)]
        least = min((Fraction(volume) + sum(u * a for u, a in some)) / sum(a for _, a in some) for some in sets)
        found = {level(knots[order], slopes[order], volume) for order in map(list, itertools.permutations(range(5)))}
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
    with pytest.raises(ValueError, match="variance must lie in"):
        plan(users, "mixed", variance=12.26, lower=-3.0, upper=4.0)


def test_the_centre_is_the_answer_where_the_release_would_err_more():
    assert plan([0.1] * 5).constant and not plan([0.1] * 200).constant
    nothing = plan([0.1] * 5, lower=2.0, upper=4.0)
    assert nothing.error == Errors(0.0, 0.0, 0.0, 0.0, 1.0) and receipts(nothing).spent.tolist() == [0.0]


def test_public_values_need_no_noise():
    made = plan([math.inf] * 4)
    assert made.noiseless and made.scale == 0 and made.level == math.inf and receipts(made).spent.tolist() == [math.inf]
    mostly = plan([math.inf] * 400 + [0.1], "threshold")
    assert mostly.noiseless and receipts(mostly).spent.tolist() == [0.0, math.inf]
    with_others = plan([math.inf] * 4 + [1.0] * 40)
    assert not with_others.noiseless and math.isfinite(receipts(with_others).spent.max())


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
    ('"bits":10', '"bits":9'), ('"share":[512', '"share":[513'), ('"users":200', '"users":201'),
    ('"share":[512', '"share":[512.0'), ('"local":false', '"local":0'), ('"weight":0.0', '"weight":0.5'),
    ('plan/3"', 'plan/2"'), ('plan/3"', 'plan/4"'), ('"budgets":"', '"budgets":0,"more":"'), ('"laplace"', '"none"'),
    ("[0.0,1.0]", "[1.0,1.0]"), ('"share":[512', '"share":[1e400'), ('"share":[512', '"share":["inf"'), ("{", "["),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), WRONG)
def test_a_text_that_is_no_plan_is_refused(old, new):
    text = plan([0.5, 1.0] * 100, bits=10).to_json()
    assert old in text
    with pytest.raises(ValueError, match="must"):
        Plan.from_json(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("column", "value"),
    [("users", 0), ("low", -1.0), ("high", 2.0), ("weight", 2.0), ("share", 1), ("bit", False), ("share", 10**400)],
)
def test_kinds_of_local_users_that_cannot_be_are_refused(column, value):
    with pytest.raises(ValueError, match=f"weight|{column}"):
        replace(plan(Population([1.0] * 90, "local"), "mixed").kinds, **{column: [value]})


def test_weights_of_reports_sum_to_1_also_where_some_are_too_coarse():
    made = plan(Population([0.2] * 5 + [20.0] * 200, "local"), "mixed", reports="noisy", bits=2)
    assert made.kinds.share.tolist() == [0, 80]
    assert made.kinds.weight == pytest.approx([0, 1 / 200], rel=1e-14)


def test_exponential_functions_are_those_of_mpmath_to_the_last_digits():
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


def test_a_plan_for_others_is_refused_before_a_value_is_read():
    made = plan(Population([0.1] * 180, "curator", [1, 2] * 90), "mixed")
    others = {
        "epsilon": Population([9.0] * 180, "curator", [1, 2] * 90),
        "local": Population([0.1] * 180, ["curator", "local"] * 90, [1, 2] * 90),
        "records": Population([0.1] * 180, "curator", [1, 3] * 90),
        "users": Population([0.1] * 180, "curator", [1] * 89 + [2] * 91),
        "plan, of 180 users": Population([0.1] * 90, "curator", [1, 2] * 45),
    }
    for said, people in others.items():
        for call in (made.kind_of, lambda p: release(made, p, [0.5] * p.size)):
            with pytest.raises(ValueError, match=f"population must be the one of the .*{said}"):
                call(people)


def test_what_is_no_plan_cannot_be_made():
    made = plan([0.5] * 100)
    for kinds in ({"high": [5e-324]}, {"low": [1 - 2.0**-40]}):
        with pytest.raises(ValueError, match="low and high must be ends"):
            replace(made.kinds, **kinds)
    with pytest.raises(ValueError, match="low and high must be ends that floats tell apart"):
        narrow = replace(made.kinds, low=[0.5], high=[0.5 + 2.0**-30])
        replace(made, lower=1e40, upper=np.nextafter(1e40, np.inf), kinds=narrow)
    told = plan(Population([1e-30] * 9, "local"), "mixed", reports="noisy")
    with pytest.raises(ValueError, match="bit must not be set where a report would lie as often as not"):
        replace(told, kinds=replace(told.kinds, bit=[True], weight=[1 / 9], share=[0]))


def test_what_was_checked_cannot_be_changed_through_the_callers_array():
    share = np.array([1], dtype=np.int64)
    made = replace(plan([0.5] * 100), kinds=replace(plan([0.5] * 100).kinds, share=share))
    share[0] = 2**60
    assert receipts(made).spent[0] <= 0.5 and made.kinds.share[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        made.kinds.share[0] = 2


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
    for seed in range(20):
        rho = np.random.default_rng(seed).lognormal(sigma=2, size=50)
        counts = np.array([np.sum(rho >= one) for one in rho])
        errors = 0.25 / counts + 1 / (2 * rho * counts**2)
        made = plan(rho, "threshold", noise="gaussian")
        assert made.error.total == pytest.approx(min(errors.min(), 0.25), rel=1e-9)
        assert made.constant or made.kinds.counted.sum() == counts[np.argmin(errors)]


@pytest.mark.settles("hdp-release-truncated")
def test_truncated_releases_are_the_private_ideal_ones():
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


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("budget", [1e-9, 1e-4, 0.01, 1.0, 7.0, 20.0, 36.0, 1e4])
def test_one_bit_is_within_its_budget(budget, noise):
    """In intervals of 40 digits: the odds, or the divergence of every order, of which the order 1 is the dearest."""
    mpmath.iv.dps = mpmath.mp.dps = 40
    q = mpmath.iv.mpf(float(chance_of_a_lie(budget, noise)))
    odds = mpmath.iv.log((1 - q) / q)
    nats = odds if noise == "laplace" else (1 - 2 * q) * odds
    assert nats.b <= mpmath.iv.mpf(budget).a
    if 1e-4 <= budget <= 20:
        assert nats.a >= budget * (1 - 1e-6)
    for order in () if noise == "laplace" else ("1.0001", "1.5", "2", "10", "1000"):
        a = mpmath.iv.mpf(order)
        both = (1 - q) ** a * q ** (1 - a) + q**a * (1 - q) ** (1 - a)
        assert (mpmath.iv.log(both) / (a - 1) / a).b <= mpmath.iv.mpf(budget).b


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
