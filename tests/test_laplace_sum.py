"""The sum of Laplace variables against mpmath, SciPy, numerical inversion and simulation."""

import itertools

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import integrate

from hdp.laplace_sum import LaplaceSum, _geometric_sum
from hdp.sym.hybrid_trust import amplification as sym

POINTS = np.array([-6.0, -0.4, 0.1, 1.0, 3.3, 20.0])


@pytest.mark.parametrize("count", [1, 2, 3, 5, 40])
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_density_is_the_bessel_density(count, scale):
    """The paper's formula in 30 digits."""
    with mpmath.workdps(30):
        b, order = mpmath.mpf(scale), count - mpmath.mpf(1) / 2

        def bessel(x):
            x = abs(mpmath.mpf(x))
            front = 2**-order / (mpmath.sqrt(mpmath.pi) * b ** (count + 0.5) * mpmath.gamma(count))
            return float(front * mpmath.besselk(-order, x / b) * x**order)

        expected = [bessel(x) for x in POINTS]
    np.testing.assert_allclose(LaplaceSum(count, scale).density(POINTS), expected, rtol=1e-11)


@pytest.mark.parametrize("count", [1, 3, 30, 3000])
def test_survival_is_the_integral_of_the_density(count):
    """From the middle out, and symmetric; the variance is the second moment."""
    noise = LaplaceSum(count, 2.0)
    spread = np.sqrt(noise.variance)
    for x in np.array([0.0, 0.5, 2.0]) * spread:
        area, _ = integrate.quad(noise.density, x, x + 3 * spread, epsabs=1e-13, epsrel=1e-11, limit=200)
        rest, _ = integrate.quad(noise.density, x + 3 * spread, x + 40 * spread, epsabs=1e-13, limit=200)
        assert noise.survival(x) == pytest.approx(area + rest, rel=1e-8)
        assert noise.survival(-x) == pytest.approx(1 - noise.survival(x), rel=1e-10)
    moment, _ = integrate.quad(lambda v: v * v * noise.density(v), 0, 40 * spread, epsrel=1e-10, limit=200)
    assert 2 * moment == pytest.approx(noise.variance, rel=1e-8)


@pytest.mark.parametrize("count", [2, 3, 6, 100])
def test_loss_rises_to_the_budget_of_one_report(count):
    """Monotone, below shift/b everywhere, as close as one likes far out: pure privacy is not amplified."""
    noise = LaplaceSum(count, 1.0)
    x = np.linspace(-50, 200, 2001)
    loss = noise.privacy_loss(x, 1.5)
    assert (np.diff(loss) > 0).all() and (loss < 1.5).all() and (loss > -1.5).all()
    far = noise.privacy_loss(1e6 * count, 1.5)
    assert 1.5 - 4e-6 < far < 1.5 + 1e-9
    assert noise.epsilon(0.0, 1.5) == 1.5
    if count < 10:
        stated = sp.lambdify((sym.z, sym.epsilon), sym.sum_loss(count))
        np.testing.assert_allclose(noise.privacy_loss(x[x >= 0], 1.5), stated(x[x >= 0], 1.5), rtol=1e-9)


@pytest.mark.parametrize("count, delta", [(1, 1e-3), (2, 1e-7), (10, 1e-7), (10, 1e-2), (300, 1e-5)])
def test_epsilon_solves_the_hockey_stick(count, delta):
    """delta = integral of (p - e^eps q)_+, by quadrature of the densities, not by tails."""
    noise = LaplaceSum(count, 1.0)
    epsilon = noise.epsilon(delta, 1.0)

    def over(v):
        return max(noise.density(v) - np.exp(epsilon) * noise.density(v + 1), 0.0)

    spread = np.sqrt(noise.variance)
    pieces = np.linspace(-0.5, 30 * spread, 121)
    area = sum(integrate.quad(over, a, b, epsabs=1e-16, epsrel=1e-9)[0] for a, b in itertools.pairwise(pieces))
    assert area == pytest.approx(delta, rel=2e-4)
    assert 0 < epsilon < 1


def test_amplification_with_a_delta_grows_with_the_number_of_users():
    """One report loses eps + 2 ln(1 - delta); more reports lose less, and a large delta needs no epsilon."""
    values = [LaplaceSum(k, 1.0).epsilon(1e-7, 1.0) for k in (1, 2, 10, 100, 1000)]
    assert values[0] == pytest.approx(1 + 2 * np.log1p(-1e-7), abs=1e-12)
    assert (np.diff(values) < 0).all() and values[-1] < 0.1
    assert LaplaceSum(1000, 1.0).epsilon(0.5, 1.0) == 0.0


@pytest.mark.parametrize("scale", [1e-3, 0.25, 40.0])
def test_only_the_ratio_of_sensitivity_and_scale_counts(scale):
    """For whatever unit the noise is measured in."""
    for count, delta, sensitivity in ((1, 0.0, 1.0), (3, 1e-7, 1.0), (40, 1e-3, 0.2), (2, 0.5, 0.1)):
        expected = LaplaceSum(count, 1.0).epsilon(delta, sensitivity)
        assert LaplaceSum(count, scale).epsilon(delta, sensitivity * scale) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("success", [1 / np.geomspace(1, 127, 500), np.array([1.0, 0.01]), np.full(40, 0.5)])
def test_the_tabulated_sum_of_geometric_variables_has_its_mean_and_variance(success):
    """Nothing of the law is cut off or wrapped around."""
    first, cumulative = _geometric_sum(success)
    chances, values = np.diff(cumulative, prepend=0), first + np.arange(cumulative.size)
    mean = np.sum((1 - success) / success)
    assert chances @ values == pytest.approx(mean, rel=1e-11)
    assert chances @ (values - mean) ** 2 == pytest.approx(np.sum((1 - success) / success**2), rel=1e-10)
