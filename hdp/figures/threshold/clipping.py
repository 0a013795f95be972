"""Both risks of three groups against the level tau at which they drop or clip."""

import sympy as sp

from hdp.explore import Axis, Curve, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.shared import each, own_figure
from hdp.sym.heterogeneous_budgets.general_budgets import budgets as _BUDGETS
from hdp.sym.symbols import tau
from hdp.sym.threshold import in_ratios as sym
from hdp.sym.threshold import one_threshold

_SIZES = sp.symbols("N_1:4", positive=True)
_GROUPS = tuple(zip(_SIZES, _BUDGETS, strict=True))
_LEVEL = sym.any_order_level(_GROUPS)
_AFFINE = sym.affine_risk(_GROUPS, _LEVEL)
_THRESHOLD = sym.threshold_risk(_GROUPS)
_BEST = sym.best_threshold(_GROUPS)
_COUNT = sym.distinct(_BUDGETS)
_DROPPED = sum(sp.Piecewise((1, e < tau), (0, True)) for e in _BUDGETS)  # how many groups are
_slider, _WHOLE = Parameter.logarithmic, {"per_decade": 8, "multiple_of": 1, "also": (90, 900)}

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
        Marker("least error by clipping", sp.Min(_LEVEL, sp.Max(*_BUDGETS)), _AFFINE, colour=0),
    ),
    parameters=(
        *each(_slider, "ε{}, budget of group {}", _BUDGETS, 0.001, 10, (0.01, 0.1, 1.0), per_decade=15),
        *each(_slider, "N{}, users of group {}", _SIZES, 4, 4000, (900, 90, 10), **_WHOLE),
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
