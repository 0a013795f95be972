"""Section 5 of Avent, Dubey & Korolova: equal groups of unknown variance."""

import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.symbols import n

t, x = sp.symbols("t x", positive=True)
S, P = known.sampling_curvature, known.noise_curvature
HALF = sp.Rational(1, 2)


def test_weight_minimises_the_noise():
    """Definition 5.3."""
    assert sp.solve(sp.diff(unknown.noise_error, w), w)[0].equals(unknown.weight)
    assert_identity(sp.diff(unknown.noise_error, w, 2), 2 * P)
    assert_nonnegative(P.subs(c, t / (1 + t)), strict=True)
    assert_identity(unknown.noise_error, known.mse.subs(sigma, 0))  # constant data: nothing but noise


def test_error():
    """Lemma 5.4, and gamma of Theorem 5.5 is its reciprocal, as it should be."""
    assert_identity(known.mse.subs(w, unknown.weight), unknown.pwh_mse)
    assert_identity(unknown.gamma, 1 / unknown.pwh_mse)
    assert_identity(known.mse.subs(w, c), unknown.naive_mse)


def test_kvh_lies_between_naive_and_pwh():
    """KVH's weight is the average of c and PWH's, weighted by the curvatures of the sampling and the noise error."""
    assert_identity(unknown.weight - c, known.advantage / P)
    assert_identity(known.weight, (S * c + P * unknown.weight) / (S + P))
    assert_identity(unknown.pwh_mse - known.kvh_mse, S**2 * (unknown.weight - c) ** 2 / (S + P))
    assert_identity(unknown.naive_mse - known.kvh_mse, P**2 * (unknown.weight - c) ** 2 / (S + P))
    assert_identity(P - S, unknown.naive_margin / (c * (1 - c) * n))


def test_naive_never_loses_to_full_lm():
    """Its gain is c (s_L^2 - c n s_T^2)/n, for which the variance need not be known; not negative for own noise."""
    assert_identity(known.full_lm_mse - unknown.naive_mse, c * known.advantage)
    for mechanism in (sym.laplace, sym.gaussian):
        assert_identity((s_L / s_T).subs(mechanism), c * n)
    own = (known.full_lm_mse - unknown.naive_mse).subs(s_L, s_T * c * n).subs(n, (1 + x) / c)
    assert_nonnegative(sp.cancel(own), strict=True)  # two trusting users; none is gained at x = 0
    losing = {n: 4, c: HALF, s_T: 1, s_L: 1, sigma: 1}  # other noise
    assert known.full_lm_mse.subs(losing) < unknown.naive_mse.subs(losing)


def test_when_pwh_beats_full_lm():
    """The gain is the advantage times the margin over a square: for c n s_T^2 < s_L^2 the margin decides."""
    square = c * (s_L**2 + (1 - c) * n * s_T**2) ** 2
    assert_identity(known.full_lm_mse - unknown.pwh_mse, known.advantage * unknown.margin / square)
    assert_nonnegative(square.subs(c, t / (1 + t)), strict=True)


def test_where_the_advantage_is_not_positive_pwh_loses_to_full_lm():
    """The margin is then positive: c n s_T^2 = s_L^2 + x."""
    moved = unknown.margin.subs(s_T, sp.sqrt((s_L**2 + x) / (c * n)))
    assert_nonnegative(sp.cancel(moved.subs(c, t / (1 + t))), strict=True)


def test_when_pwh_beats_tcm_only():
    """The gain is positive times `worst_margin`, which can be negative only if c > 1/2 and c n s_T^2 > s_L^2."""
    square = c * (s_L**2 + (1 - c) * n * s_T**2) ** 2
    assert_identity(known.tcm_mse - unknown.pwh_mse, (1 - c) * s_T**2 * unknown.worst_margin / square)
    private = unknown.worst_margin.subs(s_L, sp.sqrt(c * n * s_T**2 + x))  # c n s_T^2 <= s_L^2
    assert_nonnegative(sp.cancel(private.subs(c, t / (1 + t))), strict=True)
    assert_nonnegative(sp.cancel(unknown.worst_margin.subs(c, t / (1 + 2 * t))), strict=True)  # c < 1/2


def test_pwh_can_lose_to_both():
    """r(PWH) > 1 is not unconditional for generic noise: 9 of 10 users trust a curator who adds too much noise."""
    point = {n: 10, c: sp.Rational(9, 10), s_T: 1, s_L: sp.Rational(1, 10), sigma: 10}
    errors = [e.subs(point) for e in (known.tcm_mse, known.full_lm_mse, unknown.pwh_mse)]
    assert errors[:2] == [sp.Rational(19, 9), sp.Rational(1, 1000)]
    assert unknown.worst_margin.subs(point) < 0 and errors[2] > 88


def test_own_noise_makes_pwh_beat_the_worse_baseline():
    """Laplace and Gaussian noise have s_L^2 = (c n)^2 s_T^2 >= c n s_T^2, so r(PWH) > 1 there, also for c n = 1."""
    for mechanism in (sym.laplace, sym.gaussian):
        sized = unknown.worst_margin.subs({s_L: s_T * c * n}).subs(n, (1 + x) / c)
        assert_nonnegative(sp.cancel(sized.subs(c, t / (1 + t))), strict=True)
        assert_identity((s_L / s_T).subs(mechanism), c * n)


def test_laplace_conditions():
    """With Laplace noise the margin is 2 m^2/(n c epsilon^4) times `laplace_margin`, which settles R(PWH) > 1."""
    factor = 2 * m**2 / (c * n * epsilon**4)
    assert_identity(unknown.margin.subs(sym.laplace), factor * unknown.laplace_margin)
    slope = c * ((1 - c) * epsilon**2 * sigma**2 - 2 * c * m**2)  # negative above c_crit, where all n will do
    assert_identity(unknown.laplace_margin, slope * (unknown.n_bound - n))
    assert_identity(slope.subs(c, sym.laplace_c_crit), 0)
    excess = sp.Symbol("e", nonnegative=True)  # c >= c_crit says 2 c m^2 = (1-c) eps^2 sigma^2 + e
    above = sp.expand(unknown.laplace_margin).subs(m, sp.sqrt(((1 - c) * epsilon**2 * sigma**2 + excess) / (2 * c)))
    assert_nonnegative(sp.cancel(above.subs(c, t / (1 + t))), strict=True)


def improvement(point):
    """R(PWH) at a point, with Laplace noise."""
    tcm, full, pwh = (e.subs(sym.laplace).subs(point) for e in (known.tcm_mse, known.full_lm_mse, unknown.pwh_mse))
    return min(tcm, full) / pwh


COINS = {m: 1, sigma: HALF, c: sp.Rational(1, 4)}  # fair coins on {0, 1}, of which every fourth trusts


@pytest.mark.parametrize(
    "regime, point, found",
    [
        (0, {**COINS, n: 20, epsilon: 4}, HALF),
        (1, {**COINS, n: 100, epsilon: 2}, sp.Rational(49, 61)),
    ],
    ids=["large epsilon", "small c"],
)
def test_printed_regimes_do_not_suffice(regime, point, found):
    """The first holds at a point with R < 1, and so does the second."""
    assert unknown.printed_regimes[regime].subs(point) and unknown.printed_condition.subs(point)
    assert improvement(point) == found < 1
    assert unknown.laplace_margin.subs(point) < 0


def test_printed_regimes_are_separated_as_the_paper_says():
    """From which budget, up to which fraction and below which n; with fair coins on {0, 1} and c = 1/4 or 1/2."""
    first, second, third = unknown.printed_regimes
    on_coins = {m: 1, sigma: HALF}
    assert sp.solve(first.lhs - first.rhs, epsilon) == [sp.sqrt(2) * m / sigma]
    assert [bool(first.subs(on_coins).subs(epsilon, e)) for e in (sp.Rational(28, 10), sp.Rational(29, 10))] == [
        False,
        True,
    ]
    for share in (sp.Rational(1, 8), sp.Rational(1, 2)):  # epsilon = 2: the border is at 1/2
        assert bool(second.subs(on_coins).subs({epsilon: 2, c: share})) and not third.subs(on_coins).subs(
            {epsilon: 2, c: share}
        )
    assert third.subs(on_coins).subs({epsilon: 2, c: sp.Rational(3, 5)})
    assert unknown.printed_n_bound.subs(on_coins).subs({epsilon: 1, c: HALF}) == 8


def test_printed_bound_on_n_is_not_needed():
    """In the third regime c exceeds c_crit, so R > 1 for every n: the bound excludes settings that qualify."""
    third = epsilon**2 * sigma**2 / (2 * m**2)
    assert_nonnegative(third - sym.laplace_c_crit)
    point = {**COINS, n: 1000, epsilon: sp.Rational(1, 10)}
    assert not unknown.printed_condition.subs(point) and unknown.printed_regimes[2].subs(point)
    assert improvement(point) > 1


def test_a_constant_weight_can_lose_to_both():
    """The example of section 5: r < 1 from 10057 users on, one fewer than printed."""
    tcm, full, fixed = (
        sp.expand(n * e.subs(sym.laplace).subs(unknown.example))
        for e in (known.tcm_mse, known.full_lm_mse, known.mse.subs(w, unknown.example_weight))
    )
    assert_nonnegative(fixed - full, strict=True)  # for every n
    first = sp.solve(fixed - tcm, n)[0]  # n (fixed - tcm) is linear in 1/n and increases
    assert (unknown.example_users, unknown.printed_example_users) == (sp.ceiling(first), sp.ceiling(first) + 1)
    assert sp.limit(fixed - tcm, n, sp.oo) > 0


def test_printed_cases_exchange_the_baselines():
    """Definition 5.2 and Theorem 5.5 with n_crit as printed: four coins whose R is given as r, and the reverse."""
    point = {**COINS, c: sp.Rational(3, 4), n: 4, epsilon: 4}
    equal = {**sym.homogeneous, sym.mu_T: 0}
    printed, true = (e.subs(equal).subs(sym.laplace).subs(point) for e in (sym.printed_n_crit, sym.n_crit))
    assert (printed, true) == (6, 3) and point[c] > sym.laplace_c_crit.subs(point)
    tcm, full, gamma = (e.subs(sym.laplace).subs(point) for e in (known.tcm_mse, known.full_lm_mse, unknown.gamma))
    assert (tcm, full) == (sp.Rational(5, 144), sp.Rational(1, 32))
    assert (tcm * gamma, full * gamma) == (sp.Rational(125, 72), sp.Rational(25, 16))


def test_bound_up_to_which_pwh_beats_naive():
    """Laplace noise; the margin is a positive factor times bound - n where the bound is positive."""
    slope = (epsilon**2 * sigma**2 - 2 * c * m**2) / epsilon**2
    assert_identity(unknown.naive_margin.subs(sym.laplace), slope * (unknown.naive_n_bound / n - 1))


def test_cautious_weight_never_loses_to_naive():
    """Its gain is a square times P + 2 S' - S, where S' is S at the largest standard deviation, m/2."""
    top = S.subs(sigma, m / 2)
    gain = (unknown.cautious_weight - c) ** 2 * (P + 2 * top - S)
    assert_identity(unknown.naive_mse - known.mse.subs(w, unknown.cautious_weight), gain)
    assert_identity(unknown.cautious_weight - c, known.advantage / (top + P))
    assert_nonnegative(sp.cancel((top - S).subs(sigma, m / (2 * (1 + x))).subs(c, t / (1 + t))))
    assert_identity(known.full_lm_mse - unknown.naive_mse, c * known.advantage)  # and naive not to Full-LM


def test_cautious_weight_has_the_smallest_largest_error():
    """The error does not fall with sigma, so its largest value is at m/2, where that of KVH is the least."""
    assert_identity(sp.diff(known.mse, sigma), 2 * S / sigma * (w - c) ** 2)
    largest = known.mse.subs(sigma, m / 2)
    assert sp.solve(sp.diff(largest, w), w)[0].equals(unknown.cautious_weight)
    assert_identity(sp.diff(largest, w, 2), 2 * (S.subs(sigma, m / 2) + P))


def test_pwh_is_better_than_cautious_where_its_weight_is_nearer():
    """The exercise: exactly for S (2 P + S') < P S'."""
    p, q, s = sp.symbols("P Q S", positive=True)  # Q for S'
    nearer = 2 / (s + p) - 1 / p - 1 / (q + p)
    assert_identity(nearer, (p * q - s * (2 * p + q)) / (p * (p + q) * (s + p)))


def test_fractions_where_pwh_is_as_good_as_full_lm():
    """The roots in c of the Laplace condition, with the product 1/n; at c = 1/n the condition holds."""
    y = known.y
    in_y = sp.Poly(sp.cancel(unknown.laplace_margin.subs(sigma, sp.sqrt(y) * m / epsilon) / m**2), c)
    assert_identity(unknown.even_share * unknown.few_share, 1 / n)
    assert_identity(unknown.even_share + unknown.few_share, -in_y.nth(1) / in_y.LC())
    assert_identity(in_y.nth(0) / in_y.LC(), 1 / n)
    assert_nonnegative(in_y.LC(), strict=True)  # negative between the roots
    assert_nonnegative(in_y.eval(1 / n) - 2, strict=False)  # one user who trusts is outside


def test_limits_of_pwh():
    """Many users, and data without spread, where the gain over Full-LM is largest: PWH's error rises with sigma."""
    rises = sp.diff(unknown.pwh_mse, sigma)
    assert_identity(rises, 2 * S / sigma * (unknown.weight - c) ** 2)
    tcm, full, pwh = (e.subs(sym.laplace) for e in (known.tcm_mse, known.full_lm_mse, unknown.pwh_mse))
    assert_identity(sp.cancel((full / pwh).subs(n, 1 / x)).subs(x, 0), unknown.limiting_improvement)
    assert_identity(sp.cancel((tcm / pwh).subs(n, 1 / x)).subs(x, 0), 1)
    assert_identity((full / pwh).subs(sigma, 0), unknown.most_over_full_lm)
    assert_identity(unknown.limiting_improvement.subs(c, sym.laplace_c_crit), 1)
