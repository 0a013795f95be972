"""The constant for every vector of budgets by search; the best of the argument, in large populations; eq. (43)."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from hdp import minimax
from hdp.sym.heterogeneous_budgets import lower_bound as sym
from hdp.sym.symbols import epsilon_1, f, n
from tests.populations import BUDGETS, thorough


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


@pytest.mark.settles("hdp-le-cam")
@thorough
@given(BUDGETS, st.floats(0, 1), st.floats(0, 1))
@example(np.full(200, 0.115), 0.0, 0.084)
@example(np.full(200, 0.002), 1.0, 1.0)
def test_no_choice_of_users_and_bias_proves_more(epsilon, share, bias):
    """Than those which the library names, with the distance of the tosses by the number of heads."""

    def proved(k, bias):
        tosses, heads = epsilon.size - k, np.arange(epsilon.size - k + 1)
        chances = (binom.pmf(heads, tosses, (1 + sign * bias) / 2) for sign in (1, -1))
        apart = np.abs(np.subtract(*chances)).sum() / 2
        return bias**2 / 4 * (1 - bias * np.tanh(np.sort(epsilon)[:k] / 2).sum() - apart)

    coins = minimax.two_coins(epsilon)
    assert proved(coins.k, coins.delta) == pytest.approx(coins.bound, rel=1e-9)
    assert proved(round(share * epsilon.size), bias) <= coins.bound * (1 + 1e-9)


@pytest.mark.settles("cc-combination")
@pytest.mark.parametrize(
    "first, others, budget", [(100, 0, 0.0035), (100, 0, 0.0036), (100, 1, 0.001), (1, 0, 0.01), (1, 3, 9)], ids=str
)
def test_the_combination_of_capped_bounds_falls_short_at_f_1_only(first, others, budget):
    """Of those of (37) and (42), and of (43): the larger one never does, and at f = 1 only below n eps = 1/sqrt 8."""
    at = {n: first + others, f: sp.Rational(first, first + others), epsilon_1: sp.Rational(str(budget))}
    share, cap = (6 / (6 + 256 * f)).subs(at), sp.Rational(1, 4)
    terms = (1 / (6 * n)).subs(at), sym.inside_42.subs(at)
    capped = 16 * sym.eq_37.subs(at), sp.Min(terms[1], cap)
    of_bounds, of_terms = (share * a + (1 - share) * b for a, b in (capped, terms))
    wanted = sp.Min(of_terms, cap)
    assert max(capped) >= wanted >= sp.Min(sym.inside_43.subs(at), cap)
    short = others == 0 and 8 * (first * budget) ** 2 < 1
    assert of_bounds < wanted if short else of_bounds == wanted
