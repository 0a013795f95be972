"""A few levels instead of a budget for each: any groups of users, and families of budgets."""

from itertools import product

import numpy as np
import pytest

from hdp import threshold
from tests.oracles import exact_mse, inf


@pytest.mark.settles("hdp-few-best")
@pytest.mark.parametrize("epsilon", [[1e-3, 0.1, 0.5, 1.0, 2.0], [0.0, 0.2, 3.0, 4.0, 25.0], [1.0, 2.0, 9.0, inf]])
def test_no_weights_of_so_many_sizes_err_less_than_so_many_levels(epsilon):
    """Users who weigh alike in every possible way, each group with its least budget; some such groups attain it."""
    for j in (1, 2, 3):
        errors = []
        for group in product(range(j + 1), repeat=len(epsilon)):  # the first is not used
            least = {own: min(e for e, g in zip(epsilon, group, strict=True) if g == own) for own in group}
            alike = [least[own] if own else 0 for own in group]
            errors += [exact_mse(alike)] if any(alike) else []
        best = threshold.best_levels(epsilon, j)
        assert best.mse == pytest.approx(float(min(errors)), rel=1e-12)
        assert np.unique(best.weights[best.weights > 0]).size <= j


def test_three_levels_are_enough_for_four_of_six_families():
    """The page's families: a fifth above the least error at most; two levels are enough for three."""
    draw = np.random.default_rng(20)
    families = [draw.uniform(0.5, 2, 1000), draw.lognormal(size=1000), np.exp(draw.uniform(-4, 2, 1000))]
    families += [0.1 / draw.random(1000), np.exp(draw.uniform(-6, -2, 1000)), 0.01 / draw.random(1000)]
    families[4][:10] = inf
    near = [[threshold.best_levels(epsilon, j).ratio <= 1.2 for epsilon in families] for j in (2, 3)]
    assert near == [[True, True, False, True, False, False], [True, True, True, True, False, False]]
