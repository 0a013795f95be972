"""Budgets whose logarithm is uniform on [log a, log b], n of them, sums read as integrals: levels, weights, errors."""

import sympy as sp

from hdp.sym.heterogeneous_budgets.experiments import fme_all_clipped, v
from hdp.sym.heterogeneous_budgets.general_budgets import budget, cap, mu, sampling_lower, t
from hdp.sym.heterogeneous_budgets.upper_bound import clipped_error, level_error, one_group
from hdp.sym.symbols import n

low, high = sp.symbols("a b", positive=True)
log_range = sp.log(high / low)  # L; the density of budgets is n/(L epsilon)
total_budget = n * (high - low) / log_range
total_square = n * (high**2 - low**2) / (2 * log_range)

# ADPM
level_inside = low + 4 * sp.sqrt(log_range / n)  # if it lies below b
level_above = (low + high) / 2 + 8 * log_range / (n * (high - low))  # if it does not
level = sp.Piecewise((level_inside, level_inside <= high), (level_above, True))
_clipped = sp.Min(level, high)
adpm_total = n / log_range * (_clipped - low + level * sp.log(high / _clipped))
adpm_mse = sp.Min(level_error(level, adpm_total), cap)
free_share = sp.log(high / _clipped) / log_range  # of users who get privacy for free

# PropDPM, UNI, and LDPE with every user a group of her own
proportional_mse = clipped_error(total_budget, total_square)
uniform_mse = one_group(n, low)
local_precision = 4 * budget**2 / (budget**2 + 8)  # of one user's noisy value, at variance 1/4
local_total = 2 * n / log_range * sp.log((high**2 + 8) / (low**2 + 8))
local_mse = 1 / local_total

# FME (our reconstruction): budgets are clipped where eps^2 log(b/eps) first exceeds L/n.  With y = log(b/eps) this is
# 2y - log(y) = c, whose larger root is the limit of y -> (c + log y)/2; one Newton step ends the iteration.
# Unevaluated where sympy would try to decide the signs of so deep an expression.
fme_constant = sp.log(n * high**2 / log_range)  # c
fme_depth = fme_constant
for _ in range(18):
    fme_depth = (fme_constant + sp.log(fme_depth, evaluate=False)) / 2
fme_depth = fme_depth * (sp.log(fme_depth, evaluate=False) + fme_constant - 1) / (2 * fme_depth - 1)


def fme_sums(y):
    """Level, sum of clipped budgets and sum of their squares where y = log(b/level)."""
    crossing = high * sp.exp(-y, evaluate=False)
    return (
        crossing,
        n / log_range * (crossing * (1 + y) - low),
        n / (2 * log_range) * (crossing**2 - low**2) + 1,
    )


def _fme(everybody, nobody, crossing):
    """Everybody is clipped, at 1/sqrt(n), or nobody is, or those beyond the crossing."""
    falls = log_range <= sp.Rational(1, 2)  # eps^2 log(b/eps) does so from a on, and was too small there
    nowhere = sp.Or(n * high**2 <= 2 * sp.E * log_range, falls)
    return sp.Piecewise((everybody, n * low**2 > 1), (nobody, nowhere), (crossing, True))


_crossing, _sum, _square = fme_sums(fme_depth)
fme_level = _fme(1 / sp.sqrt(n), high, _crossing)
fme_mse = _fme(fme_all_clipped.subs(v, cap), proportional_mse, clipped_error(_sum, _square))

# n times the weight of a user with budget `budget`: 1 is an equal share
fme_weight = _fme(1, n * budget / total_budget, n * sp.Min(budget, _crossing, evaluate=False) / _sum)
adpm_weight = n * sp.Min(budget, level) / adpm_total
proportional_weight = n * budget / total_budget
local_weight = n * local_precision / local_total

# SM: the mean sample size needs the integral of (e^x - 1)/x, whose series is cut where it no longer counts: after 45
# terms up to 10, after 20 up to 1/2
TERMS = {high: 45, low: 20}


def entire_integral(x):
    """Integral of (e^s - 1)/s from 0 to x: the first terms x^k/(k k!) of its series."""
    return sp.Add(*(x**k / (k * sp.factorial(k)) for k in range(1, TERMS[x] + 1)))


sample_size = n / log_range * (entire_integral(high) - entire_integral(low)) / (sp.exp(high) - 1)
sampling_mse_lower = sampling_lower.subs({mu: sample_size, t: high})
