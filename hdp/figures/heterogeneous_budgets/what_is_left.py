"""What is left to gain where all users have one budget, or are public; the paper has no such figure."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import own_figure, users, where
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.symbols import epsilon, n

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
