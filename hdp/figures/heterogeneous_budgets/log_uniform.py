"""Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors."""

from functools import partial

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.general_budgets import ALLOWED, ERROR, LOSS, SIZES, USERS, error_curves
from hdp.figures.shared import where
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import log_uniform as sym
from hdp.sym.heterogeneous_budgets.general_budgets import budget, equal_weight, least
from hdp.sym.symbols import n


def _present(expression):
    """Only where there are users."""
    return where((budget >= sym.low) & (budget <= sym.high), expression)


_RANGE = (
    Parameter.logarithmic(sym.low, "a, smallest budget (nats)", 0.01, 0.5, 0.0183, per_decade=15),
    Parameter.logarithmic(sym.high, "b, largest budget (nats)", 0.6, 10, 7.39, per_decade=15),
)
_RULE = Rule("level τ", x=sym.level)
_figure = partial(FigureSpec, reset_label="Table II, high variance")

log_uniform = _figure(
    name="cc-general-log-uniform",
    title="Log-uniform budgets: what is given up",
    x_symbol=budget,
    x=ALLOWED,
    y=LOSS,
    layers=(
        Curve("PropDPM, LDPE (all that is allowed)", budget, **DRAWN["PropDPM"]),
        Curve("UNI (strictest budget for all)", sym.low, **DRAWN["UNI"]),
        Curve("FME (our reconstruction)", _present(least(budget, sym.fme_level)), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(least(budget, sym.level)), **DRAWN["ADPM"]),
        _RULE,
    ),
    parameters=(*_RANGE, USERS),
    readouts=(
        Readout("level τ", sym.level),
        Readout("share of users with free privacy", sym.free_share),
        Readout("error of ADPM × 10,000", 10**4 * sym.adpm_mse),
    ),
    caption=r"""
        Raise \(n\): the level, \(a + 4\sqrt{\log(b/a)/n}\) while it is below \(b\), comes down to the strictest budget,
        and more and more users keep what they allow beyond it. The budgets are spread evenly on a logarithmic scale,
        as in the high-variance column of Table II (\(\log\epsilon\) uniform on \([-4, 2]\)).
    """,
    alt="Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at a low level.",
)

log_uniform_weights = _figure(
    name="cc-log-uniform-weights",
    title="Log-uniform budgets: how much a user counts",
    x_symbol=budget,
    x=ALLOWED,
    y=Axis("n × weight (1 = an equal share)", (0.002, 20.0), "log"),
    layers=(
        Curve("UNI (equal weights)", equal_weight, **DRAWN["UNI"]),
        Curve("LDPE (noise for each user)", _present(sym.local_weight), **DRAWN["LDPE"]),
        Curve("FME (our reconstruction)", _present(sym.fme_weight), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(sym.adpm_weight), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", _present(sym.proportional_weight), **DRAWN["PropDPM"]),
        _RULE,
    ),
    parameters=(*_RANGE, USERS),
    caption=r"""
        Raise \(b\) beyond \(\tau\): PropDPM hands the estimate to the most generous users, ADPM does not. The slope on
        these axes is 1 for PropDPM everywhere and for ADPM up to \(\tau\). For LDPE with local noise, which hardly
        listens to strict users at all, it is nearly 2 below half a nat, and less than 1 beyond 3 nats.
    """,
    alt="""
        Weight against budget on logarithmic axes: LDPE is steepest at first and bends, PropDPM a diagonal, ADPM and FME
        become flat.
    """,
)

log_uniform_error = _figure(
    name="cc-log-uniform-error",
    title="Log-uniform budgets: the error of the baselines",
    x_symbol=n,
    x=SIZES,
    y=ERROR,
    layers=error_curves(
        "user",
        sym.uniform_mse,
        sym.sampling_mse_lower,
        sym.local_mse,
        sym.fme_mse,
        sym.adpm_mse,
        sym.proportional_mse,
    ),
    parameters=_RANGE,
    caption=r"""
        Move \(a\) and \(b\): with many users ADPM comes down to 1; the others but UNI stay behind by a factor, whatever
        \(n\). For very many users UNI is second only to ADPM, and for few the worst if \(a\) is small enough. The line
        of SM, a lower bound, is well below its error while the sample is small.
    """,
    alt="Six lines against the number of users: ADPM is lowest, UNI falls steeply, LDPE and SM are high and flat.",
)
