"""Appendix D: the density of a sum of Laplace variables, and of two of different scales."""

import mpmath
import pytest
import sympy as sp

from hdp.proof import assert_identity
from hdp.sym.hybrid_trust import amplification as sym
from hdp.sym.hybrid_trust.baselines import epsilon

SIZES = range(1, 7)


@pytest.mark.settles("adk-laplace-characteristic")
@pytest.mark.parametrize("size", SIZES)
def test_polynomial_has_the_characteristic_function(size):
    """Of one Laplace variable by its integral; of the sum by the transform of each power, at any scale."""
    y = sp.Symbol("y", positive=True)
    one = sp.integrate(sp.exp(-y / sym.b) / sym.b * sp.cos(sym.t * y), (y, 0, sp.oo))
    assert_identity(one, sym.characteristic)
    terms = sp.Poly(sym.polynomial(size), sym.z).terms()
    turn = sp.I * sym.b * sym.t
    both = sum(a * sp.factorial(r) * ((1 - turn) ** -(r + 1) + (1 + turn) ** -(r + 1)) for (r,), a in terms)
    assert_identity(sp.expand_complex(both), sym.characteristic**size)


@pytest.mark.settles("adk-laplace-density")
@pytest.mark.parametrize("size", SIZES)
def test_polynomial_is_the_bessel_density(size):
    """The paper's density, by mpmath at two points in 30 digits."""
    for point in (sp.Rational(3, 10), sp.Rational(7, 2)):
        at = {sym.count: size, sym.b: 2, sym.x: point}
        expected = (sym.polynomial(size) * sp.exp(-sym.z) / 2).subs(sym.z, point / 2).evalf(30)
        assert abs(sym.bessel_density.subs(at).evalf(30) / expected - 1) < mpmath.mpf(10) ** -26


@pytest.mark.settles("adk-laplace-weights")
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
        moved = sym.weighted_density.subs(z, z + shift)
        assert_identity(sp.exp(sym.weighted_loss(shift)), sym.weighted_density / moved)
        assert sp.limit(sym.weighted_loss(shift).subs(above), z, sp.oo) == (shift / rho).subs(above)
