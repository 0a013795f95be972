"""Section 6: Figures 4 and 5."""

import sympy as sp
from scipy import stats

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.beliefs import DEVIATIONS, HIGH, LOW, MEDIUM, SPREAD, believing, best, improvement
from hdp.sym.hybrid_trust import diverging_groups as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma_L, sigma_T
from hdp.sym.symbols import n

__all__ = ["FIGURES", "figure_4", "figure_5", "figure_5_densities"]

_C, _E = sp.symbols("c_1 c_2", positive=True), sp.symbols("e_1 e_2", positive=True)
_KINDS = {(i, j): f"{'c₁ c₂'.split()[i]}, {'ε₁ ε₂'.split()[j]}" for i in (0, 1) for j in (0, 1)}
_USERS = Axis("number of users, n", (300.0, 1e5), "log")
_FROM = Rule("the paper from here", x=sp.Integer(1000), reference=lambda **_: 1000.0)
_SLIDERS = (
    Parameter.logarithmic(_C[0], "c₁, smaller fraction of users who trust", 0.004, 0.02, 0.005),
    Parameter.logarithmic(_C[1], "c₂, larger fraction", 0.025, 0.3, 0.05),
    Parameter.logarithmic(_E[0], "ε₁, smaller budget", 0.02, 0.5, 0.1),
    Parameter.logarithmic(_E[1], "ε₂, larger budget", 0.6, 4, 1),
)


def _four(expression, reference, label=None, **style):
    """A line for each fraction and budget; `label` names all four, if they are for comparison."""
    return tuple(
        Curve(
            label or name,
            expression.subs({c: _C[i], epsilon: _E[j]}),
            lambda x, i=i, j=j, **v: reference(x, v[f"c_{i + 1}"], v[f"e_{j + 1}"], v),
            **({"dash": (8, 4) if j else (), "colour": i} | style),
        )
        for (i, j), name in _KINDS.items()
    )


def _skewed(size, share, budget, v, equal=False):
    s = hybrid.Setting(size, share, 1, budget, v["sigma_T"], v["sigma_T" if equal else "sigma_L"])
    return improvement(s, hybrid.kvh_weight(s))


_VARIANCES_ONLY = {sym.gap: 0, m: 1}

figure_4 = FigureSpec(
    name="adk-figure-4",
    title="Relative improvement of KVH when the variances differ (Figure 4)",
    x_symbol=n,
    x=_USERS,
    y=Axis("relative improvement R", (0.95, 2.2)),
    layers=(
        *_four(best(_VARIANCES_ONLY), _skewed, width=3.4),
        *_four(
            best({**_VARIANCES_ONLY, sigma_L: sigma_T}),
            lambda *given: _skewed(*given, equal=True),
            "everybody's data like the TCM group's (Figure 1)",
            dash=(2, 3),
            width=1.4,
            colour=3,
        ),
        _FROM,
    ),
    parameters=(
        Parameter(sigma_T, "σ_T, standard deviation in the TCM group", DEVIATIONS, LOW),
        Parameter(sigma_L, "σ_L, standard deviation in the LM group", DEVIATIONS, HIGH),
        *_SLIDERS,
    ),
    readouts=tuple(
        Readout(
            f"σ of equal groups with the same errors ({'c₁ c₂'.split()[i]})",
            SPREAD.subs(sym.gap, 0).subs(c, _C[i]),
            lambda i=i, **v: (
                hybrid.Setting(1e5, v[f"c_{i + 1}"], 1, 1, v["sigma_T"], v["sigma_L"]).effective_variance ** 0.5
            ),
        )
        for i in (0, 1)
    ),
    presets=(
        Preset("(a) TCM low, LM high", {"sigma_T": LOW, "sigma_L": HIGH}),
        Preset("(b) TCM high, LM low", {"sigma_T": HIGH, "sigma_L": LOW}),
    ),
    caption=r"""
        Each thick line has a thin dotted twin, with the LM group&rsquo;s variance replaced by the TCM
        group&rsquo;s. The errors see \((1-c)\sigma_T^2 + c\,\sigma_L^2\) only. Move \(\sigma_L\): the thick lines
        hardly leave their twins until \(c_2\) is raised; move \(\sigma_T\): both go. The largest distance in the
        paper&rsquo;s window is that of \(c_2, \epsilon_2\) in panel (a).
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
        Curve("LM group", _box(1 + _T), lambda x, t: stats.uniform.pdf(x, 0.5 + t, 1), width=4, colour=1),
        Curve("TCM group", _box(1 - _T), lambda x, t: stats.uniform.pdf(x, 0.5 - t, 1), dash=(6, 4), colour=0),
    ),
    parameters=(_SHIFT,),
    readouts=(Readout("gap of the means", 2 * _T, lambda t: hybrid.Setting(9, 0.5, 2, 1, 0, 0, 1 - t, 1 + t).gap),),
    presets=_panels("ace"),
    samples=480,
    caption=r"""
        Two uniform laws of width 1, moved apart by \(2t\). All fit into \([0, 2]\), so the noise is that of \(m =
        2\) for every shift.
    """,
    alt="Two boxes of width 1 and height 1; without a shift both around 1, else one further left, the other right.",
)


def _shifted(size, share, budget, v, weight):
    s = hybrid.Setting(size, share, 2, budget, MEDIUM, mu_t=1 - v["t"], mu_l=1 + v["t"])
    return improvement(s, weight(s))


_MEANS_ONLY = {sigma_T: 1 / sp.sqrt(12), sigma_L: 1 / sp.sqrt(12), sym.gap: 2 * _T, m: 2}

figure_5 = FigureSpec(
    name="adk-figure-5",
    title="Relative improvement when the means differ (Figure 5b, d, f)",
    x_symbol=n,
    x=_USERS,
    y=Axis("relative improvement R", (0.0, 2.5)),
    layers=(
        *_four(
            believing(sp.Rational(1, 12), _MEANS_ONLY),
            lambda *given: _shifted(*given, hybrid.homogeneous_weight),
            width=3.2,
        ),
        *_four(
            best(_MEANS_ONLY),
            lambda *given: _shifted(*given, hybrid.kvh_weight),
            "the same, with the weight of Definition 6.1",
            dash=(2, 3),
            width=1.4,
            colour=3,
        ),
        Rule("no gain", y=sp.Integer(1), below=True, reference=lambda **_: 1.0),
        _FROM,
    ),
    parameters=(_SHIFT, *_SLIDERS),
    presets=_panels("bdf"),
    caption=r"""
        Thick: the weight of a curator who believes that the groups are equal, as in the paper. Thin and dotted: the
        best weight, not in the paper&rsquo;s figure, which never goes below 1. Raise \(t\): the thick lines fall
        towards 0 as \(1/n\), because Full-LM has no bias and they have. Watch \(c_2, \epsilon_1\) on the left:
        between \(t = 0\) and \(t = 0.25\) it rises.
    """,
    alt="""
        Without a shift four lines above 1 with peaks; with a shift all of them fall below 1 and towards 0, the dashed
        line of the larger fraction first, while the dotted lines stay above 1.
    """,
)

FIGURES = (figure_4, figure_5_densities, figure_5)
