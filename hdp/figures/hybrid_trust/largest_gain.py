"""Section 4: Figure 2, with a synthetic population in place of the salaries."""

from functools import partial

import numpy as np
import sympy as sp

from hdp import salaries
from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Marker, Parameter, Readout, Rule
from hdp.figures.shared import users
from hdp.sym.hybrid_trust import known_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, sigma
from hdp.sym.hybrid_trust.known_variance import u, y
from hdp.sym.symbols import n

SEED, BIN, TOP = 2010, 50, 2500  # the last two in thousands of dollars, like everything drawn
_DOLLARS, _MEAN = sp.symbols("x a", positive=True)
_POPULATION = np.sort(salaries.population(SEED)) / 1000
_DEVIATION, _M = sp.Rational(salaries.DEVIATION, 1000), sp.Rational(salaries.MAXIMUM, 1000)
_COUNTS = np.histogram(_POPULATION, bins=np.arange(0, TOP + BIN, BIN))[0]
_SPREAD = sp.sqrt(sp.log(1 + _DEVIATION**2 / _MEAN**2))


def _steps():
    """Users in the bin of x, by bisection; nothing where there is nobody, because the axis is logarithmic."""
    heights = [sp.Integer(int(k)) if k else sp.nan for k in _COUNTS]

    def between(low, high):
        if high - low == 1:
            return heights[low]
        middle = (low + high) // 2
        return sp.Piecewise(
            (between(low, middle), _DOLLARS < middle * BIN), (between(middle, high), True), evaluate=False
        )

    return between(0, len(heights))


_MEDIAN = _MEAN * sp.exp(-(_SPREAD**2) / 2)
_NORMAL = sp.exp(-((sp.log(_DOLLARS / _MEDIAN) / _SPREAD) ** 2) / 2) / (sp.sqrt(2 * sp.pi) * _SPREAD * _DOLLARS)

figure_2a = FigureSpec(
    name="adk-figure-2a",
    title="A synthetic population of salaries (in place of Figure 2a)",
    x_symbol=_DOLLARS,
    x=Axis("salary (thousands of dollars)", (5.0, 2495.0)),
    y=Axis("users in a bin of $50,000", (0.5, 1e6), "log"),
    layers=(
        Curve(f"synthetic (seed {SEED})", _steps(), width=3, colour=0, steps=True),
        Curve("log-normal law, same σ", salaries.USERS * BIN * _NORMAL, dash=(8, 4), colour=1),
        Rule("width of the data, m", x=_M),
    ),
    parameters=(Parameter.linear(_MEAN, "mean of the law (thousands of dollars)", 20, 120, 1, 66),),
    readouts=(
        Readout("median of the law (thousands of dollars)", _MEDIAN),
        Readout("its standard deviation", _MEAN * sp.sqrt(sp.exp(_SPREAD**2) - 1)),
    ),
    samples=498,
    reset_label="Initial value",
    caption=r"""
        Move the mean of the dashed law: its shape changes beyond recognition and its standard deviation does
        not, and every error on this page stays as it is. The real data are not part of this book: the
        population drawn here has exactly the published size, maximum and standard deviation, and need not
        resemble them otherwise.
    """,
    alt="""
        Number of users in each bin on a logarithmic axis: steps that fall from 200,000 to single users at the right
        end, more than two million dollars away, and a smooth dashed line that falls faster.
    """,
)

_RATIO = salaries.DEVIATION / salaries.MAXIMUM
_NOISE = {y: (epsilon * sigma) ** 2}
_TCM_PER_FULL_LM = sp.cancel(sym.over_tcm / sym.over_full_lm)
_IN_RATIOS = (sym.over_full_lm * sp.Min(1, _TCM_PER_FULL_LM)).subs(u, 1 / (c * n))
_TWO = sp.sqrt(sym.two_balance) / sigma

salary_map = partial(  # of Figures 2b, 8a and 8b
    FigureSpec,
    x_symbol=epsilon,
    y_symbol=c,
    x=Axis("everybody's budget, ε (nats)", (0.1, 10.0), "log"),
    y=Axis("fraction of users who trust the curator, c", (0.001, 0.1), "log"),
    parameters=(
        users(1000, 10_000_000, salaries.USERS, per_decade=8),
        Parameter.logarithmic(sigma, "σ/m, standard deviation of the data", 0.005, 0.5, _RATIO, per_decade=12),
    ),
)

figure_2b = salary_map(
    name="adk-figure-2b",
    title="Relative improvement of KVH for the salaries (Figure 2b)",
    layers=(
        Heatmap(_IN_RATIOS.subs(_NOISE), Axis("relative improvement R", (1.0, 2.1))),
        Curve("TCM-Only is better above this line", sym.best_share.subs(_NOISE), width=2.6, colour=0),
        Marker("R passes 2 here", _TWO, sym.two_share),
    ),
    readouts=(
        Readout("largest R for ε ≤ 1", sym.best_at_size.subs(_NOISE).subs(epsilon, 1)),
        Readout("largest R for ε ≤ 10", sym.best_at_size.subs(_NOISE).subs(epsilon, 10)),
        Readout("smallest ε with R = 2", _TWO),
    ),
    samples=120,
    caption=r"""
        Raise \(\sigma/m\) and see the circle come left, or \(n\) and see it go down. The bright ridge lies where the
        two baselines are equally good; far from it one of them is almost as good as the hybrid. In the paper&rsquo;s
        high-privacy regime, \(\epsilon \le 1\), the ridge of the salaries is below 2, which it passes at the circle.
    """,
    alt="""
        Coloured map over epsilon and c, both logarithmic: a bright narrow ridge runs along c = 0.2 percent, bends
        upwards at epsilon = 2, where a circle stands, and leaves the map at c = 2.5 percent.
    """,
)

ridge = FigureSpec(
    name="adk-figure-2-ridge",
    title="The ridge of Figure 2b",
    x_symbol=epsilon,
    x=figure_2b.x,
    y=Axis("relative improvement R"),
    layers=(
        Curve("largest R of all c", sym.best_at_size.subs(_NOISE), width=3, colour=0),
        Curve("its limit for many users, 2 + (εσ/m)²/2", 2 + (epsilon * sigma) ** 2 / 2, dash=(8, 4), colour=1),
        Rule("twice as good", y=sp.Integer(2), left=True),
        Rule("high privacy up to here", x=sp.Integer(1)),
        Marker("R reaches 2", _TWO, sp.Integer(2)),
    ),
    parameters=figure_2b.parameters,
    caption=r"""
        Raise \(n\) at the salaries&rsquo; \(\sigma/m\): what is missing to the dashed line shrinks like \(1/\sqrt n\)
        at the left and like \(1/n\) at the right. Left of the vertical line the paper sees a peak just above 2; for
        the salaries the line stays below 2. With \(\sigma/m = \tfrac12\) the dashed line is the supremum
        \(2+\epsilon^2/8\).
    """,
    alt="""
        The largest improvement against epsilon on a logarithmic axis: flat just below 2 up to epsilon = 1, it passes 2
        at a circle at 2.3 and rises to 2.026; a dashed line runs slightly above it.
    """,
)
