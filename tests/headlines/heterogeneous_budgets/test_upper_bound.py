"""Two groups and what more generosity gains; the best weights; and what lies beyond the cap."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from hdp import adpm, affine
from tests.populations import BUDGETS, SIZES, groups, thorough

UPPER, WEIGHTS, CAP = (f"heterogeneous-budgets/{page}" for page in ("upper-bound", "optimal-weights", "beyond-the-cap"))
LEVELS = st.floats(1e-3, 30)
MORE = st.one_of(st.floats(1, 1e3), st.just(np.inf))
PLACES = st.one_of(st.floats(0.01, 0.98), st.floats(1.02, 100), st.just(np.inf))  # of budget 2, beside R eps_1
SOME_LEVEL = BUDGETS.filter(lambda e: np.any((e > 0) & np.isfinite(e)))


def error(weights, epsilon):
    """Worst-case error of a weighted average with the least noise that keeps the budgets."""
    return affine.mean_squared_error(weights, affine.noise_scale(weights, epsilon))


def with_ratio(counts, ratio):
    """Weights of two groups of which the second weighs `ratio` times as much."""
    weights = groups(counts, (1.0, ratio))
    return weights / weights.sum()


def best_ratio(counts, levels):
    """How many times as much group 2 weighs where the error is least, by a search."""
    epsilon = groups(counts, levels)
    found = minimize_scalar(lambda q: error(with_ratio(counts, np.exp(q)), epsilon), (0, 1), (-1, 25), method="bounded")
    return np.exp(found.x)


def saturation(counts, first):
    return first * adpm.saturation_ratio(first, sum(counts), counts[0] / sum(counts))


def level(epsilon):
    """Where sum eps_i (tau - eps_i)_+ is 8, by bisection."""
    e = epsilon[(epsilon > 0) & np.isfinite(epsilon)]
    return brentq(lambda tau: np.sum(e * np.maximum(tau - e, 0)) - 8, e.min(), e.max() + 9 / e.sum(), xtol=1e-300)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, MORE)
@example((700, 300), 0.1, np.inf)
def test_beyond_the_saturation_point_nothing_is_gained(counts, first, more):
    point = saturation(counts, first)
    least, most = (groups(counts, (first, second)) for second in (point, point * more))
    best = error(with_ratio(counts, best_ratio(counts, (first, point * more))), most)
    assert error(adpm.weights(least), least) <= best * (1 + 1e-9)
    assert adpm.worst_case_mse(least) == pytest.approx(adpm.worst_case_mse(most), rel=1e-9)


@thorough
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.floats(0, 1))
def test_the_worst_error_of_an_average_is_that_on_a_fair_coin(weights, chance):
    w = np.array(weights) / sum(weights)
    tosses = np.array(list(product((0, 1), repeat=w.size)))

    def exact(heads):
        probability = np.prod(np.where(tosses, heads, 1 - heads), axis=1)
        return probability @ ((tosses - heads) @ w) ** 2 + 2 * 0.3**2

    assert exact(0.5) == pytest.approx(affine.mean_squared_error(w, 0.3), rel=1e-9)
    assert exact(chance) <= exact(0.5) * (1 + 1e-12)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, PLACES)
@example((700, 300), 0.1, 0.9)
@example((700, 300), 0.1, np.inf)
def test_both_cases_are_the_least_error_and_one_formula(counts, first, place):
    levels = first, max(first, place * saturation(counts, first))
    n, epsilon = sum(counts), groups(counts, levels)
    bound = adpm.two_group_bound(*levels, n, counts[0] / n)
    assert bound == pytest.approx(min(error(with_ratio(counts, best_ratio(counts, levels)), epsilon), 0.25), rel=1e-5)
    tau = level(epsilon)
    assert bound == pytest.approx(min(tau / (4 * np.minimum(epsilon, tau).sum()), 0.25), rel=1e-9)


@thorough
@given(SOME_LEVEL)
@example(np.array([0.1, 0.1, np.inf]))
def test_whoever_allows_more_than_the_level_keeps_the_difference(epsilon):
    w, tau = adpm.weights(epsilon), level(epsilon)
    lost = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
    np.testing.assert_allclose(lost, np.minimum(epsilon, tau), rtol=1e-9)
    assert error(w, epsilon) == pytest.approx(tau / (4 * lost.sum()), rel=1e-9)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, PLACES)
@example((700, 300), 0.1, 0.7)
@example((700, 300), 0.1, 3.0)
def test_the_best_ratio_follows_the_budgets_up_to_the_saturation_ratio(counts, first, place):
    point = saturation(counts, first)
    second = max(first, place * point)
    assert best_ratio(counts, (first, second)) == pytest.approx(min(second, point) / first, rel=1e-3)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS)
@example((700, 300), 0.1)
def test_with_the_noise_of_group_1_the_best_ratio_is_the_saturation_ratio(counts, first):
    ratio = saturation(counts, first) / first
    assert best_ratio(counts, (first, np.inf)) == pytest.approx(ratio, rel=1e-3)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, st.floats(1, 1e3), st.floats(1.001, 50))
@example((700, 300), 0.1, 5.0, 1.5)
def test_where_group_2_sets_the_noise_less_weight_errs_less(counts, first, ratio, excess):
    epsilon = groups(counts, (first, ratio * first))
    there, nearer = (with_ratio(counts, ratio * excess**power) for power in (1.0, 0.5))
    assert error(nearer, epsilon) < error(there, epsilon)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, PLACES, st.floats(1.01, 10))
@example((700, 300), 0.1, 0.5, 2.0)
@example((700, 300), 0.1, 5.0, 2.0)
def test_a_larger_budget_takes_weight_up_to_the_point_and_none_beyond(counts, first, place, more):
    point = saturation(counts, first)
    second = max(first, place * point)
    before, after = (adpm.weights(groups(counts, (first, e)))[0] for e in (second, second * more))
    assert after < before if second < point else after == pytest.approx(before, rel=1e-12)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, st.floats(1.01, 10))
@example((700, 300), 0.1, 1.5)
def test_beyond_the_ratio_more_weight_costs_more_than_it_saves(counts, first, excess):
    ratio, epsilon = saturation(counts, first) / first, groups(counts, (first, np.inf))
    at, more = with_ratio(counts, ratio), with_ratio(counts, ratio * excess)
    cost = (more @ more - at @ at) / 4
    saved = 2 * (affine.noise_scale(at, epsilon) ** 2 - affine.noise_scale(more, epsilon) ** 2)
    assert cost > saved > 0


def shrunk(epsilon):
    """The weights and noise of cM with c = 1/(1 + 4B), its worst error over all means, and B."""
    w = adpm.weights(epsilon)
    noise, before = affine.noise_scale(w, epsilon), error(w, epsilon)
    c = 1 / (1 + 4 * before)
    fair = c**2 * before  # in the squared mean the error is linear: the worst is a fair coin or an end
    return c * w, c * noise, max(fair, (1 - c) ** 2 / 4 + 2 * (c * noise) ** 2), before


@thorough
@given(BUDGETS)
@example(np.array([1.0]))
@example(np.array([np.inf]))
def test_the_shrunk_answer_keeps_the_promises_and_errs_less(epsilon):
    weights, noise, worst, before = shrunk(epsilon)
    assert np.all(affine.privacy_loss(weights, noise) <= epsilon * (1 + 1e-12))
    assert adpm.answers_zero(epsilon) == (before > 0.25)
    assert worst < min(before, 0.25)
    assert worst <= before / (1 + 4 * before) * (1 + 1e-12)


@thorough
@given(BUDGETS)
@example(np.array([np.inf]))
def test_the_bound_is_half_at_the_switch_and_more_than_half_elsewhere(epsilon):
    *_, worst, before = shrunk(epsilon)
    share = before / (1 + 4 * before) / adpm.worst_case_mse(epsilon)
    if before == 0.25:
        assert share == 0.5 and worst <= 0.125
    else:
        assert 0.5 < share < 1


@thorough
@given(st.floats(-5, 5), st.floats(-0.5, 0.5))
@example(0.7, -0.2)
def test_clamping_brings_every_answer_closer(answer, mean):
    assert abs(np.clip(answer, -0.5, 0.5) - mean) <= abs(answer - mean)


def test_one_public_user_gains_four_and_one_of_budget_1_less_than_a_quarter():
    *_, worst, before = shrunk(np.array([np.inf]))
    assert worst == before / 4 < before / (1 + 4 * before)
    assert adpm.answers_zero([1.0]) and shrunk(np.array([1.0]))[2] < 0.25
