"""Two kinds of local reports, the best linear release for mixed trust, and its rivals for the book's synthetic file.

In the file are three private budgets and a public one; a share of every private group trusts the curator.  All errors
are worst-case, variance 1/4, on an interval of width 1.
"""

import sympy as sp

from hdp.sym.foundations import one_lemma
from hdp.sym.foundations.one_lemma import alike, level_of, sets_of
from hdp.sym.heterogeneous_budgets.upper_bound import one_group
from hdp.sym.symbols import N_1, N_2, epsilon, epsilon_1, epsilon_2, least, n, put, v
from hdp.sym.use.intervals import own_deviation
from hdp.sym.user_level.model import largest_price

trusting_mse, local_mse = sp.symbols("F_C F_L", positive=True)  # least errors of the two groups alone

# Two unbiased independent answers combined by the inverse of their errors
combined_mse = trusting_mse * local_mse / (trusting_mse + local_mse)
trusting_weight = local_mse / (trusting_mse + local_mse)

# One local report: the value and Laplace noise, or one bit; the second for the mean 1/2, its worst
noisy_variance = v + 2 / epsilon**2
one_bit_variance = sp.coth(epsilon / 2) ** 2 / 4
lie = 1 / (1 + sp.exp(epsilon))  # chance that the bit is turned over
turning_variance = sp.Rational(1, 4) + 1 / (4 * sp.sinh(epsilon / 2) ** 2) - 2 / epsilon**2  # where both are equal
users_for_trust = 8 * sp.sinh(epsilon / 2) ** 2 / epsilon**2  # from so many on, alike and v = 1/4, a curator helps

# The file: budgets, their shares of the private users, and what the reader moves
factor, share, public = sp.symbols("budget_factor theta_C q_public", positive=True)
budgets = tuple(factor * e for e in (sp.Rational(1, 10), sp.Rational(1, 2), sp.Integer(2)))
shares = (sp.Rational(10, 19), sp.Rational(6, 19), sp.Rational(3, 19))
users = tuple(n * (1 - public) * s for s in shares)
_groups = tuple(zip((share * m for m in users), budgets, strict=True))
_quarter = sp.Rational(1, 4)

level = least(*(level_of(chosen, kappa=2) for chosen in sets_of([alike(*group) for group in _groups])))
_curated = sum(m * least(4, e / level) for m, e in _groups) + 4 * n * public  # one over the error, and so below


def _precision(variance):
    """One over the error of reports by all private users."""
    return sum(m / variance.subs({v: _quarter, epsilon: e}) for m, e in zip(users, budgets, strict=True))


# One bit is the better report at variance 1/4; written in exponentials, which browsers have.
_bits = _precision(((sp.exp(epsilon) + 1) / (sp.exp(epsilon) - 1)) ** 2 / 4)
mixed_precision = _curated + (1 - share) * _bits
adpm_mse = least(1 / _curated, _quarter)  # for those who trust the curator, as the next two
file_standard_error = 1 / sp.sqrt(put({factor: 1}, mixed_precision))
file_gain = put({factor: 1}, adpm_mse * mixed_precision)

# Everybody whose budget is at least the threshold, with the noise of that budget; the last one keeps the public values
_counts = tuple(sum(m for m, _ in _groups[j:]) + n * public for j in range(3))
uniform_mse = one_group(_counts[0], budgets[0])
threshold_mse = least(*(one_group(m, e) for m, e in zip(_counts, budgets, strict=True)), 1 / (4 * n * public))

# Nobody trusts anybody; and the best hybrid estimator, at the strictest budget for all
all_local_mse = 1 / (_precision(noisy_variance) + 4 * n * public)
one_bit_mse = 1 / (_bits + 4 * n * public)
_strictest = noisy_variance.subs({v: _quarter, epsilon: budgets[0]})
kvh_mse = combined_mse.subs({trusting_mse: uniform_mse, local_mse: _strictest / (n - _counts[0])})


# -- Several answers from the values of the book's synthetic file: each has its share of every budget.

answers = sp.Symbol("t_answers", positive=True)
most = answers**2  # times the error of one answer, at most


def slope(y):
    """Derivative of t tanh(epsilon/(2 t)) in t at y = epsilon/(2 t); sinh(2 y) is at least 2 y."""
    return (sp.sinh(2 * y) - 2 * y) / (2 * sp.cosh(y) ** 2)


def standard_error(precision):
    """Of each answer, for one over an error as a function of the factor on every budget."""
    return 1 / sp.sqrt(put({factor: 1 / answers}, precision))


mixed = standard_error(mixed_precision)
reported = standard_error(1 / one_bit_mse)
first = file_standard_error
bound = first * sp.sqrt(most)
sampling = own_deviation


# -- The weights of the one lemma for believed variances, when the true ones are others: what that costs.

a, b = sp.symbols("a_ratio b_ratio", positive=True)
rho = sp.Symbol("rho_ratio", positive=True)  # believed over true variance of an item
q = sp.Symbol("q_interval", positive=True)  # the upper end over the lower one

price = largest_price(a, b)
sketched = b / a  # what comparing the two objectives term by term gives
scale_price = largest_price(1, rho)  # of one factor for all variances

# The share of the noise in the least error, if all that the noise limits hardly varies, and the rest is off by rho
wrong_share = sp.Symbol("nu_noise", positive=True)
two_part_loss = (wrong_share + (1 - wrong_share) / rho**2) / (wrong_share + (1 - wrong_share) / rho) ** 2
worst_share = 1 / (1 + rho)

# One unknown factor in an interval, whose ends have the quotient q: the price of the middle, and that of the upper end
middle_price, bound_price = largest_price(1, sp.sqrt(q)), largest_price(1, q)

# Two groups of users with one true variance; both are believed to have some multiple of it
VARIANCE = sp.Rational(1, 64)
rho_1, rho_2 = sp.symbols("rho_1 rho_2", positive=True)
KAPPA = 2
_SIZES, _BUDGETS = (N_1, N_2), (epsilon_1, epsilon_2)


def items(ratios):
    """Both groups as items (v, s), whose variances are these multiples of the true ones."""
    users = zip(ratios, _SIZES, _BUDGETS, strict=True)
    return tuple((ratio * VARIANCE / size, 1 / (size * budget)) for ratio, size, budget in users)


def wrong_level(ratios):
    """Level of the problem with these multiples."""
    return one_lemma.minimum(items(ratios), KAPPA)[0]


def counted(ratios):
    """By which budget a user of each group counts: her own, or less where her variance limits her."""
    h = wrong_level(ratios)
    users = zip(ratios, _BUDGETS, strict=True)
    return tuple(sp.Min(h / (ratio * VARIANCE), budget, evaluate=False) for ratio, budget in users)


def error(ratios):
    """True error of the weights that are best for these multiples."""
    used = counted(ratios)
    spread = sum(size * VARIANCE * p**2 for size, p in zip(_SIZES, used, strict=True))
    noise = sp.Max(*(p / budget for p, budget in zip(used, _BUDGETS, strict=True)), evaluate=False)
    return (spread + KAPPA * noise**2) / sum(size * p for size, p in zip(_SIZES, used, strict=True)) ** 2


wrong_least = one_lemma.minimum(items((1, 1)), KAPPA)[1]
ends = sp.Min(1, rho_1, rho_2), sp.Max(1, rho_1, rho_2)
price_of_both = price.subs(dict(zip((a, b), ends, strict=True)), simultaneous=True)
sketched_of_both = ends[1] / ends[0]
cut = wrong_level((rho_1, rho_1)) / (rho_1 * VARIANCE)  # the level in nats: by more than this nobody counts
true_cut = wrong_level((1, 1)) / VARIANCE
