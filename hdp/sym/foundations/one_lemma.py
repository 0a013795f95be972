"""Privacy loss of the Laplace mechanism, and the one lemma for three items."""

from itertools import combinations

import sympy as sp

from hdp.sym.symbols import eta

s = sp.Symbol("s", real=True)  # an output
w = sp.Symbol("w", positive=True)  # weight of the user who changes her value
x, x_prime = sp.symbols("x x_prime", real=True)  # her two values, in [-1/2, 1/2]

# Output density of w x + Laplace(eta) when everybody else contributes 0, and the loss of eq. (11)
density = sp.exp(-sp.Abs(s - w * x) / eta) / (2 * eta)
density_prime = density.subs(x, x_prime)
privacy_loss = (sp.Abs(s - w * x_prime) - sp.Abs(s - w * x)) / eta
guarantee = w / eta

# What is lost on average, in units of the noise: d = w |x - x'|/eta; the full loss d has the probability beside it
d = sp.Symbol("d_loss", positive=True)
mean_loss, full_loss_probability = d - 1 + sp.exp(-d), sp.Rational(1, 2)

# Arbitrary personalised privacy, a = e^epsilon_min: between two generous records at most a^collapse, which the
# probabilities of the output 1 for a generous record, a strict one and another generous one attain
a = sp.Symbol("a_collapse", positive=True)
collapse = 2
chain = (1 / (a * (a + 1)), 1 / (a + 1), a / (a + 1))

# The one lemma: minimise sum v_i w_i^2 + kappa max (s_i w_i)^2 over the simplex, three items
kappa = sp.Symbol("kappa", positive=True)
T = sp.Symbol("T", positive=True)  # clip: w_i proportional to min(1/v_i, T/s_i)
v_i, s_i = sp.symbols("v_1:4", positive=True), sp.symbols("s_1:4", positive=True)


def level_of(items, kappa=kappa):
    """Level if just these items (v, s) lie below it; the true level is the least over all sets of items."""
    return (kappa + sum(v / s**2 for v, s in items)) / sum(1 / s for _, s in items)


def sets_of(items):
    """Every set of items but the empty one."""
    return tuple(chosen for size in range(1, len(items) + 1) for chosen in combinations(items, size))


def alike(users, budget):
    """Users of one budget, with values in an interval of width 1 of the largest variance 1/4, as one item."""
    return 1 / (4 * users), 1 / (users * budget)


def minimum(items, kappa=kappa):
    """Level and least objective; sympy is kept from comparing the levels of all sets, which takes seconds."""
    level = sp.Min(*(level_of(chosen, kappa) for chosen in sets_of(items)), evaluate=False)
    return level, 1 / sum(sp.Min(1 / v, 1 / (s * level), evaluate=False) for v, s in items)


proportions = tuple(sp.Min(1 / v_j, T / s_j) for v_j, s_j in zip(v_i, s_i, strict=True))
total = sum(proportions)
objective_at_clip = (
    sum(v_j * p**2 for v_j, p in zip(v_i, proportions, strict=True))
    + kappa * sp.Max(*(s_j * p for s_j, p in zip(s_i, proportions, strict=True))) ** 2
) / total**2


# The level as water: a vessel for each user, as wide as her budget and with its floor at her budget
users = sp.symbols("b_1:4", positive=True)  # their budgets
water_level = sp.Symbol("tau_water", positive=True)
place = sp.Symbol("x_vessel", real=True)  # along the row of vessels
poured_volume = sp.Symbol("V_poured", positive=True)  # four times the weight of the noise: 8 for pure privacy
VOLUMES = {"Gaussian": 4, "pure": 8}


def budget_level(total, squares, volume=poured_volume):
    """Level if just the budgets with this sum and this sum of their squares lie below it."""
    return (volume + squares) / total


full_level = sp.Min(*(budget_level(sum(c), sum(e**2 for e in c)) for c in sets_of(users)), evaluate=False)


def poured(level=water_level, budgets=users):
    """What stands in the vessels at this level."""
    return sum(e * sp.Max(level - e, 0) for e in budgets)


GAP = sp.Rational(1, 2)  # between vessels


def vessel(level=None, x=place, budgets=users):
    """Height over the place x: of the floors, or of the water above them where there is any; none between vessels."""
    pieces, left = [], sp.S.Zero
    for e in budgets:
        height = e if level is None else sp.Piecewise((level, level > e), (sp.nan, True))
        pieces += [(sp.nan, x < left), (height, x <= left + e)]
        left += e + GAP
    return sp.Piecewise(*pieces[1:], (sp.nan, True))
