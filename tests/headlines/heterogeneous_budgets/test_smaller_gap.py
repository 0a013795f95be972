"""What is left to gain: by two coins, by scores, and for strict people alone."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, minimax
from hdp.minimax import scores
from tests.populations import BUDGETS, PRIVATE, groups, thorough
from tests.sym.heterogeneous_budgets.test_smaller_gap import best_mechanism, chances, worst_error

SCORES, STRICT = "heterogeneous-budgets/smaller-gap", "heterogeneous-budgets/no-gap"
MORE = 1 + 1e-9  # what rounding may do
few = settings(thorough, max_examples=20)
HARDEST = groups((34, 1), (0.184, np.inf))  # the largest ratio to the bound of two coins that we know
DECADES = st.floats(0, 14).map(lambda d: 10**d)  # users of a group, too many for an array
LEVELS = st.one_of(st.floats(-9, 1).map(lambda d: 10**d), st.just(np.inf))
MANY = st.lists(st.tuples(DECADES, LEVELS), min_size=1, max_size=4).map(lambda g: np.transpose(g))


def average(users, e):
    """The error of Algorithm 1 for groups of any size: the best level of many, which is next to the best."""
    part = np.minimum(e, np.geomspace(1e-12, 1e3, 4000)[:, None])
    noise = 2 * np.max(part / e, axis=1) ** 2
    return min(0.25, np.min((part**2 @ users / 4 + noise) / (part @ users) ** 2))


def bound(users, e):
    """A lower bound for groups of any size, from scores: over many shares, or by the sign and size of errors."""
    t, found = np.tanh(e / 2), []
    for delta in np.geomspace(1e-4, 0.9, 40):
        cost, mean = 2 * t / np.sqrt(1 - delta * t), np.arctanh(delta) / delta
        share = np.minimum(1, cost / np.geomspace(cost.min(), 1e3 * cost.max(), 2000)[:, None])
        private, square, excess = (1 - share) * cost @ users, share**2 @ users, 2 / (1 - delta**2) - 2 * mean + 1
        public = 2 * np.sqrt(mean * square)
        normal = np.sqrt(2 / np.pi) * public + 2 * share**3 @ users / square * np.sqrt(excess)
        norm = np.sqrt(private**2 + 2 * private * np.minimum(public, normal) + public**2)
        found.append(1 / (norm.min() + 2 / delta) ** 2)
    return max(*found, scores._signs(1.0, np.sort(t), users[np.argsort(t)]))


def apart(users, e):
    """Another one, for open users in the last place: only their scores count for their data."""
    t = np.tanh(e[:-1] / 2)

    def root(delta):
        private = users[:-1] @ (2 * t / (1 - delta * t))
        public = 2 * np.sqrt(np.arctanh(delta) / delta * users[-1])
        line = 2 / delta + public + delta * private * public / 2
        return 2 / (line + np.sqrt(line**2 + 2 * private * (private + 2 / delta)))

    return max(map(root, np.geomspace(1e-9, 0.9, 100))) ** 2


def gap(e):
    """The error of Algorithm 1 over the bound of two coins."""
    return adpm.worst_case_mse(e) / minimax.le_cam(e)


@thorough
@given(BUDGETS)
@example(np.array([0.6574, 1.0753, 1.9005]))
def test_the_algorithm_errs_at_most_14_6_times_as_much(e):
    assert adpm.worst_case_mse(e) <= 14.6 * max(minimax.van_trees(e), minimax.le_cam(e))


@few
@given(MANY)
@example(np.array([[1e8, 1e6], [3.8e-5, np.inf]]))
def test_where_errors_are_tiny_nobody_has_much_less_than_a_third(people):
    users, e = people
    while average(users, e) > 1e-7:
        users = 100 * users
    assert average(users, e) < 3.1 * bound(users, e)


@thorough
@given(st.lists(st.floats(-0.5, 0.5), min_size=8, max_size=8), st.floats(0.1, 0.9))
@example([0.0] * 8, 0.5)
def test_an_estimator_is_correlated_with_the_scores(answers, delta):
    places, shares = np.polynomial.legendre.leggauss(12)
    product, square = 0.0, 0.0
    for mean, share in zip([*places * delta / 2, -delta / 2, delta / 2], [*shares / 2, 0, 0], strict=True):
        heads = np.array([(7 - x).bit_count() for x in range(8)])
        score, error = heads * 2 / (1 + 2 * mean) - (3 - heads) * 2 / (1 - 2 * mean), np.array(answers) - mean
        product += share * (chances(3, mean) @ (error * score))
        square = max(square, chances(3, mean) @ error**2)
    assert product >= 1 - 2 / delta * np.sqrt(square) - 1e-9


@thorough
@given(st.floats(1e-4, 30), st.floats(0, 0.99), st.floats(-1, 1))
@example(1.0, 0.5, -1.0)
def test_privacy_limits_what_an_output_says_of_a_score(epsilon, place, part):
    heads, tails, t = (1 + place) / 2 * np.exp(part * epsilon), (1 - place) / 2, np.tanh(epsilon / 2)
    score = (heads * 2 / (1 + place) - tails * 2 / (1 - place)) / (heads + tails)
    assert abs(score) <= 2 * t / (1 - place * t) * MORE


@few
@given(st.floats(8, 10), st.floats(-8, -6), st.floats(0, 1), st.floats(1, 10), st.sampled_from([1e-3, 1.0, np.inf]))
@example(8.0, -6.0, 1.0, 1.0, np.inf)
def test_where_noise_is_nearly_all_hardly_anything_is_left(sums, norms, part, ratio, open_budget):
    """Two strict groups beside as many open users as leave sampling a small part of the error."""
    total, norm = 10**sums, 10**norms
    strict = (total / norm) ** 2
    users = np.array([strict, strict, 1 + part * (norm * total / 8) ** 2])
    e = np.array([total / strict, ratio * total / strict, open_budget])
    assert average(users, e) < 1.02 * apart(users, e)


@few
@given(MANY)
@example(np.array([[1e15, 1e13], [1.45e-8, np.inf]]))
def test_as_errors_become_small_less_than_2_74(people):
    users, e = people
    while average(users, e) > 1e-13:
        users = 100 * users
    assert average(users, e) < 2.74 * bound(users, e)


@pytest.mark.parametrize("e", ([1.0], [np.inf], [1.0] * 2, [0.5, np.inf], [1.0] * 3, [2.0] * 3), ids=str)
def test_for_few_users_bounds_and_algorithm_leave_room(e):
    answers, mechanism = best_mechanism(e)
    found = worst_error(answers, mechanism)
    at_means = [chances(len(e), mean) @ mechanism @ (answers - mean) ** 2 for mean in np.linspace(-0.5, 0.5, 33)]
    assert found < max(at_means) + 1e-3
    assert max(minimax.le_cam(e), minimax.van_trees(e)) < found < adpm.worst_case_mse(e)


@thorough
@given(BUDGETS)
@example(groups((32, 1), (0.188, np.inf)))
def test_no_population_is_harder_than_strict_users_beside_a_public_one(e):
    assert gap(e) <= gap(HARDEST) * 1.01 < 21


@few
@given(st.integers(5 * 10**5, 10**6), st.floats(3, 20))
def test_one_small_budget_for_many_leaves_13_5(n, total):
    assert gap(np.full(n, total / n)) == pytest.approx(13.5, rel=0.01)


@thorough
@given(PRIVATE, st.floats(1e-6, 0.01))
def test_hardly_anything_is_left_where_hardly_anything_can_be_learnt(e, total):
    assert gap(e * total / e.sum()) < 1.01


@few
@given(st.integers(1000, 10**6))
@example(10**6)
def test_without_privacy_two_coins_lose_about_three(n):
    assert 1 / (4 * (1 + np.sqrt(n)) ** 2) / minimax.le_cam(np.full(n, np.inf)) == pytest.approx(3, rel=0.06)
