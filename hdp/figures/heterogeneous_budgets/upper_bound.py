"""Error and privacy against the second budget: Figure 1(B) of Chaudhuri & Courtade (2023) and the companion's own."""

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.groups import READOUT, RULE, curve
from hdp.figures.shared import first_budget, first_share, users
from hdp.figures.style import DRAWN
from hdp.sym.foundations import notions
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import epsilon_1, epsilon_2
from hdp.sym.threshold.one_threshold import order


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
_NOTIONS = {"pure, ε": 0, "Gaussian, μ": 1, "zero-concentrated, ρ": 2}

effective_budget = FigureSpec(
    name="cc-effective-budget",
    title="What a user of group 2 really gives up",
    x_symbol=epsilon_2,
    x=Axis("budget that group 2 allows, ε₂ (nats, or the notion's unit)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (nats, or the notion's unit)", (0.01, 10.0), "log"),
    layers=(
        Curve("group 2 allows", epsilon_2, dash=(3, 3), width=1.6, colour=5),
        Curve("group 2 gives up", _GIVEN_UP_2, width=3, colour=0),
        Curve("group 1 allows and gives up", _GIVEN_UP_1, colour=1),
        Rule("saturation", x=_CUT),
    ),
    parameters=(
        _EPSILON_1,
        users(20, 20_000, 1000, multiple_of=20),
        Parameter.choice(notions.kind, "Privacy is", _NOTIONS, 0),
        _F,
    ),
    readouts=(Readout("saturation, Rε₁", _CUT),),
    reset_label="Values of Figure 1(B)",
    caption=r"""
        From the solid line to the dotted one privacy is free. Beyond the vertical line group 2 gives up no more, even
        if its data are public. At the first values choose another notion: that line moves, and with it the most that
        group 2 gives up. The lines begin where \(\epsilon_2 = \epsilon_1\), and are missing where Algorithm 1
        answers 0.
    """,
    alt="""
        Privacy loss of group 2 against its budget on logarithmic axes: it follows the diagonal up to the
        saturation point and is constant afterwards; the loss of group 1 is constant.
    """,
)
