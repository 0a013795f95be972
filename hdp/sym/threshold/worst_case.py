"""Cyffers & Ziani (2026), section 6: the worst case of one threshold for k levels and n users."""

from itertools import pairwise

import sympy as sp

from hdp.sym.symbols import n

k = sp.Symbol("k", integer=True, positive=True)  # number of privacy levels
B = sp.Symbol("B_step", positive=True)  # Theorem 3: step between the counts, N_j = m B^(j-1)
s = sp.Symbol("s_level", positive=True)  # N_j epsilon_(j), the same for every level
m = sp.Symbol("m_top", positive=True)  # users of the most generous level

# Theorem 3: ratio of the affine estimator with weights proportional to the budgets, sampling included
geometric_gain = k - (k - 1) / B
noise_share = (8 + s**2 / (m * B ** (k - 1))) / (8 + s**2 / m * (1 + 1 / B - B ** (-k)))
geometric_ratio = geometric_gain**2 * noise_share
point_mass_ratio = geometric_gain**2  # of the errors there, for every s
geometric_supremum = k**2  # limit of geometric_ratio for B -> oo and then s -> 0

relaxed_gain = k - (k - 1) * n ** (-1 / (k - 1))  # F(k, n) for real counts, k >= 2
equal_revenue_value = 1 + sp.log(n)  # its limit for many levels, and the value of the good in footnote 2

# min(k, H_n)^2 < tight_above F(k, n)^2, and no constant below tight_below will do
tight_above, tight_below = sp.Integer(4), sp.E**2 / (sp.E - 1) ** 2


def bound(k, harmonic):
    """Theorem 4 and Lemma 1: how many times the risk of the best affine estimator one threshold may have."""
    return sp.Min(k, harmonic) ** 2


def gain(sizes):
    """k - sum N_(j-1)/N_j of increasing counts; F(k, n) is the largest of all with k counts up to n."""
    return len(sizes) - sum(a / b for a, b in pairwise(sizes))


# With the trivial answer admitted: two levels, m generous users of n, and everybody different with J users clipped
J, A_J = sp.symbols("J_cut A_J", positive=True)  # A_J is the sum of 1/sqrt(j(j - 1)) over J < j <= n
two_level_public = 2 * n / (n + 1)
two_level_capped = (sp.sqrt(m / (m - 1)) + (n - m) / sp.sqrt(n * (n - 1))) ** 2 / (
    1 + 1 / (m - 1) + (n - m) / (n * (n - 1))
)
all_different_capped = J + A_J**2 / (1 + 1 / J - 1 / n)
saturating_budget = sp.sqrt(8 / (m * (m - 1)))  # at which m users err exactly 1/4
two_level_expansion = 4 - 4 * sp.sqrt(2 / n)  # worst case for two levels, but for a term of order 1/n
two_level_generous = sp.sqrt(n / 2)  # how many of them are generous, but for a factor that tends to 1
all_different_growth = (sp.log(n) - sp.log(sp.log(n))) ** 2  # everybody different; the root but for o(1)

# H_n from Euler and Maclaurin's formula, up to 1/(240 n^8): for figures, where no sum can be drawn
harmonic_expansion = sp.log(n) + sp.EulerGamma + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4) - 1 / (252 * n**6)
