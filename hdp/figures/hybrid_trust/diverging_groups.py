"""Section 6: Figures 4 and 5."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.beliefs import HIGH, LOW, SPREAD, believing, best, deviations
from hdp.figures.hybrid_trust.known_variance import POSITIONS, SHARES, four, sliders
from hdp.figures.shared import FROM_1000
from hdp.sym.hybrid_trust import diverging_groups as sym
from hdp.sym.hybrid_trust.baselines import c, m, sigma_L, sigma_T
from hdp.sym.symbols import n

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
        Raise \(t\): the thick lines fall towards 0 as \(1/n\), because Full-LM has no bias and they have.
        Thick: the weight of a curator who believes that the groups are equal, as in the paper; thin and dotted:
        the best weight, not in the paper&rsquo;s figure, which never goes below 1.
    """,
    alt="""
        Without a shift four lines above 1, three of them with a peak; with a shift all of them fall below 1 and towards
        0, the dashed line of the larger fraction first, while the dotted lines stay above 1.
    """,
)
