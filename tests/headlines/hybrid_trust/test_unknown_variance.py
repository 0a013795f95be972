"""Weights that do not know the variance: that of the noise alone, and the cautious one."""

from dataclasses import replace

import numpy as np
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import hybrid, salaries
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.symbols import n
from tests.populations import thorough
from tests.hybrid.common import alike, settings

SHOWN = "it names a computation, which the page shows"
CASES = Setting(1000, 0.05, 1, 1, 0.456)
VALUES = n, trust.c, trust.m, trust.epsilon, trust.sigma, trust.s_T, trust.s_L
MARGINS = sp.lambdify(VALUES, [unknown.laplace_margin, unknown.worst_margin])


def two_trust(s):
    return s.tcm_users >= 2


def gain(s):
    """Of the weight that sees only the noise, over the better baseline."""
    return hybrid.relative_improvement(s, hybrid.mse_pwh(s))


def helps(s):
    """Whether it does not lose to the better baseline, by more than rounding may."""
    return gain(s) > 1 - 1e-9


def margins(s):
    return MARGINS(s.n, s.c, s.m, s.epsilon, s.sigma_t, np.sqrt(s.noise_t), np.sqrt(s.noise_l))


def vertex(s):
    """Weight where the parabola through three errors is lowest."""
    low, middle, high = (hybrid.mse_hybrid(s, w) for w in (0, 0.5, 1))
    return (low - high) / (4 * (low - 2 * middle + high)) + 0.5


def cautious(s):
    """Error of the weight that is best for the largest variance."""
    return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, s.m**2 / 4))


@thorough
@given(settings())
@example(Setting(10, 0.1, 1, 1, 0.3))
def test_the_worse_baseline_is_beaten(s):
    assert hybrid.mse_pwh(s) < max(hybrid.mse_tcm(s), hybrid.mse_full_lm(s))
    assert gain(replace(CASES, n=1e5)) < 0.6  # although not always the better one


@thorough
@given(settings(own_noise=False))
@example(CASES)
def test_the_weight_is_best_for_the_noise_alone(s):
    assert np.isclose(hybrid.pwh_weight(s), vertex(alike(s, 0.0)), atol=1e-6)


@thorough
@given(settings(diverging=False, own_noise=False))
@example(Setting(10, 0.9, 25, 1, 10.0, s_t2=1.0, s_l2=0.01))
@example(Setting(10, 0.9, 25, 1, 0.1, s_t2=1.0, s_l2=0.01))
@example(Setting(10, 0.9, 25, 1, 10.0, s_t2=1000.0, s_l2=0.01))  # with more noise still it does not lose
def test_the_margin_decides_for_other_noise(s):
    r = hybrid.improvement_over_worst(s, hybrid.mse_pwh(s))
    assert abs(r - 1) < 1e-9 or (r > 1) == (margins(s)[1] > 0)
    assert r > 1 - 1e-9 or (s.c > 0.5 and s.tcm_users * s.noise_t > s.noise_l)


@thorough
@given(settings(diverging=False).filter(two_trust), st.floats(0, 1))
@example(CASES, 0.5)
def test_it_helps_below_a_budget_only(s, calmer):
    budgets = np.geomspace(1e-3, 1e6, 500)
    found = helps(replace(s, epsilon=budgets))
    assert found[0] and (np.diff(found.astype(int)) <= 0).all()
    assert s.sigma_t < 1e-3 * s.m or not found[-1]
    assert helps(replace(s, epsilon=budgets, sigma_t=0.0)).all()
    assert (found <= helps(replace(s, epsilon=budgets, sigma_t=calmer * s.sigma_t))).all()


@thorough
@given(settings(diverging=False).filter(lambda s: two_trust(s) and s.sigma_t > 1e-3 * s.m))
@example(CASES)
def test_the_papers_condition_points_the_other_way(s):
    budget = 1e3 * np.sqrt(2) * s.m / s.sigma_t * (2 + s.n * s.c)
    at = {trust.epsilon: budget, trust.m: s.m, trust.sigma: s.sigma_t}
    assert bool(unknown.printed_regimes[0].subs(at)) and gain(replace(s, epsilon=budget)) < 1


@thorough
@given(settings(diverging=False))
@example(CASES)
@example(replace(CASES, c=0.2))
def test_it_helps_where_enough_trust_or_users_are_few(s):
    """Enough is where the curator's users alone are the better choice if there are very many."""
    many = replace(s, n=np.geomspace(2 / s.c, 1e30, 500))
    enough, found = hybrid.mse_tcm(many)[-1] <= hybrid.mse_full_lm(many)[-1], helps(many)
    assert found.all() == enough and (np.diff(found.astype(int)) <= 0).all()


@thorough
@given(settings(diverging=False).filter(two_trust))
@example(CASES)
@example(replace(CASES, epsilon=0.1))
def test_the_laplace_margin_decides(s):
    assert abs(gain(s) - 1) < 1e-9 or (gain(s) > 1) == (margins(s)[0] > 0)


def test_with_very_many_users_the_gain_can_stay_far_below_1():
    assert (gain(Setting(np.geomspace(1e5, 1e15, 50), 0.01, 1, 1, 0.5)) < 0.1).all()


def test_on_the_salaries_it_loses_where_budgets_are_large_and_few_trust():
    share, budget = np.geomspace(1e-5, 0.9, 400)[:, None], np.geomspace(0.01, 10, 400)
    found = gain(Setting(salaries.USERS, share, salaries.MAXIMUM, budget, salaries.DEVIATION)) < 1 - 1e-9
    assert found.any() and np.broadcast_to(budget, found.shape)[found].min() > 3.9
    assert np.broadcast_to(share, found.shape)[found].max() < 0.03


@thorough
@given(settings(diverging=False))
@example(Setting(1e5, 0.05, 1, 4, 0.5))
def test_the_cautious_weight_never_loses_to_asking_everybody(s):
    assert cautious(s) <= hybrid.mse_full_lm(s) * (1 + 1e-12)
    assert cautious(s) < hybrid.mse_full_lm(s) or not two_trust(s)
    apart = Setting(1e4, 0.05, 1, 1, 0.3, mu_l=0.5)
    assert cautious(apart) > 90 * hybrid.mse_full_lm(apart)
    assert cautious(Setting(1e5, 0.05, 1, 1, 84**-0.5)) > hybrid.mse_tcm(Setting(1e5, 0.05, 1, 1, 84**-0.5))


@thorough
@given(settings(own_noise=False))
@example(CASES)
def test_the_best_weight_lies_between(s):
    low, high = sorted((s.c, hybrid.pwh_weight(s)))
    assert low - 1e-6 <= vertex(s) <= high + 1e-6
