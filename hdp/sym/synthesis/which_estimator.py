"""Two kinds of local reports, the best linear release for mixed trust, and its rivals for the book's synthetic file.

In the file are three private budgets and a public one; a share of every private group trusts the curator.  All errors
are worst-case, variance 1/4, on an interval of width 1.
"""

import sympy as sp

from hdp.sym.foundations.one_lemma import alike, level_of, sets_of
from hdp.sym.heterogeneous_budgets.upper_bound import one_group
from hdp.sym.symbols import epsilon, least, n, put, v

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
