"""Intervals against laws that are known, brute force, OpenDP, and runs of populations of many kinds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from hdp import ADPM, affine, intervals
from hdp.laplace_sum import LaplaceSum
from hdp.proof import assert_monte_carlo

RUNS = 100_000
inf = math.inf


@pytest.mark.settles("hdp-interval-noise")
@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_noise_radius_is_the_quantile(beta):
    """Continuous, and several noises: the chance of more is beta."""
    assert 2 * stats.laplace(scale=0.3).sf(intervals.noise_radius(0.3, beta)) == pytest.approx(beta, rel=1e-12)
    several = intervals.noise_radius(0.3, beta, count=7)
    assert 2 * LaplaceSum(7, 0.3).survival(several) == pytest.approx(beta, rel=1e-9)


@pytest.mark.settles("hdp-interval-noise")
@pytest.mark.parametrize("beta", [0.9, 0.3, 0.05, 1e-4])
@pytest.mark.parametrize("c", [1, 3.7, 50])
def test_discrete_noise_radius_is_the_least(beta, c):
    """By the series of the law, in steps of 0.25: one step less would miss too often."""
    z = np.arange(-3000, 3001)
    law = np.exp(-np.abs(z) / c) / np.exp(-np.abs(z) / c).sum()
    exact = intervals.noise_radius(0.25 * c, beta, step=0.25) / 0.25
    steps = round(exact)
    assert exact == steps  # of a radius, which is one of the values of the noise
    assert law[np.abs(z) > steps].sum() <= beta * (1 + 1e-12)
    assert steps == 0 or law[np.abs(z) > steps - 1].sum() > beta


@pytest.mark.settles("hdp-interval-radius")
@pytest.mark.parametrize("step", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("a", [1.0, 0.7, 0.2, 0.01])
def test_factor_is_the_least_that_bounds_the_tail(a, step):
    """Noise of scale 1: its tail over an exponential of rate a is at most the factor, and reaches it."""
    if step:
        k = np.arange(-600, 100)
        q = math.exp(-step)
        tail = np.where(k > 0, q**k / (1 + q), 1 - q ** np.maximum(1 - k, 0) / (1 + q))
        u = step * k
    else:
        u = np.linspace(-300, 20, 2_000_001)
        tail = stats.laplace.sf(u)
    largest = np.max(tail * np.exp(a * u))
    positive = intervals._positive(1.0, step)
    beyond = tail[u >= 0] * np.exp(u[u >= 0])
    assert beyond == pytest.approx(1 - positive, rel=1e-9)  # not the chance of N > 0 itself
    factor = math.exp(intervals._log_factor(a, positive))
    assert largest <= factor * (1 + 1e-12)
    assert largest >= factor * (1 - (0.03 * step if step else 1e-8))


@pytest.mark.settles("hdp-interval-radius")
@pytest.mark.parametrize("beta", [0.9, 0.05, 1e-9])
@pytest.mark.parametrize("ratio", [0.01, 0.8, 3.0, 40.0, 1e4])
def test_radius_is_the_least_of_all_exponents(ratio, beta):
    """By brute force, for the errors of sampling over those of the noise, with and without a variance."""
    n, a = 400, np.exp(np.linspace(-14, 0, 200_001))
    w, scale = np.full(n, 1 / n), 0.5 / math.sqrt(n) / ratio
    log = np.log(2 / beta) + a * np.log(2 * a / (1 + a)) - np.log1p(a)
    for v, variance in ((0.25, None), (0.01, 0.01)):
        c = 0.0 if variance is None else 1 / (3 * n)
        rate = a / scale
        rate, logs = rate[c * rate < 1], log[c * rate < 1]
        least = np.min(logs / rate + v / n * rate / (2 * (1 - c * rate)))
        found = intervals.population_radius(w, scale, beta, variance=variance)
        assert found == pytest.approx(least, rel=1e-7)


@pytest.mark.settles("hdp-interval-radius")
def test_radius_without_noise_is_hoeffdings_or_bernsteins():
    w, log = np.array([0.5, 0.3, 0.2]), math.log(2 / 0.05)
    squares = float(w @ w)
    assert intervals.population_radius(w, 0.0, 0.05) == pytest.approx(math.sqrt(squares * log / 2), rel=1e-12)
    expected = math.sqrt(2 * 0.01 * squares * log) + 0.5 / 3 * log  # by the largest weight
    assert intervals.population_radius(w, 0.0, 0.05, variance=0.01) == pytest.approx(expected, rel=1e-12)
    many = np.full(1000, 1e-3)
    expected = math.sqrt(2 * 0.01 * 1e-3 * log) + 1e-3 / 3 * log
    assert intervals.population_radius(many, 0.0, 0.05, variance=0.01) == pytest.approx(expected, rel=1e-12)
    bias = 1  # of the weights -1/1000, whose sum is -1
    assert intervals.population_radius(-many, 0.0, 0.05, variance=0.01) == pytest.approx(expected + bias, rel=1e-12)
    assert intervals.population_radius(w, 0.0, 0.05, variance=0.25) == intervals.population_radius(w, 0.0, 0.05)


@pytest.mark.settles("hdp-interval-radius")
def test_weights_that_do_not_sum_to_1_cost_their_bias():
    """The mean may be at either end of the interval."""
    half = intervals.population_radius([0.25, 0.25], 0.0, 0.05)
    full = intervals.population_radius([0.5, 0.5], 0.0, 0.05)
    assert half == pytest.approx(full / 2 + 0.25, rel=1e-12)
    half, full = intervals.split_radius([0.25, 0.25], 0.1, 0.05), intervals.split_radius([0.5, 0.5], 0.2, 0.05)
    assert half == pytest.approx(full / 2 + 0.25, rel=1e-12)
    alone = 0.3 * math.log(1 / 0.05)  # nothing is drawn at random but the noise, which may use all of beta
    assert intervals.split_radius([0.0], 0.3, 0.05) == pytest.approx(alone + 0.5, rel=1e-12)


@pytest.mark.settles("hdp-interval-split")
@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("ratio", [0.01, 0.5, 3.0, 300.0])
def test_no_split_of_beta_is_better(ratio, beta):
    """The best split is the best of a grid, and far from one exponential where neither error rules."""
    w, scale = np.full(100, 0.01), 0.05 / ratio
    best = intervals.split_radius(w, scale, beta)
    shares = 1 / (1 + np.exp(-np.linspace(-15, 15, 3001)))
    tried = [intervals.split_radius(w, scale, beta, share=b) for b in shares]
    assert min(tried) == pytest.approx(best, rel=1e-5) and min(tried) >= best * (1 - 1e-12)
    assert intervals.population_radius(w, scale, beta) < best * (1 - 1e-9)


@pytest.mark.settles("hdp-interval-normal")
@pytest.mark.parametrize("beta", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("scale", [0.05, 0.1, 0.25])
def test_where_noise_rules_the_radius_is_that_of_a_normal_mean(beta, scale):
    """The exact quantile of a normal variable with Laplace noise: nothing is left to gain."""
    w = np.full(400, 1 / 400)
    sigma = 0.5 / 20  # at most half of the scale
    radius = intervals.population_radius(w, scale, beta)
    assert radius == pytest.approx(-scale * math.log(beta) + sigma**2 / (2 * scale), rel=1e-12)

    def missing(t):
        inside = lambda y: stats.norm.sf((t - y) / sigma) * math.exp(-abs(y) / scale) / scale  # noqa: E731
        ends = (t - 1, t - 9 * sigma, t, t + 9 * sigma, t + 40 * scale)  # beyond the last one nothing counts
        return sum(integrate.quad(inside, *pair, limit=400, epsabs=1e-13)[0] for pair in pairwise(sorted({*ends, 0.0})))

    assert optimize.brentq(lambda t: missing(t) - beta, 0.01, 3) == pytest.approx(radius, rel=1e-6)


@pytest.mark.settles("hdp-interval-normal")
def test_the_limit_for_a_normal_interval_exceeds_what_it_states_from_one_in_twenty_on():
    """And not yet for one in ten."""
    stated = np.append(np.geomspace(1e-300, 0.05, 2000), 0.1)
    limit = np.exp(-np.sqrt(2) * stats.norm.isf(stated / 2))
    assert (limit[:-1] > stated[:-1]).all() and limit[-1] < stated[-1]


MANY = [0.1] * 700 + [1.0] * 300
POPULATIONS = {  # budgets, of whom many have a weight alike
    "one": [2.0],
    "two": [0.3, 5.0],
    "many": MANY,
    "noise": [0.01] * 10_000,
    "million": [0.02] * 500_000 + [1.0] * 500_000,
    "public": [0.5] * 500 + [inf] * 50,
    "lone": [3.0] + [0.01] * 2000,
}
SETTINGS = [
    *[(name, mean, 0.05, 0.0) for name in POPULATIONS for mean in (0.5, 0.02)],
    ("noise", 0.5, 0.2, 0.0),
    ("noise", 0.0, 0.01, 0.0),
    ("many", 0.5, 0.01, 0.0),
    ("many", 0.5, 0.05, 0.5),
    ("noise", 0.5, 0.05, 1.0),
    ("two", 0.9, 0.05, 0.25),
]
assert len(SETTINGS) == 20, "as the page says"


def answers(epsilon, mean, step, rng):
    """Weights, noise, and many errors of the mean of coins with ends in [-1/2, 1/2]."""
    w = ADPM(epsilon).weights
    scale = affine.noise_scale(w, epsilon)
    error = rng.laplace(0, scale, RUNS)
    if step:
        q = math.exp(-step)
        error = step * scale * (rng.geometric(1 - q, RUNS) - rng.geometric(1 - q, RUNS))
    for weight, users in zip(*np.unique(w, return_counts=True), strict=True):
        error += weight * (rng.binomial(users, mean, RUNS) - users * mean)
    return w, scale, error


def missed_too_often(missed, beta):
    """Beyond three standard errors."""
    return missed.mean() > beta + 3 * math.sqrt(beta * (1 - beta) / missed.size)


@pytest.mark.settles("hdp-interval-radius")
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_interval_covers_the_mean(setting):
    """In twenty settings of 10^5 runs each; the nearest miss their share almost exactly."""
    name, mean, beta, step = setting
    w, scale, error = answers(POPULATIONS[name], mean, step, np.random.default_rng(17))
    missed = np.abs(error) > intervals.population_radius(w, scale, beta, step=step * scale)
    assert not missed_too_often(missed, beta), missed.mean()
    if name == "noise" and mean == 0.5:
        assert missed.mean() > (0.6 if step else 0.95) * beta
    known = intervals.population_radius(w, scale, beta, variance=mean * (1 - mean), step=step * scale)
    assert not missed_too_often(np.abs(error) > known, beta)


@pytest.mark.settles("hdp-interval-normal")
@pytest.mark.parametrize("beta", [0.05, 0.01, 0.001])
def test_a_normal_interval_misses_too_often(beta):
    """Where noise rules the standard error is right and the tail is not; at 1 in 1000 it misses nine times as often."""
    w, scale, error = answers([0.001] * 10_000, 0.5, 0.0, np.random.default_rng(3))
    half = stats.norm.isf(beta / 2) * math.sqrt(affine.mean_squared_error(w, scale))
    assert affine.mean_squared_error(w, scale) == pytest.approx(w @ w / 4 + 2 * scale**2, rel=1e-12)
    assert missed_too_often(np.abs(error) > half, beta)
    assert_monte_carlo(np.abs(error) > half, math.exp(-stats.norm.isf(beta / 2) * 2**0.5))
    assert not missed_too_often(np.abs(error) > intervals.population_radius(w, scale, beta), beta)


@pytest.mark.settles("hdp-interval-variance")
def test_private_variance_is_unbiased_and_keeps_the_budgets():
    rng = np.random.default_rng(4)
    epsilon = rng.permutation([0.0, 0.2, 0.5, 0.5, 1.0, 3.0, 3.0, inf, inf])
    first, second, u, scale = intervals._pairs(epsilon)
    assert np.unique([*first, *second]).size == 8 and u.sum() == pytest.approx(1)
    x = rng.choice([-0.5, 0.5], (200_000, 9), p=[0.8, 0.2])
    found = intervals.private_variance(x, epsilon, rng)
    assert_monte_carlo(found, 0.16)
    assert_monte_carlo((found - 0.16) ** 2, 2 * scale**2 + 0.32 * 0.68 / 4 * (u @ u))
    for i in range(9):  # the most that her value moves the sum, over the noise
        moved = max(np.ptp([_without_noise(np.where(np.arange(9) == i, v, row), first, second, u) for v in (-0.5, 0.5)])
                    for row in x[:50])  # fmt: skip
        assert moved / scale <= epsilon[i] * (1 + 1e-12)


@pytest.mark.settles("hdp-interval-variance")
@pytest.mark.parametrize("epsilon", [[4.0, 1.0], [0.5, 8.0, 2.0, 4.0, 0.1]])
def test_the_stricter_user_of_a_pair_sets_its_noise(epsilon):
    """Half a squared difference moves by at most 1/2: no pair of two different budgets may lean on the larger one."""
    _, second, u, scale = intervals._pairs(epsilon)
    losses = u / 2 / scale
    assert np.all(losses <= np.array(epsilon)[second] * (1 + 1e-12))
    assert losses.max() == pytest.approx(min(np.max(np.array(epsilon)[second]), ADPM(np.array(epsilon)[second]).level))


def _without_noise(x, first, second, u):
    return u @ (x[first] - x[second]) ** 2 / 2


PAIRED = [(10_000, 0.1), (200, 1.0), (400, inf), (30, 0.5), (300, (0.05, 1.0, 9.0))]


@pytest.mark.settles("hdp-interval-variance")
@pytest.mark.parametrize(("users", "budget"), PAIRED)
@pytest.mark.parametrize("noisy", [-0.05, 0.0, 0.003, 0.1])
def test_variance_bound_is_no_less_than_the_test_that_it_inverts(users, budget, noisy):
    """Which variances would make the estimate so small?  Brute force over them and over exponents."""
    epsilon, beta = np.resize(budget, users), 0.005
    eta, kappa = 0.0 if budget == inf else 1 / (users * np.max(budget)), 1 / users
    if np.size(budget) > 1:  # pairs of unequal weights
        _, _, u, eta = intervals._pairs(epsilon)
        kappa = u @ u / 2
        assert kappa > 1.2 / users
    rate = np.exp(np.linspace(-3, 16, 40_000))
    a = rate * eta
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(a > 0, a * np.log(2 * a / (1 + a)) - np.log1p(a), 0.0)
    rate, factor = rate[a <= 1], factor[a <= 1]
    fits = [v for v in np.linspace(0, 0.25, 501)
            if np.min(factor + rate * (noisy - v) + rate**2 * kappa * v / 2) >= math.log(beta)]  # fmt: skip
    found = intervals.variance_bound(noisy, epsilon, beta)
    least = max(fits, default=0.0)
    assert found >= least - 1e-12
    assert found <= 1.05 * least + 0.0006, "and not much more"


@pytest.mark.settles("hdp-interval-variance")
@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("mean", [0.5, 0.05, 0.001])
@pytest.mark.parametrize(("users", "budget"), [(1000, 0.3), (3000, 1.0)])
def test_interval_with_a_private_variance_covers_the_mean(users, budget, mean, share):
    """The same values give variance and mean; each budget is split between them."""
    rng, beta = np.random.default_rng(9), 0.05
    pairs, v = users // 2, mean * (1 - mean)
    unlike = rng.binomial(pairs, 2 * v, RUNS)
    ones = unlike + 2 * rng.binomial(pairs - unlike, mean**2 / (1 - 2 * v))
    paid = np.full(users, share * budget)
    _, _, _, eta = intervals._pairs(paid)
    noisy = unlike / pairs / 2 + rng.laplace(0, eta, RUNS)
    w, scale = np.full(users, 1 / users), 1 / ((1 - share) * budget * users)
    part = np.concatenate([np.geomspace(1e-5, 0.5, 60), 1 - np.geomspace(0.5, 1e-5, 40)])
    grid = np.concatenate([[noisy.min()], np.quantile(noisy, part)])
    bounds = [intervals.variance_bound(t, paid, beta / 10) for t in grid]
    radii = np.array([intervals.population_radius(w, scale, 0.9 * beta, variance=b) for b in bounds])
    assert np.all(np.diff(radii) >= -1e-12)
    error = ones / users - mean + rng.laplace(0, scale, RUNS)
    radius = radii[np.searchsorted(grid, noisy, side="right") - 1]  # of an estimate that is no larger
    assert not missed_too_often(np.abs(error) > radius, beta)
    least = optimize.brentq(lambda t: intervals.variance_bound(t, paid, beta / 10) - v * (1 - 1e-9), -1, 0.25)
    assert not missed_too_often(noisy < least, beta / 10)


@pytest.mark.parametrize("scale", [0.0, 1e-20, 0.01, 0.03])
@pytest.mark.parametrize("variance", [1e-300, 1e-40, 1.93e-34, 1e-33, 1e-30])
def test_hardly_any_variance_is_no_more_than_little(variance, scale):
    """The rest of constant data after rounding: the radius is between that without noise and that of a little more."""
    w = np.full(10, 0.1)
    found = intervals.population_radius(w, scale, 0.05, variance=variance)
    without = 0.1 / 3 * math.log(2 / 0.05)
    assert found >= (without if scale == 0 else scale * math.log(1 / 0.05)) * (1 - 1e-9)
    assert found == pytest.approx(intervals.population_radius(w, scale, 0.05, variance=1e-20), rel=1e-7)


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e-17])
def test_hardly_any_noise_leaves_the_split_to_sampling(scale):
    found = intervals.split_radius(np.full(10, 0.1), scale, 0.05)
    assert found == pytest.approx(math.sqrt(0.1 / 4 * 2 * math.log(2 / 0.05)), rel=1e-14)
