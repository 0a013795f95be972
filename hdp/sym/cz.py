"""Cyffers & Ziani (2026): one threshold against full personalisation, two private levels or a public group."""

import sympy as sp

from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2


def group_risk(users, budget):
    """Eq. (3): risk of the average of so many users with noise for one budget."""
    return 1 / (4 * users) + 2 / (users * budget) ** 2


def clipped_risk(groups, level):
    """Eq. (2): risk of the affine estimator on groups (users, budget) that are clipped at a level."""
    total = sum(m * sp.Min(e, level) for m, e in groups)
    return sum(m * sp.Min(e, level) ** 2 for m, e in groups) / (4 * total**2) + 2 / total**2


# Section 4: N_1 private users with budget epsilon_1, N_2 public ones
private_risk = group_risk(N_1, epsilon_1)
public_risk = 1 / (4 * N_2)
public_affine = private_risk * public_risk / (private_risk + public_risk)
public_threshold = sp.Min(group_risk(N_1 + N_2, epsilon_1), public_risk)

# Section 5: two private levels; the affine risk is proportional below the saturation point and constant beyond
saturation = epsilon_1 + 8 / (N_1 * epsilon_1)
everybody_risk = group_risk(N_1 + N_2, epsilon_1)
generous_risk = group_risk(N_2, epsilon_2)
two_level_threshold = sp.Min(everybody_risk, generous_risk)
proportional_risk = (N_1 * epsilon_1**2 + N_2 * epsilon_2**2 + 8) / (4 * (N_1 * epsilon_1 + N_2 * epsilon_2) ** 2)
two_level_affine = sp.Piecewise((proportional_risk, epsilon_2 <= saturation), (public_affine, True))

# The companion's own: how large the ratio of the two risks gets
public_worst_budget = sp.sqrt(8 * N_2 / (N_1 * (N_1 + N_2)))  # where both thresholds are equally good
public_worst_ratio = 2 * (N_1 + N_2) / (N_1 + 2 * N_2)  # over all epsilon_1, for these numbers of users
q = sp.Symbol(
    "q_family", positive=True
)  # a family with ratio -> 4 and risks -> 0; whole numbers of users if q is whole
two_level_family = {N_1: q**4, N_2: q**3, epsilon_1: 1 / (q**2 * (q + 1)), epsilon_2: q**-2}
