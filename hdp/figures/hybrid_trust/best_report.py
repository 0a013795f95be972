"""Which local report varies least, by the budget and the variance of the values."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule, Text
from hdp.figures.shared import own_figure, where
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import best_report as reports
from hdp.sym.symbols import epsilon

_most = reports.quarter - reports.off**2  # variance of coins
_bit = sp.Max(0, reports.bit_from_staircase, reports.bit_from_piecewise)
_stairs = reports.piecewise_to_staircase
_between = (_stairs < reports.bit_from_piecewise) & (_stairs > 0)
_any_mean = (reports.bit_from_any_piecewise > 0) & (reports.piecewise_most < reports.staircase_noise)


def _exponentials(expression):
    return expression.subs(reports.in_budget)


_up_to_here = _exponentials(where(_any_mean, reports.bit_from_any_piecewise))


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
        Curve("piecewise density up to here, if the mean is not known", _up_to_here, dash=(2, 3), colour=2),
        Rule("no values vary more", y=_most, left=True),
        Text("one bit", sp.Rational(1, 4), _place(_most / 2, 1), bold=True),
        Text("piecewise", sp.Integer(3), _place(reports.bit_from_piecewise / 2, 3), bold=True),
        Text("staircase", sp.Integer(9), _place((2 * _most + sp.Max(0, _stairs)) / 3, 9), bold=True),
    ),
    parameters=(Parameter.linear(reports.off, "d, distance of the values' mean from 1/2", 0.0, 0.45, 0.01, 0.0),),
    caption=r"""
        Raise \(d\): values whose mean is far from the middle of their interval suit one bit, and the region of the
        piecewise density shrinks. To the left one bit is best whatever the values; to the right the staircase takes
        over, but not for coins, on the horizontal line.
    """,
    alt="""
        Three regions in the plane of budget and variance. One bit has the left part and a band on top, the piecewise
        density the lower middle, the staircase a wedge that opens to the right.
    """,
)


def _over(mean_square):
    """As a multiple of the bound for all unbiased reports."""
    return _exponentials(mean_square) / reports.least_square.subs(reports.odds, sp.exp(epsilon))


squares = own_figure(
    name="hdp-least-noise",
    title="How much more reports vary than they must",
    x_symbol=epsilon,
    x=Axis("budget of the user, ε (nats)", (0.1, 4.0), "log"),
    y=Axis("mean square of the report over the bound", (1.0, 10.0), "log"),
    layers=(
        Curve("Laplace noise", _over(reports.laplace_square), dash=(2, 3)),
        Curve("one bit", _over(reports.one_bit_centre), **DRAWN["one bit"]),
        Curve("piecewise density", _over(reports.piecewise_square), dash=(8, 4)),
        Curve("staircase noise", _over(reports.staircase_noise + reports.square), dash=(8, 3, 2, 3), colour=1),
        Rule("log 2", x=sp.log(2)),
    ),
    parameters=(
        Parameter.linear(reports.square, "mean square of the values' distance from 1/2", 0.0, 0.25, 0.01, 0.08),
    ),
    caption=r"""
        Follow one bit: on the left it is all but on the bound, which is the lower edge of the picture, while Laplace
        noise needs twice as many people. Move the values outwards: one bit stays where it is, and the others rise.
    """,
    alt="""
        Four lines against the budget, on logarithmic axes. On the left one bit is lowest, near 1, the piecewise density
        is at four thirds, and staircase and Laplace noise are near 2; on the right one bit rises above the others.
    """,
)
