"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import affine, clipping
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.sym import cc as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

_RATIO = sym.saturation_ratio
_SATURATION = epsilon_1 * _RATIO


def _groups(epsilon_1, epsilon_2, n, f):
    """Two groups as two items of the one lemma: variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


def _optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the two groups and the error of the affine estimator, from the solver."""
    variance, cost = _groups(epsilon_1, epsilon_2, n, f)
    w = clipping.optimal_weights(variance, cost, 2.0)
    return w, np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2


def _against_epsilon_2(function):
    """Turn error(epsilon_1, epsilon_2, n, f) into a curve over epsilon_2, undefined below epsilon_1."""

    def curve(x, epsilon_1, n, f):
        return np.array([function(epsilon_1, e, n, f) if e >= epsilon_1 else np.nan for e in x])

    return curve


def _adpm(epsilon_1, epsilon_2, n, f):
    return 1e4 * min(_optimum(epsilon_1, epsilon_2, n, f)[1], 0.25)


def _grouped_budgets(epsilon_1, epsilon_2, n, f):
    first = round(n * f)
    return np.repeat([epsilon_1, epsilon_2], [first, round(n) - first])


def _proportional(epsilon_1, epsilon_2, n, f):
    eps = _grouped_budgets(epsilon_1, epsilon_2, n, f)
    w = eps / eps.sum()
    return 1e4 * affine.mean_squared_error(w, affine.noise_scale(w, eps))


def _uniform(epsilon_1, epsilon_2, n, f):
    w = np.full(round(n), 1 / round(n))
    return 1e4 * affine.mean_squared_error(w, affine.noise_scale(w, _grouped_budgets(epsilon_1, epsilon_2, n, f)))


def _local(epsilon_1, epsilon_2, n, f):
    variance, cost = _groups(epsilon_1, epsilon_2, n, f)
    return 1e4 / np.sum(1 / (variance + 2 * cost**2))


def _sampling_jensen(epsilon_1, epsilon_2, n, f):
    size = n * (1 - f) + n * f * np.expm1(epsilon_1) / np.expm1(epsilon_2)
    return 1e4 * affine.mean_squared_error([1.0], 1 / (size * epsilon_2), variance=1 / (4 * size))


def _from_epsilon_1(expression):
    """The paper's assumption epsilon_1 <= epsilon_2: draw nothing to the left of it."""
    return sp.Piecewise((expression, epsilon_2 >= epsilon_1), (sp.nan, True))


def _error_curve(label, expression, function, **style):
    return Curve(label, _from_epsilon_1(10**4 * expression), _against_epsilon_2(function), **style)


_EPSILON_1 = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.02, 0.5, 0.1)
_N = Parameter.logarithmic(n, "n, number of users", 200, 20_000, 1000, per_decade=10, multiple_of=100)
_F = Parameter.linear(f, "f, fraction of users in group 1", 0.05, 0.95, 0.05, 0.7)
_saturation_point = Readout(
    "saturation at ε₂ = Rε₁", _SATURATION, lambda epsilon_1, n, f: epsilon_1 + 8 / (n * f * epsilon_1)
)
_saturation_rule = Rule("Rε₁", x=_SATURATION, reference=_saturation_point.reference)

figure_1b = FigureSpec(
    name="cc-figure-1b",
    title="Error against the budget of the second group",
    x_symbol=epsilon_2,
    x=Axis("budget of group 2, ε₂ (nats)", (0.02, 1.0)),
    y=Axis("mean squared error × 10⁴"),
    layers=(
        _error_curve("ADPM (optimal weights)", sym.upper_bound, _adpm, width=3),
        _error_curve("PropDPM (weights ∝ ε)", sym.proportional_mse, _proportional, dash=(8, 4)),
        _error_curve("LDPE (noise for each group)", sym.local_mse, _local, dash=(3, 3)),
        _error_curve("SM (sampling; lower bound)", sym.sampling_mse_jensen, _sampling_jensen, dash=(10, 3, 2, 3)),
        _error_curve("UNI (ε₁ for all)", sym.uniform_mse, _uniform, width=1.6),
        _saturation_rule,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(_saturation_point,),
    caption=r"""
        Figure 1(B) in closed form, for a fair coin on \(\pm 1/2\). ADPM follows PropDPM down to the dashed line and
        is flat from there; PropDPM, which goes on raising the weights of group 2, turns up again. LDPE has no flat
        part and approaches ADPM from above. The paper simulates these curves; for SM we draw Jensen&rsquo;s lower
        bound, because its exact error is a sum over a binomial sample size. Increase \(n\): the saturation point
        moves left, and more privacy is free.
    """,
    alt="""
        Mean squared error of five estimators against the second group's budget. ADPM and PropDPM fall together
        up to the saturation point, then ADPM stays flat and PropDPM rises; LDPE falls towards ADPM; SM rises; UNI is constant above.
    """,
)

# Figure 2 in relative weights a = n w_1, b = n w_2, so that 1 is the weight of a plain average
a = sp.Symbol("a", nonnegative=True)
_K_1, _K_2 = 8 / (n * epsilon_1**2), 8 / (n * epsilon_2**2)
_BEST = sp.Piecewise((sym.bound_a_in_budgets, epsilon_2 <= _SATURATION), (sym.bound_b_in_ratios.subs(R, _RATIO), True))
_STEPS = (0.45, 0.7, 1.4, 1.9)


def _isocurve(step):
    """Relative weight b at which the error, as a function of a, is `step` times the best error."""
    level = 4 * n * step * _BEST
    upper = sp.sqrt((level - f * a**2) / (1 - f + _K_2))  # group 2 sets the noise
    lower = sp.sqrt((level - (f + _K_1) * a**2) / (1 - f))  # group 1 sets the noise
    on_the_ray = (f + (1 - f) * (epsilon_2 / epsilon_1) ** 2 + _K_1) * a**2
    return sp.Piecewise((upper, level >= on_the_ray), (lower, level >= (f + _K_1) * a**2), (sp.nan, True))


def _isocurve_reference(step):
    def curve(x, epsilon_1, epsilon_2, n, f):
        target = step * _optimum(epsilon_1, epsilon_2, n, f)[1]
        variance, cost = _groups(epsilon_1, epsilon_2, n, f)

        def excess(b, a):
            w = np.array([f * a, (1 - f) * b])
            return (np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2) / target - 1

        return np.array([brentq(excess, 0, 1e4, args=(v,), xtol=1e-14) if excess(0, v) < 0 else np.nan for v in x])

    return curve


def _relative_weights(epsilon_1, epsilon_2, n, f):
    w, _ = _optimum(epsilon_1, epsilon_2, n, f)
    return w[0] / f, w[1] / (1 - f)


_OPTIMUM_A = sp.Piecewise(
    (n * sym.weights_a[0], epsilon_2 <= _SATURATION), (n * sym.weights_b[0].subs(R, _RATIO), True)
)
_OPTIMUM_B = sp.Piecewise(
    (n * sym.weights_a[1], epsilon_2 <= _SATURATION), (n * sym.weights_b[1].subs(R, _RATIO), True)
)

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
            _RATIO * a,
            lambda x, epsilon_1, epsilon_2, n, f: (1 + 8 / (n * f) / epsilon_1**2) * x,
            dash=(10, 3, 2, 3),
            width=1.6,
            colour=3,
        ),
        Marker("optimum", _OPTIMUM_A, _OPTIMUM_B, _relative_weights),
    ),
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
        Readout("R", _RATIO, lambda epsilon_1, epsilon_2, n, f: 1 + 8 / (n * f) / epsilon_1**2),
        Readout("ε₂/ε₁", epsilon_2 / epsilon_1, lambda epsilon_1, epsilon_2, n, f: epsilon_2 / epsilon_1),
    ),
    caption=r"""
        Figure 2; the buttons (A), (B), (C) are the panels of the paper, and the circle is the optimum. The
        isocurves have a corner on the dashed ray \(w_2 = (\epsilon_2/\epsilon_1)w_1\). While that ray is the lower
        one, the constraint touches the best isocurve in its corner (A); they meet at \(r = R\) (B); above it, the
        constraint touches the smooth part, always on the ray \(w_2 = Rw_1\), and \(\epsilon_2\) no longer matters
        (C). The paper&rsquo;s axes are \(w_1, w_2\); ours are multiplied by \(n\), so that the picture stays in
        frame.
    """,
    alt="""
        Three panels: isocurves with a corner, the constraint line, two rays and the optimum; the optimum lies in
        the corner for a small second budget and on the ray with slope R for a large one.
    """,
)


def _gets(epsilon_1, epsilon_2, n, f):
    """What a user of group 2 loses: her group's weight over her group's size and the noise."""
    w, error = _optimum(epsilon_1, epsilon_2, n, f)
    scale = np.max(_groups(epsilon_1, epsilon_2, n, f)[1] * w)
    return w[1] / (n * (1 - f)) / scale if error <= 0.25 else np.nan


def _where_released(expression):
    """Nothing where epsilon_2 < epsilon_1 or Algorithm 1 answers 0."""
    proportional = (epsilon_2 <= _SATURATION) & (sym.bound_a_in_budgets <= sym.cap)
    clipped = (epsilon_2 > _SATURATION) & (sym.bound_b_in_budgets <= sym.cap)
    return sp.Piecewise((expression, (epsilon_2 >= epsilon_1) & (proportional | clipped)), (sp.nan, True))


effective_budget = FigureSpec(
    name="cc-effective-budget",
    title="What a user of group 2 really gives up",
    x_symbol=epsilon_2,
    x=Axis("budget that group 2 allows, ε₂ (nats)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (nats)", (0.01, 10.0), "log"),
    layers=(
        Curve("group 2 allows", epsilon_2, lambda x, epsilon_1, n, f: x, dash=(3, 3), width=1.6, colour=5),
        Curve(
            "group 2 gives up",
            _where_released(sym.effective_epsilon_2),
            _against_epsilon_2(_gets),
            width=3,
            colour=0,
        ),
        Curve(
            "group 1 allows and gives up",
            _where_released(epsilon_1),
            _against_epsilon_2(lambda e1, e2, n, f: e1 if _optimum(e1, e2, n, f)[1] <= 0.25 else np.nan),
            colour=1,
        ),
        _saturation_rule,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(_saturation_point,),
    reset_label="Values of Figure 1(B)",
    caption=r"""
        The privacy loss of ADPM against what was allowed. Beyond the dashed line the loss of group 2 stays at
        \(R\epsilon_1\), even if the data are public: the distance between the dotted and the solid line is the
        privacy that is free. The lines end where Algorithm 1 answers 0, because then nobody gives up anything. The
        paper has no such figure.
    """,
    alt="""
        Privacy loss of group 2 against its budget on logarithmic axes: it follows the diagonal up to the
        saturation point and is constant afterwards; the loss of group 1 is constant.
    """,
)

FIGURES = (figure_1b, figure_2, effective_budget)
