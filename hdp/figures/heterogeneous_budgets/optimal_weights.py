"""Figure 2 of Chaudhuri & Courtade (2023): the constraint, the isocurves of the error, and the two rays."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout
from hdp.figures.heterogeneous_budgets.groups import RATIO, clipped_beyond
from hdp.figures.shared import first_budget, first_share, users
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n

# Figure 2 in relative weights a = n w_1, b = n w_2, so that 1 is the weight of a plain average
a = sp.Symbol("a", nonnegative=True)
_K_1, _K_2 = 8 / (n * epsilon_1**2), 8 / (n * epsilon_2**2)
_BEST = clipped_beyond(sym.bound_a_in_budgets, sym.bound_b_in_ratios)
_SAMPLES = 401  # odd, so that no sample lies exactly on an end of the best isocurve at the paper's values
_STEP = sp.Rational(2, _SAMPLES)  # between samples on the axis from 0 to 2
_STEPS = (0.45, 0.7, 1.4, 1.9)


def _isocurve(step):
    """Relative weight b at which the error, as a function of a, is `step` times the best error."""
    level = 4 * n * step * _BEST
    upper = sp.sqrt((level - f * a**2) / (1 - f + _K_2))  # group 2 sets the noise
    lower = sp.sqrt((level - (f + _K_1) * a**2) / (1 - f))  # group 1 sets the noise
    ends = (f + _K_1) * (a - _STEP) ** 2  # one sample beyond its end the curve is put on the axis
    on_the_ray = (f + (1 - f) * (epsilon_2 / epsilon_1) ** 2 + _K_1) * a**2
    inside = (f + _K_1) * a**2
    return sp.Piecewise((upper, level >= on_the_ray), (lower, level >= inside), (0, level >= ends), (sp.nan, True))


_OPTIMUM = tuple(clipped_beyond(n * a, n * b) for a, b in zip(sym.weights_a, sym.weights_b, strict=True))

figure_2 = FigureSpec(
    name="cc-figure-2",
    title="The two tangencies",
    x_symbol=a,
    x=Axis("relative weight of group 1, n w₁", (0.0, 2.0)),
    y=Axis("relative weight of group 2, n w₂", (0.0, 3.0)),
    layers=(
        *(Curve("isocurves of the error", _isocurve(step), dash=(2, 3), width=1.2, colour=5) for step in _STEPS),
        Curve("isocurve of the best error", _isocurve(1), dash=(3, 3), width=2.6, colour=1),
        Curve("constraint f w₁ + (1−f) w₂ = 1/n", (1 - f * a) / (1 - f), width=2.2, colour=0),
        Curve("weights as the budgets, w₂ = (ε₂/ε₁) w₁", epsilon_2 / epsilon_1 * a, dash=(8, 4), width=4, colour=2),
        Curve("weights at saturation, w₂ = R w₁", RATIO * a, dash=(10, 3, 2, 3), width=1.6, colour=3),
        Marker("optimum", *_OPTIMUM),
    ),
    samples=_SAMPLES,
    parameters=(
        first_budget(0.005, 0.0125, 0.01, per_decade=60),
        Parameter.logarithmic(
            epsilon_2, "ε₂, budget of group 2 (nats)", 0.0125, 0.2, 0.03, per_decade=40, also=(0.0148, 0.1)
        ),
        users(20_000, 400_000, 80_000, per_decade=20),
        first_share(0.2, 0.8, 0.05, 0.5),
    ),
    presets=(
        Preset("(A) in the corner", {"epsilon_2": 0.0148}),
        Preset("(B) at saturation", {"epsilon_2": 0.03}),
        Preset("(C) beyond", {"epsilon_2": 0.1}),
    ),
    readouts=(
        Readout("saturation ratio R", RATIO),
        Readout("ratio of the budgets, ε₂/ε₁", epsilon_2 / epsilon_1),
    ),
    caption=r"""
        Press (A), (B), (C), the panels of Figure 2: the optimum, a circle, leaves the corner of the best
        isocurve. In (A) the constraint touches that corner, on the dashed ray \(w_2 =
        (\epsilon_2/\epsilon_1)w_1\); in (C) the smooth part, on the ray \(w_2 = Rw_1\), and \(\epsilon_2\) no
        longer matters; in (B) the rays meet. The range is ours.
    """,
    alt="""
        Three panels: isocurves with a corner, the constraint line, two rays and the optimum; the optimum lies in
        the corner for a small second budget and on the ray with slope R for a large one.
    """,
)
