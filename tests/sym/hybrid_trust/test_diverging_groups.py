"""Section 6 of Avent, Dubey & Korolova: groups of different variances and means."""

import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust import diverging_groups as diverging
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, mu_L, mu_T, s_L, s_T, sigma, sigma_L, sigma_T, w
from hdp.sym.symbols import n

GAP = diverging.gap
AS_ONE = {sigma: sp.sqrt(diverging.effective_variance)}


def test_weight_is_where_the_derivative_vanishes():
    """Definition 6.1."""
    assert_identity(sp.solve(sp.diff(sym.hybrid_mse, w), w)[0], diverging.weight)


def test_reductions():
    """Equal means; equal variances, of the groups and not of the mixture; both, which is Definition 4.1."""
    assert_identity(diverging.weight.subs(mu_L, mu_T), diverging.variance_skew_weight)
    assert_identity(diverging.weight.subs({sigma_T: sigma, sigma_L: sigma}), diverging.mean_skew_weight)
    assert_identity(diverging.weight.subs(sym.homogeneous), known.weight)
    mixture = sp.sqrt(sym.mixture_variance.subs({sigma_T: sigma, sigma_L: sigma}))
    wrong = diverging.mean_skew_weight.subs(sigma, mixture) - diverging.weight.subs({sigma_T: sigma, sigma_L: sigma})
    assert sp.simplify(wrong.subs({mu_T: 0, mu_L: 1, c: sp.Rational(1, 2), n: 4, s_T: 1, s_L: 2, sigma: 1})) != 0


def test_the_weight_needs_only_the_gap_of_the_means():
    """Section 6 says that the curator must know mu_T and mu_L; their difference will do."""
    assert_identity(sp.diff(sp.cancel(diverging.weight.subs(mu_L, mu_T + GAP)), mu_T), 0)


@pytest.mark.parametrize("mse", [sym.tcm_mse, sym.lm_mse, sym.hybrid_mse], ids=["tcm", "lm", "hybrid"])
def test_one_variance_stands_for_two_groups(mse):
    """Every error is that of equal groups whose variance is the effective one; Full-LM's has no variance in it."""
    assert_identity(mse.subs(sym.homogeneous).subs(AS_ONE), mse)


def test_the_effective_variance_gives_the_weight():
    """So sections 4 and 5 apply to diverging groups as they stand, with all that is said about wrong weights."""
    assert_identity(known.weight.subs(AS_ONE), diverging.weight)


def test_the_effective_variance_is_the_first_groups_up_to_c():
    """Figure 4: its distance from sigma_T^2 is c (sigma_L^2 - sigma_T^2), 5 percent at most."""
    equal_means = diverging.effective_variance.subs(mu_L, mu_T)
    assert_identity(equal_means - sigma_T**2, c * (sigma_L**2 - sigma_T**2))


def test_a_wrong_weight_beats_full_lm_while_it_is_close_to_c():
    """Figure 5: E_H(w) <= E_F says curvature (w-c)^2 <= advantage (2(w-c) + c), for any groups."""
    on_gap = {mu_L: mu_T + GAP}
    curvature = (sym.disagreement + known.noise_curvature).subs(on_gap)
    over = curvature * (w - c) ** 2 - known.advantage * (2 * (w - c) + c)
    assert_identity((sym.hybrid_mse - sym.full_lm_mse).subs(on_gap), over)


def test_improvement_has_no_bound_when_the_means_diverge():
    """Corollary 4.4 does not carry over: y has n times the squared gap in it, so any y goes with epsilon = 1.

    As n grows with the squared gap 2 (1-c)^-2 m^2/(epsilon^2 n), the baselines meet at c, and R tends to 1 + 1/(1-c).
    """
    y = (epsilon**2 * diverging.effective_variance / m**2).subs({mu_L: mu_T + GAP, sigma_T: 0, sigma_L: 0})
    y = y.subs(GAP, sp.sqrt(2 / n) * m / (epsilon * (1 - c)))
    assert_identity(y, 2 * c / (1 - c))
    assert_identity(known.crossing.subs({known.u: 0, known.y: y}), c)
    assert_identity(known.improvement_at_crossing.subs({known.u: 0, known.y: y}), 1 + 1 / (1 - c))


def test_beliefs_include_every_weight_of_the_paper():
    """PWH believes 0, Definition 4.1 the common variance, Definition 6.1 the effective one, the naive one infinity."""
    at = diverging.believed_weight.subs
    assert_identity(at(diverging.believed, 0), unknown.weight)
    assert_identity(at(diverging.believed, sigma**2), known.weight)
    assert_identity(at(diverging.believed, diverging.effective_variance), diverging.weight)
    assert sp.limit(diverging.believed_weight, diverging.believed, sp.oo) == c


G, Q_V, MORE = sp.symbols("g Q_v x", positive=True)


def in_curvatures(expression):
    """A function of the belief in c, g = `advantage` and Q_v, the believed curvature."""
    from_advantage = {s_T: sp.sqrt((s_L**2 - n * G) / (c * n))}
    belief = sp.solve(diverging.believed_curvature.subs(from_advantage) - Q_V, diverging.believed)[0]
    return sp.cancel(expression.subs(from_advantage).subs(diverging.believed, belief))


def test_errors_are_squares_of_distances_from_the_best_weight():
    """An error exceeds the least by Q (w - best)^2; the best weight is c + g/Q, the believed one c + g/Q_v."""
    least = sym.hybrid_mse.subs(w, diverging.weight)
    assert_identity(sym.hybrid_mse - least, diverging.curvature * (w - diverging.weight) ** 2)
    assert_identity(sym.hybrid_mse.subs(w, 1), sym.tcm_mse)
    assert_identity(diverging.weight, c + known.advantage / diverging.curvature)
    assert_identity(in_curvatures(diverging.believed_weight), c + G / Q_V)


def test_too_small_a_belief_never_loses_to_tcm_and_loses_to_full_lm_beyond_a_bound():
    """With Q = Q_v + x, x >= 0: E_T - E_H is a product of nonnegative factors; E_F - E_H changes its sign once."""
    curvature = Q_V + MORE
    best, chosen = c + G / curvature, in_curvatures(diverging.believed_weight)
    over_tcm = curvature * ((1 - best) ** 2 - (chosen - best) ** 2)
    assert_identity(over_tcm, curvature * (1 - chosen) * ((1 - best) + (chosen - best)))
    assert_nonnegative(sp.cancel(chosen - best))
    below_full_lm = G * (2 * (chosen - c) + c) - curvature * (chosen - c) ** 2
    bound = in_curvatures(diverging.tolerated_curvature)
    assert_identity(below_full_lm, (G / Q_V) ** 2 * (bound - curvature))
    assert_identity(bound - Q_V, Q_V * chosen / (chosen - c))


def test_a_believed_weight_lies_below_one():
    """So 1 - chosen is positive above, whatever the belief."""
    share = sp.Symbol("t", positive=True)
    chosen = (1 - diverging.believed_weight).subs(c, share / (1 + share))
    assert_nonnegative(sp.cancel(chosen), strict=True)


def test_too_large_a_belief_never_loses_to_full_lm():
    """With Q_v = Q + x the bound holds."""
    curvature = sp.Symbol("Q", positive=True)
    bound = in_curvatures(diverging.tolerated_curvature)
    assert_nonnegative((bound - curvature).subs(Q_V, curvature + MORE), strict=True)


def test_the_tolerated_gap_makes_full_lm_and_the_homogeneous_weight_equal():
    """For equal variances."""
    error = known.mse + (w - c) ** 2 * GAP**2
    squared = sp.Symbol("D", positive=True)
    at = {GAP: sp.sqrt(squared), w: known.weight}
    solved = sp.solve((error - sym.full_lm_mse).subs(at), squared)
    assert len(solved) == 1
    assert_identity(solved[0], diverging.tolerated_gap_squared)


def test_tcm_only_is_the_better_baseline_on_an_interval():
    """Lemma 3.8 for diverging means: a quadratic in n, with two roots, one, or none."""
    difference = (sym.tcm_mse - sym.full_lm_mse).subs(sym.laplace).subs(diverging.on_gap)
    for end in diverging.tcm_interval:
        assert sp.simplify(sp.expand(difference * n**2).subs(n, end)) == 0
    ends = [end.subs(GAP, diverging.largest_gap_for_tcm) for end in diverging.tcm_interval]
    assert_identity(ends[0], ends[1])
    assert_identity(
        sp.diff(sp.expand(difference * n**2), n, 2), 2 * (1 - c) ** 2 * GAP**2
    )  # TCM-Only wins between them
    point = {m: 1, epsilon: 1, sigma_T: 0, sigma_L: 0, c: sp.Rational(1, 2)}
    largest = diverging.largest_gap_for_tcm.subs(point)
    lowest = sp.expand(difference * n**2).subs(point).subs(GAP, 2 * largest)
    assert sp.discriminant(lowest, n) < 0  # no n at all


def test_pwh_on_diverging_groups():
    """Its error, and what it gains on Full-LM and on TCM-Only, are those of section 5 with the effective variance."""
    pwh = sym.hybrid_mse.subs(w, unknown.weight).subs(diverging.on_gap)
    assert_identity(unknown.pwh_mse.subs(AS_ONE).subs(diverging.on_gap), pwh)
    positive = c * (s_L**2 + (1 - c) * n * s_T**2) ** 2
    margin = unknown.margin.subs(AS_ONE).subs(diverging.on_gap)
    assert_identity(sym.full_lm_mse - pwh, known.advantage * margin / positive)
    worst = unknown.worst_margin.subs(AS_ONE).subs(diverging.on_gap)
    tcm = sym.tcm_mse.subs(diverging.on_gap)
    assert_identity(tcm - pwh, (1 - c) * s_T**2 * worst / positive)
