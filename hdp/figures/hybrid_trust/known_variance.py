"""Section 4: Figure 1, and where the improvement of Corollary 4.4 is largest."""

from functools import partial

import numpy as np
import sympy as sp

from hdp import salaries
from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.shared import FROM_1000, own_figure, users, where
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma
from hdp.sym.hybrid_trust.known_variance import u, y
from hdp.sym.symbols import n, put

IMPROVEMENT = sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / sym.kvh_mse.subs(models.laplace)
SHAPES = (sp.Rational(1, 10), sp.Integer(1), sp.Integer(10))
_ALPHA, _X = sp.symbols("alpha x", positive=True)
_OWN_SHAPES = tuple(float(f"{10 ** (k / 12):.2g}") for k in range(-10, 17) if k % 12)  # 0.1, 1, 10 are the paper's


def _density(alpha):
    """Elementary but for its constant, which is a number."""
    return (_X * (1 - _X)) ** (alpha - 1) / sp.beta(alpha, alpha).evalf(17)


def _own_density():
    """The density of each position of the slider; its shape is exact, so that the constant is."""
    pieces = [(_density(sp.nsimplify(a)), _ALPHA <= a) for a in _OWN_SHAPES]
    return sp.Piecewise(*pieces[:-1], (pieces[-1][0], True))


figure_1a = FigureSpec(
    name="adk-figure-1a",
    title="Beta densities (Figure 1a)",
    x_symbol=_X,
    x=Axis("value of a user, x (in units of m)", (0.002, 0.998)),
    y=Axis("probability density", (0.0, 6.0)),
    layers=(
        Curve("Beta(0.1, 0.1): σ = 0.456", _density(SHAPES[0]), dash=(8, 4)),
        Curve("Beta(1, 1): σ = 0.289", _density(SHAPES[1]), dash=(3, 3)),
        Curve("Beta(10, 10): σ = 0.109", _density(SHAPES[2]), width=3),
        Curve("yours: Beta(α, α)", _own_density(), width=1.6),
        Rule("mean + σ", x=sp.Rational(1, 2) + sym.beta_deviation(_ALPHA)),
    ),
    parameters=(Parameter(_ALPHA, "α, shape of yours", _OWN_SHAPES, 3.2),),
    readouts=(Readout("σ of yours", sym.beta_deviation(_ALPHA)),),
    reset_label="Initial value",
    caption=r"""
        Lower \(\alpha\): the mass of your law moves to the ends, and \(\sigma = 1/\sqrt{8\alpha+4}\), which is
        all that the errors see of it, towards its largest value \(\tfrac12\), the fair coin. The other three
        are the paper&rsquo;s symmetric laws on \([0, 1]\).
    """,
    alt="Density of Beta(0.1, 0.1), high at both ends; of Beta(1, 1), flat; of Beta(10, 10), a bell; and one between.",
)

SHARES, BUDGETS = sp.symbols("c_1 c_2", positive=True), sp.symbols("e_1 e_2", positive=True)
KINDS = {
    f"{trust}, {budget}": (i, j)
    for i, trust in enumerate(("few trust (c₁)", "more trust (c₂)"))
    for j, budget in enumerate(("small budget (ε₁)", "large budget (ε₂)"))
}
DEVIATIONS = {a: float(sym.beta_deviation(a)) for a in reversed(SHAPES)}  # low, medium, high
POSITIONS = tuple(sorted({*(float(f"{k / 100:g}") for k in range(1, 51)), *DEVIATIONS.values()}))
N_CRIT = sp.Piecewise((models.laplace_n_crit, c > models.laplace_c_crit), (sp.oo, True)).subs(m, 1)


def sliders(least_share):
    """Those of the two fractions and the two budgets."""
    return (
        Parameter.logarithmic(SHARES[0], "c₁, smaller fraction of users who trust", least_share, 0.02, 0.005),
        Parameter.logarithmic(SHARES[1], "c₂, larger fraction", 0.025, 0.3, 0.05),
        Parameter.logarithmic(BUDGETS[0], "ε₁, smaller budget (nats)", 0.02, 0.5, 0.1),
        Parameter.logarithmic(BUDGETS[1], "ε₂, larger budget (nats)", 0.6, 4, 1),
    )


def panels(letters):
    """Buttons for the paper's three laws."""
    laws = zip(letters, DEVIATIONS.items(), strict=True)
    return tuple(Preset(f"({k}) Beta({float(a):g}, {float(a):g})", {"sigma": value}) for k, (a, value) in laws)


def of_kind(expression, i, j):
    """The same with one of the two fractions and one of the two budgets."""
    return put({c: SHARES[i], epsilon: BUDGETS[j], m: 1}, expression)


def four(expression, label=None, **style):
    """A line for each fraction and budget; `label` names all four, if they are for comparison."""
    return tuple(
        Curve(label or name, of_kind(expression, i, j), **({"dash": (8, 4) if j else (), "colour": i} | style))
        for name, (i, j) in KINDS.items()
    )


def two(label, expression):
    """A dotted line for each fraction, with which others are compared."""
    return tuple(
        Curve(f"{label} with c{mark}", expression.subs(c, share), dash=(2, 3), width=1.6, colour=colour)
        for colour, mark, share in zip((2, 3), "₁₂", SHARES, strict=True)
    )


def four_numbers(label, expression):
    """A number for each fraction and budget."""
    return tuple(Readout(label.format(name), of_kind(expression, *kind)) for name, kind in KINDS.items())


figure_1 = FigureSpec(
    name="adk-figure-1",
    title="Relative improvement of KVH against the number of users (Figure 1b to 1d)",
    x_symbol=n,
    x=Axis("number of users, n", (200.0, 1e5), "log"),
    y=Axis("relative improvement R", (0.95, 2.5)),
    layers=(
        *four(where(c * n >= 1, IMPROVEMENT)),
        *two("most that any σ and ε give", where(c**2 * n >= 1, sym.envelope.subs(u, 1 / (c * n)))),
        FROM_1000,
    ),
    parameters=(
        Parameter(sigma, "σ, standard deviation of the data", POSITIONS, DEVIATIONS[SHAPES[2]]),
        *sliders(0.001),
    ),
    readouts=four_numbers("users from which TCM-Only is better: {}", N_CRIT),
    presets=panels("bcd"),
    caption=r"""
        Raise \(\sigma\), or \(\epsilon_2\): a kink slides along its dotted line, and vanishes to the right. A line
        has its kink at its \(n_{crit}\), where TCM-Only becomes the better baseline, and touches the dotted
        line of its \(c\) there; for \(c \le c_{crit}\) there is none (∞). The paper&rsquo;s figure begins at the
        vertical line.
    """,
    alt="""
        Four lines against the logarithm of n; one rises throughout, the others rise to a kink on one of two dotted
        curves and fall from there. Two of the kinks lie left of n = 1000.
    """,
)

_T = sp.Symbol("t", positive=True)
_RATIOS = {y: (epsilon * sigma) ** 2, u: 1 / _T}

corollary = own_figure(
    name="adk-corollary-4-4",
    title="Where the improvement is largest",
    x_symbol=c,
    x=Axis("fraction of users who trust the curator, c", (0.005, 0.995)),
    y=Axis("ratio of errors", (1.0, 2.5)),
    layers=(
        Curve("over Full-LM", sym.over_full_lm.subs(_RATIOS), width=3, colour=0),
        Curve("over TCM-Only", sym.over_tcm.subs(_RATIOS), width=3, colour=1),
        Curve("bound in Appendix B", sym.step_bound.subs(_RATIOS), dash=(8, 4), colour=3),
        Rule("printed bound 16/7", y=sym.printed_upper),
        Rule("supremum 2 + ε²/8", y=sym.supremum, below=True),
        Marker("largest R", sym.crossing.subs(_RATIOS), sym.improvement_at_crossing.subs(_RATIOS)),
    ),
    parameters=(
        Parameter.linear(epsilon, "ε, everybody's budget (nats)", 0.05, 1, 0.05, 1),
        Parameter.linear(sigma, "σ/m, standard deviation of the data", 0.02, 0.5, 0.02, 0.5),
        Parameter.logarithmic(_T, "cn, number of users who trust", 2, 1e5, 900, per_decade=6),
    ),
    readouts=(
        Readout("largest R", sym.improvement_at_crossing.subs(_RATIOS)),
        Readout("supremum 2 + ε²/8", sym.supremum),
    ),
    caption=r"""
        Raise \(cn\): with \(\sigma/m = \tfrac12\) the circle climbs to \(2+\epsilon^2/8\) and never gets there; 16/7 is
        out of reach. \(R\) is the lower of the two solid lines, at a fixed number \(cn\) of trusting users; one rises,
        the other falls, so it is largest where they meet. Dashed: the bound that Appendix B claims.
    """,
    alt="""
        Two solid lines against c, one rising from 1 and one falling steeply, cross near c = 0.11 just under the rule
        at 2.125; a dashed line through the crossing falls slowly, and below the falling line at the right end.
    """,
)


# -- Section 4: Figure 2, with a synthetic population in place of the salaries.

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
