r"""What a bound of the variance is worth if it is learned from the same users, who pay for it with a share of budgets.

Radii and symbols are those of `hdp.sym.use.intervals`; the bound of the variance gets a part of the chance of missing.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, eta, n
from hdp.sym.symbols import v as variance
from hdp.sym.use.intervals import beta, least, own_deviation, own_eta, proxy, smaller

share = sp.Symbol("s_V", positive=True)  # of every budget, for the variance
part = sp.Symbol("beta_V", positive=True)  # of beta, for its bound


def bound_of_variance(estimate, kappa, eta, beta):
    """Upper confidence bound of a variance from its noisy estimate, before it is cut to 1/4."""
    log = sp.log(1 / beta)
    half = kappa * log / 2
    root = sp.sqrt(estimate + half) + sp.sqrt(half)  # of the bound itself without noise
    rate = smaller(2 * sp.sqrt(half) / (kappa * root), 1 / eta)
    beyond = (log - sp.log(1 + rate * eta)) / rate + eta * sp.log(2 / (1 + 1 / (rate * eta)))
    return (estimate + beyond) / (1 - kappa * rate / 2)


# Where noise rules: the least radius after paying, as if the variance were 0, and the share where it is that without
paid_radius = eta / (1 - share) * sp.log(1 / (beta - part))
most_share = 1 - sp.log(1 / (beta - part)) / (sp.log(1 / beta) + proxy / (2 * eta**2))
# Where sampling rules: what the ratio of the radii tends to
limit = 2 * sp.sqrt(variance * sp.log(2 / (beta - part))) / sp.sqrt(sp.log(2 / beta))

# Equal budgets, n users, a tenth of beta for the variance; the estimate is taken to be the variance itself
TENTH = sp.Rational(1, 10)
# Two steps are enough to draw: any rate gives a radius that holds, and this one is within a thousandth of the best
learned_bound = bound_of_variance(variance, 1 / n, 1 / (n * share * epsilon), beta * TENTH)
_rest = 1 / (n * (1 - share) * epsilon)
hoeffding = least(1 / (4 * n), 0, own_eta, beta, rounds=2)
learned = least(learned_bound / n, 1 / (3 * n), _rest, beta * (1 - TENTH), rounds=2) / hoeffding
known = least(variance / n, 1 / (3 * n), own_eta, beta, rounds=2) / hoeffding
balance = own_deviation / own_eta  # error of sampling over the scale of the noise
own_most_share = most_share.subs({part: beta * TENTH, proxy: own_deviation**2, eta: own_eta})
