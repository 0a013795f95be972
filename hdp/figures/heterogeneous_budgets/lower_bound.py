"""Between which bounds the minimax error of two groups lies; the paper has no such figure."""

from hdp.explore import Axis
from hdp.figures.heterogeneous_budgets.groups import CLIPPED, READOUT, RULE, curve
from hdp.figures.shared import first_budget, first_share, own_figure, users
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_2

EPSILON_1 = first_budget(0.0005, 0.5, 0.002)
USERS = users(200, 20_000, 10_000, multiple_of=100)
SHARE = first_share(0.01, 0.99, 0.01, 0.99)
THEOREM_2 = f"Theorem 2 ({lower.factor_46} and {lower.factor_45})"
BUDGETS = Axis("budget of group 2, ε₂ (nats)", (0.001, 10.0), "log")

bounds = own_figure(
    name="cc-lower-bounds",
    title="Between which bounds the minimax error lies",
    x_symbol=epsilon_2,
    x=BUDGETS,
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        curve("Theorem 1 (upper bound)", sym.upper_bound, width=3),
        curve("(37): nobody's privacy, k = 0", lower.eq_37, dash=(8, 4)),
        curve("(38): privacy of group 1, k = nf", lower.eq_38, dash=(3, 3)),
        curve("(39): privacy of all, k = n", lower.eq_39, dash=(10, 3, 2, 3)),
        curve(THEOREM_2, lower.lower_bound, width=3, part=CLIPPED),
        RULE,
    ),
    parameters=(EPSILON_1, USERS, SHARE),
    readouts=(READOUT,),
    caption=r"""
        Go to the right: (39) falls for ever, and (38), which does not depend on \(\epsilon_2\), takes its
        place while group 1 is strict enough. The minimax error lies between the upper thick line and the highest of the
        others. Lower \(f\) below 0.95: (38) drops below (37) for good, although it should matter there. The figure is
        ours.
    """,
    alt="""
        On a logarithmic scale an upper bound, and three decades below it four lower bounds: one is parallel to it
        but for a step, two are constant, and one falls steeply for large budgets.
    """,
)
