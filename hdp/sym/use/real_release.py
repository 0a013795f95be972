"""A release in integers: what each user spends, what the noise adds, what rounding costs.

The unit of all shares is the grid, 1/c of the scale of the noise; c is two to the power of the number of bits.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, n, order, v
from hdp.sym.synthesis.which_estimator import one_bit_variance
from hdp.sym.threshold.one_threshold import concentrated_share as concentrated_share
from hdp.sym.threshold.one_threshold import rho_i as rho_i
from hdp.sym.user_level.private import beta

bits = sp.Symbol("n_bits", positive=True)
scale = sp.Symbol("c_scale", positive=True)  # of the integer noise
# Standard deviation of the answer before rounding, and the most that rounding moves it
deviation, offset = sp.symbols("sigma_a omega_a", nonnegative=True)

grid = 2**-bits

# Loss over budget: the sum is rounded to the grid, and everybody pays for it; or each share before, downwards
rounded_after = 1 + grid / epsilon
rounded_before = sp.Max(0, 1 - grid / epsilon)

noise_variance = 1 / (2 * sp.sinh(1 / (2 * scale)) ** 2)  # of P(z) proportional to exp(-|z|/c), z whole
rounded_mse = deviation**2 + 2 * deviation * offset + offset**2  # at most

# Truncated values: weight of one user, up to a factor, and the most by which the mean is moved
share, width = sp.symbols("a_i d_i", positive=True)
proportion = share / width
truncation_bias = beta / n


# -- Gaussian noise in integers for budgets rho, and the two reports of a local user: their prices, and which varies
# less.

# One bit with the pure budget epsilon: its price in rho, its divergence of every order, what the conversion charges
bit_loss = epsilon * sp.tanh(epsilon / 2)
bit_divergence = sp.log(sp.cosh(epsilon * (order - sp.Rational(1, 2))) / sp.cosh(epsilon / 2)) / (order - 1)
converted = epsilon**2 / 2

# Its variance, and that of the values from which on it varies less than a value with noise of the same price
bit_variance = one_bit_variance.rewrite(sp.tanh)
least_variance = bit_variance - 1 / (2 * bit_loss)

# Prices in rho of a report of this variance: one bit, by its own price and by the conversion, and a value with noise
report = sp.Symbol("r_report", positive=True)  # above 1/4
told = sp.log((2 * sp.sqrt(report) + 1) / (2 * sp.sqrt(report) - 1))  # pure budget of the bit
bit_price = told / (2 * sp.sqrt(report))
converted_price = told**2 / 2
noise_price = 1 / (2 * (report - v))


# -- Who knows no interval: shares in noisy counts, the part of all budgets that these deserve, and what clipping
# costs.

bounds_loss = 2 * share / scale  # two counts move by her share
bounds_loss_rho = share**2 / scale**2  # with Gaussian noise

# Part of the budgets for bounds, part of the weight that the interval leaves out, index of the tail, and what the noise
# of the counts may hide, in its scales
bounds_share, left_out, tail_index, hidden_scales = sp.symbols("s_b delta_b alpha_b h_b", positive=True)
hidden = 2 * hidden_scales / (n * epsilon)  # part of the weight, if the whole budgets went into bounds
bounds_noise = (1 - hidden / (left_out * bounds_share)) ** (-1 / tail_index) / (1 - bounds_share)
_less = hidden * (tail_index - 1)
best_bounds_share = (_less + sp.sqrt(_less**2 + 4 * tail_index * left_out * hidden)) / (2 * tail_index * left_out)

# Most that a mean moves, for half an interval r_b and distances with a mean p_b-th power of m_b^p_b, or with a Pareto
# tail from t_b on; and the distance that costs most
half, moment_order, moment_size, pareto_start = sp.symbols("r_b p_b m_b t_b", positive=True)
furthest = moment_order / (moment_order - 1) * half
moment_cost = (furthest - half) * (moment_size / furthest) ** moment_order
pareto_cost = pareto_start / (tail_index - 1) * (pareto_start / half) ** (tail_index - 1)
