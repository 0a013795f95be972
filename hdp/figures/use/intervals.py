"""How wide an interval must be that holds for every number of users."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import every_budget, own_figure, users
from hdp.sym.symbols import n
from hdp.sym.use import intervals as sym
from hdp.sym.use.intervals import beta

_BETA = Parameter.choice(
    sym.beta, "β, chance of missing", {f"1 in {1 / level}": float(level) for level in sym.LEVELS}, 0.05
)

width = own_figure(
    name="hdp-interval-width",
    title="How wide an interval must be",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 1e6), "log"),
    y=Axis("half-width in standard errors of the answer", (0.0, 7.0)),
    layers=(
        Curve("a share of β for each, best split: holds", sym.best_union),
        Curve("one exponential for both: holds", sym.one_exponential, width=3),
        Curve("noise alone (OpenDP's accuracy)", sym.noise_alone, dash=(8, 4)),
        Rule("normal interval", y=sym.normal, below=True),
    ),
    parameters=(every_budget(0.01, 2, 0.1, per_decade=6), _BETA),
    caption=r"""
        Compare the two upper lines: both intervals hold for every \(n\), and the lower one of them is never the wider.
        Where the noise rules, at few users, it is all but exact, and the normal interval, but for 1 in 10, misses too
        often. Raise \(\epsilon\): the noise's own interval, which says nothing about the population, falls behind
        earlier.
    """,
    alt="""
        Half-widths against the number of users on a logarithmic axis. One line begins a little above two standard
        errors, stays low and ends at 2.7; one has a hump of four above it; one falls from two to zero; a straight
        line stands at 1.96.
    """,
)


# -- What an interval gains from a variance that the users have paid for.

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
