"""Groups that differ, and what a curator loses by a wrong belief about them."""

from dataclasses import replace

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import hybrid
from hdp.hybrid import Setting
from tests.populations import thorough
from tests.hybrid.common import settings

SHOWN = "it names a computation, which the page shows"
APART = Setting(1000, 0.05, 2, 1, 0.1, 0.4, 0.5, 1.0)
FIGURE_5 = [Setting(1e4, c, 2, e, 12**-0.5, mu_t=0.75, mu_l=1.25) for c in (0.005, 0.05) for e in (0.1, 1)]
PART = st.floats(0, 0.999)


def effective(s):
    """The adjusted variance."""
    return (1 - s.c) * s.variance_t + s.c * s.variance_l + s.c * (1 - s.c) * s.n * s.gap**2


def equal_groups(s, variance):
    """Two groups of this variance with the noise of the setting, in an interval that is wide enough."""
    wide = max(s.m, 2 * variance**0.5)
    return Setting(s.n, s.c, wide, s.epsilon, variance**0.5, s_t2=s.noise_t, s_l2=s.noise_l)


def worth_having(s):
    """The curator's noise is: c n s_T^2 < s_L^2."""
    return 1.001 * s.tcm_users * s.noise_t < s.noise_l


def believing(s, variance):
    return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, variance))


@thorough
@given(settings(own_noise=False), st.floats(0, 1))
@example(APART, 0.5)
def test_groups_that_differ_act_like_equal_groups(s, w):
    alike = equal_groups(s, effective(s))
    for error in (hybrid.mse_tcm, hybrid.mse_lm, hybrid.mse_full_lm, hybrid.mse_kvh, hybrid.mse_pwh):
        assert np.isclose(error(s), error(alike), rtol=1e-9)
    assert np.isclose(hybrid.mse_hybrid(s, w), hybrid.mse_hybrid(alike, w), rtol=1e-9)


@thorough
@given(settings(own_noise=False), st.floats(0, 1))
@example(APART, 1.0)
def test_the_best_weight_needs_the_gap_alone(s, part):
    shift = part * min(s.m - s.mu_t, s.m - (s.mu_t if s.mu_l is None else s.mu_l))
    moved = replace(s, mu_t=s.mu_t + shift, mu_l=s.mu_l + shift)
    assert np.isclose(hybrid.kvh_weight(moved), hybrid.kvh_weight(s), rtol=1e-6)
    assert hybrid.kvh_weight(APART) < 0.9 * hybrid.kvh_weight(replace(APART, mu_l=APART.mu_t))


@thorough
@given(settings(own_noise=False), st.floats(0.01, 0.5))
@example(APART, 0.5)
def test_each_variance_counts_by_the_share_of_the_others(s, deviation):
    none, first, second = (
        hybrid.mse_tcm(replace(s, sigma_t=t, sigma_l=ell, mu_l=s.mu_t, s_t2=0.0, s_l2=1.0))
        for t, ell in ((0, 0), (deviation * s.m, 0), (0, deviation * s.m))
    )
    assert none == 0 and np.isclose(first * s.c, second * (1 - s.c), rtol=1e-9)
    calm, lively = (Setting(1e4, 0.05, 1, 10, 0.0, spread) for spread in (0.0, 0.5))  # a small weight is not nothing
    assert hybrid.mse_kvh(lively) > 20 * hybrid.mse_kvh(calm)


@thorough
@given(settings())
@example(APART)
def test_a_gap_matters_the_more_the_more_users_there_are(s):
    """What it adds to the curator's error, in multiples of that of reports from everybody; in the end it decides."""
    if abs(s.gap) > 1e-3 * s.m:
        many = replace(s, n=s.n * np.array([1, 10, 1e30]))
        added = hybrid.mse_tcm(many) - hybrid.mse_tcm(replace(many, mu_l=s.mu_t))
        share = added / hybrid.mse_full_lm(many)
        assert share[0] > 0 and np.isclose(share[1], 10 * share[0], rtol=1e-3) and share[2] > 1


@thorough
@given(st.floats(0.1, 0.999), st.floats(0.01, 10))
@example(0.9, 1.0)
def test_with_a_gap_the_gain_has_no_bound(c, epsilon):
    gap = np.sqrt(2 / 1e20) / (epsilon * (1 - c))
    s = Setting(1e20, c, 1, epsilon, 0.0, mu_l=gap)
    assert hybrid.relative_improvement(s, hybrid.mse_kvh(s)) > 0.999 / (1 - c)


@thorough
@given(settings(diverging=False).filter(lambda s: s.tcm_users >= 2), st.floats(0, 2))
@example(FIGURE_5[0], 0.999)
@example(FIGURE_5[1], 1.001)
@example(FIGURE_5[2], 0.999)
@example(FIGURE_5[3], 1.001)
def test_a_small_gap_may_be_overlooked(s, times):
    w, parts = hybrid.homogeneous_weight(s), s.variance_t / s.tcm_users + s.variance_t / s.lm_users
    gap = times * np.sqrt((parts + s.noise_t + s.noise_l / s.lm_users) * w / (w - s.c))
    if gap < 2 * np.sqrt(max(s.m**2 / 4 - s.variance_t, 0)) and abs(times - 1) > 1e-6:
        s = replace(s, mu_t=0.0, mu_l=gap)
        assert believing(s, s.variance_t) < hybrid.mse_tcm(s)
        assert (believing(s, s.variance_t) < hybrid.mse_full_lm(s)) == (times < 1)


@thorough
@given(settings(own_noise=False))
@example(APART)
def test_every_belief_is_a_weight(s):
    """From that of the noise alone to the share c, all between, in order."""
    weights = hybrid.homogeneous_weight(s, np.append(0, np.geomspace(1e-12, 1e30, 200) * s.m**2))
    assert np.isclose(weights[0], hybrid.pwh_weight(s)) and np.isclose(weights[-1], s.c, rtol=1e-4)
    assert (np.sign(s.c - weights[0]) * np.diff(weights) >= -1e-12).all()


@thorough
@given(st.one_of(settings(), settings(own_noise=False)).filter(worth_having), PART)
@example(Setting(100, 0.9, 1, 1, 0.5, 0.0), 0.5)
@example(APART, 0.5)
def test_a_wrong_belief_loses_to_one_baseline_only(s, part):
    assert believing(s, part * effective(s)) <= hybrid.mse_tcm(s) * (1 + 1e-9)
    assert believing(s, effective(s) / max(part, 1e-9)) <= hybrid.mse_full_lm(s) * (1 + 1e-9)


def test_a_belief_in_the_mixtures_variance_can_be_expensive():
    """Where the paper draws its Figure 4."""
    users, low, high = np.geomspace(1e3, 1e5, 99), 84**-0.5, 4.8**-0.5
    for c, pair, dear in ((0.005, (low, high), True), (0.05, (low, high), True), (0.05, (high, high), False)):
        s = Setting(users, c, 1, 1, *pair)
        costs = believing(s, s.mixture_variance) / hybrid.mse_kvh(s)
        assert (costs.max() > 1.4) == dear
