"""The linear release with the least worst-case error: weights a_i, of any sum, and one Laplace noise."""

import sympy as sp

from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.heterogeneous_budgets.upper_bound import level_b
from hdp.sym.symbols import epsilon_1, eta, f, n, r

# Of the clipped budgets min(epsilon_i, theta): their sum, their Euclidean norm, and the level theta
total, norm, level = sp.symbols("S_clipped q_clipped theta_release", positive=True)
rest = sp.Symbol("D_rest", positive=True)  # max(q, 8/S), which is to 1 - sum a as S is to sum a

# The level solves this: what it is 0 for, as a function of the level rising
level_equation = total - norm**2 / level - 8 / level - 8 / norm

# Scale of the noise, a_i = scale min(epsilon_i, theta); least worst-case error
scale = 1 / (total + rest)
least_error = (rest**2 + 8) / (4 * (total + rest) ** 2)

# Where the product of the sum and the norm of all budgets is at most 8, nobody is clipped, and the rest is 8/S
few_error = 2 / (total**2 + 8)

# n public users: the rest is the norm, sqrt(n) times a budget that grows without bound
public_error = 1 / (4 * (1 + sp.sqrt(n)) ** 2)

# The error lies between these, where B is that of the best weights with the sum 1; the largest gain over Algorithm 1
B = upper.affine_error
floor, ceiling = B / (1 + 2 * sp.sqrt(B)) ** 2, upper.shrunk_bound
largest_gain = sp.Integer(4)

# Two groups.  Were group 1 alone below the level, one over the level would be the root of a convex function, to which
# Newton's steps from 0 lead.  Four give the level to the digits of a float, three the error, which is flat there.
_sum_1, _squares_1, _users_2 = n * f * epsilon_1, n * f * epsilon_1**2, n * (1 - f)


def newton(x):
    """One step of Newton's method for one over the level."""
    root = sp.sqrt(_users_2 + _squares_1 * x**2)
    return (_sum_1 - 8 * _squares_1 * (x / root) ** 3) / (_squares_1 + 8 + 8 * _users_2 / root**3)


_third = newton(newton(newton(sp.Integer(0))))
saturation = 1 / newton(_third) / epsilon_1  # level over epsilon_1, if group 2 reaches it
_clipped = sp.Min(r * epsilon_1, 1 / _third)
_total, _norm = _sum_1 + _users_2 * _clipped, sp.sqrt(_squares_1 + _users_2 * _clipped**2)
two_group_error = least_error.subs({total: _total, norm: _norm}).subs(rest, sp.Max(_norm, 8 / _total, evaluate=False))

# Algorithm 1 on the same groups, r = epsilon_2/epsilon_1
_ratios = {upper.R: upper.saturation_ratio}
two_group_switched = sp.Min(
    sp.Piecewise(
        (upper.bound_a_in_ratios.subs(_ratios), r <= upper.saturation_ratio),
        (upper.bound_b_in_ratios.subs(_ratios), True),
    ),
    upper.cap,
)
gain = two_group_switched / two_group_error


# -- Given data, at its worst: the error of capped weights, its minimum, and the level for two groups.

strict_users, strict_sum = sp.symbols("k_tau S_tau", positive=True)  # users below the level, sum of their budgets

# Half of what is missing from equal weights if w_i is at most eta epsilon_i
bias = (strict_users / n - eta * strict_sum) / 2
error = bias**2 + 2 * eta**2
best_scale = strict_users * strict_sum / (n * (8 + strict_sum**2))
least = 2 * (strict_users / n) ** 2 / (8 + strict_sum**2)
given_level = strict_sum / strict_users + 8 / (strict_users * strict_sum)  # 1/(n eta)

# Two groups: n f users with budget epsilon_1, the others at or above the level
_strict = {strict_users: n * f, strict_sum: n * f * epsilon_1}
two_group_level = epsilon_1 + 8 / ((n * f) ** 2 * epsilon_1)
given_two_group_error = sp.cancel(least.subs(_strict))
drawn_level = sp.expand(level_b)  # for data drawn at random
uniform_error = 2 / (n * epsilon_1) ** 2  # equal weights, the strictest protection for all
given_gain = 1 + 8 / (n * f * epsilon_1) ** 2  # of unequal weights over equal ones
near_drawn = 80 / (f * epsilon_1**2)  # n at which the level is a tenth above epsilon_1
near_given = sp.sqrt(80) / (f * epsilon_1)
