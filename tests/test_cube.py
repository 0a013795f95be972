"""Values in a cube: privacy over all moves, weights by a convex solver, distributions on corners, releases as drawn."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from scipy.integrate import quad

from hdp import adpm, affine, notions
from hdp.proof import assert_monte_carlo

KINDS = ["pure", "zcdp", "gdp", notions.renyi(3.0), notions.approximate(1e-5)]
EVERY = pytest.mark.parametrize("notion", KINDS, ids=str)
DIMENSIONS = pytest.mark.parametrize("dimension", [1, 2, 6])
BUDGETS = np.repeat([0.2, 1.0, 6.0], [60, 20, 5])


def told(notion, dimension):
    return dict(notion=notion, dimension=dimension, shape="cube")


def corners(dimension):
    return np.array(list(product((-0.5, 0.5), repeat=dimension)))


def length(notion, dimension):
    """Mean square of one coordinate of noise of scale 1.

    In the maximum norm: over the shells, of which one coordinate is at an end and the others lie anywhere.
    """
    if notion != "pure":
        return max(np.sum((a - b) ** 2) for a in corners(dimension) for b in corners(dimension))
    shell = [quad(lambda r, k=k: r ** (dimension - 1 + k) * np.exp(-r), 0, 80)[0] for k in (2, 0)]
    return shell[0] / shell[1] * (1 + (dimension - 1) / 3) / dimension


@DIMENSIONS
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


@EVERY
@DIMENSIONS
def test_weights_and_error_in_the_cube_are_those_of_a_convex_solver(notion, dimension):
    """With the noise integrated; the squared length is that of all coordinates."""
    reaches = np.asarray(notions.resolve(notion).reach(BUDGETS))
    w, t = cp.Variable(BUDGETS.size, nonneg=True), cp.Variable()
    kappa = length(notion, dimension)
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(w) / 4 + kappa * cp.square(t)), [cp.sum(w) == 1, cp.multiply(1 / reaches, w) <= t]
    )
    problem.solve(solver="CLARABEL")
    given = told(notion, dimension)
    np.testing.assert_allclose(adpm.weights(BUDGETS, **given), w.value, atol=2e-5)
    assert adpm.worst_case_mse(BUDGETS, **given) == pytest.approx(dimension * min(problem.value, 0.25), rel=1e-5)
    assert adpm.answers_zero(BUDGETS, **given) == (problem.value > 0.25)
    level = notions.resolve(notion).reach(adpm.clipping_level(BUDGETS, **given))
    assert np.sum(reaches * np.maximum(level - reaches, 0)) == pytest.approx(4 * kappa, rel=1e-7)
    ratio = adpm.saturation_ratio(0.3, 100, 0.7, **given)
    for factor, cut in ((0.999, False), (1.001, True)):
        two = np.repeat([0.3, 0.3 * ratio * factor], [70, 30])
        assert (adpm.effective_epsilon(two, **given)[-1] < two[-1] * (1 - 1e-9)) == cut


@pytest.mark.parametrize("dimension", [1, 3])
def test_no_distribution_in_the_cube_errs_more(dimension):
    """Random distributions on the corners, exactly; a fair coin on two opposite ones attains the error."""
    rng, ends = np.random.default_rng(2), corners(dimension)
    given = told("gdp", dimension)
    w = adpm.weights(BUDGETS, **given)
    noise = dimension * length("gdp", dimension) * affine.noise_scale(w, BUDGETS) ** 2
    fair = np.zeros(len(ends))
    fair[[0, -1]] = 0.5
    for p in (fair, *rng.dirichlet(np.full(len(ends), 0.3), 300)):
        spread = p @ np.sum(ends**2, axis=1) - np.sum((p @ ends) ** 2)
        error = np.sum(w**2) * spread + noise
        assert error <= adpm.worst_case_mse(BUDGETS, **given) * (1 + 1e-12)
    assert np.sum(w**2) * dimension / 4 + noise == pytest.approx(adpm.worst_case_mse(BUDGETS, **given))


@EVERY
@DIMENSIONS
def test_a_release_in_the_cube_errs_as_much_as_stated(notion, dimension):
    """A fair coin on two opposite corners, many draws."""
    rng, eps, given = np.random.default_rng(4), np.repeat([1.0, 6.0], [60, 20]), told(notion, dimension)
    x = rng.choice([-0.5, 0.5], (6000, eps.size, 1)) * np.ones(dimension)
    found = adpm.estimate(x[..., 0] if dimension == 1 else x, eps, rng, **given).reshape(6000, -1)
    assert not adpm.answers_zero(eps, **given)
    assert_monte_carlo(np.sum(found**2, axis=1), adpm.worst_case_mse(eps, **given))


def test_one_coordinate_is_the_interval():
    """Bit for bit."""
    for notion in KINDS:
        np.testing.assert_array_equal(
            adpm.weights(BUDGETS, notion=notion), adpm.weights(BUDGETS, notion=notion, shape="cube")
        )
    assert adpm.estimate(np.full((1, 2), 0.5), [np.inf], 1, dimension=2, shape="cube").tolist() == [0.5, 0.5]
    assert adpm.worst_case_mse([0.01], dimension=3, shape="cube") == 0.75 and adpm.answers_zero(
        [0.01], dimension=3, shape="cube"
    )
