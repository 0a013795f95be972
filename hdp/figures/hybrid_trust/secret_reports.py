"""What is gained if reports stay secret, by the share of those who trust; loss and error between w = c and KVH."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users, where
from hdp.sym.hybrid_trust import secret_reports as sym
from hdp.sym.hybrid_trust.amplification import rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import n, put, v

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
