"""What figures of several pages share: the sliders of one quantity, lines that end, lines to compare with."""

from functools import partial

import sympy as sp

from hdp.explore import FigureSpec, Parameter, Points, Rule
from hdp.sym.symbols import epsilon, epsilon_1, f, n

own_figure = partial(FigureSpec, reset_label="Initial values")  # where no paper says where the sliders begin
users = partial(Parameter.logarithmic, n, "n, number of users", per_decade=10)
every_budget = partial(Parameter.logarithmic, epsilon, "ε, budget of every user (nats)")
first_budget = partial(Parameter.logarithmic, epsilon_1, "ε₁, budget of group 1 (nats)")
first_share = partial(Parameter.linear, f, "f, fraction of users in group 1")
FROM_1000 = Rule("the paper starts here", x=sp.Integer(1000))


def dots(label, found, colour):
    """Computed points, without error: a dict from x to y."""
    return Points(label, tuple(map(float, found)), tuple(found.values()), (0.0,) * len(found), colour)


def where(condition, expression):
    """Nothing is drawn elsewhere."""
    return sp.Piecewise((expression, condition), (sp.nan, True))


def each(kind, what, symbols, low, high, values, *step, **steps):
    """A slider of this kind for each of several groups; `what` has places for its index and its number."""
    return tuple(
        kind(symbol, what.format("₁₂₃"[i], i + 1), low, high, *step, value, **steps)
        for i, (symbol, value) in enumerate(zip(symbols, values, strict=True))
    )
