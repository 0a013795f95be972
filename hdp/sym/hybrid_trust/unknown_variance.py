"""Avent, Dubey & Korolova (2020), section 5: equal groups of unknown variance."""

import sympy as sp

from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.hybrid_trust.known_variance import y
from hdp.sym.symbols import n

# Definition 5.3, Lemma 5.4, and the factor of Theorem 5.5
noise_error = w**2 * s_T**2 + (1 - w) ** 2 * s_L**2 / ((1 - c) * n)
weight = s_L**2 / (s_L**2 + (1 - c) * n * s_T**2)
_numerator = (
    (1 - c) * c * n**2 * s_T**4 * (c * sigma**2 + s_L**2)
    + c * n * s_L**2 * s_T**2 * (2 * (c - 1) * sigma**2 + s_L**2)
    + (1 - c) * sigma**2 * s_L**4
)
_denominator = c * n * (s_L**2 + (1 - c) * n * s_T**2) ** 2
pwh_mse = _numerator / _denominator
gamma = _denominator / _numerator

# Before Definition 5.3: the weight c
naive_mse = c**2 * s_T**2 + (1 - c) * s_L**2 / n

# R(PWH) > 1, any noise with c n s_T^2 < s_L^2: exactly if this is positive
margin = c * s_L**2 * (s_L**2 + (1 - c) * n * s_T**2) - (1 - c) * sigma**2 * (s_L**2 - c * n * s_T**2)

# With Laplace noise, as printed: the first holds, or the second, or the third together with a bound on n
printed_regimes = (
    epsilon >= sp.sqrt(2) * m / sigma,
    c <= epsilon**2 * sigma**2 / (2 * m**2),
    c > epsilon**2 * sigma**2 / (2 * m**2),
)
printed_n_bound = 2 * m**2 * (1 + c) / (c * (2 * c * m**2 - epsilon**2 * sigma**2))
printed_condition = sp.Or(printed_regimes[0], printed_regimes[1], sp.And(printed_regimes[2], n < printed_n_bound))
# What is true for c n > 1: this is positive; that is, c >= c_crit, or n lies below the bound
laplace_margin = n * c * (2 * c * m**2 - (1 - c) * epsilon**2 * sigma**2) + (1 - c) * (2 * m**2 + epsilon**2 * sigma**2)
n_bound = (1 - c) * (2 * m**2 + epsilon**2 * sigma**2) / (c * ((1 - c) * epsilon**2 * sigma**2 - 2 * c * m**2))

# r(PWH) > 1: TCM-Only is worse than PWH exactly if this is positive
worst_margin = sigma**2 * (2 * s_L**2 + (1 - 2 * c) * n * s_T**2) + c * n * s_T**2 * (s_L**2 + (1 - c) * n * s_T**2)

# PWH is better than the naive weighting exactly if this is positive (and c n s_T^2 differs from s_L^2)
naive_margin = c * (1 - c) * n * s_T**2 + c * s_L**2 - sigma**2

naive_n_bound = 2 * (1 - c) * m**2 / (c * (epsilon**2 * sigma**2 - 2 * c * m**2))  # with Laplace noise: n below it

# Beyond the paper: the weight that is best for the largest variance that data in [0, m] can have
cautious_weight = known.weight.subs(sigma, sp.sqrt(known.largest_variance))

# Beyond the paper, Laplace noise with y = (epsilon sigma / m)^2: R(PWH) = 1 at these two c, whose product is 1/n;
# between them R < 1, and where the root is not real R > 1 for all c
_middle = n * y + 2 + y
_root = sp.sqrt(_middle**2 - 4 * n * (2 + y) ** 2)
even_share = (_middle + _root) / (2 * n * (2 + y))
few_share = 2 * (2 + y) / (_middle + _root)
# As n grows R(PWH) tends to 1 or to this, if smaller; E_F/E_PWH is at most the other, its value without sampling error
limiting_improvement = 2 * c * m**2 / ((1 - c) * epsilon**2 * sigma**2)
most_over_full_lm = 1 - c + c**2 * n

# The example of a constant weight: r < 1 for every n from here on
example = {m: 1, sigma: sp.Rational(1, 6), c: sp.Rational(1, 100), epsilon: sp.Rational(1, 10)}
example_weight = sp.Rational(1, 1000)
printed_example_users = 10058
example_users = 10057
