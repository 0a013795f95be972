"""Section 5: Figure 3, and four weights for one population."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust.known_variance import (
    BUDGETS,
    DASHES,
    DEVIATIONS,
    IMPROVEMENT,
    KINDS,
    SHARES,
    figure_1,
    pick,
    setting,
)
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, w
from hdp.sym.symbols import n

__all__ = ["BEST", "FIGURES", "WORST", "figure_3_best", "figure_3_worst", "noise_only", "weights"]

_PWH = sym.pwh_mse.subs(models.laplace)
BEST = sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / _PWH
WORST = sp.Max(models.laplace_tcm_mse, models.laplace_full_lm_mse) / _PWH
_UNIT = {m: 1}


def _case(statement, measure, kind, colour):
    share, budget = SHARES[kind[0]], BUDGETS[kind[1]]

    def reference(x, **values):
        fraction, *others = pick(kind, values)
        enough = fraction * x >= 1
        s = setting(np.where(enough, x, 2 / fraction), fraction, *others)
        return np.where(enough, measure(s, hybrid.mse_pwh(s)), np.nan)

    ratio = statement.subs({c: share, epsilon: budget, m: 1})
    drawn = sp.Piecewise((ratio, share * n >= 1), (sp.nan, True))
    return Curve(KINDS[kind], drawn, reference, dash=DASHES[kind], colour=colour)


def _cases(statement, measure):
    return tuple(_case(statement, measure, kind, kind[0]) for kind in KINDS)


def _last(share, budget, deviation, mse):
    """n up to which PWH is better than another estimator that does not know the variance, by root finding; 0: never."""

    def gain(log_n):
        s = setting(np.exp(log_n), share, budget, deviation)
        return (mse(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t) * s.n

    low, high = np.log(1.0001 / share), 40.0
    if gain(low) < 0:
        return 0.0
    return np.exp(brentq(gain, low, high, xtol=1e-14)) if gain(high) < 0 else np.inf


def _bounded(bound, limit):
    """A bound on n for c below the limit, beyond which there is none; 0 where it leaves nobody who trusts."""
    return sp.Piecewise((sp.oo, c >= limit), (bound, bound * c > 1), (0, True)).subs(_UNIT)


_ALWAYS = _bounded(sym.n_bound, models.laplace_c_crit)
_ALWAYS_NAIVE = _bounded(sym.naive_n_bound, (epsilon * sigma) ** 2 / (2 * m**2))


def _lasts(kind):
    last = _ALWAYS.subs({c: SHARES[kind[0]], epsilon: BUDGETS[kind[1]]})
    return Readout(
        f"R > 1 up to n, {KINDS[kind]}", last, lambda **values: _last(*pick(kind, values), hybrid.mse_full_lm)
    )


def _panels(letters):
    betas = zip(letters, ("Beta(10, 10)", "Beta(1, 1)", "Beta(0.1, 0.1)"), DEVIATIONS.values(), strict=True)
    return tuple(Preset(f"({letter}) {beta}", {"sigma": value}) for letter, beta, value in betas)


_FROM = Rule("the paper from here", x=sp.Integer(1000), reference=lambda **_: 1000.0)

figure_3_best = FigureSpec(
    name="adk-figure-3-best",
    title="Improvement of PWH over the better baseline (Figure 3a to 3c)",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("relative improvement R", (0.0, 2.2)),
    layers=(
        *_cases(BEST, hybrid.relative_improvement),
        Rule("better baseline", y=sp.Integer(1), reference=lambda **_: 1.0, below=True),
        _FROM,
    ),
    parameters=figure_1.parameters,
    readouts=tuple(_lasts(kind) for kind in KINDS),
    presets=_panels("abc"),
    caption=r"""
        Figure 1 again, without knowledge of the variance. For small \(\epsilon\) the lines are those of KVH. For
        \(\epsilon_2\), and the more so the larger \(\sigma\), they fall below 1, at the numbers of users listed
        (Infinity: never). Raise \(\epsilon_2\): the lines fall, against what the text says about large \(\epsilon\).
    """,
    alt="""
        Four lines against the logarithm of n and a rule at 1. The two for the smaller budget stay above 1 and peak at 2
        or 1.4; in panels b and c those for the larger budget fall far below 1.
    """,
)


def _most(i):
    share = SHARES[i]
    return Curve(
        f"1 − c + c²n with {'c₁ c₂'.split()[i]}",
        sp.Piecewise((sym.most_over_full_lm.subs(c, share), share * n >= 1), (sp.nan, True)),
        lambda x, **values: np.array([noise_only(size, values[f"c_{i + 1}"]) for size in x]),
        dash=(2, 3),
        width=1.6,
        colour=2 + i,
    )


def noise_only(size, share):
    """Full-LM over PWH for constant data, from the weight that minimises the noise."""
    if share * size < 1:
        return np.nan
    s = setting(size, share, 1, 0)
    return hybrid.mse_full_lm(s) / hybrid.mse_pwh(s)


def _worst_at_the_end(*values):
    s = setting(1e5, *values)
    return hybrid.improvement_over_worst(s, hybrid.mse_pwh(s))


figure_3_worst = FigureSpec(
    name="adk-figure-3-worst",
    title="Improvement of PWH over the worse baseline (Figure 3d to 3f)",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("improvement over the worse baseline, r", (0.9, 1000.0), "log"),
    layers=(*_cases(WORST, hybrid.improvement_over_worst), _most(0), _most(1), _FROM),
    parameters=figure_1.parameters,
    readouts=tuple(
        Readout(
            f"r at n = 10⁵, {KINDS[kind]}",
            WORST.subs({c: SHARES[kind[0]], epsilon: BUDGETS[kind[1]], m: 1, n: 100_000}),
            lambda kind=kind, **values: _worst_at_the_end(*pick(kind, values)),
        )
        for kind in KINDS
    ),
    presets=_panels("def"),
    caption=r"""
        With Laplace noise no line touches 1. Where Full-LM is the worse baseline a line stays under the dotted line of
        its \(c\), which is \(\mathcal E_F/\mathcal E_{PWH}\) without sampling error; the fall at the left is that of
        TCM-Only, which starts as the worse one. Raise \(\sigma\): large values of \(r\) disappear where \(R\) does.
    """,
    alt="""
        Four lines on logarithmic axes, all above 1. Each falls, has a kink where the baselines are equally good and
        rises along a dotted line or bends away from it; in panel f the lowest is between 1 and 2.
    """,
)


def _one(mse):
    def reference(x, c, epsilon, sigma):
        s = setting(x, c, epsilon, sigma)
        return hybrid.relative_improvement(s, mse(s))

    return reference


def _at(weight):
    """R of the hybrid estimator with this weight, Laplace noise."""
    error = known.mse.subs(w, weight).subs(models.laplace)
    return (sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / error).subs(_UNIT)


def _cautious(s):
    return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, 0.25))


def _naive(s):
    return hybrid.mse_hybrid(s, hybrid.naive_weight(s))


weights = FigureSpec(
    name="adk-pwh-weights",
    title="Four weights, one of which knows the variance",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("relative improvement R", (0.0, 2.2)),
    layers=(
        Curve("KVH, which knows σ", IMPROVEMENT.subs(_UNIT), _one(hybrid.mse_kvh), **DRAWN["KVH"]),
        Curve("PWH", BEST.subs(_UNIT), _one(hybrid.mse_pwh), **DRAWN["PWH"]),
        Curve("naive, w = c", _at(c), _one(_naive), **DRAWN["naive"]),
        Curve("cautious, as if σ = m/2", _at(sym.cautious_weight), _one(_cautious), **DRAWN["cautious"]),
        Rule("better baseline", y=sp.Integer(1), reference=lambda **_: 1.0, below=True),
        Rule(
            "R(PWH) < 1 from here",
            x=_ALWAYS,
            reference=lambda c, epsilon, sigma: _last(c, epsilon, sigma, hybrid.mse_full_lm),
        ),
        Rule(
            "n_crit",
            x=sp.Piecewise((models.laplace_n_crit, c > models.laplace_c_crit), (sp.oo, True)).subs(_UNIT),
            reference=lambda c, epsilon, sigma: hybrid.laplace_n_crit(setting(1e6, c, epsilon, sigma)),
        ),
    ),
    parameters=(
        Parameter(sigma, "σ/m, standard deviation of the data", figure_1.parameters[0].positions, DEVIATIONS[1]),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.3, 0.005, also=(0.05,)),
        Parameter.logarithmic(epsilon, "ε, everybody's budget", 0.02, 4, 1, also=(0.1,)),
    ),
    readouts=(
        Readout(
            "PWH better than naive up to n",
            _ALWAYS_NAIVE,
            lambda c, epsilon, sigma: _last(c, epsilon, sigma, _naive),
        ),
    ),
    presets=tuple(
        Preset(label, {"sigma": DEVIATIONS[shape], "c": share, "epsilon": budget})
        for label, shape, share, budget in (
            ("Beta(1, 1), c = 0.5 %, ε = 1", 1, 0.005, 1.0),
            ("Beta(0.1, 0.1), c = 5 %, ε = 1", sp.Rational(1, 10), 0.05, 1.0),
            ("Beta(10, 10), c = 5 %, ε = 1", 10, 0.05, 1.0),
            ("Beta(10, 10), c = 5 %, ε = 0.1", 10, 0.05, 0.1),
        )
    ),
    reset_label="Initial values",
    caption=r"""
        PWH leaves KVH where sampling matters, and falls below naive and then, at the vertical line, below 1; other
        kinks are at \(n_{crit}\). The cautious weight is KVH&rsquo;s at the largest possible \(\sigma\): it needs to
        know as little as PWH, and never loses to Full-LM or to naive. Where \(\sigma\) is small and TCM-Only is good,
        PWH wins: lower \(\sigma\), raise \(c\). The paper draws only PWH.
    """,
    alt="""
        Improvement against the logarithm of n. Where c is small, PWH falls from 1 to 0.22 while the other three stay
        just above 1; for Beta(10, 10) and c = 5 percent PWH follows KVH and the other two fall below 1.
    """,
)


FIGURES = (figure_3_best, figure_3_worst, weights)
