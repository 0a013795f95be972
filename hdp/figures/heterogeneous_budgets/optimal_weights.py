"""Figure 2 of Chaudhuri & Courtade (2023): the constraint, the isocurves of the error, and the two rays."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import adpm
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout
from hdp.figures.heterogeneous_budgets.groups import RATIO, SATURATION, groups, optimum
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

# Figure 2 in relative weights a = n w_1, b = n w_2, so that 1 is the weight of a plain average
a = sp.Symbol("a", nonnegative=True)
_K_1, _K_2 = 8 / (n * epsilon_1**2), 8 / (n * epsilon_2**2)
_BEST = sp.Piecewise((sym.bound_a_in_budgets, epsilon_2 <= SATURATION), (sym.bound_b_in_ratios.subs(R, RATIO), True))
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


def _isocurve_reference(step):
    def curve(x, epsilon_1, epsilon_2, n, f):
        target = step * optimum(epsilon_1, epsilon_2, n, f)[1]
        variance, cost = groups(epsilon_1, epsilon_2, n, f)

        def excess(b, a):
            w = np.array([f * a, (1 - f) * b])
            return (np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2) / target - 1

        def height(v):
            if excess(0, v) < 0:
                return brentq(excess, 0, 1e4, args=(v,), xtol=1e-14)
            return 0.0 if excess(0, v - float(_STEP)) < 0 else np.nan

        return np.array([height(v) for v in x])

    return curve


def _relative_weights(epsilon_1, epsilon_2, n, f):
    w, _ = optimum(epsilon_1, epsilon_2, n, f)
    return w[0] / f, w[1] / (1 - f)


_OPTIMUM_A = sp.Piecewise((n * sym.weights_a[0], epsilon_2 <= SATURATION), (n * sym.weights_b[0].subs(R, RATIO), True))
_OPTIMUM_B = sp.Piecewise((n * sym.weights_a[1], epsilon_2 <= SATURATION), (n * sym.weights_b[1].subs(R, RATIO), True))

figure_2 = FigureSpec(
    name="cc-figure-2",
    title="The two tangencies",
    x_symbol=a,
    x=Axis("relative weight of group 1, n w₁", (0.0, 2.0)),
    y=Axis("relative weight of group 2, n w₂", (0.0, 3.0)),
    layers=(
        *(
            Curve(
                "isocurves of the error", _isocurve(step), _isocurve_reference(step), dash=(2, 3), width=1.2, colour=5
            )
            for step in _STEPS
        ),
        Curve("isocurve of the best error", _isocurve(1), _isocurve_reference(1), dash=(3, 3), width=2.6, colour=1),
        Curve(
            "constraint f w₁ + (1−f) w₂ = 1/n",
            (1 - f * a) / (1 - f),
            lambda x, epsilon_1, epsilon_2, n, f: (1 - f * x) / (1 - f),
            width=2.2,
            colour=0,
        ),
        Curve(
            "w₂ = (ε₂/ε₁) w₁",
            epsilon_2 / epsilon_1 * a,
            lambda x, epsilon_1, epsilon_2, n, f: epsilon_2 / epsilon_1 * x,
            dash=(8, 4),
            width=1.6,
            colour=2,
        ),
        Curve(
            "w₂ = R w₁",
            RATIO * a,
            lambda x, epsilon_1, epsilon_2, n, f: adpm.saturation_ratio(epsilon_1, n, f) * x,
            dash=(10, 3, 2, 3),
            width=1.6,
            colour=3,
        ),
        Marker("optimum", _OPTIMUM_A, _OPTIMUM_B, _relative_weights),
    ),
    samples=_SAMPLES,
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.005, 0.0125, 0.01, per_decade=60),
        Parameter.logarithmic(epsilon_2, "ε₂, budget of group 2", 0.0125, 0.2, 0.03, per_decade=40, also=(0.0148, 0.1)),
        Parameter.logarithmic(n, "n, number of users", 20_000, 400_000, 80_000, per_decade=20),
        Parameter.linear(f, "f, fraction of users in group 1", 0.2, 0.8, 0.05, 0.5),
    ),
    presets=(
        Preset("(A) ε₂ = 0.0148", {"epsilon_2": 0.0148}),
        Preset("(B) ε₂ = 0.03", {"epsilon_2": 0.03}),
        Preset("(C) ε₂ = 0.1", {"epsilon_2": 0.1}),
    ),
    readouts=(
        Readout("R", RATIO, lambda epsilon_1, epsilon_2, n, f: adpm.saturation_ratio(epsilon_1, n, f)),
        Readout("ε₂/ε₁", epsilon_2 / epsilon_1, lambda epsilon_1, epsilon_2, n, f: epsilon_2 / epsilon_1),
    ),
    caption=r"""
        Figure 2; the buttons (A), (B), (C) are the panels of the paper, and the circle is the optimum. The
        isocurves have a corner on the dashed ray \(w_2 = (\epsilon_2/\epsilon_1)w_1\). While that ray is the lower
        one, the constraint touches the best isocurve in its corner (A); they meet at \(r = R\) (B); above it, the
        constraint touches the smooth part, always on the ray \(w_2 = Rw_1\), and \(\epsilon_2\) no longer matters
        (C). The paper&rsquo;s axes are \(w_1, w_2\); ours are multiplied by \(n\), so that the picture stays in
        frame, and their range is ours.
    """,
    alt="""
        Three panels: isocurves with a corner, the constraint line, two rays and the optimum; the optimum lies in
        the corner for a small second budget and on the ray with slope R for a large one.
    """,
)

FIGURES = (figure_2,)
