"""The statements on Gaussian noise and on one bit in rho, against the laws and against the library."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy import optimize

from hdp.compare import Population, report_variance
from hdp.release import plan
from hdp.sym.symbols import epsilon
from hdp.sym.use import gaussian_release as sym

least_variance, price = (sp.lambdify(epsilon, stated) for stated in (sym.least_variance, sym.bit_loss))


@pytest.mark.parametrize("budget", [0.1, 1.0, 4.0])
def test_the_cost_of_a_bit_in_rho(budget):
    """The largest divergence over its order, from the two probabilities; orders near 1 come near it."""
    lie = 1 / (1 + math.exp(budget))
    orders = 1 + np.logspace(-4, 4, 60)
    logs = np.logaddexp(
        orders * math.log(1 - lie) + (1 - orders) * math.log(lie),
        orders * math.log(lie) + (1 - orders) * math.log(1 - lie),
    )
    stated = float(sym.bit_loss.subs(epsilon, budget))
    rates = logs / (orders - 1) / orders
    assert rates.max() <= stated and rates[0] == pytest.approx(stated, rel=1e-3)
    found = float(sym.bit_divergence.subs({epsilon: budget, sym.order: 3}))
    assert found == pytest.approx(math.log((1 - lie) ** 3 / lie**2 + lie**3 / (1 - lie) ** 2) / 2, rel=1e-12)
    assert float(sym.concentrated_share.subs(sym.rho_i, 2)) == 2


def chosen(rho, variance):
    """Whether a local user of this budget sends one bit."""
    made = plan(Population([rho] * 2000, "local"), "mixed", noise="gaussian", variance=variance)
    return bool(made.kinds.bit[0])


@pytest.mark.parametrize("variance", [0.09, 0.12, 0.2, 0.24])
def test_a_plan_chooses_one_bit_from_the_stated_variance_on(variance):
    """Up to the budget at which the statement turns, for values of this variance."""
    turn = price(optimize.brentq(lambda e: least_variance(e) - variance, 1e-2, 60))
    assert chosen(turn * (1 - 1e-6), variance) and not chosen(turn * (1 + 1e-6), variance)


def test_a_plan_chooses_one_bit_for_coins_and_noise_for_even_values():
    for rho in (0.02, 0.3, 2.0, 15.0):
        assert chosen(rho, 0.25) and not chosen(rho, 1 / 12)


def test_the_least_variance_rises_from_a_twelfth_to_a_quarter():
    """By the library's variance of one bit, and that of noise; from near the one end to near the other."""
    budgets = np.logspace(-1.5, 4, 300)
    found = report_variance("one-bit", budgets, 0.25, 0.5) - 1 / (2 * budgets * np.tanh(budgets / 2))
    np.testing.assert_allclose(least_variance(budgets), found, rtol=1e-9)
    assert (np.diff(least_variance(budgets)) > 0).all()
    assert found[0] == pytest.approx(1 / 12, rel=1e-3) and found[-1] == pytest.approx(1 / 4, rel=1e-3)
