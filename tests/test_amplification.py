"""Amplified privacy losses against mpmath, exact statements, a simulated release, and the laws they must obey."""

from dataclasses import replace
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import stats

from hdp import amplification as amp
from hdp import hybrid
from hdp.noise import Gaussian
from hdp.proof import assert_monte_carlo
from hdp.sym.hybrid_trust import amplification as sym
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.symbols import n as N
from tests.hybrid.common import DIVERGING, value
from tests.oracles import inf

DELTA = 1e-7
FRACTIONS = [0.0, 0.25, 0.9, 1.0]


def salaries(c=0.01, epsilon=1.0, delta=DELTA):
    """The setting of Figure 7."""
    return hybrid.Setting(n=252_540, c=c, m=2_349_033, epsilon=epsilon, sigma_t=53_254, delta=delta)


@pytest.mark.settles("adk-joint-noise", "adk-sensitivity", "adk-theorem-8-1")
@pytest.mark.parametrize("alpha", FRACTIONS)
@pytest.mark.parametrize("w", [0.0, 0.005, 0.02, 0.7, 1.0])
def test_both_statements_of_theorem_8_1(w, alpha):
    """Against the expressions in `hdp.sym`, in 30 digits; without any noise the loss is infinite."""
    s = salaries(c=0.02, epsilon=0.5)
    exact = {sym.c: sp.Rational(1, 50), N: 252_540, trust.m: 2_349_033, sym.w: sp.Rational(str(w))}
    exact |= {trust.epsilon: sp.Rational(1, 2), trust.delta: sp.Rational(1, 10**7)}
    k = (1 - sp.Rational(str(alpha))) * sp.Rational(49, 50) * 252_540
    variance = sym.joint_variance.subs(trust.gaussian).subs({sym.honest: k}).subs(exact)
    pairs = ((amp.amplified_epsilon, sym.correct_8_1), (amp.printed_epsilon, sym.printed_8_1))
    for function, statement in pairs:
        if variance == 0:
            assert amp.amplified_epsilon(s, w, DELTA, alpha) == inf
            assert np.isnan(amp.printed_epsilon(s, w, DELTA, alpha))
            continue
        expected = statement.subs(exact).subs(sym.s_joint, sp.sqrt(variance)).evalf(30)
        assert function(s, w, DELTA, alpha) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.settles("adk-figure-7", "hdp-amplification-groups")
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("c", [0.001, 0.01, 0.1])
@pytest.mark.parametrize("alpha", FRACTIONS)
def test_each_group_loses_what_the_ratio_says(c, alpha, epsilon):
    """epsilon rho / sqrt(rho^2 + k) and epsilon / sqrt(rho^2 + k); the guarantee is the larger."""
    s = salaries(c, epsilon)
    w = hybrid.kvh_weight(s)
    rho, k = (w / c) / ((1 - w) / (1 - c)), (1 - alpha) * (1 - c) * s.n
    tcm, lm = amp.group_epsilons(s, w, DELTA, alpha)
    np.testing.assert_allclose((tcm, lm), epsilon * np.array([rho, 1]) / np.sqrt(rho**2 + k), rtol=1e-11)
    at = {"rho_T": rho, "k": k, "alpha": alpha}
    for stated in ((sym.loss_T, sym.loss_L), (sym.figure_7_correct, sym.figure_7_printed)):
        np.testing.assert_allclose((tcm, lm), [value(loss, s, **at) for loss in stated], rtol=1e-11)
    for ratio in (sym.ratio, sym.kvh_ratio, sym.kvh_ratio_classic):
        assert value(ratio, s, w=w) == pytest.approx(rho, rel=1e-11)
    assert amp.amplified_epsilon(s, w, DELTA, alpha) == tcm > lm
    assert amp.printed_epsilon(s, w, DELTA, alpha) == pytest.approx(lm, rel=1e-12)


@pytest.mark.settles("adk-figure-7")
def test_the_guarantee_rises_with_c_and_with_the_coalition():
    """On a grid of Figure 7; the printed formula falls with c, and where all local users collude the budget is left."""
    shares, w = np.geomspace(0.001, 0.1, 60), hybrid.kvh_weight(salaries(np.geomspace(0.001, 0.1, 60)))
    alphas = np.linspace(0, 1, 21)[:, None]
    right, printed = (f(salaries(shares), w, DELTA, alphas) for f in (amp.amplified_epsilon, amp.printed_epsilon))
    assert (np.diff(right[:-1], axis=1) > 0).all() and (np.diff(right, axis=0) > 0).all()
    assert right[-1] == pytest.approx(1.0, rel=1e-12) and (np.diff(printed, axis=1) < 0).all()


@pytest.mark.settles("hdp-kvh-above-c")
@pytest.mark.parametrize("scale", [1, 0.999, 1.001])
@pytest.mark.parametrize("s", DIVERGING)
def test_optimal_weights_exceed_c(s, scale):
    """A curator's user weighs more than a local one exactly if s_L^2 > c n s_T^2, for KVH and PWH; also at the edge."""
    assert s.noise_l > s.tcm_users * s.noise_t
    edge = replace(s, s_t2=scale * s.noise_l / s.tcm_users, s_l2=s.noise_l)
    for weight in (hybrid.kvh_weight, hybrid.pwh_weight):
        assert weight(s) > s.c
        apart = weight(edge) / s.c - 1
        assert abs(apart) < 1e-9 if scale == 1 else np.sign(apart) == np.sign(1 - scale)
        for delta in (0.0, 1e-6):  # with Laplace or Gaussian noise for one budget a lone trusting user weighs the same
            one = replace(s, c=1 / s.n, epsilon=0.7, delta=delta, s_t2=None, s_l2=None)
            assert weight(one) == pytest.approx(one.c, rel=1e-9)


@pytest.mark.settles("hdp-amplification-groups")
def test_the_weight_c_is_best_for_the_worse_group():
    """1/sqrt(1 + k) there, more for every other weight, and more again with a coalition."""
    s = salaries(0.02)
    best = amp.amplified_epsilon(s, s.c, DELTA)
    for stated in (sym.least_loss, sym.figure_7_naive):
        assert value(stated, s, k=s.lm_users, alpha=0) == pytest.approx(best, rel=1e-12)
    weights = np.array([0.0, 0.01, 0.019, 0.021, 0.1, 0.9])
    assert (amp.amplified_epsilon(s, weights, DELTA) > best).all()


def test_noise_of_the_setting_is_used():
    """Given variances first, then the classic noise for the setting's delta, then for the guarantee's."""
    s = salaries()
    given = hybrid.Setting(n=s.n, c=s.c, m=s.m, epsilon=9, sigma_t=s.sigma_t, s_t2=s.noise_t, s_l2=s.noise_l)
    plain = hybrid.Setting(n=s.n, c=s.c, m=s.m, epsilon=1, sigma_t=s.sigma_t)
    for other in (given, plain):
        assert amp.group_epsilons(other, 0.4, DELTA) == pytest.approx(amp.group_epsilons(s, 0.4, DELTA), rel=1e-14)
    looser = amp.amplified_epsilon(s, 0.4, 1e-3)  # the same noise at a larger delta
    assert looser < amp.amplified_epsilon(s, 0.4, DELTA)


def test_exact_calibration_at_the_ends():
    """No sensitivity, no noise, a delta that needs no epsilon, and an epsilon of 0."""
    assert amp.exact_epsilon(1.0, 0.0, 0.1) == 0.0 and amp.exact_epsilon(0.0, 1.0, 0.1) == inf
    assert amp.exact_epsilon(100.0, 1.0, 0.1) == 0.0
    assert Gaussian(amp.exact_scale(1.0, 0.0, 0.1)).delta(0.0, 1.0) == pytest.approx(0.1, rel=1e-10)


@pytest.mark.parametrize("case", [(1e18, 1e-6), (1e20, 1e-6), (1e21, 1e-6), (1e50, 1e-300)], ids=str)
def test_exact_scale_keeps_its_digits_for_a_large_epsilon(case):
    """Balle & Wang's delta is its first term Q(a) but for 1e-9 of itself, and then r = sqrt(a^2 + 2 eps) - a."""
    epsilon, delta = case
    a = mpmath.mpf(stats.norm.isf(delta))
    with mpmath.workdps(80):
        expected = float(1 / (mpmath.sqrt(a**2 + 2 * mpmath.mpf(epsilon)) - a))
    with np.errstate(all="raise", under="ignore"):
        assert amp.exact_scale(1.0, epsilon, delta) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    "case",
    [
        *product([0.01, 1.0, 3.0, 12.0], [1e-12, 1e-7, 1e-2, 0.4]),
        (1e-14, 1e-20),
        (1e-12, 1e-30),
        (1e-12, 1e-40),
        (0.0, 1e-12),
        (1e-50, 1e-7),
        (1e-6, 1e-300),
        (1e-3, 0.999),
    ],
    ids=str,
)
def test_exact_calibration_keeps_its_digits_for_a_small_epsilon(case):
    """Balle & Wang's delta, which falls by more than 1e-12 of itself for a scale that is so much larger."""
    epsilon, delta = case
    scale = amp.exact_scale(1.0, epsilon, delta)
    with mpmath.workdps(400):
        eps, lost = mpmath.mpf(epsilon), []
        for s in (scale * (1 - 1e-12), scale * (1 + 1e-12)):
            r = 1 / mpmath.mpf(s)
            lost.append(mpmath.ncdf(r / 2 - eps / r) - mpmath.exp(eps) * mpmath.ncdf(-r / 2 - eps / r))
    assert lost[0] > delta > lost[1]
    if 0 < delta < 0.9:
        assert amp.exact_epsilon(scale, 1.0, delta) == pytest.approx(epsilon, rel=1e-9, abs=1e-14 / scale)


def test_the_classic_mechanism_fails_for_large_epsilon():
    """It holds at 1 and not at 10; where it fails it is refused."""
    factor = np.sqrt(2 * np.log(1.25 / DELTA))
    assert Gaussian(factor).delta(1.0, 1.0) < DELTA < 1.6e-7 < Gaussian(factor / 10).delta(10.0, 1.0) < 1.7e-7
    assert amp.classic_scale(3.0, 1.0, DELTA) == pytest.approx(3 * factor, rel=1e-15)
    assert amp.classic_epsilon(3 * factor, 3.0, DELTA) == pytest.approx(1.0, rel=1e-15)
    for refused in (lambda: amp.classic_scale(1.0, 10.0, DELTA), lambda: amp.classic_epsilon(factor / 10, 1.0, DELTA)):
        with pytest.raises(ValueError, match="epsilon = 10"):
            refused()


@pytest.mark.settles("adk-gaussian-mechanism")
@pytest.mark.parametrize("delta", [1e-9, 1e-7, 1e-3, 0.05, 0.5])
def test_the_classic_mechanism_holds_below_one(delta):
    """On a grid of the range for which it is proved; it fails more the larger epsilon is, so one check is enough."""
    factor = np.sqrt(2 * np.log(1.25 / delta))
    true = [Gaussian(factor / e).delta(e, 1.0) for e in np.geomspace(1e-2, 30, 60)]
    assert (np.diff(true) >= 0).all() and true[np.searchsorted(np.geomspace(1e-2, 30, 60), 1.0)] < delta


@pytest.fixture(scope="module")
def audit():
    """Simulated releases without the coalition's noise: one user moved in either group, and none."""
    s = hybrid.Setting(n=50, c=0.2, m=1, epsilon=1, sigma_t=0.1, delta=0.01)
    w, runs, honest, rng = hybrid.kvh_weight(s), 1_000_000, 10, np.random.default_rng(8)

    def release(x_t, x_l):
        local = sum(rng.normal(x, np.sqrt(s.noise_l), runs) for x in x_l[:honest]) + sum(x_l[honest:])
        return w * (np.mean(x_t) + rng.normal(0, np.sqrt(s.noise_t), runs)) + (1 - w) * local / 40

    zero_t, zero_l = np.zeros(10), np.zeros(40)
    moved_t, moved_l = np.eye(10)[0], np.eye(40)[0]
    views = release(moved_t, zero_l), release(zero_t, moved_l), release(zero_t, zero_l)
    return s, w, views, 1 - honest / 40


def excess(view, other, budget, spread, shift):
    """Draws whose mean is P(S) - e^budget P'(S), for S = the outputs whose density ratio exceeds e^budget."""
    threshold = shift / 2 + budget * spread**2 / shift
    return (view > threshold) - np.exp(budget) * (other > threshold)


@pytest.mark.settles("adk-theorem-8-1", "adk-joint-noise")
def test_audit_confirms_the_corrected_value_and_refutes_the_printed_one(audit):
    """The exact delta for both groups within 4 standard errors, sharp enough for 10 %; the printed one is far off."""
    s, w, (moved_t, moved_l, none), alpha = audit
    spread = amp.joint_deviation(s, w, alpha)
    shifts = w / 10, (1 - w) / 40
    corrected, exact = (amp.amplified_epsilon(s, w, 0.01, alpha, exact=e) for e in (False, True))
    printed = amp.printed_epsilon(s, w, 0.01, alpha)
    for view, shift, budget, sharp in (
        (moved_t, shifts[0], exact, True),
        (moved_t, shifts[0], corrected, False),  # its event is too rare
        (moved_t, shifts[0], printed, True),
        (moved_l, shifts[1], printed, False),
    ):
        draws = excess(view, none, budget, spread, shift)
        assert_monte_carlo(draws, Gaussian(spread).delta(budget, shift))
        if sharp:
            with pytest.raises(AssertionError):
                assert_monte_carlo(draws, Gaussian(0.9 * spread).delta(budget, shift))
    assert_monte_carlo(excess(moved_t, none, exact, spread, shifts[0]), 0.01)  # the exact value spends all of delta
    assert excess(moved_l, none, printed, spread, shifts[1]).mean() < 0.01
    with pytest.raises(AssertionError):
        assert_monte_carlo(excess(moved_t, none, printed, spread, shifts[0]), 0.01, sigmas=40)


@pytest.mark.settles("adk-blender")
def test_an_earlier_release_is_not_undone():
    """BLENDER: the pair of an early and a late output separates two inputs at least as well as the early one."""
    rng, less = np.random.default_rng(3), 0
    for budget in (0.0, 0.3, 1.0):
        first, second = (rng.dirichlet(np.ones(4)) for _ in range(2))
        late = rng.dirichlet(np.ones(5), size=(2, 4))  # late output given the early one, for either input
        alone = sym.separation(first, second, np.exp(budget))
        assert alone == pytest.approx(sum(max(p - np.exp(budget) * q, 0) for p, q in zip(first, second, strict=True)))
        assert sym.separation(*sym.two_outputs(first, second, *late), np.exp(budget)) > alone + 0.01
        same = sym.two_outputs(first, second, late[0], late[0])  # of her value the late step sees the early output only
        assert sym.separation(*same, np.exp(budget)) == pytest.approx(alone)
        less += sym.separation(first @ late[0], second @ late[0], np.exp(budget)) < 0.9 * alone
    assert less  # the late output alone would have hidden more


@pytest.mark.settles("adk-section-8-processing")
def test_processing_costs_nothing():
    """Neither does a later step that sees the first output only, nor a first one that does not see her value."""
    rng = np.random.default_rng(8)
    for budget in (0.1, 1.0, 3.0):
        answers = np.array([np.exp(budget), 1.0]) / (1 + np.exp(budget))  # hers, with all of the budget
        late = rng.dirichlet(np.ones(5), size=2)  # of the others, given her answer
        processed = sym.two_outputs(answers, answers[::-1], late, late)
        early = rng.dirichlet(np.ones(4))  # the others' list, on which her question depends: it may exchange answers
        flips = rng.integers(0, 2, 4)
        asked = [np.array([law[::-1] if flip else law for flip in flips]) for law in (answers, answers[::-1])]
        for first, second in (processed, processed[::-1], sym.two_outputs(early, early, *asked)):
            assert sym.separation(first, second, np.exp(budget)) < 1e-15
            less = np.exp(0.9 * budget)  # needs a delta, and the others' outputs do not add to it
            assert sym.separation(first, second, less) == pytest.approx(sym.separation(answers, answers[::-1], less))


@pytest.mark.settles("hdp-amplification-survives")
def test_who_gains_from_the_amplification():
    """Local users 560 to 18,000 fold without a coalition; the others sqrt(1 + 1/x^2) fold where c n is x sqrt(n)."""
    settings = [salaries(c) for c in (0.001, 0.01, 0.1)]
    gains = [1 / amp.group_epsilons(s, hybrid.kvh_weight(s), DELTA)[1] for s in settings]
    assert [float(f"{gain:.2g}") for gain in gains] == [560, 2500, 18_000]
    between = salaries(np.geomspace(0.001, 0.1, 50))
    assert (np.diff(amp.group_epsilons(between, hybrid.kvh_weight(between), DELTA)[1]) < 0).all()
    for share in np.geomspace(1 / 30, 30, 25):
        s = salaries(share / np.sqrt(252_540))  # of sqrt(n)
        tcm = amp.group_epsilons(s, hybrid.kvh_weight(s), DELTA)[0]
        assert 1 / tcm == pytest.approx(np.sqrt(1 + 1 / share**2), rel=0.005)
