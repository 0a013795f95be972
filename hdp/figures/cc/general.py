"""General budgets: the reader shapes the population, and sees levels, effective budgets and errors."""

import numpy as np
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp import affine, clipping
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Readout, Rule
from hdp.sym import cc_general as sym
from hdp.sym.symbols import n

_BUDGET = sp.Symbol("epsilon", positive=True)
_MARKS = "₁₂₃"
_SHAPE = (
    *(
        Parameter.logarithmic(e, f"ε{mark}, budget of group {i + 1}", 0.01, 10, value, per_decade=15)
        for i, (mark, e, value) in enumerate(zip(_MARKS, sym.budgets, (0.05, 0.3, 3.0), strict=True))
    ),
    *(
        Parameter.linear(g, f"g{mark}, relative size of group {i + 1}", 1, 10, 1, value)
        for i, (mark, g, value) in enumerate(zip(_MARKS, sym.sizes, (5, 3, 2), strict=True))
    ),
)
_N = Parameter.logarithmic(n, "n, number of users", 100, 100_000, 1000, per_decade=10)


def _population(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """Budgets and numbers of users of the three groups."""
    sizes = np.array([g_1, g_2, g_3])
    return np.array([e_1, e_2, e_3]), n * sizes / sizes.sum()


def _level(**values):
    """Level of the population, from the solver."""
    epsilon, users = _population(**values)
    return clipping.water_level(epsilon, users * epsilon, 8.0)


def _group_error(weights_of, **values):
    """Error of an affine estimator whose groups have these proportions of weight for each user."""
    epsilon, users = _population(**values)
    w = weights_of(epsilon, values)
    w = w / np.sum(users * w)
    return np.sum(users * w**2) / 4 + 2 * np.max(w / epsilon) ** 2


def _adpm(**values):
    return min(_group_error(lambda e, v: np.minimum(e, _level(**v)), **values), 0.25)


def _proportional(**values):
    return _group_error(lambda e, v: e, **values)


def _uniform(**values):
    return _group_error(lambda e, v: np.ones(3), **values)


def _local(**values):
    """Inverse-variance combination of three separately private means."""
    epsilon, users = _population(**values)
    errors = [affine.mean_squared_error([1.0], 1 / (m * e), 1 / (4 * m)) for m, e in zip(users, epsilon, strict=True)]
    return 1 / np.sum(1 / np.array(errors))


def _over_n(function):
    return lambda x, **values: np.array([4 * v * function(n=v, **values) for v in x])


groups_privacy = FigureSpec(
    name="cc-general-groups",
    title="What a user gives up among three groups",
    x_symbol=_BUDGET,
    x=Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (nats)", (0.01, 10.0), "log"),
    layers=(
        Curve("allows", _BUDGET, lambda x, **v: x, dash=(3, 3), width=1.6, colour=5),
        Curve("gives up", sp.Min(_BUDGET, sym.level), lambda x, **v: np.minimum(x, _level(**v)), width=3, colour=0),
        *(
            Marker(f"group {i + 1}", e, sp.Min(e, sym.level), lambda i=i, **v: _group_point(i, v))
            for i, e in enumerate(sym.budgets)
        ),
        Rule("τ", x=sym.level, reference=_level),
    ),
    parameters=(*_SHAPE, _N),
    readouts=(
        Readout("level τ", sym.level, _level),
        Readout("error of ADPM × 10⁴", 10**4 * sym.adpm_mse, lambda **v: 1e4 * _adpm(**v)),
    ),
    reset_label="Initial values",
    caption=r"""
        The circles are the three groups. Everybody whose budget lies beyond the vertical line gives up \(\tau\) only,
        whatever she allows. Make the strict group larger: the line moves
        left, and more privacy is free. Raise the strict budget slowly: the line first moves left, then follows it.
    """,
    alt="""
        Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at the level, with three
        circles on it, one for each group.
    """,
)


def _group_point(i, values):
    epsilon = _population(**values)[0][i]
    return epsilon, min(epsilon, _level(**values))


groups_error = FigureSpec(
    name="cc-general-error",
    title="Error of the baselines for three groups",
    x_symbol=n,
    x=Axis("number of users, n", (100.0, 100_000.0), "log"),
    y=Axis("error relative to no privacy, 4n × error", None, "log"),
    layers=(
        Curve("UNI (strictest budget for all)", 4 * n * sym.uniform_mse, _over_n(_uniform), width=1.6, colour=3),
        Curve("LDPE (noise for each group)", 4 * n * sym.local_mse, _over_n(_local), dash=(3, 3), colour=2),
        Curve("ADPM (optimal weights)", 4 * n * sym.adpm_mse, _over_n(_adpm), width=3, colour=0),
        Curve("PropDPM (weights ∝ ε)", 4 * n * sym.proportional_mse, _over_n(_proportional), dash=(8, 4), colour=1),
    ),
    parameters=_SHAPE,
    reset_label="Initial values",
    caption=r"""
        Errors on a fair coin, in units of the error that a plain average has without privacy. ADPM is the lowest line
        for every shape, because it is the best affine estimator. PropDPM touches it while all budgets lie below the
        level (few users) and then stays behind by a factor, because it lets the most generous users dominate; UNI
        starts far above and comes down to ADPM when the users are so many that the strictest budget is enough.
    """,
    alt="Four falling lines against the number of users; the line of ADPM is the lowest everywhere.",
)


def _log_uniform_level(a, b, n):
    """Level for log-uniform budgets, by quadrature and root finding."""
    density = n / np.log(b / a)

    def fill(tau):
        return quad(lambda e: density * (tau - e), a, min(tau, b), epsabs=0, epsrel=1e-13)[0] - 8

    return brentq(fill, a, a + b + 1e4, xtol=1e-15, rtol=1e-14)


def _log_uniform_error(a, b, n):
    """Error from the definition, sum min^2/4 + 2 over S^2, with integrals for sums; in 10^-4."""
    tau, density = _log_uniform_level(a, b, n), n / np.log(b / a)
    top = min(tau, b)
    above = np.log(b / top)
    total = quad(lambda e: density, a, top)[0] + density * tau * above
    squares = quad(lambda e: density * e, a, top)[0] + density * tau**2 * above
    return 1e4 * min((squares / 4 + 2) / total**2, 0.25)


def _log_uniform_share(a, b, n):
    return np.log(b / min(_log_uniform_level(a, b, n), b)) / np.log(b / a)


log_uniform = FigureSpec(
    name="cc-general-log-uniform",
    title="Log-uniform budgets",
    x_symbol=_BUDGET,
    x=Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (nats)", (0.01, 10.0), "log"),
    layers=(
        Curve("allows", _BUDGET, lambda x, **v: x, dash=(3, 3), width=1.6, colour=5),
        Curve(
            "gives up",
            sp.Piecewise(
                (sp.Min(_BUDGET, sym.log_uniform_level), (_BUDGET >= sym.low) & (_BUDGET <= sym.high)), (sp.nan, True)
            ),
            lambda x, a, b, n: np.where((x >= a) & (x <= b), np.minimum(x, _log_uniform_level(a, b, n)), np.nan),
            width=3,
            colour=0,
        ),
        Rule("τ", x=sym.log_uniform_level, reference=_log_uniform_level),
    ),
    parameters=(
        Parameter.logarithmic(sym.low, "a, smallest budget", 0.01, 0.5, 0.0183, per_decade=15),
        Parameter.logarithmic(sym.high, "b, largest budget", 0.6, 10, 7.39, per_decade=15),
        _N,
    ),
    readouts=(
        Readout("level τ", sym.log_uniform_level, _log_uniform_level),
        Readout("share of users with free privacy", sym.free_share, _log_uniform_share),
        Readout("error of ADPM × 10⁴", 10**4 * sym.log_uniform_mse, _log_uniform_error),
    ),
    reset_label="Table II, high variance",
    caption=r"""
        Budgets spread evenly over orders of magnitude, as in the high-variance column of Table II (\(\log\epsilon\)
        uniform on \([-4, 2]\)). The level is \(a + 4\sqrt{\log(b/a)/n}\): with many users it comes down to the
        strictest budget, and almost everybody gets almost everything for free.
    """,
    alt="Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at a low level.",
)
