"""Given data, at its worst: the error of capped weights, its minimum, and the level for two groups."""

import sympy as sp

from hdp.sym.heterogeneous_budgets.upper_bound import level_b
from hdp.sym.symbols import epsilon_1, eta, f, n

strict_users, strict_sum = sp.symbols("k_tau S_tau", positive=True)  # users below the level, sum of their budgets

# Half of what is missing from equal weights if w_i is at most eta epsilon_i
bias = (strict_users / n - eta * strict_sum) / 2
error = bias**2 + 2 * eta**2
best_scale = strict_users * strict_sum / (n * (8 + strict_sum**2))
least = 2 * (strict_users / n) ** 2 / (8 + strict_sum**2)
level = strict_sum / strict_users + 8 / (strict_users * strict_sum)  # 1/(n eta)

# Two groups: n f users with budget epsilon_1, the others at or above the level
_strict = {strict_users: n * f, strict_sum: n * f * epsilon_1}
two_group_level = epsilon_1 + 8 / ((n * f) ** 2 * epsilon_1)
two_group_error = sp.cancel(least.subs(_strict))
drawn_level = sp.expand(level_b)  # for data drawn at random
uniform_error = 2 / (n * epsilon_1) ** 2  # equal weights, the strictest protection for all
gain = 1 + 8 / (n * f * epsilon_1) ** 2  # of unequal weights over equal ones
near_drawn = 80 / (f * epsilon_1**2)  # n at which the level is a tenth above epsilon_1
near_given = sp.sqrt(80) / (f * epsilon_1)
