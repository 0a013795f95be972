"""General budgets: the reader shapes three groups, and sees levels, weights, effective budgets and errors."""

from functools import partial

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Readout, Rule, Text
from hdp.figures.shared import each, own_figure, users, where
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import general_budgets as sym
from hdp.sym.heterogeneous_budgets.general_budgets import budget, equal_weight, least
from hdp.sym.symbols import n, put

_BUDGET = sym.budget
_LINE = sp.Rational(3, 2)  # on the logarithmic axes a name's height is a factor
_SIDES = ("left", "right", "center")  # of the names of groups, which may come together
# The ends are no powers of ten: FME jumps where a budget is exactly 1/sqrt(N), and rounding would decide on which side.
_SHAPE = (
    *each(Parameter.logarithmic, "ε{}, budget of group {}", sym.budgets, 0.012, 9, (0.02, 0.3, 3.0), per_decade=15),
    *each(Parameter.linear, "g{}, relative size of group {}", sym.sizes, 1, 10, (5, 3, 2), 1),
)
USERS = users(100, 100_000, 1000)
ALLOWED = Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log")
LOSS = Axis("privacy loss (nats)", (0.01, 10.0), "log")
SIZES = Axis("number of users, n", (100.0, 100_000.0), "log")
ERROR = Axis("error relative to no privacy, 4n × error", None, "log")


def error_curves(whose, *errors, fme_set=None):
    """Errors of UNI, SM, LDPE, FME, ADPM and PropDPM; `whose` noise LDPE adds up, and the part where FME is drawn."""
    labels = ("UNI (strictest budget for all)", "SM (sampling; lower bound)", f"LDPE (noise for each {whose})")
    labels += ("FME (our reconstruction)", "ADPM (optimal weights)", "PropDPM (weights ∝ ε)")
    parts = {"FME (our reconstruction)": fme_set}
    return tuple(
        Curve(label, 4 * n * error, part=parts.get(label), **DRAWN[label.split()[0]])
        for label, error in zip(labels, errors, strict=True)
    )


def _circles(curve, bottom):
    """A circle for each group on this curve, a function of the budget, with its name beside it."""
    heights = [curve(e) for e in sym.budgets]
    for e, height, place, side in zip(sym.budgets, heights, _names(heights, bottom), _SIDES, strict=True):
        yield Marker("a group", e, height)
        yield Text(f"group {sym.budgets.index(e) + 1}", *place, align=side, bold=True)


def _names(heights, bottom):
    """Where the names of the groups stand: apart where budgets are alike, and not on an axis."""
    (first, second, third), (low, middle, high) = sym.budgets, heights
    near = (third < sp.Rational(7, 2) * second) & (second < sp.Rational(7, 2) * third)
    under = near & sp.StrictGreaterThan(high, 3, evaluate=False)
    lines = sp.Piecewise((_LINE**-2, under), (_LINE**2, near), (_LINE, True))
    yield sp.Min(sp.Rational(5, 4) * first, 3), sp.Max(low / _LINE, sp.Rational(5, 4) * bottom, evaluate=False)
    yield sp.Max(second, sp.Rational(1, 20)), middle * _LINE
    yield sp.Min(sp.Max(third, sp.Rational(3, 100)), 5), high * lines


_RULE = Rule("level τ", x=sym.level)

groups_privacy = own_figure(
    name="cc-general-groups",
    title="What a user gives up among three groups",
    x_symbol=_BUDGET,
    x=ALLOWED,
    y=LOSS,
    layers=(
        Curve("PropDPM, LDPE (all that is allowed)", _BUDGET, **DRAWN["PropDPM"]),
        Curve("UNI (strictest budget for all)", sym.strictest, **DRAWN["UNI"]),
        Curve("FME (our reconstruction)", sym.least(_BUDGET, sym.fme_level), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", sym.least(_BUDGET, sym.level), **DRAWN["ADPM"]),
        *_circles(lambda e: sym.least(e, sym.level), sp.Rational(1, 100)),
        _RULE,
    ),
    parameters=(*_SHAPE, USERS),
    readouts=(
        Readout("level τ", sym.level),
        Readout("error of ADPM × 10,000", 10**4 * sym.adpm_mse),
    ),
    caption=r"""
        Raise \(n\): the vertical line moves left. With ADPM every group (a circle) beyond that line gives up
        \(\tau\) only, whatever it allows. Raise the strict budget slowly: the line moves left while that budget is
        below half of it, then right. FME, where it clips a group, clips lower, but without regard to the error.
    """,
    alt="""
        Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at the level, with three
        circles on it, one for each group; FME becomes horizontal earlier, UNI is horizontal throughout.
    """,
)

groups_weights = own_figure(
    name="cc-general-weights",
    title="How much a user counts among three groups",
    x_symbol=_BUDGET,
    x=ALLOWED,
    y=Axis("n × weight (1 = an equal share)", (0.005, 20.0), "log"),
    layers=(
        Curve("UNI (equal weights)", sym.equal_weight, **DRAWN["UNI"]),
        Curve("FME (our reconstruction)", sym.fme_weight, **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", sym.adpm_weight, **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", sym.proportional_weight, **DRAWN["PropDPM"]),
        *_circles(lambda e: put({_BUDGET: e}, sym.adpm_weight), sp.Rational(1, 200)),
        _RULE,
    ),
    parameters=(*_SHAPE, USERS),
    readouts=tuple(
        Readout(f"n × weight in group {i}, {name}", put({_BUDGET: e}, expression))
        for name, expression in (("ADPM", sym.adpm_weight), ("PropDPM", sym.proportional_weight))
        for i, e in enumerate(sym.budgets, 1)
    ),
    caption=r"""
        Raise \(\epsilon_3\) beyond \(\tau\): the line of ADPM stays, that of PropDPM sinks. PropDPM gives the most
        generous users more and more of the weight, all of it in the limit, and so everybody else less; ADPM stops at
        the line \(\tau\), and FME, where it clips a group, earlier, nearer to equal weights. Circles are the groups.
    """,
    alt="""
        Weight against budget on logarithmic axes: PropDPM is a diagonal, ADPM a higher diagonal that becomes horizontal
        at the level, FME becomes horizontal earlier, UNI is horizontal at one.
    """,
)

groups_error = own_figure(
    name="cc-general-error",
    title="Error of the baselines for three groups",
    x_symbol=n,
    x=SIZES,
    y=ERROR,
    layers=error_curves(
        "group",
        sym.uniform_mse,
        sym.sampling_mse_lower,
        sym.local_mse,
        sym.fme_mse,
        sym.adpm_mse,
        sym.proportional_mse,
        fme_set=sym.fme_set,
    ),
    parameters=_SHAPE,
    caption=r"""
        Look for the lowest line: it is ADPM for every shape, the best affine estimator. PropDPM touches it while it
        answers and all budgets lie below the level (few users, or a small \(\epsilon_3\)); UNI comes down to it when
        the users are so many that the strictest budget is enough. FME jumps where its rule takes in another group.
    """,
    alt="Six lines against the number of users; the line of ADPM is the lowest everywhere.",
)


# -- Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors.


def _present(expression):
    """Only where there are users."""
    return where((budget >= sym.low) & (budget <= sym.high), expression)


_RANGE = (
    Parameter.logarithmic(sym.low, "a, smallest budget (nats)", 0.01, 0.5, 0.0183, per_decade=15),
    Parameter.logarithmic(sym.high, "b, largest budget (nats)", 0.6, 10, 7.39, per_decade=15),
)
_LOG_RULE = Rule("level τ", x=sym.spread_level)
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
        Curve("FME (our reconstruction)", _present(least(budget, sym.spread_fme_level)), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(least(budget, sym.spread_level)), **DRAWN["ADPM"]),
        _LOG_RULE,
    ),
    parameters=(*_RANGE, USERS),
    readouts=(
        Readout("level τ", sym.spread_level),
        Readout("share of users with free privacy", sym.free_share),
        Readout("error of ADPM × 10,000", 10**4 * sym.spread_adpm_mse),
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
        Curve("FME (our reconstruction)", _present(sym.spread_fme_weight), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(sym.spread_adpm_weight), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", _present(sym.spread_proportional_weight), **DRAWN["PropDPM"]),
        _LOG_RULE,
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
        sym.spread_uniform_mse,
        sym.spread_sampling_mse_lower,
        sym.spread_local_mse,
        sym.spread_fme_mse,
        sym.spread_adpm_mse,
        sym.spread_proportional_mse,
    ),
    parameters=_RANGE,
    caption=r"""
        Move \(a\) and \(b\): with many users ADPM comes down to 1; the others but UNI stay behind by a factor, whatever
        \(n\). For very many users UNI is second only to ADPM, and for few the worst if \(a\) is small enough. The line
        of SM, a lower bound, is well below its error while the sample is small.
    """,
    alt="Six lines against the number of users: ADPM is lowest, UNI falls steeply, LDPE and SM are high and flat.",
)
