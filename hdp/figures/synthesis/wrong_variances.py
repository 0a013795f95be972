"""What wrong variances cost two groups of users, and where the level goes."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2
from hdp.sym.synthesis import wrong_variances as sym

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
    derived=((_LEAST, sym.least),),
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
        Readout("error / least error where 16 times the variance is believed", sym.error((16, 16)) / sym.least),
        Readout("error / least error where a sixteenth of it is", sym.error((sp.Rational(1, 16),) * 2) / sym.least),
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
