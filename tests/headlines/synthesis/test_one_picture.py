"""One rule for the weights of four papers, and the steps from model to model."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from pytest import approx
from scipy.optimize import brentq

from hdp import adpm, baselines, clipping, hybrid, threshold, user_level
from tests.populations import PRIVATE, SIZES, groups, thorough
from tests.headlines.user_level.common import BUDGETS, LAWS, RECORDS, law


def objective(w, v, s):
    """Sampling error and Laplace noise."""
    return np.sum(v * w**2) + 2 * np.max(s * w) ** 2


def solved(v, s):
    """The error at the weights of the solver, which knows none of the papers."""
    v, s = np.broadcast_arrays(np.asarray(v, dtype=float), s)
    return objective(clipping.optimal_weights(v, s, 2.0), v, s)


def ruled(v, s):
    """The error of weights by variance that are cut by noise cost, at the level that two numbers a user decide."""
    v, s = np.broadcast_arrays(np.asarray(v, dtype=float), np.asarray(s, dtype=float))
    noisy = s > 0
    with np.errstate(divide="ignore"):
        knots, slopes = np.where(noisy, v / s, np.inf), np.where(noisy, 1 / s, np.inf)

    def missing(h):
        return np.sum(slopes[noisy] * np.maximum(h - knots[noisy], 0)) - 2

    h = (
        brentq(missing, knots.min(), knots.min() + 3 * s[knots.argmin()], xtol=1e-300, rtol=1e-14)
        if noisy.any()
        else 1.0
    )
    w = np.minimum(h / v, slopes)
    return objective(w / w.sum(), v, s)


@thorough
@given(PRIVATE, SIZES, SIZES, RECORDS, LAWS, BUDGETS)
@example(np.array([0.1, 1.0, 1.0]), 3, 2, np.array([400.0, 20.0, 20.0]), law(0.5, 0.02), 1.0)
def test_one_rule_and_one_solver_find_the_errors_of_all_papers(e, trusting, local, k, people, epsilon):
    s = hybrid.Setting(trusting + local, trusting / (trusting + local), 1, epsilon, 0.4)
    plan, v = user_level.private_ideal(k, *people, epsilon), user_level.sample_mean_variance(*people, k)
    of_hybrid = groups((trusting, local), (0.16, 0.16 + 2 / epsilon**2)), groups((trusting, local), (1 / epsilon, 0))
    papers = [
        (threshold.affine_mse(e), 0.25, 1 / e),
        (hybrid.true_mean_mse(s, hybrid.kvh_weight(s)), *of_hybrid),
        (plan.variance, v, (plan.upper - plan.lower) / epsilon),
        (user_level.baseline_variance("ideal", k, *people), v, np.zeros(k.size)),
        (user_level.ideal_variance(v, epsilon), v, np.sqrt(v) / epsilon),
    ]
    for error, variance, cost in papers:
        assert error == approx(solved(variance, cost)) == approx(ruled(variance, cost))


@thorough
@given(SIZES, SIZES, st.floats(0.01, 3), st.floats(1, 1000))
@example(50, 50, 0.1, 300.0)
def test_two_groups_and_one_threshold_are_clipped_budgets(few, many, epsilon, ratio):
    e = groups((few, many), (epsilon, ratio * epsilon))

    def clipped(budgets):  # budgets as weights, and the noise that the whole sum needs
        return (np.sum(budgets**2) / 4 + 2) / np.sum(budgets) ** 2

    levels = np.unique(np.append(np.geomspace(e.min(), e.max(), 200), adpm.clipping_level(e)))
    best = min(clipped(np.minimum(e, level)) for level in levels)
    two = adpm.two_group_bound(epsilon, ratio * epsilon, few + many, few / (few + many))
    assert min(best, 0.25) == approx(two)
    rounded = [clipped(np.where(e >= tau, tau, 0)) for tau in np.unique(e)]
    assert threshold.threshold_mse(e) == approx(min(rounded))


@thorough
@given(SIZES, SIZES, st.floats(0.01, 3), st.floats(1.01, 1000))
def test_separate_noise_is_variance(few, many, epsilon, ratio):
    sizes, budgets = np.array([few, many]), np.array([epsilon, ratio * epsilon])
    v, s = 1 / (4 * sizes), 1 / (sizes * budgets)
    assert baselines.expected_mse("ldpe", np.repeat(budgets, sizes), 0.25) == approx(solved(v + 2 * s**2, np.zeros(2)))


@thorough
@given(st.integers(1, 3000), LAWS, BUDGETS)
def test_with_one_sample_each_users_are_coins(n, people, epsilon):
    spread = people[1] / 2 / np.sqrt(people[0] * (1 - people[0]))  # at p = 1/2
    plan = user_level.private_ideal(np.ones(n), 0.5, min(spread, 0.5), epsilon)
    assert plan.variance == approx(threshold.affine_mse(np.full(n, epsilon)))


def steps(t, half, epsilon, k):
    """Errors along six arrows over those at their ends, from the solver."""

    def mixed(share, scale=1.0):
        v = np.array([1 / 4 / share, (1 / 4 + 2 * (scale / epsilon) ** 2) / (1 - share)]) / (2 * half)
        return solved(v, np.array([1 / (share * 2 * half * epsilon), 0]))

    def two(second):
        return solved([1 / 4 / half] * 2, 1 / (half * np.array([epsilon, second])))

    spread = user_level.sample_mean_variance(0.5, 0.2 / t, np.array([k, 1]))
    public, equal = two(np.inf), two(epsilon)
    return {
        3: two(epsilon * t) / public,
        4: two(epsilon * (1 + 9 / t)) / equal,
        8: mixed(0.5, 1 / t) / public,
        9: mixed(1 - 1 / (2 * t)) / equal,
        13: (k + 1) * 4 / np.sum(1 / spread),
        15: solved([1 / 8 / half], [1 / (2 * half * epsilon * t)]) * 8 * half,
    }


@thorough
@given(st.integers(50, 5000), st.floats(0.01, 0.3), st.integers(2, 1000), st.floats(1.5, 30))
@example(500, 0.05, 10, 12.0)
@example(500, 0.05, 10, 2.0)
def test_only_the_way_to_a_public_group_is_finite(half, epsilon, k, t):
    errors, later = steps(t, half, epsilon, k), steps(1e6 * t, half, epsilon, k)
    arrives = adpm.saturation_ratio(epsilon, 2 * half, 0.5)
    assert (abs(errors.pop(3) - 1) < 1e-12) == (t >= arrives * (1 - 1e-9)) or abs(t / arrives - 1) < 1e-3
    assert later.pop(3) == approx(1, abs=1e-12) or arrives > 1e6 * t
    for arrow, error in errors.items():
        assert error != 1 and abs(later[arrow] - 1) < abs(error - 1) / 50, arrow
