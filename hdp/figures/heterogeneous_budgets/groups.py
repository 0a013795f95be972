"""What the figures of two groups share: the solver's optimum, written without the statements."""

import numpy as np

from hdp import clipping
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1

RATIO = sym.saturation_ratio
SATURATION = epsilon_1 * RATIO


def groups(epsilon_1, epsilon_2, n, f):
    """Two groups as two items of the one lemma: variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


def optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the two groups and the error of the affine estimator, from the solver."""
    variance, cost = groups(epsilon_1, epsilon_2, n, f)
    w = clipping.optimal_weights(variance, cost, 2.0)
    return w, np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2
