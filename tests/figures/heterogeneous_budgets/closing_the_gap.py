"""The upper bound over each lower one; that with the best constants by search."""

import numpy as np
from scipy.optimize import minimize_scalar

from hdp import adpm, minimax
from tests.figures.heterogeneous_budgets.groups import in_order, saturation
from tests.figures.heterogeneous_budgets.lower_bound import paper_bound


def best_constants(epsilon_1, epsilon_2, n, f):
    """Maximise the bound over delta and over the three k."""
    influence = np.array([n * f, n * (1 - f)]) * np.tanh([epsilon_1 / 2, epsilon_2 / 2])
    private, others = np.cumsum([0, *influence]), np.array([n, n * (1 - f)])
    slopes = private + np.append(np.sqrt(2 / np.pi * (others + 1)), 0.0)
    found = [
        minimize_scalar(
            lambda d, a=a: -(d**2) / 4 * (1 - a * d), (0, min(1, 1 / a)), bounds=(0, 1), options={"xatol": 1e-9 / a}
        )
        for a in slopes
    ]
    return max(*(-s.fun for s in found), *((1 - slopes) / 4))  # delta = 1 is an end of the range


def over(bound):
    """The upper bound divided by this one."""
    return in_order(lambda *point: adpm.two_group_bound(*point) / bound(*point))


REFERENCES = {
    "cc-lower-gap": {
        "Theorem 2": over(minimax.lower_bound),
        "Lemma 4": over(lambda *point: max(paper_bound(k, *point) for k in range(3))),
        "closed form": over(best_constants),
        "40": 40.0,
        "saturation": saturation,
    }
}
