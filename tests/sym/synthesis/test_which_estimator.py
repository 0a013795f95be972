"""Local reports and what the curator's noise could be: the statements beside routes of their own."""

import numpy as np
import pytest
import sympy as sp

from hdp.sym.symbols import v
from hdp.sym.synthesis import which_estimator as sym
from hdp.sym.synthesis.which_estimator import epsilon


def test_one_bit_wins_exactly_where_the_page_says():
    """On a grid of budgets and variances, on both sides of where the two reports vary alike."""
    stated = sym.noisy_variance, sym.one_bit_variance, sym.turning_variance
    noisy, bit, turn = (sp.lambdify((epsilon, v), e) for e in stated)
    root = float(sp.nsolve(epsilon * sp.coth(epsilon / 2) - 2 * sp.sqrt(2), 2))
    assert 2.3 < root < 2.35
    for budget in np.geomspace(0.02, 30, 400):
        where = turn(budget, 0.25)
        assert (where <= 0) == (budget <= root) and where < 0.25
        for u in np.concatenate([np.linspace(1e-6, 0.25, 60), [where * (1 - 1e-6), where * (1 + 1e-6)]]):
            if 0 < u <= 0.25:
                assert (bit(budget, u) < noisy(budget, u)) == (u > where)
        # written anew: Bernoulli reports of size coth / 2, against the value and Laplace noise
        assert bit(budget, 0.1) == pytest.approx(((1 + np.exp(-budget)) / (1 - np.exp(-budget)) / 2) ** 2, rel=1e-9)
        assert noisy(budget, 0.1) == pytest.approx(0.1 + 2 * budget**-2, rel=1e-12)
