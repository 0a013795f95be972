"""What an interval gains from a variance that the users have paid for."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import every_budget, own_figure, users
from hdp.sym.use import learned_variance as sym
from hdp.sym.use.intervals import beta

worth = own_figure(
    name="hdp-interval-variance",
    title="What the variance is worth",
    x_symbol=sym.share,
    x=Axis("share of each budget that pays for the variance", (0.005, 0.9), "log"),
    y=Axis("half-width / half-width without it", (0.0, 2.5)),
    layers=(
        Curve("variance learned", sym.learned, width=3),
        Rule("variance known, and nothing paid", y=sym.known, below=True, left=True),
        Rule("variance not used", y=sp.Integer(1), left=True),
        Rule("from here on no variance pays", x=sp.Max(sym.own_most_share, sp.Rational(1, 1000))),
    ),
    parameters=(
        users(100, 1e6, 10_000, multiple_of=2),
        every_budget(0.01, 2, 0.1, per_decade=6),
        Parameter.logarithmic(sym.variance, "v, variance of a value", 0.0001, 0.25, 0.02, per_decade=4),
    ),
    derived=((beta, sp.Rational(1, 20)),),
    readouts=(Readout("error of sampling over scale of the noise", sym.balance),),
    caption=r"""
        Look for the lowest point of the thick line: its share is worth its price below 1. Lower
        \(v\), and there may be more to gain; lower \(\epsilon\) and \(n\), and no share is: right of the upright line
        not even the variance 0 pays. The intervals miss at most 1 in 20; the estimate is drawn at its mean.
    """,
    alt="""
        Half-width over the half-width without a variance, against the share paid. The line falls from 2 to below one
        half, is lowest near a quarter, and rises again to 2.5; a straight line for a known variance lies
        below it, and an upright line stands far to the right.
    """,
)
