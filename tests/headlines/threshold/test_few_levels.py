"""How much the best few levels lose against a budget for each."""

from itertools import combinations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, affine, threshold
from tests.populations import BUDGETS, groups, thorough

FEW = st.lists(st.one_of(st.sampled_from([0.0, 1.0, 1.0, np.inf]), st.floats(1e-3, 30)), min_size=1, max_size=6)
GEOMETRIC = groups((1, 2999), (1e-4, 1e-4 / 3000))
EVEN = 1e-6 * np.linspace(1, 1.2, 300)


def loss(e, j):
    """What the best so many levels lose."""
    return threshold.best_levels(e, j).ratio


def rounded(e, levels):
    """Everybody at the largest of the levels that she allows, or at 0."""
    return np.append(0.0, levels)[np.searchsorted(levels, e, side="right")]


def families(seed):
    """The page's families of budgets, drawn anew."""
    draw = np.random.default_rng(seed)
    found = [draw.uniform(0.5, 2, 1000), draw.lognormal(size=1000), np.exp(draw.uniform(-4, 2, 1000))]
    found += [0.1 / draw.random(1000), np.exp(draw.uniform(-6, -2, 1000)), 0.01 / draw.random(1000)]
    found[4][:10] = np.inf
    return found


def spread(e):
    """The largest over the least positive budget, once they are clipped."""
    clipped = adpm.effective_epsilon(e)
    return clipped.max() / clipped[clipped > 0].min() if np.isfinite(clipped).all() else 1.0


@settings(thorough, max_examples=5)
@given(st.integers(0, 10**6))
@example(20)
def test_few_levels_are_enough_for_four_of_six_families(seed):
    three, five = ([loss(e, j) for e in families(seed)] for j in (3, 5))
    assert max(three[:4]) < 1.2 < min(three[4:]) and max(five[:4]) < 1.1 < min(five[4:])


@thorough
@given(FEW.filter(any), st.lists(st.floats(0.01, 1), min_size=1, max_size=4), st.permutations(range(6)))
@example([1e-3, 2e-3, 4e-3], [0.1, 0.2, 0.4], range(6))
def test_no_weights_of_so_many_sizes_err_less_than_so_many_levels(budgets, sizes, places):
    e, j = np.array(budgets), len(sizes)
    chosen = np.array([sizes[place % j] for place in places])[: e.size] * (e > 0)
    w, best = chosen / chosen.sum(), threshold.best_levels(e, j)
    assert np.unique(best.weights[best.weights > 0]).size <= j
    assert affine.mean_squared_error(w, affine.noise_scale(w, e)) >= best.mse * (1 - 1e-12)


@settings(thorough, max_examples=25)
@given(BUDGETS, st.integers(2, 6))
@example(EVEN, 2)
def test_some_place_of_a_grid_loses_at_most_its_step(e, j):
    clipped = np.minimum(e, min(adpm.clipping_level(e), 1e9))
    least, step = clipped[clipped > 0].min(), spread(e) ** (1 / (j - 1))
    grids = (clipped.max() * step ** -(u + np.arange(j)) for u in np.linspace(0, 1, 41))
    errors = [threshold.affine_mse(rounded(clipped, np.unique([*grid[grid > least], least]))) for grid in grids]
    assert min(errors) <= step**1.02 * (1 + 1e-12) * threshold.affine_mse(e)


@thorough
@given(BUDGETS, st.integers(2, 6))
@example(EVEN, 2)
def test_levels_lose_at_most_a_root_of_the_range(e, j):
    assert loss(e, j) <= spread(e) ** (1 / (j - 1)) * (1 + 1e-12)


@thorough
@given(BUDGETS, st.integers(1, 6))
@example(GEOMETRIC, 1)
def test_fewer_levels_lose_less_than_the_square(e, j):
    k = np.unique(e[e > 0]).size
    assert loss(e, j) < (k / j) ** 2 or j >= k


@thorough
@given(st.floats(1e-8, 1e-3))
def test_other_budgets_are_worse_for_two_levels(scale):
    assert loss(scale * np.array([3, 2, 1]), 2) > loss(scale / np.arange(1, 4), 2)


@thorough
@given(FEW.filter(any), st.integers(1, 4))
@example([1e-3, 0.1, 0.5, 1.0, 2.0], 2)
def test_the_best_levels_are_those_of_all_choices(budgets, j):
    e, levels = np.array(budgets), np.unique([x for x in budgets if x])
    every = combinations(levels, min(j, levels.size))
    best = min(threshold.affine_mse(rounded(e, np.array(chosen))) for chosen in every)
    found = threshold.best_levels(e, j)
    np.testing.assert_allclose(found.mse, best, rtol=1e-12)
    own = affine.mean_squared_error(found.weights, affine.noise_scale(found.weights, e))
    np.testing.assert_allclose(own, best, rtol=1e-12)
