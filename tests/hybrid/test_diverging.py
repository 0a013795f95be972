"""Section 6 in numbers: Figures 4 and 5, and what a curator loses who believes that the groups are equal."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from hdp import hybrid
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import diverging_groups as diverging
from hdp.sym.hybrid_trust import unknown_variance as unknown
from tests.hybrid.common import settings, value
from tests.oracles import thorough

N = np.geomspace(1e3, 1e5, 1001)
LOW, MEDIUM, HIGH = 84**-0.5, 12**-0.5, 4.8**-0.5
CURVES = tuple(product((0.005, 0.05), (0.1, 1)))


def improvement(s, w):
    """R of the hybrid estimator with weight w."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, w))


def shifted(t, c, epsilon, n=N):
    """The settings of Figure 5."""
    return Setting(n, c, 2, epsilon, MEDIUM, mu_t=1 - t, mu_l=1 + t)


@pytest.fixture(scope="module")
def figure_4():
    """R of every estimator on the eight lines, by the TCM group's deviation, c and epsilon."""
    lines = {}
    for (low, high), (c, epsilon) in product(((LOW, HIGH), (HIGH, LOW)), CURVES):
        s = Setting(N, c, 1, epsilon, low, high)
        equal = replace(s, sigma_l=None)
        weights = {"kvh": hybrid.kvh_weight(s), "pwh": hybrid.pwh_weight(s), "own": hybrid.homogeneous_weight(s)}
        weights |= {"mixture": hybrid.homogeneous_weight(s, s.mixture_variance)}
        line = {name: improvement(s, weight) for name, weight in weights.items()}
        lines[low, c, epsilon] = line | {"equal": improvement(equal, hybrid.kvh_weight(equal))}
    return lines


@pytest.mark.settles("adk-figure-4-text")
def test_most_of_figure_4_differs_by_less_than_a_hundredth(figure_4):
    """5 of the 8 lines throughout; both with c = 5 percent and epsilon = 1 nowhere, and one of them by 0.0982."""
    gaps = {key: np.abs(line["kvh"] - line["equal"]) for key, line in figure_4.items()}
    shares = {key: np.mean(gap < 0.01) for key, gap in gaps.items()}
    assert sum(v == 1 for v in shares.values()) == 5
    assert [k for k, v in shares.items() if v == 0] == [(LOW, 0.05, 1), (HIGH, 0.05, 1)]
    assert 0.65 < shares[LOW, 0.005, 1] < 0.68
    assert max(gap.max() for gap in gaps.values()) == pytest.approx(0.0982, abs=1e-4)


@pytest.mark.settles("adk-section-6-pwh")
def test_what_unequal_groups_change_is_small_for_both(figure_4):
    """Another variance of the local group moves R by at most 0.099 for KVH, 0.061 for PWH; a gap sinks both."""
    assert max(np.abs(line["kvh"] - line["equal"]).max() for line in figure_4.values()) < 0.099
    for own, c, epsilon in figure_4:
        equal = Setting(N, c, 1, epsilon, own)
        before = improvement(equal, hybrid.pwh_weight(equal))
        assert np.abs(figure_4[own, c, epsilon]["pwh"] - before).max() < 0.061
    for (c, epsilon), t in product(CURVES, (0.25, 0.5)):
        s = shifted(t, c, epsilon, 1e5)
        assert max(improvement(s, f(s)) for f in (hybrid.homogeneous_weight, hybrid.pwh_weight)) < 0.07


@pytest.mark.settles("adk-section-6-pwh")
def test_pwh_is_close_to_kvh_in_figure_4_for_the_small_budget_only(figure_4):
    """For epsilon = 0.1 the two values of R differ by 3.5 percent at most, for epsilon = 1 by up to 91."""
    for budget, most, digits in ((0.1, 0.0347, 1e-4), (1, 0.912, 1e-3)):
        lines = [line for (_, _, epsilon), line in figure_4.items() if epsilon == budget]
        assert max((1 - line["pwh"] / line["kvh"]).max() for line in lines) == pytest.approx(most, abs=digits)


def test_the_variance_to_believe_in_figure_4_is_the_tcm_groups(figure_4):
    """With it R is at most 0.041 below that of Definition 6.1; with the mixture's R falls to 0.30."""
    assert 0.04 < max((line["kvh"] - line["own"]).max() for line in figure_4.values()) < 0.041
    assert 0.30 < min(line["mixture"].min() for line in figure_4.values()) < 0.31


def test_both_readings_of_the_homogeneous_weight_agree_in_figure_5():
    """The groups' variance or the mixture's: R differs by less than 0.0042, and falls to 0.00013."""
    lowest = []
    for (c, epsilon), t in product(CURVES, (0.25, 0.5)):
        s = shifted(t, c, epsilon)
        own, mixture = (improvement(s, hybrid.homogeneous_weight(s, v)) for v in (None, s.mixture_variance))
        assert np.abs(own - mixture).max() < 0.0042
        lowest.append(own.min())
        assert improvement(s, hybrid.kvh_weight(s)).min() > 1.005
    assert 1e-4 < min(lowest) < 1.4e-4


@pytest.mark.settles("hdp-tolerated-gap")
@pytest.mark.parametrize(("c", "epsilon"), CURVES)
def test_the_homogeneous_weight_always_beats_tcm_and_full_lm_up_to_a_gap(c, epsilon):
    """A root search finds the tolerated gap; beyond it Full-LM is better, never TCM-Only."""
    for users in (1e3, 1e4, 1e5):
        at = {trust.c: c, trust.epsilon: epsilon, trust.m: 2, trust.sigma: MEDIUM, diverging.n: users}
        tolerated = float(diverging.tolerated_gap_squared.subs(trust.laplace).subs(at)) ** 0.5

        def excess(gap, users=users):
            s = Setting(users, c, 2, epsilon, MEDIUM, mu_l=gap)
            return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s)) / hybrid.mse_full_lm(s) - 1

        if tolerated < 1.9:
            assert brentq(excess, 0, 1.9, xtol=1e-14) == pytest.approx(tolerated, rel=1e-9)
        else:
            assert excess(1.9) < 0
        s = Setting(users, c, 2, epsilon, MEDIUM, mu_l=np.linspace(0, 1.9, 50))
        assert np.all(hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s)) < hybrid.mse_tcm(s))


@pytest.mark.settles("hdp-tolerated-gap")
@pytest.mark.parametrize("noise", [0, 1e-3])
def test_the_homogeneous_weight_needs_noise_to_beat_tcm_only(noise):
    """With constant data and a curator without noise it is TCM-Only; with a little noise it is better, at every gap."""
    s = Setting(100, 0.5, 1, 1, 0.0, mu_l=np.linspace(0, 1, 5), s_t2=noise, s_l2=1.0)
    found = hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s))
    assert np.all(found < hybrid.mse_tcm(s)) if noise else np.allclose(found, hybrid.mse_tcm(s), rtol=0, atol=0)


@pytest.mark.settles("hdp-tcm-interval")
def test_tcm_only_is_the_better_baseline_on_an_interval_of_users():
    """Figure 5d, c = 5 percent and epsilon = 0.1: from 461 to 3077 users; in 5f never."""
    at = {trust.c: 0.05, trust.epsilon: 0.1, trust.m: 2, diverging.gap: 0.5}
    at |= {trust.sigma_T: MEDIUM, trust.sigma_L: MEDIUM}
    low, high = (float(end.subs(at)) for end in diverging.tcm_interval)
    users = np.arange(400, 4000)
    s = shifted(0.25, 0.05, 0.1, users)
    better = users[hybrid.mse_tcm(s) <= hybrid.mse_full_lm(s)]
    assert np.all(np.diff(better) == 1)
    assert better[0] == np.ceil(low) and better[-1] == np.floor(high)
    s = shifted(0.5, 0.05, 0.1, np.arange(20, 10**5))
    assert np.all(hybrid.mse_tcm(s) > hybrid.mse_full_lm(s))
    assert 0.5 < diverging.largest_gap_for_tcm.subs(at) < 1


@pytest.mark.settles("hdp-pwh-diverging")
@thorough
@given(settings(own_noise=False), st.floats(1.001, 1e6))
def test_pwh_beats_both_baselines_exactly_if_an_inequality_holds(s, ratio):
    """With the effective variance, for any noise with 0 < c n s_T^2 < s_L^2; library and symbols."""
    s = replace(s, s_l2=ratio * s.tcm_users * s.noise_t)
    margin = value(unknown.margin, s, sigma=float(s.effective_variance) ** 0.5)
    right = s.c * s.noise_l * (s.noise_l + s.lm_users * s.noise_t)
    by_hand = right - (1 - s.c) * s.effective_variance * (s.noise_l - s.tcm_users * s.noise_t)
    assume(abs(by_hand) > 1e-6 * right)
    assert (margin > 0) == (by_hand > 0)
    assert hybrid.mse_pwh(s) <= hybrid.mse_tcm(s) * (1 + 1e-12)
    gain = hybrid.mse_full_lm(s) / hybrid.mse_pwh(s)
    assert (gain > 1) == (by_hand > 0) or abs(gain - 1) < 1e-9


def test_without_curators_noise_pwh_is_tcm_only_on_diverging_groups_too():
    """There the inequality of equal groups holds for the effective variance, and PWH beats one baseline only."""
    s = Setting(100, 0.5, 1, 1, 0.1, 0.2, 0, 0.05, s_t2=0, s_l2=2)
    assert (1 - s.c) * s.effective_variance < s.c * s.noise_l
    assert improvement(s, hybrid.pwh_weight(s)) == 1


@pytest.mark.settles("hdp-unbounded-improvement")
def test_improvement_without_bound_at_a_small_budget():
    """Definition 6.1 at epsilon = 1 and 0.1 on data of two values: R = 10.9 for c = 9/10, and more for larger c."""
    for epsilon, share in product((1, 0.1), (0.9, 0.99, 0.999)):
        c, n = share, 10**11
        s = Setting(n, c, 1, epsilon, 0, mu_l=(2 / n) ** 0.5 / (epsilon * (1 - c)))
        assert improvement(s, hybrid.kvh_weight(s)) == pytest.approx(1 + 1 / (1 - c), rel=0.01)


@pytest.mark.settles("hdp-believed-variance")
@thorough
@given(st.integers(2, 10**6), st.floats(0, 1), st.floats(-3, 3), st.floats(0, 1), st.floats(0, 1), st.floats(-3, 3))
@example(100, 0.3, 0.0, 0.5, 1.0, -np.inf)
@example(100, 0.3, 0.0, 0.5, 1.0, 0.0)
def test_what_a_wrong_belief_costs(users, place, log_epsilon, sigma, gap, log_belief):
    """Of the effective variance v times a factor, also 0 and 1: below it TCM-Only is never better, above it Full-LM."""
    c = 1 / users + place * (0.999 - 1 / users)
    s = Setting(users, c, 1, 10**log_epsilon, sigma / 4, sigma / 3, 0, gap / 3)
    believed = min(s.effective_variance * 10**log_belief, 1e6)
    assume(s.tcm_users > 1.001 and s.effective_variance > 1e-9)
    found = hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, believed))
    if log_belief <= 0:
        assert found <= hybrid.mse_tcm(s) * (1 + 1e-9)
    if believed >= s.effective_variance:
        assert found <= hybrid.mse_full_lm(s) * (1 + 1e-9)
    spread = 1 / (s.c * (1 - s.c) * s.n)
    noise, advantage = s.noise_t + s.noise_l / s.lm_users, (s.noise_l - s.tcm_users * s.noise_t) / s.n
    mine, true = (v * spread + noise for v in (believed, s.effective_variance))
    bound = mine * (2 + s.c * mine / advantage)
    assume(abs(true / bound - 1) > 1e-6 and abs(found / hybrid.mse_full_lm(s) - 1) > 1e-9)
    assert (found > hybrid.mse_full_lm(s)) == (true > bound)


def test_a_wrong_belief_can_lose_to_both_baselines_if_the_curator_adds_too_much_noise():
    """Where c n s_T^2 > s_L^2 too small a belief loses to TCM-Only, too large to Full-LM."""
    s = Setting(10, 0.9, 100, 1, 10, s_t2=1, s_l2=0.01)
    found = {v: hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, v)) for v in (0, 100, 1000)}
    assert found[0] > 88 > hybrid.mse_tcm(s) and found[1000] > hybrid.mse_full_lm(s)
    assert found[100] == pytest.approx(hybrid.mse_kvh(s))
