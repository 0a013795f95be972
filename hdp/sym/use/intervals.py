r"""Intervals for a private mean: one exponential for sampling and noise, and the best split of a union bound.

The error of sampling, S, has :math:`\log E e^{\pm\lambda S} \le V\lambda^2/(2(1 - c\lambda))`; the noise has the scale
eta, and theta is the rate of the exponential, lambda, times eta.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, eta, n
from hdp.sym.symbols import least as smaller
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
