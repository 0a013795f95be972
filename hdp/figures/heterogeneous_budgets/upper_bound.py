"""Error and privacy against the second budget: Figure 1(B) of Chaudhuri & Courtade (2023) and the companion's own."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.shared import first_budget, first_share, own_figure, users, where
from hdp.figures.style import DRAWN
from hdp.sym.foundations import notions
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon, epsilon_1, epsilon_2, f, n, order
from hdp.sym.threshold.worst_case import m, saturating_budget

# -- What the figures of two groups share: from which budget on group 2 is clipped, and curves over that budget.

RATIO = sym.saturation_ratio
SATURATION = epsilon_1 * RATIO
CLIPPED = sp.Piecewise((1, epsilon_2 >= SATURATION), (0, True))  # whether group 2 is
RULE = Rule("saturation, Rε₁", x=SATURATION)
READOUT = Readout("saturation at ε₂ = Rε₁", SATURATION)


def curve(label, expression, **style):
    """A curve over epsilon_2, drawn where the paper's assumption epsilon_1 <= epsilon_2 holds."""
    return Curve(label, where(epsilon_2 >= epsilon_1, expression), **style)


def clipped_beyond(below, beyond):
    """One expression up to the saturation point, and another, in R, beyond it."""
    return sp.Piecewise((below, epsilon_2 <= SATURATION), (beyond.subs(R, RATIO), True))


def error_curve(label, expression, **style):
    return curve(label, 10**4 * expression, **style)


_EPSILON_1 = first_budget(0.02, 0.5, 0.1)
_N = users(200, 20_000, 1000, multiple_of=100)
_F = first_share(0.05, 0.95, 0.05, 0.7)

figure_1b = FigureSpec(
    name="cc-figure-1b",
    title="Error against the budget of the second group",
    x_symbol=epsilon_2,
    x=Axis("budget of group 2, ε₂ (nats)", (0.02, 1.0)),
    y=Axis("mean squared error × 10,000"),
    layers=(
        error_curve("UNI (ε₁ for all)", sym.uniform_mse, **DRAWN["UNI"]),
        error_curve("SM (sampling; lower bound)", sym.sampling_mse_jensen, **DRAWN["SM"]),
        error_curve("LDPE (noise for each group)", sym.local_mse, **DRAWN["LDPE"]),
        error_curve("ADPM (optimal weights)", sym.upper_bound, **DRAWN["ADPM"]),
        error_curve("PropDPM (weights ∝ ε)", sym.proportional_mse, **DRAWN["PropDPM"]),
        RULE,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(READOUT,),
    caption=r"""
        Increase \(n\): the vertical line moves left, and more privacy is free. ADPM follows PropDPM down to
        that line and is flat from there; PropDPM turns up, LDPE at last approaches ADPM. Figure 1(B), fair coin; the
        range is ours.
    """,
    alt="""
        Mean squared error of five estimators against the second group's budget. ADPM and PropDPM fall together up to
        the saturation point, then ADPM stays flat and PropDPM rises; LDPE falls towards ADPM; SM rises; UNI is
        constant, above ADPM and below SM.
    """,
)


# Under any notion, for one number: what both groups give up, in the notion's unit
_ONE_NUMBER = {notions.d: 1, order: 10, notions.loss_1: epsilon_1, notions.loss_2: epsilon_2}
_GIVEN_UP_1, _GIVEN_UP_2 = notions.given_up(_ONE_NUMBER)
_CUT = epsilon_1 * notions.chosen_ratio.subs(_ONE_NUMBER)
_NOTIONS = {"nats, as on this page": 0, "μ of Gaussian privacy": 1, "ρ of zero-concentrated privacy": 2}

effective_budget = FigureSpec(
    name="cc-effective-budget",
    title="What a user of group 2 really gives up",
    x_symbol=epsilon_2,
    x=Axis("budget that group 2 allows, ε₂ (nats; other notions: their unit)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (in the same unit)", (0.01, 10.0), "log"),
    layers=(
        Curve("group 2 allows", epsilon_2, dash=(3, 3), width=1.6, colour=5),
        Curve("group 2 gives up", _GIVEN_UP_2, width=3, colour=0),
        Curve("group 1 allows and gives up", _GIVEN_UP_1, colour=1),
        Rule("from here privacy is free", x=_CUT),
    ),
    parameters=(
        _EPSILON_1,
        users(20, 20_000, 1000, multiple_of=20),
        _F,
        Parameter.choice(notions.kind, "Budgets count in", _NOTIONS, 0),
    ),
    readouts=(Readout("privacy is free from ε₂", _CUT),),
    reset_label="Values of Figure 1(B)",
    caption=r"""
        From the blue line to the dotted one privacy is free. Beyond the vertical line group 2 gives up no more,
        even if its data are public. At the first values choose another notion: that line moves, and with it the
        most that group 2 gives up. The lines begin where \(\epsilon_2 = \epsilon_1\), and are missing where
        answering 0 errs less.
    """,
    alt="""
        Privacy loss of group 2 against its budget on logarithmic axes: it follows the diagonal up to the
        saturation point and is constant afterwards; the loss of group 1 is constant.
    """,
)


# -- Figure 2 of Chaudhuri & Courtade (2023): the constraint, the isocurves of the error, and the two rays.

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
    x=Axis("weight of a user of group 1, × n", (0.0, 2.0)),
    y=Axis("weight of a user of group 2, × n", (0.0, 3.0)),
    layers=(
        *(Curve("curves of equal error", _isocurve(step), dash=(2, 3), width=1.2, colour=5) for step in _STEPS),
        Curve("curve of the least error", _isocurve(1), dash=(3, 3), width=2.6, colour=1),
        Curve("weights that sum to 1", (1 - f * a) / (1 - f), width=2.2, colour=0),
        Curve("weights as the budgets, w₂ = (ε₂/ε₁) w₁", epsilon_2 / epsilon_1 * a, dash=(8, 4), width=4, colour=2),
        Curve("weights at saturation, w₂ = R w₁", RATIO * a, dash=(10, 3, 2, 3), width=1.6, colour=3),
        Marker("optimum", *_OPTIMUM),
    ),
    samples=_SAMPLES,
    parameters=(
        first_budget(0.005, 0.0125, 0.01, per_decade=60),
        Parameter.logarithmic(
            epsilon_2, "ε₂, budget of group 2 (nats)", 0.0125, 0.2, 0.0148, per_decade=40, also=(0.03, 0.1)
        ),
        users(20_000, 400_000, 80_000, per_decade=20),
        first_share(0.2, 0.65, 0.05, 0.5),
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
        Press (A), (B), (C), the panels of Figure 2: the optimum, a circle, leaves the corner of the curve of least
        error. In (A) the straight line touches that corner, on the dashed ray \(w_2 = (\epsilon_2/\epsilon_1)w_1\);
        in (C) the smooth part, on the ray \(w_2 = Rw_1\), and \(\epsilon_2\) no longer matters; in (B) the two
        rays coincide. The range is ours.
    """,
    alt="""
        Three panels: curves of equal error with a corner, a straight line, two rays and the optimum; the optimum lies
        in the corner for a small second budget and on the ray with slope R for a large one.
    """,
)


# -- What shrinking gains over answering 0, for users with one budget; the companion's own.

_HOMOGENEOUS = sym.one_group(n, epsilon)  # n users with one budget, whose best affine estimator is the average

shrinkage = own_figure(
    name="cc-shrinkage",
    title="Two ways to be cautious",
    x_symbol=epsilon,
    x=Axis("budget of every user, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("bound on the mean squared error", (0.0, 0.3)),
    layers=(
        Curve("switch to 0: min{B, 1/4}", sym.switched_bound.subs(sym.affine_error, _HOMOGENEOUS), dash=(8, 4)),
        Curve("shrink: B/(1 + 4B)", sym.shrunk_bound.subs(sym.affine_error, _HOMOGENEOUS), width=3),
        Rule("switch", x=saturating_budget.subs(m, n)),
    ),
    parameters=(users(2, 200, 20, per_decade=12, multiple_of=1),),
    caption=r"""
        Make the users few: the gap between the lines moves to the right with the vertical line, where Algorithm 1
        switches to 0; there the bound falls by a factor of 2, elsewhere by less. Dashed: Theorem 1 with its cap; solid:
        its replacement. They approach each other for many users with large budgets, and where privacy is hopeless.
    """,
    alt="""
        Two bounds against the budget: one is constant at a quarter and then falls with a sharp bend; the other falls
        smoothly and lies below it everywhere.
    """,
)
