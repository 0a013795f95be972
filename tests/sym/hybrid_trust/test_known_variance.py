"""Section 4 of Avent, Dubey & Korolova: equal groups of known variance."""

import pytest
import sympy as sp

from hdp import hybrid
from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.hybrid_trust.known_variance import u, y
from hdp.sym.symbols import n

t, k = sp.symbols("t k", positive=True)
REGION = {c: t / (1 + t), u: 1 / (1 + k)}  # 0 < c < 1 and c n = 1/u > 1, any y >= 0
_HALF = sp.Rational(1, 2)
ONE_SIXTEENTH = {n: 16, c: sp.Rational(1, 4), m: 1, epsilon: 1, sigma: sp.Rational(1, 2)}


def test_weight_is_where_the_derivative_vanishes():
    """Definition 4.1: the error is a convex quadratic in w."""
    slope = sp.diff(known.mse, w)
    assert sp.solve(slope, w)[0].equals(known.weight)
    assert_identity(sp.diff(slope, w), 2 * known.curvature)
    assert_nonnegative(known.curvature.subs(c, t / (1 + t)), strict=True)


def test_error_is_that_of_the_family():
    """Lemma 4.2, and its value at the best weight in closed form."""
    assert_identity(known.mse, sym.hybrid_mse.subs(sym.homogeneous))
    assert_identity(known.mse.subs(w, known.weight), known.kvh_mse)
    assert_identity(known.tcm_mse, sym.tcm_mse.subs(sym.homogeneous))


def test_printed_gamma_is_upside_down():
    """Theorem 4.3: gamma must be 1/E_KVH; the fraction that is printed is E_KVH, and so is not even free of units."""
    assert_identity(known.printed_gamma, known.mse.subs(w, known.weight))
    at = lambda e: e.subs(sym.laplace).subs(ONE_SIXTEENTH)  # noqa: E731
    assert (at(known.full_lm_mse), at(known.tcm_mse)) == (sp.Rational(1, 8), sp.Rational(11, 64))
    assert at(known.gamma * known.full_lm_mse) == sp.Rational(8, 5)
    assert at(known.printed_gamma * known.full_lm_mse) == sp.Rational(5, 512)


def test_improvement_exceeds_one_exactly_below_the_ratio_of_the_noises():
    """Both gaps are a square or a product with the sign of s_L^2 - c n s_T^2; the weight lies between c and PWH's."""
    at_best = known.mse.subs(w, known.weight)
    assert_identity(known.full_lm_mse - at_best, known.advantage * known.weight)
    assert_identity(known.tcm_mse - at_best, known.curvature * (1 - known.weight) ** 2)
    assert_identity(known.weight - c, known.advantage / known.curvature)
    assert_nonnegative(known.weight.subs(c, t / (1 + t)), strict=True)
    assert_nonnegative((1 - known.weight).subs(c, t / (1 + t)), strict=True)
    assert_identity(known.mse - known.kvh_mse, known.curvature * (w - known.weight) ** 2)
    of_any_weight = known.curvature * (w - c) ** 2 - known.advantage * (2 * (w - c) + c)
    assert_identity(known.mse - known.full_lm_mse, of_any_weight)


@pytest.mark.parametrize("mechanism", [sym.laplace, sym.gaussian], ids=["laplace", "gaussian"])
def test_ratio_of_the_noises(mechanism):
    """It is (c n)^2: more than c n if and only if two users trust; with one, KVH is Full-LM and R = 1 at most."""
    assert_identity((s_L**2 / s_T**2).subs(mechanism), (c * n) ** 2)
    assert_identity(known.advantage.subs(mechanism).subs(n, 1 / c), 0)
    several = (known.advantage / s_L**2).subs(s_T, s_L / (c * n)).subs(n, (1 + k) / c)  # c n = 1 + k
    assert_nonnegative(sp.cancel(several), strict=True)


def test_one_trusting_user_gains_nothing():
    """Two fair coins on {0, 1}, of which one trusts, Laplace noise with epsilon = 1: the weight is c, and R = 1."""
    at = lambda e: e.subs(sym.laplace).subs({n: 2, c: _HALF, m: 1, epsilon: 1, sigma: _HALF})  # noqa: E731
    assert at(s_L**2 / s_T**2) == 1 == at(c * n)
    assert at(known.weight) == _HALF
    assert at(known.kvh_mse) == min(at(known.tcm_mse), at(known.full_lm_mse)) == 1


def test_improvements_in_ratios():
    """With y = (epsilon sigma / m)^2 and u = 1/(c n), R is the smaller of two rational functions."""
    laplace = lambda e: e.subs(sym.laplace).subs(known.in_ratios)  # noqa: E731
    assert_identity(laplace(known.gamma * known.full_lm_mse), known.over_full_lm)
    assert_identity(laplace(known.gamma * known.tcm_mse), known.over_tcm)


def test_improvement_is_largest_where_the_baselines_meet():
    """Over Full-LM it rises in c, over TCM-Only it falls in c: for each u and y the best c is the crossing."""
    assert_nonnegative(sp.diff(known.over_full_lm, c).subs(REGION), strict=True)
    assert_nonnegative(-sp.diff(known.over_tcm, c).subs(REGION), strict=True)
    for ratio in (known.over_full_lm, known.over_tcm):
        assert_identity(ratio.subs(c, known.crossing), known.improvement_at_crossing)
    assert_nonnegative((1 - known.crossing).subs(u, 1 / (1 + k)), strict=True)


def test_the_supremum_of_the_improvement():
    """Corollary 4.4: both bounds hold; the lower one is the supremum, which no finite n reaches."""
    top = 2 + y / 2
    assert_identity(top - known.improvement_at_crossing, u * (y + 2) ** 2 / (2 * (2 + u * y)))
    assert_identity(sp.diff(known.improvement_at_crossing, y), 2 * (1 - u) ** 2 / (2 + u * y) ** 2)
    assert_identity(top.subs(y, known.largest_variance * epsilon**2 / m**2), known.supremum)
    assert sp.limit(known.improvement_at_crossing.subs(y, epsilon**2 / 4), u, 0, "+").equals(known.supremum)
    assert known.supremum.subs(epsilon, 1) == known.printed_lower < known.printed_upper
    assert known.improvement_at_crossing.subs(u, 1) == 1


def test_the_step_of_appendix_b_is_the_value_at_the_crossing():
    """As a function of c it bounds R where Full-LM is the better baseline (if y < 2), and its maximum is 16/7."""
    u_at = sp.solve(known.crossing - c, u)[0]
    assert_identity(known.improvement_at_crossing.subs(u, u_at), known.step_bound)
    high = sp.Symbol("h", nonnegative=True)  # u = u_at + h: TCM-Only is worse
    worse = sp.cancel((known.step_bound - known.over_full_lm).subs(u, u_at + high))
    positive = (y + 2) * (2 - (1 - c) * y) * c / 2 + high * (c * y + 2)
    assert_nonnegative(sp.cancel(worse * positive).subs({y: 2 / (1 + k), c: t / (1 + t)}))
    assert_nonnegative((known.printed_upper - known.step_bound).subs({c: t / (1 + t), y: 1 / (4 * (1 + k))}))
    assert known.step_bound.subs({c: 0, y: sp.Rational(1, 4)}) == known.printed_upper


def test_the_step_of_appendix_b_fails_for_many_trusting_users():
    """Where TCM-Only is the better baseline R tends to 1 + y/(2c) as n grows: above the step exactly if c > 1 - y/2."""
    limit = known.over_tcm.subs(u, 0)
    assert_identity(limit, 1 + y / (2 * c))
    excess = (c * (2 + y) - y) * (2 * c - 2 + y) / (2 * c * (2 - (1 - c) * y))  # the first factor: c > c_crit
    assert_identity(limit - known.step_bound, excess)
    point = {c: sp.Rational(9, 10), y: sp.Rational(1, 4)}
    assert limit.subs(point) == sp.Rational(41, 36) > known.step_bound.subs(point) == sp.Rational(88, 79)
    finite = {**point, u: sp.Rational(1, 900)}  # n = 1000
    assert known.step_bound.subs(finite) < known.over_tcm.subs(finite) < known.over_full_lm.subs(finite)
    assert round(float(known.over_tcm.subs(finite)), 4) == 1.1286


def test_the_instance_of_appendix_b():
    """Its c solves n = n_crit, and R tends to 17/8."""
    point = {m: 1, epsilon: 1, sigma: sp.Rational(1, 2)}
    assert_identity(sp.expand((sym.laplace_n_crit.subs(point) - n).subs(c, known.example_share)), 0)
    share = sp.limit(known.example_share, n, sp.oo)
    assert share == sp.Rational(1, 9)
    improvement = known.over_full_lm.subs({y: sp.Rational(1, 4), u: 1 / (c * n)})
    assert sp.limit(improvement.subs(c, known.example_share), n, sp.oo) == sp.Rational(17, 8)


def test_improvement_is_unbounded_for_other_noise():
    """Section 4: with no curator's noise the baselines meet at c = sigma^2/(sigma^2 + s_L^2), and R = 1 + 1/(1-c)."""
    meet = {s_L: sigma * sp.sqrt((1 - c) / c)}
    ratio = (known.gamma * known.full_lm_mse).subs(s_T, 0).subs(meet)
    assert_identity((known.tcm_mse - known.full_lm_mse).subs(s_T, 0).subs(meet), 0)
    assert_identity(ratio, 1 + 1 / (1 - c))
    assert sp.limit(ratio, c, 1, "-") == sp.oo


def test_kvh_weighs_by_inverse_variance():
    """Against the true mean: with A and B the errors of the two groups' estimates, w = B/(A+B) and E = AB/(A+B)."""
    a, b = sigma**2 / (c * n) + s_T**2, (sigma**2 + s_L**2) / ((1 - c) * n)
    assert_identity(known.weight, b / (a + b))
    assert_identity(known.kvh_mse + sigma**2 / n, a * b / (a + b))
    assert_identity(known.full_lm_mse + sigma**2 / n, (sigma**2 + s_L**2) / n)


def test_a_tie_of_the_baselines_is_best_for_given_c_and_n():
    """Over Full-LM R falls in y, over TCM-Only it rises: at the tie it is the envelope, which does not contain y."""
    assert_nonnegative(-sp.cancel(sp.diff(known.over_full_lm, y)).subs(REGION), strict=True)
    assert_nonnegative(sp.cancel(sp.diff(known.over_tcm, y)).subs(REGION), strict=True)
    assert_identity(sp.solve(known.crossing - c, y)[0], known.balance)
    for ratio in (known.over_full_lm, known.over_tcm):
        assert_identity(ratio.subs(y, known.balance), known.envelope)
    assert_identity(sp.limit(known.envelope, u, 0), 1 + 1 / (1 - c))


def test_a_tie_of_the_baselines_is_best_for_given_n_and_y():
    """At a fixed number of all users too R rises in c up to the tie and falls behind it; there it is 2 + y/2 - ..."""
    size = {n: (1 + k) * (1 + t) / t}  # c n = 1 + k
    for ratio, sign in ((known.over_full_lm, 1), (known.over_tcm, -1)):
        slope = sp.cancel(sp.diff(ratio.subs(u, 1 / (c * n)), c).subs(size))
        assert_nonnegative(sp.cancel(sign * slope.subs(c, t / (1 + t))), strict=True)
    tie = (known.crossing - c).subs(u, 1 / (c * n))
    assert sp.simplify(tie.subs(c, known.best_share)) == 0


def test_two_is_passed_where_c_squared_n_is_two():
    """R > 2 needs c > 2u, so c^2 n > 2; there the tie is at y = c/(1-c)."""
    assert_identity(sp.solve(known.envelope - 2, u)[0], c / 2)
    at = {u: 1 / (known.two_share * n), c: known.two_share}
    assert_identity(known.balance.subs(at), known.two_balance)
    assert_identity(known.envelope.subs(at), 2)
    assert sp.simplify(known.best_share.subs(y, known.two_balance).subs(n, 50) - sp.Rational(1, 5)) == 0


def test_popoviciu():
    """Appendix B: the bound less two nonnegative terms, reached where half the data are 0 and half are m."""
    mean, missing = sp.symbols("mu a", nonnegative=True)  # missing = E[x (m - x)], so that E[x^2] = m mu - missing
    assert_identity(m * mean - missing - mean**2, known.largest_variance - (mean - m / 2) ** 2 - missing)
    values = sp.symbols("x_:4")
    average = lambda f: sum(f(x) for x in values) / 4  # noqa: E731
    centre, lost = average(lambda x: x), average(lambda x: x * (m - x))
    variance = average(lambda x: (x - centre) ** 2)
    assert_identity(variance, known.largest_variance - (centre - m / 2) ** 2 - lost)
    assert_identity(variance.subs(dict(zip(values, (0, m, m, 0), strict=True))), known.largest_variance)


def test_popoviciu_is_what_a_setting_allows():
    """The largest deviation is accepted, and nothing above it."""
    for width in (1, 2, 1000):
        largest = float(sp.sqrt(known.largest_variance).subs(m, width))
        assert hybrid.Setting(10, 0.5, width, 1, largest).sigma_t == largest
        with pytest.raises(ValueError, match="sigma_t must be at most m/2"):
            hybrid.Setting(10, 0.5, width, 1, largest * 1.0001)


def test_a_large_budget_leaves_the_local_users_noise():
    """As epsilon grows with everything else fixed, R tends to 1/(1 - c + 1/n)."""
    assert_identity(sp.limit(known.over_full_lm, y, sp.oo).subs(u, 1 / (c * n)), 1 / (1 - c + 1 / n))
