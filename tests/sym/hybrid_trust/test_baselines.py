"""Every formula of sections 2 and 3 of Avent, Dubey & Korolova: derived from the estimators, or refuted."""

import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, mu_L, mu_T, s_L, s_T, sigma, sigma_L, sigma_T, w
from hdp.sym.symbols import n

T_USERS, L_USERS = c * n, (1 - c) * n
t = sp.Symbol("t", positive=True)
SHARE = {c: t / (1 + t)}  # covers 0 < c < 1
SURPLUS = c * s_L**2 - (1 - c) * ((1 - c) * sigma_T**2 + c * sigma_L**2)  # E_T <= E_F says this is >= c n (...)
ROOT = 4 * s_L**2 * sigma_L**2 + (sigma_L**2 - s_L**2) ** 2  # under the root of c_crit at equal variances
_HALF = sp.Rational(1, 2)
COINS = {c: sp.Rational(3, 4), n: 4, m: 1, epsilon: 4, sigma_T: _HALF, sigma_L: _HALF, mu_T: _HALF, mu_L: _HALF}
WEIGHTS = {"tcm": 1, "lm": 0, "hybrid": w}
ERRORS = {"tcm": sym.tcm_mse, "lm": sym.lm_mse, "hybrid": sym.hybrid_mse}


def expected_square(on_t, on_l, noises=(), independent=((T_USERS, sigma_T, mu_T), (L_USERS, sigma_L, mu_L))):
    """E[(a mean_T + b mean_L + noise)^2], where mean_G is the average of so many independent values."""
    parts = list(zip((on_t, on_l), independent, strict=True))
    variance = sum(a**2 * deviation**2 / users for a, (users, deviation, _) in parts)
    return variance + sum(noises) + sum(a * average for a, (_, _, average) in parts) ** 2


def moments(values):
    """Mean and variance of a list of exact numbers."""
    average = sum(values) / len(values)
    return average, sum(x**2 for x in values) / len(values) - average**2


def noises(weight):
    """Variances of the curator's noise and of the mean of the local noises, for a weight of the TCM group."""
    return weight**2 * s_T**2, (1 - weight) ** 2 * s_L**2 / L_USERS


@pytest.mark.parametrize("name", ERRORS)
def test_errors_follow_from_the_estimators(name):
    """Lemmas 3.2, 3.11, 3.13: what remains is (w-c) times the difference of the groups' means, and noise."""
    weight = WEIGHTS[name]
    assert_identity(expected_square(weight - c, (1 - weight) - (1 - c), noises(weight)), ERRORS[name])


def test_full_lm_has_only_noise():
    """Lemma 3.4."""
    per_group = c**2 * s_L**2 / T_USERS + (1 - c) ** 2 * s_L**2 / L_USERS
    assert_identity(expected_square(0, 0, [per_group]), sym.full_lm_mse)


def test_moments_of_the_mixture_are_those_of_all_values_pooled():
    """Section 2.2, and Definition 2.1: two lists of numbers, thrown together."""
    groups = [sp.Rational(k, 7) for k in (0, 2, 7)], [sp.Rational(k, 5) for k in (1, 1, 2, 4, 5)]
    pooled = [x for group in groups for x in group]
    (mean_t, variance_t), (mean_l, variance_l) = (moments(group) for group in groups)
    point = {c: sp.Rational(3, 8), mu_T: mean_t, mu_L: mean_l}
    point |= {sigma_T: sp.sqrt(variance_t), sigma_L: sp.sqrt(variance_l)}
    assert (sym.mean.subs(point), sym.mixture_variance.subs(point)) == moments(pooled)


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_one_disagreement_and_noise(name):
    """The bias is (w-c)^2 (mu_L - mu_T)^2: it acts like more variance."""
    assert_identity(expected_square(1, -1), sym.disagreement)
    weight = WEIGHTS[name]
    assert_identity(ERRORS[name], (weight - c) ** 2 * sym.disagreement + sum(noises(weight)))


def test_mixture_variance_as_printed_is_the_second_moment():
    """Section 2.2: E[x^2] of the mixture is right, but it is not the variance."""
    second_moment = c * (mu_T**2 + sigma_T**2) + (1 - c) * (mu_L**2 + sigma_L**2)
    assert_identity(sym.printed_mixture_variance, second_moment)
    assert_identity(sym.mixture_variance, c * sigma_T**2 + (1 - c) * sigma_L**2 + c * (1 - c) * (mu_L - mu_T) ** 2)
    assert_identity(sym.mixture_variance.subs(sym.homogeneous), sigma**2)
    point = {**dict.fromkeys((mu_T, mu_L), 1), **dict.fromkeys((sigma_T, sigma_L), 0), c: sp.Rational(1, 2)}
    assert (sym.printed_mixture_variance.subs(point), sym.mixture_variance.subs(point)) == (1, 0)


def test_lm_only_is_worse_than_full_lm():
    """Remark after Lemma 3.11, with a certificate."""
    gap = sp.Symbol("d", nonnegative=True)
    excess = (sym.lm_mse - sym.full_lm_mse).subs(mu_L, mu_T + gap)
    assert_nonnegative(sp.cancel(excess.subs(SHARE)), strict=True)


def test_n_crit_needs_the_other_sign():
    """Lemma 3.6: E_F - E_T is a positive multiple of n_crit - n, but not with what is printed."""
    factor = ((mu_T - sym.mean) ** 2 + s_T**2) / n
    assert_identity(sym.full_lm_mse - sym.tcm_mse, factor * (sym.n_crit - n))
    gap = 2 * (1 - c) ** 2 * sigma_T**2 / (c * ((mu_T - sym.mean) ** 2 + s_T**2))
    assert_identity(sym.printed_n_crit - sym.n_crit, gap)


def test_n_crit_as_printed_has_a_counterexample():
    """4 fair coins on {0, 1} of which 3 trust, Laplace noise with epsilon = 4: n <= 6 as printed, yet E_T > E_F."""
    at = lambda e: e.subs(sym.laplace).subs(COINS)  # noqa: E731
    assert at(sym.c_crit_equal) == sp.Rational(2, 3) < COINS[c]
    assert (at(sym.printed_n_crit), at(sym.n_crit)) == (6, 3)
    assert (at(sym.tcm_mse), at(sym.full_lm_mse)) == (sp.Rational(5, 144), sp.Rational(1, 32))


def test_c_crit_is_where_n_crit_changes_sign():
    """Both cases of Lemma 3.6, and one form for both."""
    assert_identity(sym.n_crit * c * ((mu_T - sym.mean) ** 2 + s_T**2), SURPLUS)
    assert sp.simplify(SURPLUS.subs(c, sym.c_crit_unequal)) == 0
    assert_identity(SURPLUS.subs(sigma_T, sigma_L).subs(c, sym.c_crit_equal), 0)
    assert_identity(sym.c_crit_without_cases, sym.c_crit_unequal)
    equal = sym.c_crit_without_cases.subs(sigma_T, sigma_L)
    assert_identity(equal.replace(sp.sqrt(ROOT), sp.sqrt(sp.factor(ROOT))), sym.c_crit_equal)


def test_above_c_crit_and_only_there_n_crit_is_positive():
    """In t = c/(1-c) it is a quadratic that rises from -sigma_T^2 < 0: one positive root, n_crit > 0 just above it.

    The other root is negative, so that c = t/(1+t) lies outside [0, 1].
    """
    surplus = sym.n_crit * c * ((mu_T - sym.mean) ** 2 + s_T**2)
    in_odds = sp.cancel((surplus / (1 - c)).subs(SHARE) * (1 + t))
    assert_identity(in_odds, s_L**2 * t**2 + (s_L**2 - sigma_L**2) * t - sigma_T**2)
    crit = sp.Symbol("crit", positive=True)  # the positive root says sigma_T^2 = squared > 0
    squared = s_L**2 * crit**2 + (s_L**2 - sigma_L**2) * crit
    other = -squared / (s_L**2 * crit)
    assert_identity(in_odds.subs(sigma_T, sp.sqrt(squared)), s_L**2 * (t - crit) * (t - other))


def test_relative_improvement_as_printed_takes_the_wrong_error():
    """Definition 3.7 puts the error of LM-Only where Full-LM's belongs: R of TCM-Only itself comes out above 1."""
    at = lambda e: e.subs(sym.laplace).subs(COINS)  # noqa: E731
    assert at(sym.relative_improvement * sym.error) == sp.Rational(1, 32) == at(sym.full_lm_mse)
    assert at(sym.lm_mse) == sp.Rational(5, 16)
    assert at(sym.printed_relative_improvement).subs(sym.error, at(sym.full_lm_mse)) == 10
    assert at(sym.relative_improvement_in_cases).subs(sym.error, at(sym.full_lm_mse)) == 1


DATA = {sigma_T: sp.Rational(1, 4), mu_T: 0, m: 1, epsilon: 4}
OTHER = {sigma_L: sp.Rational(3, 8), mu_L: sp.Rational(1, 8)}


@pytest.mark.parametrize("local", [{sigma_L: sigma_T, mu_L: mu_T}, OTHER], ids=["equal", "unequal"])
@pytest.mark.parametrize("share", [sp.Rational(k, 12) for k in (1, 4, 5, 11)], ids=str)
@pytest.mark.parametrize("users", [12, 15, 600])
def test_improvement_in_cases_is_that_over_the_smaller_error(local, share, users):
    """Definition 3.7 with the error of Full-LM and the corrected n_crit, whatever the order of c and c_crit."""
    at = lambda e: e.subs(local).subs(sym.laplace).subs({**DATA, c: share, n: users})  # noqa: E731
    assert at(sym.relative_improvement_in_cases) == at(sym.relative_improvement)


@pytest.mark.parametrize(
    ("share", "users", "tcm_is_better"),
    [
        ("1/4", 10**6, False),  # c < c_crit = 1/3
        ("1/3", 10**6, False),  # c = c_crit, where the denominator of n_crit vanishes
        ("2/5", 24, False),
        ("2/5", 25, True),  # n = n_crit: as good as Full-LM
        ("2/5", 26, True),
        ("9/10", 2, True),
    ],
)
def test_laplace_improvement_in_cases(share, users, tcm_is_better):
    """Definition 3.9 below, at and above both critical values, against the smaller of the errors of Lemmas 3.2, 3.4."""
    point = {c: sp.Rational(share), n: users, m: 1, epsilon: 2, sigma: _HALF}
    full = {**sym.homogeneous, mu_T: 0}
    tcm, local = (e.subs(full).subs(sym.laplace).subs(point) for e in (sym.tcm_mse, sym.full_lm_mse))
    assert (tcm <= local) == tcm_is_better
    assert sym.laplace_relative_improvement.subs(point) == min(tcm, local) / sym.error


def test_laplace_critical_values():
    """Lemma 3.8 and Definition 3.9: n c (2 c m^2 - (1-c) eps^2 sigma^2) >= 2 m^2, with the sign of n turned round."""
    tcm, full, crit = (
        e.subs(sym.homogeneous).subs(sym.laplace) for e in (sym.tcm_mse, sym.full_lm_mse, sym.c_crit_equal)
    )
    assert_identity(crit, sym.laplace_c_crit)
    assert_identity(tcm, sym.laplace_tcm_mse)
    assert_identity(full, sym.laplace_full_lm_mse)
    slope = c * (2 * c * m**2 - (1 - c) * epsilon**2 * sigma**2)
    assert_identity((full - tcm) * (c * n * epsilon) ** 2, n * slope - 2 * m**2)
    assert_identity(sym.laplace_n_crit, 2 * m**2 / slope)
    assert sp.solve(slope, c)[-1].equals(sym.laplace_c_crit)


def test_laplace_n_crit_exceeds_the_square_of_one_over_c():
    """So no curve of Figure 1 has n_crit < 1, which the text names as a reason for having no peak."""
    below = c * (1 - c) * epsilon**2 * sigma**2 / (2 * m**2)
    assert_identity(1 / sym.laplace_n_crit, c**2 - below)


def test_a_gap_of_the_means_leaves_a_window():
    """With Laplace noise E_T <= E_F is a quadratic in n; at equal groups its smaller root is Lemma 3.8's."""
    tcm, full = (e.subs(sym.laplace).subs(mu_L, mu_T + sym.gap) for e in (sym.tcm_mse, sym.full_lm_mse))
    rise, surplus, start = sym.window_rise, sym.window_surplus, sym.window_start
    assert_identity((tcm - full) * n**2, rise * n**2 - surplus * n + start)
    first, last = sym.window(surplus)
    assert_identity(first * last, start / rise)
    assert_identity(rise * (first + last), surplus)
    equal = {sym.gap: 0, sigma_T: sigma, sigma_L: sigma}
    assert_identity((start / surplus).subs(equal), sym.laplace_n_crit)
    point = {m: 1, epsilon: 1, sigma_T: _HALF, sigma_L: _HALF, c: _HALF, mu_T: 0, sym.gap: sp.Rational(1, 5)}
    k = sp.Rational(101, 100)
    low, high = (end.subs(point) for end in (first, last))
    signs = [(tcm - full).subs(point).subs(n, users) < 0 for users in (low / k, low * k, high / k, high * k)]
    assert signs == [False, True, True, False]
    point[sym.gap] = sp.Rational(7, 5)  # no real root: nowhere
    assert surplus.subs(point) ** 2 < 4 * (rise * start).subs(point)


def test_the_printed_window_is_the_printed_condition():
    """n <= printed n_crit with the curator's noise for n users, as the figure of the regions draws it."""
    condition = (n - sym.printed_n_crit) * c * ((mu_T - sym.mean) ** 2 + s_T**2)
    quadratic = sym.window_rise * n**2 - sym.printed_window_surplus * n + sym.window_start
    assert_identity(condition.subs(sym.laplace).subs(mu_L, mu_T + sym.gap) * n, c * quadratic)


def test_true_mean_and_empirical_mean_rank_weights_alike_for_equal_variances():
    """The two benchmarks differ by a constant, sigma^2/n; for unequal variances by a term linear in w."""
    bias = w * mu_T + (1 - w) * mu_L - sym.mean
    assert_identity(
        expected_square(w, 1 - w, noises(w)) - (w * mu_T + (1 - w) * mu_L) ** 2 + bias**2, sym.true_mean_mse
    )
    other = (c * sigma_T**2 + (1 - c) * sigma_L**2 + 2 * (w - c) * (sigma_T**2 - sigma_L**2)) / n
    assert_identity(sym.true_mean_mse - sym.hybrid_mse, other)
    assert_identity(other.subs(sym.homogeneous), sigma**2 / n)
    best, against_true_mean = (sp.solve(sp.diff(e, w), w)[0] for e in (sym.hybrid_mse, sym.true_mean_mse))
    point = {c: _HALF, n: 4, mu_T: 0, mu_L: 0, s_T: 1, s_L: 1, sigma_T: 1, sigma_L: 2}
    assert best.subs(point) != against_true_mean.subs(point)
