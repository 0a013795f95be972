"""What several answers from the same values cost each of them."""

import numpy as np
import pytest
import sympy as sp

from hdp import compare
from hdp.sym.synthesis import from_file_to_answer as sym


def asked(budgets, trust, times):
    """Each of so many releases, for users of the largest variance."""
    return compare.mixed_release(compare.Population(budgets / times, trust))


def test_asking_again_costs_at_most_the_square():
    """Never less than one answer, never more than the square, which few users with small budgets nearly pay."""
    rng, dearest = np.random.default_rng(9), 0.0
    most = sp.lambdify(sym.answers, sym.most)
    for _ in range(60):
        budgets = 10 ** rng.uniform(-2, 1, rng.integers(1, 40))
        trust = rng.choice(compare.TRUST, budgets.size)
        one, times = asked(budgets, trust, 1), rng.uniform(1, 20)
        each = asked(budgets, trust, times)
        factor = each.error() / one.error()
        assert 1 - 1e-12 <= factor <= most(times) * (1 + 1e-12)
        assert np.all(times * each.privacy_loss() <= budgets * (1 + 1e-12))
        dearest = max(dearest, factor / times**2)
    assert dearest > 0.97
    few, public = np.full(5, 0.01), np.full(5, np.inf)
    assert asked(few, "curator", 10).error() / asked(few, "curator", 1).error() == pytest.approx(100, rel=1e-3)
    assert asked(public, "curator", 10).error() == asked(public, "curator", 1).error()


def test_one_bit_loses_less_than_its_budget():
    """The slope of t tanh(epsilon/2t) by differences, and its sign."""
    for y in np.geomspace(0.01, 20, 30):
        half, step = y, 1e-4  # at t = 1, epsilon / 2 = y
        found = ((1 + step) * np.tanh(half / (1 + step)) - (1 - step) * np.tanh(half / (1 - step))) / (2 * step)
        stated = float(sym.slope(sp.Float(y, 30)))
        assert stated >= 0 and stated == pytest.approx(found, rel=1e-3, abs=1e-7)
