"""The answers that the first page draws are of the law that the library states for each way."""

import numpy as np
import pytest
from scipy import stats

from hdp import adpm, threshold
from hdp.compare.local_reports import flip_probability
from hdp.explore.evaluate import draw_values
from hdp.explore.layers import Draws
from hdp.figures.foundations.vessels import vessels as FIGURE
from tests.figures.foundations.vessels import squared, users

MANY = {f"members_{i}": 1000.0 for i in range(1, 9)}
FEW = {"groups": 2.0, "allows_1": 1.7, "allows_2": 2.0, "members_1": 1.0, "members_2": 1.0}
POPULATIONS = [{}, MANY, FEW]


def laws(at):
    """What each answer's noise is drawn from: Laplace noise, and of local reports what the lies make of their sum."""
    budgets = users(at)
    best = threshold.best_threshold(budgets)
    over = np.tanh(budgets / 2)  # what undoes the lies divides by it
    chance = flip_probability(budgets)
    lies = np.sum(over**2 * chance * (1 - chance)) / np.sum(over**2) ** 2
    return [
        stats.laplace(scale=1 / np.sum(np.minimum(budgets, adpm.clipping_level(budgets)))),
        stats.laplace(scale=1 / (np.count_nonzero(budgets >= best) * best)),
        stats.norm(scale=np.sqrt(lies)),
        stats.laplace(scale=1 / (budgets.size * budgets.min())),
    ]


@pytest.mark.parametrize("changed", POPULATIONS, ids=["of the page", "many", "two"])
def test_the_drawn_answers_are_of_the_stated_law(changed):
    at = FIGURE.values(**changed)
    layers = [layer for layer in FIGURE.layers if isinstance(layer, Draws)]
    for layer, law, error in zip(layers, laws(at), squared(at), strict=True):
        drawn = draw_values(FIGURE, layer, at, 10_000)[0]
        if error < 0.25:
            assert stats.kstest(drawn, law.cdf).pvalue > 0.001, layer.label
        else:  # the middle of the interval needs no noise
            assert not np.any(drawn), layer.label
