"""A count with noise, drawn sample by sample, and what it lets an attacker conclude."""

from hdp.explore import Axis, Curve, Draws, FigureSpec, Marker, Parameter, Readout
from hdp.explore.layers import U, V
from hdp.sym.foundations import what_epsilon_feels_like as sym
from hdp.sym.symbols import epsilon

_EPSILON = Parameter.logarithmic(epsilon, "ε, her budget (nats)", 0.05, 10, 1, per_decade=10, also=(0.1, 10))
_YES, _NO = sym.WITHOUT_HER + 1, sym.WITHOUT_HER
_HER_ANSWER = sym.quantile(_YES, U)

neighbours = FigureSpec(
    name="two-answers",
    title="Two answers, one person apart",
    x_symbol=sym.s,
    x=Axis("published number of users who said yes", (-3.0, 8.0)),
    y=Axis("probability density"),
    layers=(
        Curve("if she said yes", sym.density(_YES), width=2.6),
        Curve("if she said no", sym.density(_NO), dash=(6, 4), width=2.6),
        Draws("if she said yes", _HER_ANSWER, V * sym.density(_YES).subs(sym.s, _HER_ANSWER)),
    ),
    parameters=(_EPSILON,),
    readouts=(
        Readout("scale of the noise, 1/ε", 1 / epsilon),
        Readout("an answer changes the odds at most by the factor", sym.exp_epsilon),
    ),
    reset_label="ε = 1",
    caption=r"""
        Drag \(\epsilon\) down to 0.1: the two curves nearly coincide, and no answer says much about which is
        true. Drag it up to 10: hardly an answer fits both. Each dot is one answer that might be published when
        she said yes: the true count, 3, plus noise. The vertical axis changes when the curves leave it.
    """,
    alt="""
        Two pointed densities of the same shape, one person apart, that overlap for the most part; dots under the
        first one.
    """,
)

posterior = FigureSpec(
    name="what-an-attacker-concludes",
    title="What an attacker may conclude",
    x_symbol=sym.p,
    x=Axis("belief before the answer: probability that she said yes", (0.0, 1.0)),
    y=Axis("belief after the answer", (0.0, 1.0)),
    layers=(
        Curve("at most", sym.most, width=2.6),
        Curve("at least", sym.least, dash=(6, 4), width=2.6),
        Curve("nothing learnt", sym.p, dash=(2, 3), width=1.6, colour=5),
        Marker("the belief of the second slider, at most", sym.q, sym.most.subs(sym.p, sym.q)),
    ),
    parameters=(_EPSILON, Parameter.linear(sym.q, "belief before the answer", 0.01, 0.99, 0.01, 0.5)),
    readouts=(
        Readout("after the answer at most", sym.most.subs(sym.p, sym.q)),
        Readout("and at least", sym.least.subs(sym.p, sym.q)),
    ),
    reset_label="ε = 1, even odds",
    equal_units=True,
    caption=r"""
        Drag \(\epsilon\): the band between the two lines is all that any answer may do to a belief of somebody who
        does not take the others' answers for a sign of hers, whatever he knows about them. At 0.1 it is hardly wider
        than the diagonal, at 10 it nearly fills the square.
    """,
    alt="""
        A lens around the diagonal of a square: at a belief of one half before the answer it reaches from 0.27 to
        0.73.
    """,
)
