"""The hybrid model: its errors, critical values and weights over the whole space, and the words on its figures."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from scipy import stats
from scipy.optimize import minimize_scalar

from hdp import ADPM, hybrid
from hdp.figures.hybrid_trust.known_variance import DEVIATIONS, SHAPES
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from tests.hybrid.common import RELATIVE, settings, value
from tests.oracles import thorough


def at_most(left, right):
    return left <= right * (1 + RELATIVE)


@pytest.mark.settles("hdp-kvh-never-worse")
@thorough
@given(settings(diverging=False))
def test_kvh_is_strictly_better_once_two_trust(s):
    """With Laplace and with Gaussian noise."""
    for own in (s, replace(s, epsilon=min(s.epsilon, 1), delta=1e-6)):
        best = min(hybrid.mse_tcm(own), hybrid.mse_full_lm(own))
        assert hybrid.mse_kvh(own) < best if s.tcm_users >= 2 else at_most(hybrid.mse_kvh(own), best)


@pytest.mark.settles("adk-lemma-3-6-n", "adk-lemma-3-6-c", "adk-lm-only-is-worse")
@thorough
@given(settings(own_noise=False))
def test_critical_values_tell_the_better_baseline(s):
    """Lemma 3.6 as meant, any noise, any groups: E_T <= E_F iff n <= n_crit, which needs c > c_crit; and E_F < E_L."""
    assert hybrid.mse_full_lm(s) < hybrid.mse_lm(s)
    tcm, full, crit = hybrid.mse_tcm(s), hybrid.mse_full_lm(s), hybrid.n_crit(s)
    assume(abs(tcm - full) > 1e-9 * (tcm + full))
    assert (tcm <= full) == (s.n <= crit)
    share = hybrid.c_crit(s)
    assert 0 <= share < 1
    assume(abs(s.c - share) > 1e-6)
    assert (s.c > share) == (crit > 0)


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


@pytest.mark.settles("hdp-effective-variance", "hdp-pwh-diverging")
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
def test_trusting_users_who_are_all_alike_may_win_from_the_second_root_on():
    """Then 0 is a root of the numerator, and with 4 s_L^2 = sigma_L^2 it is negative up to the other one, 3/4."""
    free = [Setting(100, c, 1, 1, 0, 0.5, s_t2=0, s_l2=1 / 16) for c in (0.01, 0.74, 0.76)]
    assert [hybrid.n_crit(s) > 0 for s in free] == [False, False, True]
    assert hybrid.c_crit(free[0]) == pytest.approx(3 / 4) == value(trust.c_crit, free[0])
    assert hybrid.c_crit(replace(free[0], s_l2=1 / 4)) == 0  # both roots, as s_L^2 = sigma_L^2 leaves s_L^2 c^2


@pytest.mark.settles("adk-kvh-one-user", "hdp-hybrid-limits")
@pytest.mark.parametrize("users", [2, 10, 1000, 10**6])
def test_limits_in_c(users):
    """One trusting user: KVH is Full-LM; nearly all: it is ADPM of everybody."""
    one = Setting(users, 1 / users, 1, 0.5, 0.3)
    assert hybrid.mse_kvh(one) == pytest.approx(hybrid.mse_full_lm(one), rel=1e-12)
    assert hybrid.kvh_weight(one) == pytest.approx(one.c)
    assert hybrid.pwh_weight(one) == pytest.approx(one.c)
    coins, enough = Setting(users, 1 - 1e-12, 1, 8, 0.5), np.full(users, 8.0)  # a budget at which the cap is idle
    assert hybrid.true_mean_mse(coins, hybrid.kvh_weight(coins)) == pytest.approx(ADPM(enough).mse(), rel=1e-6)


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


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_who_gives_her_value_to_a_curator_without_noise_has_no_guarantee(delta):
    """A setting may say so; it is not a loss of 0, and no division by it."""
    s = Setting(n=4, c=0.5, m=1, epsilon=1.0, sigma_t=0.3, s_t2=0.0, s_l2=2.0, delta=delta)
    losses = hybrid.estimator("tcm", s).loss
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


@pytest.mark.settles("adk-section-3-large-enough")
def test_one_fraction_is_large_enough():
    """From there on TCM-Only is the better baseline, with Laplace noise and equal groups, for two users and many."""
    for n in (2.0, 3.0, 10.0, 1e3, 1e6):
        share = np.linspace(1 / n, 1 - 1e-9, 2001)
        for budget, sigma in ((0.1, 0.5), (1, 0.0), (1, 0.3), (30, 0.5)):
            s = Setting(n, share, 1, budget, sigma)
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


@pytest.mark.settles("hdp-cautious-weight")
@thorough
@given(settings(diverging=False))
def test_cautious_weight_loses_neither_to_naive_nor_to_full_lm(s):
    """Whatever the variance."""
    assume(s.tcm_users >= 2)
    for own in (s, replace(s, epsilon=min(s.epsilon, 1), delta=1e-6)):
        cautious = hybrid.mse_hybrid(own, hybrid.homogeneous_weight(own, s.m**2 / 4))
        assert cautious < min(hybrid.mse_full_lm(own), hybrid.mse_hybrid(own, s.c))


@pytest.mark.settles("hdp-cautious-weight")
@thorough
@given(settings(diverging=False, own_noise=False))
def test_cautious_weight_is_what_a_search_for_the_smallest_largest_error_finds(s):
    """The largest error over a grid of variances, minimised by scipy, for noise of any kind."""
    every = replace(s, sigma_t=np.linspace(0, 0.5, 11) * s.m)
    cautious = hybrid.mse_hybrid(every, hybrid.homogeneous_weight(s, s.m**2 / 4))
    assert (cautious <= hybrid.mse_hybrid(every, s.c) * (1 + RELATIVE)).all()
    unit = cautious.max()
    found = minimize_scalar(lambda w: hybrid.mse_hybrid(every, w).max() / unit, bounds=(0, 1), method="bounded")
    assert found.fun >= 1 - RELATIVE


def line(shape, c, epsilon):
    """R and r of PWH, and R of KVH, over the paper's range of n."""
    s = Setting(np.geomspace(1e3, 1e5, 2001), c, 1, epsilon, (8 * shape + 4) ** -0.5)
    pwh = hybrid.mse_pwh(s)
    ideal = hybrid.relative_improvement(s, hybrid.mse_kvh(s))
    return hybrid.relative_improvement(s, pwh), hybrid.improvement_over_worst(s, pwh), ideal


@pytest.mark.settles("adk-section-5-naive")
def test_the_naive_weight_is_typically_inferior():
    """Where Figure 3 is drawn PWH is better throughout on nine lines, up to some n on two, nowhere on one."""
    better = []
    for shape, c, epsilon in product((10, 1, 0.1), (0.005, 0.05), (0.1, 1)):
        s = Setting(np.geomspace(1e3, 1e5, 2001), c, 1, epsilon, (8 * shape + 4) ** -0.5)
        better.append(hybrid.mse_pwh(s) < hybrid.mse_hybrid(s, hybrid.naive_weight(s)))
    assert all((np.diff(line.astype(int)) <= 0).all() for line in better)
    shares = [line.mean() for line in better]
    assert (shares.count(1), shares.count(0)) == (9, 1) and np.mean(shares) == pytest.approx(0.793, abs=1e-3)


@pytest.mark.settles("adk-section-5-figures")
def test_the_words_on_figure_3_in_shares_of_its_twelve_lines():
    """R is just above 1 on 42 percent of log n, near KVH's on 62, below 1 on 20; r above 10 on 38, below 2 on 17."""
    lines = [line(shape, c, epsilon) for shape in (10, 1, 0.1) for c in (0.005, 0.05) for epsilon in (0.1, 1)]
    best, worst, ideal = (np.array(part) for part in zip(*lines, strict=True))
    shares = [np.mean(v) for v in ((best > 1) & (best < 1.1), best > 0.96 * ideal, best < 1, worst > 10, worst < 2)]
    assert shares == pytest.approx([0.42, 0.62, 0.204, 0.38, 0.177], abs=0.005)
    assert (best < 1).any(axis=1).sum() == 3


@pytest.mark.settles("adk-section-5-figures")
def test_the_loss_is_noticeable_where_r_is_still_large():
    """On the lines of the larger budget with R < 1: r above 1.9, but for the larger c from 1.01 to 1.9."""
    for shape in (1, 0.1):
        best, worst, _ = line(shape, 0.005, 1)
        assert worst[best < 1].min() > 1.9
    worst = line(0.1, 0.05, 1)[1]
    assert 1 < worst.min() < 1.02 and worst.max() < 1.9
