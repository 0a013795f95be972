"""What two coins of each bias prove about the error, when all users have one budget; the paper has no such figure."""

from hdp.explore import Axis, Curve, Marker, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users, where
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets.lower_bound import delta
from hdp.sym.symbols import epsilon


def _curve(label, proved, **style):
    """Nothing where the coins are told apart so well that they prove nothing."""
    return Curve(label, where(proved > 0, proved), **style)


_BEST = lower.bias_for_slope.subs(lower.A, lower.alike_slope)

coins = own_figure(
    name="cc-two-coins",
    title="What two coins prove about the error",
    x_symbol=delta,
    x=Axis("bias of the coins, δ", (0.0001, 0.99), "log"),
    y=Axis("error that no estimator avoids", (1e-9, 1.0), "log"),
    layers=(
        _curve("everybody's privacy counts", lower.alike_by_privacy, width=3),
        _curve("everybody's data count", lower.alike_by_data, width=3),
        _curve("privacy, with the paper's constants", lower.alike_by_privacy_paper, dash=(8, 4), colour=0),
        _curve("data, with the paper's constants", lower.alike_by_data_paper, dash=(3, 3), colour=1),
        Rule("error of the paper's algorithm", y=lower.alike_upper),
        Marker("the best bias", _BEST, lower.eq_34_sharp.subs({delta: _BEST, lower.A: lower.alike_slope})),
    ),
    parameters=(
        Parameter.logarithmic(epsilon, "ε, budget of every user (nats)", 0.0005, 2.0, 0.002),
        users(200, 20_000, 10_000, multiple_of=100),
    ),
    readouts=(
        Readout("bias that proves most", _BEST),
        Readout("it proves an error of", lower.eq_34_sharp.subs({delta: _BEST, lower.A: lower.alike_slope})),
        Readout("the algorithm errs by", lower.alike_upper),
    ),
    caption=r"""
        Go to the right: the means of two coins move apart, and the error that they prove grows, until the answers
        tell the coins apart, if they ever do. Raise \(\epsilon\): what privacy hides shrinks, until the
        users' data alone decide. The dot is the best bias; the algorithm's error is at most 21 times
        as high.
    """,
    alt="""
        On logarithmic scales four hills, each of which rises along one straight line and then falls off a cliff: the
        one for privacy is highest and farthest right; the dashed ones are lower; a horizontal line runs above all.
    """,
)
