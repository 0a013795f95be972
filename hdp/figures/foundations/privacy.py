"""The Laplace mechanism seen by one user: the densities of the output and what it reveals."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.sym.foundations import one_lemma as sym
from hdp.sym.symbols import eta

_USER = (
    Parameter.linear(sym.w, "w, her weight", 0.05, 1, 0.05, 0.6),
    Parameter.logarithmic(eta, "η, scale of the noise", 0.2, 1, 0.4, per_decade=20),
    Parameter.linear(sym.x, "x, her value", -0.5, 0.5, 0.05, 0.5),
    Parameter.linear(sym.x_prime, "x′, her other value", -0.5, 0.5, 0.05, -0.5),
)
_OUTPUT = Axis("output s (units of the data)", (-2.0, 2.0))
_ENVELOPE = sp.exp(sym.guarantee) * sym.density_prime

densities = own_figure(
    name="laplace-densities",
    title="What an observer sees",
    x_symbol=sym.s,
    x=_OUTPUT,
    y=Axis("probability density (per unit of s)", (0.0, 2.8)),
    layers=(
        Curve("density if she holds x", sym.density),
        Curve("density if she holds x′", sym.density_prime),
        Curve("most that privacy allows: e^(w/η) × density if x′", _ENVELOPE, dash=(6, 4), width=1.6),
    ),
    parameters=_USER,
    readouts=(Readout("guaranteed loss w/η", sym.guarantee),),
    caption=r"""
        Move her two values nearer (\(x'\) is under More sliders): the first density leaves the dashed line, which it
        reaches only from the two ends of the interval. Move \(w\) and \(\eta\) together: only their ratio
        matters for the guarantee. The output is \(wx\) plus Laplace noise of scale \(\eta\); everybody else
        contributes 0.
    """,
    alt="""
        Two Laplace densities and a dashed envelope that touches the first from
        above to the right of its peak.
    """,
)

privacy_loss = own_figure(
    name="laplace-privacy-loss",
    title="What the output reveals about her",
    x_symbol=sym.s,
    x=_OUTPUT,
    y=Axis("privacy loss (nats)", (-5.5, 5.5)),
    layers=(
        Curve("log of the ratio of the two densities", sym.privacy_loss),
        Rule("upper limit w/η", y=sym.guarantee),
        Rule("lower limit −w/η", y=-sym.guarantee, below=True),
    ),
    parameters=_USER,
    readouts=(Readout("largest loss for these two values", sym.guarantee * sp.Abs(sym.x - sym.x_prime)),),
    caption=r"""
        At the two ends of the interval, as at first, the loss fills the band \(\pm w/\eta\), which it never leaves, so
        Lemma 1 is an equality for its worst case; move her values nearer, and it shrinks. The loss is constant
        outside the interval between \(wx\) and \(wx'\) and linear inside.
    """,
    alt="""
        A line that runs along the lower of two dashed horizontal lines, rises in the middle, and runs along the
        upper one.
    """,
)
