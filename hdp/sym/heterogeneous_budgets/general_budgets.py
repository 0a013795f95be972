"""Algorithm 1 of Chaudhuri & Courtade and its rivals for three groups of budgets; `log_uniform` goes on."""

import sympy as sp

from hdp.sym.foundations.one_lemma import alike, level_of, sets_of
from hdp.sym.heterogeneous_budgets.experiments import fme_all_clipped, t, v
from hdp.sym.heterogeneous_budgets.upper_bound import cap, clipped_error, level_error, one_group, sampling_probability
from hdp.sym.symbols import epsilon as budget
from hdp.sym.symbols import epsilon_1, epsilon_2, least, n

# Three groups: budgets e_i, relative sizes g_i, so that group i has n g_i / (g_1 + g_2 + g_3) users
budgets = sp.symbols("e_1:4", positive=True)
sizes = sp.symbols("g_1:4", positive=True)
users = tuple(n * g / sum(sizes) for g in sizes)
_groups = tuple(zip(users, budgets, strict=True))


def group_level(groups):
    """Level that these groups (users, budget) give if just they lie below it: 4 times the lemma's, as a budget."""
    return 4 * level_of([alike(*group) for group in groups], kappa=2)


subsets = sets_of(_groups)
level = least(*map(group_level, subsets))
total = sum(m * least(e, level) for m, e in _groups)
adpm_mse = least(level_error(level, total), cap)
proportional_mse = clipped_error(sum(m * e for m, e in _groups), sum(m * e**2 for m, e in _groups))
strictest = sp.Min(*budgets)
uniform_mse = one_group(n, strictest)
local_mse = 1 / sum(1 / one_group(m, e) for m, e in _groups)

# FME (our reconstruction): a set of groups with N users whose budgets all exceed 1/sqrt(N) is clipped there; the least
# such level counts (`general-budgets` proves that this is the rule by sorted users)
loosest = sp.Max(*budgets)


def fme_candidate(groups):
    """1/sqrt(N) if these groups (users, budget) all allow more, otherwise infinity, which clips nobody."""
    level = 1 / sp.sqrt(sum(m for m, _ in groups))
    return sp.Piecewise((level, sp.Min(*(e for _, e in groups)) > level), (sp.oo, True))


fme_level = least(*map(fme_candidate, subsets))
# A number that changes with the set of groups that is clipped
fme_set = sp.floor(10**6 * fme_level * sp.sqrt(n) + sp.Rational(1, 2))
fme_total = sum(m * least(e, fme_level) for m, e in _groups)
fme_mse = clipped_error(fme_total, sum(m * least(e, fme_level) ** 2 for m, e in _groups))

# SM: the sample size M has mean mu; E[1/(4M) + 2/(Mt)^2] lies between these two for mu > 1 (proved there, too)
mu = sp.Symbol("mu", positive=True)
sampling_lower = one_group(mu, t)
sampling_upper = 1 / (4 * (mu - 1)) + 2 / t**2 * (1 / (mu - 1) ** 2 + 3 / (mu - 1) ** 3)
sample_size = sum(m * sampling_probability.subs({epsilon_1: e, epsilon_2: loosest}) for m, e in _groups)
sampling_mse_lower = sampling_lower.subs({mu: sample_size, t: loosest})

# n times the weight of a user with budget `budget` beside the three groups: 1 is an equal share
equal_weight = sp.Integer(1)
adpm_weight = n * least(budget, level) / total
proportional_weight = n * budget / sum(m * e for m, e in _groups)
fme_weight = n * least(budget, fme_level) / fme_total


# -- Budgets whose logarithm is uniform on [log a, log b], n of them, sums read as integrals: levels, weights, errors.

low, high = sp.symbols("a b", positive=True)
log_range = sp.log(high / low)  # L; the density of budgets is n/(L epsilon)
total_budget = n * (high - low) / log_range
total_square = n * (high**2 - low**2) / (2 * log_range)

# ADPM
level_inside = low + 4 * sp.sqrt(log_range / n)  # if it lies below b
level_above = (low + high) / 2 + 8 * log_range / (n * (high - low))  # if it does not
spread_level = sp.Piecewise((level_inside, level_inside <= high), (level_above, True))
_clipped = sp.Min(spread_level, high)
adpm_total = n / log_range * (_clipped - low + spread_level * sp.log(high / _clipped))
spread_adpm_mse = sp.Min(level_error(spread_level, adpm_total), cap)
free_share = sp.log(high / _clipped) / log_range  # of users who get privacy for free

# PropDPM, UNI, and LDPE with every user a group of her own
spread_proportional_mse = clipped_error(total_budget, total_square)
spread_uniform_mse = one_group(n, low)
local_precision = 4 * budget**2 / (budget**2 + 8)  # of one user's noisy value, at variance 1/4
local_total = 2 * n / log_range * sp.log((high**2 + 8) / (low**2 + 8))
spread_local_mse = 1 / local_total

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
spread_fme_level = _fme(1 / sp.sqrt(n), high, _crossing)
spread_fme_mse = _fme(fme_all_clipped.subs(v, cap), spread_proportional_mse, clipped_error(_sum, _square))

# n times the weight of a user with budget `budget`: 1 is an equal share
spread_fme_weight = _fme(1, n * budget / total_budget, n * sp.Min(budget, _crossing, evaluate=False) / _sum)
spread_adpm_weight = n * sp.Min(budget, spread_level) / adpm_total
spread_proportional_weight = n * budget / total_budget
local_weight = n * local_precision / local_total

# SM: the mean sample size needs the integral of (e^x - 1)/x, whose series is cut where it no longer counts: after 45
# terms up to 10, after 20 up to 1/2
TERMS = {high: 45, low: 20}


def entire_integral(x):
    """Integral of (e^s - 1)/s from 0 to x: the first terms x^k/(k k!) of its series."""
    return sp.Add(*(x**k / (k * sp.factorial(k)) for k in range(1, TERMS[x] + 1)))


spread_sample_size = n / log_range * (entire_integral(high) - entire_integral(low)) / (sp.exp(high) - 1)
spread_sampling_mse_lower = sampling_lower.subs({mu: spread_sample_size, t: high})
