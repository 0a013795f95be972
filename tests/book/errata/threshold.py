"""The numbers in the errata of Cyffers & Ziani, computed again: for each row, as its text types them."""

from fractions import Fraction

import numpy as np

from hdp import threshold
from tests.oracles import exact_level


def cz_affine_optimal():
    budgets = [Fraction(1)] * 100 + [Fraction(2)] * 100
    level = exact_level(budgets)
    clipped = [min(e, level) for e in budgets]
    risk = (sum(e * e for e in clipped) / 4 + 2) / sum(clipped) ** 2
    assert np.isclose(threshold.affine_mse(np.array(budgets, dtype=float)), float(risk), rtol=1e-14)
    return "100 users with budget 1", "100 with budget 2", str(risk), str(risk / (1 + 4 * risk))
