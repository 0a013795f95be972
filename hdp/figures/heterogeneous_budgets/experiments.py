"""Figure 4 of Chaudhuri & Courtade (2023): how much more a user of the generous group counts."""

import sympy as sp

from hdp.explore import Axis, FigureSpec, Readout
from hdp.figures.heterogeneous_budgets.groups import RATIO, RULE, curve
from hdp.figures.shared import first_budget, first_share, users
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import experiments as sym
from hdp.sym.symbols import epsilon_1, epsilon_2, n

_FME = sp.Piecewise((sym.fme_ratio, epsilon_1 <= 1 / sp.sqrt(n)), (1, True))

figure_4 = FigureSpec(
    name="cc-figure-4",
    title="How much more a user of group 2 counts",
    x_symbol=epsilon_2,
    x=Axis("budget of group 2, ε₂ (nats)", (0.01, 1.0), "log"),
    y=Axis("weight in group 2 over that in group 1, w₂/w₁", (0.9, 100.0), "log"),
    layers=(
        curve("ADPM", sp.Min(epsilon_2 / epsilon_1, RATIO), **DRAWN["ADPM"]),
        curve("FME (our reconstruction)", _FME, **DRAWN["FME"]),
        RULE,
    ),
    parameters=(
        first_budget(0.01, 0.05, 0.01),
        users(200, 20_000, 10_000, multiple_of=100),
        first_share(0.1, 0.9, 0.05, 0.5),
    ),
    readouts=(Readout("saturation ratio R", RATIO),),
    samples=160,
    caption=r"""
        Follow the lines to the right, where group 2 is more generous: their weight relative to group 1 grows as
        \(\epsilon_2/\epsilon_1\) up to \(R\) with ADPM. FME, in our reconstruction, stops at
        \(1/(\epsilon_1\sqrt{n(1-f)})\) while \(\epsilon_1 \le 1/\sqrt n\), which is \(\sqrt 2\) at the paper&rsquo;s
        values, and gives equal weights otherwise. Figure 4; range and logarithmic scale of the axes are ours.
    """,
    alt="Two rising lines that become horizontal; that of FME does so at a much lower ratio.",
)
