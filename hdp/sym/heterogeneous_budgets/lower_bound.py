"""The lower bound of Chaudhuri & Courtade (2023): Lemma 2 and appendix C, numbered as in the full version.

Equations (51) to (74) are inequalities between integrals over mechanisms; their pieces are stated here for two coins.
"""

import sympy as sp

from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.heterogeneous_budgets.upper_bound import bound_a_in_budgets, bound_b_in_budgets, cap, mean_budget
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n, r
from hdp.sym.symbols import epsilon as budget

delta = sp.Symbol("delta_coin", positive=True)  # bias of the two coins, in [0, 1]
gamma = sp.Symbol("gamma", positive=True)  # half the distance of their means
total_variation = sp.Symbol("T", nonnegative=True)  # between the two distributions of the output
p, q = sp.symbols("p q", nonnegative=True)  # probability of one event on two neighbouring data sets
A = sp.Symbol("A_slope", positive=True)  # slope: the total variation is at most A delta
coins = sp.Symbol("m", nonnegative=True)  # number of tosses

# Lemma 2: eq. (14) from below, eq. (15) from above, and the condition that its proof removes, as bounds on p
eq_14 = sp.exp(-budget) * q
eq_15 = (sp.exp(budget) * q, 1 - sp.exp(-budget) + sp.exp(-budget) * q)
removed_condition = 1 - sp.exp(budget) + sp.exp(budget) * q
redundant_up_to = sp.exp(budget) / (sp.exp(budget) + 1)  # the q up to which eq. (14) from below implies it
eq_16 = 1 - sp.exp(-budget)
sharp_16 = (sp.exp(budget) - 1) / (sp.exp(budget) + 1)  # tanh(epsilon/2): the largest p - q

# The coins of Lemma 4: half the distance of the means, the divergence, and its bound on [0, 1/2]
half_distance = delta / 2
divergence = delta * sp.log((1 + delta) / (1 - delta))
divergence_bound = 3 * delta**2

# Lemma 5: eq. (51), its linear form (29), and what is true of coins, without the factor 2, with their exact distance T.
# The first k users contribute influence: the sum of eq. (16), of their budgets, and of `sharp_16`; the others toss
influence = sp.Symbol("S_influence", nonnegative=True)
eq_51 = 2 * delta * influence + sp.sqrt(coins * divergence / 2)
eq_29 = 2 * delta * influence + delta * sp.sqrt(3 * coins / 2)
sharp_51 = delta * influence + total_variation

# Le Cam's method: eq. (28), and what the squared error really gives
eq_28 = gamma**2 / 2 * (1 - total_variation)
sharp_28 = gamma**2 * (1 - total_variation)

# Eqs. (30), (32), (33): slopes for k = 0, nf, n; eqs. (34) to (36), (37) to (39)
slope_none = sp.sqrt(3 * n / 2)
slope_first_tight = 2 * n * f * epsilon_1 + sp.sqrt(3 * n * (1 - f) / 2)  # eq. (31)
slope_first = 2 * n * f * epsilon_1 + 2 * sp.sqrt(8 * n * (1 - f))
slope_all = 2 * n * mean_budget
eq_34 = delta**2 / 8 * (1 - delta * A)
eq_37 = sp.Min(1 / (6 * n), cap) / 16
eq_38 = sp.Min(1 / (4 * n * f * epsilon_1 + 4 * sp.sqrt(8 * n * (1 - f))) ** 2, cap) / 16
eq_39 = sp.Min(1 / (16 * n**2 * mean_budget**2), cap) / 16

# Lemma 4 up to universal constants: 1/16 of eqs. (25) and (26), and 1/2048 of (27), are below (37) to (39)
eq_25 = sp.Min(1 / (6 * n), cap)
eq_26 = sp.Min(1 / (4 * n * f * epsilon_1 + 4 * sp.sqrt(8 * n * (1 - f))) ** 2, cap)
eq_27 = sp.Min(f * (R - 1) / (n * (f + (1 - f) * r) ** 2), cap)

# Eqs. (41) to (45), without the caps and the factors 1/512, 1/16, 1/16, 1/1048 in front
inside_41 = f * (R - 1) / (4 * n * (f + (1 - f) * r) ** 2)
inside_42 = 1 / (32 * (n**2 * f * epsilon_1**2 + 8 * n * (1 - f)))
inside_43 = (n * f * epsilon_1**2 + 8) / (262 * n * (n * f * epsilon_1**2 + 8 * (1 - f)))
inside_45 = upper.bound_b_in_ratios

# Eqs. (46) to (50)
L_2, L_3, U = inside_45, inside_41, upper.bound_a_in_ratios
factor_41, factor_45, factor_46 = sp.Rational(1, 512), sp.Rational(1, 1048), sp.Rational(1, 1560)
derivative_47 = (1 - f) * f * (r - 1) / (2 * n * (f + r * (1 - f)) ** 3)
difference_48 = (f + R**2 * (1 - f)) / (4 * n * (f + R * (1 - f)) ** 2)
difference_49 = f * (1 - R) / (4 * n * (f + R * (1 - f)) ** 2)

# Theorem 2 with the constants of eqs. (45) and (50)
lower_bound = sp.Piecewise(
    (factor_45 * sp.Min(bound_b_in_budgets, cap), epsilon_2 >= epsilon_1 * upper.saturation_ratio),
    (factor_46 * sp.Min(bound_a_in_budgets, cap), True),
)

# Beyond the paper: the best bias for a slope A, and slopes of a closed form with every constant sharpened
eq_34_sharp = delta**2 / 4 * (1 - delta * A)  # what one bias proves for a slope A
bias_for_slope = sp.Min(2 / (3 * A), 1)
best_for_slope = sp.Piecewise((1 / (27 * A**2), A >= sp.Rational(2, 3)), ((1 - A) / 4, True))
coin_slope = sp.sqrt(2 * (coins + 1) / sp.pi)  # T_m(delta) <= delta coin_slope
tosses_bound = delta * sp.sqrt(coins)  # and T_m(delta) is at most this, which is below Pinsker's bound
_influence_1, _influence_2 = (sharp_16.subs(budget, e) for e in (epsilon_1, epsilon_2))
sharp_slopes = (
    coin_slope.subs(coins, n),
    n * f * _influence_1 + coin_slope.subs(coins, n * (1 - f)),
    n * f * _influence_1 + n * (1 - f) * _influence_2,
)
closed_form = best_for_slope.subs(A, sp.Min(*sharp_slopes))
any_budgets_share = sp.sqrt(2) - 1  # whoever allows less than this share of the level is limited by privacy
any_budgets_factor = 27 * (3 + 2 * sp.sqrt(2)) / 4  # Theorem 1 is at most this many times the minimax error

# n users of one budget, z = n epsilon fixed while n goes to infinity: Theorem 1 over the best bound of the argument
total_budget = sp.Symbol("z_total", positive=True)
strict_gap = sp.Piecewise(
    (1 / (1 - total_budget / 2), total_budget <= sp.Rational(4, 3)),
    (27 * total_budget**2 / 16, total_budget <= 2 * sp.sqrt(2)),
    (sp.Rational(27, 2), True),
)

# n users of one budget: what one bias proves if everybody counts for her privacy, or for her data, sharply and with
# the paper's constants; and Theorem 1
alike_slopes = n * sharp_16, sp.sqrt(n)
alike_slope = sp.Min(*alike_slopes)
alike_by_privacy, alike_by_data = (eq_34_sharp.subs(A, slope) for slope in alike_slopes)
_paper = eq_28.subs({gamma: half_distance, total_variation: eq_51})
alike_by_privacy_paper = _paper.subs({influence: n * eq_16, coins: 0})
alike_by_data_paper = _paper.subs({influence: 0, coins: n})
alike_upper = sp.Min(upper.one_group(n, budget), cap)

# The same beside some public users, who have no budget to count
public_users = sp.Symbol("public_users", nonnegative=True)
_strict = n - public_users
beside_slopes = (
    coin_slope.subs(coins, n),
    _strict * sharp_16 + coin_slope.subs(coins, public_users),
    _strict * sharp_16 + public_users,
)
beside_upper = sp.Min((_strict * budget**2 + 8) / (4 * (n * _strict * budget**2 + 8 * public_users)), cap)
beside_gap = beside_upper / best_for_slope.subs(A, sp.Min(*beside_slopes))
