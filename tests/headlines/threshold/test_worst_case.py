"""How much one threshold can lose: for so many levels and users, by geometric budgets, beside the trivial answer."""

from itertools import combinations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, threshold
from tests.populations import BUDGETS, thorough

USERS = st.one_of(st.integers(2, 12), st.sampled_from([30, 300, 3000]))
SMALL = st.lists(st.one_of(st.sampled_from([0.0, 1.0, 2.0, np.inf]), st.floats(1e-3, 30)), min_size=2, max_size=6)


def ratio(e):
    """What the best threshold loses."""
    return threshold.threshold_mse(e) / threshold.affine_mse(e)


def capped(e):
    """The same where both may answer without data."""
    return min(threshold.threshold_mse(e), 0.25) / min(threshold.affine_mse(e), 0.25)


def used(e):
    """What each threshold makes use of: its level for everybody whom it keeps."""
    return [level * np.count_nonzero(e >= level) for level in np.unique(e[e > 0])]


def gain(counts):
    """What all levels allow together, if every threshold uses 1."""
    return np.sum(np.diff(counts, prepend=0) / counts)


def geometric(k, factor, least, total):
    """Budgets for which counts of those who allow as much grow, and budgets fall, by a factor."""
    counts = least * factor ** np.arange(k)
    return np.repeat(total / counts, np.diff(counts, prepend=0))


def largest(k, n):
    """What one threshold loses at most beside the trivial answer, over all counts."""
    every = ((*inner, n) for inner in combinations(range(1, n), k - 1))
    return max(0.25 / threshold.affine_mse(threshold.saturating_budgets(counts)) for counts in every)


GEOMETRIC = st.tuples(st.integers(1, 4), st.integers(2, 12), st.integers(1, 4), st.floats(1e-3, 30))


@thorough
@given(USERS)
@example(3000)
def test_one_threshold_may_lose_the_square_of_a_logarithm(n):
    assert ratio(threshold.worst_case_budgets(n, n, 1e-4)) > np.log(n) ** 2


@thorough
@given(BUDGETS)
@example(threshold.worst_case_budgets(2, 3000, 1.0))
def test_some_threshold_uses_a_part_of_what_is_allowed(e):
    levels = np.unique(e[e > 0]).size
    assert max(used(e)) >= e.sum() / levels * (1 - 1e-12)


@thorough
@given(BUDGETS)
@example(threshold.worst_case_budgets(2, 3000, 1e-4))
@example(threshold.worst_case_budgets(500, 500, 1e-4))
def test_one_threshold_loses_no_more_than_the_squares(e):
    levels = np.unique(e[e > 0]).size
    assert ratio(e) <= min(levels, 1 + np.log(e.size)) ** 2 * (1 + 1e-12)


@thorough
@given(BUDGETS)
@example(threshold.worst_case_budgets(2, 300, 1e-5))
def test_nothing_is_worse_than_the_worst_case(e):
    levels = np.unique(e[e > 0]).size
    assert ratio(e) <= threshold.worst_case_ratio(levels, e.size) * (1 + 1e-12)


@thorough
@given(st.integers(1, 6), USERS)
@example(3, 300)
def test_no_smaller_factor_will_do(k, n):
    assert ratio(threshold.worst_case_budgets(k, n, 1e-5)) > (1 - 1e-6) * threshold.worst_case_ratio(k, n)


@thorough
@given(st.integers(1, 4))
@example(4)
def test_with_few_levels_among_very_many_users_it_is_nearly_the_square(k):
    assert 0.99 * k**2 < threshold.worst_case_ratio(k, 10**9) <= k**2


@thorough
@given(USERS)
@example(3000)
def test_where_all_budgets_differ_it_is_the_square_of_the_harmonic_number(n):
    found = ratio(threshold.worst_case_budgets(n, n, 1e-5))
    np.testing.assert_allclose(found, np.sum(1 / np.arange(1, n + 1)) ** 2, rtol=1e-6)


@thorough
@given(st.integers(2, 6), USERS, st.integers(0, 5), st.floats(0.1, 0.9))
@example(3, 300, 1, 0.9)
def test_in_the_worst_cases_every_threshold_uses_the_same(k, n, place, factor):
    e = threshold.worst_case_budgets(k, n, 1e-5)
    np.testing.assert_allclose(used(e), 1e-5, rtol=1e-12)
    levels = np.unique(e)
    other = e * np.where(e == levels[place % levels.size], factor, 1.0)
    assert ratio(other) < ratio(e)


@thorough
@given(st.lists(st.floats(1, 100), min_size=1, max_size=6))
@example([2.0, 8.0])
def test_equal_factors_gain_most(factors):
    counts = np.cumprod([1.0, *factors])
    assert gain(counts) <= gain(np.geomspace(1, counts[-1], counts.size)) + 1e-12


@thorough
@given(st.integers(2, 40), st.integers(2, 20_000))
@example(40, 40)
def test_the_formula_is_at_most_seven_percent_too_large(k, n):
    formula = k - (k - 1) * n ** (-1 / (k - 1))
    assert 1 - 1e-12 < formula / np.sqrt(threshold.worst_case_ratio(k, max(k, n))) < 1.07 or n < k


@thorough
@given(st.integers(1, 40), st.integers(1, 20_000))
@example(15, 10**6)
def test_the_bound_is_less_than_four_times_too_large(k, n):
    assert 1 - 1e-12 < threshold.harmonic_bound(k, n) / threshold.worst_case_ratio(k, n) < 4


@thorough
@given(st.integers(2, 4), st.floats(1e-4, 0.1))
@example(3, 0.01)
def test_steep_geometric_budgets_lose_nearly_the_square(k, total):
    e = geometric(k, 50, 1, total)
    assert 0.95 * k**2 < ratio(e) < k**2
    np.testing.assert_allclose(ratio(geometric(1, 50, 2, total)), 1)  # one level loses nothing, and that is its square


@thorough
@given(GEOMETRIC, st.floats(0.01, 0.999))
@example((4, 2, 1, 1.0), 0.99)
def test_geometric_budgets_leave_the_same_noise_as_thresholds(shape, below):
    e = geometric(*shape)
    noise = lambda tau: threshold.threshold_mse(e, tau) - 0.25 / np.count_nonzero(e >= tau)  # noqa: E731
    np.testing.assert_allclose([noise(tau) for tau in np.unique(e)], 2 / shape[-1] ** 2, rtol=1e-8, atol=1e-14)
    assert noise(below * e.min()) > 2 / shape[-1] ** 2  # a threshold that is no budget leaves more


@thorough
@given(st.integers(1, 4), st.integers(20, 50), st.floats(1e-3, 30))
def test_steep_budgets_allow_nearly_so_many_times_as_much(k, factor, total):
    e = geometric(k, factor, 1, total)
    assert 0.95 * k <= e.sum() / max(used(e)) <= k * (1 + 1e-12)


@thorough
@given(st.integers(2, 4), st.integers(2, 50), st.integers(1, 2), st.floats(1e-2, 30))
@example(3, 50, 1, np.sqrt(8))
@example(3, 50, 1, 1e-2)
def test_only_where_noise_dominates_is_the_loss_near_the_square(k, factor, least, total):
    e = geometric(k, factor, least, total)
    w = adpm.weights(e)
    assert ratio(e) < 0.94 * k**2 or w @ w / 4 < 0.1 * threshold.affine_mse(e)


@thorough
@given(USERS, st.floats(1e-3, 1))
@example(3000, 1.0)
def test_every_price_has_the_same_revenue_and_the_value_is_a_logarithm(n, total):
    e = threshold.worst_case_budgets(n, n, total)
    np.testing.assert_allclose(used(e), total, rtol=1e-12)
    assert np.log(n) < e.sum() / total <= 1 + np.log(n)


@thorough
@given(SMALL.filter(any))
@example(threshold.worst_case_budgets(3, 6, 1e-4).tolist())
@example([0.0, np.inf])
def test_beside_the_trivial_answer_one_threshold_loses_less(budgets):
    e, k, n = np.array(budgets), np.unique(budgets).size, len(budgets)
    assert capped(e) <= largest(k, n) * (1 + 1e-12)
    assert largest(k, n) < threshold.worst_case_ratio(k, n) or k == 1


@thorough
@given(st.sets(st.integers(1, 3000), min_size=1, max_size=6).filter(lambda counts: max(counts) > 1))
@example({1, 9})
def test_in_the_worst_case_every_threshold_errs_a_quarter(counts):
    e = threshold.saturating_budgets(sorted(counts))
    np.testing.assert_allclose([threshold.threshold_mse(e, tau) for tau in np.unique(e)], 0.25, rtol=1e-12)
    np.testing.assert_allclose(capped(e), 0.25 / threshold.affine_mse(e), rtol=1e-12)


@settings(thorough, max_examples=20)
@given(st.integers(20, 3000))
@example(3000)
def test_two_levels_lose_four_but_for_the_root(n):
    found = [0.25 / threshold.affine_mse(threshold.saturating_budgets([m, n])) for m in range(1, int(3 * n**0.5))]
    assert abs(1 + np.argmax(found) - np.sqrt(n / 2)) < 2
    assert 0 < max(found) - (4 - 4 * np.sqrt(2 / n)) < 3 / n


@thorough
@given(st.integers(3, 20_000))
@example(20_000)
def test_with_all_budgets_different_the_loss_grows_like_a_squared_logarithm(n):
    found = np.sqrt(0.25 / threshold.affine_mse(threshold.saturating_budgets(np.arange(1, n + 1))))
    assert 0 < found - (np.log(n) - np.log(np.log(n))) < 1.1
    assert ratio(np.linspace(1, 1.001, n)) < 1.002  # not every loss does
