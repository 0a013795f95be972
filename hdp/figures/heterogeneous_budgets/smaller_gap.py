"""What is left to gain by bounds from scores where all users have one budget, or are public; no paper has it."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import own_figure, users, where
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import smaller_gap as sym
from hdp.sym.symbols import epsilon, n

# -- What is left to gain where all users have one budget, or are public; the paper has no such figure.

PUBLIC = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_LIMIT = where(sp.Eq(lower.public_users, 0), lower.strict_gap.subs(lower.total_budget, n * epsilon))

left = own_figure(
    name="cc-what-is-left",
    title="What is left to gain where all are equally strict",
    x_symbol=epsilon,
    x=Axis("budget of who is not public, ε (nats)", (1e-7, 10.0), "log"),
    y=Axis("error of the algorithm over the bound", (0.0, 25.0)),
    layers=(
        Curve("left to gain, at most", lower.beside_gap, width=3),
        Curve("limit for very many users, none of them public", _LIMIT, dash=(8, 4)),
        Rule("limit 27/2", y=sp.Rational(27, 2)),
        Rule("1: nothing is left", y=sp.Integer(1)),
    ),
    parameters=(
        Parameter(lower.public_users, "public users", tuple(map(float, PUBLIC)), 0.0),
        users(2000, 1_000_000, 10_000, multiple_of=100),
    ),
    caption=r"""
        Add a few public users: the plateau rises above the limit for strict users. Without them, from left to right:
        nobody allows enough, and nothing is left; noise is nearly all of the error, and a factor of 27/2 is left; at
        the peak sampling counts too; privacy costs nothing.
    """,
    alt="""
        The ratio of two bounds against the budget: it rises from 1 to a plateau at 13.5, on the dashed limit, has a
        peak of about 18, and falls to about 4 where the budget is large.
    """,
)


gaps = own_figure(
    name="cc-smaller-gap",
    title="What is left to gain, by two coins and by scores",
    x_symbol=epsilon,
    x=Axis("budget of who is not public, ε (nats)", (1e-7, 10.0), "log"),
    y=Axis("error of the algorithm over the bound", (1.0, 30.0), "log"),
    layers=(
        Curve("two coins", lower.beside_gap, dash=(8, 4)),
        Curve("scores, this page", sym.beside_gap, width=3),
        Curve("promise for any budgets, by the error", sym.factor.subs(sym.error, lower.beside_upper), dash=(2, 3)),
        Rule("3: limit for small errors", y=sym.upper_constant),
    ),
    parameters=(
        Parameter(lower.public_users, "public users", tuple(map(float, PUBLIC)), 0.0),
        users(2000, 1_000_000, 1_000_000, multiple_of=100),
    ),
    caption=r"""
        Compare, for a million users: on the plateau of the dashed line the thick one comes near 2, and the dotted one,
        which holds for any budgets, falls with the error towards 3; add public users, three or more: the peak sinks and
        the dip rises; the hump between strict and generous is there without them, and stays near 3.
    """,
    alt="""
        Three ratios of bounds against the budget, on logarithmic scales: the dashed one has a plateau at 13.5; the
        thick one has a peak at the left, falls to 2, has a hump of 3 and falls to 1; the dotted one falls from 14.6
        to 3.
    """,
)

strict = own_figure(
    name="cc-no-gap",
    title="Where nothing is left to gain",
    x_symbol=epsilon,
    x=Axis("budget of everybody, ε (nats)", (1e-7, 10.0), "log"),
    y=Axis("error of the algorithm over the bound", (1.0, 10.0), "log"),
    layers=(
        Curve("scores shared, the page before", sym.alike_gap, dash=(8, 4)),
        Curve("errors by sign and size, this page", sym.alike_signs_gap, width=3),
        Rule("3.6: limit for many people", y=sym.strict_worst),
    ),
    parameters=(users(100, 1_000_000, 1_000_000),),
    caption=r"""
        Follow the lower one of both lines: for a million people, from the peak at the left, where answering becomes
        worth while, it falls to 1, is near 2 where the lines cross, and falls to 1 once more. Take fewer people: the
        three parts draw together and rise, the peak just above the rule.
    """,
    alt="""
        Two ratios of bounds against the budget, on logarithmic scales: the thick one has a peak of 3.6 at the left,
        falls to 1 and rises steeply; the dashed one has a peak of 8.9 there, falls to 2, has a hump of 3, and falls to
        1.
    """,
)
