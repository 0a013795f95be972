"""Caps of weights, by the solver for two groups of which one is public; of given data by root finding."""

import numpy as np
import pytest

from hdp import clipping
from hdp.baselines import BASELINES
from tests.figures.captions import line, positions, says
from tests.figures.heterogeneous_budgets.best_linear import given


def counted(n, f, variance, cost, kappa):
    """Weight of a member of the public group, for one of the strict group; groups are items."""
    sizes = np.array([n * f, n * (1 - f)])
    w = clipping.optimal_weights(variance / sizes, np.array([cost, 0.0]) / sizes, kappa) / sizes
    return w[1] / w[0]


def drawn(n, epsilon_1, f):
    return counted(n, f, 0.25, 1 / epsilon_1, 2.0)


def gaussian(n, epsilon_1, f):
    """Standard deviation 1; the interval has 2 sqrt(log n) of it on either side."""
    return counted(n, f, 1.0, 4 * np.sqrt(np.log(n)) / epsilon_1, 2.0)


def training(n, epsilon_1, f, d_dim):
    return counted(n, f, 0.25, 1 / epsilon_1, d_dim)


REFERENCES = {
    "later-caps": {
        "no curator": lambda epsilon_1: (0.25 + 2 / epsilon_1**2) / 0.25,
        "training": training,
        "Gaussian": gaussian,
        "drawn data": drawn,
        "given data": lambda n, epsilon_1, f: given(n, epsilon_1, f) / epsilon_1,
        "cap with": lambda epsilon_1, f: drawn(1000, epsilon_1, f),
        "the same, given": lambda epsilon_1, f: given(1000, epsilon_1, f) / epsilon_1,
        "the same, training": lambda epsilon_1, f, d_dim: training(1000, epsilon_1, f, d_dim),
    }
}


# -- What the captions say.


@says("later-caps", "without a curator small budgets count nearly by their squares")
def small_budgets_count_by_their_squares(figure):
    """By the library's weights of local reports; the cap is what public users reach."""

    def counts(strict, generous):
        weights = BASELINES["ldpe-users"].mechanism([strict, generous]).weights
        return weights[1] / weights[0]

    for first in positions(figure, "epsilon_1"):
        cap = float(line(figure, "no curator", 100, epsilon_1=first))
        assert counts(first, np.inf) == pytest.approx(cap)
        assert all(counts(first, first * ratio) > ratio for ratio in ((2, 5) if first < 0.1 else (1.5,)))
    assert counts(0.01, 0.02) == pytest.approx(4, rel=1e-3)
