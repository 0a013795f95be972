"""A release in integers: what each user spends, what the noise adds, what rounding costs.

The unit of all shares is the grid, 1/c of the scale of the noise; c is two to the power of the number of bits.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, n, v
from hdp.sym.synthesis.which_estimator import one_bit_variance
from hdp.sym.threshold.one_threshold import concentrated_share as concentrated_share
from hdp.sym.threshold.one_threshold import order
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
