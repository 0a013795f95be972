"""How far apart upper and lower bounds are for two groups; the paper has no such figure."""

import numpy as np
import sympy as sp
from scipy.optimize import minimize_scalar

from hdp import adpm, minimax
from hdp.explore import Axis, FigureSpec, Rule
from hdp.figures.heterogeneous_budgets.lower_bound import (
    BUDGETS,
    EPSILON_1,
    RULE,
    SATURATES,
    SHARE,
    USERS,
    curve,
    paper_bound,
)
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_2


def _best_of_paper(*point):
    return max(paper_bound(k)(*point) for k in range(3))


def _closed_form(epsilon_1, epsilon_2, n, f):
    """Maximise the bound over delta and over the three k by search."""
    influence = np.array([n * f, n * (1 - f)]) * np.tanh([epsilon_1 / 2, epsilon_2 / 2])
    private, others = np.cumsum([0, *influence]), np.array([n, n * (1 - f)])
    slopes = private + np.append(np.sqrt(2 / np.pi * (others + 1)), 0.0)
    found = [
        minimize_scalar(
            lambda d, a=a: -(d**2) / 4 * (1 - a * d), (0, min(1, 1 / a)), bounds=(0, 1), options={"xatol": 1e-9 / a}
        )
        for a in slopes
    ]
    return max(*(-s.fun for s in found), *((1 - slopes) / 4))  # delta = 1 is an end of the range


gap = FigureSpec(
    name="cc-lower-gap",
    title="Upper bound divided by lower bound",
    x_symbol=epsilon_2,
    x=BUDGETS,
    y=Axis("ratio of the bounds", (1.0, 5000.0), "log"),
    layers=(
        curve(
            "Theorem 2 (1/1560 and 1/1048)",
            sym.upper_bound / lower.lower_bound,
            lambda *point: adpm.two_group_bound(*point) / minimax.lower_bound(*point),
            width=1.6,
        ),
        curve(
            "Lemma 4: best of (37), (38), (39)",
            sym.upper_bound / sp.Max(lower.eq_37, lower.eq_38, lower.eq_39),
            lambda *point: adpm.two_group_bound(*point) / _best_of_paper(*point),
            dash=(8, 4),
        ),
        curve(
            "closed form, best constants",
            sym.upper_bound / lower.closed_form,
            lambda *point: adpm.two_group_bound(*point) / _closed_form(*point),
            width=3,
        ),
        Rule("40: proved for any budgets", y=sp.Integer(40), reference=lambda epsilon_1, n, f: 40.0),
        RULE,
    ),
    parameters=(EPSILON_1, USERS, SHARE),
    readouts=(SATURATES,),
    reset_label="Initial values",
    caption=r"""
        How far apart Theorem 1 and a lower bound are. Theorem 2 is constant by construction, with a step; the three
        bounds of Lemma 4, from which it is put together, are at most as far away. The thick line is the same
        argument with every constant at its best, for \(k = 0, nf, n\) and with the distance of the coins replaced by
        a line that bounds it, so that the best \(\delta\) has a closed form. With the exact distance and any \(k\)
        (<code>minimax.le_cam</code>) it would be lower still. A hump is where one \(k\) hands over to the next.
        Lower \(f\): the dashed line falls, because (37) takes over. The paper has no such figure.
    """,
    alt="""
        Three ratios on a logarithmic scale: one steps from 1560 to 1048, one rises from 500 to 1000, and one of about
        15 has a hump and stays below the horizontal line at 40.
    """,
)

FIGURES = (gap,)
