"""Section 6: Figures 4 and 5."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.known_variance import DEVIATIONS, POSITIONS, SHARES, four, sliders
from hdp.figures.shared import FROM_1000, own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import diverging_groups as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, sigma_L, sigma_T
from hdp.sym.symbols import n

# -- Section 6, beyond the paper: what the gap of the means and the believed variance do to the improvement.

LOW, _, HIGH = DEVIATIONS.values()
SPREAD = sp.sqrt(sym.effective_variance.subs(sym.on_gap))
_TCM, _FULL_LM, _WEIGHED = (e.subs(models.laplace) for e in (known.tcm_mse, known.full_lm_mse, known.mse))


def _over(baseline, error, values):
    """Ratio of two errors of equal groups, with the effective variance in the place of theirs."""
    return (baseline / error).subs(sigma, SPREAD).subs(values)


def best(values):
    """R with the weight of Definition 6.1; `values` are put in for symbols."""
    return _over(sp.Min(_TCM, _FULL_LM), known.kvh_mse.subs(models.laplace), values)


def weighed(weight, values, baseline=None):
    """R with this weight, or the ratio to one baseline."""
    return _over(baseline or sp.Min(_TCM, _FULL_LM), _WEIGHED.subs(models.w, weight.subs(models.laplace)), values)


def believing(belief, values, baseline=None):
    """`weighed` with the best weight for equal groups of this variance."""
    return weighed(sym.believed_weight.subs(sym.believed, belief), values, baseline)


def deviations(positions):
    """Sliders for the deviations in the two groups."""
    return (
        Parameter(sigma_T, "standard deviation in the TCM group, T", positions, LOW),
        Parameter(sigma_L, "standard deviation in the LM group, L", positions, HIGH),
    )


def _population(size):
    return (
        users(1000, 1e5, size),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.5, 0.05, per_decade=10),
        Parameter.logarithmic(epsilon, "ε, everybody's budget (nats)", 0.02, 4, 1, per_decade=10),
    )


_EQUAL = {sigma_L: sigma_T, m: 2}
_TOLERATED = sp.sqrt(sym.tolerated_gap_squared.subs(models.laplace)).subs(sigma, sigma_T).subs(m, 2)
_TIE = sp.sqrt(sp.Max(_FULL_LM - _TCM, 0)).subs(sigma, sigma_T).subs(m, 2) / (1 - c)

gap = own_figure(
    name="adk-gap",
    title="Relative improvement against the gap of the means",
    x_symbol=sym.gap,
    x=Axis("gap of the means, d (m = 2)", (0.003, 1.0), "log"),
    y=Axis("relative improvement R", (0.02, 3.0), "log"),
    layers=(
        Curve("weight of Definition 6.1", best(_EQUAL), **DRAWN["KVH"]),
        Curve("homogeneous weight (Figure 5)", believing(sigma_T**2, _EQUAL), **DRAWN["cautious"]),
        Curve("weight of PWH", weighed(unknown.weight, _EQUAL), **DRAWN["PWH"]),
        Curve("weight c", weighed(c, _EQUAL), **DRAWN["naive"]),
        Rule("no gain", y=sp.Integer(1), below=True),
        Rule("TCM-Only = Full-LM", x=_TIE),
        Marker("tolerated gap", _TOLERATED, sp.Integer(1)),
    ),
    parameters=(
        *_population(2000),
        Parameter.linear(sigma_T, "σ, standard deviation in each group", 0.02, 0.6, 0.02, 0.28),
    ),
    readouts=(Readout("tolerated gap", _TOLERATED),),
    caption=r"""
        Raise \(n\): the circle, the gap up to which the homogeneous weight gains, moves to the left; beyond it
        Full-LM is better, and the line falls as \(1/d^2\). The weight \(c\) never loses to Full-LM, and the
        best weight tends to it. Left of the vertical line, if it is there, TCM-Only is the better baseline.
    """,
    alt="""
        Four lines against the logarithm of the gap; two fall steeply below 1 on the right, one stays above 1
        throughout, and one is at about 1 on the right.
    """,
)

_UNIT = {m: 1}
_MIXTURE = sp.expand(models.mixture_variance.subs(sym.on_gap))

variance = own_figure(
    name="adk-believed-variance",
    title="Which variance to believe in",
    x_symbol=sym.believed,
    x=Axis("believed variance, v (m = 1)", (0.003, 3.0), "log"),
    y=Axis("ratio of errors", (0.2, 8.0), "log"),
    layers=(
        Curve("improvement over TCM-Only", believing(sym.believed, _UNIT, _TCM), dash=(8, 4)),
        Curve("improvement over Full-LM", believing(sym.believed, _UNIT, _FULL_LM)),
        Rule("no gain", y=sp.Integer(1), below=True),
        Rule("variance of the TCM group", x=sigma_T**2),
        Rule("mixture's", x=_MIXTURE),
        Marker("effective variance", SPREAD**2, best(_UNIT)),
    ),
    parameters=(
        *_population(10_000),
        *deviations(tuple(d for d in POSITIONS if d <= HIGH)),
        Parameter.linear(sym.gap, "d, gap of the means", 0, 0.1, 0.005, 0),
    ),
    presets=(
        Preset("Figure 4a, c = 5 %, ε = 1", {"sigma_T": LOW, "sigma_L": HIGH}),
        Preset("Figure 4b, c = 5 %, ε = 1", {"sigma_T": HIGH, "sigma_L": LOW}),
    ),
    caption=r"""
        Raise \(d\): the circle, the best belief, runs to the right; the rules stay, but for the
        mixture&rsquo;s where deviations are small. Every weight between PWH&rsquo;s (\(v = 0\)) and \(c\) (\(v\)
        without bound) belongs to a belief \(v\); \(R\) is the lower line.
        The mixture weighs the groups the other way round, and is far off if they differ as here.
    """,
    alt="""
        Two lines against the logarithm of the believed variance, each with a maximum at the same place, marked by a
        circle near the vertical line of the TCM group's variance; the line of the mixture's variance is further
        right.
    """,
)


_USERS = Axis("number of users, n", (300.0, 1e5), "log")
_VARIANCES_ONLY = {sym.gap: 0, m: 1}
_THIN = {"dash": (2, 3), "width": 1.4, "colour": 3}  # lines to compare with

figure_4 = FigureSpec(
    name="adk-figure-4",
    title="Relative improvement of KVH when the variances differ (Figure 4)",
    x_symbol=n,
    x=_USERS,
    y=Axis("relative improvement R", (0.95, 2.2)),
    layers=(
        *four(best(_VARIANCES_ONLY), width=3.4),
        *four(best(_VARIANCES_ONLY | {sigma_L: sigma_T}), "everybody's data like the TCM group's (Figure 1)", **_THIN),
        FROM_1000,
    ),
    parameters=(*deviations(POSITIONS), *sliders(0.004)),
    readouts=tuple(
        Readout(f"σ of equal groups with the same errors (c{mark})", SPREAD.subs(sym.gap, 0).subs(c, share))
        for mark, share in zip("₁₂", SHARES, strict=True)
    ),
    presets=(
        Preset("(a) TCM low, LM high", {"sigma_T": LOW, "sigma_L": HIGH}),
        Preset("(b) TCM high, LM low", {"sigma_T": HIGH, "sigma_L": LOW}),
    ),
    caption=r"""
        Move \(\sigma_L\): the thick lines hardly leave their dotted twins until \(\epsilon_2\) is raised; move
        \(\sigma_T\): both go. A twin has the LM group&rsquo;s variance replaced by the TCM group&rsquo;s; the
        errors see \((1-c)\sigma_T^2 + c\,\sigma_L^2\) only. The largest distance in the paper&rsquo;s window is
        that of \(c_2, \epsilon_2\) in panel (a).
    """,
    alt="""
        Four thick lines against the logarithm of n, each almost covered by a thin dotted one; only the dashed line
        of the larger fraction runs visibly above its dotted twin.
    """,
)

_X = sp.Symbol("x", real=True)
_T = sp.Symbol("t", nonnegative=True)


def _box(centre):
    half = sp.Rational(1, 2)
    return sp.Piecewise((1, sp.And(_X >= centre - half, _X <= centre + half)), (0, True))


_SHIFTS = {"no shift": 0.0, "small shift": 0.25, "large shift": 0.5}
_SHIFT = Parameter.linear(_T, "t, shift of each group", 0, 0.5, 0.01, 0.25)


def _panels(letters):
    return tuple(Preset(f"({k}) {name}", {"t": t}) for k, (name, t) in zip(letters, _SHIFTS.items(), strict=True))


figure_5_densities = FigureSpec(
    name="adk-figure-5-densities",
    title="The shifted groups (Figure 5a, c, e)",
    x_symbol=_X,
    x=Axis("value of a user, x (m = 2)", (-0.07, 2.1)),
    y=Axis("probability density", (0.0, 1.4)),
    layers=(
        Curve("LM group", _box(1 + _T), width=4, colour=1, steps=True),
        Curve("TCM group", _box(1 - _T), dash=(6, 4), colour=0, steps=True),
    ),
    parameters=(_SHIFT,),
    readouts=(Readout("gap of the means", 2 * _T),),
    presets=_panels("ace"),
    samples=480,
    caption=r"""
        Move \(t\): the two uniform laws of width 1 part by \(2t\). All fit into \([0, 2]\), so the noise is
        that of \(m = 2\) for every shift.
    """,
    alt="Two boxes of width 1 and height 1; without a shift both around 1, else one further left, the other right.",
)

_MEANS_ONLY = {sigma_T: 1 / sp.sqrt(12), sigma_L: 1 / sp.sqrt(12), sym.gap: 2 * _T, m: 2}

figure_5 = FigureSpec(
    name="adk-figure-5",
    title="Relative improvement when the means differ (Figure 5b, d, f)",
    x_symbol=n,
    x=_USERS,
    y=Axis("relative improvement R", (0.0, 2.5)),
    layers=(
        *four(believing(sp.Rational(1, 12), _MEANS_ONLY), width=3.2),
        *four(best(_MEANS_ONLY), "the same, with the weight of Definition 6.1", **_THIN),
        Rule("no gain", y=sp.Integer(1), below=True),
        FROM_1000,
    ),
    parameters=(_SHIFT, *sliders(0.004)),
    presets=_panels("bdf"),
    caption=r"""
        Raise \(t\): the sooner the thick lines fall towards 0, as \(1/n\) in the end, because Full-LM has no bias
        and they have. Thick: the weight of a curator who believes that the groups are equal, as in the paper; thin
        and dotted: the best weight, not in the paper&rsquo;s figure, which never goes below 1.
    """,
    alt="""
        Without a shift four lines above 1, three of them with a peak; with the paper's shifts all of them fall below 1
        and towards 0, the dashed line of the larger fraction first, while the dotted lines stay above 1.
    """,
)
