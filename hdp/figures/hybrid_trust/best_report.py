"""Which local report varies least, by the budget and the variance of the values."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.explore.layers import Text
from hdp.figures.shared import own_figure, where
from hdp.sym.hybrid_trust import best_report as reports
from hdp.sym.symbols import epsilon

_most = reports.quarter - reports.off**2  # variance of coins
_bit = sp.Max(0, reports.bit_from_staircase, reports.bit_from_piecewise)
_stairs = reports.piecewise_to_staircase
_between = (_stairs < reports.bit_from_piecewise) & (_stairs > 0)
_any_mean = (reports.bit_from_any_piecewise > 0) & (reports.piecewise_most < reports.staircase_noise)


def _exponentials(expression):
    return expression.subs(reports.in_budget)


def _place(expression, budget):
    """Height of words at this budget, which are gone where the region is a sliver."""
    height = _exponentials(expression).subs(epsilon, budget)
    return where(height > sp.Rational(1, 50), sp.N(height))


regions = own_figure(
    name="hdp-best-report",
    title="Which local report varies least",
    x_symbol=epsilon,
    x=Axis("budget of the user, ε (nats)", (0.1, 12.0), "log"),
    y=Axis("variance of the values, v", (0.0, 0.26)),
    layers=(
        Curve("from here upwards one bit", _exponentials(_bit), width=3, colour=0),
        Curve("piecewise density up to here", _exponentials(where(_between, _stairs)), width=3, dash=(8, 4), colour=1),
        Curve(
            "piecewise density up to here, if the mean is not known",
            _exponentials(where(_any_mean, reports.bit_from_any_piecewise)),
            dash=(2, 3),
            colour=2,
        ),
        Rule("no values vary more", y=_most),
        Text("one bit", sp.Rational(1, 4), _place(_most / 2, 1), bold=True),
        Text("piecewise", sp.Integer(3), _place(reports.bit_from_piecewise / 2, 3), bold=True),
        Text("staircase", sp.Integer(9), _place((2 * _most + sp.Max(0, _stairs)) / 3, 9), bold=True),
    ),
    parameters=(Parameter.linear(reports.off, "d, distance of the values' mean from 1/2", 0.0, 0.45, 0.01, 0.0),),
    caption=r"""
        Raise \(d\): values whose mean is far from the middle of their interval suit one bit, and the region of the
        piecewise density shrinks. To the left one bit is best whatever the values; to the right the staircase takes
        over, first for values that vary much, but not for coins, on the horizontal line.
    """,
    alt="""
        Three regions in the plane of budget and variance. One bit has the left part and a band on top, the piecewise
        density the lower middle, the staircase a wedge that opens to the right.
    """,
)

FIGURES = (regions,)
