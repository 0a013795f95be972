"""Notions of privacy, and vectors: reaches by their definitions, weights by a convex solver, releases as drawn."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp import adpm, affine, clipping, notions, threshold
from hdp.proof import assert_monte_carlo
from tests.oracles import budgets, thorough

inf = float("inf")
KINDS = ["pure", "zcdp", "gdp", notions.renyi(3.0), notions.approximate(1e-5)]
EVERY = pytest.mark.parametrize("notion", KINDS, ids=str)
DIMENSIONS = pytest.mark.parametrize("dimension", [1, 2, 7])
LOSSES = np.array([0.02, 0.1, 0.5, 0.5, 2.0, 6.0])


def reach(notion, loss):
    """How far the answer may move, found from the definition of the notion by bisection of a numeric integral."""
    name = notion if isinstance(notion, str) else notion.name
    if name in ("pure", "gdp"):
        return loss  # density ratio e^|b| of the noise e^-|y|; N(0, 1) and N(mu, 1) define Gaussian privacy
    order = 1.5 if name == "zcdp" else notion.parameter

    def excess(b):
        if name == "approximate":
            edge = loss / b + b / 2  # beyond it the first density is more than e^loss times the second one
            tail = quad(lambda y: density(y - b) - np.exp(loss) * density(y), edge, edge + 40, epsabs=1e-14)[0]
            return tail - notion.parameter
        tilted = quad(lambda y: density(y) * np.exp(order * (b * y - b**2 / 2)), -10, 30, limit=200)[0]
        return np.log(tilted) / (order - 1) - (loss * order if name == "zcdp" else loss)

    return brentq(excess, 1e-3, 6.0, xtol=1e-10)


def density(y):
    """Of normal noise."""
    return np.exp(-(y**2) / 2) / np.sqrt(2 * np.pi)


def solved(reaches, kappa):
    """Weights and least error by a convex solver."""
    w, t = cp.Variable(len(reaches), nonneg=True), cp.Variable()
    objective = cp.sum_squares(w) / 4 + kappa * cp.square(t)
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(w) == 1, cp.multiply(1 / reaches, w) <= t])
    problem.solve(solver="CLARABEL")
    return w.value, problem.value


def penalty(notion, dimension):
    """Mean squared length of the noise, by integrating over its length."""
    density = (lambda r: np.exp(-r)) if notion == "pure" else (lambda r: np.exp(-(r**2) / 2))
    shell = [quad(lambda r, k=k: r ** (dimension - 1 + k) * density(r), 0, 80)[0] for k in (2, 0)]
    return shell[0] / shell[1]


@EVERY
@pytest.mark.parametrize("loss", [0.05, 0.4, 1.5])
def test_a_budget_reaches_as_far_as_its_definition_says(notion, loss):
    """And back; Gaussian noise of a smaller scale would break the promise."""
    kind = notions.resolve(notion)
    assert kind.reach(loss) == pytest.approx(reach(notion, loss), rel=1e-6)
    assert kind.loss(kind.reach(loss)) == pytest.approx(loss, rel=1e-9)


@EVERY
@DIMENSIONS
def test_weights_and_error_are_those_of_a_convex_solver(notion, dimension):
    """With reaches from the definitions and the noise integrated numerically."""
    reaches = np.array([reach(notion, e) for e in LOSSES])
    for copies in (1, 40):
        many = np.repeat(reaches, copies)
        w, error = solved(many, penalty(notion, dimension))
        given = dict(epsilon=np.repeat(LOSSES, copies), notion=notion, dimension=dimension)
        np.testing.assert_allclose(adpm.weights(**given), w, atol=2e-5)
        assert adpm.worst_case_mse(**given) == pytest.approx(min(error, 0.25), rel=1e-5)
        assert adpm.answers_zero(**given) == (error > 0.25)


@EVERY
@DIMENSIONS
def test_level_and_effective_budgets_are_in_the_notions_unit(notion, dimension):
    """Cut to the level nothing changes, and whoever is cut has the level."""
    eps = np.repeat(LOSSES, [400, 100, 5, 5, 5, 5])
    given = dict(notion=notion, dimension=dimension)
    level, effective = adpm.clipping_level(eps, **given), adpm.effective_epsilon(eps, **given)
    np.testing.assert_allclose(effective, np.minimum(eps, level), rtol=1e-12)
    np.testing.assert_allclose(adpm.weights(effective, **given), adpm.weights(eps, **given), rtol=1e-8)
    kind = notions.resolve(notion)
    b, t = kind.reach(eps), kind.reach(level)
    assert np.sum(b * np.maximum(t - b, 0)) == pytest.approx(4 * penalty(notion, dimension), rel=1e-7)


@EVERY
@DIMENSIONS
@pytest.mark.parametrize("first", [0.05, 0.8])
def test_the_saturation_ratio_is_where_the_weights_begin_to_be_cut(notion, dimension, first):
    """In the unit of the notion: just below it nobody is cut, just above it group 2 is."""
    n, f = 100, 0.7
    ratio = adpm.saturation_ratio(first, n, f, notion=notion, dimension=dimension)
    for factor, cut in ((0.999, False), (1.001, True)):
        eps = np.repeat([first, first * ratio * factor], [70, 30])
        effective = adpm.effective_epsilon(eps, notion=notion, dimension=dimension)
        assert (effective[-1] < eps[-1] * (1 - 1e-9)) == cut


@thorough
@given(budgets(), st.sampled_from([1, True, np.int64(1)]))
def test_the_papers_setting_is_untouched(epsilon, dimension):
    """Bit for bit the weights of the formula, whether or not the defaults are said."""
    plain = adpm.weights(epsilon)
    eps = np.array(epsilon)
    with np.errstate(under="ignore"):
        np.testing.assert_array_equal(plain, clipping._normalise(np.minimum(eps, clipping.level(eps, eps, 8.0))))
    np.testing.assert_array_equal(plain, adpm.weights(epsilon, notion="pure", dimension=1))
    if dimension is not True:
        np.testing.assert_allclose(plain, adpm.weights(epsilon, notion="pure", dimension=dimension), rtol=1e-15)


@EVERY
@DIMENSIONS
def test_the_release_errs_as_much_as_stated(notion, dimension):
    """A fair coin on two opposite ends of the ball, which is the worst case; many draws."""
    rng = np.random.default_rng(18)
    eps = np.repeat([0.5, 3.0], [60, 20])
    given = dict(notion=notion, dimension=dimension)
    assert not adpm.answers_zero(eps, **given)
    end = np.zeros(dimension)
    end[0] = 0.5
    x = rng.choice([-1.0, 1.0], (6000, eps.size, 1)) * end
    found = adpm.estimate(x[..., 0] if dimension == 1 else x, eps, rng, **given)
    assert found.shape == ((6000,) if dimension == 1 else (6000, dimension))
    squared = found**2 if dimension == 1 else np.sum(found**2, axis=-1)
    assert_monte_carlo(squared, adpm.worst_case_mse(eps, **given))


def test_noise_has_the_law_that_privacy_needs():
    """Of e^-|y| in d dimensions: its length is gamma, its direction uniform; in one dimension it is Laplace noise."""
    pure, rng = notions.Notion("pure"), np.random.default_rng(4)
    far = pure.noise(2.0, 3, rng, (30_000,))
    length = np.linalg.norm(far, axis=1)
    assert stats.kstest(length, stats.gamma(3, scale=2.0).cdf).pvalue > 1e-4
    for axis in range(3):
        assert stats.kstest(far[:, axis] / length, stats.uniform(-1, 2).cdf).pvalue > 1e-4  # Archimedes
    assert stats.kstest(pure.noise(2.0, 1, rng, (30_000,)), stats.laplace(scale=2.0).cdf).pvalue > 1e-4
    normal = notions.Notion("gdp").noise(2.0, 2, rng, (30_000,))
    assert stats.kstest(normal.ravel(), stats.norm(scale=2.0).cdf).pvalue > 1e-4


@EVERY
def test_no_user_loses_more_than_she_allows(notion):
    """The noise that is added, her largest step, and the promise, by its definition."""
    w, kind = adpm.weights(LOSSES, notion=notion), notions.resolve(notion)
    scale = affine.noise_scale(w, kind.reach(LOSSES))
    lost = kind.loss(w / scale)
    assert (lost <= LOSSES * (1 + 1e-9)).all() and np.isclose(lost, LOSSES, rtol=1e-9).any()
    np.testing.assert_allclose(lost, adpm.effective_epsilon(LOSSES, notion=notion), rtol=1e-7)


def test_pairs_of_epsilon_and_delta_are_budgets_of_gaussian_privacy():
    """A delta of each user's own: whoever allows more of either has more weight."""
    pairs = [(0.5, 1e-6), (0.5, 1e-4), (2.0, 1e-4)]
    mu = [notions.approximate(delta).reach(eps) for eps, delta in pairs]
    w = adpm.weights(mu, notion="gdp")
    assert w[0] < w[1] < w[2]
    common = adpm.weights([0.5, 2.0], notion=notions.approximate(1e-4))
    np.testing.assert_allclose(adpm.weights(mu[1:], notion="gdp"), common, rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1e-3, 20.0), min_size=1, max_size=30), st.floats(0.01, 200.0))
def test_thresholds_lose_as_much_whatever_the_noise(reaches, kappa):
    """Both errors by their definitions are those of pure budgets, with the trivial answer too."""
    b = np.array(reaches)
    w = clipping.optimal_weights(0.25, 1 / b, kappa)
    best = np.sum(w**2) / 4 + kappa * np.max(w / b) ** 2
    kept = [(np.count_nonzero(b >= x), x) for x in set(reaches)]
    one = min(0.25 / users + kappa / (users * x) ** 2 for users, x in kept)
    same = b * np.sqrt(2 / kappa)
    assert np.isclose(best, threshold.affine_mse(same), rtol=1e-10)
    assert np.isclose(one, threshold.threshold_mse(same), rtol=1e-10)
    k, n = len(set(reaches)), b.size
    assert one <= best * threshold.worst_case_ratio(k, n) * (1 + 1e-9)
    assert min(one, 0.25) <= min(best, 0.25) * threshold.worst_case_ratio(k, n) * (1 + 1e-9)


@pytest.mark.parametrize("kappa", [0.5, 1.0, 12.0, 100.0])
def test_the_worst_cases_are_reached_whatever_the_noise(kappa):
    """F for three budgets and G for two, by the definitions, at reaches that the extremal budgets translate to."""

    def ratio(b, top=inf):
        w = clipping.optimal_weights(0.25, 1 / b, kappa)
        best = np.sum(w**2) / 4 + kappa * np.max(w / b) ** 2
        one = min(0.25 / np.sum(b >= x) + kappa / (np.sum(b >= x) * x) ** 2 for x in set(b))
        return min(one, top) / min(best, top)

    back = np.sqrt(kappa / 2)
    worst = ratio(threshold.worst_case_budgets(3, 500, 1e-4) * back)
    assert worst == pytest.approx(threshold.worst_case_ratio(3, 500), rel=1e-5)
    eps = threshold.saturating_budgets([20, 800])
    assert ratio(eps * back, 0.25) == pytest.approx(0.25 / threshold.affine_mse(eps), rel=1e-9)


@EVERY
def test_extreme_budgets_give_numbers(notion):
    """Public users, unusable ones, and where nobody but they are there."""
    with np.errstate(all="raise", under="ignore"):
        assert adpm.weights([inf, inf], notion=notion, dimension=3).tolist() == [0.5, 0.5]
        assert adpm.clipping_level([inf, inf], notion=notion) == inf
        w = adpm.weights([1e-300, 1.0, inf], notion=notion)
        assert adpm.weights([0.0, 0.0], notion=notions.approximate(0.1)).tolist() == [0.5, 0.5]  # delta alone will do
    assert np.isfinite(w).all() and w.sum() == pytest.approx(1)
    assert adpm.estimate([0.5, 0.3], [inf, inf], 1, notion=notion) == pytest.approx(0.4)
