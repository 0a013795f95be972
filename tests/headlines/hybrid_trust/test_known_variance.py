"""The mix with the best weight, and how much it gains at most."""

from dataclasses import replace

import numpy as np
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import hybrid, salaries
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.known_variance import y
from hdp.sym.symbols import n
from tests.populations import thorough
from tests.hybrid.common import settings

SHOWN = "it names a computation, which the page shows"
LINES = [(s, c, e) for s in (84**-0.5, 12**-0.5, 4.8**-0.5) for c in (0.005, 0.05) for e in (0.1, 1)]
COINS = Setting(1e6, 1 / 9, 1, 1, 0.5)  # near the supremum


def gain(s):
    """Of the best mix over the better baseline."""
    return hybrid.relative_improvement(s, hybrid.mse_kvh(s))


def two_trust(s):
    return s.tcm_users >= 2


@thorough
@given(settings().filter(two_trust))
@example(Setting(4, 0.5, 1, 1, 0.0))
def test_the_best_mix_beats_both_once_two_trust(s):
    """Groups of any distributions."""
    assert hybrid.mse_kvh(s) < min(hybrid.mse_tcm(s), hybrid.mse_full_lm(s))


@thorough
@given(settings(own_noise=False))
@example(Setting(100, 0.1, 1, 1, 0.3))
def test_the_weight_is_where_a_parabola_is_lowest(s):
    """That through the errors at the weights 0, 1/2 and 1; its second differences are those of every parabola."""
    low, middle, high = (hybrid.mse_hybrid(s, w) for w in (0, 0.5, 1))
    bend = 2 * (low - 2 * middle + high)
    assert np.isclose(hybrid.kvh_weight(s), (low - high) / (2 * bend) + 0.5, atol=1e-6)
    assert np.isclose(hybrid.mse_hybrid(s, 0.25), (3 * low + 6 * middle - high) / 8, rtol=1e-6)


@thorough
@given(settings(diverging=False, own_noise=False), st.sampled_from([0.5, 0.999, 1.001, 2]))
@example(Setting(100, 0.1, 1, 1, 0.3, s_t2=1.0, s_l2=1.0), 1.001)
def test_noise_decides_whether_it_beats_both(s, times):
    s = replace(s, s_l2=times * s.tcm_users * s.s_t2)
    assert (hybrid.mse_full_lm(s) > hybrid.mse_kvh(s)) == (times > 1) and hybrid.mse_tcm(s) > hybrid.mse_kvh(s)
    silent = replace(s, sigma_t=0.0, s_t2=0.0)  # who adds no noise to what does not vary is not beaten
    assert hybrid.mse_kvh(silent) == hybrid.mse_tcm(silent) == 0


@thorough
@given(settings())
@example(Setting(10, 0.5, 1, 1, 0.3))
def test_one_trusting_user_gains_nothing_and_two_do(s):
    one, two = (replace(s, n=max(s.n, 3), c=users / max(s.n, 3)) for users in (1, 2))
    assert np.isclose(gain(one), 1, rtol=1e-9) and gain(two) > 1
    assert gain(replace(one, s_t2=one.noise_t / 2, s_l2=one.noise_l)) > 1  # with other noise than Laplace's


@thorough
@given(settings(diverging=False))
@example(Setting(12, 0.25, 1, 1, 0.5))
def test_the_printed_factor_is_the_error_itself(s):
    at = {n: s.n, trust.c: s.c, trust.sigma: s.sigma_t}
    printed = known.printed_gamma.subs({trust.s_T: sp.sqrt(s.noise_t), trust.s_L: sp.sqrt(s.noise_l)}).subs(at)
    assert np.isclose(float(printed), hybrid.mse_kvh(s), rtol=1e-6)


def test_a_third_of_the_lines_turn_outside():
    outside = 0
    for sigma, c, epsilon in LINES:
        users = np.geomspace(1 / c, 1e12, 10_000)
        s = Setting(users, c, 1, epsilon, sigma)
        turns = users[1:][np.diff(hybrid.mse_tcm(s) <= hybrid.mse_full_lm(s))]
        outside += ((turns < 1e3) | (turns > 1e5)).any()
    assert outside == len(LINES) / 3


@thorough
@given(settings(diverging=False), st.floats(1e-3, 1))
@example(COINS, 1.0)
def test_no_mix_gains_more_than_the_supremum(s, high_privacy):
    assert gain(s) < 2 + s.epsilon**2 / 8 and gain(replace(s, epsilon=high_privacy)) < 17 / 8
    share = high_privacy**2 / (8 + high_privacy**2)
    assert gain(Setting(1e30, share, 1, high_privacy, 0.5)) > 2 + high_privacy**2 / 8 - 1e-6
    assert gain(Setting(1e12, 0.276, 1, 1, 0.5, delta=0.9)) > 17 / 8  # with Gaussian noise for a large delta


@thorough
@given(settings(diverging=False), st.floats(0.5, 2), st.floats(2, 1e6))
@example(COINS, 1.0, 15.0)
@example(COINS, 1.0, 1e5)
def test_it_comes_near_only_at_a_tie_of_many(s, times, trusting):
    """Within 0.1, at shares about that of the tie."""
    s = replace(s, epsilon=min(s.epsilon, 1))
    share = min(times * float(known.crossing.subs({y: (s.epsilon * s.sigma_t / s.m) ** 2, known.u: 1 / trusting})), 0.9)
    s = replace(s, c=share, n=max(trusting / share, 2 / share))
    ratio = hybrid.mse_tcm(s) / hybrid.mse_full_lm(s)
    assert gain(s) < 2 + s.epsilon**2 / 8 - 0.1 or (0.89 < ratio < 1.12 and s.tcm_users > 10)


@thorough
@given(st.floats(0.1, 1), st.floats(0.1, 0.9))
@example(1.0, 0.5)
def test_the_bound_of_appendix_b_is_exceeded(epsilon, part):
    """By coins, at every fraction above 1 - y/2 and with very many users."""
    y_coins = epsilon**2 / 4
    c = 1 - part * y_coins / 2
    bound = float(known.step_bound.subs({trust.c: c, y: y_coins}))
    assert gain(Setting(1e12, c, 1, epsilon, 0.5)) > bound


@thorough
@given(st.integers(3, 10**6), st.floats(0.01, 1))
@example(10, 1.0)
def test_for_a_given_number_of_users_the_gain_is_smaller(users, epsilon):
    s = Setting(users, np.geomspace(1 / users, 1 - 1 / users, 300)[:, None], 1, epsilon, np.linspace(0, 0.5, 40))
    assert gain(s).max() < 2 + epsilon**2 / 8 - 0.8 / users


def test_on_the_salaries_the_gain_passes_2_for_large_budgets():
    share, budget = np.geomspace(1e-4, 0.99, 20_000)[:, None], np.array([0.01, 0.1, 1, 2, 2.3, 3, 10])
    most = gain(Setting(salaries.USERS, share, salaries.MAXIMUM, budget, salaries.DEVIATION)).max(axis=0)
    assert ((most > 2) == (budget > 2.35)).all()
