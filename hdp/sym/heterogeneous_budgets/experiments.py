"""The baselines of section IV-A of Chaudhuri & Courtade (2023) for two groups: errors, Example 2, Remark 2, privacy."""

import sympy as sp

from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

v = sp.Symbol("v", nonnegative=True)  # variance of the data; the weights of LDPE assume 1/4
mu = sp.Symbol("mu", real=True)  # their mean

# Affine baselines: exact errors
uniform_mse = sym.one_group(n, epsilon_1, v)
proportional_mse = sym.proportional_error(v)
_w_1, _w_2 = sym.weights_b
clipped_mse = n * (f * _w_1**2 + (1 - f) * _w_2**2) * v + 2 * (_w_1 / epsilon_1) ** 2  # of ADPM beyond saturation

# LDPE: each group's noisy mean and its error at variance 1/4, which sets the shares; then the error at variance v
group_1_error, group_2_error = sym.group_1_mse, sym.group_2_mse
local_shares = tuple(error / (group_1_error + group_2_error) for error in (group_2_error, group_1_error))
local_mse = local_shares[0] ** 2 * sym.one_group(n * f, epsilon_1, v) + local_shares[1] ** 2 * sym.one_group(
    n * (1 - f), epsilon_2, v
)

# Remark 2: group 2 is public, so its mean needs no noise
public_error = 1 / (4 * n * (1 - f))
public_shares = (public_error / (group_1_error + public_error), group_1_error / (group_1_error + public_error))
public_local_mse = group_1_error * public_error / (group_1_error + public_error)
remark_2 = sym.bound_b_in_ratios
public_adpm_shares = (f / (f + (1 - f) * R), (1 - f) * R / (f + (1 - f) * R))  # Table I, case (B), times group sizes

# Stretching (Alaggan et al.), Example 2: value i is multiplied by epsilon_i / epsilon_2
_stretch = f * epsilon_1 / epsilon_2 + 1 - f
stretched_bias = (_stretch - 1) * mu
stretched_mse = stretched_bias**2 + v * (f * (epsilon_1 / epsilon_2) ** 2 + 1 - f) / n + 2 / (n * epsilon_2) ** 2
example_2 = {epsilon_1: sp.Rational(1, 100), epsilon_2: sp.Rational(1, 10), f: sp.Rational(1, 2)}
example_2 |= {v: 0, mu: sp.Rational(1, 2)}
example_2_mse = sp.Rational(81, 1600) + 200 / n**2  # printed: 0.05 + 200/n^2

# Example 1: ratio of FME's weights (the reconstruction) once group 1 is below its level, and ADPM's
fme_ratio = sp.Min(epsilon_2, 1 / sp.sqrt(n * (1 - f))) / epsilon_1
example_1 = {epsilon_1: sp.Rational(1, 100), n: 10**4, f: sp.Rational(1, 2)}

# FME (the reconstruction) for epsilon_1 <= epsilon_2: nobody's level depends on what a generous user allows
fme_all_clipped = (v + 2) / n  # epsilon_1 > 1/sqrt(n), whatever the budgets and the groups
fme_group_2_clipped = (v * (n * f * epsilon_1**2 + 1) + 2) / (n * f * epsilon_1 + sp.sqrt(n * (1 - f))) ** 2
fme_mse = sp.Piecewise(
    (fme_all_clipped, epsilon_1 > 1 / sp.sqrt(n)),
    (fme_group_2_clipped, epsilon_2 > 1 / sp.sqrt(n * (1 - f))),
    (proportional_mse, True),
)
fme_ratio_limit = 9 * (1 - f + f / R)  # on a fair coin, against ADPM for the largest epsilon_2, all budgets clipped

# SM: Jensen's bound E[v/m + 2/(m epsilon_2)^2] >= the same at the mean sample size
sampling_bound = sym.one_group(sym.mean_sample_size, epsilon_2, v)

# SM under replacement, one user with budget epsilon_1 beside m - 1 with budget t: exact largest privacy loss
m, t = sp.symbols("m_sample t", positive=True)
inclusion = sym.sampling_probability.subs(epsilon_2, t)
density_ratio = m / (m - 1) * sp.exp(t * (m - 1) / m)  # with her over without her, at its largest
sampling_loss = sp.log(
    (inclusion * density_ratio + 1 - inclusion) / (inclusion * density_ratio * sp.exp(-t) + 1 - inclusion)
)
sampling_threshold = m * sp.log(m / (m - 1))  # the loss is above epsilon_1 exactly where t is below this
sampling_example = {m: 2, epsilon_1: sp.log(sp.Rational(5, 4)), t: sp.log(sp.Rational(9, 4))}
sampling_example_loss = sp.log(sp.Rational(21, 16))

# SM where records join, everybody with budget t, so that all are kept: m at 0, her value x, an output y above the means
x, y = sp.symbols("x_joining y_joining", real=True)
joining_loss = t * (y - x) - sp.log((m + 1) / m)
