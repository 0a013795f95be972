"""Hostile values for every public function, listed from the package: a valid result, or a refusal that names the cause.

A new public function without an entry in `GOOD` fails the first test.
"""

import datetime
import importlib
import inspect
import pkgutil
import re
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import hdp
from hdp import compare, hybrid, kmeans, user_level
from hdp.laplace_sum import LaplaceSum
from hdp.noise import Gaussian, Laplace, RandomizedResponse

inf, nan = float("inf"), float("nan")
NOT_DRIVEN = {"sym", "figures", "explore"}  # statements and drawings for the book's own pages
NOT_DRIVEN |= {"gaussian"}  # `amplification` offers its functions
RECORDS = {  # what functions return or show: nothing is computed from one
    "baselines.Baseline", "compare.Candidate", "compare.Candidate.refused", "compare.MixedRelease", "minimax.TwoCoins",
    "proof.Table", "simulate.Result", "user_level.Groups", "user_level.IdealRelease", "user_level.UserRelease",
}  # fmt: skip
MAY_BE_NAN = {"hybrid.n_crit"}  # says so, where both errors are equal for every n

PAIR, WEIGHTS, DATA, K = [1.0, 2.0], [0.5, 0.5], [0.1, 0.2], [3, 5]
PEOPLE = compare.Population([1.0, 1.0, 2.0], ["curator", "local", "curator"])
S = hybrid.Setting(n=4, c=0.5, m=1, epsilon=1, sigma_t=0.25)
BOX = kmeans.Setting(iterations=2, epsilon=7.0, clusters=2, dimension=1)
DRAWS = kmeans.Draws.sample(1, 2, BOX)
GROUPS = dict(epsilon_1=0.1, n=10, f=0.5)
MOMENTS = dict(p=0.5, sigma_p=0.1)
EPSILON = dict(epsilon=PAIR)
BUDGET_N_RNG = dict(x=DATA, epsilon=PAIR, rng=1)
CALLBACKS = dict(sampler=lambda rng, runs: rng.random((runs, 2)), truth=0.0, runs=5, seed=1, progress=False)


def average(x, rng):
    """An estimator."""
    return x.mean(axis=1)


GOOD = {
    **{f"adpm.{name}": EPSILON for name in ("answers_zero", "clipping_level", "effective_epsilon", "weights")},
    "adpm.worst_case_mse": EPSILON,
    "adpm.estimate": BUDGET_N_RNG,
    "adpm.saturation_ratio": GROUPS,
    "adpm.two_group_bound": GROUPS | dict(epsilon_2=1.0),
    "affine.estimate": dict(x=DATA, weights=WEIGHTS, scale=1.0, rng=1),
    "affine.mean_squared_error": dict(weights=WEIGHTS, scale=1.0, variance=0.25),
    "affine.noise_scale": dict(weights=WEIGHTS, epsilon=PAIR, width=1.0),
    "affine.privacy_loss": dict(weights=WEIGHTS, scale=1.0, width=1.0),
    **{
        f"amplification.{name}": dict(s=S, w=0.5, delta=1e-6, adversarial=0.1, exact=True)
        for name in ("amplified_epsilon", "group_epsilons")
    },
    "amplification.printed_epsilon": dict(s=S, w=0.5, delta=1e-6, adversarial=0.1),
    "amplification.joint_deviation": dict(s=S, w=0.5, adversarial=0.1),
    "amplification.classic_epsilon": dict(scale=6.0, sensitivity=1.0, delta=1e-6),
    "amplification.exact_epsilon": dict(scale=6.0, sensitivity=1.0, delta=1e-6),
    "amplification.classic_scale": dict(sensitivity=1.0, epsilon=0.5, delta=1e-6),
    "amplification.exact_scale": dict(sensitivity=1.0, epsilon=0.5, delta=1e-6),
    "baselines.Baseline.mechanism": EPSILON,
    "baselines.estimate": BUDGET_N_RNG | dict(name="sm"),
    "baselines.expected_mse": dict(name="sm", epsilon=PAIR, variance=0.1, mean=0.1),
    "baselines.panel": dict(epsilon=PAIR, names=("adpm", "sm")),
    "baselines.privacy_loss_witness": EPSILON,
    "baselines.stretched_mse": dict(epsilon=PAIR, variance=0.1, mean=0.1),
    "clipping.optimal_weights": dict(variance=PAIR, noise_cost=PAIR, penalty=2.0),
    "clipping.water_level": dict(knots=PAIR, slopes=PAIR, volume=8.0),
    "compare.MixedRelease.error": dict(variance=0.1, mean=0.5),
    "compare.MixedRelease.privacy_loss": {},
    "compare.MixedRelease.estimate": dict(x=[0.1, 0.2, 0.3], rng=1, clamp=True),
    "compare.Population": dict(epsilon=PAIR, trust=["curator", "local"], records=[1, 2]),
    "compare.Population.where": dict(mask=[True, True, False]),
    "compare.mixed_release": dict(population=PEOPLE, variance=0.1, reports="best"),
    "compare.one_bit_report": dict(x=[0.1, 0.2], epsilon=[1.0, 2.0], rng=1),
    "compare.ranking": dict(population=PEOPLE, variance=0.1, prior=(0.5, 0.1)),
    "compare.read_csv": dict(path="users.csv"),
    "compare.synthetic_csv": dict(seed=1),
    "hybrid.Setting": dict(
        n=100, c=0.5, m=1, epsilon=1, sigma_t=0.2, sigma_l=0.2, mu_t=0.1, mu_l=0.1, s_t2=0.1, s_l2=0.1, delta=0
    ),
    "hybrid.Setting.noise": dict(variance=1.0),
    "hybrid.best_improvement": dict(epsilon=1.0, tcm_users=10),
    "hybrid.deviation": dict(name="kvh", x=[0.1, 0.2, 0.3, 0.4], s=S, rng=1),
    "hybrid.estimate": dict(name="kvh", x_t=[0.1, 0.2], x_l=[0.3, 0.4], s=S, rng=1),
    "hybrid.homogeneous_weight": dict(s=S, variance=0.1),
    **{f"hybrid.{name}": dict(s=S, mse=0.1) for name in ("improvement_over_worst", "relative_improvement")},
    **{f"hybrid.{name}": dict(s=S, w=0.5) for name in ("mse_hybrid", "true_mean_mse")},
    **{
        f"hybrid.{name}": dict(s=S)
        for name in (
            "c_crit",
            "kvh_weight",
            "laplace_n_crit",
            "mse_full_lm",
            "mse_kvh",
            "mse_lm",
            "mse_pwh",
            "mse_tcm",
            "n_crit",
            "naive_weight",
            "pwh_weight",
        )
    },
    "kmeans.Draws": {name: getattr(DRAWS, name) for name in ("report", "uniform", "other", "central")},
    "kmeans.Draws.sample": dict(rng=1, n=3, setting=BOX),
    "kmeans.Reading": {field.name: True for field in fields(kmeans.Reading)},
    "kmeans.Setting": dict(iterations=2, epsilon=1.0, clusters=2, dimension=1, m=1.0, low=0.0),
    "kmeans.nearest": dict(x=[[0.1], [0.2]], centres=[[0.0]]),
    "kmeans.wcss": dict(x=[[0.1], [0.2]], centres=[[0.0]]),
    "kmeans.run": dict(
        x=[[0.1], [0.2]],
        tcm=[True, False],
        initial=[[0.0], [0.1]],
        setting=BOX,
        draws=DRAWS,
        variant="hybrid",
        reading=kmeans.CORRECTED,
    ),
    "laplace_sum.LaplaceSum": dict(count=3, scale=1.0),
    **{f"laplace_sum.LaplaceSum.{name}": dict(x=1.0) for name in ("density", "log_density", "survival")},
    "laplace_sum.LaplaceSum.privacy_loss": dict(noise=1.0, shift=1.0),
    "laplace_sum.LaplaceSum.epsilon": dict(delta=0.1, sensitivity=1.0),
    "minimax.coin_distance": dict(m=3, delta=0.1),
    "minimax.le_cam": EPSILON,
    "minimax.two_coins": EPSILON,
    "minimax.lower_bound": GROUPS | dict(epsilon_2=1.0),
    "noise.Gaussian": dict(scale=1.0),
    "noise.Gaussian.privacy_loss": dict(output=1.0, shift=1.0),
    "noise.Gaussian.delta": dict(epsilon=1.0, sensitivity=1.0),
    "noise.Gaussian.sample": dict(rng=1, size=2),
    "noise.Laplace": dict(scale=1.0),
    "noise.Laplace.calibrated": dict(sensitivity=1.0, epsilon=1.0),
    "noise.Laplace.density": dict(y=1.0),
    "noise.Laplace.privacy_loss": dict(output=1.0, shift=1.0),
    "noise.Laplace.sample": dict(rng=1, size=2),
    "noise.RandomizedResponse": dict(epsilon=1.0, categories=2),
    "noise.RandomizedResponse.privacy_loss": dict(output=[0, 1], first=0, second=1),
    "noise.RandomizedResponse.sample": dict(rng=1, truth=[0, 1]),
    "proof.assert_agreement": dict(rows=[("x", 1.0, 1.0)], rtol=1e-12, routes=("a", "b"), shown=1),
    "proof.assert_identity": dict(left=1, right=1, name="F"),
    "proof.assert_monte_carlo": dict(samples=np.arange(200.0), expected=99.5, sigmas=4.0),
    "proof.assert_nonnegative": dict(expression=sp.Symbol("x", positive=True), strict=True, name=""),
    "salaries.population": dict(rng=1),
    "simulate.compare": CALLBACKS | dict(estimators={"a": average}),
    "simulate.mean_squared_error": CALLBACKS | dict(estimator=average),
    "threshold.affine_mse": dict(epsilon=PAIR, tau=1.0),
    "threshold.best_threshold": EPSILON,
    "threshold.estimate": BUDGET_N_RNG | dict(tau=1.0),
    **{f"threshold.{name}": dict(k=2, n=10) for name in ("harmonic_bound", "worst_case_ratio", "worst_case_sizes")},
    "threshold.saturating_budgets": dict(sizes=[1, 9], risk=0.25),
    "threshold.threshold_mse": dict(epsilon=PAIR, tau=1.0),
    "threshold.weights": dict(epsilon=PAIR, tau=1.0),
    "threshold.worst_case_budgets": dict(k=2, n=10, scale=1.0),
    "user_level.IdealRelease.answer": dict(means=DATA),
    "user_level.IdealRelease.estimate": dict(means=DATA, rng=1),
    "user_level.baseline_variance": MOMENTS | dict(name="median", k=K),
    "user_level.best_truncation": dict(sigma=PAIR, width=PAIR, epsilon=1.0, penalty=2.0),
    "user_level.best_unbiased_variance": dict(k=[1], epsilon=1.0, outputs=[-1.0, 0.0, 1.0, 2.0], means=[0.5]),
    "user_level.beta_proxy": dict(a=1.0, b=1.0),
    "user_level.corollary_5_5": dict(k=K, epsilon=1.0, sigma_p=0.1),
    "user_level.effective_cap": dict(k=K, epsilon=1.0),
    "user_level.estimate": dict(p_hat=[0.1, 0.2, 0.3, 0.4, 0.5], k=[1, 2, 3, 4, 5], top=2, bottom=1),
    "user_level.groups": dict(k=[1, 2, 3, 4, 5], top=2, bottom=1),
    "user_level.half_width": dict(k=3, n=10, proxy=0.1, beta=0.1),
    "user_level.ideal_clip": dict(variance=PAIR, epsilon=1.0),
    "user_level.ideal_variance": dict(variance=PAIR, epsilon=1.0),
    "user_level.ideal_weights": MOMENTS | dict(k=K),
    "user_level.initial_estimates": dict(p_hat=[0.1, 0.2, 0.3, 0.4, 0.5], parts=user_level.groups([1, 2, 3, 4, 5])),
    "user_level.lower_bound": MOMENTS | dict(k=K, epsilon=1.0),
    "user_level.median_reduction": dict(k=K),
    "user_level.noisy_linear_variance": dict(weights=WEIGHTS, variance=PAIR, epsilon=1.0),
    "user_level.plug_in_weights": dict(k=K, mean=0.5, variance=0.1),
    "user_level.private_estimate": dict(
        means=[0.3] * 12, k=[5] * 12, epsilon=1.0, rng=1, beta=0.1, first=[0.0] * 12, head=2, tail=2
    ),
    "user_level.private_ideal": MOMENTS | dict(k=K, epsilon=1.0, beta=0.05, proxy=0.01),
    "user_level.private_mean": dict(values=DATA, epsilon=1.0, beta=0.1, rng=1),
    "user_level.private_variance": dict(means=DATA, scales=[0.1, 0.2], epsilon=1.0, rng=1),
    "user_level.sample_cap": dict(k=K, epsilon=1.0),
    "user_level.sample_mean_variance": MOMENTS | dict(k=K),
    "user_level.sample_variance": MOMENTS | dict(k=K, epsilon=1.0),
    "user_level.truncated_estimate": dict(
        x=DATA, weights=WEIGHTS, centre=0.5, half_width=[0.1, 0.1], epsilon=1.0, rng=1
    ),
    "user_level.truncated_weights": dict(sigma=PAIR, truncation=1.0),
    "user_level.user_groups": dict(k=[5] * 12, epsilon=1.0, beta=0.1, head=2, tail=2),
    "user_level.variance_of": MOMENTS | dict(weights=WEIGHTS, k=K),
    "user_level.variance_scales": dict(k=K),
}
ON = {  # an instance whose methods are called
    "baselines.Baseline": importlib.import_module("hdp.baselines").BASELINES["sm"],
    "compare.MixedRelease": compare.mixed_release(PEOPLE),
    "compare.Population": PEOPLE,
    "hybrid.Setting": S,
    "laplace_sum.LaplaceSum": LaplaceSum(3, 1.0),
    "noise.Gaussian": Gaussian(1.0),
    "noise.Laplace": Laplace(1.0),
    "noise.RandomizedResponse": RandomizedResponse(1.0),
    "user_level.IdealRelease": user_level.private_ideal(K, 0.5, 0.1, 1.0),
}


def public():
    """Every public function, class and method of the package, by name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(hdp.__path__)):
        if module.startswith("_") or module in NOT_DRIVEN:
            continue
        found = importlib.import_module(f"hdp.{module}")
        for name in found.__all__:
            thing, full = getattr(found, name), f"{module}.{name}"
            if callable(thing):
                yield full, thing
            if inspect.isclass(thing):
                for method, value in vars(thing).items():
                    if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, classmethod)):
                        owner = thing if isinstance(value, classmethod) else ON.get(full)
                        yield f"{full}.{method}", getattr(owner, method, None)


PUBLIC = dict(public())
ARGUMENTS = [(name, argument) for name, good in GOOD.items() for argument in good]
HUGE = [10**400, -(10**400), Fraction(10**400), Decimal("1E999"), np.longdouble("1e400"), [10**400, 1.0], 2**64, 2**53]
EDGES = [0, -0.0, 1, -1, 0.5, 1 - 2**-53, 5e-324, 1e-308, 1e-200, 1e-170, 1e-100, 1e-17, 1e17, 1e100, 1e170, 1e200]
EDGES += [1.7e308, inf, -inf, nan, 255, 10**12, Fraction(1, 3), Decimal("0.1"), Decimal("NaN"), np.uint8(255)]
EDGES += [np.int8(100), np.float16(6e4), np.float32(0.1), True, False, np.True_]
VECTORS = [[], [[]], [0.0, 0.0], [nan, 1.0], [inf, inf], [1e-320, 1e308], [1e200, 1e-200], [1, 2, 3], [[1.0, 2.0]]]
VECTORS += [
    (1.0, 2.0),
    np.array([1, 2], dtype=np.uint8),
    np.array([200, 255], dtype=np.uint8),
    [1.0, None],
    [5e-324] * 2,
]
VECTORS += [np.ones((2, 2)), np.zeros(0), np.array(1.0), [[1.0], [2.0, 3.0]], [1e308, 1e308], [0.5, 0.5], [True, False]]
OBJECTS = [None, "", "1", "sm", "hybrid", b"1", 1j, object(), {}, {1: 2}, set(), range(3), iter([1.0]), lambda *a: 1.0]
OBJECTS += [np.ma.masked, np.ma.array([0.1, 1e9], mask=[False, True]), [np.ma.masked, 1.0], np.datetime64("2020")]
OBJECTS += [
    datetime.date(2020, 1, 1),
    np.array(["a", "b"]),
    np.array([None, None]),
    [None],
    ["False", "True"],
    sp.Symbol("y"),
]
OBJECTS += [
    sp.oo,
    sp.nan,
    np.random.default_rng(1),
    np.random.SeedSequence(1),
    S,
    PEOPLE,
    BOX,
    DRAWS,
    ...,
    slice(1),
]
HOSTILE = HUGE + EDGES + VECTORS + OBJECTS
PARTS = {"expression", "prior", "symbol", "c n", "mu_l - mu_t"}  # of an argument, or made of several
NAMES = set().union(*GOOD.values()) | PARTS


def numbers(result, depth=0):
    """Every number in a result: of arrays, containers, and the fields and properties of the library's own classes."""
    if isinstance(result, float | int | np.ndarray | np.generic):
        yield np.asarray(result)
    elif isinstance(result, dict):
        yield from (n for value in result.values() for n in numbers(value, depth))
    elif isinstance(result, list | tuple):
        yield from (n for value in result for n in numbers(value, depth))
    elif is_dataclass(result) and depth < 2:
        names = [f.name for f in fields(result)]
        names += [k for k, v in inspect.getmembers(type(result)) if isinstance(v, property) and k[0] != "_"]
        yield from (n for name in names for n in numbers(getattr(result, name), depth + 1))


def call(name, changes):
    """The result of a call with some arguments changed is free of NaN, or the refusal names an argument."""
    good = GOOD[name]
    try:
        result = PUBLIC[name](**good | changes)
    except (ValueError, TypeError) as refusal:
        named = [n for n in (*changes, *NAMES) if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", str(refusal))]
        assert set(named) & {*changes, *good, *PARTS}, f"names nothing: {refusal}"
        return
    except AssertionError:
        assert name.startswith("proof.")
        return
    except OSError:
        assert "path" in changes or name == "compare.read_csv"
        return
    if name not in MAY_BE_NAN:
        assert not any(n.dtype.kind == "f" and np.isnan(n).any() for n in numbers(result)), f"NaN in {result!r}"


def test_every_public_function_is_driven():
    """The list is the package's own."""
    assert set(GOOD) | RECORDS == set(PUBLIC) | {name for name in RECORDS if name in PUBLIC}
    assert len(GOOD) > 110 and not set(GOOD) & RECORDS


@pytest.mark.parametrize("name", GOOD)
def test_the_plain_call_is_accepted(name, tmp_path, monkeypatch):
    """Otherwise the refusals below would mean nothing; and no argument changes or is missing from the table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "users.csv").write_text(compare.synthetic_csv(), encoding="utf-8")
    parameters = inspect.signature(PUBLIC[name]).parameters
    optional = {"substitute", "squares", "where", "n_jobs"}
    assert set(GOOD[name]) <= set(parameters) and {*parameters} - set(GOOD[name]) <= optional
    PUBLIC[name](**GOOD[name])


@pytest.mark.parametrize("name", GOOD)
def test_one_hostile_value_is_refused_by_name_or_harmless(name):
    """Each value for each argument."""
    for argument in GOOD[name]:
        for value in HOSTILE:
            call(name, {argument: value})


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_hostile_values_together_are_refused_by_name_or_harmless(data):
    """Several arguments at once, also with numbers that hypothesis finds."""
    name = data.draw(st.sampled_from(sorted(GOOD)))
    floats = st.floats() | st.integers() | st.lists(st.floats(), max_size=3) | st.fractions() | st.text(max_size=3)
    values = st.sampled_from(HOSTILE) | floats
    chosen = data.draw(st.sets(st.sampled_from(sorted(GOOD[name])), max_size=3)) if GOOD[name] else ()
    call(name, {argument: data.draw(values) for argument in sorted(chosen)})
