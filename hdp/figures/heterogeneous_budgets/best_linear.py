"""How many times as much Algorithm 1 errs as the best linear release, for two groups; the companion's own."""

import sympy as sp

from hdp.explore import Axis, Curve, Heatmap, Marker, Parameter, Preset, Readout
from hdp.figures.shared import first_budget, first_share, own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import best_linear as sym
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.symbols import epsilon_1, n, put, r

_BUDGETS, _RATIOS = (0.001, 10.0), (1.0, 1000.0)
_POINT = sp.symbols("epsilon_0 r_0", positive=True)
_AT_POINT = dict(zip((epsilon_1, r), _POINT, strict=True))

gain = own_figure(
    name="cc-best-linear",
    title="What the best linear release gains",
    x_symbol=epsilon_1,
    y_symbol=r,
    x=Axis("budget of group 1, ε₁ (nats)", _BUDGETS, "log"),
    y=Axis("ratio of budgets, ε₂/ε₁", _RATIOS, "log"),
    layers=(
        Heatmap(sym.gain, Axis("error of Algorithm 1 over that of the best release", (1.0, 4.0))),
        Curve("the best release clips group 2 above this line", sym.saturation, width=2.6, colour=0),
        Curve("Algorithm 1 clips group 2 above this line", upper.saturation_ratio, dash=(8, 4), colour=1),
        Marker("your point", *_POINT),
    ),
    parameters=(
        users(2, 10_000, 10, multiple_of=1),
        first_share(0.1, 0.9, 0.1, 0.9),
        Parameter.logarithmic(_POINT[0], "ε₁ of your point (nats)", *_BUDGETS, 0.1, per_decade=10),
        Parameter.logarithmic(_POINT[1], "ε₂/ε₁ of your point", *_RATIOS, 100, per_decade=10),
    ),
    readouts=(
        Readout("error of Algorithm 1 at your point", put(_AT_POINT, sym.two_group_switched)),
        Readout("error of the best linear release there", put(_AT_POINT, sym.two_group_error)),
        Readout("so many times as much", put(_AT_POINT, sym.gain)),
    ),
    presets=(Preset("A thousand users", {"n": 1000.0, "f": 0.5, "epsilon_0": 0.01, "r_0": 10.0}),),
    caption=r"""
        Raise \(n\): the bright band moves out to the left. There Algorithm 1 switches between noisy average and answer
        0. With one generous user it is brightest at the top, where she is nearly all there is: 4 is the limit.
        Above
        the solid line the best release asks no more of group 2, above the dashed one Algorithm 1.
    """,
    alt="""
        Coloured map over the budget of group 1 and the ratio of budgets, both logarithmic: a bright band runs from the
        upper left down to the right, dark on both sides; two falling lines cross it, the solid one above the dashed.
    """,
)


# -- The level for given data and for data that are drawn, against the number of users.

levels = own_figure(
    name="cc-given-data",
    title="What the lenient group gives up",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 10_000.0), "log"),
    y=Axis("most that anybody gives up, τ (nats)", (0.005, 1000.0), "log"),
    layers=(
        Curve("data drawn at random", sym.drawn_level, **DRAWN["ADPM"]),
        Curve("given data, at their worst", sym.two_group_level, **DRAWN["given data"]),
        Curve("what the strict group gives up", epsilon_1, **DRAWN["UNI"]),
    ),
    parameters=(
        first_budget(0.01, 1.0, 0.05, per_decade=15),
        first_share(0.1, 0.9, 0.1, 0.5),
    ),
    readouts=(
        Readout("n at which the level is 10 % above ε₁, drawn data", sym.near_drawn),
        Readout("the same, given data", sym.near_given),
    ),
    caption=r"""
        Lower \(\epsilon_1\): both levels come down to the strict group's line later, that for given data still long
        before the other, because it does so with the square of the number of users. The other group allows more than
        the level, and keeps what lies above the line.
    """,
    alt="""
        Three lines against the number of users on logarithmic axes: two fall from the left and approach the third,
        which is horizontal; that of given data does so much earlier.
    """,
)
