"""Appendix D: the privacy loss under sums of Laplace variables, of equal and of different weight."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.sym.hybrid_trust import amplification as sym

_EPS = Parameter.linear(sym.epsilon, "ε = m/b, width of the data in scales", 0.25, 4.0, 0.25, 1.0)
_SHARE = Axis("privacy loss as a fraction of ε", (0.0, 1.1))
_DASHES = {2: (), 3: (8, 4), 4: (2, 3), 5: (10, 3, 2, 3), 6: ()}  # by the number of users


def _curve(label, loss, **style):
    return Curve(label, loss / sym.epsilon, **style)


laplace_loss = own_figure(
    name="adk-laplace-loss",
    title="Privacy loss under the sum of n Laplace variables",
    x_symbol=sym.z,
    x=Axis("noise in multiples of b", (0.1, 1000.0), "log"),
    y=_SHARE,
    layers=(
        _curve("1 user: all of ε", sym.sum_loss(1), width=3),
        *(_curve(f"{k} users", sym.sum_loss(k), dash=dash) for k, dash in _DASHES.items()),
    ),
    parameters=(_EPS,),
    caption=r"""
        Follow the lines to the right: every one climbs to \(\epsilon = m/b\), the thick line, so pure privacy
        is not amplified, however many users add noise. But for \(n \ge 2\) no line reaches it, and the noise
        that comes close is several times \(n\) scales out, where it hardly ever is: with a \(\delta\) there is
        amplification.
    """,
    alt="""
        Six lines against the noise on a logarithmic axis; the first is constant at 1, the others rise from below one
        half towards 1, the later the more summands there are.
    """,
)

weighted_laplace = own_figure(
    name="adk-laplace-weighted",
    title="Privacy loss under two Laplace variables of different weight",
    x_symbol=sym.z,
    x=Axis("noise in multiples of b", (0.01, 100.0), "log"),
    y=_SHARE,
    layers=(
        _curve("user of the larger weight (the curator's)", sym.weighted_loss(sym.epsilon * sym.rho), width=3),
        _curve("user of the smaller weight (local)", sym.weighted_loss(sym.epsilon), dash=(8, 4)),
        Rule("limit 1", y=sp.Integer(1)),
        Rule("limit 1/ρ", y=1 / sym.rho),
    ),
    parameters=(
        _EPS,
        Parameter.linear(sym.rho, "ρ, ratio of the weights", 1.2, 10.0, 0.2, 3.0),
    ),
    readouts=(Readout("limit for the local user ε/ρ", sym.epsilon / sym.rho),),
    caption=r"""
        Raise \(\rho\): a user whose value counts \(\rho\) times as much loses \(\epsilon\) in the limit, as
        without weights; the local user tends to \(\epsilon/\rho\), hidden by the other&rsquo;s noise. So the
        worst loss is \(\epsilon\), as the paper says, and yet the local user gains a factor.
    """,
    alt="""
        Two rising lines against the noise on a logarithmic axis: one tends to 1, the other to one third.
    """,
)
