"""What is left to gain by both lower bounds where all users have one budget, or are public; no paper has it."""

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.heterogeneous_budgets.what_is_left import PUBLIC
from hdp.figures.shared import own_figure, users
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import smaller_gap as sym
from hdp.sym.symbols import epsilon

gaps = own_figure(
    name="cc-smaller-gap",
    title="What is left to gain, by two coins and by scores",
    x_symbol=epsilon,
    x=Axis("budget of who is not public, ε (nats)", (1e-7, 10.0), "log"),
    y=Axis("error of the algorithm over the bound", (1.0, 30.0), "log"),
    layers=(
        Curve("two coins, the pages before", lower.beside_gap, dash=(8, 4)),
        Curve("scores, this page", sym.beside_gap, width=3),
        Rule("3: limit for any budgets where errors are small", y=sym.upper_constant),
    ),
    parameters=(
        Parameter(lower.public_users, "public users", tuple(map(float, PUBLIC)), 0.0),
        users(2000, 1_000_000, 1_000_000, multiple_of=100),
    ),
    caption=r"""
        Compare the two lines: where the dashed one has its plateau, the thick one falls to 1, so nothing is left where
        noise is nearly all of the error. Add public users, and a hump rises between strict and generous, which stays
        near 3 as long as the error is small.
    """,
    alt="""
        Two ratios of bounds against the budget, on logarithmic scales: the dashed one has a plateau at 13.5; the thick
        one has a peak of 3.6 at its left end, falls to 1, and has a hump below 3 at larger budgets.
    """,
)

FIGURES = (gaps,)
