"""Avent, Dubey & Korolova (2020), section 6: groups of different variances and means."""

import sympy as sp

from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, gap, m, mean, mu_L, mu_T, s_L, s_T, sigma, sigma_L, sigma_T
from hdp.sym.symbols import n

on_gap = {mu_L: mu_T + gap}  # d is all that the errors and weights need of the means

# Definition 6.1
weight = (c * (s_L**2 + c * sigma_L**2 + (1 - c) * (n * (mu_L - mean) * (mu_L - mu_T) + sigma_T**2))) / (
    c * s_L**2 + (1 - c) * c * n * ((mu_L - mu_T) ** 2 + s_T**2) + c * sigma_L**2 + (1 - c) * sigma_T**2
)

# Its two reductions: equal means; equal variances, where sigma is the groups' own and not the mixture's
variance_skew_weight = (c * (s_L**2 + c * sigma_L**2 + (1 - c) * sigma_T**2)) / (
    c * s_L**2 + (1 - c) * c * n * s_T**2 + c * sigma_L**2 + (1 - c) * sigma_T**2
)
mean_skew_weight = (c * (s_L**2 + (1 - c) * n * (mu_L - mean) * (mu_L - mu_T) + sigma**2)) / (
    c * s_L**2 + (1 - c) * c * n * ((mu_L - mu_T) ** 2 + s_T**2) + sigma**2
)

# Beyond the paper: both groups look as if they had this one variance, in every error and weight of sections 3 to 5
effective_variance = (1 - c) * sigma_T**2 + c * sigma_L**2 + c * (1 - c) * n * (mu_L - mu_T) ** 2

# Beyond the paper: the weight of a curator who believes that the effective variance is v, and what it costs her;
# v = 0 is PWH, v = sigma^2 the homogeneous weight of Figure 5, v = infinity the weight c
believed = sp.Symbol("v_believed", nonnegative=True)
believed_curvature = believed / (c * (1 - c) * n) + known.noise_curvature
believed_weight = c + known.advantage / believed_curvature
curvature = models.disagreement + known.noise_curvature
tolerated_curvature = believed_curvature * (2 + c * believed_curvature / known.advantage)
# ... for equal variances and v = sigma^2: the squared gap up to which she does not lose to Full-LM
tolerated_gap_squared = (believed_curvature * believed_weight / (believed_weight - c)).subs(believed, sigma**2)

# Beyond the paper: the numbers of users at which TCM-Only and Full-LM are equally good, with Laplace noise
tcm_interval = models.window(models.window_surplus)
largest_gap_for_tcm = sp.sqrt(2) * c * epsilon * models.window_surplus / (4 * (1 - c) * m)
