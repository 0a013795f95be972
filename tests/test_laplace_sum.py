"""The sum of Laplace variables against mpmath, SciPy, numerical inversion and simulation."""

import itertools

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import integrate

from hdp import gaussian
from hdp.laplace_sum import LaplaceSum, _geometric_sum, _places
from hdp.sym.hybrid_trust import amplification as sym

POINTS = np.array([-6.0, -0.4, 0.1, 1.0, 3.3, 20.0])


@pytest.mark.settles("adk-laplace-density")
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
    area, _ = integrate.quad(noise.density, spread / 2, 40 * spread, epsabs=1e-13, epsrel=1e-11, limit=200)
    assert noise.survival(spread / 2) == pytest.approx(area, rel=1e-8)
    assert noise.survival(-spread / 2) == pytest.approx(1 - area, rel=1e-8)
    moment, _ = integrate.quad(lambda v: v * v * noise.density(v), 0, 40 * spread, epsrel=1e-10, limit=200)
    assert 2 * moment == pytest.approx(noise.variance, rel=1e-8)


@pytest.mark.settles("adk-laplace-amplification")
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


@pytest.mark.parametrize("count", [1, 2, 40])
def test_loss_does_not_turn_back_far_out(count):
    """Where the logarithms of both densities are so large that their difference has no digits left."""
    noise = LaplaceSum(count, 2.0)
    x = np.concatenate([-np.geomspace(1e40, 1e3, 38), np.geomspace(1e3, 1e40, 38)])
    loss = noise.privacy_loss(x, 0.3)
    assert (np.abs(loss) <= 0.15).all() and (np.diff(loss) >= 0).all()
    np.testing.assert_allclose(np.abs(loss[[0, -1]]), 0.15, rtol=1e-12)
    np.testing.assert_allclose(noise.privacy_loss(x, -0.3), loss[::-1], rtol=1e-12)


def exact_epsilon(count, delta, ratio):
    """From the polynomials of the density and of its tail, with r_k = p_k + (k + 1) r_{k+1}, in 90 digits.

    The loss of the event at t, found by bisection.
    """
    front = [mpmath.binomial(count - 1, j) / mpmath.mpf(2) ** (count + j) for j in range(count)]
    p = [f * mpmath.rf(count, j) / mpmath.factorial(count - 1) for j, f in enumerate(front)]  # highest power first
    r = p[:1]
    for j in range(1, count):
        r.append(p[j] + (count - j) * r[-1])

    def density(x):
        return mpmath.polyval(p, abs(x)) * mpmath.exp(-abs(x))

    def tail(x):
        above = mpmath.polyval(r, abs(x)) * mpmath.exp(-abs(x))
        return above if x >= 0 else 1 - above

    low, high = -ratio / 2, 2 * (count - mpmath.log(delta))
    for _ in range(250):
        t = (low + high) / 2
        lost = tail(t) - density(t) / density(t + ratio) * tail(t + ratio)
        low, high = (t, high) if lost > delta else (low, t)
    return mpmath.log(density(low) / density(low + ratio))


@pytest.mark.settles("hdp-laplace-delta")
@pytest.mark.parametrize(
    "case",
    list(itertools.product([2, 3, 20], [1e-30, 1e-12, 1e-7, 1e-3, 0.3, 0.999, 1.0, 5.0], [0.99, 1e-2, 1e-9, 1e-200])),
    ids=str,
)
def test_epsilon_keeps_its_digits(case):
    """For sensitivities below and above the scale, and a share of the delta that needs no epsilon."""
    count, ratio, share = case
    noise = LaplaceSum(count, 1.0)
    enough = (noise.survival(-ratio / 2) - noise.survival(ratio / 2)) if ratio > 0.1 else ratio * noise.density(0.0)
    delta = float(share * enough * np.exp(-ratio if ratio < 0.1 else 0))
    with mpmath.workdps(90):
        expected = float(exact_epsilon(count, mpmath.mpf(delta), mpmath.mpf(ratio)))
    found = noise.epsilon(delta, ratio)
    assert found == pytest.approx(expected, rel=1e-9, abs=0) and found <= ratio


@pytest.mark.parametrize("case", [(1e-12, 1e-7), (1e-13, 1e-8), (1e-12, 1e-3), (1e-30, 1.0)], ids=str)
def test_many_noises_are_as_good_as_gaussian_noise(case):
    """The sum of the most that there may be, by the exact epsilon of a normal distribution with its variance."""
    delta, sensitivity = case
    noise = LaplaceSum(10**5, 1.0)
    normal = gaussian.exact_epsilon(np.sqrt(noise.variance), sensitivity, delta)
    assert noise.epsilon(delta, sensitivity) == pytest.approx(normal, rel=5e-3)


def test_epsilon_of_one_noise_is_in_closed_form():
    """Delta / b + 2 log(1 - delta), or 0."""
    for delta, sensitivity, expected in ((4e-13, 1e-12, 2e-13), (1e-12, 1e-10, 9.8e-11), (0.5, 1.0, 0.0)):
        assert LaplaceSum(1, 1.0).epsilon(delta, sensitivity) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_scale_and_sensitivity_is_taken(count):
    """The ends of their ranges: the search is in units of the scale."""
    expected = LaplaceSum(count, 1.0).epsilon(1e-6, 1.0)
    for size in (1e-50, 1e49):
        assert LaplaceSum(count, size).epsilon(1e-6, size) == pytest.approx(expected, rel=1e-12)
    assert LaplaceSum(count, 1e-50).epsilon(1e-6, 1e49) == pytest.approx(1e99, rel=1e-12)
    assert LaplaceSum(count, 1e50).epsilon(1e-6, 1e-50) == 0.0


@pytest.mark.settles("hdp-laplace-delta")
def test_amplification_with_a_delta_grows_with_the_number_of_users():
    """One report loses eps + 2 ln(1 - delta); more reports lose less, and a large delta needs no epsilon."""
    values = [LaplaceSum(k, 1.0).epsilon(1e-7, 1.0) for k in (1, 2, 10, 100, 1000)]
    assert values[0] == pytest.approx(1 + 2 * np.log1p(-1e-7), abs=1e-12)
    assert (np.diff(values) < 0).all() and values[0] < 1 and values[-1] == pytest.approx(0.0913, abs=1e-3)
    assert LaplaceSum(1000, 1.0).epsilon(0.5, 1.0) == 0.0


@pytest.mark.parametrize("success", [1 / np.geomspace(1, 127, 500), np.array([1.0, 0.01]), np.full(40, 0.5)])
def test_the_tabulated_sum_of_geometric_variables_has_its_mean_and_variance(success):
    """Nothing of the law is cut off or wrapped around."""
    first, cumulative = _geometric_sum(success)
    chances, values = np.diff(cumulative, prepend=0), first + np.arange(cumulative.size)
    mean = np.sum((1 - success) / success)
    assert chances @ values == pytest.approx(mean, rel=1e-11)
    assert chances @ (values - mean) ** 2 == pytest.approx(np.sum((1 - success) / success**2), rel=1e-10)


def test_every_number_is_looked_up_for_itself():
    """Not in the order of their size, which would tie the noises of different buckets together."""
    law, uniform = np.array([0.1, 0.4, 0.4, 1.0]), np.array([0.9, 0.05, 0.4, 0.1, 0.3])
    assert _places(law, uniform).tolist() == [int(np.sum(law <= u)) for u in uniform] == [3, 0, 3, 1, 1]
