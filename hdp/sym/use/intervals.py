r"""Intervals for a private mean: one exponential for sampling and noise, and the best split of a union bound.

The error of sampling, S, has :math:`\log E e^{\pm\lambda S} \le V\lambda^2/(2(1 - c\lambda))`; the noise has the scale
eta, and theta is the rate of the exponential, lambda, times eta.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, eta, n
from hdp.sym.symbols import least as smaller
from hdp.sym.symbols import v as variance
from hdp.sym.user_level.private import beta

theta = sp.Symbol("theta", positive=True)  # rate of the exponential in scales of the noise, at most 1
proxy = sp.Symbol("V_S", positive=True)  # V
excess = sp.Symbol("c_S", nonnegative=True)  # c; 0 is Hoeffding's bound
split = sp.Symbol("b_S", positive=True)  # share of beta for sampling in a union bound
positive = sp.Symbol("p_+", positive=True)  # probability that the noise is positive, 1/2 where it is continuous

peak = theta / ((1 + theta) * positive)  # where v^theta (1 - p v) is largest; 1 where this exceeds 1
factor_discrete = peak**theta / (1 + theta)
factor = (2 * theta / (1 + theta)) ** theta / (1 + theta)


def radius(theta, proxy, excess, eta, beta):
    """The radius at a rate."""
    noise = (sp.log(2 / beta) - sp.log(1 + theta)) / theta + sp.log(2 / (1 + 1 / theta))
    return eta * noise + proxy / (2 * (eta / theta - excess))


at_rate = radius(theta, proxy, excess, eta, beta)
# At the best rate below 1 the two sides are equal
stationary = (proxy * eta**2 / (2 * (eta - excess * theta) ** 2), sp.log(2 / ((1 + theta) * beta)) * eta**2 / theta**2)
noise_radius = eta * sp.log(1 / beta)
at_one = noise_radius + proxy / (2 * eta)  # at the rate 1, where c = 0

union = sp.sqrt(2 * proxy * sp.log(2 / (split * beta))) + eta * sp.log(1 / ((1 - split) * beta))
best_split = 1 / (1 + eta / sp.sqrt(proxy) * sp.sqrt(2 * sp.log(2 / (split * beta))))  # a fixed point

ROUNDS = 5  # of iterations that find it, and the best rate, for the figure


def best_rate(proxy, excess, eta, beta, rounds=ROUNDS):
    """The best rate, after so many steps that the radius has ten digits for beta up to 0.1, or after fewer."""
    rate = sp.S.One
    for _ in range(rounds):
        root = sp.sqrt(proxy / (2 * sp.log(2 / ((1 + rate) * beta))))
        rate = smaller(1, eta / (excess + root))
    return rate


def least(proxy, excess, eta, beta, rounds=ROUNDS):
    """The radius at the best rate."""
    return radius(best_rate(proxy, excess, eta, beta, rounds), proxy, excess, eta, beta)


# Equal budgets, n users: half-widths in standard errors, with variance 1/4
own_eta = 1 / (n * epsilon)
own_deviation = 1 / (2 * sp.sqrt(n))  # of sampling, at most
deviation = sp.sqrt(own_deviation**2 + 2 * own_eta**2)
one_exponential = least(1 / (4 * n), 0, own_eta, beta) / deviation
noise_alone = own_eta * sp.log(1 / beta) / deviation
_share = sp.Rational(1, 2)
for _ in range(2 * ROUNDS):
    _share = best_split.subs({split: _share, proxy: 1 / (4 * n), eta: own_eta})
best_union = union.subs({proxy: 1 / (4 * n), eta: own_eta}).subs(split, _share) / deviation

LEVELS = tuple(sp.Rational(1, k) for k in (1000, 100, 20, 10))  # values of beta that the figure offers


def _quantile(level):
    """How many standard errors a normal variable exceeds in size with this probability."""
    return (sp.sqrt(2) * sp.erfinv(1 - level)).evalf(18)


# The normal interval in standard errors, whatever the noise
normal = sp.Piecewise(
    *((_quantile(level), beta < sp.Rational(11, 10) * level) for level in LEVELS[:-1]), (_quantile(LEVELS[-1]), True)
)


# -- What a bound of the variance is worth if it is learned from the same users, who pay for it with a share of budgets.

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
