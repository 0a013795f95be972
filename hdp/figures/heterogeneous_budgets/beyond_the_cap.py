"""What shrinking gains over answering 0, for users with one budget; the companion's own."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import baselines
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Rule
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import n

# n users with one budget, whose best affine estimator is the average
budget = sp.Symbol("epsilon", positive=True)
_HOMOGENEOUS = sym.one_group(n, budget)


def _before_the_cap(x, n):
    """Error of the average of n users, for each budget."""
    return np.array([baselines.expected_mse("uni", np.full(round(n), e)) for e in x])


def _switch(n):
    """Budget at which the affine error is a quarter."""
    return brentq(lambda e: _before_the_cap([e], n)[0] - 0.25, 1e-4, 1e4, xtol=1e-15)


shrinkage = FigureSpec(
    name="cc-shrinkage",
    title="Two ways to be cautious",
    x_symbol=budget,
    x=Axis("budget of every user, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("bound on the mean squared error", (0.0, 0.3)),
    layers=(
        Curve(
            "switch to 0: min{B, 1/4}",
            sym.switched_bound.subs(sym.affine_error, _HOMOGENEOUS),
            lambda x, n: np.minimum(_before_the_cap(x, n), 0.25),
            dash=(8, 4),
        ),
        Curve(
            "shrink: B/(1 + 4B)",
            sym.shrunk_bound.subs(sym.affine_error, _HOMOGENEOUS),
            lambda x, n: 1 / (1 / _before_the_cap(x, n) + 4),
            width=3,
        ),
        Rule("switch", x=sp.sqrt(8 / (n * (n - 1))), reference=_switch),
    ),
    parameters=(Parameter.logarithmic(n, "n, number of users", 2, 200, 20, per_decade=12, multiple_of=1),),
    reset_label="Initial values",
    caption=r"""
        Bounds on the error of \(n\) users with the same budget. The dashed line is Theorem 1 with its cap, the solid
        one its replacement. They approach each other for many users with large budgets, and where privacy is
        hopeless; in between, and most of all at the vertical line where Algorithm 1 switches, shrinking gains up to a
        factor of 2. Few users make the gap wide.
    """,
    alt="""
        Two bounds against the budget: one is constant at a quarter and then falls with a sharp bend; the other falls
        smoothly and lies below it everywhere.
    """,
)

FIGURES = (shrinkage,)
