"""At most j levels for k budgets: what they cost, at worst and at least."""

import sympy as sp

from hdp.sym.symbols import n
from hdp.sym.threshold.worst_case import B, geometric_gain, k, m, s

j = sp.Symbol("j_levels", positive=True)  # how many levels there may be
spread = sp.Symbol("h_spread", positive=True)  # largest over smallest clipped budget
dropped = sp.Symbol("eta_dropped", positive=True)  # part of the sum of the budgets that is given up

step = sp.Symbol("g_step", positive=True)  # ratio of neighbours on a grid of levels

# Upper bounds on R_j/R_aff; those of a grid in the best place for j >= 2
by_any_grid = spread ** (2 / j)
average_rest = (1 - 1 / step) / sp.log(step)  # of a budget that is rounded down, over all places of the grid
by_range = spread ** (1 / (j - 1))
by_users = (n / dropped) ** (1 / (j - 1)) / (1 - dropped) ** 2
best_dropped = 1 / (2 * j - 1)
by_users_at_best = (n * (2 * j - 1)) ** (1 / (j - 1)) * ((2 * j - 1) / (2 * j - 2)) ** 2
by_budgets = (k / j) ** 2

# What budgets s/N_i with N_i = m B^(i-1) lose at least, as `geometric_ratio` for one level
geometric_at_least = (geometric_gain / j) ** 2 * 8 / (8 + s**2 / m * (1 + 1 / B - B ** (-k)))


def one_less(sizes):
    """Supremum of R_(k-1)/R_aff over budgets with these increasing counts."""
    widths = [b - a for a, b in zip([0, *sizes], sizes, strict=False)]
    return 1 / (1 - 1 / sum(sp.Rational(b) / d for b, d in zip(sizes, widths, strict=True))) ** 2


def hardest(sizes):
    """Budgets, up to a factor, for which leaving out any one level costs the same."""
    falls = [sp.Rational(1) / (b - a) for a, b in zip([0, *sizes], sizes, strict=False)]
    return [sum(falls[i:]) for i in range(len(falls))]
