"""One threshold beside public data and for two levels, and what clipping does instead."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from hdp import adpm, affine, linear, threshold
from tests.populations import BUDGETS, PRIVATE, SIZES, TWO_GROUPS, groups, thorough
from tests.oracles import exact_level

ONE_BUDGET = st.one_of(st.just(0.0), st.floats(1e-5, 30))
TWO_LEVELS = TWO_GROUPS.filter(np.any)


def ratio(e):
    """What the best threshold loses."""
    return threshold.threshold_mse(e) / threshold.affine_mse(e)


def error(w, e):
    """Of such weights with the least noise that keeps all budgets."""
    return affine.mean_squared_error(w, affine.noise_scale(w, e))


def used(e):
    """What each threshold makes use of: its level for everybody whom it keeps."""
    return [level * np.count_nonzero(e >= level) for level in np.unique(e[e > 0])]


@thorough
@given(SIZES, SIZES, ONE_BUDGET)
@example(3000, 1, 1e-5)
@example(3000, 1, np.sqrt(8 / 3000 / 3001))
def test_one_private_level_beside_public_users(private, public, epsilon):
    e = groups((private, public), (epsilon, np.inf))
    assert ratio(e) < 2


@thorough
@given(SIZES, SIZES, ONE_BUDGET)
@example(3000, 1, np.sqrt(8 / 3000 / 3001))
def test_to_drop_the_private_users_or_to_weigh_all_alike(private, public, epsilon):
    e = groups((private, public), (epsilon, np.inf))
    alike, drop = error(np.full(e.size, 1 / e.size), e), error(np.isinf(e) / public, e)
    assert min(alike, drop) < 2 * threshold.affine_mse(e)


@thorough
@given(BUDGETS, st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=6))
@example(np.ones(2), [-0.5, 0.5])
def test_no_distribution_is_worse_than_a_fair_coin(e, values):
    w = adpm.weights(e)
    coin, other = (affine.mean_squared_error(w, 0.1, np.var(law)) for law in ([-0.5, 0.5], values))
    assert other <= coin


@thorough
@given(BUDGETS)
@example(np.array([0.5, 1.0, 1.0]))
def test_nobody_loses_more_than_she_allows(e):
    w = threshold.weights(e, threshold.best_threshold(e))
    scale = threshold.estimate(np.zeros(e.size), e, 7) / np.random.default_rng(7).laplace()
    assert np.all(affine.privacy_loss(w, scale) <= e * (1 + 1e-12))


@thorough
@given(SIZES, SIZES, st.floats(1e-3, 30), st.floats(0, 1))
@example(2, 1, 2.0, 0.5)
def test_two_averages_combined(private, public, epsilon, share):
    e = groups((private, public), (epsilon, np.inf))
    first = np.isfinite(e)
    alone = error(first / private, e), error(~first / public, e)
    combined = error(np.where(first, share / private, (1 - share) / public), e)
    assert combined >= min(alone) / 2 * (1 - 1e-12)


@thorough
@given(st.integers(1, 4))
def test_two_is_approached(public):
    found = minimize_scalar(lambda x: -ratio(groups((2000 * public, public), (np.exp(x), np.inf))), bounds=(-12, 2))
    assert 1.998 < -found.fun < 2


@thorough
@given(TWO_LEVELS)
@example(groups((3000, 1), (1e-6, 3e-3)))
def test_two_levels_lose_less_than_four(e):
    assert ratio(e) < 4


@thorough
@given(st.integers(2000, 20000))
def test_four_and_its_like_are_approached(strict):
    saturated = np.sqrt(16 / (1 + np.sqrt(5))) / strict
    level = adpm.clipping_level(groups((strict, 1), (saturated, np.inf)))
    for budgets, bound in (((1e-3 / (strict + 1), 1e-3), 4), ((saturated, level), (3 + np.sqrt(5)) / 2)):
        e = groups((strict, 1), budgets)
        assert bound - 0.01 < ratio(e) < bound
        np.testing.assert_allclose(*(threshold.threshold_mse(e, tau) for tau in budgets), rtol=1e-3)


@thorough
@given(TWO_LEVELS)
@example(groups((3000, 1), (1e-6, 3e-3)))
def test_one_of_two_thresholds_uses_half(e):
    assert max(used(e)) >= e.sum() / 2 * (1 - 1e-12)


@thorough
@given(SIZES, SIZES, st.floats(1e-5, 30), st.floats(1, 1e3))
@example(3000, 1, 1e-5, 1.0)
@example(3000, 1, np.sqrt(16 / (1 + np.sqrt(5))) / 3000, 1.0)
def test_beyond_saturation(strict, generous, epsilon, times):
    level = adpm.clipping_level(groups((strict, generous), (epsilon, np.inf)))
    assert ratio(groups((strict, generous), (epsilon, times * level))) < (3 + np.sqrt(5)) / 2


@thorough
@given(PRIVATE)
def test_four_times_the_data(e):
    small = 1e-6 * e / e.max()
    for budgets, least in ((e, 4 * (1 - 1e-12)), (small, 15.99)):
        assert least < threshold.threshold_mse(budgets) / threshold.threshold_mse(np.tile(budgets, 4)) <= 16


@thorough
@given(BUDGETS)
def test_another_private_estimator_errs_less(e):
    w = linear.weights(e)
    assert np.all(linear.effective_epsilon(e) <= e) and w.sum() < 1
    assert linear.worst_case_mse(e) < threshold.affine_mse(e)


@thorough
@given(st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(any))
@example([1, 2])
def test_clipping_errs_less_than_any_threshold(tenths):
    e = [Fraction(k, 10) for k in tenths]
    clipped = [min(x, exact_level(e)) for x in e]
    best = (sum(x * x for x in clipped) + 8) / sum(clipped) ** 2
    counts = {x: sum(y >= x for y in e) for x in set(e) - {0}}
    one = min(Fraction(1, m) + 8 / (m * x) ** 2 for x, m in counts.items())
    assert one > best if len(counts) > 1 else one == best


@thorough
@given(BUDGETS)
@example(np.array([1e-3, 1.0]))
def test_everybody_is_used_who_allows_any_loss(e):
    w = adpm.weights(e)
    assert np.array_equal(w > 0, e > 0) and error(w, e) <= threshold.threshold_mse(e) * (1 + 1e-12)


@thorough
@given(BUDGETS.filter(lambda e: np.any(np.isfinite(e) & (e > 0))), st.floats(0.01, 100))
@example(np.array([1.0, np.inf]), 1.2)
def test_the_best_level_solves_one_equation(e, times):
    level, private = adpm.clipping_level(e), e[np.isfinite(e)]
    poured = np.sum(private * np.maximum(level - private, 0))
    assert abs(poured - 8) <= 1e-9 * 8 + 1e-13 * np.sum(private * level)
    assert threshold.affine_mse(e, level) <= threshold.affine_mse(e, times * level) * (1 + 1e-12)


@thorough
@given(BUDGETS, st.floats(1e-3, 500), st.floats(1.2, 100))
@example(np.array([1.0, np.inf]), 7.0, 1.2)
@example(np.array([1.0, np.inf]), 10.0, 1.2)
def test_the_error_falls_to_the_level_and_not_beyond(e, low, times):
    level, high = adpm.clipping_level(e), times * low
    before, after = threshold.affine_mse(e, low), threshold.affine_mse(e, high)
    assert before > after or high > min(level, e.max())
    assert before <= after * (1 + 1e-12) or low < min(level, e.max())


@thorough
@given(SIZES, st.floats(1e-4, 30), st.floats(1.2, 1e3))
@example(2, 1.0, 2.0)
def test_equal_budgets_have_many_best_levels_and_public_ones_none(n, epsilon, times):
    equal, public = np.full(n, epsilon), np.full(n, np.inf)
    np.testing.assert_allclose(threshold.affine_mse(equal, epsilon * times), threshold.affine_mse(equal), rtol=1e-12)
    assert threshold.affine_mse(public, epsilon) > threshold.affine_mse(public, epsilon * times)
