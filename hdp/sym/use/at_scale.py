"""Budgets on a grid, the level from two sums, and floats in digits of 18 bits."""

import sympy as sp

from hdp.sym.foundations.one_lemma import VOLUMES, budget_level
from hdp.sym.heterogeneous_budgets.upper_bound import cap, level_error, one_group
from hdp.sym.symbols import epsilon, least, n, tau

digits = sp.Symbol("b_digits", nonnegative=True)  # binary digits after the first that the grid keeps
step = 1 + 2**-digits  # most that a budget is of its neighbour on the grid below
ratio = sp.Symbol("g_ratio", positive=True)  # the same, of any grid
total = sp.Symbol("S_total", positive=True)  # of the clipped budgets

# At the level: the least error before the cap, its part from the noise, and the most that a grid makes of it
least_mse = level_error(tau, total)
noise_mse = 2 / total**2
grid_cost = 1 + 8 * (ratio**2 - 1) / (tau * total)

# The level from the sums of the budgets below it and of their squares
first, second = sp.symbols("S_1 S_2", positive=True)
level = budget_level(first, second, VOLUMES["pure"])


def extra(factor):
    """By how many per cent the error grows if n equal budgets are divided by this factor."""
    error, coarse = (least(one_group(n, budget), cap) for budget in (epsilon, epsilon / factor))
    return 100 * (coarse / error - 1)


whole_step = extra(step)
half_step = extra((1 + step) / 2)
at_most = 100 * (step**2 - 1)

# A float as a whole number in three digits of 18 bits, and the square of that number in six
d = sp.symbols("d_0:3", integer=True, nonnegative=True)
BITS = 18
number = d[0] + 2**BITS * d[1] + 2 ** (2 * BITS) * d[2]
columns = (d[0] ** 2, 2 * d[0] * d[1], 2 * d[0] * d[2] + d[1] ** 2, 2 * d[1] * d[2], d[2] ** 2)
