"""Any budgets: one level for all, who catches up with ever more users, and budgets that are spread evenly."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import lambertw

from hdp import adpm, affine, baselines, threshold
from hdp.baselines import expected_mse
from hdp.baselines.mechanisms import fme_level
from tests.populations import BUDGETS, LOG_UNIFORM, groups, log_uniform, thorough

GENERAL, SPREAD = (f"heterogeneous-budgets/{page}" for page in ("general-budgets", "log-uniform"))
SOME_LEVEL = BUDGETS.filter(lambda e: np.any((e > 0) & np.isfinite(e)))
SOME_BUDGET = st.sampled_from([0.0, 0.5, 1.0, 2.0, 5.0, 10.0, np.inf])
SHAPES = st.lists(st.tuples(st.integers(1, 4), SOME_BUDGET), min_size=2, max_size=3)
DIFFERENT = SHAPES.filter(lambda shape: len({e for _, e in shape}) > 1 and all(e > 0 for _, e in shape))
CATCH_UP, STAY_BEHIND = ("adpm", "uni", "ldpe"), ("propdpm", "sm", "fme")


def error(weights, epsilon):
    """Worst-case error of a weighted average with the least noise that keeps the budgets."""
    return affine.mean_squared_error(weights, affine.noise_scale(weights, epsilon))


def excess(name, epsilon):
    """By how much the error on a fair coin exceeds the one without privacy, relative to that."""
    return 4 * epsilon.size * expected_mse(name, epsilon) - 1


def spread(n, a, b, levels=None):
    """Budgets whose logarithms are spread evenly, of every user or of so many equal groups."""
    levels = levels or n
    return np.repeat(a * (b / a) ** ((np.arange(levels) + 0.5) / levels), n // levels)


@thorough
@given(st.one_of(BUDGETS, LOG_UNIFORM), st.integers(0, 99))
@example(np.array([0.1, 0.1, 600.0, np.inf]), 1)
def test_above_the_level_nothing_is_given_up_and_nothing_gained(epsilon, seed):
    draw, level = np.random.default_rng(seed), adpm.clipping_level(epsilon)
    raised = np.where(epsilon >= level, level * (1 + draw.random(epsilon.size)), epsilon)
    w = adpm.weights(epsilon)
    assert np.all(affine.privacy_loss(w, affine.noise_scale(w, epsilon)) <= level * (1 + 1e-12))
    np.testing.assert_allclose(w[epsilon >= level], w.max(), rtol=1e-12)
    np.testing.assert_allclose(adpm.weights(raised), w, rtol=1e-9, atol=0)
    others = [w * (1 + 0.1 * draw.random(w.size)), np.minimum(raised, level) if np.isfinite(level) else w]
    assert all(error(w, epsilon) <= error(other / other.sum(), raised) * (1 + 1e-12) for other in others)


@thorough
@given(SOME_LEVEL)
@example(np.array([1.0, 4.0, np.inf]))
def test_the_level_is_where_eight_is_poured_in(epsilon):
    e = epsilon[(epsilon > 0) & np.isfinite(epsilon)]
    tau = brentq(lambda t: np.sum(e * np.maximum(t - e, 0)) - 8, e.min(), e.max() + 9 / e.sum(), xtol=1e-300)
    lost = np.minimum(epsilon, tau)
    np.testing.assert_allclose(adpm.effective_epsilon(epsilon), lost, rtol=1e-9)
    np.testing.assert_allclose(adpm.weights(epsilon), lost / lost.sum(), rtol=1e-9)
    assert error(adpm.weights(epsilon), epsilon) == pytest.approx(tau / (4 * lost.sum()), rel=1e-9)


@thorough
@given(BUDGETS)
@example(np.repeat([0.1, 0.2, 3.0], [50, 30, 20]))
def test_none_of_the_five_errs_less_on_a_fair_coin(epsilon):
    for name in baselines.NAMES[1:]:
        best = max(threshold.affine_mse(epsilon), expected_mse("adpm", epsilon))
        assert expected_mse(name, epsilon) >= best * (1 - 1e-9), name


@settings(thorough, max_examples=12)
@given(DIFFERENT)
@example([(4, 0.5), (1, 1.0)])
@example([(4, 0.5), (1, np.inf)])
def test_with_ever_more_users_three_catch_up_and_three_do_not(shape):
    sizes, levels = zip(*shape, strict=True)
    few, many = (groups(np.multiply(sizes, k), levels) for k in (1000, 16_000))
    for name in CATCH_UP:
        assert excess(name, many) < excess(name, few) / 10, name
    for name in STAY_BEHIND:
        assert excess(name, many) > excess(name, few) / 2 > 0, name


@settings(thorough, max_examples=30)
@given(BUDGETS.filter(lambda e: 0.01 < e.max() < 30))
@example(np.array([1.0, 1.0, 2.0, 2.0]))
def test_the_error_of_a_sample_lies_in_its_bracket(epsilon):
    t, mu = epsilon.max(), np.sum(np.expm1(epsilon)) / np.expm1(epsilon.max())
    found = expected_mse("sm", epsilon)
    assert 1 / (4 * mu) + 2 / (mu * t) ** 2 <= found * (1 + 1e-9)
    if mu > 1:
        s = mu - 1
        assert found <= (1 / (4 * s) + 2 / t**2 * (1 / s**2 + 3 / s**3)) * (1 + 1e-9)


@thorough
@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0.01, 3)), min_size=1, max_size=4))
@example([(1, 0.5), (20, 0.3)])
def test_fme_clips_at_the_least_level_of_a_set_of_groups(shape):
    sets = [found for k in range(1, len(shape) + 1) for found in combinations(shape, k)]
    levels = [1 / np.sqrt(sum(size for size, _ in found)) for found in sets]
    clips = [level for level, found in zip(levels, sets, strict=True) if min(e for _, e in found) > level]
    assert fme_level(groups(*zip(*shape, strict=True))) == min(clips, default=np.inf)


@settings(thorough, max_examples=20)
@given(st.floats(0.2, 0.5), st.floats(1.2, 200))
@example(0.2, 200.0)
@example(0.5, 1.2)
def test_with_enough_users_nearly_everybody_gets_nearly_the_strictest_protection(a, ratio):
    epsilon = spread(int(1600 * np.log(ratio) / a**2) + 1, a, ratio * a)
    given_up = np.minimum(epsilon, 1.11 * a)
    assert np.all(adpm.effective_epsilon(epsilon) <= given_up)
    assert adpm.worst_case_mse(given_up) <= adpm.worst_case_mse(epsilon) * (1 + 1e-9)


@settings(thorough, max_examples=30)
@given(st.floats(0.01, 0.5), st.floats(0.6, 10), st.sampled_from([100, 2000, 20_000]))
@example(0.0183, 7.39, 20_000)
@example(0.5, 0.6, 20)
def test_the_level_of_evenly_spread_budgets(a, b, n):
    stated = a + 4 * np.sqrt(np.log(b / a) / n)
    assert stated > b or adpm.clipping_level(spread(n, a, b)) == pytest.approx(stated, rel=0.5 * n**-0.5)


@settings(thorough, max_examples=6)
@given(st.floats(0.1, 0.5), st.floats(2, 50))
@example(0.1, 50.0)
def test_two_of_six_come_down_for_evenly_spread_budgets(a, ratio):
    few, many = (spread(n, a, ratio * a, 50) for n in (10_000, 160_000))
    for name in ("adpm", "uni"):
        assert excess(name, many) < excess(name, few) / 8, name
    for name in ("ldpe-users", *STAY_BEHIND):
        assert excess(name, many) > excess(name, few) / 2 > 0, name


@settings(thorough, max_examples=30)
@given(st.floats(0.005, 0.02), st.floats(1, 10))
@example(0.0183, 7.39)
def test_the_level_of_fme_for_evenly_spread_budgets(a, b):
    n = 2000
    depth = -lambertw(-2 * np.log(b / a) / (n * b * b), -1).real / 2
    assert fme_level(spread(n, a, b)) == pytest.approx(b * np.exp(-depth), rel=0.01)


@settings(thorough, max_examples=20)
@given(st.integers(0, 10**6))
def test_drawn_budgets_have_nearly_the_errors_of_even_ones(seed):
    drawn, even = log_uniform(seed, 20_000, *np.exp([-4, 2])), spread(20_000, *np.exp([-4, 2]))
    for name in ("adpm", "propdpm", "uni", "ldpe-users", "fme"):
        assert expected_mse(name, drawn) == pytest.approx(expected_mse(name, even), rel=0.06), name
