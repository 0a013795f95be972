"""Algorithm 1 of Chaudhuri & Courtade and its rivals for three groups of budgets; `log_uniform` goes on."""

import sympy as sp

from hdp.sym.foundations.one_lemma import alike, level_of, sets_of
from hdp.sym.heterogeneous_budgets.experiments import t
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
# such level counts (`populations` proves that this is the rule by sorted users)
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

# SM: the sample size M has mean mu; E[1/(4M) + 2/(Mt)^2] lies between these two for mu > 1 (`populations` proves it)
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
