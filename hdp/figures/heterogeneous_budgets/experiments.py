"""Figure 4 of Chaudhuri & Courtade (2023): how much more a user of the generous group counts."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import sympy as sp

from hdp import baselines, simulate
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Points, Readout
from hdp.figures.heterogeneous_budgets.upper_bound import RATIO, RULE, clipped_beyond, curve, error_curve, figure_1b
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


# -- Figures 1(A), 3(A) and 3(B) of Chaudhuri & Courtade (2023), and simulated points for these and 1(B).

# FME jumps where it begins to clip a group
_FME_PART = sum(sp.Piecewise((1, condition), (0, True)) for _, condition in sym.fme_mse.args[:2])
_UNIFORM = {sym.v: sp.Rational(1, 12)}  # variance of the uniform distribution on [-1/2, 1/2]
_FOUR = {
    "UNI (ε₁ for all)": sym.uniform_mse,
    "LDPE (noise for each group)": sym.local_mse,
    "SM (sampling; lower bound)": sym.sampling_bound,
    "ADPM (optimal weights)": clipped_beyond(sym.proportional_mse, sym.clipped_mse),
}


def excess(power, label, error, part=None):
    """Curve of (error - 1/(12 n)) n^power against n for uniform data."""
    return Curve(label, (error.subs(_UNIFORM) - _UNIFORM[sym.v] / n) * n**power, part=part, **DRAWN[label.split()[0]])


def _uniform(users, rng, runs):
    return rng.random((runs, users)) - 0.5


def _coin(users, rng, runs):
    return rng.integers(0, 2, (runs, users), dtype=np.int8) - 0.5


def _compared(epsilon, draw, runs, seed):
    """Errors of all baselines for these budgets and values that are drawn so, whose mean is 0."""
    return simulate.compare(baselines.panel(epsilon), partial(draw, epsilon.size), 0.0, runs, seed, n_jobs=2)


def _budgets(figure, **x):
    """Of all users, where the sliders stand at the paper's values; `x` is the place on the horizontal axis."""
    at = figure.paper_values | x
    first = round(at["n"] * at["f"])
    return np.repeat([at["epsilon_1"], at["epsilon_2"]], [first, round(at["n"]) - first])


@cache
def by_size(runs=200_000):
    """Simulate the errors of all baselines at the sizes of figures (A), each with its size as the seed."""
    sizes = 500, 800, 1200, 1600, 2000, 2600, 3200, 3800
    return {users: _compared(_budgets(figure_1a, n=users), _uniform, runs, users) for users in sizes}


@cache
def by_budget(runs=200_000):
    """Simulate the errors of all baselines at the budgets of figures (B), each with a seed of its own."""
    budgets = 0.12, 0.16, 0.2, 0.3, 0.4, 0.55, 0.75, 0.95
    return {e2: _compared(_budgets(figure_1b, epsilon_2=e2), _coin, runs, round(1000 * e2)) for e2 in budgets}


def simulated(figure, found, factor, offset=lambda x: 0.0):
    """The figure with simulated errors at every curve whose label begins with the name of a baseline.

    They are `found`, a dict from x to the results of `hdp.simulate.compare`, and are seen at the paper's values.  What
    is drawn at x is factor(x) (error - offset(x)), with bars of two standard errors.
    """
    points = []
    for line in figure.curves:
        name = line.label.split()[0].lower()
        if name in baselines.NAMES:
            y = tuple(float(factor(x) * (errors[name].mse - offset(x))) for x, errors in found.items())
            bars = tuple(float(2 * factor(x) * errors[name].standard_error) for x, errors in found.items())
            points.append(Points(line.label, tuple(map(float, found)), y, bars, at=figure.paper_values))
    return figure.with_points(
        *points,
        caption=" Points: simulated at the paper&rsquo;s values, with bars of two standard errors; shown only while "
        "the sliders stand there.",
    )


figure_1a = FigureSpec(
    name="cc-figure-1a",
    title="Second-order error against the number of users",
    x_symbol=n,
    x=Axis("number of users, n", (400.0, 4000.0)),
    y=Axis("(mean squared error − 1/(12n)) n²"),
    layers=tuple(excess(2, *named) for named in _FOUR.items()),
    parameters=(
        Parameter.linear(epsilon_1, "ε₁, budget of group 1 (nats)", 0.1, 0.14, 0.005, 0.1),
        Parameter.linear(epsilon_2, "ε₂, budget of group 2 (nats)", 0.145, 0.3, 0.005, 0.15),
        first_share(0.1, 0.9, 0.05, 0.5),
    ),
    caption=r"""
        Raise only \(\epsilon_2\): LDPE falls below UNI, and the line of ADPM bends where its weights saturate. What
        every estimator pays for sampling, \(1/(12n)\), is subtracted: the cost of privacy is left. Figure 1(A),
        for uniform data; the range is ours.
    """,
    alt="""
        Four lines against the number of users: LDPE highest, UNI constant at 200, SM rising from 138 to just above it,
        ADPM lowest.
    """,
)


def _tenth(curve):
    """Return what an order of magnitude below the curve would be."""
    return Curve("a tenth of FME", curve.y / 10, part=curve.part, dash=(2, 3), width=1.6, colour=5)


_FME_A = excess(1, "FME (our reconstruction)", sym.fme_mse, _FME_PART)
_FME_B = error_curve("FME (our reconstruction)", sym.fme_mse.subs(sym.v, sp.Rational(1, 4)), **DRAWN["FME"])

figure_3a = replace(
    figure_1a,
    name="cc-figure-3a",
    title="FME against the number of users",
    y=Axis("(mean squared error − 1/(12n)) n", scale="log"),
    layers=(*(excess(1, *named) for named in _FOUR.items()), _FME_A, _tenth(_FME_A)),
    parameters=(
        Parameter.linear(epsilon_1, "ε₁, budget of group 1 (nats)", 0.01, 0.14, 0.005, 0.1),
        *figure_1a.parameters[1:],
    ),
    caption=r"""
        Lower \(\epsilon_1\): below \(1/\sqrt n\) FME stops clipping group 1, and jumps. Else it is constant; the others
        at the paper&rsquo;s values fall, and cross a tenth of it (dotted). Figure 3(A): 1(A), \(n\) for \(n^2\); range
        and logarithmic axis are ours.
    """,
    alt="""
        Five lines on a logarithmic axis: FME is constant at 2; LDPE, UNI, SM and ADPM fall, and each crosses a dotted
        line at 0.2 somewhere between 600 and 1400 users.
    """,
)

figure_3b = replace(
    figure_1b,
    name="cc-figure-3b",
    title="FME against the budget of the second group",
    y=Axis("mean squared error × 10,000", scale="log"),
    layers=(*figure_1b.layers, _FME_B, _tenth(_FME_B)),
    caption=r"""
        Lower \(\epsilon_1\): below \(1/\sqrt n\) FME stops clipping group 1, and its line first jumps down and
        then rises. Nobody is an order of magnitude below it, at the dotted line. Figure 3(B): as 1(B);
        logarithmic axis and range are ours.
    """,
    alt="""
        The five lines of Figure 1(B) between 4 and 8, FME constant far above them at 22.5, and a dotted line below
        them all at 2.25.
    """,
)
