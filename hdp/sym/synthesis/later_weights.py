"""What the one lemma gives at once in the settings of later works: caps, a level fixed beforehand, steps, shapes."""

import sympy as sp

from hdp.sym.foundations.notions import d, reach_ratio
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.heterogeneous_budgets.best_linear import given_gain as gain
from hdp.sym.heterogeneous_budgets.upper_bound import clipped_error, saturation_ratio
from hdp.sym.symbols import epsilon_1, f, n

v, s_1 = sp.symbols("v_later s_1_later", positive=True)  # variance of every item, noise cost of the stricter group's
steps = sp.Symbol("T_steps", positive=True)  # of training
sigma = sp.Symbol("sigma_later", positive=True)  # standard deviation of Gaussian values

# How many strict users one generous user may count for, at most
cap = 1 + kappa * s_1**2 / (n * f * v)
cut_width = 4 * sigma * sp.sqrt(sp.log(n))  # of an interval around the mean that keeps n Gaussian values
caps = {
    "drawn": saturation_ratio,
    "given": gain,
    "gaussian": 1 + 32 * sp.log(n) / (n * f * epsilon_1**2),
    "steps": reach_ratio.subs(kappa, d * steps),
    "local": 1 + 8 / epsilon_1**2,
}

# A level fixed beforehand: the worst error, for the sum of the clipped budgets and the sum of their squares
total, squares = sp.symbols("Omega q_later", positive=True)
fixed_error = clipped_error(total, squares, kappa)
most_lost = lambda g: g**2  # noqa: E731  where the level is wrong by the factor g

# Noise with a standard deviation of its own in each coordinate
sigma_j = sp.symbols("sigma_1_shape sigma_2_shape sigma_3_shape", positive=True)  # of the values
s_j = sp.symbols("s_1_shape s_2_shape s_3_shape", positive=True)  # of the noise, up to a factor
shape_cost = sum(x**2 / y**2 for x, y in zip(sigma_j, s_j, strict=True))  # at most 1
best_shape = tuple(sp.sqrt(x * sum(sigma_j)) for x in sigma_j)
least_length = sum(sigma_j) ** 2
shape_volume = least_length / sum(x**2 for x in sigma_j)  # what stands in the place of 4 kappa
