"""The private ideal estimator, and what hiding users costs."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import binom, laplace

from hdp import clipping, user_level
from tests.populations import thorough
from tests.headlines.user_level.common import BUDGETS, LAWS, RECORDS, example_1, law

ALIKE = np.full(5, 3.0)  # nothing is gained by cutting anybody


def error(w, sigma, width, epsilon):
    """Sampling error, and the noise that hides everybody, of Laplace law."""
    return np.sum((w * sigma) ** 2) + laplace(scale=np.max(w * width) / epsilon).var()


@thorough
@given(RECORDS, LAWS, BUDGETS)
@example(np.array([400.0, 20.0, 20.0]), law(0.5, 0.02), 1.0)
def test_the_noise_hides_who_moves_the_answer_most(k, people, epsilon):
    plan, users = user_level.private_ideal(k, *people, epsilon), np.unique(k, return_index=True)[1]
    means = np.full((2, users.size, k.size), people[0])
    means[0, range(users.size), users], means[1, range(users.size), users] = 0, 1
    moves = np.diff(plan.answer(means), axis=0)
    assert moves.max() == approx(plan.scale * epsilon) == approx(np.max(plan.weights * (plan.upper - plan.lower)))


@thorough
@given(RECORDS, LAWS, BUDGETS)
@example(ALIKE, law(0.5, 0.5), 1.0)
def test_each_cut_lowers_the_noise_or_leaves_it(k, people, epsilon):
    plan, w = user_level.private_ideal(k, *people, epsilon), user_level.ideal_weights(k, *people)
    uncut, shorter = w.max(), np.max(w * (plan.upper - plan.lower))
    assert plan.scale * epsilon <= shorter * (1 + 1e-9) and shorter <= uncut


@thorough
@given(RECORDS, LAWS, BUDGETS)
@example(np.array([1e4, 100.0, 1.0]), law(0.5, 0.02), 1.0)
def test_weights_are_inverse_variances_up_to_a_level_of_their_product_with_the_width(k, people, epsilon):
    plan, v = user_level.private_ideal(k, *people, epsilon), user_level.sample_mean_variance(*people, k)
    moves, uncut = plan.weights * (plan.upper - plan.lower), plan.weights * v
    free = moves < moves.max() * (1 - 1e-9)
    assert uncut[free] == approx(uncut.max())


@thorough
@given(st.integers(1, 3000), st.integers(1, 10**6), st.floats(0, 0.5))
@example(100, 1, 0.0)
def test_means_hardly_ever_leave_their_intervals(k, n, spread):
    f = float(user_level.half_width(k, n, spread**2, 0.05))
    for mean in (0.5 - spread, 0.5 + spread):  # of users who are one standard deviation away from p = 1/2
        inside = binom.cdf(np.floor(k * (0.5 + f)), k, mean) - binom.cdf(np.ceil(k * (0.5 - f)) - 1, k, mean)
        assert 1 - inside <= 0.05 / n + 1e-12


@thorough
@given(st.floats(1, 1e6), st.floats(1.01, 1e6), st.integers(1, 10**6), st.floats(0, 0.5))
def test_more_samples_make_the_interval_shorter(k, more, n, spread):
    few, many = user_level.half_width([k, more * k], n, spread**2, 0.05)
    assert many < few


@thorough
@given(RECORDS.filter(lambda k: k.size < 20), LAWS, BUDGETS)
def test_noise_varies_by_twice_the_square_of_its_scale(k, people, epsilon):
    plan, sigma = user_level.private_ideal(k, *people, epsilon), user_level.sample_mean_variance(*people, k) ** 0.5
    assert plan.variance == approx(error(plan.weights, sigma, plan.upper - plan.lower, epsilon))
    noise = (plan.estimate(np.full((20_000, k.size), 0.5), 1) - plan.answer(np.full(k.size, 0.5))) / plan.scale
    assert noise.var() == approx(2, rel=0.06)


@thorough
@given(RECORDS, LAWS, BUDGETS)
@example(ALIKE, law(0.5, 0.5), 1.0)
def test_no_weights_that_are_clipped_by_the_spread_are_better(k, people, epsilon):
    plan, sigma = user_level.private_ideal(k, *people, epsilon), user_level.sample_mean_variance(*people, k) ** 0.5
    width = plan.upper - plan.lower
    w = user_level.truncated_weights(sigma, user_level.best_truncation(sigma, width, epsilon))
    assert plan.variance <= error(w, sigma, width, epsilon) * (1 + 1e-9)


@thorough
@given(RECORDS, LAWS, BUDGETS)
@example(np.repeat([1e6, 1.0], [10, 9990]), law(0.5, 0.0), 1.0)
def test_the_price_of_privacy_lies_between_its_bounds(k, people, epsilon):
    plan, sigma = user_level.private_ideal(k, *people, epsilon), user_level.sample_mean_variance(*people, k) ** 0.5
    price = plan.variance / user_level.baseline_variance("ideal", k, *people)
    ratio, largest = (plan.upper - plan.lower) / sigma, user_level.ideal_weights(k, *people).max()
    assert 1 + 2 * (ratio.min() / epsilon) ** 2 / k.size <= price * (1 + 1e-9)
    assert price <= (1 + 2 * (ratio.max() / epsilon) ** 2 * largest) * (1 + 1e-9)


def in_example_1(n, weights=None, epsilon=1.0):
    """Sampling error and noise over the least error without privacy."""
    k, size = np.unique(example_1(n), return_counts=True)
    v, d = user_level.sample_mean_variance(0.5, n**-0.5, k), 2 * user_level.half_width(k, n, 1 / n, 0.05)
    w = (
        clipping.optimal_weights(v / size, d / size / epsilon, 2.0) / size
        if weights is None
        else weights(k) / (size @ weights(k))
    )
    return np.array([size @ (w**2 * v), 2 * np.max(w * d / epsilon) ** 2]) * np.sum(size / v)


@thorough
@given(st.integers(1000, 100_000))
def test_in_example_1_both_cuts_are_needed(n):
    alone, both = ([in_example_1(users, w).sum() for users in (n, 10 * n)] for w in (lambda k: k, None))
    assert min(alone) > 100 and alone[1] == approx(alone[0], rel=0.05)
    assert 1 < both[1] < both[0] < 3
    assert in_example_1(n, lambda k: k, epsilon=100.0).sum() < 1.5  # with a large budget nobody need be cut


@thorough
@given(st.integers(1, 1000), st.floats(0.02, 10))
@example(1000, 0.02)
def test_who_has_nearly_everything_costs_a_factor_that_can_be_any(n, epsilon):
    k = np.append(1e12, np.ones(n))
    price = user_level.private_ideal(k, 0.5, 0.0, epsilon).variance / user_level.baseline_variance("ideal", k, 0.5, 0.0)
    width = 2 * user_level.half_width(1e12, k.size, 0.0, 0.05)
    assert price == approx(1 + 2 * width**2 / (0.25 / 1e12) / epsilon**2, rel=1e-2)
    assert price > 50 / epsilon**2


def test_where_users_differ_the_price_may_be_far_below_the_upper_bound():
    """Though one user has nearly all the weight: the shorter interval is hers."""
    k, people = np.append(1e14, np.ones(100)), (0.001, 1e-5)
    plan, sigma = user_level.private_ideal(k, *people, 1.0), user_level.sample_mean_variance(*people, k) ** 0.5
    heaviest = np.max(user_level.ideal_weights(k, *people))
    upper = 1 + 2 * np.max((plan.upper - plan.lower) / sigma) ** 2 * heaviest
    assert heaviest > 0.9999
    assert 1 < plan.variance / user_level.baseline_variance("ideal", k, *people) < 0.1 * upper
