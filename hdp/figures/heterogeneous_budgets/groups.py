"""What the figures of groups share, written without the statements."""

import numpy as np

from hdp import adpm
from hdp.figures import lemma
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1

RATIO = sym.saturation_ratio
SATURATION = epsilon_1 * RATIO


def saturation(epsilon_1, n, f):
    """Budget of group 2 from which it is clipped."""
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f)


def groups(epsilon_1, epsilon_2, n, f):
    """Two groups as two items of the one lemma: variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


def optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the two groups and the error of the affine estimator, from the solver."""
    return lemma.optimum(*groups(epsilon_1, epsilon_2, n, f))
