"""Intervals against exact chances of missing, and what a variance that is paid for is worth."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from hdp import adpm, affine, intervals
from tests.populations import BUDGETS, SIZES, groups, thorough

PAGE, LEARNED = "use/intervals", "use/learned-variance"
CALLS = "it heads a list of calls, which the page runs"
USERS, EPSILON, BETA = st.integers(1, 2000), st.floats(1e-3, 10), st.floats(1e-6, 0.3)
few = settings(deadline=None, max_examples=20)


def missed(users, p, scale, radius):
    """Chance that the mean of coins with Laplace noise is further than this from p, summed over the coins."""
    off = np.arange(users + 1) / users - p
    tail = stats.laplace.sf(radius - off, scale=scale) + stats.laplace.cdf(-radius - off, scale=scale)
    return stats.binom.pmf(np.arange(users + 1), users, p) @ tail


@thorough
# scipy's binomial overflows below the smallest normal number.
@given(USERS, EPSILON, BETA, st.just(0.0) | st.floats(1e-300, 1))
@example(100, 0.01, 0.05, 0.5)
@example(2000, 5.0, 0.05, 0.5)
def test_an_interval_misses_coins_no_more_often_than_it_says(users, epsilon, beta, p):
    scale = 1 / (users * epsilon)
    radius = intervals.population_radius(np.full(users, 1 / users), scale, beta)
    assert missed(users, p, scale, radius) <= beta * (1 + 1e-9)
    known = intervals.population_radius(np.full(users, 1 / users), scale, beta, variance=p * (1 - p))
    assert missed(users, p, scale, known) <= beta * (1 + 1e-9)


@thorough
@given(st.floats(1e-3, 10), BETA, st.floats(0.01, 1))
@example(1.0, 0.05, 1.0)
def test_the_interval_of_the_noise_is_the_least(scale, beta, share):
    assert np.isclose(2 * stats.laplace.sf(intervals.noise_radius(scale, beta), scale=scale), beta)
    step = share * scale
    k = round(intervals.noise_radius(scale, beta, step) / step)
    beyond = lambda k: 2 * stats.dlaplace.sf(k, step / scale)  # noqa: E731
    assert beyond(k) <= beta * (1 + 1e-9) and (k == 0 or beyond(k - 1) > beta * (1 - 1e-9))


@thorough
@given(BUDGETS, st.floats(1e-9, 0.5), st.floats(0.001, 0.999))
@example(np.full(1000, 0.1), 0.05, 0.5)
def test_a_split_is_never_narrower(e, beta, share):
    w = adpm.weights(e)
    scale = affine.noise_scale(w, e)
    best = intervals.split_radius(w, scale, beta)
    assert intervals.population_radius(w, scale, beta) <= best * (1 + 1e-9)
    assert best <= intervals.split_radius(w, scale, beta, share) * (1 + 1e-9)


@thorough
@given(USERS, BETA, st.floats(0.01, 1))
@example(100, 0.05, 1.0)
def test_a_little_noise_narrows_the_interval(users, beta, part):
    turn = np.sqrt(0.25 / users / (2 * np.log(1 / beta)))  # the scale up to which it does
    radius = [intervals.population_radius(np.full(users, 1 / users), s * turn, beta) for s in (0, part / 2, part)]
    assert radius[0] > radius[1] > radius[2]


@thorough
@given(USERS, st.floats(0.01, 0.2), st.floats(1e-6, 0.05))
@example(100, 0.2, 0.05)
def test_where_the_noise_rules(users, balance, beta):
    deviation = 0.5 / users**0.5
    scale = deviation / balance
    normal = stats.norm.isf(beta / 2) * np.sqrt(deviation**2 + 2 * scale**2)
    assert missed(users, 0.5, scale, normal) > beta
    radius = intervals.population_radius(np.full(users, 1 / users), scale, beta)
    assert radius <= 1.01 * intervals.noise_radius(scale, beta)


@thorough
@given(st.lists(st.floats(-0.5, 0.5), min_size=2, max_size=6), st.integers(0, 99))
@example([-0.5, 0.5, 0.4], 1)
def test_half_a_squared_difference_has_the_variance_as_its_mean(values, seed):
    values = np.array(values)
    chance = np.random.default_rng(seed).dirichlet(np.ones(values.size))
    pairs = np.array([[x, y] for x in values for y in values])
    found = intervals.private_variance(pairs, [np.inf, np.inf], 1) @ np.outer(chance, chance).ravel()
    assert np.isclose(found, chance @ values**2 - (chance @ values) ** 2)


@thorough
@given(USERS, st.floats(0.001, 1), st.floats(1e-4, 0.3), st.floats(0.01, 0.99), st.floats(0, 0.99))
@example(1000, 1.0, 0.05, 0.1, 0.0)
def test_no_share_pays_where_the_noise_rules(users, less, beta, part, share):
    most = less * np.log(1 / (1 - part))  # V / (2 eta^2), for the part of beta that is given away
    w, scale = np.full(users, 1 / users), np.sqrt(0.25 / users / (2 * most))
    paid = intervals.population_radius(w, scale / (1 - share), beta * (1 - part), variance=0.0)
    assert paid >= intervals.population_radius(w, scale, beta) * (1 - 1e-9)


def paid_over_unpaid(users, budget, v, share, beta=0.05, part=0.005):
    """Half-width with a share for the variance, over that without; the estimate is at its mean."""
    w, scale = np.full(users, 1 / users), 1 / (users * budget)
    learned = intervals.variance_bound(v, np.full(users, share * budget), part)
    paid = intervals.population_radius(w, scale / (1 - share), beta - part, variance=learned)
    return paid / intervals.population_radius(w, scale, beta)


@settings(deadline=None, max_examples=4)
@given(st.floats(0.05, 0.9), st.floats(0.02, 0.25))
@example(0.5, 0.05)
def test_many_users_gain_at_any_share(share, v):
    limit = 2 * np.sqrt(v * np.log(2 / 0.045) / np.log(2 / 0.05))
    assert np.isclose(paid_over_unpaid(10**6, 5.0, v, share), limit, rtol=0.03)
    assert paid_over_unpaid(10**6, 5.0, 0.25, share) > 1  # whatever the share, its part of the chance is lost


@few
@given(st.floats(0, 0.001))
def test_with_little_of_the_chance_many_users_gain_where_the_noise_rules(v):
    """So (a) is about a given part of the chance: here V / (2 eta^2) is 0.1."""
    n = 10**4
    assert paid_over_unpaid(n, np.sqrt(0.8 / n), v, 0.1, part=0.005) > 1
    learned = min(v + 0.01, 0.25)  # what the estimate of far more users tells
    scale, w = 1 / np.sqrt(0.8 * n), np.full(n, 1 / n)
    paid = intervals.population_radius(w, scale / 0.994, 0.05 - 1e-4, variance=learned)
    assert paid < intervals.population_radius(w, scale, 0.05)


@few
@given(st.floats(0.005, 0.95), st.floats(0, 0.01))
@example(0.1, 0.0)
def test_at_one_balance_few_had_better_not_ask(share, v):
    assert paid_over_unpaid(1000, 0.1, v, share) > 1
    assert paid_over_unpaid(10**5, 0.01, v, 0.08) < 1


@few
@given(SIZES.filter(lambda size: size >= 100), st.floats(0, 0.01))
@example(3000, 0.01)
def test_what_is_kept_pays_for_a_variance(size, v):
    e = groups((7 * size, 3 * size), (0.1, 1.0))
    w = adpm.weights(e)
    scale = affine.noise_scale(w, e)
    kept = np.maximum(e - w / scale - 1e-9, 0)
    assert (w / scale + kept <= e).all() and kept[-1] > 0.1
    learned = intervals.variance_bound(v, kept, 0.005)
    free = intervals.population_radius(w, scale, 0.045, variance=learned)
    assert free < intervals.population_radius(w, scale, 0.05)
