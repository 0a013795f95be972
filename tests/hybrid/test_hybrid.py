"""The hybrid model: exact errors against their definitions, sympy, a minimiser, and simulation."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from hdp import adpm, hybrid
from hdp.figures.hybrid_trust.known_variance import DEVIATIONS, SHAPES
from hdp.hybrid import Setting
from hdp.noise import Gaussian
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from tests.hybrid.common import RELATIVE, settings, value
from tests.oracles import thorough


def at_most(left, right):
    return left <= right * (1 + RELATIVE)


@pytest.mark.settles("adk-lm-only-is-worse", "hdp-kvh-never-worse")
@thorough
@given(settings())
def test_kvh_beats_both_baselines(s):
    """With the setting's own noise E_KVH <= min(E_T, E_F), whatever the groups; and E_F < E_L."""
    assert at_most(hybrid.mse_kvh(s), min(hybrid.mse_tcm(s), hybrid.mse_full_lm(s)))
    assert hybrid.relative_improvement(s, hybrid.mse_kvh(s)) >= 1 - RELATIVE
    assert hybrid.mse_full_lm(s) < hybrid.mse_lm(s)


@pytest.mark.settles("hdp-kvh-never-worse")
@thorough
@given(settings(diverging=False))
def test_kvh_is_strictly_better_once_two_trust(s):
    """With Laplace and with Gaussian noise."""
    for own in (s, replace(s, epsilon=min(s.epsilon, 1), delta=1e-6)):
        best = min(hybrid.mse_tcm(own), hybrid.mse_full_lm(own))
        assert hybrid.mse_kvh(own) < best if s.tcm_users >= 2 else at_most(hybrid.mse_kvh(own), best)


@pytest.mark.settles("adk-kvh-condition")
@thorough
@given(settings(own_noise=False))
def test_kvh_beats_full_lm_exactly_below_the_ratio_of_the_noises(s):
    """For any noise: R > 1 if and only if c n s_T^2 < s_L^2."""
    advantage = s.noise_l - s.tcm_users * s.noise_t
    gain = hybrid.mse_full_lm(s) - hybrid.mse_kvh(s)
    assert gain == pytest.approx(advantage / s.n * hybrid.kvh_weight(s), rel=1e-6, abs=1e-12 * hybrid.mse_full_lm(s))
    assert at_most(hybrid.mse_kvh(s), hybrid.mse_tcm(s))


@pytest.mark.settles("adk-kvh-condition")
@thorough
@given(settings(diverging=False, own_noise=False), st.sampled_from([0.5, 0.999, 1, 1.001, 2]))
def test_kvh_beats_both_exactly_below_the_ratio_of_the_noises(s, times):
    """Beside that ratio; at it nothing is gained on Full-LM."""
    s = replace(s, s_l2=times * s.tcm_users * s.s_t2)
    best = hybrid.relative_improvement(s, hybrid.mse_kvh(s))
    assert hybrid.mse_kvh(s) < hybrid.mse_tcm(s)
    assert best == pytest.approx(1, rel=RELATIVE) if times == 1 else (best > 1) == (times > 1)


@pytest.mark.settles("adk-lemma-3-6-n", "adk-lemma-3-6-c")
@thorough
@given(settings(own_noise=False))
def test_critical_values_tell_the_better_baseline(s):
    """Lemma 3.6 as meant, for any noise and any groups: E_T <= E_F iff n <= n_crit, which needs c > c_crit."""
    tcm, full, crit = hybrid.mse_tcm(s), hybrid.mse_full_lm(s), hybrid.n_crit(s)
    assume(abs(tcm - full) > 1e-9 * (tcm + full))
    assert (tcm <= full) == (s.n <= crit)
    share = hybrid.c_crit(s)
    assert 0 <= share < 1
    assume(abs(s.c - share) > 1e-6)
    assert (s.c > share) == (crit > 0)


@pytest.mark.settles("adk-lemma-3-8")
@thorough
@given(settings(diverging=False))
def test_laplace_critical_number_tells_the_better_baseline(s):
    """Lemma 3.8: now TCM-Only wins from n_crit on, if at all."""
    tcm, full = hybrid.mse_tcm(s), hybrid.mse_full_lm(s)
    assume(abs(tcm - full) > 1e-9 * (tcm + full))
    assert (tcm <= full) == (s.n >= hybrid.laplace_n_crit(s))
    assert hybrid.laplace_n_crit(s) >= (1 - RELATIVE) / s.c**2
    still = Setting(s.n, s.c, s.m, s.epsilon, 0.0)
    assert hybrid.laplace_n_crit(still) == pytest.approx(1 / s.c**2, rel=RELATIVE)


@pytest.mark.settles("hdp-pwh-best")
@thorough
@given(settings(diverging=False))
def test_condition_for_pwh_to_beat_both(s):
    """The exact condition for Laplace noise, with more than one user who trusts."""
    assume(s.tcm_users > 1 + 1e-3)
    a, b = 2 * s.m**2, s.epsilon**2 * s.variance_t
    terms = s.n * s.c * s.c * a, (1 - s.c) * (a + b), -s.n * s.c * (1 - s.c) * b
    assume(abs(sum(terms)) > 1e-6 * max(map(abs, terms)))
    assert (hybrid.mse_pwh(s) < hybrid.mse_full_lm(s)) == (sum(terms) > 0)
    assert at_most(hybrid.mse_pwh(s), hybrid.mse_tcm(s))


@pytest.mark.settles("hdp-pwh-limits")
@thorough
@given(settings(diverging=False))
def test_pwh_loses_exactly_between_two_fractions(s):
    """Nowhere if they are not real; and it never gains more on Full-LM than on constant data."""
    assume(s.tcm_users > 1 + 1e-3)
    y = (s.epsilon * s.sigma_t / s.m) ** 2
    q = s.n * y + 2 + y
    inside, far = q**2 - 4 * s.n * (2 + y) ** 2, (2 * s.n * (2 + y) * s.c - q) ** 2
    assume(abs(far - inside) > 1e-6 * max(far, q**2))
    assert (hybrid.mse_pwh(s) > hybrid.mse_full_lm(s)) == (far < inside)
    most = 1 - s.c + s.c**2 * s.n
    assert at_most(hybrid.mse_full_lm(s), most * hybrid.mse_pwh(s))
    still = replace(s, sigma_t=0.0)
    assert hybrid.mse_full_lm(still) == pytest.approx(most * hybrid.mse_pwh(still), rel=RELATIVE)


@pytest.mark.settles("hdp-kvh-envelope")
@thorough
@given(settings(diverging=False))
def test_no_variance_and_no_budget_gain_more(s):
    """For given c and n with c^2 n >= 1; where the baselines tie as much is gained."""
    assume(s.c**2 * s.n >= 1)
    most = float(known.envelope.subs({trust.c: s.c, known.u: 1 / s.tcm_users}))
    assert at_most(hybrid.relative_improvement(s, hybrid.mse_kvh(s)), most)
    square = 2 * (s.c - 1 / s.tcm_users) / (1 - s.c)  # (epsilon sigma/m)^2 at the tie
    tie = replace(s, sigma_t=s.m / 2, epsilon=2 * np.sqrt(max(square, 1e-12)))
    assert hybrid.relative_improvement(tie, hybrid.mse_kvh(tie)) == pytest.approx(most, rel=1e-5)
    for times in (0.5, 2) if square > 1e-2 and s.c < 0.99 else ():
        beside = replace(tie, epsilon=times * tie.epsilon)
        assert hybrid.relative_improvement(beside, hybrid.mse_kvh(beside)) < most


@pytest.mark.settles("adk-definition-4-1", "adk-definition-6-1")
@thorough
@given(settings(own_noise=False))
def test_weight_is_what_a_minimiser_finds(s):
    """scipy's bounded scalar minimisation of the error in units of its minimum."""
    unit = hybrid.mse_kvh(s)
    search = {"bounds": (0, 1), "method": "bounded", "options": {"xatol": 1e-9}}
    found = minimize_scalar(lambda w: hybrid.mse_hybrid(s, w) / unit, **search)
    assert found.fun >= 1 - RELATIVE
    assert found.x == pytest.approx(hybrid.kvh_weight(s), abs=1e-6)


@pytest.mark.settles("adk-definition-5-3")
@thorough
@given(settings(own_noise=False))
def test_weight_of_pwh_is_what_a_minimiser_of_the_noise_finds(s):
    """Also where the curator adds none: then all weight is hers."""
    search = {"bounds": (0, 1), "method": "bounded", "options": {"xatol": 1e-9}}
    unit = min(s.noise_t, s.noise_l / s.lm_users)
    found = minimize_scalar(lambda w: (w**2 * s.noise_t + (1 - w) ** 2 * s.noise_l / s.lm_users) / unit, **search)
    assert found.x == pytest.approx(hybrid.pwh_weight(s), abs=1e-6)
    assert hybrid.pwh_weight(replace(s, s_t2=0.0)) == 1


@pytest.mark.settles("hdp-effective-variance")
@thorough
@given(settings())
def test_one_variance_stands_for_two_groups(s):
    """Homogeneous groups with the effective variance have the same errors and weights."""
    one = Setting(s.n, s.c, 1e12, s.epsilon, np.sqrt(s.effective_variance), s_t2=s.noise_t, s_l2=s.noise_l)
    weights = hybrid.kvh_weight, hybrid.pwh_weight
    for f in (hybrid.mse_tcm, hybrid.mse_full_lm, hybrid.mse_lm, hybrid.mse_kvh, hybrid.mse_pwh, *weights):
        assert f(one) == pytest.approx(f(s), rel=1e-9)
    assert hybrid.mse_hybrid(one, 0.3) == pytest.approx(hybrid.mse_hybrid(s, 0.3), rel=1e-9)


@pytest.mark.settles("adk-lemma-3-6-c")
@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("s_l2", [0.01, 0.25, 4.0])
def test_c_crit_is_continuous_where_the_variances_agree(sigma, s_l2):
    """The two cases of Lemma 3.6 meet, also where the local noise is smaller than the data's spread."""
    middle = hybrid.c_crit(Setting(100, 0.5, 1, 1, sigma, s_t2=1e-4, s_l2=s_l2))
    assert middle == pytest.approx(sigma**2 / (sigma**2 + s_l2))
    for step in (1e-3, 1e-6, 1e-9):
        near = hybrid.c_crit(Setting(100, 0.5, 1, 1, sigma, abs(sigma - step), s_t2=1e-4, s_l2=s_l2))
        assert near == pytest.approx(middle, abs=4 * step / s_l2)


@pytest.mark.settles("adk-lemma-3-6-c")
@thorough
@given(st.floats(0, 0.5), st.floats(0, 0.5), st.floats(1e-4, 1e3))
def test_c_crit_is_the_crossing_for_free_curation(sigma_t, sigma_l, s_l2):
    """Brent's method on the difference of the errors without the curator's noise."""
    assume(sigma_t > 1e-3)  # where it is 0, too, see below

    def difference(c):
        return c * s_l2 - (1 - c) * ((1 - c) * sigma_t**2 + c * sigma_l**2)

    crit = hybrid.c_crit(Setting(100, 0.5, 1, 1, sigma_t, sigma_l, s_t2=0, s_l2=s_l2))
    assert crit == pytest.approx(brentq(difference, 0, 1, xtol=1e-15), rel=1e-6)


@pytest.mark.settles("adk-lemma-3-6-c")
def test_trusting_users_who_are_all_alike_may_win_from_the_second_root_on():
    """Then 0 is a root of the numerator, and with 4 s_L^2 = sigma_L^2 it is negative up to the other one, 3/4."""
    free = [Setting(100, c, 1, 1, 0, 0.5, s_t2=0, s_l2=1 / 16) for c in (0.01, 0.74, 0.76)]
    assert [hybrid.n_crit(s) > 0 for s in free] == [False, False, True]
    assert hybrid.c_crit(free[0]) == pytest.approx(3 / 4) == value(trust.c_crit, free[0])
    assert hybrid.c_crit(replace(free[0], s_l2=1 / 4)) == 0  # both roots, as s_L^2 = sigma_L^2 leaves s_L^2 c^2


@pytest.mark.settles("adk-kvh-one-user", "hdp-hybrid-limits")
@pytest.mark.parametrize("users", [2, 10, 1000, 10**6])
def test_limits_in_c(users):
    """One trusting user: KVH is Full-LM; nearly all: KVH is TCM-Only on everybody; between them nothing jumps."""
    one = Setting(users, 1 / users, 1, 0.5, 0.3)
    assert hybrid.mse_kvh(one) == pytest.approx(hybrid.mse_full_lm(one), rel=1e-12)
    assert hybrid.kvh_weight(one) == pytest.approx(one.c)
    assert hybrid.pwh_weight(one) == pytest.approx(one.c)
    ends = Setting(users, 1 - 1e-12, 1, 0.5, 0.3)
    everybody = 2 / (users * 0.5) ** 2
    for mse in (hybrid.mse_kvh, hybrid.mse_pwh, hybrid.mse_tcm):
        assert mse(ends) == pytest.approx(everybody, rel=1e-6)
    coins, enough = Setting(users, 1 - 1e-12, 1, 8, 0.5), np.full(users, 8.0)  # a budget at which the cap is idle
    assert hybrid.true_mean_mse(coins, hybrid.kvh_weight(coins)) == pytest.approx(adpm.worst_case_mse(enough), rel=1e-6)
    c = np.linspace(1 / users, 0.999999, 20001)
    found = hybrid.mse_kvh(Setting(users, c, 1, 0.5, 0.3))
    assert np.all(np.diff(found) < 1e-12 * found[:-1])


@pytest.mark.settles("adk-gaussian-mechanism")
def test_gaussian_noise_is_refused_where_its_calibration_is_not_private():
    """Just below the budget from which on the classic noise gives more than delta, and above it."""
    s = Setting(1000, 0.05, 2, 0.5, 0.25, delta=1e-6)
    assert replace(s, epsilon=6.5, delta=0.01).noise_l > 0
    said = r"epsilon = 7 is too large for delta = 0\.01: the classic noise only gives 0\.0112"
    with pytest.raises(ValueError, match=said):
        replace(s, epsilon=7, delta=0.01)
    with pytest.raises(ValueError, match=r"epsilon = 50 is too large for delta"):
        replace(s, epsilon=50)
    assert replace(s, epsilon=50, s_t2=1.0, s_l2=2.0).noise_l == 2  # whose guarantee is the caller's business


@pytest.mark.settles("adk-gaussian-mechanism")
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01, 0.5, 0.97, 0.98, 1 - 1e-9])
def test_the_classic_noise_suffices_up_to_one(delta):
    """By the exact delta, 1 included; beyond the classical condition it does not for every budget."""
    factor = np.sqrt(2 * np.log(1.25 / delta))
    for epsilon in (1e-3, 0.1, 0.5, 0.9, 1.0):
        assert Gaussian(factor / epsilon).delta(epsilon, 1.0) < 0.33 * delta
    assert Gaussian(factor / 50).delta(50, 1.0) > delta


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_who_gives_her_value_to_a_curator_without_noise_has_no_guarantee(delta):
    """A setting may say so; it is not a loss of 0, and no division by it."""
    s = Setting(n=4, c=0.5, m=1, epsilon=1.0, sigma_t=0.3, s_t2=0.0, s_l2=2.0, delta=delta)
    losses = hybrid.estimator("tcm", s).privacy_loss()
    np.testing.assert_array_equal(losses, [np.inf, np.inf, 0, 0])


def top(epsilon, sigma, low, high, users, m=1):
    """Largest R over c, found by golden section; `users` gives n for c."""

    def loss(log_c):
        s = Setting(users(np.exp(log_c)), np.exp(log_c), m, epsilon, sigma)
        return -hybrid.relative_improvement(s, hybrid.mse_kvh(s))

    found = minimize_scalar(loss, bounds=np.log([low, high]), method="bounded", options={"xatol": 1e-12})
    return -found.fun


@pytest.mark.settles("hdp-kvh-supremum")
@pytest.mark.parametrize("trusting", [1, 2, 50, 10**5, np.inf])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_best_improvement_is_what_a_search_finds(trusting, epsilon):
    """Over c at a fixed number of trusting users: reached with the largest sigma, not with less."""
    t = min(trusting, 1e12)
    found = [top(epsilon, sigma, 1e-5, min(t / 2, 0.999), lambda c: t / c) for sigma in (0.0, 0.25, 0.45, 0.5)]
    best = hybrid.best_improvement(epsilon, trusting)
    assert max(found) == pytest.approx(best, rel=1e-6)
    assert max(found[:3]) < best or trusting == 1
    assert (best < hybrid.best_improvement(epsilon)) == (trusting < np.inf)  # the supremum is not attained


def test_whole_numbers_of_users_may_miss_the_best_improvement():
    """Two trusting users, epsilon = 1 and sigma = m/2: the baselines tie at 18/5 users."""
    n = np.arange(3, 100)
    s = Setting(n, 2 / n, 1, 1, 0.5)
    found = hybrid.relative_improvement(s, hybrid.mse_kvh(s))
    assert found.max() < 1.48 < hybrid.best_improvement(1, 2) == pytest.approx(26 / 17)
    tie = Setting(18 / 5, 5 / 9, 1, 1, 0.5)
    assert hybrid.relative_improvement(tie, hybrid.mse_kvh(tie)) == pytest.approx(26 / 17)


@pytest.mark.settles("adk-section-4-deviations", "adk-figure-3")
def test_quoted_deviations_of_the_beta_distributions():
    """Section 4: 0.109, 0.289 and 0.456, from the moments, which are quotients of the beta function."""
    a = sp.Symbol("a", positive=True)
    mean, square = (sp.gammasimp((sp.beta(a + k, a) / sp.beta(a, a)).rewrite(sp.gamma)) for k in (1, 2))
    assert [round(float(sp.sqrt(square - mean**2).subs(a, shape)), 3) for shape in SHAPES] == [0.456, 0.289, 0.109]
    for shape in SHAPES:
        exact = sp.sqrt(square - mean**2).subs(a, shape)
        assert DEVIATIONS[shape] == pytest.approx(float(exact), rel=1e-14) == stats.beta.std(float(shape), float(shape))


PAPER = (0.1, 1.0, 10.0)  # shapes of the Beta laws of Figure 1; each with two fractions and two budgets
LINES = tuple(product(PAPER, (0.005, 0.05), (0.1, 1)))


@pytest.mark.settles("adk-figure-1")
def test_improvements_of_figure_1():
    """All twelve lines: never below 1, at most 2.031, at the turn of Beta(1, 1), c = 5 percent, epsilon = 1.

    Each line is highest at its turn, or at the end of the window that is nearest to it.
    """
    users, highest = np.geomspace(1e3, 1e5, 20001), {}
    for line in LINES:
        shape, c, epsilon = line
        s = Setting(users, c, 1, epsilon, stats.beta.std(shape, shape))
        found = hybrid.relative_improvement(s, hybrid.mse_kvh(s))
        assert found.min() > 1
        turn = min(max(hybrid.laplace_n_crit(replace(s, n=1e4)), 1e3), 1e5)
        assert users[found.argmax()] == pytest.approx(turn, rel=1e-3)
        highest[line] = found.max()
    best = max(highest, key=highest.get)
    assert best == (1, 0.05, 1) and highest[best] == pytest.approx(2.0303, abs=1e-4)
    assert sum(v > 1.9 for v in highest.values()) == 4


def test_arrays_broadcast():
    """A grid of settings gives the numbers that its settings give one by one."""
    users, c = np.array([100.0, 1000.0]), np.array([[0.05], [0.5], [0.9]])
    grid = Setting(users, c, 1, 0.5, 0.3, 0.2, 0.25, 0.5)
    functions = (hybrid.mse_kvh, hybrid.mse_pwh, hybrid.n_crit, hybrid.c_crit, hybrid.mse_full_lm, hybrid.naive_weight)
    for f in functions:
        table = np.broadcast_to(f(grid), (3, 2))
        for i, j in np.ndindex(3, 2):
            one = f(Setting(users[j], c[i, 0], 1, 0.5, 0.3, 0.2, 0.25, 0.5))
            assert isinstance(one, float) and one == table[i, j]


@pytest.mark.settles("adk-section-3-large-enough")
def test_one_fraction_is_large_enough():
    """From there on TCM-Only is the better baseline, with Laplace noise and equal groups, for two users and many."""
    for n in (2.0, 3.0, 10.0, 1e3, 1e6):
        share = np.linspace(1 / n, 1 - 1e-9, 2001)
        for budget, sigma in ((0.1, 0.5), (1, 0.0), (1, 0.3), (30, 0.5)):
            s = Setting(n, share, 1, budget, sigma)
            by_hand = (1 - share) / (share * n) * sigma**2 + 2 / (share * n * budget) ** 2
            np.testing.assert_allclose(hybrid.mse_tcm(s), by_hand, rtol=1e-9)
            np.testing.assert_allclose(hybrid.mse_full_lm(s), 2 / (n * budget**2), rtol=1e-9)
            better = hybrid.mse_tcm(s) < hybrid.mse_full_lm(s)
            assert better[-1] and not better[0] and (np.diff(better.astype(int)) >= 0).all()


@pytest.mark.settles("adk-section-3-trivial")
@thorough
@given(settings(own_noise=False))
def test_the_weight_c_beats_at_least_one_baseline(s):
    """For noise of any kind; both where they tie."""
    error, baselines = hybrid.mse_hybrid(s, hybrid.naive_weight(s)), (hybrid.mse_tcm(s), hybrid.mse_full_lm(s))
    assert error < max(baselines)
    free = replace(s, s_t2=0.0)
    assert hybrid.mse_hybrid(free, s.c) < max(hybrid.mse_tcm(free), hybrid.mse_full_lm(free))
    tied = Setting(25.6, 0.25, 1, 1, 0.5)
    assert hybrid.mse_tcm(tied) == pytest.approx(hybrid.mse_full_lm(tied))
    assert hybrid.mse_hybrid(tied, hybrid.naive_weight(tied)) < 0.9 * hybrid.mse_tcm(tied)


@pytest.mark.settles("adk-figure-5-text")
def test_the_improvement_suffers_as_the_means_diverge():
    """Text on Figure 5: on three lines for every n, on the fourth from about 3,500 users on."""
    users = np.geomspace(1e3, 1e5, 2001)

    def found(t, share, budget):
        s = Setting(users, share, 2, budget, 12**-0.5, mu_t=1 - t, mu_l=1 + t)
        return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s)))

    for line in ((0.005, 0.1), (0.005, 1), (0.05, 1), (0.05, 0.1)):
        none, small, large = (found(t, *line) for t in (0, 0.25, 0.5))
        falls = small < none
        if line == (0.05, 0.1):
            assert 3450 < users[~falls].max() < 3550 and users[falls].min() > users[~falls].max()
            assert small[0] - none[0] == pytest.approx(0.1989, abs=1e-3)  # at 1000 users
        else:
            assert falls.all()
            assert 0 < 1 - large[0] / none[0] < 0.001 or line != (0.005, 0.1)
        assert (large < small).all() and (large < none).all() and none.min() > 1 > 0.07 > small[-1]
