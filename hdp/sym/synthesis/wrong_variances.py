"""The weights of the one lemma for believed variances, when the true ones are others: what that costs.

Beliefs over true variances lie between a and b, and a <= 1 <= b, because the noise is known: it counts as an item
whose variance is believed as it is.
"""

import sympy as sp

from hdp.sym.foundations import one_lemma
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2
from hdp.sym.user_level.model import largest_price

a, b = sp.symbols("a_ratio b_ratio", positive=True)
rho = sp.Symbol("rho_ratio", positive=True)  # believed over true variance of an item
q = sp.Symbol("q_interval", positive=True)  # the upper end over the lower one

price = largest_price(a, b)
sketched = b / a  # what comparing the two objectives term by term gives
scale_price = largest_price(1, rho)  # of one factor for all variances

# The share of the noise in the least error, if all that the noise limits hardly varies, and the rest is off by rho
share = sp.Symbol("nu_noise", positive=True)
two_part_loss = (share + (1 - share) / rho**2) / (share + (1 - share) / rho) ** 2
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


def level(ratios):
    """Level of the problem with these multiples."""
    return one_lemma.minimum(items(ratios), KAPPA)[0]


def counted(ratios):
    """By which budget a user of each group counts: her own, or less where her variance limits her."""
    h = level(ratios)
    users = zip(ratios, _BUDGETS, strict=True)
    return tuple(sp.Min(h / (ratio * VARIANCE), budget, evaluate=False) for ratio, budget in users)


def error(ratios):
    """True error of the weights that are best for these multiples."""
    used = counted(ratios)
    spread = sum(size * VARIANCE * p**2 for size, p in zip(_SIZES, used, strict=True))
    noise = sp.Max(*(p / budget for p, budget in zip(used, _BUDGETS, strict=True)), evaluate=False)
    return (spread + KAPPA * noise**2) / sum(size * p for size, p in zip(_SIZES, used, strict=True)) ** 2


least = one_lemma.minimum(items((1, 1)), KAPPA)[1]
ends = sp.Min(1, rho_1, rho_2), sp.Max(1, rho_1, rho_2)
price_of_both = price.subs(dict(zip((a, b), ends, strict=True)), simultaneous=True)
sketched_of_both = ends[1] / ends[0]
cut = level((rho_1, rho_1)) / (rho_1 * VARIANCE)  # the level in nats: by more than this nobody counts
true_cut = level((1, 1)) / VARIANCE
