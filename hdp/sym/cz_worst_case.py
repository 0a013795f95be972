"""Cyffers & Ziani (2026), section 6: the worst case of one threshold for k levels and n users."""

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

relaxed_gain = k - (k - 1) * n ** (-1 / (k - 1))  # F(k, n) for real counts, k >= 2

# With the trivial answer admitted: two levels, m generous users of n, and everybody different with J users clipped
J, A_J = sp.symbols("J_cut A_J", positive=True)  # A_J is the sum of 1/sqrt(j(j - 1)) over J < j <= n
two_level_public = 2 * n / (n + 1)
two_level_capped = (sp.sqrt(m / (m - 1)) + (n - m) / sp.sqrt(n * (n - 1))) ** 2 / (
    1 + 1 / (m - 1) + (n - m) / (n * (n - 1))
)
all_different_capped = J + A_J**2 / (1 + 1 / J - 1 / n)

# H_n from Euler and Maclaurin's formula, up to 1/(240 n^8): for figures, where no sum can be drawn
harmonic_expansion = sp.log(n) + sp.EulerGamma + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4) - 1 / (252 * n**6)
