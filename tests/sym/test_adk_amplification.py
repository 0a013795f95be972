"""Section 8 and appendix D: each printed formula is derived from the estimator, or refuted at a point."""

import mpmath
import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym import adk, adk_diverging, adk_known, adk_unknown
from hdp.sym import adk_amplification as sym
from hdp.sym.adk import c, delta, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.symbols import n

SALARIES = {n: 252_540, m: 2_349_033, sigma: 53_254, epsilon: 1, delta: sp.Rational(1, 10**7), c: sp.Rational(1, 100)}
SIZES = range(1, 7)


def test_sensitivity_is_the_larger_coefficient():
    """Brute force on a small data set; the printed case distinction picks the smaller."""
    users = {n: 10, c: sp.Rational(1, 5)}
    for weight in (sp.Rational(1, 10), sp.Rational(1, 5), sp.Rational(1, 2)):
        at = users | {w: weight}
        coefficients = [weight / 2] * 2 + [(1 - weight) / 8] * 8
        moves = [max(abs(a * (x - y)) for x in (0, 1) for y in (0, 1)) for a in coefficients]
        assert {sym.user_T.subs(at), sym.user_L.subs(at)} == set(moves)
        front = sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta)) / sym.s_joint
        assert_identity(sym.correct_8_1.subs(at).subs(m, 1), front * max(moves))
        assert_identity(sym.printed_8_1.subs(at).subs(m, 1), front * min(moves))


def test_joint_variance_adds_up():
    """One term of the curator, one for each honest local user."""
    coefficients = [w] + [sym.user_L] * 7
    variances = [s_T**2] + [s_L**2] * 7
    total = sum(a**2 * v for a, v in zip(coefficients, variances, strict=True))
    assert_identity(total, sym.joint_variance.subs(sym.honest, 7))


@pytest.mark.parametrize("share, loss", [(sym.user_T, sym.loss_T), (sym.user_L, sym.loss_L)])
def test_with_the_noise_of_one_budget_only_the_ratio_counts(share, loss):
    """The classic formula solved for epsilon."""
    variance = sym.joint_variance.subs(adk.gaussian)
    found = sym.gaussian_factor**2 * (m * share) ** 2 / variance
    assert_identity(found, loss.subs(sym.rho, sym.ratio) ** 2)


def test_all_adversarial_refutes_the_printed_theorem():
    """With the curator's noise alone, her users lose epsilon; printed is epsilon / rho."""
    variance = sym.joint_variance.subs(adk.gaussian).subs(sym.honest, 0)
    right = {w: c + (1 - c) / 2}
    correct = (sym.gaussian_factor * m * sym.user_T) ** 2 / variance
    assert_identity(correct.subs(right), epsilon**2)
    assert_identity(sym.loss_L.subs(sym.honest, 0), epsilon / sym.rho)


def test_optimal_weights_exceed_c():
    """Exactly where s_L^2 > c n s_T^2, for KVH with diverging groups and for PWH."""
    condition = s_L**2 - c * n * s_T**2
    spread = adk.disagreement + s_T**2 + s_L**2 / ((1 - c) * n)
    assert_identity(adk_diverging.weight - c, condition / (n * spread))
    assert_identity(adk_unknown.weight - c, condition / (n * (s_T**2 + s_L**2 / ((1 - c) * n))))
    h = sp.Symbol("h", positive=True)
    for noise in (adk.gaussian, adk.laplace):
        assert_nonnegative((condition / s_L**2).subs(noise).subs(c, (1 + h) / n), strict=True)


def test_ratio_of_the_optimal_weight():
    """In general, with classic noise, and its bound c n."""
    assert_identity(sym.ratio.subs(w, adk_known.weight), sym.kvh_ratio)
    assert_identity(sym.kvh_ratio.subs(adk.gaussian), sym.kvh_ratio_classic)
    h, v = sp.symbols("h v", positive=True)
    bound = (c * n - (1 + v) / (v + 1 / (c * n))).subs(c, (1 + h) / n)
    assert_nonnegative(sp.factor(bound), strict=True)


def test_figure_7_at_one_percent():
    """0.98 and 4e-4."""
    at = SALARIES | {sym.adversarial: 0}
    values = [float(e.subs(at)) for e in (sym.figure_7_correct, sym.figure_7_printed, sym.figure_7_naive)]
    assert [f"{v:.2g}" for v in values] == ["0.98", "0.0004", "0.002"]


def test_the_weight_c_is_best():
    """The worse loss over rho, on either side of 1."""
    u = sp.Symbol("u", nonnegative=True)
    best = sym.least_loss**2 / epsilon**2
    assert_nonnegative(sym.loss_T**2 / epsilon**2 - best, {sym.rho: 1 + u})
    assert_nonnegative(sym.loss_L**2 / epsilon**2 - best, {sym.rho: 1 / (1 + u)})


@pytest.mark.parametrize("size", SIZES)
def test_polynomial_has_the_characteristic_function(size):
    """By the transform of each power; and the total mass is 1."""
    terms = sp.Poly(sym.polynomial(size), sym.z).terms()
    both = sum(
        a * sp.factorial(r) * ((1 - sp.I * sym.t) ** -(r + 1) + (1 + sp.I * sym.t) ** -(r + 1)) for (r,), a in terms
    )
    assert_identity(sp.expand_complex(both), sym.characteristic.subs(sym.b, 1) ** size)


@pytest.mark.parametrize("size", SIZES)
def test_polynomial_is_the_bessel_density(size):
    """The paper's density, by mpmath at two points in 30 digits."""
    for point in (sp.Rational(3, 10), sp.Rational(7, 2)):
        at = {sym.count: size, sym.b: 2, sym.x: point}
        expected = (sym.polynomial(size) * sp.exp(-sym.z) / 2).subs(sym.z, point / 2).evalf(30)
        assert abs(sym.bessel_density.subs(at).evalf(30) / expected - 1) < mpmath.mpf(10) ** -26


@pytest.mark.parametrize("size", SIZES)
def test_limit_of_the_loss(size):
    """epsilon, from below."""
    assert sp.limit(sym.sum_loss(size), sym.z, sp.oo) == epsilon
    growth = sym.polynomial(size, sym.z + epsilon) - sym.polynomial(size)
    assert_nonnegative(growth, strict=size > 1)


def test_weighted_sum():
    """The convolution of two Laplace densities, and both limits."""
    y, z, rho = (*sp.symbols("y z", positive=True), sym.rho)
    above = {rho: 1 + y}
    below, between, beyond = (
        sp.exp(-z / rho) / (1 + 1 / rho),  # the second summand below 0
        sp.exp(-z / rho) * (1 - sp.exp(-z * (1 - 1 / rho))) / (1 - 1 / rho),
        sp.exp(-z) / (1 + 1 / rho),  # above z
    )
    assert_identity(sp.expand((below + between + beyond) / (4 * rho)), sp.expand(sym.weighted_density))
    for shift in (epsilon * rho, epsilon):
        assert_identity(
            sp.exp(sym.weighted_loss(shift)), sym.weighted_density / sym.weighted_density.subs(z, z + shift)
        )
        assert sp.limit(sym.weighted_loss(shift).subs(above), z, sp.oo) == (shift / rho).subs(above)
