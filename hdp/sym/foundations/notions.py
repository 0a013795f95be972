"""What a notion of privacy says of the one lemma: how far a budget lets the answer move, and how long the noise is."""

import sympy as sp

from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.heterogeneous_budgets import upper_bound
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n, order, tau

d = sp.Symbol("d_dim", positive=True)  # dimension of the values
loss, loss_1, loss_2 = sp.symbols("ell_loss ell_1_loss ell_2_loss", positive=True)  # budgets in the unit of a notion
reach, reach_1 = sp.symbols("b_reach b_1_reach", positive=True)  # scales of the noise that a user may move the answer
kind = sp.Symbol("kind", nonnegative=True)  # position of a notion in NAMES

NAMES = ("pure", "gdp", "zcdp", "renyi")
# What a budget allows; approximate privacy has no closed form
reaches = {"pure": loss, "gdp": loss, "zcdp": sp.sqrt(2 * loss), "renyi": sp.sqrt(2 * loss / order)}
losses = {"pure": reach, "gdp": reach, "zcdp": reach**2 / 2, "renyi": order * reach**2 / 2}
# Mean squared length of noise of scale 1, in the ball
gaussian_penalty, pure_penalty = d, d * (d + 1)
penalties = {name: pure_penalty if name == "pure" else gaussian_penalty for name in NAMES}
# The same in the cube of side 1, for one coordinate, whose variance is at most 1/4
cube_penalties = {"pure": (d + 1) * (d + 2) / 3, "gaussian": d}

equivalent = sp.sqrt(2 / kappa) * reach  # pure budget of one number
level_terms = reach * (tau - reach)  # of users below the level; they add up to
volume = 4 * kappa
reach_ratio = 1 + 4 * kappa / (reach_1**2 * n * f)  # from which group 2 is cut


def saturation_ratio(name):
    """Ratio of budgets, in the notion's own unit, from which group 2 is cut."""
    first = reaches[name].subs(loss, loss_1)
    ratio = reach_ratio.subs({reach_1: first, kappa: penalties[name]})
    return losses[name].subs(reach, first * ratio) / loss_1


saturation_ratios = {
    "pure": 1 + 4 * d * (d + 1) / (loss_1**2 * n * f),
    "gdp": 1 + 4 * d / (loss_1**2 * n * f),
    "zcdp": (1 + 2 * d / (loss_1 * n * f)) ** 2,
    "renyi": (1 + 2 * order * d / (loss_1 * n * f)) ** 2,
}

# Neighbours that lack a user: her term vanishes, which moves the answer by half of what another value of hers might
present_or_not = 2 * reach
# Without public n: the variance of (A - B)/(2 (A + B)) to first order, for one unit of scale over the sum of weights
m = sp.Symbol("m_mean", real=True)  # mean of the values, in [-1/2, 1/2]
ratio_penalty = 1 + 4 * m**2  # where both sums have Laplace noise; half of it with Gaussian noise


def chosen(table):
    """The entry of the notion that is chosen."""
    return sp.Piecewise(*((table[name], sp.Eq(kind, i)) for i, name in enumerate(NAMES[:-1])), (table[NAMES[-1]], True))


def pure_budget(name, budget):
    """Pure budget of one number that is as good as a budget in a notion's own unit."""
    return equivalent.subs({reach: reaches[name], kappa: penalties[name]}).subs(loss, budget)


chosen_ratio = chosen(saturation_ratios)


def given_up(values):
    """What groups 1 and 2 give up at these values; nothing where Algorithm 1 answers 0 or budgets are out of order.

    The notion is chosen last, since sympy is slow where a condition contains a choice.
    """
    first, second = {}, {}
    for name, ratio in saturation_ratios.items():
        pure = {epsilon_1: pure_budget(name, loss_1), epsilon_2: pure_budget(name, loss_2)}
        bounds = upper_bound.bound_a_in_budgets, upper_bound.bound_b_in_budgets
        a, b = (bound.subs(pure, simultaneous=True).subs(values) <= upper_bound.cap for bound in bounds)
        low, high, cut = (e.subs(values) for e in (loss_1, loss_2, loss_1 * ratio))
        below, beyond = (high >= low) & (high <= cut) & a, (high > cut) & b
        first[name] = sp.Piecewise((low, below | beyond), (sp.nan, True))
        second[name] = sp.Piecewise((high, below), (cut, beyond), (sp.nan, True))
    return chosen(first), chosen(second)
