"""How the hybrid model relates to the mechanisms of Chaudhuri & Courtade: identities, limits and bounds.

Their data lie in [-1/2, 1/2] and their errors are against the true mean, so m = 1 and `true_mean_mse`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import adpm, baselines, hybrid, threshold
from hdp.hybrid import Setting
from tests.oracles import thorough

WORST = 0.25  # variance of a fair coin on the ends of an interval of width 1


@st.composite
def groups(draw):
    """Whole group sizes, a budget, and a standard deviation."""
    trusting, local = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    users = trusting + local
    return Setting(users, trusting / users, 1, draw(st.floats(0.05, 20)), draw(st.floats(0, 0.5)))


def as_budgets(s):
    """A central group for each trust group: the mean of l local reports is as noisy as a curator's at eps/sqrt(l)."""
    trusting, local = round(s.tcm_users), round(s.lm_users)
    apart = 1 - 1e-13  # one local user has the budget of the others, with whom LDPE would put her
    return np.repeat([s.epsilon, apart * s.epsilon / np.sqrt(local)], [trusting, local])


def worst(s):
    """Error of LDPE's counterpart: the weight of a curator who assumes the worst variance."""
    return hybrid.true_mean_mse(s, hybrid.homogeneous_weight(s, WORST))


@pytest.mark.settles("hdp-kvh-ldpe")
@thorough
@given(groups())
def test_ldpe_is_kvh_for_the_worst_variance(s):
    """LDPE with the budgets eps and eps/sqrt(l) has the error of the KVH that assumes 1/4, whatever the variance."""
    ldpe = baselines.expected_mse("ldpe", as_budgets(s), s.variance_t)
    assert worst(s) == pytest.approx(ldpe, rel=2e-12)


@pytest.mark.settles("hdp-kvh-ldpe", "hdp-baselines-relations")
@thorough
@given(groups())
def test_adpm_lies_below_by_a_factor_of_two_at_most(s):
    """One noise of the larger scale instead of two: ADPM before its cap <= LDPE <= 2 ADPM, on the worst data."""
    coins = Setting(s.n, s.c, 1, s.epsilon, 0.5)
    optimal = threshold.affine_mse(as_budgets(s))
    assert optimal * (1 - 1e-9) <= worst(coins) <= 2 * optimal * (1 + 1e-9)


def test_with_its_cap_adpm_errs_less_than_half_as_much():
    """One of two users trusts, with the budget 1: the hybrid errs 9/8 on coins, and the answer 0 only 1/4."""
    s = Setting(2, 0.5, 1, 1, 0.5)
    assert worst(s) == pytest.approx(9 / 8) and adpm.worst_case_mse(as_budgets(s)) == 1 / 4


@pytest.mark.settles("hdp-kvh-ldpe")
def test_the_factor_two_is_approached():
    """A hundred trusting users among 10,100, with a small budget: 1.997."""
    s = Setting(10_100, 100 / 10_100, 1, 1 / 64, 0.5)
    assert 1.99 < worst(s) / adpm.worst_case_mse(as_budgets(s)) < 2


@pytest.mark.settles("hdp-hybrid-limits")
@thorough
@given(groups())
def test_a_public_group_makes_them_one(s):
    """With s_T = 0 and coins KVH is ADPM with public users (Remark 2 of Chaudhuri & Courtade)."""
    coins = Setting(s.n, s.c, 1, s.epsilon, 0.5, s_t2=0, s_l2=s.noise_l)
    budgets, found = as_budgets(s), hybrid.true_mean_mse(coins, hybrid.kvh_weight(coins))
    case_b = (s.epsilon**2 + 8) / (4 * s.n * (s.epsilon**2 + 8 * s.c))  # with f n = l and l eps_1^2 = eps^2
    assert found == pytest.approx(case_b, rel=1e-9)
    for ratio in (1 + 8 / s.epsilon**2, np.inf):  # from R on
        budgets[: round(s.tcm_users)] = ratio * s.epsilon / np.sqrt(s.lm_users)
        assert found == pytest.approx(threshold.affine_mse(budgets))


@pytest.mark.settles("hdp-pwh-kvh")
@thorough
@given(groups(), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_all_weights_lie_on_one_curve(s, small, large):
    """KVH's weight in the assumed variance falls from PWH's at 0 to the naive one at infinity; LDPE's is at 1/4."""
    small, large = sorted((small, large))
    assert hybrid.homogeneous_weight(s, 0.0) == pytest.approx(hybrid.pwh_weight(s), rel=1e-12)
    assert hybrid.homogeneous_weight(s, 1e15) == pytest.approx(hybrid.naive_weight(s), rel=1e-6)
    assert hybrid.homogeneous_weight(s, large) <= hybrid.homogeneous_weight(s, small) * (1 + 1e-12)
    assert hybrid.homogeneous_weight(s) == pytest.approx(hybrid.kvh_weight(s), rel=1e-12)
    S, P = s.variance_t / (s.c * s.lm_users), s.noise_t + s.noise_l / s.lm_users
    g, best, naive = (s.noise_l - s.tcm_users * s.noise_t) / s.n, hybrid.mse_kvh(s), hybrid.mse_hybrid(s, s.c)
    assert hybrid.kvh_weight(s) == pytest.approx((S * s.c + P * hybrid.pwh_weight(s)) / (S + P), rel=1e-9)
    assert hybrid.pwh_weight(s) == pytest.approx(s.c + g / P, rel=1e-9)
    for found, lost in (
        (hybrid.mse_pwh(s) - best, S**2 * g**2 / ((S + P) * P**2)),
        (naive - best, g**2 / (S + P)),
        (hybrid.mse_full_lm(s) - naive, s.c * g),
    ):
        assert found == pytest.approx(lost, rel=1e-6, abs=1e-12 * (best + naive + hybrid.mse_pwh(s)))
