r"""Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022) with a budget for each user.

What first estimates cost that are right up to constants, what share of all weight the middle has, how good the first
mean is, and the error of a release whose weights are made for estimates.
"""

import sympy as sp

from hdp.sym.foundations.one_lemma import alike, level_of, minimum
from hdp.sym.symbols import eta
from hdp.sym.user_level.private import beta, laplace_variance

# One user: V is half her variance, N what her noise adds, both for the weight 1; her weight is made for c V + s N
V, N = sp.symbols("V_half N_noise", nonnegative=True)
c, s = sp.symbols("c_variance s_width", positive=True)  # c in [1, 2 (g - 1)], s at most g
g = sp.Symbol("g_width", positive=True)
believed = c * V + s * N
paid = 2 * V + s * N  # what she adds to the error
least = V + N  # what she adds to the best error at least
largest_c = 2 * (g - 1)
price = g + 1 / (4 * (g - 1))
line = 2 * g - 1  # (g - 1) paid / believed + believed / least is at most this
sharp_weight = 1 / (2 * (g - 1))  # of the user without noise, if the other has nothing but noise

# Squared intervals are at most g times too long if the middle has at most q times the samples of the head's poorest
q = sp.Symbol("q_samples", positive=True)
proportional = (1 + sp.sqrt(1 + 8 * q)) ** 2
sub_gaussian = (2 + 2 * sp.sqrt(2 * q)) ** 2

# The share of the middle and the constant of the theorem
omega = sp.Symbol("omega_share", positive=True)
constant = price / omega**2
equal_budgets = constant.subs({g: proportional.subs(q, 1), omega: sp.Rational(1, 2)})

# The first mean: chances that its noise, or its sampling error, exceeds t, for weights of Euclidean norm w
norm, t = sp.symbols("w_norm t_far", positive=True)
laplace_tail = sp.exp(-t / eta)
hoeffding_tail = 2 * sp.exp(-2 * t**2 / norm**2)
first_terms = (eta * sp.log(2 / beta), norm * sp.sqrt(sp.log(4 / beta) / 2))


def first_mean(sizes, budgets):
    """Scale of the noise and squared norm of the weights of hdp.adpm for two kinds of users, the stricter first."""
    items = [alike(size, budget) for size, budget in zip(sizes, budgets, strict=True)]
    level = 4 * sp.Min(level_of(items[:1], 2), level_of(items, 2), evaluate=False)
    clipped = [sp.Min(budget, level) for budget in budgets]
    total = sum(size * budget for size, budget in zip(sizes, clipped, strict=True))
    return 1 / total, sum(size * budget**2 for size, budget in zip(sizes, clipped, strict=True)) / total**2


def released(sizes, believed, true, widths, budgets):
    """Error of the one lemma's weights for believed variances, where these are true: the noise is 2 / level^2."""
    items = [(v / m, d / (m * e)) for m, v, d, e in zip(sizes, believed, widths, budgets, strict=True)]
    level, _ = minimum(items, laplace_variance)
    w = [sp.Min(1 / v, e / (level * d), evaluate=False) for v, d, e in zip(believed, widths, budgets, strict=True)]
    squares = sum(m * x**2 * v for m, x, v in zip(sizes, w, true, strict=True))
    return (squares + laplace_variance / level**2) / sum(m * x for m, x in zip(sizes, w, strict=True)) ** 2
