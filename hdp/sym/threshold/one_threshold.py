"""Cyffers & Ziani (2026): one threshold against full personalisation, two private levels or a public group."""

import sympy as sp

from hdp.sym.heterogeneous_budgets.upper_bound import clipped_error, level_b, one_group
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2, f, n

# Definition 5: the law {value: probability} that alone attains the error of an unbiased affine estimator
fair_coin = {-sp.Rational(1, 2): sp.Rational(1, 2), sp.Rational(1, 2): sp.Rational(1, 2)}


def unbiased_risk(weights, scale):
    """Definition 5 for weights that sum to 1 and Laplace noise of this scale."""
    return sum(w**2 for w in weights) / 4 + 2 * scale**2


def affine_objective(weights, budgets):
    """Eq. (1): the risk of such weights with the least noise that the budgets allow; weights may be negative."""
    return unbiased_risk(weights, sp.Max(*(abs(w) / e for w, e in zip(weights, budgets, strict=True))))


group_risk = one_group  # Eq. (3): risk of the average of so many users with noise for one budget


def clipped_risk(groups, level):
    """Eq. (2): risk of the affine estimator on groups (users, budget) that are clipped at a level."""
    return clipped_error(*(sum(m * sp.Min(e, level) ** power for m, e in groups) for power in (1, 2)))


def minimisers(level, largest):
    """Claim 1: where eq. (2) is least, for the level with sum e_i (level - e_i)_+ = 8 and the largest budget."""
    return sp.FiniteSet(level) if level < largest else sp.Interval(largest, sp.oo)


# Section 4: N_1 private users with budget epsilon_1, N_2 public ones
private_risk = group_risk(N_1, epsilon_1)
public_risk = 1 / (4 * N_2)
public_affine = private_risk * public_risk / (private_risk + public_risk)
public_threshold = sp.Min(group_risk(N_1 + N_2, epsilon_1), public_risk)
public_factor = sp.Integer(2)  # Theorem 1: R_thr < 2 R_aff, and 2 is the supremum of their ratio

# Section 5: two private levels; the affine risk is proportional below the saturation point and constant beyond
saturation = sp.expand(level_b.subs(f, N_1 / n))
everybody_risk = group_risk(N_1 + N_2, epsilon_1)
generous_risk = group_risk(N_2, epsilon_2)
two_level_threshold = sp.Min(everybody_risk, generous_risk)
proportional_risk = (N_1 * epsilon_1**2 + N_2 * epsilon_2**2 + 8) / (4 * (N_1 * epsilon_1 + N_2 * epsilon_2) ** 2)
two_level_affine = sp.Piecewise((proportional_risk, epsilon_2 <= saturation), (public_affine, True))
two_level_factor = sp.Integer(4)  # Theorem 2: R_thr < 4 R_aff, and 4 is the supremum

# The companion's own: instances, and how large the ratio of the two risks gets
example = {N_1: 99, N_2: 1, epsilon_1: sp.Rational(1, 1000), epsilon_2: sp.Rational(1, 10)}  # a ratio above 2
public_worst_budget = sp.sqrt(8 * N_2 / (N_1 * (N_1 + N_2)))  # where both thresholds are equally good
public_worst_ratio = 2 * (N_1 + N_2) / (N_1 + 2 * N_2)  # over all epsilon_1, for these numbers of users
equilibrium_budget = sp.sqrt(8 * N_2 / (N_1 * (N_1 - N_2)))  # where the averages of both groups are equally good
equilibrium_ratio = 2 * (N_1**2 + N_2**2) / (N_1 + N_2) ** 2  # there, for N_1 > N_2
saturated_supremum = (3 + sp.sqrt(5)) / 2  # of the ratio for two levels, epsilon_2 beyond the saturation point
# A family with ratio -> 4 and risks -> 0; whole numbers of users if q is whole
q = sp.Symbol("q_family", positive=True)
two_level_family = {N_1: q**4, N_2: q**3, epsilon_1: 1 / (q**2 * (q + 1)), epsilon_2: q**-2}

# Section 7: Gaussian noise, if whoever demands privacy may move the answer by so many standard deviations at most
order, rho_i, share = sp.symbols("alpha_R rho_i b_i", positive=True)
gaussian_divergence = order * share**2 / 2  # of Rényi, between normal laws that far apart
concentrated_share = sp.sqrt(2 * rho_i)  # what rho_i-zero-concentrated privacy allows
laplace_budget = sp.sqrt(2) * share  # the pure budget for which Laplace noise has the same variance
