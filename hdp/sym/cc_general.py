"""Algorithm 1 of Chaudhuri & Courtade for any vector of budgets: three groups, and log-uniform budgets."""

from itertools import chain, combinations

import sympy as sp

from hdp.sym.symbols import n

cap = sp.Rational(1, 4)

# Three groups: budgets e_i, relative sizes g_i, so that group i has n g_i / (g_1 + g_2 + g_3) users
budgets = sp.symbols("e_1:4", positive=True)
sizes = sp.symbols("g_1:4", positive=True)
users = tuple(n * g / sum(sizes) for g in sizes)
_groups = tuple(zip(users, budgets, strict=True))


def group_level(groups):
    """Level that these groups (users, budget) give if just they lie below it: (8 + sum m e^2) / sum m e."""
    return (8 + sum(m * e**2 for m, e in groups)) / sum(m * e for m, e in groups)


level = sp.Min(*(group_level(c) for c in chain.from_iterable(combinations(_groups, k) for k in (1, 2, 3))))
total = sum(m * sp.Min(e, level) for m, e in _groups)
adpm_mse = sp.Min(level / (4 * total), cap)
proportional_mse = (sum(m * e**2 for m, e in _groups) / 4 + 2) / sum(m * e for m, e in _groups) ** 2
uniform_mse = 1 / (4 * n) + 2 / (n * sp.Min(*budgets)) ** 2
local_mse = 1 / sum(1 / (1 / (4 * m) + 2 / (m * e) ** 2) for m, e in _groups)

# Budgets whose logarithm is uniform on [log a, log b], n of them; L = log(b/a), sums become integrals
low, high = sp.symbols("a b", positive=True)
log_range = sp.log(high / low)
level_inside = low + 4 * sp.sqrt(log_range / n)  # if it lies below b
level_above = (low + high) / 2 + 8 * log_range / (n * (high - low))  # if it does not
log_uniform_level = sp.Piecewise((level_inside, level_inside <= high), (level_above, True))
_clipped = sp.Min(log_uniform_level, high)
log_uniform_total = n / log_range * (_clipped - low + log_uniform_level * sp.log(high / _clipped))
log_uniform_mse = sp.Min(log_uniform_level / (4 * log_uniform_total), cap)
free_share = sp.log(high / _clipped) / log_range  # of users who get privacy for free
