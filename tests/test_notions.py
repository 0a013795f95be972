"""Notions of privacy, balls and cubes: reaches by their definitions, weights by a convex solver, releases as drawn."""

from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp import ADPM, adpm, affine, notions
from hdp.proof import assert_monte_carlo
from tests.oracles import convex_weights, exact_objective, inf

KINDS = ["pure", "zcdp", "gdp", notions.renyi(3.0), notions.approximate(1e-5)]
EVERY = pytest.mark.parametrize("notion", KINDS, ids=str)
SHAPES = [*[(d, "ball") for d in (1, 2, 7)], *[(d, "cube") for d in (1, 2, 6)]]
VALUES = pytest.mark.parametrize(("dimension", "shape"), SHAPES)
LOSSES = np.array([0.02, 0.1, 0.5, 0.5, 2.0, 6.0])


@cache
def reach(notion, loss):
    """How far the answer may move, found from the definition of the notion by bisection of a numeric integral."""
    name = notion if isinstance(notion, str) else notion.name
    if name in ("pure", "gdp"):
        return loss  # density ratio e^|b| of the noise e^-|y|; N(0, 1) and N(mu, 1) define Gaussian privacy
    order, density = 1.5 if name == "zcdp" else notion.parameter, stats.norm.pdf

    def excess(b):
        if name == "approximate":
            edge = loss / b + b / 2  # beyond it the first density is more than e^loss times the second one
            tail = quad(lambda y: density(y - b) - np.exp(loss) * density(y), edge, edge + 40, epsabs=1e-14)[0]
            return tail - notion.parameter
        tilted = quad(lambda y: density(y) * np.exp(order * (b * y - b**2 / 2)), -10, 30, limit=200)[0]
        return np.log(tilted) / (order - 1) - (loss * order if name == "zcdp" else loss)

    return brentq(excess, 1e-3, 6.0, xtol=1e-10)


def penalty(notion, dimension, shape):
    """Mean squared length of the noise of scale 1 by integrating over its length; in a cube, of one coordinate.

    In the maximum norm: over the shells, of which one coordinate is at an end and the others lie anywhere.
    """
    if shape == "cube" and notion != "pure":
        return max(np.sum((a - b) ** 2) for a in corners(dimension) for b in corners(dimension))
    density = (lambda r: np.exp(-r)) if notion == "pure" else (lambda r: np.exp(-(r**2) / 2))
    shell = [quad(lambda r, k=k: r ** (dimension - 1 + k) * density(r), 0, 80)[0] for k in (2, 0)]
    return shell[0] / shell[1] * ((1 + (dimension - 1) / 3) / dimension if shape == "cube" else 1)


def corners(dimension):
    return np.array(list(product((-0.5, 0.5), repeat=dimension)))


@pytest.mark.settles("hdp-every-notion")
@EVERY
@pytest.mark.parametrize("loss", [0.05, 0.4, 1.5])
def test_a_budget_reaches_as_far_as_its_definition_says(notion, loss):
    """And back; Gaussian noise of a smaller scale would break the promise."""
    kind = notions.resolve(notion)
    assert kind.reach(loss) == pytest.approx(reach(notion, loss), rel=1e-6)
    assert kind.loss(kind.reach(loss)) == pytest.approx(loss, rel=1e-9)


@pytest.mark.settles("hdp-every-notion", "hdp-notion-cube")
@EVERY
@VALUES
def test_weights_and_error_are_those_of_a_convex_solver(notion, dimension, shape):
    """With reaches from the definitions and the noise integrated numerically; in a cube, of every coordinate."""
    reaches = np.array([reach(notion, e) for e in LOSSES])
    for copies in (1, 40):
        many = np.repeat(reaches, copies)
        problem = np.full(many.size, 0.25), 1 / many, penalty(notion, dimension, shape)
        w = convex_weights(*problem)
        error = float(exact_objective(w, *problem))
        given = dict(epsilon=np.repeat(LOSSES, copies), measure=notion, dimension=dimension, shape=shape)
        np.testing.assert_allclose(ADPM(**given).weights, w, atol=2e-5)
        coordinates = dimension if shape == "cube" else 1
        assert ADPM(**given).mse() == pytest.approx(coordinates * min(error, 0.25), rel=1e-5)
        assert ADPM(**given).constant == (error > 0.25)


@pytest.mark.settles("hdp-every-notion", "hdp-notion-cube")
@EVERY
@VALUES
def test_level_and_effective_budgets_are_in_the_notions_unit(notion, dimension, shape):
    """Cut to the level nothing changes, and whoever is cut has the level."""
    eps = np.repeat(LOSSES, [400, 100, 5, 5, 5, 5])
    given = dict(measure=notion, dimension=dimension, shape=shape)
    level, effective = ADPM(eps, **given).level, ADPM(eps, **given).loss
    np.testing.assert_allclose(effective, np.minimum(eps, level), rtol=1e-12)
    np.testing.assert_allclose(ADPM(effective, **given).weights, ADPM(eps, **given).weights, rtol=1e-8)
    kind = notions.resolve(notion)
    b, t = kind.reach(eps), kind.reach(level)
    assert np.sum(b * np.maximum(t - b, 0)) == pytest.approx(4 * penalty(notion, dimension, shape), rel=1e-7)


@pytest.mark.settles("hdp-every-notion", "hdp-notion-cube")
@EVERY
@VALUES
@pytest.mark.parametrize("first", [0.05, 0.8])
def test_the_saturation_ratio_is_where_the_weights_begin_to_be_cut(notion, dimension, shape, first):
    """In the unit of the notion: just below it nobody is cut, just above it group 2 is."""
    given = dict(measure=notion, dimension=dimension, shape=shape)
    ratio = adpm.saturation_ratio(first, 100, 0.7, **given)
    for factor, cut in ((0.999, False), (1.001, True)):
        eps = np.repeat([first, first * ratio * factor], [70, 30])
        effective = ADPM(eps, **given).loss
        assert (effective[-1] < eps[-1] * (1 - 1e-9)) == cut


@pytest.mark.settles("hdp-every-notion", "hdp-notion-cube")
@EVERY
@VALUES
def test_the_release_errs_as_much_as_stated(notion, dimension, shape):
    """A fair coin on two opposite ends of the ball or corners of the cube, which is the worst case."""
    rng = np.random.default_rng(18)
    eps = np.repeat([1.0, 6.0], [60, 20])
    given = dict(measure=notion, dimension=dimension, shape=shape)
    assert not ADPM(eps, **given).constant
    end = np.full(dimension, 0.5) if shape == "cube" else np.eye(dimension)[0] / 2
    x = rng.choice([-1.0, 1.0], (6000, eps.size, 1)) * end
    found = ADPM(eps, **given).estimate(x[..., 0] if dimension == 1 else x, rng)
    assert found.shape == ((6000,) if dimension == 1 else (6000, dimension))
    assert_monte_carlo(np.sum(found.reshape(6000, -1) ** 2, axis=1), ADPM(eps, **given).mse())


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
    w, kind = ADPM(LOSSES, measure=notion).weights, notions.resolve(notion)
    scale = affine.noise_scale(w, kind.reach(LOSSES))
    lost = kind.loss(w / scale)
    assert (lost <= LOSSES * (1 + 1e-9)).all() and np.isclose(lost, LOSSES, rtol=1e-9).any()
    np.testing.assert_allclose(lost, np.minimum(LOSSES, ADPM(LOSSES, measure=notion).level), rtol=1e-7)


@EVERY
def test_extreme_budgets_give_numbers(notion):
    """Public users, unusable ones, and where nobody but they are there."""
    with np.errstate(all="raise", under="ignore"):
        assert ADPM([inf, inf], measure=notion, dimension=3).weights.tolist() == [0.5, 0.5]
        assert ADPM([inf, inf], measure=notion).level == inf
        w = ADPM([1e-300, 1.0, inf], measure=notion).weights
        assert ADPM([0.0, 0.0], measure=notions.approximate(0.1)).weights.tolist() == [0.5, 0.5]  # delta alone will do
    assert np.isfinite(w).all() and w.sum() == pytest.approx(1)
    assert ADPM([inf, inf], measure=notion).estimate([0.5, 0.3], 1) == pytest.approx(0.4)


@EVERY
def test_reach_and_loss_take_every_number(notion):
    """None, the least, and the largest; only what is infinite is public, and nothing allows more for less."""
    kind = notions.resolve(notion)
    budgets = np.array([0.0, 1e-320, 1e-51, 1e-50, 1e-9, 1.0, 1e49, 1e50, 1.01e50, 1e60, 1e300, inf])
    for function in (kind.reach, kind.loss):
        assert function([]).shape == (0,) and function(np.zeros((2, 0))).shape == (2, 0)
        found = function(budgets)
        assert (found[:-1] * (1 - 1e-14) <= found[1:]).all()
        assert found[-1] == inf and np.isfinite(found[:-2]).all()  # the square of 1e300 is infinite
    back = kind.loss(kind.reach(budgets))
    np.testing.assert_allclose(back[4:], budgets[4:], rtol=1e-6)


@pytest.mark.settles("hdp-every-notion")
def test_a_reach_beyond_all_use_is_the_root_of_twice_the_budget():
    """At 1e60, where sqrt(a^2 + 2 eps) - a is the root to rounding; and the least one is that of delta alone."""
    kind = notions.approximate(1e-6)
    assert kind.reach(1e60) == pytest.approx(np.sqrt(2e60), rel=1e-15)
    assert kind.loss([0.0, 1e-320, 1e-51, 1e-7]).tolist() == [0.0] * 4
    assert kind.reach([0.0, 1e-320]) == pytest.approx(np.sqrt(2 * np.pi) * 1e-6, rel=1e-9)


@pytest.mark.settles("hdp-every-notion")
@pytest.mark.parametrize("reach", [0.9e6, 1.1e6, 1e9])
def test_a_loss_beyond_all_use_meets_its_definition(reach):
    """To sixty digits: with this epsilon the two densities leave delta, on both sides of where the formula changes."""
    delta = 1e-6
    with mpmath.workdps(60):
        far, loss = mpmath.mpf(reach), mpmath.mpf(notions.approximate(delta).loss(reach))
        left, right = far / 2 - loss / far, -far / 2 - loss / far
        found = mpmath.ncdf(left) - mpmath.exp(loss + mpmath.log(mpmath.ncdf(right)))
    assert float(found) == pytest.approx(delta, rel=1e-5)


@pytest.mark.settles("hdp-notion-cube")
@pytest.mark.parametrize("dimension", [1, 2, 6])
def test_no_move_in_the_cube_is_longer_than_the_reach_allows(dimension):
    """The log-ratio of the density over all pairs of corners; and the deviation of the Gaussian noise as drawn."""
    rng = np.random.default_rng(1)
    y = 3 * rng.normal(size=(500, dimension))
    moves = 0.7 * np.array([a - b for a in corners(dimension) for b in corners(dimension)])
    y = np.concatenate([y, 9 * moves])
    norm = lambda z: np.abs(z).max(axis=-1)  # noqa: E731
    ratio = norm(y[:, None] - moves) - norm(y)[:, None]
    assert ratio.max() == pytest.approx(0.7)
    drawn = notions.Notion("gdp").noise(1.0, dimension, rng, (40_000,), "cube").reshape(40_000, -1)
    farthest = np.linalg.norm(moves, axis=1).max()
    assert_monte_carlo((drawn[:, 0] * 0.7 / farthest) ** 2, 1.0)  # 0.7 scales: whose reach is 0.7 allows it
    pure = notions.Notion("pure").noise(1.0, dimension, rng, (40_000,), "cube").reshape(40_000, -1)
    assert_monte_carlo(norm(pure), dimension)  # the length of e^-|y| is gamma, in any norm
    assert_monte_carlo(norm(pure) ** 2, dimension * (dimension + 1))


@pytest.mark.settles("hdp-notion-cube")
@pytest.mark.parametrize("dimension", [1, 3])
def test_no_distribution_in_the_cube_errs_more(dimension):
    """Random distributions on the corners, exactly; a fair coin on two opposite ones attains the error."""
    rng, ends, budgets = np.random.default_rng(2), corners(dimension), np.repeat([0.2, 1.0, 6.0], [60, 20, 5])
    given = dict(measure="gdp", dimension=dimension, shape="cube")
    w, stated = ADPM(budgets, **given).weights, ADPM(budgets, **given).mse()
    noise = dimension * penalty("gdp", dimension, "cube") * affine.noise_scale(w, budgets) ** 2
    for p in rng.dirichlet(np.full(len(ends), 0.3), 300):
        spread = p @ np.sum(ends**2, axis=1) - np.sum((p @ ends) ** 2)
        assert np.sum(w**2) * spread + noise <= stated * (1 + 1e-12)
    assert np.sum(w**2) * dimension / 4 + noise == pytest.approx(stated)


def test_what_rounding_puts_outside_of_the_ball_is_taken_to_it():
    """The noise is for two values at most 1 apart, not a little more; further out is refused."""
    rows = np.random.default_rng(1).normal(size=(50, 3))
    rows *= 0.5 * (1 + 9e-13) / np.linalg.norm(rows, axis=1, keepdims=True)
    for row in rows:
        answer = ADPM([inf], measure="gdp", dimension=3).estimate([row], 1)
        assert 0.5 * (1 - 1e-15) <= np.linalg.norm(answer) <= 0.5 * (1 + 1e-15)
        np.testing.assert_allclose(answer, row, rtol=2e-12)
    assert ADPM([inf], dimension=2, shape="cube").estimate(np.full((1, 2), 0.5), 1).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="x must lie in the ball of radius 1/2"):
        ADPM([inf], measure="gdp", dimension=3).estimate([rows[0] * (1 + 1e-11)], 1)
