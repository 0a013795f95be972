"""Gaussian noise in integers for budgets rho, and the two reports of a local user: their prices, and which varies less.

Reports are of values whose mean is in the middle of their interval, where one bit varies most.
"""

import sympy as sp

from hdp.sym.symbols import epsilon, v
from hdp.sym.synthesis.which_estimator import one_bit_variance
from hdp.sym.threshold.one_threshold import concentrated_share as concentrated_share
from hdp.sym.threshold.one_threshold import order
from hdp.sym.threshold.one_threshold import rho_i as rho_i

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
