"""Privacy amplification in the hybrid model: section 8 and appendix D of Avent, Dubey & Korolova (2020).

A privacy loss is of one user whose value moves over [0, m], against whoever sees the output and knows the noise of
the coalition; `honest` local users are outside it.
"""

import sympy as sp

from hdp.sym.hybrid_trust.baselines import c, epsilon, gaussian_factor, m, s_L, s_T, sigma, w
from hdp.sym.symbols import n

s_joint = sp.Symbol("s_prime", positive=True)  # deviation of the noise that the coalition does not know
adversarial = sp.Symbol("alpha", nonnegative=True)  # fraction of the local users in the coalition
honest = sp.Symbol("k", nonnegative=True)  # local users outside it
rho = sp.Symbol("rho_T", positive=True)  # how much more a curator's user weighs than a local user

# Section 8: what the value of one user of each group is multiplied by, and their ratio
user_T, user_L = w / (c * n), (1 - w) / ((1 - c) * n)
ratio = w * (1 - c) / (c * (1 - w))
joint_variance = w**2 * s_T**2 + user_L**2 * honest * s_L**2

# Theorem 8.1 as printed, and as it must be
printed_8_1 = gaussian_factor * m / (n * s_joint) * sp.Piecewise((w / c, w <= c), ((1 - w) / (1 - c), True))
correct_8_1 = gaussian_factor * m / (n * s_joint) * sp.Max(w / c, (1 - w) / (1 - c))

# With the noise that both groups need for one epsilon and delta
loss_T, loss_L = epsilon * rho / sp.sqrt(rho**2 + honest), epsilon / sp.sqrt(rho**2 + honest)
least_loss = epsilon / sp.sqrt(1 + honest)  # of the worse group, at w = c

# What the weight of Definition 4.1 makes of the ratio
kvh_ratio = (sigma**2 + s_L**2) / (sigma**2 + c * n * s_T**2)
relative_variance = (epsilon * sigma / (gaussian_factor * m)) ** 2  # sigma^2 / s_L^2
kvh_ratio_classic = (1 + relative_variance) / (relative_variance + 1 / (c * n))
honest_users = (1 - adversarial) * (1 - c) * n

# Figure 7, as it must be, as printed (w > c), and with the weight c
figure_7 = {rho: kvh_ratio_classic, honest: honest_users}
figure_7_correct, figure_7_printed, figure_7_naive = (loss.subs(figure_7) for loss in (loss_T, loss_L, least_loss))


def separation(first, second, factor):
    """By how much an event's chance under `first` exceeds `factor` times that under `second`, at most: arrays."""
    return ((first - factor * second) * (first > factor * second)).sum()


def two_outputs(first, second, later_first, later_second):
    """Laws of an early and a late output together, for two inputs; row j of `later_...` is the law after output j."""
    return first[:, None] * later_first, second[:, None] * later_second


# Appendix D: the sum of n Laplace variables, in multiples z >= 0 of their scale b
count = sp.Symbol("n", integer=True, positive=True)  # of the variables
term = sp.Symbol("j", integer=True, nonnegative=True)
b, t, x = sp.symbols("b_scale t_cf x", positive=True)
z = sp.Symbol("z", positive=True)
characteristic = 1 / (1 + b**2 * t**2)
bessel_density = (
    2 ** (sp.Rational(1, 2) - count)
    / (sp.sqrt(sp.pi) * b ** (sp.Rational(1, 2) + count) * sp.gamma(count))
    * sp.besselk(sp.Rational(1, 2) - count, x / b)
    * x ** (count - sp.Rational(1, 2))
)
coefficient = sp.binomial(count - 1, term) * sp.gamma(count + term) / (2 ** (count + term) * sp.gamma(count) ** 2)


def polynomial(size, at=z):
    """The density of the sum of `size` Laplace variables of scale 1 is this polynomial times exp(-z), for z >= 0."""
    return sum(coefficient.subs({count: size, term: j}) * at ** (size - 1 - j) for j in range(size))


def sum_loss(size):
    """Privacy loss at noise z >= 0 of the sum of `size` Laplace variables when the answer moves by epsilon scales."""
    return epsilon + sp.log(polynomial(size) / polynomial(size, z + epsilon))


# One curator's Laplace variable of scale rho > 1 beside one local user's of scale 1
weighted_density = (rho * sp.exp(-z / rho) - sp.exp(-z)) / (2 * (rho**2 - 1))


def weighted_loss(shift):
    """Privacy loss at noise z >= 0 of that sum when the answer moves by `shift`."""
    decay = 1 - 1 / rho
    return shift / rho + sp.log((rho - sp.exp(-z * decay)) / (rho - sp.exp(-(z + shift) * decay)))
