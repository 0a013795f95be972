"""What it costs to round budgets down to a grid, against the number of users."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, where
from hdp.sym.symbols import epsilon, n
from hdp.sym.use import at_scale as sym

_LEAST = sp.Rational(1, 1000)  # per cent: below it nothing is drawn, and where both answers are 0, nothing is lost


def _drawn(extra):
    return where(extra > _LEAST, extra)


grid = own_figure(
    name="hdp-scale-cost",
    title="What a grid for budgets costs",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 1e8), "log"),
    y=Axis("error added by rounding (%)", (1e-3, 1e3), "log"),
    layers=(
        Curve("all are rounded down by a whole step", _drawn(sym.whole_step)),
        Curve("by half a step", _drawn(sym.half_step)),
        Rule("never more than this", y=sym.at_most),
    ),
    parameters=(
        Parameter.linear(sym.digits, "b, binary digits of the grid", 0, 8, 1, 3),
        Parameter.logarithmic(epsilon, "ε, everybody's budget (nats)", 0.01, 10, 0.1, per_decade=5),
    ),
    readouts=(Readout("grid points from a budget to its double", 2**sym.digits),),
    caption=r"""
        Move the number of digits: a finer grid costs less. All budgets are the same here, and all lose a whole step or
        half of one. Where the noise is nearly all the error, the cost comes near the rule; far to the right the
        noise hardly counts. Nothing is drawn where both answers are 0.
    """,
    alt="""
        Additional error in per cent against the number of users, both axes logarithmic: two lines, one about half as
        high as the other, of which the upper begins just below a horizontal rule, fall towards many users.
    """,
)
