"""Section 6, beyond the paper: what the gap of the means and the believed variance do to the improvement."""

import numpy as np
import sympy as sp

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.known_variance import SHAPES
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import diverging_groups as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, sigma_L, sigma_T
from hdp.sym.symbols import n

__all__ = ["FIGURES", "gap", "variance"]

HIGH, MEDIUM, LOW = (float(1 / sp.sqrt(8 * a + 4)) for a in SHAPES)  # deviations of the paper's three laws
_STEPS = tuple(float(f"{k / 100:g}") for k in range(1, 51))
DEVIATIONS = tuple(sorted({*_STEPS, LOW, MEDIUM, HIGH}))
SPREAD = sp.sqrt(sym.effective_variance.subs(sym.on_gap))
_TCM, _FULL_LM, _WEIGHED = (e.subs(models.laplace) for e in (known.tcm_mse, known.full_lm_mse, known.mse))


def _over(baseline, error, values):
    """Ratio of two errors of equal groups, with the effective variance in the place of theirs."""
    return (baseline / error).subs(sigma, SPREAD).subs(values)


def best(values):
    """R with the weight of Definition 6.1; `values` are put in for symbols."""
    return _over(sp.Min(_TCM, _FULL_LM), known.kvh_mse.subs(models.laplace), values)


def weighed(weight, values, baseline=None):
    """R with this weight, or the ratio to one baseline."""
    return _over(baseline or sp.Min(_TCM, _FULL_LM), _WEIGHED.subs(models.w, weight.subs(models.laplace)), values)


def believing(belief, values, baseline=None):
    """`weighed` with the best weight for equal groups of this variance."""
    return weighed(sym.believed_weight.subs(sym.believed, belief), values, baseline)


def improvement(s, w):
    """R of the hybrid estimator with weight w, by the independent route."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, w))


def _setting(v, **more):
    given = {"n": v["n"], "c": v["c"], "m": 2, "epsilon": v["epsilon"], "sigma_t": v["sigma_T"]} | more
    return hybrid.Setting(**given)


def _along_gap(weight):
    def reference(x, **v):
        s = _setting(v, mu_l=x)
        return improvement(s, weight(s))

    return reference


def _tolerated(**v):
    """The gap adds its square times (w-c)^2 to the error, until that is Full-LM's."""
    s = _setting(v)
    w = hybrid.homogeneous_weight(s)
    return np.sqrt(hybrid.mse_full_lm(s) - hybrid.mse_hybrid(s, w)) / (w - s.c), 1.0


def _equal_baselines(**v):
    s = _setting(v)
    return np.sqrt(max(hybrid.mse_full_lm(s) - hybrid.mse_tcm(s), 0)) / (1 - s.c)


_EQUAL = {sigma_L: sigma_T, m: 2}
_TOLERATED = sp.sqrt(sym.tolerated_gap_squared.subs(models.laplace)).subs(sigma, sigma_T).subs(m, 2)
_TIE = sp.sqrt(sp.Max(_FULL_LM - _TCM, 0)).subs(sigma, sigma_T).subs(m, 2) / (1 - c)

gap = FigureSpec(
    name="adk-gap",
    title="Relative improvement against the gap of the means",
    x_symbol=sym.gap,
    x=Axis("gap of the means, d (m = 2)", (0.003, 1.0), "log"),
    y=Axis("relative improvement R", (0.02, 3.0), "log"),
    layers=(
        Curve("weight of Definition 6.1", best(_EQUAL), _along_gap(hybrid.kvh_weight), **DRAWN["KVH"]),
        Curve(
            "homogeneous weight (Figure 5)",
            believing(sigma_T**2, _EQUAL),
            _along_gap(hybrid.homogeneous_weight),
            **DRAWN["cautious"],
        ),
        Curve("weight of PWH", weighed(unknown.weight, _EQUAL), _along_gap(hybrid.pwh_weight), **DRAWN["PWH"]),
        Curve("weight c", weighed(c, _EQUAL), _along_gap(hybrid.naive_weight), **DRAWN["naive"]),
        Rule("no gain", y=sp.Integer(1), below=True, reference=lambda **_: 1.0),
        Rule("TCM-Only = Full-LM", x=_TIE, reference=_equal_baselines),
        Marker("tolerated gap", _TOLERATED, sp.Integer(1), _tolerated),
    ),
    parameters=(
        Parameter.logarithmic(n, "n, number of users", 1000, 1e5, 2000, per_decade=10),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.5, 0.05, per_decade=10),
        Parameter.logarithmic(epsilon, "ε, everybody's budget", 0.02, 4, 1, per_decade=10),
        Parameter.linear(sigma_T, "σ, standard deviation in each group", 0.02, 0.6, 0.02, 0.28),
    ),
    readouts=(Readout("tolerated gap", _TOLERATED, lambda **v: _tolerated(**v)[0]),),
    reset_label="Initial values",
    caption=r"""
        The circle marks the gap up to which the homogeneous weight gains; beyond it Full-LM is better, and the line
        falls as \(1/d^2\). The weight \(c\) never loses to Full-LM, and the best weight tends to it. Left of the
        vertical line, if it is there, TCM-Only is the better baseline, and a gap helps every other estimator
        against it. Raise \(n\): the circle moves to the left. The paper has no such figure.
    """,
    alt="""
        Four lines against the logarithm of the gap; two fall steeply below 1 on the right, one stays above 1
        throughout, and one is at about 1 on the right.
    """,
)


def _believed(baseline):
    def reference(x, **v):
        s = _two(v)
        return baseline(s) / hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, x))

    return reference


def _two(v):
    return _setting(v, m=1, sigma_l=v["sigma_L"], mu_l=v["d"])


def _best(**v):
    s = _two(v)
    return s.effective_variance, improvement(s, hybrid.kvh_weight(s))


_UNIT = {m: 1}
_MIXTURE = c * sigma_T**2 + (1 - c) * (sigma_L**2 + c * sym.gap**2)
_WITHIN = tuple(d for d in DEVIATIONS if d <= HIGH)

variance = FigureSpec(
    name="adk-believed-variance",
    title="Which variance to believe in",
    x_symbol=sym.believed,
    x=Axis("believed variance, v (m = 1)", (0.003, 3.0), "log"),
    y=Axis("ratio of errors", (0.2, 8.0), "log"),
    layers=(
        Curve(
            "improvement over TCM-Only",
            believing(sym.believed, _UNIT, _TCM),
            _believed(hybrid.mse_tcm),
            dash=(8, 4),
        ),
        Curve("improvement over Full-LM", believing(sym.believed, _UNIT, _FULL_LM), _believed(hybrid.mse_full_lm)),
        Rule("no gain", y=sp.Integer(1), below=True, reference=lambda **_: 1.0),
        Rule("σ_T²", x=sigma_T**2, reference=lambda **v: _two(v).variance_t),
        Rule("mixture's", x=_MIXTURE, reference=lambda **v: _two(v).mixture_variance),
        Marker("effective variance", SPREAD**2, best(_UNIT), _best),
    ),
    parameters=(
        Parameter.logarithmic(n, "n, number of users", 1000, 1e5, 10000, per_decade=10),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.5, 0.05, per_decade=10),
        Parameter.logarithmic(epsilon, "ε, everybody's budget", 0.02, 4, 1, per_decade=10),
        Parameter(sigma_T, "σ_T, standard deviation in the TCM group", _WITHIN, LOW),
        Parameter(sigma_L, "σ_L, standard deviation in the LM group", _WITHIN, HIGH),
        Parameter.linear(sym.gap, "d, gap of the means", 0, 0.1, 0.005, 0),
    ),
    presets=(
        Preset("Figure 4a, c = 5 %, ε = 1", {"sigma_T": LOW, "sigma_L": HIGH}),
        Preset("Figure 4b, c = 5 %, ε = 1", {"sigma_T": HIGH, "sigma_L": LOW}),
    ),
    reset_label="Initial values",
    caption=r"""
        Every weight between PWH&rsquo;s (left end) and \(c\) (right end) belongs to a belief \(v\); \(R\) is the
        lower line. The circle is the best belief, the effective variance. Left of it no line falls below 1 but the
        one over Full-LM, right of it none but the one over TCM-Only. The mixture&rsquo;s variance of section 2.2
        weighs the groups the other way round, and is far off. Raise \(d\): the circle runs to the right, the rules
        hardly move.
    """,
    alt="""
        Two lines against the logarithm of the believed variance, each with a maximum at the same place, marked by a
        circle near the vertical line of the TCM group's variance; the line of the mixture's variance is further
        right.
    """,
)

FIGURES = (gap, variance)
