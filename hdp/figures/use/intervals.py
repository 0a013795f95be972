"""How wide an interval must be, and what it gains from a variance that is paid for."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users
from hdp.sym.symbols import epsilon, n
from hdp.sym.use import intervals as sym

_BETA = Parameter.choice(
    sym.beta, "β, chance of missing", {f"1 in {1 / level}": float(level) for level in sym.LEVELS}, 0.05
)
_EPSILON = Parameter.logarithmic(epsilon, "ε, budget of every user (nats)", 0.01, 2, 0.1, per_decade=6)

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
    parameters=(_EPSILON, _BETA),
    caption=r"""
        Compare the two upper lines: both intervals hold for every \(n\), and the lower one of them is never the
        wider. Where the noise rules, at few users, it is exact, and the normal interval misses too often. Raise
        \(\epsilon\): the noise's own interval, which says nothing about the population, falls behind earlier.
    """,
    alt="""
        Half-widths against the number of users on a logarithmic axis. One line begins a little above two standard
        errors, stays low and ends at 2.7; one has a hump of four above it; one falls from two to zero; a straight
        line stands at 1.96.
    """,
)

worth = own_figure(
    name="hdp-interval-variance",
    title="What the variance is worth",
    x_symbol=sym.share,
    x=Axis("share of each budget that pays for the variance", (0.005, 0.9), "log"),
    y=Axis("half-width / half-width without it", (0.0, 2.5)),
    layers=(
        Curve("variance learned", sym.learned, width=3),
        Rule("variance known, and nothing paid", y=sym.known, below=True),
        Rule("variance not used", y=sp.Integer(1)),
    ),
    parameters=(
        users(100, 1e6, 10_000, multiple_of=2),
        _EPSILON,
        Parameter.logarithmic(sym.variance, "v, variance of a value", 0.0001, 0.25, 0.02, per_decade=4),
    ),
    derived=((sym.beta, sp.Rational(1, 20)),),
    readouts=(Readout("error of sampling over scale of the noise", sym.own_deviation / sym.own_eta),),
    caption=r"""
        Look for the lowest point of the thick line: that share is worth its price if the point is below 1. Lower
        \(v\), and there is more to gain; lower \(\epsilon\) or \(n\), and the noise rules, so that no share is.
        The intervals miss 1 in 20; the estimate of the variance is drawn where it is on average.
    """,
    alt="""
        Half-width over the half-width without a variance, against the share paid. The line falls from 2 to below one
        half, is lowest near a quarter, and rises again to 2.5; a straight line for a known variance lies below it.
    """,
)
