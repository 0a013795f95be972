"""The best linear release against definitions, exact fractions, a convex solver and simulated users."""

from math import fsum

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import ADPM, Linear, _validate, affine, linear
from hdp.proof import assert_monte_carlo

INF = np.inf
SOME = [
    [1.0],
    [0.1, 0.5, INF],
    [INF] * 4,
    [1.0] * 30 + [9.0] * 2,
    [0.0, 2.0, 0.0, INF, 3.0],
]
BUDGETS = st.lists(
    st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.0, 0.5, 0.5, 2.0, INF])), min_size=1, max_size=12
).filter(any)


def error(a, epsilon):
    """Worst-case error of any weights: the largest over a fair coin on the ends, and a point mass on an end."""
    return max(fsum(a**2), (1 - fsum(a)) ** 2) / 4 + 2 * affine.noise_scale(a, epsilon) ** 2


def excess(level, epsilon):
    """S - Q^2/level - 8/level - 8/Q to fifty digits."""
    with mpmath.workdps(50):
        clipped = [min(mpmath.mpf(e), mpmath.mpf(level)) for e in epsilon]
        total, squares = mpmath.fsum(clipped), mpmath.fsum(c**2 for c in clipped)
        return float(total - squares / level - mpmath.mpf(8) / level - 8 / mpmath.sqrt(squares))


@given(BUDGETS)
def test_the_stated_error_is_that_of_the_weights(epsilon):
    """The formula for the least error, and the definition of the error of these weights."""
    assert error(Linear(epsilon).weights, epsilon) == pytest.approx(Linear(epsilon).mse(), rel=1e-12)


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize("seed", range(12))
def test_a_convex_solver_finds_nothing_better(seed):
    """A second-order cone programme over all weights, negative ones too, and a constant; some budgets 0, equal, inf."""
    rng = np.random.default_rng(seed)
    epsilon = np.exp(rng.uniform(-3, 3, int(rng.integers(2, 9))))
    epsilon[rng.random(epsilon.size) < 0.2] = rng.choice([0.0, INF, epsilon[0]])
    epsilon[0] = max(epsilon[0], 0.1)
    a, scale, root, b = cp.Variable(epsilon.size), cp.Variable(), cp.Variable(), cp.Variable()
    private = np.isfinite(epsilon)
    limits = [cp.abs(a[private]) <= scale * epsilon[private]] if private.any() else []
    limits += [scale >= 0, cp.norm(cp.hstack([a / 2, b])) <= root, cp.abs(1 - cp.sum(a)) / 2 + cp.abs(b) <= root]
    problem = cp.Problem(cp.Minimize(cp.square(root) + 2 * cp.square(scale)), limits)
    problem.solve(solver="CLARABEL")
    assert problem.value == pytest.approx(Linear(epsilon).mse(), rel=1e-6)
    assert abs(b.value) < 1e-3
    np.testing.assert_allclose(a.value, Linear(epsilon).weights, atol=1e-3)


@pytest.mark.settles("hdp-best-linear")
@example([2.83])  # as soon as sum times norm exceeds eight
@given(BUDGETS)
def test_the_level_solves_its_equation(epsilon):
    """To fifty digits: the excess changes sign within the rounding of the level."""
    level = Linear(epsilon).level
    if level == INF:
        usable = np.array([e for e in epsilon if e > 0])
        assert np.isinf(usable).all() or usable.sum() * np.linalg.norm(usable) <= 8 * (1 + 1e-12)
    elif level < 1e12:  # beyond, the product of both norms is 8 but for rounding
        below, above = level * (1 - 1e-9), level * (1 + 1e-9)
        assert excess(below, epsilon) < 0 < excess(above, epsilon)


@pytest.mark.settles("hdp-linear-gain")
@given(BUDGETS)
def test_it_gains_at_most_what_is_stated_and_asks_for_more(epsilon):
    """Between B/(1 + 2 sqrt B)^2 and B/(1 + 4B), never above Algorithm 1, and the level never below its level."""
    B, least = error(ADPM(epsilon).weights, epsilon), Linear(epsilon).mse()
    assert B / (1 + 2 * B**0.5) ** 2 * (1 - 1e-12) <= least <= B / (1 + 4 * B) * (1 + 1e-12)
    assert least < ADPM(epsilon).mse() <= 4 * least * (1 + 1e-12)
    assert Linear(epsilon).level >= ADPM(epsilon).level * (1 - 1e-12)


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize("epsilon", SOME)
def test_nobody_loses_more_than_she_allows(epsilon):
    """The loss from the weights and the noise is min(eps, level)."""
    a = Linear(epsilon).weights
    loss = affine.privacy_loss(a, affine.noise_scale(a, epsilon))
    np.testing.assert_allclose(loss, Linear(epsilon).loss, rtol=1e-12)
    assert np.all(loss <= np.asarray(epsilon) * (1 + 1e-12))


@pytest.mark.settles("hdp-linear-error")
@pytest.mark.parametrize("epsilon", SOME)
@pytest.mark.parametrize("mean", [0.0, 0.3, 0.5])
def test_simulated_users_err_as_much_as_they_should(epsilon, mean):
    """Coins on the ends of the interval with this mean; at the two worst means the error is the stated one at most."""
    rng, a = np.random.default_rng(3), Linear(epsilon).weights
    data = np.where(rng.random((40_000, a.size)) < 0.5 + mean, 0.5, -0.5)
    noise = 2 * affine.noise_scale(a, epsilon) ** 2
    expected = np.sum(a**2) * (0.25 - mean**2) + (1 - a.sum()) ** 2 * mean**2 + noise
    answers = Linear(epsilon).estimate(data, rng)
    if noise or mean < 0.5:  # otherwise nothing is left to chance
        assert_monte_carlo((answers - mean) ** 2, expected)
    assert expected <= Linear(epsilon).mse() * (1 + 1e-12)
    clipped = Linear(np.minimum(epsilon, 1e100)).loss
    if mean == 0.5 or (mean == 0 and np.linalg.norm(clipped) * np.sum(clipped) >= 8):  # Q >= 8/S, and a coin is as bad
        assert expected == pytest.approx(Linear(epsilon).mse(), rel=1e-12)


def test_ends_of_the_floats():
    """From the least to the largest float, alone and together."""
    tiny, huge = 5e-324, 1.7e308
    assert Linear([tiny]).mse() == 0.25 and Linear([tiny]).weights[0] == 0
    assert Linear([huge]).mse() == Linear([tiny, huge]).mse() == 1 / 16
    np.testing.assert_allclose(Linear([1e-200, INF]).weights, [0, 0.5], atol=1e-99)
    np.testing.assert_allclose(Linear([1e120, 1e300]).weights, np.full(2, 1 / (2 + 2**0.5)), rtol=1e-12)
    np.testing.assert_allclose(Linear([1e-160] * 3).weights, [0, 0, 0], atol=1e-300)


def vectors(n):
    """Budgets that sampling serves well, and such as it does not: constant where it looks, and with ties."""
    rng = np.random.default_rng(n)
    spread = np.exp(rng.uniform(-8, 2, n))
    trap = spread.copy()
    trap[::64] = 1e-9
    return [spread, np.sort(spread), trap, np.repeat([1e-3, 1.0], [n // 2, n - n // 2]), np.append(spread, [INF] * 9)]


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize("case", range(5))
def test_many_users_have_the_level_of_all_sorted(case):
    """The search near the level of a sample finds what a sort of everybody finds, also where the sample misleads."""
    epsilon = vectors(50_000)[case]
    with np.errstate(divide="ignore"):
        slow = linear._among(np.sort(np.minimum(epsilon, _validate.FREE)), 0.0, 0.0, 0)
    assert Linear(epsilon).level == pytest.approx(slow, rel=1e-12)
    assert abs(excess(slow, epsilon)) < 1e-9 * epsilon[epsilon < slow].sum()
