"""Cyffers & Ziani (2026): one threshold against full personalisation, two private levels or a public group."""

import sympy as sp

from hdp.sym.foundations.one_lemma import kappa, sets_of
from hdp.sym.heterogeneous_budgets import general_budgets as general
from hdp.sym.heterogeneous_budgets.upper_bound import clipped_error, level_b, level_error, one_group
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2, f, n, order, tau

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
rho_i, share = sp.symbols("rho_i b_i", positive=True)
gaussian_divergence = order * share**2 / 2  # of Rényi, between normal laws that far apart
concentrated_share = sp.sqrt(2 * rho_i)  # what rho_i-zero-concentrated privacy allows
laplace_budget = sp.sqrt(2) * share  # the pure budget for which Laplace noise has the same variance


# -- Cyffers & Ziani (2026): the risks in the variables of the figures.

size_ratio, budget_ratio = sp.symbols("nu rho", positive=True)  # N_2/N_1 and epsilon_2/epsilon_1
strictness = sp.Symbol("s", positive=True)  # epsilon_1 sqrt(n)

_REDUCED = {N_1: n / (1 + size_ratio), N_2: n * size_ratio / (1 + size_ratio)}
_REDUCED |= {epsilon_1: strictness / sp.sqrt(n), epsilon_2: budget_ratio * strictness / sp.sqrt(n)}


def reduced(risk):
    """N R in the three variables; n must drop out."""
    scaled = sp.factor(n * risk.subs(_REDUCED, simultaneous=True))
    if n in scaled.free_symbols:
        raise ValueError(f"risk must scale like 1/n, got {scaled}")
    return scaled


everybody, generous, public = (reduced(risk) for risk in (everybody_risk, generous_risk, public_risk))
proportional, saturated = reduced(proportional_risk), reduced(public_affine)
# As epsilon_2/epsilon_1
in_ratios_saturation = sp.factor(saturation.subs(_REDUCED, simultaneous=True) * sp.sqrt(n) / strictness)
affine = sp.Piecewise((proportional, budget_ratio <= in_ratios_saturation), (saturated, True))
ratio = sp.Min(everybody, generous) / affine
# Under zero-concentrated privacy, where budget_ratio is that of the losses: pure budgets go with their roots
gaussian_ratio = ratio.subs(budget_ratio, sp.sqrt(budget_ratio))

# Where everybody at epsilon_1 and group 2 at epsilon_2 err alike; to the left of the root's domain everybody is better
switch = (1 + size_ratio) * sp.sqrt(8 / (size_ratio * (8 * size_ratio - strictness**2)))
share_kept = sp.Piecewise((1, everybody <= generous), (size_ratio / (1 + size_ratio), True))

# Section 4, epsilon_2 = oo: the ratio, its maximum over N_2/N_1, and where R_priv = R_pub
public_ratio = sp.Min(everybody, public) / saturated
public_peak = strictness**2 / 8
public_maximum = 1 + 4 / (4 + strictness**2)
public_balance = (sp.sqrt((8 + strictness**2) ** 2 + 32 * strictness**2) - 8 - strictness**2) / 16

with_noise = {strictness: strictness * sp.sqrt(2 / kappa)}  # the same for noise of another weight, s being of reaches


# Groups (users, budget), the users possibly 0


def level(groups):
    """Best clipping level of eq. (2), for groups in increasing order of budgets: it clips the groups after some one."""
    return general.least(*(general.group_level(groups[: j + 1]) for j in range(len(groups))))


def any_order_level(groups):
    """The same for groups in any order."""
    return sp.Min(*(general.group_level(chosen) for chosen in sets_of(groups)))


def affine_risk(groups, level):
    """R_aff, eq. (2) at its best level."""
    return level_error(level, sum(m * general.least(e, level) for m, e in groups))


def kept(groups, at):
    """n_tau, how many users have at least this budget; without a Piecewise, which sympy would fold in conditions."""
    return sum(m * sp.floor(sp.Min(1, e / at)) for m, e in groups)


def threshold_curve(groups):
    """R_thr(tau), eq. (3); infinite beyond the largest budget."""
    return group_risk(kept(groups, tau), tau)


def _candidates(groups):
    """Risk at each budget."""
    return [group_risk(kept(groups, e), e) for _, e in groups]


def threshold_risk(groups):
    """R_thr, eq. (3) at the best of the budgets."""
    return sp.Min(*_candidates(groups))


def best_threshold(groups):
    """Budget at which eq. (3) is least; of equally good ones the first."""
    least = threshold_risk(groups)
    pieces = [(e, risk <= least) for (_, e), risk in zip(groups, _candidates(groups), strict=True)]
    return sp.Piecewise(*pieces[:-1], (pieces[-1][0], True))


def distinct(budgets):
    """How many different budgets there are."""
    return 1 + sum(
        sp.Piecewise((0, sp.Or(*(sp.Eq(e, other) for other in budgets[:i]))), (1, True))
        for i, e in enumerate(budgets)
        if i
    )


# At most four levels with geometric steps, as in the construction of Theorem 3: budgets epsilon_1 q^(j-1), and a share
# g^-(j-1) of the users at level j or above, for j = 1, ..., k
budget_step, share_step, levels = sp.symbols("q g k_levels", positive=True)
user = sp.Symbol("u_user", positive=True)  # share of the users who are at least as generous
budgets = tuple(epsilon_1 * budget_step**j for j in range(4))
shares = (sp.Integer(1), *(share_step**-j * sp.Min(1, sp.Max(0, levels - j)) for j in range(1, 4)))
_users = tuple(n * (a - b) for a, b in zip(shares, (*shares[1:], 0), strict=True))
_shape = tuple(zip(_users, budgets, strict=True))

shape_level = level(_shape)
shape_affine = affine_risk(_shape, shape_level)
_at_least = [group_risk(n * share, e) for share, e in zip(shares, budgets, strict=True)]
shape_threshold = sp.Min(*_at_least)


def at_best(values):
    """One of four values, that of the best threshold; of equally good ones the smallest."""
    pieces = [(value, risk <= shape_threshold) for value, risk in zip(values, _at_least, strict=True)]
    return sp.Piecewise(*pieces[:-1], (values[-1], True))


budget_of_user = sp.Piecewise(
    *((e, user <= s) for e, s in zip(budgets[:0:-1], shares[:0:-1], strict=True)), (budgets[0], True)
)


def at_best_for_user(values_kept, values_dropped):
    """For user u: one of four values if the best threshold keeps her, another if it drops her.

    One flat Piecewise, because sympy would fold a nested one in the conditions.
    """
    pieces = []
    for share, risk, inside, outside in zip(shares, _at_least, values_kept, values_dropped, strict=True):
        pieces += [(inside, (risk <= shape_threshold) & (user <= share)), (outside, risk <= shape_threshold)]
    return sp.Piecewise(*pieces)


_nowhere = (sp.nan,) * 4
threshold_budget_of_user = at_best_for_user(budgets, _nowhere)
dropped_budget_of_user = at_best_for_user(_nowhere, (budget_of_user,) * 4)
level_count = sp.Piecewise((1, sp.Eq(budget_step, 1) | sp.Eq(share_step, 1)), (levels, True))
