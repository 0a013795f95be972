"""Lower bounds for noisy averages, and the cap beyond which samples count less."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import binom

from hdp import clipping, user_level
from tests.populations import thorough
from tests.headlines.user_level.common import BUDGETS, LAWS, RECORDS, law

RICH_PAIR = np.append(np.ones(99), [1e4, 2e4])


def tried(k, seed):
    """Weights of many kinds."""
    random = np.random.default_rng(seed).exponential(size=k.size)
    return [w / w.sum() for w in (random, np.ones(k.size), k, np.sqrt(k), 0 + (k == k.max()))]


def best_weights(k, people, epsilon):
    """Of a noisy linear estimator."""
    v = user_level.sample_mean_variance(*people, k)
    return clipping.optimal_weights(v, np.sqrt(v) / epsilon, 2.0)


@thorough
@given(RECORDS, LAWS, BUDGETS, st.integers(0, 99))
@example(np.array([4.0, 1.0]), law(0.5, 0.0), 1.0, 0)
@example(np.array([4.0, 1.0]), law(0.5, 1.0), 1.0, 0)
def test_no_noisy_average_errs_less_than_the_larger_term(k, people, epsilon, seed):
    v = user_level.sample_mean_variance(*people, k)
    for w in (*tried(k, seed), best_weights(k, people, epsilon)):
        error = user_level.noisy_linear_variance(w, v, epsilon)
        assert error >= user_level.lower_bound(k, epsilon, *people) * (1 - 1e-9)


@thorough
@given(RECORDS, st.floats(0.01, 0.99), BUDGETS)
def test_the_printed_formula_is_zero_where_nobody_can_be_right(k, p, epsilon):
    assert user_level.corollary_5_5(k, epsilon, 0.0) == 0 < user_level.baseline_variance("ideal", k, p, 0.0)


@thorough
@given(RECORDS.filter(lambda k: k.size < 50), st.floats(0.1, 0.9), BUDGETS, st.integers(0, 99))
@example(np.ones(2), 0.5, 1.0, 0)
def test_nobody_moves_the_truncated_estimate_by_more_than_her_budget(k, centre, epsilon, seed):
    w, half = best_weights(k, law(0.5, 0.1), epsilon), np.random.default_rng(seed).uniform(0.01, 0.6, k.size)
    means = np.full((2 * k.size, k.size), 0.5)
    means[range(k.size), range(k.size)], means[range(k.size, 2 * k.size), range(k.size)] = 0, 1
    sums = np.clip(means, centre - half, centre + half) @ w  # everybody in turn moves from 0 to 1
    unit = np.random.default_rng(7).laplace(size=2 * k.size)
    found = user_level.truncated_estimate(means, w, centre, half, epsilon, np.random.default_rng(7))
    scale = np.max((found - sums) / unit)
    assert np.max(sums[k.size :] - sums[: k.size]) <= scale * epsilon * (1 + 1e-6)


@thorough
@given(st.floats(0.5, 20), st.floats(1.01, 100))
@example(10.0, 100.0)
def test_an_interval_of_the_order_of_a_small_variance_does_not_hold_all_data(constant, small):
    k = int(np.ceil(small * constant**2 / 4)) + 1  # so that the variance is below 1 / constant^2
    half = constant / (4 * k)
    inside = binom.cdf(np.floor(k * (0.5 + half)), k, 0.5) - binom.cdf(np.ceil(k * (0.5 - half)) - 1, k, 0.5)
    assert 1 - inside > 0


@thorough
@given(st.integers(1, 1000), st.floats(1, 1e6))
def test_for_a_strict_budget_the_average_without_privacy_is_better_by_any_factor(n, factor):
    strict = user_level.private_ideal(np.ones(n), 0.5, 0.0, (n * factor) ** -0.5)
    assert strict.variance > factor * user_level.baseline_variance("uniform", np.ones(n), 0.5, 0.0)


@settings(deadline=None, max_examples=8)
@given(st.sampled_from([[1], [2], [1, 1], [2, 1], [1, 1, 1]]), st.sampled_from([0.5, 1.0, 2.0, 4.0]))
@example([1], 4.0)
def test_no_unbiased_private_estimator_of_few_users_is_much_better(k, epsilon):
    found = user_level.best_unbiased_variance(k, epsilon, np.linspace(-3, 4, 36))
    assert user_level.ideal_variance(0.25 / np.array(k), epsilon) < 1.06 * found


@thorough
@given(RECORDS, LAWS, BUDGETS, st.integers(0, 99))
@example(np.array([4.0, 1.0]), law(0.5, 0.0), 1.0, 0)
@example(np.full(5, 1e4), law(0.5, 0.02), 1.0, 0)
def test_the_least_variance_is_that_of_capped_samples_up_to_two(k, people, epsilon, seed):
    v, capped = user_level.sample_mean_variance(*people, k), user_level.sample_variance(k, epsilon, *people)
    least = min(
        user_level.noisy_linear_variance(w, v, epsilon) for w in (best_weights(k, people, epsilon), *tried(k, seed))
    )
    assert user_level.ideal_variance(v, epsilon) == approx(least)
    assert capped * (1 - 1e-9) <= least <= 2 * capped * (1 + 1e-9)


@thorough
@given(RECORDS, LAWS, BUDGETS, st.floats(1, 1e6))
@example(np.ones(99), law(0.5, 0.0), 0.5, 1e4)
def test_beyond_the_cap_twice_the_data_weigh_less_than_half_as_much_again(k, people, epsilon, rich):
    k = np.append(k, [rich, 2 * rich])
    v = user_level.sample_mean_variance(*people, k)
    if 1 / np.sqrt(v[-2]) > user_level.ideal_clip(v, epsilon):  # the poorer of the two is beyond the cap
        w = best_weights(k, people, epsilon)
        assert w[-1] < 1.5 * w[-2]


@thorough
@given(RECORDS, st.floats(0.01, 0.99), BUDGETS)
@example(RICH_PAIR, 0.3, 0.5)
def test_samples_count_in_full_up_to_a_cap_that_does_not_depend_on_the_mean(k, p, epsilon):
    counted = np.minimum(k, np.sqrt(k * user_level.effective_cap(k, epsilon)))
    assert best_weights(k, law(p, 0.0), epsilon) == approx(counted / counted.sum())
    v = user_level.sample_mean_variance(p, 0.0, k)
    assert user_level.ideal_variance(v, epsilon) == approx(user_level.sample_variance(k, epsilon, p, 0.0))


@thorough
@given(RECORDS, BUDGETS)
@example(RICH_PAIR, 0.1)
def test_the_papers_cap_is_a_size_and_costs_the_square_of_a_logarithm(k, epsilon):
    cap = user_level.sample_cap(k, epsilon)
    used, octaves = np.minimum(k, cap), 1 + np.floor(np.log2(k.max() / user_level.effective_cap(k, 2**0.5 * epsilon)))
    error = user_level.noisy_linear_variance(used / used.sum(), 0.25 / used, epsilon)
    assert cap in k and error <= 16 * octaves**2 * user_level.ideal_variance(0.25 / k, epsilon)
