"""What no private estimator can do: the bounds of two groups, two coins, and forty for any budgets."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom

from hdp import adpm, minimax, threshold
from tests.populations import BUDGETS, SIZES, groups, thorough

LOWER, COINS, GAP = (f"heterogeneous-budgets/{page}" for page in ("lower-bound", "two-coins", "closing-the-gap"))
LEVELS = st.floats(1e-3, 30)
RATIOS = st.one_of(st.floats(1, 1e4), st.just(np.inf))
CHANCES = st.floats(0, 1)


def distance(m, bias):
    """Total variation distance of m tosses of the two coins, by the number of heads."""
    heads = np.arange(m + 1)
    return np.abs(binom.pmf(heads, m, (1 + bias) / 2) - binom.pmf(heads, m, (1 - bias) / 2)).sum() / 2


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, RATIOS)
@example((1, 1), 0.9, 1.0)
@example((700, 300), 0.1, np.inf)
def test_of_two_groups_no_private_estimator_is_1560_times_better(counts, first, ratio):
    epsilon = groups(counts, (first, first * ratio))
    assert max(minimax.le_cam(epsilon), minimax.van_trees(epsilon)) > adpm.worst_case_mse(epsilon) / 1560


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, RATIOS)
@example((700, 300), 0.1, 2.0)
@example((700, 300), 0.1, 3.0)
def test_the_constants_on_both_sides_of_the_ratio(counts, first, ratio):
    epsilon, share = groups(counts, (first, first * ratio)), counts[0] / sum(counts)
    constant = 1048 if ratio >= adpm.saturation_ratio(first, sum(counts), share) else 1560
    bound = minimax.lower_bound(first, first * ratio, sum(counts), share)
    assert constant * bound == pytest.approx(adpm.worst_case_mse(epsilon), rel=1e-9)
    assert bound < minimax.le_cam(epsilon) <= adpm.worst_case_mse(epsilon)


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, RATIOS)
@example((700, 300), 0.001, 2.0)
@example((1, 1), 3.0, 1.0)
def test_three_bounds_lie_below_the_best(counts, first, ratio):
    epsilon = groups(counts, (first, first * ratio))
    for k in (0, counts[0], epsilon.size):
        slope = 2 * epsilon[:k].sum() + np.sqrt(3 * (epsilon.size - k) / 2)
        assert min(1 / (4 * slope**2), 0.25) / 16 < minimax.le_cam(epsilon)


@pytest.mark.settles("cc-combination")
@thorough
@given(SIZES, st.integers(0, 3), st.floats(1e-4, 10))
@example(100, 0, 0.001)
@example(100, 1, 0.001)
def test_the_combination_of_capped_bounds_is_too_small_at_f_1_only(first, others, epsilon):
    n, share = first + others, 6 / (6 + 256 * first / (first + others))
    bounds = np.array([1 / (6 * n), 1 / (32 * n * first * epsilon**2 + 256 * others)])
    weights = share, 1 - share
    literal, wanted = weights @ np.minimum(bounds, 0.25), min(weights @ bounds, 0.25)
    one = np.count_nonzero(bounds > 0.25) == 1
    assert literal < wanted if one else literal == pytest.approx(wanted, rel=1e-9)
    assert not (one and others) and max(np.minimum(bounds, 0.25)) >= wanted * (1 - 1e-9)


def largest_distance(epsilon, bias):
    """Of the probabilities of one event under the two coins, over all private mechanisms: a linear program."""
    data = list(product((1, 0), repeat=len(epsilon)))
    chance = [[np.prod(np.where(x, 1 + s * bias, 1 - s * bias) / 2) for x in data] for s in (1, -1)]
    rows, limits = [], []
    for (i, x), (k, z) in product(enumerate(data), repeat=2):
        if len(changed := np.flatnonzero(np.not_equal(x, z))) == 1:
            factor, row = np.exp(epsilon[changed[0]]), np.zeros(len(data))
            row[i], row[k] = 1, -factor
            rows, limits = [*rows, row, -row], [*limits, 0.0, factor - 1]
    return -linprog(np.subtract(*chance[::-1]), rows, limits, bounds=(0, 1)).fun


@settings(thorough, max_examples=15)
@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=3), st.floats(0.01, 0.55))
@example([0.5], 0.3)
@example([0.1, 3.0], 0.5)
def test_no_mechanism_tells_the_coins_apart_better_than_by_privacy_and_data(epsilon, bias):
    exact, users = largest_distance(epsilon, bias), range(len(epsilon))
    for private in chain.from_iterable(combinations(users, k) for k in range(len(epsilon) + 1)):
        hidden = bias * sum(np.tanh(epsilon[i] / 2) for i in private)
        assert exact <= hidden + distance(len(epsilon) - len(private), bias) + 1e-7
    assert exact < 1


@thorough
@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-1, 1)), min_size=1, max_size=6))
@example([(0.9, 0.1, 0.4), (0.1, 0.9, -0.4)])
def test_an_output_that_hides_the_mean_errs_for_one_of_the_two(outputs):
    a, b, y = np.array(outputs).T
    a, b = a / a.sum(), b / b.sum()
    worst = max(a @ (y - 0.5) ** 2, b @ (y + 0.5) ** 2)
    assert worst >= 0.5**2 * (1 - np.abs(a - b).sum() / 2) * (1 - 1e-12)


@thorough
@given(st.integers(1, 400), CHANCES)
@example(1, 0.5)
@example(1, 0.99)
@example(3, 1.0)
@example(4, 0.3)
def test_tosses_are_as_far_apart_as_their_majorities(m, bias):
    heads = (1 + bias) / 2
    majority = binom.sf(m // 2, m, heads) + (m % 2 == 0) * binom.pmf(m // 2, m, heads) / 2
    assert distance(m, bias) == pytest.approx(2 * majority - 1, abs=1e-11)
    assert minimax.coin_distance(m, bias) == pytest.approx(distance(m, bias), abs=1e-11)
    assert distance(m, bias) <= bias * np.sqrt(m) + 1e-12


@thorough
@given(st.floats(0, 20), CHANCES, CHANCES)
@example(0.0, 0.3, 0.7)
@example(1.0, 1 / (1 + np.e), 1.0)
def test_two_probabilities_of_an_event_are_close(epsilon, q, place):
    low = max(q / np.exp(epsilon), 1 - np.exp(epsilon) * (1 - q))
    high = min(q * np.exp(epsilon), 1 - (1 - q) / np.exp(epsilon))
    p = low + place * (high - low)  # any that the definition allows, for the event and for its complement
    assert abs(p - q) <= np.tanh(epsilon / 2) + 1e-12 <= epsilon / 2 + 2e-12


@thorough
@given(st.floats(0.001, 5))
def test_a_pair_keeps_three_conditions_and_breaks_the_fourth(epsilon):
    p, q, e = np.exp(-epsilon), 1.0, np.exp(epsilon)
    assert e * q >= p and e * p >= q * (1 - 1e-12) and e * (1 - p) >= 1 - q
    assert e * (1 - q) < 1 - p


@thorough
@given(BUDGETS)
@example(np.full(200, 0.115))
def test_the_algorithm_errs_less_than_forty_times_the_least_error(epsilon):
    assert adpm.worst_case_mse(epsilon) < 40 * minimax.le_cam(epsilon)
    before = threshold.affine_mse(epsilon)
    assert minimax.le_cam(epsilon) <= before / (1 + 4 * before) * (1 + 1e-9)  # what an estimator attains


@pytest.mark.settles("hdp-le-cam")
@thorough
@given(BUDGETS, CHANCES, CHANCES, CHANCES)
@example(np.full(200, 0.115), 0.0, 0.06, 0.5)
@example(np.full(200, 0.002), 1.0, 0.99, 0.5)
def test_no_choice_of_users_and_bias_proves_more(epsilon, share, bias, order):
    users = epsilon if order > 0.5 else np.sort(epsilon)
    k = round(share * users.size)
    proved = bias**2 / 4 * (1 - bias * np.tanh(users[:k] / 2).sum() - distance(users.size - k, bias))
    assert proved <= minimax.le_cam(epsilon) * (1 + 1e-9)


@thorough
@given(st.floats(1e-3, 1e3))
@example(0.5)
@example(2.0)
def test_the_best_bias_for_a_slope_has_a_formula(slope):
    bias = np.append(np.linspace(0, 1, 2001), min(2 / (3 * slope), 1))
    formula = 1 / (27 * slope**2) if slope >= 2 / 3 else (1 - slope) / 4
    assert np.max(bias**2 / 4 * (1 - slope * bias)) == pytest.approx(formula, rel=1e-9)
