"""What one threshold loses with two levels of privacy: everywhere, and beside a public group."""

from functools import partial

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.shared import each, own_figure
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.heterogeneous_budgets.general_budgets import budgets as _ALL_BUDGETS
from hdp.sym.symbols import tau
from hdp.sym.threshold import one_threshold
from hdp.sym.threshold import one_threshold as sym
from hdp.sym.threshold.one_threshold import budget_ratio, size_ratio, strictness

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
        Curve("group 2 is clipped above this line", sym.in_ratios_saturation, dash=(8, 4), colour=1),
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


# -- Both risks of three groups against the level tau at which they drop or clip.

_ALL_SIZES = sp.symbols("N_1:4", positive=True)
_GROUPS = tuple(zip(_ALL_SIZES, _ALL_BUDGETS, strict=True))
_LEVEL = sym.any_order_level(_GROUPS)
_AFFINE = sym.affine_risk(_GROUPS, _LEVEL)
_THRESHOLD = sym.threshold_risk(_GROUPS)
_BEST = sym.best_threshold(_GROUPS)
_COUNT = sym.distinct(_ALL_BUDGETS)
_DROPPED = sum(sp.Piecewise((1, e < tau), (0, True)) for e in _ALL_BUDGETS)  # how many groups are
_any_slider, _WHOLE = Parameter.logarithmic, {"per_decade": 8, "multiple_of": 1, "also": (90, 900)}

risk_against_threshold = own_figure(
    name="cz-risk-against-threshold",
    title="Dropping against clipping at the same level",
    x_symbol=tau,
    x=Axis("level τ (nats)", (0.0007, 15.0), "log"),
    y=Axis("risk (mean squared error)", None, "log"),
    layers=(
        Curve("drop whoever is below τ, eq. (3)", sym.threshold_curve(_GROUPS), width=3, colour=1, part=_DROPPED),
        Curve("clip whoever is above τ, eq. (2)", one_threshold.clipped_risk(_GROUPS, tau), dash=(8, 4), colour=0),
        Rule("best threshold", y=_THRESHOLD),
        Rule("best clipping", y=_AFFINE, below=True),
        Marker("least error by dropping", _BEST, _THRESHOLD, colour=1),
        Marker("least error by clipping", sp.Min(_LEVEL, sp.Max(*_ALL_BUDGETS)), _AFFINE, colour=0),
    ),
    parameters=(
        *each(_any_slider, "ε{}, budget of group {}", _ALL_BUDGETS, 0.001, 10, (0.01, 0.1, 1.0), per_decade=15),
        *each(_any_slider, "N{}, users of group {}", _ALL_SIZES, 4, 4000, (900, 90, 10), **_WHOLE),
    ),
    readouts=(
        Readout("best threshold errs by", _THRESHOLD),
        Readout("best clipping errs by", _AFFINE),
        Readout("ratio of the two errors", _THRESHOLD / _AFFINE),
        Readout("bound of Theorem 4, k²", _COUNT**2),
    ),
    presets=(
        Preset("One group", {"e_1": 0.1, "e_2": 0.1, "e_3": 0.1}),
        Preset("A few strict users", {"N_1": 4.0, "N_2": 900.0, "N_3": 90.0}),
    ),
    caption=r"""
        Follow both lines to the right: one estimator drops who is below \(\tau\), the other clips who is above.
        The solid line falls between budgets and jumps up behind each: the best threshold is a budget. The
        distance of the two horizontal lines is the price of one threshold, at most \(k^2\) for \(k\) different
        budgets.
    """,
    alt="""
        Risk against the level, both logarithmic: a saw-tooth line that falls and jumps up behind each of three
        budgets, and a continuous line, nowhere above it, that falls, rises a little and is flat in the end; a circle
        at the minimum of each.
    """,
)
