"""Five notions of privacy: what they limit, what noise costs, and neighbours who lack a user."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, affine, clipping, notions, threshold
from hdp.noise import Gaussian
from tests.populations import BUDGETS, PRIVATE, SIZES, groups, thorough

PAGE = "foundations/notions"
KINDS = st.sampled_from(["pure", "gdp", "zcdp", notions.renyi(3.0), notions.renyi(10.0), notions.approximate(1e-6)])
DIMENSIONS = st.integers(1, 50)
MODEST = PRIVATE.filter(lambda e: 1e-3 <= e.min() and e.max() <= 30)
few = settings(deadline=None, max_examples=30)


def length(kind, d):
    """Mean squared length of noise of scale 1: gamma times a place in the ball, or normal."""
    return d * (d + 1) if notions.resolve(kind).noise_penalty(1) == 2 else d


@thorough
@given(MODEST, KINDS, DIMENSIONS, st.integers(0, 99))
@example(np.repeat([0.05, 0.5, 4.0], [6, 3, 1]), "gdp", 3, 1)
def test_no_weights_err_less_than_those_of_the_lemma(e, kind, d, seed):
    reach, kappa = notions.resolve(kind).reach(e), length(kind, d)
    error = lambda w: w @ w / 4 + kappa * affine.noise_scale(w, reach) ** 2  # noqa: E731
    best = adpm.weights(e, notion=kind, dimension=d)
    rng = np.random.default_rng(seed)
    others = [best * np.exp(size * rng.normal(size=e.size)) for size in np.geomspace(1e-4, 2, 30)]
    assert all(error(w / w.sum()) >= error(best) * (1 - 1e-9) for w in others)
    assert np.allclose(best, clipping.optimal_weights(0.25, 1 / reach, kappa), rtol=1e-6)


def _gaussian_delta(move, epsilon):
    """Chance by which a normal law and itself moved differ beyond the factor exp(epsilon)."""
    from scipy.stats import norm

    return norm.cdf(move / 2 - epsilon / move) - np.exp(epsilon) * norm.cdf(-move / 2 - epsilon / move)


@few
@given(st.floats(1e-2, 10), st.integers(1, 5))
def test_reach_and_length_are_those_of_densities_and_draws(e, d):
    grid = np.linspace(-60, 60, 200_001)
    at = lambda kind: notions.resolve(kind).reach(e)  # noqa: E731
    assert np.isclose(np.max(np.abs(grid - at("pure")) - np.abs(grid)), e, rtol=1e-3)
    for kind, alpha, most in (("zcdp", 2.0, 2 * e), (notions.renyi(3.0), 3.0, e)):
        log = np.log(np.sum(np.exp(-alpha * (grid - at(kind)) ** 2 / 2 + (alpha - 1) * grid**2 / 2)) * 6e-4)
        assert np.isclose((log - np.log(2 * np.pi) / 2) / (alpha - 1), most, rtol=1e-6)
    assert at("gdp") == e and np.isclose(_gaussian_delta(at(notions.approximate(1e-6)), e), 1e-6, rtol=1e-6)
    rng = np.random.default_rng(d)
    ball = rng.normal(size=(200_000, d))
    ball *= (rng.random(200_000) ** (1 / d) / np.linalg.norm(ball, axis=1))[:, None]
    noise = rng.gamma(d + 1, size=200_000) ** 2 * np.sum(ball**2, axis=1)
    assert abs(noise.mean() / length("pure", d) - 1) < 6 * noise.std() / noise.mean() / 200_000**0.5
    assert notions.resolve("pure").noise_penalty(d) == length("pure", d)


@thorough
@given(SIZES, SIZES, st.floats(0.01, 3), KINDS, st.integers(1, 10**6))
@example(100, 100, 0.1, "pure", 10**6)
def test_less_privacy_is_free_in_more_dimensions(strict, others, e, kind, d):
    ratio = [adpm.saturation_ratio(e, strict + others, strict / (strict + others), notion=kind, dimension=k)
             for k in (d, 2 * d)]  # fmt: skip
    assert ratio[0] < ratio[1]
    law, power = notions.resolve(kind), 2 if kind == "pure" else 1
    if d > 1000:
        assert np.isclose(law.noise_penalty(2 * d) / law.noise_penalty(d), 2**power, rtol=1e-3)


def _two_sums(total, mean, laplace, draws=200_000):
    """Squared errors of the clamped ratio, the values' own mean being what is estimated."""
    rng = np.random.default_rng(5)
    noise = rng.laplace(size=(2, draws)) if laplace else rng.normal(size=(2, draws))
    A, B = total * (0.5 + mean) + noise[0], total * (0.5 - mean) + noise[1]
    return (np.clip((A - B) / (2 * (A + B)), -0.5, 0.5) - mean) ** 2


@few
@given(MODEST, st.floats(-0.5, 0.5), st.booleans(), st.floats(100, 1e5))
@example(groups((3,), (1.0,)), 0.5, True, 500.0)
@example(groups((3,), (1.0,)), 0.0, True, 100.0)
def test_who_is_absent_costs_no_more_noise(e, mean, laplace, total):
    found = _two_sums(total, mean, laplace)
    kappa = 2 if laplace else 1
    assert found.mean() <= (kappa + 0.1) / total**2 + 6 * found.std() / 200_000**0.5
    w = adpm.weights(e)
    scale = (affine.noise_scale(w, e) ** 2 / 4) ** 0.5  # a quarter of the noise
    assert all((w * abs(x) / scale <= e * (1 + 1e-9)).all() for x in (-0.5, 0.2, 0.5))  # a value, or none at all


# -- One threshold under other notions of privacy, with Gaussian noise, and in more dimensions.


DELTA = 1e-6
NOTION = st.sampled_from([notions.Notion("zcdp"), notions.approximate(DELTA)])
ZCDP = notions.Notion("zcdp")


def errors(b, kappa=1.0):
    """Of best weights and best threshold, where each user may move the answer by so many scales of the noise."""
    with np.errstate(divide="ignore"):
        cost = 1 / b
    w = clipping.optimal_weights(0.25, cost, kappa)
    noise = np.max(w[b > 0] * cost[b > 0])
    kept = [(np.count_nonzero(b >= level), level) for level in np.unique(b[b > 0])]
    one = min(0.25 / users + kappa / (users * level) ** 2 for users, level in kept)
    return w @ w / 4 + kappa * noise**2, one


@thorough
@given(st.floats(1e-4, 30))
@example(0.5)
def test_what_a_user_allows_is_one_number(budget):
    zcdp, approximate = ZCDP.reach(budget), notions.approximate(DELTA).reach(budget)
    y = np.linspace(-40, 40, 8001)
    moments = np.exp(-(y**2) / 2 + Gaussian(1.0).privacy_loss(y, zcdp)) / np.sqrt(2 * np.pi)  # of order 2
    if budget < 10:  # beyond, the moment lies outside the grid
        np.testing.assert_allclose(np.log(np.trapezoid(moments, y)), 2 * budget, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(Gaussian(1.0).delta(budget, approximate), DELTA, rtol=1e-6)


@thorough
@given(BUDGETS.filter(lambda e: e.size < 100), NOTION)
@example(np.array([0.1, 1.0]), ZCDP)
def test_both_errors_are_those_of_pure_budgets(e, notion):
    pure = notions.equivalent_epsilon(e, notion)
    best, one = errors(np.asarray(notion.reach(e)))
    np.testing.assert_allclose([threshold.affine_mse(pure), threshold.threshold_mse(pure)], [best, one], rtol=1e-9)


@thorough
@given(BUDGETS.filter(lambda e: np.unique(e).size < 9), NOTION)
@example(groups((3000, 1), (2e-14, 1.8e-7)), ZCDP)
@example(groups((3000, 1), (2 / 3000 / 3001, np.inf)), ZCDP)
def test_the_bounds_hold_with_gaussian_noise(e, notion):
    b = np.asarray(notion.reach(e))
    levels, (best, one) = np.unique(b[b > 0]), errors(b)
    bound = 2 if levels.size == 2 and np.isinf(levels[-1]) else levels.size**2
    assert one <= bound * best * (1 + 1e-9)


@thorough
@given(PRIVATE, st.integers(1, 5), st.integers(2, 400), st.integers(1, 100), st.sampled_from(notions.SHAPES))
@example(np.ones(2), 3, 400, 3, "ball")
def test_whatever_the_dimension_the_worst_is_the_same(b, k, n, dimension, shape):
    kappa = notions.Notion("pure").noise_penalty(dimension, shape)
    best, one = errors(b, kappa)
    assert one <= threshold.worst_case_ratio(np.unique(b).size, b.size) * best * (1 + 1e-12)
    best, one = errors(threshold.worst_case_budgets(k, n, 1e-5), kappa)
    np.testing.assert_allclose(one / best, threshold.worst_case_ratio(k, n), rtol=1e-6)
