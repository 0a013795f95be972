"""Appendix D: the density of a sum of Laplace variables, and of two of different scales; who gains on the salaries."""

from functools import partial
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy as sp

from hdp import amplification, gaussian, hybrid, salaries
from hdp.laplace_sum import LaplaceSum
from hdp.noise import Gaussian
from hdp.proof import assert_identity
from hdp.sym.hybrid_trust import amplification as sym
from hdp.sym.hybrid_trust.baselines import epsilon
from tests.figures.captions import line, positions, says

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
    """The paper's density, by mpmath at three points in 30 digits."""
    for point in (sp.Rational(1, 10**40), sp.Rational(3, 10), sp.Rational(7, 2)):  # the first for the limit at 0
        at = {sym.count: size, sym.b: 2, sym.x: point}
        expected = (sym.polynomial(size) * sp.exp(-sym.z) / 2).subs(sym.z, point / 2).evalf(30)
        assert abs(sym.bessel_density.subs(at).evalf(30) / expected - 1) < mpmath.mpf(10) ** -26


@pytest.mark.settles("adk-laplace-weights")
def test_weighted_sum():
    """The convolution of two Laplace densities, and both limits; the curator's scale is the larger from w = c on."""
    assert_identity(sym.user_T / sym.user_L - 1, (sym.w - sym.c) / (sym.c * (1 - sym.w)))
    assert_identity(sym.user_T / sym.user_L, sym.ratio)
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


@pytest.mark.settles("adk-laplace-weights", "hdp-secret-laplace")
@pytest.mark.parametrize("often", [1, 2, 3])
def test_the_largest_of_several_scales_sets_the_loss(often):
    """The scales 1, so many times, and 1/2 and 1/3: by partial fractions of the characteristic function in t^2."""
    u, z = sp.Symbol("u"), sym.z
    transform = 1 / ((1 + u) ** often * (1 + u / 4) * (1 + u / 9))
    least = [sp.cancel(transform * (1 + u / a**2)).subs(u, -(a**2)) for a in (2, 3)]
    rest = transform - sum(part / (1 + u / a**2) for part, a in zip(least, (2, 3), strict=True))
    top = sp.Poly(sp.cancel(rest * (1 + u) ** often).subs(u, z - 1), z)  # in powers of 1 + u
    density = sum(part * a * sp.exp(-a * z) / 2 for part, a in zip(least, (2, 3), strict=True))
    for (power,), factor in top.terms():
        density += factor * sym.polynomial(often - power) * sp.exp(-z)
    at = sp.lambdify(z, density, "mpmath")
    assert 2 * mpmath.quad(at, [0, 1, 5, 60]) == pytest.approx(1, rel=1e-9)
    for shift in (0.5, 1, 2):  # what the answer moves by, over the largest scale
        losses = [mpmath.log(at(x) / at(x + shift)) for x in (0, 1, 5, 20, 100, 10_000)]
        assert all(a < b * (1 + 1e-9) for a, b in pairwise(losses))
        assert shift - 4e-4 < losses[-1] < shift * (1 + 1e-12)


def test_on_the_salaries_the_local_users_gain_at_least_hundreds_of_times():
    """From two who trust on, the more the more trust; those who trust hardly from one in a hundred on."""
    share = np.geomspace(2 / salaries.USERS, 0.99, 500)
    for budget in (0.01, 1):
        s = hybrid.Setting(salaries.USERS, share, salaries.MAXIMUM, budget, salaries.DEVIATION, delta=1e-7)
        tcm, lm = np.divide(amplification.group_epsilons(s, hybrid.kvh_weight(s), 1e-7), budget)
        assert 502 < 1 / lm[0] < 503 and (np.diff(lm) < 0).all() and (lm < tcm).all()
        assert 0.979 < tcm[share >= 0.01].min() < 0.982


def test_the_classic_noise_is_enough_at_10_for_the_smallest_delta_only():
    deltas = (1e-15, 1.8e-11, 2e-11, 1e-7, 0.1)
    assert [Gaussian(gaussian.factor(d) / 10).delta(10.0, 1.0) < d for d in deltas] == [True, True, False, False, False]


# -- What the figures draw, by the library.


def loss(theorem, weight):
    def at(c, alpha, epsilon, delta):
        s = hybrid.Setting(
            n=salaries.USERS, c=c, m=salaries.MAXIMUM, epsilon=epsilon, sigma_t=salaries.DEVIATION, delta=delta
        )
        return theorem(s, weight(s), delta, alpha)

    return at


def small(c, epsilon):
    return hybrid.Setting(n=10_000, c=c, m=1, epsilon=epsilon, sigma_t=0.1, delta=1e-7)


def group(pick):
    return lambda w, c, alpha, epsilon: pick(*amplification.group_epsilons(small(c, epsilon), w, 1e-7, alpha))


FIGURE_7 = {
    "corrected": loss(amplification.amplified_epsilon, hybrid.kvh_weight),
    "printed": loss(amplification.printed_epsilon, hybrid.kvh_weight),
    "weight c": loss(amplification.amplified_epsilon, hybrid.naive_weight),
    "ε": lambda epsilon: epsilon,
}
REFERENCES = {
    "adk-figure-7": FIGURE_7,
    "adk-figure-7-adversaries": FIGURE_7,
    "adk-amplification-weight": {
        "corrected": group(np.maximum),
        "printed": group(np.minimum),
        "all users alike": lambda c: c,
        "KVH": lambda c, epsilon: hybrid.kvh_weight(small(c, epsilon)),
        "no amplification": lambda epsilon: epsilon,
    },
}


# -- Losses under sums of Laplace variables by `hdp.laplace_sum`, and under two, whose density is asked above.


def laplace_sums_loss(size, z, epsilon):
    return LaplaceSum(size, 1.0).privacy_loss(z, epsilon) / epsilon


def weighted(shift, z, epsilon, rho_T):
    """Loss of a user whose value moves the output by so much, as a fraction of epsilon."""
    before, after = (rho_T * np.exp(-y / rho_T) - np.exp(-y) for y in (z, z + shift))
    return np.log(before / after) / epsilon


REFERENCES |= {
    "adk-laplace-loss": {f"{size} user": partial(laplace_sums_loss, size) for size in range(1, 7)},
    "adk-laplace-weighted": {
        "user of the larger": lambda z, epsilon, rho_T: weighted(epsilon * rho_T, z, epsilon, rho_T),
        "user of the smaller": lambda z, epsilon, rho_T: weighted(epsilon, z, epsilon, rho_T),
        "limit 1": 1.0,
        "limit 1/ρ": lambda rho_T: 1 / rho_T,
        "limit for": lambda epsilon, rho_T: epsilon / rho_T,
    },
}


# -- What the captions say.


@says("adk-figure-7", "stays far below, though it rises at its left end")
def test_the_printed_loss_more_than_doubles(figure):
    """At c = 0.1 %, as the coalition grows from nobody to all; at 10 % it does not move."""
    none, everybody = (line(figure, "printed", [0.001, 0.1], alpha=alpha) for alpha in (0, 1))
    assert everybody / none == pytest.approx([2.233, 1.0003], abs=1e-3) and everybody.max() < 0.005


@says("adk-figure-7-adversaries", r"the line rises from \(0.45\,\epsilon\) to \(\epsilon\)")
def test_the_guarantee_of_those_who_trust(figure):
    for epsilon in positions(figure, "epsilon", 3):
        assert line(figure, "corrected", [0, 1], epsilon=epsilon) / epsilon == pytest.approx([0.45, 1], abs=0.005)
