"""What an answer s with Laplace noise tells an attacker about one person."""

import sympy as sp

from hdp.sym.foundations.one_lemma import VOLUMES, budget_level, s
from hdp.sym.heterogeneous_budgets.upper_bound import cap, clipped_error, one_group
from hdp.sym.symbols import epsilon

p = sp.Symbol("p_prior", positive=True)  # what the attacker believed before: probability that she said yes
q = sp.Symbol("q_prior", positive=True)  # the same, of one attacker in particular
ratio = sp.Symbol("ell_ratio", positive=True)  # probability of the answer if she said yes, over that if she said no
u = sp.Symbol("u_quantile", positive=True)  # in (0, 1)

WITHOUT_HER = 2  # the others who said yes, in the figure's example


# A count plus Laplace noise of scale 1/epsilon: density around a true count, and the value that a share u lies below
def density(count):
    """Density of the published answer."""
    return epsilon * sp.exp(-epsilon * sp.Abs(s - count)) / 2


def quantile(count, share=u):
    """The answer that the share `share` of all answers lies below."""
    lower, upper = sp.log(2 * share) / epsilon, -sp.log(2 * (1 - share)) / epsilon
    return count + sp.Piecewise((lower, share < sp.Rational(1, 2)), (upper, True))


def posterior(likelihood_ratio):
    """Bayes: the belief after an answer."""
    return p * likelihood_ratio / (p * likelihood_ratio + 1 - p)


exp_epsilon = sp.exp(epsilon)
most, least = posterior(exp_epsilon), posterior(sp.exp(-epsilon))
noise_deviation = sp.sqrt(2) / epsilon  # of a count


# -- A handful of people, or groups of people who are alike, and what an answer about all of them costs each.

NAMES = ("Ada", "Ben", "Chen", "Dina", "Eli", "Fay", "Gus", "Hana")
allows = sp.symbols("allows_1:9", positive=True)  # what is asked of each group, unless it is public
alike = sp.symbols("members_1:9", positive=True)  # how many each group has, if it is there
groups = sp.Symbol("groups", positive=True)  # how many are there
public = sp.Symbol("public_group", nonnegative=True)  # the number of the group that is public; 0 is none
way = sp.Symbol("way", nonnegative=True)  # 0: a budget each, 1: one threshold, 2: local reports
x_noise = sp.Symbol("x_noise", real=True)  # of an answer: the horizontal axis of the picture

allowed = sp.symbols("limit_1:9", positive=True)  # e_i, infinite for a public group
members = sp.symbols("counted_1:9", nonnegative=True)  # m_i, 0 for who is not there
GROUPS = tuple(zip(members, allowed, strict=True))


def of_those_there(i, expression, otherwise=sp.S.Zero):
    """The expression, if group i is there; the first two always are."""
    return expression if i < 2 else sp.Piecewise((expression, groups >= i + 1), (otherwise, True))


def unless_public(i, expression, otherwise):
    """The expression, unless group i is public."""
    return sp.Piecewise((otherwise, sp.Eq(public, i + 1)), (expression, True))


def there(m, expression, otherwise=sp.S.Zero):
    """The expression, if the group has members."""
    return sp.Piecewise((expression, m > 0), (otherwise, True))


users = sum(members)
vessels_least = sp.Min(*(there(m, e, sp.oo) for m, e in GROUPS))

# The level: the least of those that the groups up to each budget would have alone, for alone none has a lower one.
levels = sp.symbols("level_1:9", positive=True)
tau = sp.Symbol("tau_vessels", positive=True)


def level_of(budget):
    """The level if nobody allowed more than this budget."""
    squares, sums = (sum(sp.Piecewise((m * e**k, e <= budget), (0, True)) for m, e in GROUPS) for k in (2, 1))
    return budget_level(sums, squares, VOLUMES["pure"])


# One threshold: those who allow at least as much count alike, and all lose as much as it.
risks = sp.symbols("risk_1:9", positive=True)
lowest_risk = sp.Symbol("risk_threshold", positive=True)
threshold = sp.Symbol("threshold", positive=True)


def risk_of(m, budget):
    """Squared error of the threshold at the budget of a group."""
    count = sum(sp.Piecewise((k, e >= budget), (0, True)) for k, e in GROUPS)
    return there(m, one_group(count, budget), sp.oo)


# A budget each: weights proportional to min(e_i, tau), and so to what is spent.
spent = sp.symbols("spent_1:9", positive=True)
total = sp.Symbol("spent_total", positive=True)

# Local reports of one bit, weighted by the inverse of their variances, 1/(4 t) with t = tanh(e/2)^2.
information = sp.Symbol("information", positive=True)
_truth = tuple(((1 - sp.exp(-e)) / (1 + sp.exp(-e))) ** 2 for e in allowed)

# What each way errs by, squared: of the first three one is chosen, the last is there to compare.
WAYS = ("a budget each", "one threshold", "local reports", "one budget for all")
squared = sp.symbols("squared_1:5", positive=True)
_SQUARED = (
    clipped_error(total, sum(m * s**2 for m, s in zip(members, spent, strict=True))),
    lowest_risk,
    1 / information,
    one_group(users, vessels_least),
)
errors = {name: sp.sqrt(sp.Min(error, cap)) for name, error in zip(WAYS, squared, strict=True)}
error_in_use = sp.Piecewise((errors[WAYS[0]], sp.Eq(way, 0)), (errors[WAYS[1]], sp.Eq(way, 1)), (errors[WAYS[2]], True))


def lost_of(allowance):
    """What a member who allows so much loses in the way that is chosen; nothing where the answer needs no data."""
    losses = (sp.Min(allowance, tau), sp.Piecewise((threshold, allowance >= threshold), (0, True)), allowance)
    used = [sp.Piecewise((x, risk <= cap), (0, True)) for x, risk in zip(losses, squared[:3], strict=True)]
    return sp.Piecewise((used[0], sp.Eq(way, 0)), (used[1], sp.Eq(way, 1)), (used[2], True))


lost = sp.symbols("lost_1:9", nonnegative=True)

# Whose story is told: the group of this number, or the last one that is there.
story = sp.Symbol("story", positive=True)
told = sp.Symbol("told", positive=True)


def of_told(numbers):
    """That of these numbers, one for each group, which is of the group whose story is told."""
    *first, last = enumerate(numbers, 1)
    return sp.Piecewise(*((number, sp.Eq(told, i)) for i, number in first), (last[1], True))


told_allows, told_loses = sp.symbols("told_allows told_loses", nonnegative=True)
told_keeps = sp.Piecewise((0, sp.Eq(told_allows, told_loses)), (told_allows - told_loses, True))  # also of no limit

# What all of that is in terms of the parameters, each in terms of those before it.
DERIVED = (
    *((limit, unless_public(i, e, sp.oo)) for i, (limit, e) in enumerate(zip(allowed, allows, strict=True))),
    *((count, of_those_there(i, m)) for i, (count, m) in enumerate(zip(members, alike, strict=True))),
    *((level, unless_public(i, level_of(e), sp.oo)) for i, (level, e) in enumerate(zip(levels, allowed, strict=True))),
    (tau, sp.Min(*levels)),
    *((risk, risk_of(m, e)) for risk, (m, e) in zip(risks, GROUPS, strict=True)),
    (lowest_risk, sp.Min(*risks)),
    (
        threshold,
        sp.Min(*(sp.Piecewise((e, r <= lowest_risk), (sp.oo, True)) for r, e in zip(risks, allowed, strict=True))),
    ),
    *((s, sp.Min(e, tau)) for s, e in zip(spent, allowed, strict=True)),
    (total, sum(m * s for m, s in zip(members, spent, strict=True))),
    (information, 4 * sum(m * t for m, t in zip(members, _truth, strict=True))),
    *zip(squared, _SQUARED, strict=True),
    *((loss, lost_of(e)) for loss, e in zip(lost, allowed, strict=True)),
    (told, sp.Min(story, groups)),
    (told_allows, of_told(allowed)),
    (told_loses, of_told(lost)),
)


# The noise of an answer, as a function of numbers u and v that are uniform on [0, 1)
def laplace(scale, u):
    """Quantile of the Laplace law of this scale."""
    return scale * quantile(0, u).subs(epsilon, 1)


def normal(variance, u, v):
    """A normal number of this variance, by Box and Muller."""
    return sp.sqrt(-2 * variance * sp.log(1 - u)) * sp.cos(2 * sp.pi * v)


def noises(u, v):
    """Of each way; that of many reports is nearly normal, and an answer that needs no data has none."""
    count = sum(sp.Piecewise((m, e >= threshold), (0, True)) for m, e in GROUPS)
    lies = 4 * sum(m * t * (1 - t) for m, t in zip(members, _truth, strict=True)) / information**2
    drawn = (
        laplace(1 / total, u),
        laplace(1 / (count * threshold), u),
        normal(lies, u, v),
        laplace(1 / (users * vessels_least), u),
    )
    return {
        name: sp.Piecewise((d, error <= cap), (0, True)) for name, d, error in zip(WAYS, drawn, squared, strict=True)
    }
