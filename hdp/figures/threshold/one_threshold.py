"""What one threshold loses with two levels of privacy: everywhere, and beside a public group."""

from functools import partial

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.threshold import in_ratios as sym
from hdp.sym.threshold.in_ratios import budget_ratio, size_ratio, strictness

_SIZES, _BUDGETS = (1e-3, 1e2), (1.0, 1e5)
_POINT = sp.symbols("nu_0 rho_0", positive=True)
_AT_POINT = dict(zip((size_ratio, budget_ratio), _POINT, strict=True))

_slider = partial(Parameter.logarithmic, per_decade=10)

ratio = FigureSpec(
    name="cz-ratio",
    title="What one threshold loses with two levels",
    x_symbol=size_ratio,
    y_symbol=budget_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", _SIZES, "log"),
    y=Axis("ratio of budgets, ε₂/ε₁", _BUDGETS, "log"),
    layers=(
        Heatmap(sym.ratio, Axis("ratio of errors, best threshold to best weights", (1.0, 4.0))),
        Curve("group 2 is clipped above this line", sym.saturation, dash=(8, 4), colour=1),
        Curve("the threshold drops group 1 above this line", sym.switch, width=2.6, colour=0),
        Marker("your point", *_POINT),
    ),
    parameters=(
        _slider(strictness, "ε₁√n, budget of group 1 times root of users", 0.001, 10, 0.01),
        _slider(_POINT[0], "N₂/N₁ of your point", *_SIZES, 1 / 99, also=(0.1, 1.0)),
        _slider(_POINT[1], "ε₂/ε₁ of your point", *_BUDGETS, 100),
    ),
    readouts=(
        Readout("ratio at your point", sym.ratio.subs(_AT_POINT)),
        Readout("share of users that the best threshold keeps there", sym.share_kept.subs(_AT_POINT)),
    ),
    presets=(
        Preset("Equal groups", {"s": 0.1, "nu_0": 1.0, "rho_0": 2.0}),
        Preset("Group 2 almost public", {"s": 1.0, "nu_0": 0.126, "rho_0": 10_000.0}),
    ),
    reset_label="99 strict users, 1 generous",
    caption=r"""
        Raise \(\epsilon_1\sqrt n\): the dashed line comes down, and above it a larger budget of group 2 no longer
        helps the affine estimator. Bright cells lose most, but none more than 4: most along the solid line, where
        averaging everybody with the strict budget and averaging group 2 with its own are equally good, and
        straight above its end.
    """,
    alt="""
        Coloured map of the ratio of risks over the ratio of group sizes and the ratio of budgets, both logarithmic:
        a narrow bright ridge runs down from the upper left along a solid line and fades on both sides and to the right.
    """,
)

_TOP, _BALANCE = sym.public_maximum.subs(sym.with_noise), sym.public_balance.subs(sym.with_noise)

public_ratio = own_figure(
    name="cz-public-ratio",
    title="A public group, and a group that is almost public",
    x_symbol=size_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", (1e-5, 1e2), "log"),
    y=Axis("ratio of errors, best threshold to best weights", (1.0, 4.2)),
    layers=(
        Curve("group 2 has the budget ε₂", sym.ratio.subs(sym.with_noise), dash=(8, 4), colour=1),
        Curve("group 2 is public", sym.public_ratio.subs(sym.with_noise), width=3, colour=0),
        Rule("Theorem 1: 2", y=sp.Integer(2)),
        Rule("Theorem 2: 4", y=sp.Integer(4), below=True),
        Rule("both groups equally good", x=_BALANCE),
        Marker("largest ratio beside a public group", sym.public_peak.subs(sym.with_noise), _TOP),
    ),
    parameters=(
        _slider(strictness, "ε₁√n or μ₁√n, budget of group 1 times root of users", 0.01, 10, 0.1),
        Parameter.choice(kappa, "Privacy is", {"Gaussian, μ": 1, "pure, ε": 2}, 2),
        _slider(budget_ratio, "ε₂/ε₁ of the dashed line", 1, 1e5, 100),
    ),
    readouts=(Readout("largest ratio beside a public group", _TOP),),
    caption=r"""
        Lower \(\epsilon_1\sqrt n\): the circle rises towards 2, and the vertical line, where the two groups alone are
        equally good, moves under it. Choose Gaussian privacy: the hump moves and stays below 2. At the circle,
        dropping the private group and keeping everybody are equally good. At first the dashed line passes 2;
        with the largest budget the lines nearly agree.
    """,
    alt="""
        Two humps over the logarithmic ratio of group sizes: the solid one stays below the rule at 2, the dashed one
        lies to its right and rises above it, below the rule at 4.
    """,
)
