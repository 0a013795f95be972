"""Algorithm 2: who is asked what, what she loses, and what it costs not to know the population."""

from inspect import signature

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pytest import approx

from hdp import affine, user_level
from hdp.user_level.algorithm_2 import final_release, scale_probabilities
from tests.populations import thorough
from tests.headlines.user_level.common import BUDGETS, LAWS, RECORDS, example_1, law


def test_the_estimate_is_told_neither_mean_nor_spread():
    assert not {"p", "sigma_p"} & {*signature(user_level.private_estimate).parameters}


@thorough
@given(st.integers(700, 3000), st.floats(1, 30), st.booleans())
def test_the_groups_are_disjoint_and_the_first_two_have_at_most_half(n, epsilon, alike):
    head, middle, tail = user_level.user_groups(np.ones(n) if alike else example_1(n), epsilon)
    assert sorted([*head, *middle, *tail]) == list(range(n))
    assert 2 * (head.size + tail.size) <= n


@thorough
@given(st.integers(1, 30), st.integers(2, 8), st.floats(0.01, 3), st.integers(0, 99))
@example(10, 2, 0.1, 0)
def test_few_users_with_a_small_budget_do_not_tell_variances_apart(pairs, count, epsilon, seed):
    scales, rng = 0.25 * 16.0 ** -np.arange(count), np.random.default_rng(seed)
    means = np.clip(0.5 + rng.normal(size=(count, 2 * pairs)) * np.sqrt(scales)[:, None], 0, 1)  # as the scales say
    found = np.diag(scale_probabilities(means, scales, epsilon)).min()  # chance of the right one, in the worst case
    assert (count - 1) * found * np.exp(-2 * pairs * epsilon) <= (1 - found) * (1 + 1e-9)


@thorough
@given(RECORDS, LAWS, st.floats(0, 0.5), BUDGETS)
@example(np.array([400.0, 20.0, 20.0]), law(0.5, 0.02), 0.01, 1.0)
def test_who_moves_the_answer_most_loses_her_budget(k, people, alpha, epsilon):
    plan = final_release(k, 2 * k.size, people[0], people[1] ** 2, alpha, epsilon, 0.05)
    users = np.unique(k, return_index=True)[1]
    means = np.full((2, users.size, k.size), people[0])
    means[0, range(users.size), users], means[1, range(users.size), users] = 0, 1
    assert np.diff(plan.answer(means), axis=0).max() / plan.scale == approx(epsilon)


def allowed(n, head, part, median, low):
    """The head, and the numbers of samples of n users, of whom it has at most what the third condition allows."""
    most = median * (1 + part * ((n / 2 - head) / head - 1))
    return head, np.repeat([most, median, low], [head, n // 2 - head, n - n // 2]).astype(float)


# n, the size of the head, how much of what is allowed it holds, the median, what the poorer half has
POPULATIONS = st.tuples(
    st.integers(10, 500).map(lambda half: 2 * half), st.integers(1, 8), st.floats(0, 1), st.integers(1, 1000)
).flatmap(lambda x: st.builds(allowed, *map(st.just, (x[0], min(x[1], x[0] // 5), *x[2:])), st.integers(1, x[3])))
RICH_HEAD = allowed(1000, 7, 1.0, 100, 1)


@thorough
@given(POPULATIONS, LAWS, BUDGETS, st.floats(0.5, 1.5), st.floats(1, 8), st.floats(0, 1))
@example(RICH_HEAD, law(0.5, 0.0), 30.0, 1.0, 3.0, 0.0)
def test_the_error_is_within_256_under_the_conditions(users, people, epsilon, of_p, of_v, part):
    head, k, n = *users, users[1].size
    v, ideal = user_level.sample_mean_variance(*people, k), user_level.private_ideal(k, *people, epsilon)
    bernoulli = min(of_p * people[0] * (1 - people[0]), 0.25)  # of the first mean, on the side of the true one
    mean = 0.5 + np.sign(people[0] - 0.5) * np.sqrt(0.25 - bernoulli)
    f = user_level.half_width(k, n, people[1] ** 2, 0.05)
    assume(abs(mean - people[0]) <= f.min())
    middle = slice(head, n - n // 10)
    plan = final_release(k[middle], n, mean, of_v * v[head - 1], part * f.min(), epsilon, 0.05)
    assume(np.all(plan.upper - plan.lower <= 4 * (ideal.upper - ideal.lower)[middle]))
    error = affine.mean_squared_error(plan.weights, plan.scale, v[middle])
    assert error <= 256 * ideal.variance / 2  # the ideal one varies by at least half of what is stated


@thorough
@given(LAWS, st.floats(1, 1e9), st.floats(1, 1e9), st.floats(0.5, 1.5), st.floats(0, 1))
@example(law(0.5, 0.0), 1e9, 1.0, 1.5, 1.0)
@example(law(0.5, 0.5), 1.0, 1.0, 0.5, 0.0)
def test_estimated_variances_are_right_up_to_constants(people, k, more, of_p, part):
    true, of_head = user_level.sample_mean_variance(*people, [k, k * more])
    first_variance = (1 + 7 * part) * of_head
    estimated = of_p * people[0] * (1 - people[0]) / k + (1 - 1 / k) * first_variance
    assert 0.5 * (1 - 1e-9) <= estimated / true <= 9.5 * (1 + 1e-9)


@thorough
@given(POPULATIONS, LAWS, st.floats(1e-3, 1e3))
@example(RICH_HEAD, law(0.5, 0.0), 1e9)
def test_the_middle_has_half_of_the_information_at_every_threshold(users, people, threshold):
    head, k, n = *users, users[1].size
    v = user_level.sample_mean_variance(*people, k)
    for term in (1 / v, np.minimum(1 / v, threshold / np.sqrt(v))):
        assert term[head : n - n // 10].sum() >= term.sum() / 2 * (1 - 1e-9)


@thorough
@given(st.integers(500, 10_000), st.floats(5, 1000))
@example(10_000, 1000.0)
def test_the_introductions_condition_allows_a_factor_of_the_order_of_the_budget(n, epsilon):
    head = int(np.ceil(np.log(n)))
    most = n * epsilon / np.log(n) - 1
    k = np.repeat([most, 1.0], [head, n - head])
    noiseless = user_level.baseline_variance("ideal", k[head : n - n // 10], 0.5, 0.0)
    assert noiseless > epsilon / 2 * user_level.private_ideal(k, 0.5, 0.0, epsilon).variance
