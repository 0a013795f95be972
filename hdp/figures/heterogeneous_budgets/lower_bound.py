"""Between which bounds the minimax error of two groups lies; the paper has no such figure."""

import numpy as np
import sympy as sp

from hdp import adpm, minimax
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.groups import SATURATION, saturation
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n


def curve(label, expression, function, **style):
    """A curve over epsilon_2 >= epsilon_1; `function` is the NumPy route at one point."""

    def reference(x, epsilon_1, n, f):
        return np.array([function(epsilon_1, e, n, f) if e >= epsilon_1 else np.nan for e in x])

    return Curve(label, sp.Piecewise((expression, epsilon_2 >= epsilon_1), (sp.nan, True)), reference, **style)


def _paper_slopes(epsilon_1, epsilon_2, n, f):
    private = np.cumsum([0, 2 * n * f * epsilon_1, 2 * n * (1 - f) * epsilon_2])
    return private + np.array([np.sqrt(1.5 * n), np.sqrt(32 * n * (1 - f)), 0.0])


def paper_bound(k):
    """Eqs. (37) to (39) as delta^2/16 at the paper's delta."""

    def bound(*point):
        return min(0.5 / _paper_slopes(*point)[k], 0.5) ** 2 / 16

    return bound


EPSILON_1 = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.0005, 0.5, 0.002)
USERS = Parameter.logarithmic(n, "n, number of users", 200, 20_000, 10_000, per_decade=10, multiple_of=100)
SHARE = Parameter.linear(f, "f, fraction of users in group 1", 0.01, 0.99, 0.01, 0.99)
BUDGETS = Axis("budget of group 2, ε₂ (nats)", (0.001, 10.0), "log")
SATURATES = Readout("saturation at ε₂ = Rε₁", SATURATION, saturation)
RULE = Rule("Rε₁", x=SATURATION, reference=saturation)

bounds = FigureSpec(
    name="cc-lower-bounds",
    title="Between which bounds the minimax error lies",
    x_symbol=epsilon_2,
    x=BUDGETS,
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        curve("Theorem 1 (upper bound)", sym.upper_bound, adpm.two_group_bound, width=3),
        curve("(37): nobody's privacy, k = 0", lower.eq_37, paper_bound(0), dash=(8, 4)),
        curve("(38): privacy of group 1, k = nf", lower.eq_38, paper_bound(1), dash=(3, 3)),
        curve("(39): privacy of all, k = n", lower.eq_39, paper_bound(2), dash=(10, 3, 2, 3)),
        curve("Theorem 2 (1/1560 and 1/1048)", lower.lower_bound, minimax.lower_bound, width=3),
        RULE,
    ),
    parameters=(EPSILON_1, USERS, SHARE),
    readouts=(SATURATES,),
    reset_label="Initial values",
    caption=r"""
        The minimax error lies between the upper thick line and the highest of all the others. The two thick lines are
        parallel by Theorem 2, but for a step at the vertical line, where its constant changes. Make group 2 generous:
        (39) falls for ever, and (38), which does not depend on \(\epsilon_2\), takes its place: this is why more
        generosity beyond some point helps no algorithm much. Lower \(f\) below 0.95 and (38) drops below (37) for
        good, although it should matter there: equation (32) gives too much away. The paper has no such figure.
    """,
    alt="""
        On a logarithmic scale an upper bound, and three decades below it four lower bounds: one is parallel to it
        but for a step, two are constant, and one falls steeply for large budgets.
    """,
)

FIGURES = (bounds,)
