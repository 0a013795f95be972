"""Section 4: Example 1, errors in closed form."""

from functools import partial

import sympy as sp

from hdp.explore import Axis, Curve, Parameter
from hdp.figures.shared import own_figure
from hdp.figures.user_level.private import EPSILON, RARE, simulated
from hdp.sym.user_level import private as sym

_AT = {sym.P: sp.Rational(1, 4), sym.beta: RARE}
_private = (sym.example_sampling + sym.example_noise).subs(_AT)

example_1 = own_figure(
    name="cfmt-example-1-error",
    title="Example 1: error against the number of users",
    x_symbol=sym.n,
    x=Axis("n, number of users", (1e3, 1e7), "log"),
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        Curve("naive sensitivity", sym.example_naive.subs(_AT), dash=(8, 4)),
        Curve("data truncated only (m = 1)", _private.subs(sym.m, 1), dash=(10, 3, 2, 3)),
        Curve("data truncated, m weights cut", _private, width=3),
        Curve("equal weights, no privacy", sym.example_uniform.subs(_AT), dash=(2, 3)),
        Curve("best without privacy", sym.example_ideal.subs(_AT), width=1.6),
    ),
    parameters=(EPSILON, Parameter.logarithmic(sym.m, "m, users whose weight is cut", 1, 300, 30, multiple_of=1)),
    caption=r"""
        Move \(m\): with a budget of 1, only cutting the weights of the richest users as well brings the
        private line near the lowest one. Truncating the data alone gives the right slope, with a budget of 1 at
        almost 160 times its height.
    """,
    alt="""
        Five lines on logarithmic axes: the naive error falls very slowly, the others with slope about minus one;
        the private one with cut weights lies near the best without privacy and, for large n, below equal weights.
    """,
)

example_1_simulated = partial(simulated, example_1, 2)
