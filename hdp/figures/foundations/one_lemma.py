"""The one lemma for three items: where to clip."""

from itertools import chain, combinations

import numpy as np
import sympy as sp

from hdp import adpm, clipping
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Readout, Rule
from hdp.sym.foundations import one_lemma as sym

_THREE = tuple(zip(sym.s_i, (4, 2, 0.5), strict=True))
_VARIANCE = {v: sp.Rational(1, 4) for v in sym.v_i}
_PROPORTIONS = tuple(p.subs(_VARIANCE) for p in sym.proportions)
_VARIANCE_PART = sum(p**2 for p in _PROPORTIONS) / (4 * sum(_PROPORTIONS) ** 2)
_NOISE_PART = (
    sym.kappa * sp.Max(*(s * p for s, p in zip(sym.s_i, _PROPORTIONS, strict=True))) ** 2 / sum(_PROPORTIONS) ** 2
)
_SUBSETS = chain.from_iterable(combinations(sym.s_i, k) for k in (1, 2, 3))
_BEST_CLIP = sp.Max(*(sum(1 / s for s in c) / (sym.kappa + sum(1 / s**2 for s in c) / 4) for c in _SUBSETS))


def _parts(T, kappa, s_1, s_2, s_3):
    """Variance and noise of the weights clipped at each T, with NumPy."""
    s = np.array([s_1, s_2, s_3])[:, None]
    w = np.minimum(4.0, np.asarray(T) / s)
    w /= w.sum(axis=0)
    return 0.25 * (w**2).sum(axis=0), kappa * ((s * w) ** 2).max(axis=0)


def _optimum(kappa, s_1, s_2, s_3):
    """Clip and value at the optimum, from the solver."""
    s = np.array([s_1, s_2, s_3])
    w = clipping.optimal_weights(0.25, s, kappa)
    value = 0.25 * np.sum(w**2) + kappa * np.max(s * w) ** 2
    return 1 / clipping.water_level(0.25 / s, 1 / s, kappa), value


one_lemma = FigureSpec(
    name="one-lemma",
    title="Where to clip",
    x_symbol=sym.T,
    x=Axis("clip T (weights proportional to min(1/v, T/s))", (0.3, 50.0), "log"),
    y=Axis("objective F (squared units of the data)"),
    layers=(
        Curve("sum F", _VARIANCE_PART + _NOISE_PART, lambda T, **p: sum(_parts(T, **p)), width=2.8),
        Curve("variance of the data", _VARIANCE_PART, lambda T, **p: _parts(T, **p)[0], dash=(6, 4)),
        Curve("noise of the worst item", _NOISE_PART, lambda T, **p: _parts(T, **p)[1], dash=(2, 3)),
        Marker(
            "optimum",
            _BEST_CLIP,
            (_VARIANCE_PART + _NOISE_PART).subs(sym.T, _BEST_CLIP),
            lambda **p: _optimum(**p),
        ),
    ),
    parameters=(
        Parameter.logarithmic(sym.kappa, "κ, weight of the noise", 0.002, 0.2, 0.02, per_decade=15),
        *(
            Parameter.logarithmic(symbol, f"s{mark}, noise cost of item {i + 1}", 0.2, 10, value, per_decade=15)
            for i, (mark, (symbol, value)) in enumerate(zip("₁₂₃", _THREE, strict=True))
        ),
    ),
    readouts=(Readout("optimal clip T", _BEST_CLIP, lambda **p: _optimum(**p)[0]),),
    reset_label="Initial values",
    caption=r"""
        Three items of variance 1/4. To the left every weight follows its noise cost, to the right every weight
        follows its variance; both ends are flat. The circle is the clip of the lemma, and it sits at the minimum
        for every position of the sliders. Raise \(\kappa\): noise matters more, and the optimum moves left.
    """,
    alt="""
        The objective against the clip T: variance falls and noise rises with T; their sum has one minimum, marked
        with a circle.
    """,
)


def _heights(x, tau_water, **budgets):
    """Floor and water over the places x, vessel by vessel."""
    floor, water, left = np.full_like(x, np.nan), np.full_like(x, np.nan), 0.0
    for e in budgets.values():
        inside = (x >= left) & (x <= left + e)
        floor[inside] = e
        water[inside] = tau_water if tau_water > e else np.nan
        left += e + 0.5
    return floor, water


def _poured(tau_water, **budgets):
    return sum(e * max(tau_water - e, 0) for e in budgets.values())


def _full(tau_water, **budgets):
    return adpm.clipping_level(list(budgets.values()))


water = FigureSpec(
    name="water-level",
    title="The level as water",
    x_symbol=sym.place,
    x=Axis("users side by side: a vessel as wide as her budget ε (nats)", (0.0, 15.0)),
    y=Axis("height of floors and water (nats)", (0.0, 8.0)),
    layers=(
        Curve(
            "floor of a vessel: her budget",
            sym.vessel(),
            lambda x, **p: _heights(x, **p)[0],
            colour=5,
            base=sp.S.Zero,
            width=2.6,
        ),
        Curve(
            "water",
            sym.vessel(sym.water_level),
            lambda x, **p: _heights(x, **p)[1],
            colour=0,
            base=sym.vessel(),
            width=2.6,
        ),
        Rule("where 8 is poured", y=sym.full_level, reference=_full, below=True),
        Rule("drag the level τ", y=sym.water_level, reference=lambda tau_water, **p: tau_water),
    ),
    parameters=(
        Parameter.linear(sym.water_level, "τ, the level", 0.5, 7.5, 0.05, 3),
        *(
            Parameter.linear(symbol, f"ε{mark}, budget of user {symbol.name[-1]}", 0.25, most, 0.25, value)
            for mark, symbol, value, most in zip("₁₂₃", sym.users, (1, 2, 6), (4, 4, 6), strict=True)
        ),
    ),
    readouts=(
        Readout("water poured, of the 8 that there are", sym.poured(), _poured),
        Readout("the level where all is poured", sym.full_level, _full),
    ),
    reset_label="Initial values",
    caption=r"""
        Drag the horizontal line until 8 is poured. Whoever's floor stays dry, because her budget is above the level,
        is cut to it: she keeps the rest. Then lower one budget and see the level rise for the others.
    """,
    alt="""
        Three vessels side by side, whose floors rise with their widths; water stands in the first two up to a
        common level, the third is dry.
    """,
)

FIGURES = (water, one_lemma)
