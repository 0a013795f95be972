"""Reports that stay secret, with Gaussian noise: the best weight of two groups, its error, and what secrecy gains.

A group is what its mean is: the variance of the values in it, and its reach, how many standard deviations of the noise
its weight may be.  For those who trust the curator the noise is the whole one; for the others, that of their reports.
"""

import sympy as sp

from hdp.sym.hybrid_trust.amplification import adversarial, rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import n, v

A, B = sp.symbols("A_group B_group", positive=True)  # variance of the mean of the values: who trusts, the others
p, q = sp.symbols("p_group q_group", positive=True)  # reach of these means
reach_T, reach_L = sp.symbols("b_T_reach b_L_reach", positive=True)  # of one user
alpha = adversarial
kept = sp.sqrt(1 - alpha)  # part of the reports' deviation that the coalition does not know

# Groups of users who are alike
groups = {A: v / (c * n), B: v / ((1 - c) * n), p: c * n * reach_T, q: sp.sqrt((1 - c) * n) * reach_L}

# What w, the weight of those who trust, makes of the reports' noise, and what they need
report_noise = (1 - w) ** 2 / q**2
own_need = w**2 / p**2
needed = own_need + alpha * report_noise
sampling = A * w**2 + B * (1 - w) ** 2
secret_error = sampling + sp.Max(report_noise, needed)
published_error = sampling + report_noise + own_need

# Best where the need sets the noise, where both are equal, where the reports set it
low = (B + alpha / q**2) / (A + B + 1 / p**2 + alpha / q**2)
kink = kept * p / (kept * p + q)
high = (B + 1 / q**2) / (A + B + 1 / q**2)
best_weight = sp.Max(low, sp.Min(kink, high))
kink_error = (A * (1 - alpha) * p**2 + B * q**2 + 1) / (kept * p + q) ** 2
best_published = 1 / (1 / (A + 1 / p**2) + 1 / (B + 1 / q**2))

gain = best_published / secret_error.subs(w, best_weight)
largest_gain = 2 - alpha

# How many local users hide all who trust, so that these count as if their values were public
hiders = (reach_L + 1 / (v * reach_L)) ** 2 / (reach_T**2 * (1 - alpha))

# From w = c on, if nobody pools: rho is how much more a trusting user counts
frontier_loss = rho * reach_L / sp.sqrt((1 - c) * n)
frontier_error = (v * (c * rho**2 + 1 - c) + (1 - c) / reach_L**2) / (n * (c * rho + 1 - c) ** 2)
frontier_end = 1 + 1 / (v * reach_L**2)

# Laplace noise and pure privacy: as much for two groups, where the others are so many
ell = sp.Symbol("ell_local", positive=True)
largest_laplace_gain = 1 + 1 / ell
