"""What shrinking gains over answering 0, for users with one budget; the companion's own."""

from hdp.explore import Axis, Curve, Rule
from hdp.figures.shared import own_figure, users
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon, n
from hdp.sym.threshold.worst_case import m, saturating_budget

_HOMOGENEOUS = sym.one_group(n, epsilon)  # n users with one budget, whose best affine estimator is the average

shrinkage = own_figure(
    name="cc-shrinkage",
    title="Two ways to be cautious",
    x_symbol=epsilon,
    x=Axis("budget of every user, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("bound on the mean squared error", (0.0, 0.3)),
    layers=(
        Curve("switch to 0: min{B, 1/4}", sym.switched_bound.subs(sym.affine_error, _HOMOGENEOUS), dash=(8, 4)),
        Curve("shrink: B/(1 + 4B)", sym.shrunk_bound.subs(sym.affine_error, _HOMOGENEOUS), width=3),
        Rule("switch", x=saturating_budget.subs(m, n)),
    ),
    parameters=(users(2, 200, 20, per_decade=12, multiple_of=1),),
    caption=r"""
        Make the users few: the gap between the lines moves to the right with the vertical line, where Algorithm 1
        switches to 0; there the bound falls by a factor of 2, elsewhere by less. Dashed: Theorem 1 with its cap; solid:
        its replacement. They approach each other for many users with large budgets, and where privacy is hopeless.
    """,
    alt="""
        Two bounds against the budget: one is constant at a quarter and then falls with a sharp bend; the other falls
        smoothly and lies below it everywhere.
    """,
)
