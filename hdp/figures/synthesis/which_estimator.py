"""The synthetic users of `which-estimator`, through the estimators between which their curator chooses."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2, put
from hdp.sym.synthesis import which_estimator as choice
from hdp.sym.synthesis import which_estimator as sym


def _curve(label, expression, **style):
    return Curve(label, expression * sym.mixed_precision, **style)


which_estimator = FigureSpec(
    name="hdp-which-estimator",
    title="What another choice costs when every budget is multiplied",
    x_symbol=sym.factor,
    x=Axis("factor on every budget of the file", (0.1, 10.0), "log"),
    y=Axis("error / error of the mixed release", None, "log"),
    layers=(
        _curve("LDPE (all local)", sym.all_local_mse, **DRAWN["LDPE"]),
        _curve("one bit (all local)", sym.one_bit_mse, **DRAWN["one bit"]),
        _curve("KVH (all, strictest)", sym.kvh_mse, **DRAWN["KVH"]),
        _curve("TCM-only, UNI (trusting, strictest)", sym.uniform_mse, **DRAWN["UNI"] | {"dash": (6, 4), "width": 3}),
        _curve("best threshold (trusting)", sym.threshold_mse, **DRAWN["best threshold"]),
        _curve("ADPM (trusting)", sym.adpm_mse, **DRAWN["ADPM"]),
        Curve("mixed release", sp.Integer(1), **DRAWN["mixed release"]),
        Rule("the file", x=sp.Integer(1)),
    ),
    parameters=(
        Parameter.linear(sym.share, "θ, share of private users who trust the curator", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(sym.public, "q, share of public users", 0.01, 0.3, 0.01, 0.05),
        users(100, 100_000, 1000),
    ),
    readouts=(
        Readout("standard error of the mixed release, factor 1", sym.file_standard_error),
        Readout("error of ADPM over that of the mixed release, factor 1", sym.file_gain),
    ),
    reset_label="As in the file",
    samples=160,
    caption=r"""
        Move \(\theta\) to the left: ADPM, which asks those who trust the curator only, becomes expensive unless budgets
        are small, and local reports cheaper, those of one bit first. KVH and TCM-only promise the strictest budget to
        everybody: look how many users, or how large a factor, they need to come near 1 while \(\theta\) is large.
    """,
    alt="""
        Six lines against the factor, all above 1, the line of the mixed release. ADPM starts near it and
        rises slowly; one threshold and averages at the strictest budget start high, fall, and rise a little at the
        end; local reports cost most at the right, and those of one bit less than those with Laplace noise.
    """,
)


# -- The standard error of each of several answers from the synthetic users of a file.

asking = own_figure(
    name="synthesis-asking",
    title="What is known before a value is read",
    x_symbol=sym.answers,
    x=Axis("number of answers from the same values, t", (1.0, 30.0), "log"),
    y=Axis("standard error of each answer", None, "log"),
    layers=(
        Curve("t times that of one answer", sym.bound, dash=(2, 3), colour=4),
        Curve("one bit (all local)", sym.reported, **DRAWN["one bit"]),
        Curve("mixed release", sym.mixed, **DRAWN["mixed release"]),
        Curve("sampling error alone", sym.sampling, **DRAWN["sampling error alone"]),
    ),
    parameters=(
        users(100, 100_000, 1000),
        Parameter.linear(choice.share, "θ, share of private users who trust the curator", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(choice.public, "q, share of public users", 0.01, 0.3, 0.01, 0.05),
    ),
    readouts=(
        Readout("standard error of one answer", sym.first),
        Readout("of each of two answers", put({sym.answers: 2}, sym.mixed)),
    ),
    samples=120,
    caption=r"""
        Read off the standard error of one answer at the left edge, and raise \(n\) until it is small enough. With many
        users, most of whom trust the curator, the line of the mixed release is flat at first, and a second answer costs
        little. Move the other sliders: it is never as steep as the dotted line.
    """,
    alt="""
        Four lines against the number of answers on logarithmic axes. All but the flat line of the sampling error rise;
        the mixed release stays below local reports, and below the dotted line that starts with it.
    """,
)


# -- What wrong variances cost two groups of users, and where the level goes.

_RATIOS = (1 / 16, 16.0)
_BUDGET_1 = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1 (nats)", 0.1, 100, 10, per_decade=10)
_BUDGET_2 = Parameter.logarithmic(epsilon_2, "ε₂, budget of group 2 (nats)", 0.001, 1, 0.02, per_decade=10)
_SIZES = (
    Parameter.logarithmic(N_1, "N₁, users of group 1", 1, 10_000, 50, per_decade=10, multiple_of=1),
    Parameter.logarithmic(N_2, "N₂, users of group 2", 1, 10_000, 2000, per_decade=10, multiple_of=1),
)
_LEAST = sp.Symbol("error_least")

wrong_variances = own_figure(
    name="hdp-wrong-variances",
    title="What a wrong variance costs",
    x_symbol=sym.rho_1,
    x=Axis("ρ₁, believed over true variance of group 1", _RATIOS, "log"),
    y=Axis("error / least error", (0.9, 20.0), "log"),
    layers=(
        Curve("term by term: b/a", sym.sketched_of_both, dash=(3, 3), colour=4),
        Curve("the most that it can cost", sym.price_of_both, dash=(8, 4), colour=1),
        Curve("what it costs these users", sym.error((sym.rho_1, sym.rho_2)) / _LEAST, width=3, colour=0),
        Rule("true", x=sp.Integer(1)),
    ),
    parameters=(
        Parameter.logarithmic(sym.rho_2, "ρ₂, the same of group 2", 0.25, 4, 1, per_decade=20),
        _BUDGET_1,
        _BUDGET_2,
        *_SIZES,
    ),
    derived=((_LEAST, sym.wrong_least),),
    readouts=(Readout("standard error with the true variance", sp.sqrt(_LEAST)),),
    caption=r"""
        Drag \(\epsilon_2\), the rest as first drawn: the thick line touches the dashed one elsewhere, near the
        slider's ends only at 1. It never crosses it. Move \(\rho_2\) away from 1: the bound never falls, but while
        \(\epsilon_2\) is small the thick line hardly moves, because noise limits group 2. The dotted line is what a
        quick argument proves.
    """,
    alt="""
        Three lines against the ratio of believed to true variance, all 1 where it is 1 and rising on both sides. The
        dotted line rises fastest, the dashed one less, and the thick one stays below it and touches it on the right.
    """,
)

believed_level = own_figure(
    name="hdp-wrong-variances-level",
    title="Where the level goes",
    x_symbol=sym.rho_1,
    x=Axis("ρ, believed over true variance of both groups", _RATIOS, "log"),
    y=Axis("level, in budgets (nats)", (0.001, 1000.0), "log"),
    layers=(
        Curve("believed level", sym.cut, width=3, colour=0),
        Rule("level for the true variance", y=sym.true_cut),
        Rule("budget ε₁", y=epsilon_1),
        Rule("budget ε₂", y=epsilon_2, below=True),
    ),
    parameters=(_BUDGET_1, _BUDGET_2, *_SIZES),
    readouts=(
        Readout("error / least error where 16 times the variance is believed", sym.error((16, 16)) / sym.wrong_least),
        Readout(
            "error / least error where a sixteenth of it is", sym.error((sp.Rational(1, 16),) * 2) / sym.wrong_least
        ),
    ),
    caption=r"""
        Whoever believes in too much variance, to the right, lowers the level, which can bring the weights nearer to
        each other; whoever believes in too little raises it, up to where users count by their budgets. Where the level
        passes above a budget, that group is limited by the noise.
    """,
    alt="""
        A line that falls as the ratio grows, and crosses the horizontal line of the true level where the ratio is 1;
        two more horizontal lines are the budgets of the groups.
    """,
)
