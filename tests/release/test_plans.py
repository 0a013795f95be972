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

from hdp import ADPM, Threshold, clipping, compare, user_level
from hdp.clipping import optimal_weights
from hdp.release import Errors, Plan, arithmetic, bits, choosing, plan, planning, plans, receipts, release
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import integers
from hdp.users import TRUST, Users

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
    return Users(epsilon, rng.choice(TRUST, n) if local else "curator", rng.choice([1, 2, 900], n))


def populations(count, method=None, noise=None):
    """Random populations, of every method and noise if none is named, with a coarse and the finest scale."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        kind = KINDS[seed % len(KINDS)] if method is None else (method, noise)
        users = people(rng, int(rng.integers(1, 30)), local=kind[0] not in ("adpm", "threshold"))
        bits = None if seed % 3 == 0 else int(rng.integers(0, 12))
        options = METHODS[kind[0]] | {"noise": kind[1], "reports": ("simple", "noisy")[seed // 7 % 2]}
        yield users, plan(users, kind[0], bits=bits, spend=(1, 1 / 3)[seed % 4 // 3], **options)


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
        for i, k in enumerate(kind):
            share, budget, spent = made.kinds.share[k], float(users.epsilon[i]), found.spent[i]
            assert 0 <= loss(share, made) <= made.allowance[k] <= budget and loss(share, made) <= spent
            if math.isfinite(budget):
                assert Fraction(spent) <= Fraction(budget) and 0 <= found.kept[i]
                assert Fraction(found.kept[i]) <= Fraction(budget) - Fraction(spent)
        assert made.kinds.users @ made.weights == pytest.approx(float(not made.constant), rel=1e-12)
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
def test_shares_are_the_floor_of_budget_or_level_in_fractions():
    """Another route: the level in floats, all after it in fractions; half of the budgets are whole shares."""
    for seed in range(40):
        epsilon = np.random.default_rng(seed).lognormal(size=200)
        epsilon[::2] = np.ceil(8 * epsilon[::2]) / 8
        made, tau = plan(epsilon, bits=30 + seed % 3), Fraction(ADPM(epsilon).level)
        wanted = [math.floor(2**made.bits * min(Fraction(e), tau)) for e in made.kinds.epsilon.tolist()]
        assert made.kinds.share.tolist() == wanted and made.level == Fraction(max(wanted), 2**made.bits) <= tau
        tau = Threshold(epsilon).tau
        wanted = [math.floor(2**30 * Fraction(tau)) * (e >= tau) for e in made.kinds.epsilon.tolist()]
        assert plan(epsilon, "threshold", bits=30).kinds.share.tolist() == wanted


@pytest.mark.settles("hdp-release-error")
def test_errors_are_those_of_the_library_at_a_fine_scale_in_the_unit_of_the_values():
    epsilon = np.random.default_rng(1).lognormal(size=1000)
    users, seven = Users(epsilon, ["local", "curator"] * 500, [1, 5] * 500), {"lower": -3.0, "upper": 4.0}
    mixed, best = compare.mixed_release(users, 0.1), compare.ranking(users, prior=(0.4, 0.1))[0]
    found, moved = plan(users, "mixed", variance=0.1), plan(users, "mixed", variance=4.9, **seven)
    for made, error in (
        (plan(epsilon), ADPM(epsilon).mse()), (plan(epsilon, "threshold"), Threshold(epsilon).mse()),
        (plan(epsilon, **seven), 49 * ADPM(epsilon).mse()), (moved, 49 * mixed.mse()),
        (found, mixed.mse()), (plan(users, "user-level", prior=(0.4, 0.1)), best.error),
    ):  # fmt: skip
        assert made.error.total == pytest.approx(error, rel=1e-9)
    np.testing.assert_allclose(found.weights[found.kind_of(users)], mixed.weights, rtol=1e-9)
    assert best.name == "mixed" and moved.variance == 4.9
    with pytest.raises(ValueError, match="variance must lie in"):
        plan(users, "mixed", variance=12.26, **seven)


def test_the_centre_is_the_answer_where_the_release_would_err_more_and_public_values_need_no_noise():
    nothing = plan([0.1] * 5, lower=2.0, upper=4.0)
    assert nothing.error == Errors(0.0, 0.0, 0.0, 0.0, 1.0) and nothing.spent.tolist() == [0.0]
    assert nothing.constant and not plan([0.1] * 200).constant
    made, mostly = plan([math.inf] * 4), plan([math.inf] * 400 + [0.1], "threshold")
    assert made.noiseless and made.scale == 0 and made.level == math.inf
    assert mostly.noiseless and mostly.spent.tolist() == [0.0, math.inf]
    with_others = plan([math.inf] * 4 + [1.0] * 40)
    assert not with_others.noiseless and np.isfinite(with_others.spent).all()


@pytest.mark.settles("hdp-release-digest")
def test_json_gives_the_plan_back_and_its_name():
    """Which stays what it is, on every machine: a plan of last year must be found again."""
    names, reading = set(), {"user": None, "budgets": {"low": 0.1, "all": "inf"}}
    told = Users([0.5, 1.0] * 100, values={"pay": [0.0] * 200}, reading=reading)
    for _, made in [*populations(60), (told, plan(told))]:
        text = made.to_json()
        again = Plan.from_json(json.dumps(json.loads(text), indent=3))
        assert again.to_json() == text and again.digest == made.digest == hashlib.sha256(text.encode()).hexdigest()
        names.add(made.digest)
    assert len(names) == 61 and (again.value, again.reading) == ("pay", reading)
    made = plan([0.5, 1.0] * 100, bits=10)
    assert made.digest == "173ac8cbff1f22800ef17e860089d01c885a383ccf02954efbc3361a8bfa6144"


WRONG = [
    ('"bits":10', '"bits":9'), ('"share":[512', '"share":[513'), ('"users":200', '"users":201'), ("plan/5", "plan/4"),
    ('"share":[512', '"share":[512.0'), ('"local":false', '"local":0'), ('"weight":0.0', '"weight":0.5'),
    ('"budgets":"', '"budgets":0,"more":"'), ('"laplace"', '"none"'), ("[0.0,1.0]", "[1.0,1.0]"), ("{", "["),
    ('"share":[512', '"share":[1e400'), ('"share":[512', '"share":["inf"'), ('"value":"value"', '"value":0'),
    ('"reading":null', '"reading":0'), ("[0.5,1.0]", "[0.51,1.0]"), ("[0.5,1.0]", "[0.4,1.0]"),
    ("[0.5,1.0]", '["inf",1.0]'), ("[0.5,1.0]", "[0.5,0.5,1.0]"), ("[512,675]", "[512,675,675]"),
    ('"bits":10', '"bits":9,"bits":10'), ('"high":', '"high":0.5,"high":'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), WRONG)
def test_a_text_that_is_no_plan_is_refused(old, new):
    text = plan([0.5, 1.0] * 100, bits=10).to_json()
    assert old in text
    with pytest.raises(ValueError, match="must"):
        Plan.from_json(text.replace(old, new, 1))


def test_what_is_no_plan_cannot_be_made():
    wrong = [("users", 0), ("low", -1.0), ("high", 2.0), ("weight", 2.0), ("share", 1), ("bit", False)]
    for column, value in [*wrong, ("share", 10**400), ("high", 5e-324), ("low", 1 - 2.0**-40)]:
        with pytest.raises(ValueError, match=f"weight|{column}"):
            replace(plan(Users([1.0] * 90, "local"), "mixed").kinds, **{column: [value]})
    kinds = replace(plan([0.5] * 100).kinds, low=[0.5], high=[0.5 + 2.0**-30])
    with pytest.raises(ValueError, match="low and high must be ends that floats tell apart"):
        replace(plan([0.5] * 100), lower=1e40, upper=np.nextafter(1e40, np.inf), kinds=kinds)
    told = plan(Users([1e-30] * 9, "local"), "mixed", reports="noisy")
    with pytest.raises(ValueError, match="bit must not be set where a report would lie as often as not"):
        replace(told, kinds=replace(told.kinds, bit=[True], weight=[1 / 9], share=[0]))
    with pytest.raises(ValueError, match=r"variance must lie in \(0, 2.25\]"):
        replace(plan([0.5] * 100, upper=3), variance=2.26)
    with pytest.raises(ValueError, match=r"^trust must be curator"):
        plan(Users([1.0], "local"))
    two = Users([1.0], values={"a": [1], "b": [2]})
    with pytest.raises(ValueError, match="value must be one of the columns of values, a, b, got none"):
        plan(two)
    assert plan(two, value="b").value == "b"


def test_what_was_checked_cannot_be_changed_through_the_callers_array():
    made, share, allowance = plan([0.5] * 100), np.array([1], dtype=np.int64), np.array([0.25])
    made = replace(made, kinds=replace(made.kinds, share=share), allowance=allowance, bits=2)
    share[0], allowance[0] = 2**60, 0.0
    assert made.spent[0] == 0.25 == made.allowance[0]
    assert not (made.kinds.share.flags.writeable or made.allowance.flags.writeable)


def test_a_plan_for_others_is_refused_before_a_value_is_read():
    made = plan(Users([0.1] * 180, "curator", [1, 2] * 90), "mixed")
    others = {
        "epsilon": ([9.0] * 180, "curator", [1, 2] * 90), "records": ([0.1] * 180, "curator", [1, 3] * 90),
        "local": ([0.1] * 180, ["curator", "local"] * 90, [1, 2] * 90), "180 of them, got 9": ([0.1] * 9,),
        "numbers of users": ([0.1] * 180, "curator", [1] * 89 + [2] * 91),
    }  # fmt: skip
    for said, who in others.items():
        for call in (made.kind_of, lambda u: release(made, u.having(["no"] * u.size))):
            with pytest.raises(ValueError, match=f"users must be those of the plan.*{said}"):
                call(Users(*who))


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("method", ["adpm", "mixed", "user-level", "truncated"])
def test_gaussian_weights_are_those_of_the_one_lemma(method):
    """With its penalty 1 and the roots of twice rho; reports with noise of variance 1/(2 rho), or one bit."""
    rng = np.random.default_rng(3)
    for reports in ("simple", "noisy"):
        trust = "curator" if method == "adpm" else ["local", "curator", "curator"] * 100
        users = Users(rng.lognormal(size=300), trust, [1, 30, 400, 1] * 75)
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
        made = plan(Users([0.7] * 1000, records=k), "truncated", prior=(0.4, sigma), beta=0.1, proxy=proxy)
        kind = made.kind_of(Users([0.7] * 1000, records=k))
        np.testing.assert_allclose(made.weights[kind], ideal.weights, rtol=1e-9)
        np.testing.assert_allclose(made.kinds.low[kind], ideal.lower, rtol=1e-12)
        np.testing.assert_allclose(made.kinds.high[kind], ideal.upper, rtol=1e-12)
        assert made.error.sampling + made.error.noise == pytest.approx(ideal.variance, rel=1e-9)
        assert made.error.bias == pytest.approx(1e-8, rel=1e-9)


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("budget", [1e-9, 1e-4, 0.01, 1.0, 7.0, 20.0, 36.0, 1e4])
def test_one_bit_is_within_its_budget(budget, noise):
    """In intervals of 40 digits: the odds, or the divergence of the order 1, which is the dearest."""
    mpmath.iv.dps = mpmath.mp.dps = 40
    q = mpmath.iv.mpf(float(chance_of_a_lie(budget, noise)))
    odds = mpmath.iv.log((1 - q) / q)
    nats = odds if noise == "laplace" else (1 - 2 * q) * odds
    assert nats.b <= mpmath.iv.mpf(budget).a
    if 1e-4 <= budget <= 20:
        assert nats.a >= budget * (1 - 1e-6)


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


@pytest.mark.settles("hdp-release-digest", "hdp-release-ledger")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_a_plan_is_the_same_where_functions_differ_in_their_last_digits(method, noise, monkeypatch):
    """As those of another processor, or of a browser, do, and where users stand in another order.

    But another budget, by one digit, is another plan.
    """
    users = people(np.random.default_rng(8), 400, local=method not in ("adpm", "threshold"))
    users = Users(np.maximum(users.epsilon, 0.01), users.trust, users.records)
    options = METHODS[method] | {"noise": noise}
    made, order = plan(users, method, **options), np.random.default_rng(2).permutation(400)
    again, text = Users(users.epsilon[order], users.trust[order], users.records[order]), made.to_json()
    assert (made.kind_of(again) == made.kind_of(users)[order]).all()
    for name in ("exp", "log", "tanh", "sinh", "expm1", "power", "sum", "dot"):
        monkeypatch.setattr(np, name, _nudged(getattr(np, name)))
    for name in ("exp", "log", "pow"):
        monkeypatch.setattr(math, name, _nudged(getattr(math, name)))
    monkeypatch.setattr(clipping, "level", _nudged(clipping.level))
    monkeypatch.setattr(scipy.special, "expit", _nudged(scipy.special.expit))
    assert plan(again, method, **options).to_json() == text
    epsilon = users.epsilon.copy()
    epsilon[0] = np.nextafter(epsilon[0], 1)
    other = plan(Users(epsilon, users.trust, users.records), method, **options)
    assert other.budgets != made.budgets
