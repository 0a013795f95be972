"""The constant for every vector of budgets, found again by numerical search."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from hdp.sym.heterogeneous_budgets import lower_bound as sym


def steepest(theta):
    """The largest square of the slope over total weight, in units of the level, if privacy limits those below theta.

    The limited ones have at most 8/(1 - theta) of the weight, and each of the others at least theta.
    """
    limited = np.linspace(0, 8 / (1 - theta), 201)[:, None]
    others = np.geomspace(1e-3, 1e4, 4001)
    return np.max((limited / 2 + np.sqrt(others / theta)) ** 2 / (limited + others))


@pytest.mark.settles("hdp-any-budgets-constant")
def test_the_constant_is_that_of_the_best_share():
    """The bound of two coins is at least 1 over 27 times the square of the slope; the error is 1/4 of the inverse."""
    best = minimize_scalar(steepest, bounds=(0.05, 0.95), method="bounded")
    assert np.isclose(best.fun * 27 / 4, float(sym.any_budgets_factor), rtol=1e-5)
    assert np.isclose(best.x, np.sqrt(2) - 1, atol=1e-2)
    assert sym.any_budgets_factor < 40
