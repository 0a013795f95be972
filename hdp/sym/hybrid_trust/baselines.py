r"""Avent, Dubey & Korolova (2020), sections 2 and 3: the groups, the baselines, the hybrid family.

Where the paper has a slip, a formula stands twice: `printed_...` and, without the prefix, what is meant.
Sections 4, 5 and 6 are in `known_variance`, `unknown_variance` and `diverging_groups`.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, n

c = sp.Symbol("c", positive=True)  # fraction of users in the TCM group, below 1
m = sp.Symbol("m", positive=True)  # width of the data's interval
sigma, sigma_T, sigma_L = sp.symbols("sigma sigma_T sigma_L", positive=True)  # standard deviations of the data
s_T, s_L = sp.symbols("s_T s_L", positive=True)  # standard deviations of the noise: the curator's, a local report's
mu_T, mu_L = sp.symbols("mu_T mu_L", real=True)
w = sp.Symbol("w", real=True)  # weight of the TCM group
error = sp.Symbol("E", positive=True)  # mean squared error of an estimator, against the empirical mean
delta = sp.Symbol("delta", positive=True)

# Substitutions: equal groups; the two mechanisms of section 2.1, with sensitivities m/(c n) and m
homogeneous = {sigma_T: sigma, sigma_L: sigma, mu_L: mu_T}
laplace = {s_T: sp.sqrt(2) * m / (c * n * epsilon), s_L: sp.sqrt(2) * m / epsilon}
gaussian_factor = sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta))
_gaussian_scale = gaussian_factor / epsilon
gaussian = {s_T: _gaussian_scale * m / (c * n), s_L: _gaussian_scale * m}

# Section 2.2: the mixture
mean = c * mu_T + (1 - c) * mu_L
printed_mixture_variance = c * (mu_T**2 + sigma_T**2) + (1 - c) * (mu_L**2 + sigma_L**2)
mixture_variance = printed_mixture_variance - mean**2

# Lemmas 3.2, 3.4, 3.11 and 3.13
tcm_mse = (1 - c) ** 2 / (c * n) * sigma_T**2 + (1 - c) / n * sigma_L**2 + s_T**2 + (mu_T - mean) ** 2
full_lm_mse = s_L**2 / n
lm_mse = c**2 / ((1 - c) * n) * sigma_L**2 + c / n * sigma_T**2 + s_L**2 / ((1 - c) * n) + (mu_L - mean) ** 2
hybrid_mse = (
    (w - c) ** 2 / (c * n) * sigma_T**2
    + (w - c) ** 2 / ((1 - c) * n) * sigma_L**2
    + w**2 * s_T**2
    + (1 - w) ** 2 / ((1 - c) * n) * s_L**2
    + (w * mu_T + (1 - w) * mu_L - mean) ** 2
)

# Definition 3.5, and 5.1 beside it
relative_improvement = sp.Min(tcm_mse, full_lm_mse) / error
improvement_over_worst = sp.Max(tcm_mse, full_lm_mse) / error

# Lemma 3.6: TCM-Only is at least as good as Full-LM if and only if n <= n_crit, which needs c > c_crit
_bias_and_noise = c * ((mu_T - mean) ** 2 + s_T**2)
printed_n_crit = (c * s_L**2 + (1 - c) * ((1 - c) * sigma_T**2 - c * sigma_L**2)) / _bias_and_noise
n_crit = (c * s_L**2 - (1 - c) * ((1 - c) * sigma_T**2 + c * sigma_L**2)) / _bias_and_noise
_root = sp.sqrt((sigma_L**2 - s_L**2) ** 2 + 4 * s_L**2 * sigma_T**2)
c_crit_equal = sigma_L**2 / (sigma_L**2 + s_L**2)
c_crit_unequal = (2 * sigma_T**2 - sigma_L**2 + s_L**2 - _root) / (2 * (sigma_T**2 - sigma_L**2))
c_crit = sp.Piecewise((c_crit_equal, sp.Eq(sigma_T, sigma_L)), (c_crit_unequal, True))
c_crit_without_cases = 2 * sigma_T**2 / (2 * sigma_T**2 - sigma_L**2 + s_L**2 + _root)

# Definition 3.7: the branch where Full-LM is the better baseline
_tcm_is_better = sp.And(c > c_crit, n <= n_crit)
printed_relative_improvement = sp.Piecewise((tcm_mse, _tcm_is_better), (lm_mse, True)) / error
relative_improvement_in_cases = sp.Piecewise((tcm_mse, _tcm_is_better), (full_lm_mse, True)) / error

# Lemma 3.8 and Definition 3.9: Laplace noise, equal groups; now n >= n_crit, because s_T depends on n
laplace_c_crit = epsilon**2 * sigma**2 / (2 * m**2 + epsilon**2 * sigma**2)
laplace_n_crit = 2 * m**2 / (c * (2 * c * m**2 - (1 - c) * epsilon**2 * sigma**2))
laplace_tcm_mse = (1 - c) / (c * n) * sigma**2 + 2 * m**2 / (c * n * epsilon) ** 2
laplace_full_lm_mse = 2 * m**2 / (n * epsilon**2)
_laplace_tcm_wins = sp.And(c > laplace_c_crit, n >= laplace_n_crit)
laplace_relative_improvement = sp.Piecewise((laplace_tcm_mse, _laplace_tcm_wins), (laplace_full_lm_mse, True)) / error

# Beyond the paper: every error is a multiple of one disagreement between the groups, plus noise
disagreement = sigma_T**2 / (c * n) + sigma_L**2 / ((1 - c) * n) + (mu_L - mu_T) ** 2
true_mean_mse = (
    w**2 * (sigma_T**2 / (c * n) + s_T**2)
    + (1 - w) ** 2 * (sigma_L**2 + s_L**2) / ((1 - c) * n)
    + (w - c) ** 2 * (mu_L - mu_T) ** 2
)

# Beyond the paper: with Laplace noise E_F - E_T is a positive multiple of -(rise n^2 - surplus n + start), so TCM-Only
# is at least as good as Full-LM between two numbers of users; for equal means from laplace_n_crit on
gap = sp.Symbol("d", nonnegative=True)  # distance of the groups' means
_report = 2 * m**2 / epsilon**2
window_rise = (1 - c) ** 2 * gap**2
window_surplus = _report - (1 - c) * ((1 - c) * sigma_T**2 + c * sigma_L**2) / c
window_start = _report / c**2
printed_window_surplus = _report + (1 - c) * ((1 - c) * sigma_T**2 - c * sigma_L**2) / c


def window(surplus):
    """First and last n of the window; for a positive surplus, and if the root is real."""
    root = sp.sqrt(surplus**2 - 4 * window_rise * window_start)
    return 2 * window_start / (surplus + root), (surplus + root) / (2 * window_rise)
