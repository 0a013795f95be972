"""Two groups: as items of the one lemma, and as budgets of users."""

from functools import lru_cache

import numpy as np

from hdp import adpm
from tests.figures import lemma


def items(epsilon_1, epsilon_2, n, f):
    """Variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


@lru_cache(maxsize=1024)
def optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the groups and the error of the affine estimator, from the solver."""
    return lemma.optimum(*items(epsilon_1, epsilon_2, n, f))


def budgets(epsilon_1, epsilon_2, n, f):
    first = round(n * f)
    return np.repeat([epsilon_1, epsilon_2], [first, round(n) - first])


def saturation(epsilon_1, n, f):
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f)


def in_order(function):
    """Nothing is drawn where group 2 is the stricter one."""

    def drawn(epsilon_1, epsilon_2, n, f):
        return function(epsilon_1, epsilon_2, n, f) if epsilon_2 >= epsilon_1 else np.nan

    return drawn
