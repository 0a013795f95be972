"""Buying privacy: the level of prices, the error of what is bought, and what is bought at a rate."""

import sympy as sp

from hdp.sym.foundations import one_lemma as lemma
from hdp.sym.symbols import n

price, money = sp.symbols("c_i B_money", positive=True)  # of one nat of a user; what may be spent
price_level = sp.Symbol(r"\ell_price", positive=True)
mean_price = sp.Symbol("m_w", positive=True)  # sum of the w_i c_i

# What is bought of a user below the level, and her weight
loss = 8 * (price_level - price) / money
weight = 8 * mean_price * (price_level - price) / money**2
multiplier = 4 * mean_price * price_level / money**2  # the slope of the error in the weight of who is asked
VOLUME = money**2 / 8


def solution(prices, volume=VOLUME):
    """Level and error for sorted prices: the level is the least that any of the cheapest would give."""
    asked = (prices[:k] for k in range(1, len(prices) + 1) if prices[k - 1])
    levels = (lemma.budget_level(sum(chosen), sum(c**2 for c in chosen), volume) for chosen in asked)
    level = sp.Min(*levels, evaluate=False)
    return level, level / (4 * sum(sp.Max(level - c, 0) for c in prices))


# One price c for all n: error for a sum of money; total loss, payment and error where error and payment are least
one_price_error = 1 / (4 * n) + 2 * (price / money) ** 2
rate = sp.Symbol("lambda_rate", positive=True)  # squared error that a unit of money is worth
one_price_total = sp.cbrt(4 / (rate * price))
one_price_payment = sp.cbrt(4 * (rate * price) ** 2) / rate
one_price_least = 1 / (4 * n) + sp.Rational(3, 2) * sp.cbrt(4 * (rate * price) ** 2)
dearest = ((1 - 1 / n) / 6) ** sp.Rational(3, 2) / (2 * rate)  # from this price on nobody is asked

# At a rate, as a function of the total loss u, as long as just the k cheapest are asked: mean of their prices, and sum
# of the squares of the distances from it, both times the rate
total = sp.Symbol("u_total", positive=True)
asked, mean, spread = sp.symbols("k_asked m_k V_k", positive=True)
objective = 1 / (4 * asked) + mean * total - spread * total**2 + 2 / total**2
NEAR = 4  # times the least price, the mean of all prices under which the objective has one minimum

# The same loss of each of the k cheapest: at most so many times the error; for two prices in the limit of many users
ALIKE, TWO_PRICES = 2, sp.Rational(25, 16)

# Figures.  Five prices 1, r, r^2, ... in a ratio, each asked by as many users
ratio, each = sp.symbols("r_price m_price", positive=True)
five = tuple(ratio**j for j in range(5))
water, _error = solution(five, VOLUME / each)
error = _error / each
cheapest_loss = 8 * (water - 1) / money
sellers = each * sum(sp.Piecewise((1, water > c), (0, True)) for c in five)


def vessel(level=None):
    """Floors of the five vessels, or the water in them."""
    return lemma.vessel(level, budgets=five)


# Two prices, 1 and r, of n_1 and n_2 users: least error, that of the same loss of the k cheapest, and of everybody
cheap, dear = sp.symbols("n_cheap n_dear", positive=True)
_inside = (cheap + ratio * dear, cheap + ratio**2 * dear)
two_level = sp.Min(1 + VOLUME / cheap, lemma.budget_level(*_inside, VOLUME), evaluate=False)
two_error = two_level / (4 * (cheap * (two_level - 1) + dear * sp.Max(two_level - ratio, 0)))
_gap = (ratio - 1) * cheap  # what the cheap ones are paid less
_share = sp.Min(sp.Max(ratio / _gap - money**2 / (16 * _gap**2), 1 / (cheap + dear)), 1 / cheap)  # 1/k
two_alike = _share / 4 + 2 * ((ratio - _gap * _share) / money) ** 2
two_everybody = 1 / (4 * (cheap + dear)) + 2 * (_inside[0] / (cheap + dear) / money) ** 2

# At a rate, for a total of the losses: if all are asked, just the cheap ones, or whoever is asked best
_mean, _squared = rate * _inside[0] / (cheap + dear), rate**2 * cheap * dear * (ratio - 1) ** 2 / (cheap + dear)
all_asked = objective.subs({asked: cheap + dear, mean: _mean, spread: _squared}, simultaneous=True)
cheap_asked = objective.subs({asked: cheap, mean: rate, spread: 0})
dear_until = 1 / (2 * rate * _gap)  # the total from which on the dear ones are not asked
best_asked = sp.Piecewise((all_asked, total <= dear_until), (cheap_asked, True))
