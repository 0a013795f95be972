"""A release in integers: what each user spends, what the noise adds, what rounding costs.

The unit of all shares is the grid, 1/c of the scale of the noise; c is two to the power of the number of bits.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, n
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
