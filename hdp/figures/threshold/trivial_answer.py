"""Two levels of budgets where no risk counts more than that of the trivial answer; the companion's own."""

from hdp.explore import Axis, Curve, FigureSpec, Readout, Rule
from hdp.figures.shared import users, where
from hdp.sym.symbols import n
from hdp.sym.threshold import worst_case as sym

_INSIDE = sym.m < n

trivial_answer = FigureSpec(
    name="cz-trivial-answer",
    title="Two levels: how many should be generous?",
    x_symbol=sym.m,
    x=Axis("users with the larger budget, m", (2.0, 5000.0), "log"),
    y=Axis("worst ratio of errors for this m", (1.0, 4.3)),
    layers=(
        Curve("trivial answer admitted", where(_INSIDE, sym.two_level_capped), width=3),
        Curve("not admitted, noise only", where(_INSIDE, sym.gain((sym.m, n)) ** 2), dash=(8, 4)),
        Rule("top: m = √(n/2)", x=sym.two_level_generous),
        Rule("height of the top, 4 − 4√(2/n)", y=sym.two_level_expansion, below=True),
    ),
    parameters=(users(20, 100_000, 1000),),
    readouts=(Readout("place of the top for many users, √(n/2)", sym.two_level_generous),),
    reset_label="Initial value",
    caption=r"""
        Raise \(n\): the top climbs towards 4, and comes ever closer to where the two rules cross. For every number
        \(m\) of generous users the worst budgets of the two groups are drawn: dashed with budgets so small that only
        noise counts, solid where no risk counts more than 1/4.
    """,
    alt="""
        A dashed line falls from 4 to 1 as more users are generous. A solid hump lies below it, with its top near 3.8
        where the square root of half the users is generous.
    """,
)
