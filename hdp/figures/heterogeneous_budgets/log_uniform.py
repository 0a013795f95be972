"""Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors, by quadrature."""

from itertools import pairwise

import numpy as np
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import log_uniform as sym
from hdp.sym.heterogeneous_budgets.general_budgets import budget, equal_weight, least
from hdp.sym.symbols import n


def _total(function, a, b, n, *kinks):
    """Sum of a function of the budget over all users, read as an integral, piece by piece between its kinks."""
    ends = [a, *(k for k in sorted(kinks) if a < k < b), b]
    return (
        n / np.log(b / a) * sum(quad(lambda e: function(e) / e, *p, epsabs=0, epsrel=1e-13)[0] for p in pairwise(ends))
    )


def _level(a, b, n):
    """Level of ADPM, by root finding."""
    return brentq(
        lambda tau: _total(lambda e: e * max(tau - e, 0), a, b, n, tau) - 8,
        a * (1 + 1e-12),
        1e5,
        xtol=1e-15,
        rtol=1e-14,
    )


def _fme_level(a, b, n):
    """Where eps > 1/sqrt(users with eps or more) first holds; the function on the left rises up to b/sqrt(e)."""

    def excess(e):
        return e**2 * n * np.log(b / e) / np.log(b / a) - 1

    if excess(a) > 0:
        return n**-0.5
    peak = b / np.exp(0.5)
    return brentq(excess, a, peak, xtol=1e-16, rtol=1e-14) if excess(peak) > 0 else b


def _error(clip, a, b, n, kink):
    """Error of weights proportional to clipped budgets and noise 1 over their sum."""
    total = _total(clip, a, b, n, kink)
    return (_total(lambda e: clip(e) ** 2, a, b, n, kink) / 4 + 2) / total**2


def _adpm(a, b, n):
    level = _level(a, b, n)
    return min(_error(lambda e: min(e, level), a, b, n, level), 0.25)


def _fme(a, b, n):
    level = _fme_level(a, b, n)
    return _error(lambda e: min(e, level), a, b, n, level)


def _proportional(a, b, n):
    return _error(lambda e: e, a, b, n, b)


def _uniform(a, b, n):
    return _error(lambda e: a, a, b, n, b)


def _precision(e):
    return 1 / (1 / 4 + 2 / e**2)


def _local(a, b, n):
    return 1 / _total(_precision, a, b, n)


def _sampling_lower(a, b, n):
    size = _total(np.expm1, a, b, n) / np.expm1(b)
    return 1 / (4 * size) + 2 / (size * b) ** 2


def _over_n(function):
    return lambda x, a, b: np.array([4 * v * function(a, b, v) for v in x])


def _weight(proportion, kink=lambda a, b, n: b):
    """n times the weight of a user, for weights proportional to a function of the budget and of a level."""

    def curve(x, a, b, n):
        level = kink(a, b, n)
        total = _total(lambda e: proportion(e, level), a, b, n, level)
        return np.array([n * proportion(e, level) / total if a <= e <= b else np.nan for e in x])

    return curve


def _clipped(level):
    return lambda x, a, b, n: np.where((x >= a) & (x <= b), np.minimum(x, level(a, b, n)), np.nan)


def _share(a, b, n):
    return np.log(b / min(_level(a, b, n), b)) / np.log(b / a)


def _present(expression):
    """Only where there are users."""
    return sp.Piecewise((expression, (budget >= sym.low) & (budget <= sym.high)), (sp.nan, True))


_RANGE = (
    Parameter.logarithmic(sym.low, "a, smallest budget", 0.01, 0.5, 0.0183, per_decade=15),
    Parameter.logarithmic(sym.high, "b, largest budget", 0.6, 10, 7.39, per_decade=15),
)
_N = Parameter.logarithmic(n, "n, number of users", 100, 100_000, 1000, per_decade=10)
_BUDGETS = Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log")
_RULE = Rule("τ", x=sym.level, reference=_level)

log_uniform = FigureSpec(
    name="cc-general-log-uniform",
    title="Log-uniform budgets: what is given up",
    x_symbol=budget,
    x=_BUDGETS,
    y=Axis("privacy loss (nats)", (0.01, 10.0), "log"),
    layers=(
        Curve("PropDPM, LDPE (all that is allowed)", budget, lambda x, **v: x, **DRAWN["PropDPM"]),
        Curve("UNI (strictest budget for all)", sym.low, lambda x, a, b, n: np.full(len(x), a), **DRAWN["UNI"]),
        Curve("FME (our reconstruction)", _present(least(budget, sym.fme_level)), _clipped(_fme_level), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(least(budget, sym.level)), _clipped(_level), **DRAWN["ADPM"]),
        _RULE,
    ),
    parameters=(*_RANGE, _N),
    readouts=(
        Readout("level τ", sym.level, _level),
        Readout("share of users with free privacy", sym.free_share, _share),
        Readout("error of ADPM × 10⁴", 10**4 * sym.adpm_mse, lambda **v: 1e4 * _adpm(**v)),
    ),
    reset_label="Table II, high variance",
    caption=r"""
        Budgets spread evenly over orders of magnitude, as in the high-variance column of Table II (\(\log\epsilon\)
        uniform on \([-4, 2]\)). The level is \(a + 4\sqrt{\log(b/a)/n}\): with many users it comes down to the
        strictest budget, and almost everybody gets almost everything for free.
    """,
    alt="Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at a low level.",
)

log_uniform_weights = FigureSpec(
    name="cc-log-uniform-weights",
    title="Log-uniform budgets: how much a user counts",
    x_symbol=budget,
    x=_BUDGETS,
    y=Axis("n × weight (1 = an equal share)", (0.002, 20.0), "log"),
    layers=(
        Curve("UNI (equal weights)", equal_weight, lambda x, **v: np.ones(len(x)), **DRAWN["UNI"]),
        Curve(
            "LDPE (noise for each user)",
            _present(sym.local_weight),
            _weight(lambda e, _: _precision(e)),
            **DRAWN["LDPE"],
        ),
        Curve("FME (our reconstruction)", _present(sym.fme_weight), _weight(min, _fme_level), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", _present(sym.adpm_weight), _weight(min, _level), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", _present(sym.proportional_weight), _weight(lambda e, _: e), **DRAWN["PropDPM"]),
        _RULE,
    ),
    parameters=(*_RANGE, _N),
    reset_label="Table II, high variance",
    caption=r"""
        The slope on these axes is 1 for PropDPM everywhere, for ADPM up to \(\tau\), and nearly 2 for LDPE with local
        noise, which hardly listens to strict users at all. Raise \(b\): PropDPM hands the estimate to the most
        generous users, ADPM does not.
    """,
    alt="Weight against budget on logarithmic axes: LDPE is steepest, PropDPM a diagonal, ADPM and FME become flat.",
)

log_uniform_error = FigureSpec(
    name="cc-log-uniform-error",
    title="Log-uniform budgets: the error of the baselines",
    x_symbol=n,
    x=Axis("number of users, n", (100.0, 100_000.0), "log"),
    y=Axis("error relative to no privacy, 4n × error", None, "log"),
    layers=(
        Curve("UNI (strictest budget for all)", 4 * n * sym.uniform_mse, _over_n(_uniform), **DRAWN["UNI"]),
        Curve(
            "SM (sampling; lower bound)",
            4 * n * sym.sampling_mse_lower,
            _over_n(_sampling_lower),
            **DRAWN["SM"],
        ),
        Curve("LDPE (noise for each user)", 4 * n * sym.local_mse, _over_n(_local), **DRAWN["LDPE"]),
        Curve("FME (our reconstruction)", 4 * n * sym.fme_mse, _over_n(_fme), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", 4 * n * sym.adpm_mse, _over_n(_adpm), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", 4 * n * sym.proportional_mse, _over_n(_proportional), **DRAWN["PropDPM"]),
    ),
    parameters=_RANGE,
    reset_label="Table II, high variance",
    caption=r"""
        Errors on a fair coin in units of the error without privacy, sums read as integrals. ADPM comes down to 1; the
        others but UNI stay behind by a factor, whatever \(n\). UNI, worst for few users, is best but for ADPM for very
        many. The line of SM is a lower bound, which lies well below the error while the sample is of a few users only.
    """,
    alt="Six lines against the number of users: ADPM is lowest, UNI falls steeply, LDPE and SM are high and flat.",
)

FIGURES = (log_uniform, log_uniform_weights, log_uniform_error)
