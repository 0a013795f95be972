"""Section 6, beyond the paper: what the gap of the means and the believed variance do to the improvement."""

import sympy as sp

from hdp.explore import Axis, Curve, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.known_variance import DEVIATIONS, POSITIONS
from hdp.figures.shared import own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import diverging_groups as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, sigma_L, sigma_T

LOW, _, HIGH = DEVIATIONS.values()
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


def deviations(positions):
    """Sliders for the deviations in the two groups."""
    return (
        Parameter(sigma_T, "standard deviation in the TCM group, T", positions, LOW),
        Parameter(sigma_L, "standard deviation in the LM group, L", positions, HIGH),
    )


def _population(size):
    return (
        users(1000, 1e5, size),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.5, 0.05, per_decade=10),
        Parameter.logarithmic(epsilon, "ε, everybody's budget (nats)", 0.02, 4, 1, per_decade=10),
    )


_EQUAL = {sigma_L: sigma_T, m: 2}
_TOLERATED = sp.sqrt(sym.tolerated_gap_squared.subs(models.laplace)).subs(sigma, sigma_T).subs(m, 2)
_TIE = sp.sqrt(sp.Max(_FULL_LM - _TCM, 0)).subs(sigma, sigma_T).subs(m, 2) / (1 - c)

gap = own_figure(
    name="adk-gap",
    title="Relative improvement against the gap of the means",
    x_symbol=sym.gap,
    x=Axis("gap of the means, d (m = 2)", (0.003, 1.0), "log"),
    y=Axis("relative improvement R", (0.02, 3.0), "log"),
    layers=(
        Curve("weight of Definition 6.1", best(_EQUAL), **DRAWN["KVH"]),
        Curve("homogeneous weight (Figure 5)", believing(sigma_T**2, _EQUAL), **DRAWN["cautious"]),
        Curve("weight of PWH", weighed(unknown.weight, _EQUAL), **DRAWN["PWH"]),
        Curve("weight c", weighed(c, _EQUAL), **DRAWN["naive"]),
        Rule("no gain", y=sp.Integer(1), below=True),
        Rule("TCM-Only = Full-LM", x=_TIE),
        Marker("tolerated gap", _TOLERATED, sp.Integer(1)),
    ),
    parameters=(
        *_population(2000),
        Parameter.linear(sigma_T, "σ, standard deviation in each group", 0.02, 0.6, 0.02, 0.28),
    ),
    readouts=(Readout("tolerated gap", _TOLERATED),),
    caption=r"""
        Raise \(n\): the circle, the gap up to which the homogeneous weight gains, moves to the left; beyond it
        Full-LM is better, and the line falls as \(1/d^2\). The weight \(c\) never loses to Full-LM, and the
        best weight tends to it. Left of the vertical line, if it is there, TCM-Only is the better baseline.
    """,
    alt="""
        Four lines against the logarithm of the gap; two fall steeply below 1 on the right, one stays above 1
        throughout, and one is at about 1 on the right.
    """,
)

_UNIT = {m: 1}
_MIXTURE = sp.expand(models.mixture_variance.subs(sym.on_gap))

variance = own_figure(
    name="adk-believed-variance",
    title="Which variance to believe in",
    x_symbol=sym.believed,
    x=Axis("believed variance, v (m = 1)", (0.003, 3.0), "log"),
    y=Axis("ratio of errors", (0.2, 8.0), "log"),
    layers=(
        Curve("improvement over TCM-Only", believing(sym.believed, _UNIT, _TCM), dash=(8, 4)),
        Curve("improvement over Full-LM", believing(sym.believed, _UNIT, _FULL_LM)),
        Rule("no gain", y=sp.Integer(1), below=True),
        Rule("variance of the TCM group", x=sigma_T**2),
        Rule("mixture's", x=_MIXTURE),
        Marker("effective variance", SPREAD**2, best(_UNIT)),
    ),
    parameters=(
        *_population(10_000),
        *deviations(tuple(d for d in POSITIONS if d <= HIGH)),
        Parameter.linear(sym.gap, "d, gap of the means", 0, 0.1, 0.005, 0),
    ),
    presets=(
        Preset("Figure 4a, c = 5 %, ε = 1", {"sigma_T": LOW, "sigma_L": HIGH}),
        Preset("Figure 4b, c = 5 %, ε = 1", {"sigma_T": HIGH, "sigma_L": LOW}),
    ),
    caption=r"""
        Raise \(d\): the circle, the best belief, runs to the right; the rules stay, but for the
        mixture&rsquo;s where deviations are small. Every weight between PWH&rsquo;s (\(v = 0\)) and \(c\) (\(v\)
        without bound) belongs to a belief \(v\); \(R\) is the lower line.
        The mixture weighs the groups the other way round, and is far off if they differ as here.
    """,
    alt="""
        Two lines against the logarithm of the believed variance, each with a maximum at the same place, marked by a
        circle near the vertical line of the TCM group's variance; the line of the mixture's variance is further
        right.
    """,
)
