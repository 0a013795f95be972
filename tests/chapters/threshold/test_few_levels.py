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


# -- What the figures draw, by the library.


def users(j_levels, n):
    """Drop what one part in 2j - 1 of the sum is made of, and round the rest to j levels."""
    j = j_levels
    if j < 2:
        return np.nan
    return np.exp((np.log(n) + np.log(2 * j - 1)) / (j - 1)) / np.square(1 - 1 / (2 * j - 1))


REFERENCES = {
    "cz-few-levels": {
        "at most, k different": lambda j_levels, k: max(1.0, np.square(k / j_levels)) if j_levels >= 1 else np.nan,
        "at most, for this range": lambda j_levels, h_spread: (
            np.exp(np.log(h_spread) / (j_levels - 1)) if j_levels >= 2 else np.nan
        ),
        "at most, for so many": users,
        "levels that suffice": lambda h_spread: np.ceil(np.log(1.1 * h_spread) / np.log(1.1)),
    }
}
