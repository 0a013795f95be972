"""How much a few levels lose against a weight for every budget; the companion's own."""

import numpy as np
import sympy as sp

from hdp import threshold
from hdp.explore import Axis, Curve, Parameter, Readout
from hdp.figures.shared import dots, own_figure, users, where
from hdp.sym.threshold import few_levels as sym
from hdp.sym.threshold.worst_case import k

USERS = 1000
LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16)
_RANK = np.arange(1, USERS + 1)
BUDGETS = {
    "budgets 1/(100 i)": 0.01 / _RANK,
    "Pareto, least 0.01": 0.01 * USERS / (_RANK - 0.5),
    "log-uniform": np.exp(2 - 6 * (_RANK - 0.5) / USERS),
}
_NEEDED = 1 + sp.log(sym.spread) / sp.log(sp.Rational(11, 10))
_RATIOS = {name: {j: threshold.best_levels(epsilon, j).ratio for j in LEVELS} for name, epsilon in BUDGETS.items()}

few_levels = own_figure(
    name="cz-few-levels",
    title="How many levels are enough?",
    x_symbol=sym.j,
    x=Axis("levels that are told apart, j", (0.6, 16.4), ticks=(1.0, 4.0, 8.0, 12.0, 16.0)),
    y=Axis("ratio of errors, j levels to best", (0.9, 200.0), "log"),
    layers=(
        Curve("at most, k different budgets", where(sym.j >= 1, sp.Max(1, sym.by_budgets)), colour=0),
        Curve("at most, for this range", where(sym.j >= 2, sym.by_range), dash=(8, 4), colour=1),
        Curve("at most, for so many users", where(sym.j >= 2, sym.by_users_at_best), dash=(2, 3), colour=2),
        *(dots(name, ratios, colour) for colour, (name, ratios) in enumerate(_RATIOS.items(), 3)),
    ),
    parameters=(
        Parameter.linear(k, "k, number of different budgets", 1, 40, 1, 12),
        Parameter.logarithmic(sym.spread, "h, largest clipped budget over least", 1, 10**6, per_decade=10, value=1000),
        users(10, 10**8, 1000),
    ),
    readouts=(Readout("levels that suffice for 10 % more, by the range", sp.ceiling(_NEEDED)),),
    caption=r"""
        Move \(h\), by how much budgets differ below the clipping level: no budgets of that range lie above the
        dashed line, no \(k\) different budgets above the solid one, and no \(n\) users above the dotted one. Dots:
        the best \(j\) levels of 1,000 users, who do not follow the sliders.
    """,
    alt="""
        Dots of three families fall towards 1 as more levels are told apart: log-uniform budgets from 1.5 to 1.08
        with five levels, budgets in inverse proportion to the rank from 56 to 3. Three falling lines are bounds.
    """,
)
