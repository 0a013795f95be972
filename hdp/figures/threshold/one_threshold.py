"""What one threshold loses with two levels of privacy: everywhere, and beside a public group."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import clipping
from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.lemma import average, of_groups
from hdp.sym.threshold import in_ratios as sym
from hdp.sym.threshold.in_ratios import budget_ratio, size_ratio, strictness

_SIZES, _BUDGETS = (1e-3, 1e2), (1.0, 1e5)
_POINT = sp.symbols("nu_0 rho_0", positive=True)
_AT_POINT = dict(zip((size_ratio, budget_ratio), _POINT, strict=True))


def _risks(nu, rho, s):
    """N R for both estimators from their definitions: the best of two averages, and the solver for two groups."""
    n = np.array([1.0, nu]) / (1 + nu)  # as if n = 1 and epsilon_1 = s
    epsilon = s * np.array([1.0, rho])
    return min(average(1.0, s), average(n[1], epsilon[1])), of_groups(n, epsilon)[1]


def _ratio(nu, rho, s):
    threshold, affine = _risks(nu, rho, s)
    return threshold / affine


def _share(nu_0, rho_0, s):
    return 1.0 if _risks(nu_0, rho_0, s)[0] == average(1.0, s) else nu_0 / (1 + nu_0)


def _saturation(nu, s, **_):
    """Ratio of budgets beyond which group 2 is clipped: the level of group 1 alone, in units of its budget."""
    return np.array([clipping.water_level(np.array([s]), np.array([s / (1 + v)]), 8.0) / s for v in np.atleast_1d(nu)])


def _switch(nu, s, **_):
    """Where the noise of group 2 makes up for the sampling error that it adds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        noise = 2 / s**2 - 0.25 / nu
        return np.where(noise > 0, (1 + nu) / nu * np.sqrt(2 / np.where(noise > 0, noise, np.nan)) / s, np.nan)


_STRICTNESS = Parameter.logarithmic(strictness, "s = ε₁√n, budget of group 1", 0.001, 10, 0.01, per_decade=10)

ratio = FigureSpec(
    name="cz-ratio",
    title="What one threshold loses with two levels",
    x_symbol=size_ratio,
    y_symbol=budget_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", _SIZES, "log"),
    y=Axis("ratio of budgets, ε₂/ε₁", _BUDGETS, "log"),
    layers=(
        Heatmap(
            sym.ratio,
            Axis("ratio of risks, R_thr/R_aff", (1.0, 4.0)),
            lambda x, y, s, **_: np.vectorize(_ratio)(x, y, s),
        ),
        Curve("group 2 is clipped above this line", sym.saturation, _saturation, dash=(8, 4), colour=1),
        Curve("the threshold drops group 1 above this line", sym.switch, _switch, width=2.6, colour=0),
        Marker("your point", *_POINT, lambda nu_0, rho_0, s: (nu_0, rho_0)),
    ),
    parameters=(
        _STRICTNESS,
        Parameter.logarithmic(_POINT[0], "N₂/N₁ of your point", *_SIZES, 1 / 99, per_decade=10, also=(0.1, 1.0)),
        Parameter.logarithmic(_POINT[1], "ε₂/ε₁ of your point", *_BUDGETS, 100, per_decade=10),
    ),
    readouts=(
        Readout("ratio at your point", sym.ratio.subs(_AT_POINT), lambda nu_0, rho_0, s: _ratio(nu_0, rho_0, s)),
        Readout("share of users that the best threshold keeps there", sym.share_kept.subs(_AT_POINT), _share),
    ),
    presets=(
        Preset("Equal groups", {"s": 0.1, "nu_0": 1.0, "rho_0": 2.0}),
        Preset("Almost public", {"s": 1.0, "nu_0": 0.126, "rho_0": 10_000.0}),
    ),
    reset_label="99 strict users, 1 generous",
    caption=r"""
        Bright cells lose most. Theorem 2 says that no cell exceeds 4. The loss is largest along the solid line, where
        averaging everybody with the strict budget and averaging group 2 with its own are equally good, and straight
        above the place where that line leaves the map; it grows towards the left, where group 2 is small. The circle
        is such a point, far beyond the 2 that holds beside a public group. Raise \(s\): the dashed line comes down;
        above it a larger budget of group 2 no longer helps the affine estimator, and the ratio stays below
        \((3+\sqrt5)/2\).
    """,
    alt="""
        Coloured map of the ratio of risks over the ratio of group sizes and the ratio of budgets, both logarithmic:
        a narrow bright ridge runs down from the upper left along a solid line and fades on both sides and to the right.
    """,
)


def _beside_public(nu, s):
    """N R of the private group alone and of the public group alone."""
    n = np.array([1.0, nu]) / (1 + nu)
    return 0.25 / n[0] + 2 / (n[0] * s) ** 2, 0.25 / n[1]


def _public(nu, s):
    """Ratio beside a public group, from the inverse-variance combination of the two."""
    private, public = _beside_public(nu, s)
    return min(0.25 + 2 / s**2, public) * (1 / private + 1 / public)


def _balance(s, rho):
    """Find where the two groups alone are equally good, by root finding."""
    return brentq(lambda nu: np.subtract(*_beside_public(nu, s)), 1e-9, 1, xtol=1e-300, rtol=1e-15)


public_ratio = FigureSpec(
    name="cz-public-ratio",
    title="A public group, and a group that is almost public",
    x_symbol=size_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", (1e-5, 1e2), "log"),
    y=Axis("ratio of risks, R_thr/R_aff", (1.0, 4.2)),
    layers=(
        Curve(
            "group 2 has the budget ε₂",
            sym.ratio,
            lambda x, s, rho: np.array([_ratio(v, rho, s) for v in x]),
            dash=(8, 4),
            colour=1,
        ),
        Curve(
            "group 2 is public",
            sym.public_ratio,
            lambda x, s, rho: np.array([_public(v, s) for v in x]),
            width=3,
            colour=0,
        ),
        Rule("Theorem 1: 2", y=sp.Integer(2), reference=lambda s, rho: 2.0),
        Rule("Theorem 2: 4", y=sp.Integer(4), reference=lambda s, rho: 4.0),
        Rule("R_priv = R_pub", x=sym.public_balance, reference=_balance),
        Marker(
            "largest ratio beside a public group",
            sym.public_peak,
            sym.public_maximum,
            lambda s, rho: (s**2 / 8, _public(s**2 / 8, s)),
        ),
    ),
    parameters=(
        Parameter.logarithmic(strictness, "s = ε₁√n, budget of group 1", 0.01, 10, 0.1, per_decade=10),
        Parameter.logarithmic(budget_ratio, "ε₂/ε₁ of the dashed line", 1, 1e5, 100, per_decade=10),
    ),
    readouts=(Readout("largest ratio beside a public group", sym.public_maximum, lambda s, rho: _public(s**2 / 8, s)),),
    reset_label="Initial values",
    caption=r"""
        Solid: group 2 is public. The ratio is largest at the circle, where dropping the private group and keeping
        everybody are equally good; its height is \(1 + 4/(4 + s^2)\). Lower \(s\): the circle rises to 2, and the
        vertical line, where the two groups alone are equally good, moves under it. So Theorem 1 is sharp, as a limit
        that is never attained.
        Dashed: the budget of group 2 is finite, and the ratio passes 2. Raise the budget until the lines are one.
    """,
    alt="""
        Two humps over the logarithmic ratio of group sizes: the solid one stays below the rule at 2, the dashed one
        lies to its right and rises above it, below the rule at 4.
    """,
)

FIGURES = (ratio, public_ratio)
