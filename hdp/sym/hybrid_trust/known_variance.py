"""Avent, Dubey & Korolova (2020), section 4: equal groups of known variance."""

import sympy as sp

from hdp.sym.hybrid_trust.baselines import c, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.hybrid_trust.baselines import full_lm_mse as full_lm_mse
from hdp.sym.symbols import n

# Definition 4.1 and Lemma 4.2
weight = c * (sigma**2 + s_L**2) / (sigma**2 + c * (n * s_T**2 * (1 - c) + s_L**2))
mse = (w - c) ** 2 / (c * (1 - c) * n) * sigma**2 + w**2 * s_T**2 + (1 - w) ** 2 * s_L**2 / ((1 - c) * n)
tcm_mse = (1 - c) / (c * n) * sigma**2 + s_T**2

# Theorem 4.3: the factor before the better baseline.  What is printed is the error of KVH, not its reciprocal
printed_gamma = ((1 - c) * sigma**2 * s_L**2 + c * n * (c * sigma**2 + s_L**2) * s_T**2) / (
    n * (sigma**2 + c * s_L**2) + (1 - c) * c * n**2 * s_T**2
)
kvh_mse = printed_gamma
gamma = 1 / kvh_mse

# Why R > 1 exactly if c n s_T^2 < s_L^2: the error is that of Full-LM minus advantage times weight, and that of
# TCM-Only minus curvature (1 - w)^2
advantage = (s_L**2 - c * n * s_T**2) / n
noise_curvature = s_T**2 + s_L**2 / ((1 - c) * n)
sampling_curvature = sigma**2 / (c * (1 - c) * n)
curvature = sampling_curvature + noise_curvature

# Appendix B: data in [0, m] vary by no more
largest_variance = m**2 / 4

# Corollary 4.4, Laplace noise: y = (epsilon sigma / m)^2, at most epsilon^2/4, and u = 1/(c n), at most 1
y, u = sp.symbols("y u", nonnegative=True)
in_ratios = {sigma: sp.sqrt(y) * m / epsilon, n: 1 / (c * u)}
printed_lower, printed_upper = sp.Rational(17, 8), sp.Rational(16, 7)
step_bound = 2 * (2 - c) / (2 - (1 - c) * y)  # in Appendix B
example_share = (1 + sp.sqrt((288 + n) / n)) / 18  # its instance, with m = epsilon = 1 and sigma = 1/2
_error = 2 * ((1 - c) * y + u * (c * y + 2)) / (y + 2 * c + 2 * (1 - c) * u)  # times n epsilon^2 / m^2
over_full_lm = 2 / _error
over_tcm = ((1 - c) * y + 2 * u) / (c * _error)
crossing = (y + 2 * u) / (y + 2)  # the c at which the baselines are equally good
improvement_at_crossing = (4 + y - 2 * u) / (2 + u * y)
supremum = 2 + epsilon**2 / 8  # over c, n, m, sigma, and over all budgets up to epsilon; approached as n grows

# Beyond the paper, Laplace noise: where the baselines are equally good for a given c (y), and for given n and y (c);
# R there, which for given c and n no y exceeds
balance = 2 * (c - u) / (1 - c)
envelope = (2 - c) / (1 - c + u)
best_share = (y + sp.sqrt(y**2 + 8 * (2 + y) / n)) / (2 * (2 + y))
best_at_size = envelope.subs(u, 1 / (c * n)).subs(c, best_share)  # of all c
two_share = sp.sqrt(2 / n)  # where the best R is 2, and the y it takes
two_balance = two_share / (1 - two_share)


def beta_deviation(shape):
    """Figure 1: standard deviation of Beta(shape, shape), which for the shape 1 is uniform."""
    return 1 / sp.sqrt(8 * shape + 4)
