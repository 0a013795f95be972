"""Bounds by the library, and eqs. (37) to (39) at the paper's delta."""

import numpy as np

from hdp import adpm, minimax
from tests.figures.heterogeneous_budgets.groups import in_order, saturation


def paper_bound(k, epsilon_1, epsilon_2, n, f):
    """delta^2/16 for nobody's privacy, that of group 1, and that of all."""
    private = np.cumsum([0, 2 * n * f * epsilon_1, 2 * n * (1 - f) * epsilon_2])
    slopes = private + np.array([np.sqrt(1.5 * n), np.sqrt(32 * n * (1 - f)), 0.0])
    return min(0.5 / slopes[k], 0.5) ** 2 / 16


REFERENCES = {
    "cc-lower-bounds": {
        "Theorem 1": in_order(adpm.two_group_bound),
        "(37)": in_order(lambda *point: paper_bound(0, *point)),
        "(38)": in_order(lambda *point: paper_bound(1, *point)),
        "(39)": in_order(lambda *point: paper_bound(2, *point)),
        "Theorem 2": in_order(minimax.lower_bound),
        "saturation": saturation,
    }
}
