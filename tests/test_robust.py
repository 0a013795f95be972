"""Wrong variances: the factor holds for every problem, is attained or approached, and the guess is the best one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import differential_evolution

from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances, variance_guess
from tests.oracles import convex_weights, exact_objective, inf, problems, thorough

RANGES = [(0.25, 0.25), (0.3, 0.6), (0.25, 4.0), (2.0, 6.0)]
RATIO = st.one_of(st.floats(1e-2, 1e2), st.sampled_from([0.1, 1.0, 10.0]))


@thorough
@given(problems(), st.lists(RATIO, min_size=6, max_size=6))
def test_no_problem_costs_more_than_the_price(problem, ratios):
    """Public, unusable and tied items among them."""
    v, s, kappa = problem
    used = np.array(ratios[: len(v)])
    loss = loss_of_wrong_variances(v, used * v, s, kappa)
    assert 1 - 1e-12 < loss <= price_of_wrong_variances(used.min(), used.max()) * (1 + 1e-12)


@pytest.mark.settles("hdp-wrong-variances")
@pytest.mark.parametrize("ratios", RANGES)
def test_a_search_comes_near_the_price_and_not_above(ratios):
    """Over variances, costs and ratios of two items; where 1 is not among the ratios, a limit."""
    low, high = ratios

    def gain(point):
        v, s = np.exp(point[:2]), np.exp(point[2:4])
        return -loss_of_wrong_variances(v, v * low * (high / low) ** point[4:], s, 1.0)

    bounds = [(-8, 8)] * 4 + [(0, 1)] * 2
    found = -differential_evolution(gain, bounds, seed=1, maxiter=40, popsize=6, tol=0, polish=False).fun
    price = price_of_wrong_variances(low, high)
    assert 1 + 0.97 * (price - 1) < found <= price * (1 + 1e-12)


@pytest.mark.settles("hdp-wrong-variances-sharp")
@pytest.mark.parametrize(("lower", "upper"), [(1.0, 4.0), (0.01, 0.25), (1.0, 1.0)])
def test_two_public_users_attain_the_price(lower, upper):
    """Averaged as if they were alike, with whatever one variance is believed."""
    for believed in (lower, (lower * upper) ** 0.5, upper):
        found = loss_of_wrong_variances([lower, upper], believed, [0.0, 0.0], 2.0)
        assert found == pytest.approx((lower + upper) ** 2 / (4 * lower * upper), rel=1e-14)
        assert found == pytest.approx(price_of_wrong_variances(believed / upper, believed / lower), rel=1e-12)


@pytest.mark.settles("hdp-wrong-variances-sharp")
@pytest.mark.parametrize("ratio", [1 / 16, 0.5, 1.0, 3.0, 16.0])
def test_many_users_approach_the_price_of_one_factor(ratio):
    """All have one variance: two public users, and more and more others with smaller and smaller budgets."""
    price, lost = price_of_wrong_variances(ratio, ratio), []
    for users in (10**2, 10**4, 10**6):
        costs = np.r_[0.0, 0.0, np.full(users, users / np.sqrt(2 / (ratio * 0.125)))]
        lost.append(price - loss_of_wrong_variances(0.25, ratio * 0.25, costs, 2.0))
    assert -1e-12 < lost[-1] < 1e-4 * price and np.all(np.diff(lost) <= 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_convex_solver_finds_the_same_loss(seed):
    """Its weights for the believed and for the true variances, and errors in exact fractions."""
    rng = np.random.default_rng(seed)
    v, s, ratio = (np.exp(rng.normal(0, spread, 12)) for spread in (0.7, 1, 1))
    s[:2] = 0, inf
    ours = loss_of_wrong_variances(v, ratio * v, s, 3.0)
    believed, best = (convex_weights(x, s, 3.0) for x in (ratio * v, v))
    theirs = exact_objective(believed, v, s, 3.0) / exact_objective(best, v, s, 3.0)
    assert ours == pytest.approx(float(theirs), rel=1e-5)
    assert 1.01 < ours < price_of_wrong_variances(ratio.min(), ratio.max())


def test_the_price_of_a_huge_range_is_finite():
    assert price_of_wrong_variances(1e-50, 1e50) == pytest.approx(1e100 / 4, rel=1e-12)


@pytest.mark.settles("hdp-variance-guess")
@pytest.mark.parametrize("quotient", [1.5, 4.0, 25.0])
def test_the_geometric_mean_is_the_best_guess(quotient):
    """Of one factor for all variances: the worse end of the interval, for guesses on a grid."""
    lower, upper = 0.01, 0.01 * quotient

    def worst(guess):
        return max(price_of_wrong_variances(guess / end, guess / end) for end in (lower, upper))

    best = variance_guess(lower, upper)
    for guess in np.geomspace(lower / 3, upper * 3, 101):
        if abs(guess / best - 1) > 1e-3:
            assert worst(guess) > worst(best) + 1e-8
    root = quotient**0.5
    assert variance_guess([lower, 4.0], [upper, 4.0]) == pytest.approx([best, 4.0], rel=1e-15)
    assert worst(best) == pytest.approx((1 + root) ** 2 / (4 * root), rel=1e-12)
    assert worst(upper) == pytest.approx((1 + quotient) ** 2 / (4 * quotient), rel=1e-12)


@pytest.mark.settles("hdp-variance-guess")
def test_no_two_guesses_beat_any_one_of_the_interval():
    """Variances of their own: of two public users the adversary gives the larger weight the larger variance."""
    lower, upper = 1.0, 9.0
    price = price_of_wrong_variances(1 / 9, 1)
    for first in np.geomspace(0.5, 20, 25):
        for second in np.geomspace(0.5, 20, 25):
            pairs = ([lower, upper], [upper, lower])
            worst = max(loss_of_wrong_variances(v, [first, second], [0.0, 0.0], 2.0) for v in pairs)
            assert worst >= price * (1 - 1e-12)
    for guess in (lower, 2.0, upper):
        assert price_of_wrong_variances(guess / upper, guess / lower) == pytest.approx(price, rel=1e-14)
