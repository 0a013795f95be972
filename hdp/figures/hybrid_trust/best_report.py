"""Which local report varies least, by the budget and the variance of the values."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule, Text
from hdp.figures.shared import own_figure, users, where
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import best_report as reports
from hdp.sym.hybrid_trust import best_report as sym
from hdp.sym.hybrid_trust.amplification import rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import epsilon, n, put, v

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


# -- What is gained if reports stay secret, by the share of those who trust; loss and error between w = c and KVH.

_COINS = {v: sp.Rational(1, 4)}
_GAIN = where(c * n >= 1, put(_COINS, put(sym.groups, sym.gain)))
_NOBODY = {sym.alpha: 0}
_HIDERS = sym.hiders.subs(_COINS).subs(_NOBODY)
_SHARE = 1 - _HIDERS / n
_USERS = users(100, 100_000, 1000)
_OTHERS = Parameter.logarithmic(sym.reach_L, "μ of the others, who send reports", 0.02, 2, 0.2, per_decade=10)

gain = own_figure(
    name="adk-secret-gain",
    title="What secret reports gain",
    x_symbol=c,
    x=Axis("fraction of users who trust the curator, c", (0.001, 0.9), "log"),
    y=Axis("error with published reports / with secret ones", (0.95, 2.1)),
    layers=(
        Curve("no coalition", put(_NOBODY, _GAIN), width=3, colour=0),
        Curve("with a coalition", _GAIN, dash=(8, 4), colour=1),
        Rule("no more is possible", y=sym.largest_gain.subs(_NOBODY)),
        Rule("no more with the coalition", y=sym.largest_gain),
        Rule("up to here the others hide all", x=where(_SHARE >= sp.Rational(1, 1000), _SHARE)),
    ),
    parameters=(
        _USERS,
        Parameter.logarithmic(sym.reach_T, "μ of those who trust the curator", 0.02, 2, 0.2, per_decade=10),
        _OTHERS,
        Parameter.linear(sym.alpha, "α, share of the others in the coalition", 0.05, 0.95, 0.05, 0.5),
    ),
    readouts=(Readout("local users who hide all who trust", _HIDERS),),
    caption=r"""
        First raise \(n\), or the budget of those who trust: the peak moves to the left and sinks, because the
        curator&rsquo;s noise matters less and less. The other budget moves it to the right. Raise \(\alpha\) under
        <em>More sliders</em>: the dashed line comes down towards 1, where everybody knows all reports. Fair coins;
        \(\mu\) is the budget of Gaussian privacy.
    """,
    alt="""
        Two lines over the share of those who trust, on a logarithmic axis: both rise from 1 to a peak, where a few
        percent trust, and fall again; the solid one comes to 1.7, the dashed one stays below 1.5.
    """,
)


def _root(error):
    """Root mean squared error of fair coins if nobody pools."""
    return sp.sqrt(put(_COINS | _NOBODY, put(sym.groups, error)))


frontier = own_figure(
    name="adk-secret-frontier",
    title="What those who trust lose, and the least error",
    x_symbol=sym.reach_T,
    x=Axis("budget μ of those who trust the curator", (0.001, 10.0), "log"),
    y=Axis("least root mean squared error", (0.001, 1.0), "log"),
    layers=(
        Curve("published reports", _root(sym.best_published), dash=(8, 4), colour=1),
        Curve("secret reports", _root(put({w: sym.best_weight}, sym.secret_error)), width=3, colour=0),
        Rule("all count alike, w = c", x=sym.frontier_loss.subs(rho, 1)),
        Rule("KVH, curator silent", x=sym.frontier_loss.subs(rho, sym.frontier_end).subs(_COINS)),
    ),
    parameters=(
        Parameter.logarithmic(c, "c, fraction of users who trust the curator", 0.01, 0.9, 0.2, per_decade=10),
        _USERS,
        _OTHERS,
    ),
    caption=r"""
        Raise \(c\): the lines part and meet earlier, and may do both left of the first vertical one. There all users
        count alike, at the right one those who trust count as if their values were public, and from there on the thick
        line is level. Between them the curator adds no noise. Fair coins.
    """,
    alt="""
        Two falling lines on logarithmic axes. They begin close together; the thick one falls earlier, is level from the
        right one of two vertical lines on, and the dashed one comes down to it.
    """,
)
