"""The one lemma for three users and for three items: the level as water, and where to clip."""

import sympy as sp

from hdp.explore import Axis, Curve, Marker, Parameter, Readout, Rule
from hdp.figures.shared import each, own_figure
from hdp.sym.foundations import one_lemma as sym

_VARIANCE = {v: sp.Rational(1, 4) for v in sym.v_i}
_PROPORTIONS = tuple(p.subs(_VARIANCE) for p in sym.proportions)
_VARIANCE_PART = sum(p**2 for p in _PROPORTIONS) / (4 * sum(_PROPORTIONS) ** 2)
_NOISE_PART = (
    sym.kappa
    * sp.Max(*(s * p for s, p in zip(sym.s_i, _PROPORTIONS, strict=True)), evaluate=False) ** 2
    / sum(_PROPORTIONS) ** 2
)
_ITEMS = tuple(zip(_VARIANCE.values(), sym.s_i, strict=True))
_BEST_CLIP = sp.Max(*(1 / sym.level_of(chosen) for chosen in sym.sets_of(_ITEMS)), evaluate=False)
_NOISES = {"Gaussian: 4 are poured": sym.VOLUMES["Gaussian"], "Laplace: 8 are poured": sym.VOLUMES["pure"]}

one_lemma = own_figure(
    name="one-lemma",
    title="Where to clip",
    x_symbol=sym.T,
    x=Axis("clip T (weights proportional to min(1/v, T/s))", (0.3, 50.0), "log"),
    y=Axis("objective F (squared units of the data)"),
    layers=(
        Curve("sum F", _VARIANCE_PART + _NOISE_PART, width=2.8),
        Curve("variance of the data", _VARIANCE_PART, dash=(6, 4)),
        Curve("noise of the worst item", _NOISE_PART, dash=(2, 3)),
        Marker("optimum", _BEST_CLIP, (_VARIANCE_PART + _NOISE_PART).subs(sym.T, _BEST_CLIP)),
    ),
    parameters=(
        Parameter.logarithmic(sym.kappa, "κ, weight of the noise", 0.002, 0.2, 0.02, per_decade=15),
        *each(Parameter.logarithmic, "s{}, noise cost of item {}", sym.s_i, 0.2, 10, (4, 2, 0.5), per_decade=15),
    ),
    readouts=(Readout("optimal clip T", _BEST_CLIP),),
    caption=r"""
        Raise \(\kappa\): noise matters more, and the optimum, the circle, moves left. It is the clip of the
        lemma, and stays at the minimum wherever the sliders stand. The three items have variance 1/4: to
        the left every weight is in proportion to \(1/s\), to the right all are equal; both ends are flat.
    """,
    alt="""
        The objective against the clip T: variance falls and noise rises with T, both between flat ends; a circle
        marks the minimum of their sum.
    """,
)

water = own_figure(
    name="water-level",
    title="The level as water",
    x_symbol=sym.place,
    x=Axis("users side by side: each vessel is as wide as her budget", (0.0, 16.0)),
    y=Axis("height of floors and water (unit of the budgets)", (0.0, 8.0)),
    layers=(
        Curve("floor of a vessel: her budget", sym.vessel(), colour=5, base=sp.S.Zero, width=2.6),
        Curve("water", sym.vessel(sym.water_level), colour=0, base=sym.vessel(), width=2.6),
        Rule("here all is poured", y=sym.full_level, below=True),
        Rule("drag this level, τ", y=sym.water_level),
    ),
    parameters=(
        Parameter.linear(sym.water_level, "τ, the level", 0.5, 7.5, 0.05, 3),
        Parameter.choice(sym.poured_volume, "Noise", _NOISES, sym.VOLUMES["pure"]),
        *each(Parameter.linear, "ε{}, budget of user {}", sym.users, 0.25, 5, (1, 2, 5), 0.25),
    ),
    readouts=(
        Readout("water poured", sym.poured()),
        Readout("water that there is", sym.poured_volume),
        Readout("the level where all is poured", sym.full_level),
    ),
    caption=r"""
        Drag the level close to the line where all is poured; for three small budgets that is above the picture. A
        user whose floor stays dry is cut to the level and keeps the rest. Then choose Gaussian noise: half the
        water, a lower level.
    """,
    alt="""
        Three vessels side by side, whose floors rise with their widths; water stands in the first two up to a
        common level, the third is dry.
    """,
)
