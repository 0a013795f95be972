"""Four unbiased local reports of one value in [0, 1], each of which costs the budget; where each varies least.

Variances are of value and noise together.  Laplace noise and one bit are stated with the mixed release.
"""

import sympy as sp

from hdp.sym.hybrid_trust.amplification import adversarial, rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import epsilon, n, v
from hdp.sym.synthesis.which_estimator import noisy_variance

b = sp.Symbol("b_epsilon", positive=True)  # e^-epsilon, below 1
h = sp.Symbol("h_epsilon", positive=True)  # e^(epsilon/2), above 1
off = sp.Symbol("d_mu", nonnegative=True)  # distance of the values' mean from 1/2
third, quarter = sp.Rational(1, 3), sp.Rational(1, 4)
in_budget = {b: sp.exp(-epsilon), h: sp.exp(epsilon / 2)}

# Staircase noise: density a b^k on [k, k + gamma), a b^(k+1) up to k + 1; m = b + (1 - b) gamma is the mass of a step
# over a b^k (Geng & Viswanath, 2016)
step_mass = sp.Symbol("m_step", positive=True)
best_step_mass = (b * (1 + b) / 2) ** third
staircase_of_step = (step_mass**2 / 3 + 2 * best_step_mass**3 / (3 * step_mass) + b) / (1 - b) ** 2
# The same at the best step, in hyperbolic functions of epsilon/2, and these in exponentials, which browsers have
root_cosh = ((h + 1 / h) / 2) ** (2 * third)
four_squares = (h - 1 / h) ** 2  # 4 sinh(epsilon/2)^2
staircase_noise = (1 + root_cosh) / four_squares

# Piecewise density: with the chance z uniform on a range around [0, 1], else on a window around the value; together the
# window is e^epsilon times as high; published with z = 1/h (Wang et al., 2019)
z = sp.Symbol("zeta", positive=True)
odds = sp.Symbol("E_epsilon", positive=True)  # e^epsilon
square = sp.Symbol("s_x", nonnegative=True)  # squared distance of the value from 1/2, at most 1/4
window_width = 1 / (z * odds - 1)
range_width = z * (odds - 1) / ((1 - z) * (z * odds - 1))
piecewise_of_step = square * z / (1 - z) + ((1 - z) * window_width**2 + z * range_width**2) / 12
piecewise_slope = 1 / (h - 1)  # noise per squared distance of the value from 1/2
piecewise_least = (h + 3) / (12 * (h - 1) ** 2)  # noise at 1/2
piecewise_most = h / (3 * (h - 1) ** 2)  # noise at 0 and 1
piecewise_square = square * (1 + piecewise_slope) + piecewise_least  # of the report's distance from 1/2
laplace_square = noisy_variance.subs(v, square)  # the same with Laplace noise

# Variances of the reports for values of variance v whose mean has a distance d from 1/2
one_bit_centre = quarter + 1 / four_squares
one_bit = one_bit_centre - off**2
staircase = v + staircase_noise
piecewise = v + (v + off**2) * piecewise_slope + piecewise_least

# Variances at which two of them are equal
bit_from_staircase = quarter - off**2 - root_cosh / four_squares
bit_from_piecewise = (one_bit_centre - piecewise_least) * (h - 1) / h - off**2
piecewise_to_staircase = (staircase_noise - piecewise_least) * (h - 1) - off**2
bit_from_any_piecewise = one_bit_centre - piecewise_most  # where the mean is not known

# Budgets at which they are equal for values without variance: one bit and the two others at 1/2; one bit and the
# piecewise density, then the latter and the staircase, at the worst value for each
_x = sp.Symbol("x_root", real=True)
stairs_cubic, centre_cubic, late_cubic = _x**3 - _x - 1, 3 * _x**3 - _x**2 + _x - 7, 2 * _x**3 - 3 * _x**2 - 1
_plastic, _centre, _late = (sp.real_roots(cubic)[0] for cubic in (stairs_cubic, centre_cubic, late_cubic))
stairs_budget = 2 * sp.acosh(_plastic ** sp.Rational(3, 2))
centre_budget = 2 * sp.log(_centre)
worst_budget = 2 * sp.acosh((1 + sp.sqrt(7)) / 3)
late_budget = 2 * sp.acosh(_late**3)

# No unbiased report of loss epsilon has a mean square around 1/2 below this
least_square = sp.Piecewise((odds / (odds - 1) ** 2, odds <= 2), ((odds + 2) / (2 * (odds - 1) ** 2), True))


# -- Reports that stay secret, with Gaussian noise: the best weight of two groups, its error, and what secrecy gains.

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
