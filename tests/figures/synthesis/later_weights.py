"""Caps of weights, by the solver for two groups of which one is public; of given data by root finding."""

import numpy as np

from hdp import clipping
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
