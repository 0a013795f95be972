"""Laplace, Gaussian and randomised response against SciPy, numerical integration and simulation."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import stats

from hdp.noise import Gaussian, Laplace, RandomizedResponse, blind_probability
from hdp.proof import assert_monte_carlo
from tests.oracles import inf

SCALES = [0.05, 0.5, 1.0, 3.0]
CONTINUOUS = [(Laplace, stats.laplace), (Gaussian, stats.norm)]
OUTPUTS = np.linspace(-7, 7, 57)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_density_and_variances_are_those_of_scipy(scale):
    np.testing.assert_allclose(Laplace(scale).density(OUTPUTS), stats.laplace(scale=scale).pdf(OUTPUTS), rtol=1e-13)
    for kind, reference in CONTINUOUS:
        assert kind(scale).variance == pytest.approx(reference(scale=scale).var(), rel=1e-13)


@pytest.mark.parametrize("noise", [Laplace(0.4), Gaussian(1.7)], ids=str)
def test_samples_have_the_stated_distribution(noise):
    """Mean, variance and a third property, the probability of |y| > scale; seeded and shaped."""
    y = noise.sample(np.random.default_rng(5), 400_000)
    reference = stats.laplace if isinstance(noise, Laplace) else stats.norm
    assert_monte_carlo(y, 0.0)
    assert_monte_carlo(y**2, noise.variance)
    assert_monte_carlo(np.abs(y) > noise.scale, 2 * reference.sf(1))
    assert noise.sample(np.random.default_rng(5), (2, 3)).shape == (2, 3)
    np.testing.assert_array_equal(y[:9], noise.sample(np.random.default_rng(5), 9))


@pytest.mark.parametrize("case", list(product(CONTINUOUS, SCALES, [-1.0, 0.3, 2.0])))
def test_privacy_loss_is_the_log_ratio_of_the_densities(case):
    """Against SciPy's log-densities under the answers 0 and shift."""
    (kind, reference), scale, shift = case
    expected = reference.logpdf(OUTPUTS, scale=scale) - reference.logpdf(OUTPUTS, loc=shift, scale=scale)
    np.testing.assert_allclose(kind(scale).privacy_loss(OUTPUTS, shift), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    "case", [(1e-16, 1.0, -1.2e-16), (1e-10, 1e10, 1e-10), (1.0, -1e30, 3.0), (2.0, 1.0, 1.0), (1.0, 5.0, 0.0)], ids=str
)
def test_privacy_loss_keeps_its_digits_where_the_shift_is_small_beside_the_output(case):
    """In fractions; and Laplace noise never loses more than |shift| / scale."""
    scale, y, shift = case
    s, at, by = map(Fraction, case)
    loss = Laplace(scale).privacy_loss(y, shift)
    assert loss == pytest.approx(float((abs(at - by) - abs(at)) / s), rel=1e-15, abs=0)
    assert abs(loss) <= abs(shift) / scale
    exact = float(((at - by) ** 2 - at**2) / (2 * s**2))
    assert Gaussian(scale).privacy_loss(y, shift) == pytest.approx(exact, rel=1e-15, abs=0)


@pytest.mark.settles("cz-definition-1")
@pytest.mark.parametrize("case", list(product([0.3, 1.0, 5.0], [0.0, 0.1, 1.0, 4.0], [0.5, 1.0, 2.0])), ids=str)
def test_gaussian_delta_is_the_integral_over_the_excess(case):
    """delta = integral of (p - e^eps q)_+ with p, q the two output densities, in 30 digits."""
    scale, epsilon, sensitivity = case
    with mpmath.workdps(30):
        crossing = sensitivity / mpmath.mpf(2) - epsilon * mpmath.mpf(scale) ** 2 / sensitivity
        step = scale / max(1, abs(crossing) / scale)  # how fast the tail decays
        ends = [crossing - step * k for k in (60, 30, 15, 8, 4, 2, 1, 0)]

        peak = mpmath.npdf(crossing, 0, scale)  # in its unit, for the quadrature stops at an absolute error

        def excess(y):
            return (mpmath.npdf(y, 0, scale) - mpmath.exp(epsilon) * mpmath.npdf(y, sensitivity, scale)) / peak

        expected = float(peak * mpmath.quad(excess, ends))
    assert Gaussian(scale).delta(epsilon, sensitivity) == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize(
    "case", [(1e3, 0.01), (1e8, 1e-7), (1e15, 1e-14), (1.0, 40.0), (2.0**-30, 2.0**59 + 2.0**31), (1e30, 0.0)], ids=str
)
def test_gaussian_delta_survives_cancellation(case):
    """Two nearly equal tails, or terms whose logarithms are nearly equal."""
    scale, epsilon = case
    with mpmath.workdps(500):
        ratio, eps = 1 / mpmath.mpf(scale), mpmath.mpf(epsilon)
        lower = mpmath.erfc((ratio / 2 + eps / ratio) / mpmath.sqrt(2)) / 2
        expected = mpmath.ncdf(ratio / 2 - eps / ratio) - mpmath.exp(eps) * lower
    assert Gaussian(scale).delta(epsilon, 1.0) == pytest.approx(float(expected), rel=1e-11, abs=0)


def test_gaussian_delta_at_the_ends():
    """Everything is allowed, nothing is hidden, nothing is moved; and delta is below every float."""
    assert Gaussian(1.0).delta(inf, 1.0) == 0.0 and Gaussian(1e-100).delta(1.0, 1e300) == 1.0
    for scale, epsilon, sensitivity in ((1e300, 0.0, 1e-300), (1.0, 1.0, 5e-324), (1.0, 800.0, 1.0)):
        assert Gaussian(scale).delta(epsilon, sensitivity) == 0.0


@pytest.mark.parametrize("case", list(product([0.0, 0.1, 1.0, 5.0, 700.0, 1000.0], [2, 3, 10])), ids=str)
def test_randomized_response_probabilities(case):
    """e^eps/(e^eps + K - 1) in 30 digits; what is left is shared by the K - 1 lies."""
    epsilon, categories = case
    truth = RandomizedResponse(epsilon, categories).truth_probability
    with mpmath.workdps(30):
        weight = mpmath.exp(epsilon)
        exact = weight / (weight + categories - 1)
        assert truth == pytest.approx(float(exact), rel=1e-15)
        lie = 1 / (weight + categories - 1)
        assert (1 - truth) / (categories - 1) == pytest.approx(float(lie), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("categories", [2, 4])
def test_randomized_response_frequencies(categories):
    """Every answer to every truth, in the truth's shape."""
    mechanism = RandomizedResponse(0.8, categories)
    rng = np.random.default_rng(3)
    truth = mechanism.truth_probability
    assert mechanism.sample(rng, np.zeros(0, dtype=int)).shape == (0,)
    for told in range(categories):
        answers = mechanism.sample(rng, np.full((2, 100_000), told))
        assert answers.shape == (2, 100_000) and set(answers.flat) == set(range(categories))
        for answer in range(categories):
            expected = truth if answer == told else (1 - truth) / (categories - 1)
            assert_monte_carlo(answers.ravel() == answer, expected)


BUDGETS = [0.0, 5e-324, 1e-50, 1e-16, 1e-9, 0.1, 1.0, 36.0, 37.0, 50.0, 700.0, 745.0, 1e50, 1e300]


@pytest.mark.parametrize("case", list(product(BUDGETS, [2, 3, 10, 2**40])), ids=str)
def test_randomized_response_as_it_is_drawn_costs_no_more_than_its_budget(case):
    """In 60 digits: a uniform number of 53 bits is below a chance as often as that chance, rounded up, says."""
    epsilon, categories = case
    with mpmath.workdps(60):
        blind = mpmath.ceil(mpmath.mpf(blind_probability(epsilon, categories)) * 2**53) / 2**53
        loss = mpmath.log1p(categories * (1 - blind) / blind)
        assert 0 < blind <= 1 and loss <= epsilon
        wanted = categories / (mpmath.expm1(epsilon) + categories)
        assert blind <= max(wanted * (1 + mpmath.mpf(2) ** -49) + mpmath.mpf(2) ** -53, mpmath.mpf(2) ** -53)


def test_randomized_response_lies_where_it_draws_without_a_look():
    """The answers of a generator whose uniform numbers lie just below that chance, and at it."""

    class Rigged(np.random.Generator):
        def random(self, shape):
            return np.resize([np.nextafter(chance, 0), chance, 0.999], shape)

        def integers(self, low, high, shape):
            return np.resize([high - 1], shape)

    for epsilon in (0.5, 40.0, 1e50):
        chance = blind_probability(epsilon, 4)
        answers = RandomizedResponse(epsilon, 4).sample(Rigged(np.random.PCG64(1)), np.array([0, 0, 0]))
        assert answers.tolist() == [3, 0, 0]


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.int64], ids=lambda kind: kind.__name__)
def test_answers_are_integers_whatever_integers_the_truth_is(kind):
    """Unsigned integers of 64 bits beside signed ones would be floats, which round large categories."""
    truth = np.arange(3, dtype=kind)
    answers = RandomizedResponse(0.5, 3).sample(np.random.default_rng(1), truth)
    assert answers.dtype == np.int64
    large = RandomizedResponse(50.0, 2**53 - 1).sample(np.random.default_rng(1), truth.astype(kind) + kind(1))
    np.testing.assert_array_equal(large, [1, 2, 3])


@pytest.mark.settles("cc-definition-1")
@pytest.mark.parametrize("categories", [2, 5])
def test_randomized_response_loss_is_the_log_ratio_of_probabilities(categories):
    """From the table of probabilities; at most eps, and attained."""
    mechanism = RandomizedResponse(1.3, categories)
    table = np.full((categories, categories), (1 - mechanism.truth_probability) / (categories - 1))
    np.fill_diagonal(table, mechanism.truth_probability)
    output, first, second = np.indices((categories,) * 3)
    expected = np.log(table[first, output] / table[second, output])
    loss = mechanism.privacy_loss(output, first, second)
    np.testing.assert_allclose(loss, expected, rtol=1e-13, atol=1e-13)
    assert loss.max() == 1.3


def test_no_noise_is_no_noise():
    """Scale 0 adds nothing and has no variance; calibration for a tiny budget overflows to inf silently."""
    assert Laplace(0).variance == 0 and Laplace(0).sample(np.random.default_rng(1)) == 0
    assert Laplace(-0.0).sample(np.random.default_rng(1)) == 0
    assert math.isinf(Laplace.calibrated(1.0, 1e-320).scale)


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1e-30, 1e300), (1e-300, 1e20), (1e-20, 1e300), (1e-320, 1.3)])
def test_calibrated_noise_does_not_vanish(sensitivity, epsilon):
    """In fractions, where the scale is rounded to nothing, or lacks digits."""
    scale = Laplace.calibrated(sensitivity, epsilon).scale
    assert Fraction(sensitivity) <= Fraction(epsilon) * Fraction(scale) * (1 + Fraction(1, 2**50))
    assert Laplace.calibrated(0.0, epsilon).scale == 0 == Laplace.calibrated(sensitivity, math.inf).scale
