"""Chaudhuri & Courtade (2023), equations numbered as in the full version."""

import sympy as sp

from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n, r, w_1, w_2

# Eq. (4)
saturation_ratio = 1 + 8 / (epsilon_1**2 * n * f)
budget_ratio = epsilon_2 / epsilon_1

# Averages over users, defined below eq. (4)
mean_budget = f * epsilon_1 + (1 - f) * epsilon_2
mean_square_budget = f * epsilon_1**2 + (1 - f) * epsilon_2**2

# Eqs. (18) and (19): error to minimise, and the constraint as "left side = 1/n"
objective = n * (f * w_1**2 + (1 - f) * w_2**2) / 4 + 2 * sp.Max(w_1 / epsilon_1, w_2 / epsilon_2) ** 2
constraint = f * w_1 + (1 - f) * w_2

# Eq. (22), along the constraint; eq. (23), zero where the error is stationary along it and group 1 sets the noise
constraint_slope = -f / (1 - f)
tangency = n * (f * w_1 + (1 - f) * w_2 * constraint_slope) / 2 + 4 * w_1 / epsilon_1**2

# Table I and Lemma 3: weights of one user of each group, case (A) r <= R and case (B) r >= R
weights_a = (epsilon_1 / (n * mean_budget), epsilon_2 / (n * mean_budget))
weights_b = (1 / (n * (f + (1 - f) * R)), R / (n * (f + (1 - f) * R)))

# The level tau of the one lemma: with both budgets below it, and with the first alone (the saturation point)
level_a = (mean_square_budget + 8 / n) / mean_budget
level_b = epsilon_1 * saturation_ratio

cap = sp.Rational(1, 4)  # the largest variance, and the error of a constant answer


def one_group(size, budget, variance=cap):
    """Error of the plain average of `size` users with one budget."""
    return variance / size + 2 / (size * budget) ** 2


def clipped_error(total, squares, penalty=2):
    """Error of weights proportional to budgets, clipped or not, with this sum and this sum of their squares."""
    return (squares / 4 + penalty) / total**2


def proportional_error(variance):
    """Error of weights proportional to the budgets."""
    return variance * mean_square_budget / (n * mean_budget**2) + 2 / (n * mean_budget) ** 2


# Theorem 1, without the cap of 1/4: eqs. (5) to (8)
bound_a_in_budgets = proportional_error(cap)
bound_a_in_ratios = (f * R + (1 - f) * r**2) / (4 * n * (f + (1 - f) * r) ** 2)
bound_b_in_ratios = R / (4 * n * (f + (1 - f) * R))
bound_b_in_budgets = (n * f * epsilon_1**2 + 8) / (4 * n * (n * f * epsilon_1**2 + 8 * (1 - f)))

_case_a = epsilon_2 <= epsilon_1 * saturation_ratio
upper_bound = sp.Min(sp.Piecewise((bound_a_in_budgets, _case_a), (bound_b_in_budgets, True)), cap)

# Section II-B: what the bound becomes before the cap, and its side note on (epsilon_1, epsilon_2) -> (0, oo)
limits = {
    "f = 0": one_group(n, epsilon_2),
    "equal budgets": one_group(n, epsilon_2),
    "group 1 unusable": one_group(n * (1 - f), epsilon_2),
    "group 2 public": (n * f * epsilon_1**2 + 8) / (4 * n * (n * f * epsilon_1**2 + 8 * (1 - f))),
    "tight in f": 1 / (4 * n * (1 - f)),
    "tight in epsilon_1": one_group(n, epsilon_1),
}
double_limit = limits["tight in f"]


# Beyond the paper: one formula for both cases and any budgets, before the cap, with the level of Algorithm 1
def level_error(level, total):
    """tau / (4 S), for the sum S of the budgets clipped at tau."""
    return level / (4 * total)


def one_formula(level, budgets):
    """tau / (4 sum min(epsilon_i, tau))."""
    return level_error(level, sum(min(e, level) for e in budgets))


# Beyond the paper: B is the error before the cap, and c M with c = 1/(1 + 4B) has at most this error
affine_error = sp.Symbol("B", positive=True)
switched_bound = sp.Min(affine_error, cap)
shrunk_bound = affine_error / (1 + 4 * affine_error)
one_public_user = sp.Rational(1, 16)  # the worst-case error of half her value, a quarter of Theorem 1

# What a user of group 2 gives up when the affine estimator is released: Remark 1, min(epsilon_2, R epsilon_1)
effective_epsilon_2 = sp.Min(epsilon_2, epsilon_1 * saturation_ratio)

# Baselines of section IV-A on data of variance 1/4, the fair coin on {-1/2, 1/2} of Figure 1(B)
uniform_mse = one_group(n, epsilon_1)
proportional_mse = bound_a_in_budgets
group_1_mse = one_group(n * f, epsilon_1)
group_2_mse = one_group(n * (1 - f), epsilon_2)
local_mse = group_1_mse * group_2_mse / (group_1_mse + group_2_mse)

# Sampling mechanism: the sample has (1-f) n users of group 2 and a binomial number of group 1.
# Its error is E[1/(4m) + 2/(m epsilon_2)^2] over the sample size m; Jensen's inequality bounds it from below.
sampling_probability = (sp.exp(epsilon_1) - 1) / (sp.exp(epsilon_2) - 1)
mean_sample_size = n * (1 - f + f * sampling_probability)
sampling_mse_jensen = one_group(mean_sample_size, epsilon_2)
