"""Between which bounds the minimax error of two groups lies; the paper has no such figure."""

import sympy as sp

from hdp.explore import Axis, Curve, Marker, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.upper_bound import CLIPPED, READOUT, RULE, curve
from hdp.figures.shared import first_budget, first_share, own_figure, users, where
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.heterogeneous_budgets.lower_bound import delta
from hdp.sym.symbols import epsilon, epsilon_2

EPSILON_1 = first_budget(0.0005, 0.5, 0.002)
USERS = users(200, 20_000, 10_000, multiple_of=100)
SHARE = first_share(0.01, 0.99, 0.01, 0.99)
THEOREM_2 = f"Theorem 2 ({lower.factor_46} and {lower.factor_45})"
BUDGETS = Axis("budget of group 2, ε₂ (nats)", (0.001, 10.0), "log")

bounds = own_figure(
    name="cc-lower-bounds",
    title="Between which bounds the minimax error lies",
    x_symbol=epsilon_2,
    x=BUDGETS,
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        curve("Theorem 1 (upper bound)", sym.upper_bound, width=3),
        curve("(37): nobody's privacy, k = 0", lower.eq_37, dash=(8, 4)),
        curve("(38): privacy of group 1, k = nf", lower.eq_38, dash=(3, 3)),
        curve("(39): privacy of all, k = n", lower.eq_39, dash=(10, 3, 2, 3)),
        curve(THEOREM_2, lower.lower_bound, width=3, part=CLIPPED),
        RULE,
    ),
    parameters=(EPSILON_1, USERS, SHARE),
    readouts=(READOUT,),
    caption=r"""
        Go to the right: (39) falls for ever, and (38), which does not depend on \(\epsilon_2\), takes its
        place while group 1 is strict enough. The minimax error lies between the upper thick line and the highest of the
        others. Lower \(f\) below 0.95: (38) drops below (37) for good, although it should matter there. The figure is
        ours.
    """,
    alt="""
        On a logarithmic scale an upper bound, and three decades below it four lower bounds: one is parallel to it
        but for a step, two are constant, and one falls steeply for large budgets.
    """,
)


# -- What two coins of each bias prove about the error, when all users have one budget; the paper has no such figure.


def _curve(label, proved, **style):
    """Nothing where the coins are told apart so well that they prove nothing."""
    return Curve(label, where(proved > 0, proved), **style)


_BEST = lower.bias_for_slope.subs(lower.A, lower.alike_slope)

coins = own_figure(
    name="cc-two-coins",
    title="What two coins prove about the error",
    x_symbol=delta,
    x=Axis("bias of the coins, δ", (0.0001, 0.99), "log"),
    y=Axis("error that no estimator avoids", (1e-9, 1.0), "log"),
    layers=(
        _curve("everybody's privacy counts", lower.alike_by_privacy, width=3),
        _curve("everybody's data count", lower.alike_by_data, width=3),
        _curve("privacy, with the paper's constants", lower.alike_by_privacy_paper, dash=(8, 4), colour=0),
        _curve("data, with the paper's constants", lower.alike_by_data_paper, dash=(3, 3), colour=1),
        Rule("error of the paper's algorithm", y=lower.alike_upper),
        Marker("the best bias", _BEST, lower.eq_34_sharp.subs({delta: _BEST, lower.A: lower.alike_slope})),
    ),
    parameters=(
        Parameter.logarithmic(epsilon, "ε, budget of every user (nats)", 0.0005, 2.0, 0.002),
        users(200, 20_000, 10_000, multiple_of=100),
    ),
    readouts=(
        Readout("bias that proves most", _BEST),
        Readout("it proves an error of", lower.eq_34_sharp.subs({delta: _BEST, lower.A: lower.alike_slope})),
        Readout("the algorithm errs by", lower.alike_upper),
    ),
    caption=r"""
        Go to the right: the coins' means move apart, and the error that they prove grows, then falls to
        nothing where the answers tell the coins apart, if they ever do. Raise \(\epsilon\): what privacy hides
        shrinks, until the users' data alone decide. The dot is the best bias; the algorithm's error is at most 21 times
        as high.
    """,
    alt="""
        On logarithmic scales four hills, each of which rises along one straight line and then falls off a cliff: the
        one for privacy is highest and farthest right; the dashed ones are lower; a horizontal line runs above all.
    """,
)


# -- How far apart upper and lower bounds are for two groups; the paper has no such figure.

_LEMMA_4 = sp.Max(lower.eq_37, lower.eq_38, lower.eq_39)

gap = own_figure(
    name="cc-lower-gap",
    title="Upper bound divided by lower bound",
    x_symbol=epsilon_2,
    x=BUDGETS,
    y=Axis("ratio of the bounds", (1.0, 5000.0), "log"),
    layers=(
        curve(THEOREM_2, sym.upper_bound / lower.lower_bound, colour=4, width=1.6, part=CLIPPED),
        curve("Lemma 4: best of (37), (38), (39)", sym.upper_bound / _LEMMA_4, dash=(8, 4)),
        curve("closed form, best constants", sym.upper_bound / lower.closed_form, width=3),
        Rule("40, any budgets", y=sp.Integer(40)),
        RULE,
    ),
    parameters=(EPSILON_1, USERS, SHARE),
    readouts=(READOUT,),
    caption=r"""
        Compare the heights: how far apart Theorem 1 and a lower bound are. Theorem 2 is constant by
        construction, with a jump; the three bounds of Lemma 4 are at most as far away. The thick line is the
        same argument with better constants; at its hump, where it has one, one \(k\) hands over to the next.
    """,
    alt="""
        Three ratios on a logarithmic scale: one steps from 1560 to 1048, one rises from 500 to 1000, and one of about
        15 has a hump and stays below the horizontal line at 40.
    """,
)
