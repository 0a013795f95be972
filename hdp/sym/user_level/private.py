r"""Cummings, Feldman, McMillan & Talwar (2022), section 4: the private framework, Example 1, Lemma 4.2, eq. 7.

What the paper prints otherwise stands twice: `printed_...` and, without the prefix, what is true.
"""

import sympy as sp

from hdp.sym.foundations.one_lemma import T, kappa, minimum
from hdp.sym.symbols import epsilon, n
from hdp.sym.user_level.model import bernoulli, k, mean_variance, sigma_p

# kappa, the variance of Laplace noise of scale 1, is 2; the paper has 1
V = sp.Symbol("V", nonnegative=True)  # sigma_p^2, variance of the users' means
P = sp.Symbol("P", positive=True)  # p (1 - p), variance of one sample
beta = sp.Symbol("beta", positive=True)
i = sp.Symbol("i", positive=True, integer=True)
m = sp.Symbol("m_cut", positive=True)  # users whose weight is cut
head = sp.Symbol("h", positive=True)  # users of the group with most data; the paper's log n

# Users sorted by their number of samples, most first: k_i = (n / i)^s; Example 1 has s = 1
rank = sp.Symbol("u", positive=True)  # i / n
exponent = sp.Symbol("s", nonnegative=True)
samples_by_rank = rank**-exponent

laplace_variance, printed_laplace_variance = sp.Integer(2), sp.Integer(1)
variance = mean_variance.subs({bernoulli: P, sigma_p: sp.sqrt(V)})  # sigma_i^2, eq. 2

# Half-width of the intervals; the logarithm is a symbol where only the shape matters
L = sp.Symbol("L", positive=True)  # ln(4 n / beta)
half_width = sp.sqrt(2 * V * L) + sp.sqrt(L / (2 * k))
point_mass_width = sp.sqrt(sp.log(2 * n / beta) / (2 * k))

# Eq. 6 for c users clipped with sum of 1/sigma equal to D, the others with sum of 1/sigma^2 equal to A, widths r sigma
A, D, c, r = sp.symbols("A_free D c_clipped r_width", positive=True)
objective = (A + c * T**2 + kappa * (r * T / epsilon) ** 2) / (A + D * T) ** 2
best_T = D / (c + kappa * (r / epsilon) ** 2)


def objective_of(sizes, scales, width):
    """The same at every T, for kinds of users with these 1/sigma, largest first; above it just the first are cut."""
    parts = [sp.Min(t**2, T * t) for t in scales]
    cost = kappa * (width * sp.Min(scales[0], T) / epsilon) ** 2
    sampling = sum(size * q**2 / t**2 for size, q, t in zip(sizes, parts, scales, strict=True))
    return (sampling + cost) / sum(size * q for size, q in zip(sizes, parts, strict=True)) ** 2


# Lemma 4.2 and the constants that follow
lower_constant, upper_constant = sp.Rational(1, 2), sp.Rational(19, 2)
width_constant = sp.Integer(4)  # for half-widths proportional to the standard deviation
sub_gaussian_width_constant = 2 + 2 * sp.sqrt(2)
eq_7_ratio = (n / 2 - head) / head
share_constant, printed_share_constant = sp.Integer(2), sp.Integer(4)
theorem_constant = sp.Integer(256)

aim_factor = sp.sqrt(8)  # of the first variance, in the middle of [1, 8]

# Users that a pure mechanism needs to find one of G variances with probability 1 - beta
G = sp.Symbol("G", positive=True)
variance_users = sp.log((G - 1) * (1 - beta) / beta) / epsilon


def asked_first(scales, budget, beta):
    """How many users the first variance takes, for budgets of so much and a probability of failure."""
    return 2 * sp.ceiling(sp.Max(20 * sp.log(scales / beta) / budget, sp.log(2 / beta) / sp.Rational(9, 200)))


# The price of privacy: best error of the private ideal estimator over the best without privacy.  d_i / sigma_i lies
# between r_0 and r, the largest ideal weight is w_max, at most `largest_weight` under Theorem 4.1's third condition
r_0, w_max = sp.symbols("r_0 w_max", positive=True)
least_price = 1 + 2 * r_0**2 / (n * epsilon**2)
largest_price = 1 + 2 * r**2 * w_max / epsilon**2
largest_weight = 1 / (1 + head)
sub_gaussian_ratio = 4 * L * (4 + 1 / P)  # r^2 for the half-widths above

# Example 1 with k_i = n / i and sigma_p^2 = 1 / n
example_variance = P * i / n + (1 - i / n) / n


def digamma(x):
    """The digamma function for x >= 1 to 14 digits, in elementary terms: ten steps up and its asymptotic series."""
    y = x + 10
    series = sum(sp.bernoulli(2 * j) / (2 * j * y ** (2 * j)) for j in range(1, 7))
    return sp.log(y) - 1 / (2 * y) - series - sum(1 / (x + j) for j in range(10))


def trigamma(x):
    """Its derivative, sum of 1 / (x + j)^2, likewise."""
    y = x + 10
    series = sum(sp.bernoulli(2 * j) / y ** (2 * j + 1) for j in range(1, 7))
    return 1 / y + 1 / (2 * y**2) + series + sum(1 / (x + j) ** 2 for j in range(10))


tail_sum = digamma(n + 1) - digamma(m + 1)  # of 1 / i for m < i <= n
tail_squares = trigamma(m + 1) - trigamma(n + 1)
_slope = P - 1 / n  # sigma_i^2 = (slope i + 1) / n
example_ideal = _slope / (n * (digamma(n + 1 + 1 / _slope) - digamma(1 + 1 / _slope)))
example_uniform = (_slope * (n + 1) / 2 + 1) / n**2
example_total = 1 + tail_sum  # of the weights 1 / max(i, m)
example_share = (digamma(sp.Rational(9, 10) * n + 1 + 1 / _slope) - digamma(head + 1 + 1 / _slope)) / (
    digamma(n + 1 + 1 / _slope) - digamma(1 + 1 / _slope)
)  # of the inverse variances, with the users between the head and the tail
example_sampling = ((_slope * (m + 1) / 2 + 1) / m + _slope * tail_sum + tail_squares) / (n * example_total**2)
example_width = 2 * (sp.sqrt(2 * sp.log(4 * n / beta) / n) + sp.sqrt(m * sp.log(4 * n / beta) / (2 * n)))
example_noise = 2 * (example_width / (m * epsilon * example_total)) ** 2
example_naive = (example_sampling + 2 / (epsilon * example_total) ** 2).subs(m, 1)


def two_level_optimum(sizes, variances, widths):
    """Best weights and minimum of the one lemma for two kinds of users: (weight of one user of each kind, F)."""
    items = [(v / size, d / (size * epsilon)) for size, v, d in zip(sizes, variances, widths, strict=True)]
    level, least = minimum(items, kappa=2)
    weights = (sp.Min(1 / v, epsilon / (level * d), evaluate=False) for v, d in zip(variances, widths, strict=True))
    return [least * w for w in weights], least
