"""Error and privacy against the second budget: Figure 1(B) of Chaudhuri & Courtade (2023) and the companion's own."""

import numpy as np
import sympy as sp

from hdp import adpm, baselines
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.groups import SATURATION, groups, optimum, saturation
from hdp.figures.lemma import average
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n


def against_epsilon_2(function):
    """Turn error(epsilon_1, epsilon_2, n, f) into a curve over epsilon_2, undefined below epsilon_1."""

    def curve(x, epsilon_1, n, f):
        return np.array([function(epsilon_1, e, n, f) if e >= epsilon_1 else np.nan for e in x])

    return curve


def grouped_budgets(epsilon_1, epsilon_2, n, f):
    first = round(n * f)
    return np.repeat([epsilon_1, epsilon_2], [first, round(n) - first])


def _adpm(*point):
    return 1e4 * adpm.worst_case_mse(grouped_budgets(*point))


def _baseline(name):
    def error(epsilon_1, epsilon_2, n, f):
        apart = np.nextafter(epsilon_2, np.inf)  # LDPE has two groups also where the budgets agree
        return 1e4 * baselines.expected_mse(name, grouped_budgets(epsilon_1, apart, n, f))

    return error


def _sampling_jensen(epsilon_1, epsilon_2, n, f):
    size = n * (1 - f) + n * f * np.expm1(epsilon_1) / np.expm1(epsilon_2)
    return 1e4 * average(size, epsilon_2)


def from_epsilon_1(expression):
    """The paper's assumption epsilon_1 <= epsilon_2: draw nothing to the left of it."""
    return sp.Piecewise((expression, epsilon_2 >= epsilon_1), (sp.nan, True))


def error_curve(label, expression, function, **style):
    return Curve(label, from_epsilon_1(10**4 * expression), against_epsilon_2(function), **style)


_EPSILON_1 = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.02, 0.5, 0.1)
_N = Parameter.logarithmic(n, "n, number of users", 200, 20_000, 1000, per_decade=10, multiple_of=100)
_F = Parameter.linear(f, "f, fraction of users in group 1", 0.05, 0.95, 0.05, 0.7)
_saturation_point = Readout("saturation at ε₂ = Rε₁", SATURATION, saturation)
_saturation_rule = Rule("Rε₁", x=SATURATION, reference=saturation)

figure_1b = FigureSpec(
    name="cc-figure-1b",
    title="Error against the budget of the second group",
    x_symbol=epsilon_2,
    x=Axis("budget of group 2, ε₂ (nats)", (0.02, 1.0)),
    y=Axis("mean squared error × 10⁴"),
    layers=(
        error_curve("UNI (ε₁ for all)", sym.uniform_mse, _baseline("uni"), **DRAWN["UNI"]),
        error_curve("SM (sampling; lower bound)", sym.sampling_mse_jensen, _sampling_jensen, **DRAWN["SM"]),
        error_curve("LDPE (noise for each group)", sym.local_mse, _baseline("ldpe"), **DRAWN["LDPE"]),
        error_curve("ADPM (optimal weights)", sym.upper_bound, _adpm, **DRAWN["ADPM"]),
        error_curve("PropDPM (weights ∝ ε)", sym.proportional_mse, _baseline("propdpm"), **DRAWN["PropDPM"]),
        _saturation_rule,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(_saturation_point,),
    caption=r"""
        Figure 1(B) in closed form, for a fair coin on \(\pm 1/2\). ADPM follows PropDPM down to the vertical line
        \(R\epsilon_1\) and is flat from there; PropDPM, which goes on raising the weights of group 2, turns up again.
        LDPE has no flat part and approaches ADPM from above. The paper simulates these curves; for SM we draw
        Jensen&rsquo;s lower bound, because its exact error is a sum over a binomial sample size. The two differ by
        less than the width of the line at the paper&rsquo;s values. The texts at hand do not say how far the axis
        reaches: its range is ours. Increase \(n\): the saturation point moves left,
        and more privacy is free.
    """,
    alt="""
        Mean squared error of five estimators against the second group's budget. ADPM and PropDPM fall together
        up to the saturation point, then ADPM stays flat and PropDPM rises; LDPE falls towards ADPM; SM rises; UNI is
        constant above.
    """,
)


def _gets(epsilon_1, epsilon_2, n, f):
    """What a user of group 2 loses: her group's weight over her group's size and the noise."""
    w, error = optimum(epsilon_1, epsilon_2, n, f)
    scale = np.max(groups(epsilon_1, epsilon_2, n, f)[1] * w)
    return w[1] / (n * (1 - f)) / scale if error <= 0.25 else np.nan


def _where_released(expression):
    """Nothing where epsilon_2 < epsilon_1 or Algorithm 1 answers 0."""
    proportional = (epsilon_2 <= SATURATION) & (sym.bound_a_in_budgets <= sym.cap)
    clipped = (epsilon_2 > SATURATION) & (sym.bound_b_in_budgets <= sym.cap)
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
            against_epsilon_2(_gets),
            width=3,
            colour=0,
        ),
        Curve(
            "group 1 allows and gives up",
            _where_released(epsilon_1),
            against_epsilon_2(lambda e1, e2, n, f: e1 if optimum(e1, e2, n, f)[1] <= 0.25 else np.nan),
            colour=1,
        ),
        _saturation_rule,
    ),
    parameters=(
        _EPSILON_1,
        Parameter.logarithmic(n, "n, number of users", 20, 20_000, 1000, per_decade=10, multiple_of=20),
        _F,
    ),
    readouts=(_saturation_point,),
    reset_label="Values of Figure 1(B)",
    caption=r"""
        The privacy loss of ADPM against what was allowed. Beyond the vertical line the loss of group 2 stays at
        \(R\epsilon_1\), even if the data are public: the distance between the dotted and the solid line is the
        privacy that is free. The lines begin where \(\epsilon_2 = \epsilon_1\), and are missing where Algorithm 1
        answers 0 (a small \(n\) with a small \(\epsilon_1\)), because then nobody gives up anything. The paper has
        no such figure.
    """,
    alt="""
        Privacy loss of group 2 against its budget on logarithmic axes: it follows the diagonal up to the
        saturation point and is constant afterwards; the loss of group 1 is constant.
    """,
)

FIGURES = (figure_1b, effective_budget)
