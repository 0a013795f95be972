"""How far apart upper and lower bounds are for two groups; the paper has no such figure."""

import sympy as sp

from hdp.explore import Axis, Rule
from hdp.figures.heterogeneous_budgets.groups import CLIPPED, READOUT, RULE, curve
from hdp.figures.heterogeneous_budgets.lower_bound import BUDGETS, EPSILON_1, SHARE, THEOREM_2, USERS
from hdp.figures.shared import own_figure
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_2

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
