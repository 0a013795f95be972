"""Appendix C: Figure 8, the maps of PWH for the salaries."""

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Readout
from hdp.figures.hybrid_trust.known_variance import setting
from hdp.figures.hybrid_trust.salaries import SIGMA_SLIDER, USERS_SLIDER, figure_2b, tie
from hdp.figures.hybrid_trust.unknown_variance import BEST, WORST, noise_only
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma
from hdp.sym.hybrid_trust.known_variance import y

__all__ = ["FIGURES", "figure_8a", "figure_8b"]


def _map(measure):
    def reference(x, y, n, sigma):
        s = setting(n, y, x, sigma)
        return measure(s, hybrid.mse_pwh(s))

    return reference


def _even(budget, n, sigma, many):
    """Fraction c at which PWH is as good as Full-LM: the larger one, or the smaller, by root finding."""

    def gain(log_share):
        s = setting(n, np.exp(log_share), budget, sigma)
        return (hybrid.mse_full_lm(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t)

    middle, far = -np.log(n) / 2, -1e-9 if many else np.log(max(_LEAST, 1.0001 / n))
    if gain(middle) > 0 or gain(far) < 0 or (far < middle) == many:
        return np.nan
    return np.exp(brentq(gain, middle, far, xtol=1e-15, rtol=1e-15))


def _boundary(label, share, many, **style):
    at = share.subs(y, (epsilon * sigma) ** 2)
    return Curve(
        label,
        at if many else sp.Piecewise((at, at >= _LEAST), (sp.nan, True)),
        lambda x, n, sigma: np.array([_even(budget, n, sigma, many) for budget in x]),
        **style,
    )


_LEAST = 0.0005  # a line that leaves the map is drawn to here
_LINES = (
    _boundary("R < 1 below this line", sym.even_share, True, width=2.6, colour=0),
    _boundary("and above this one", sym.few_share, False, dash=(8, 4), colour=1),
)

figure_8a = FigureSpec(
    name="adk-figure-8a",
    title="Improvement of PWH over the better baseline for the salaries (Figure 8a)",
    x_symbol=epsilon,
    y_symbol=c,
    x=figure_2b.x,
    y=figure_2b.y,
    layers=(
        Heatmap(BEST.subs(m, 1), Axis("relative improvement R", (0.0, 2.0)), _map(hybrid.relative_improvement)),
        *_LINES,
    ),
    parameters=(USERS_SLIDER, SIGMA_SLIDER),
    caption=r"""
        The dark corner, where \(R\) is below one half, has large \(\epsilon\) and small \(c\), not large \(c\) as the
        text says. The two lines are the exact border of \(R < 1\); at each \(\epsilon\) they are at two \(c\) with the
        product \(1/n\), so with very few trusting users PWH beats Full-LM again. Raise \(\sigma/m\): the border comes
        to the left.
    """,
    alt="""
        Coloured map over epsilon and c, both logarithmic: a bright narrow ridge along c = 0.2 percent up to
        epsilon = 1; from epsilon = 4 on, a solid line runs up to the right and a dashed one down; between them the map
        is dark.
    """,
)

figure_8b = FigureSpec(
    name="adk-figure-8b",
    title="Improvement of PWH over the worse baseline for the salaries (Figure 8b)",
    x_symbol=epsilon,
    y_symbol=c,
    x=figure_2b.x,
    y=figure_2b.y,
    layers=(
        Heatmap(
            WORST.subs(m, 1),
            Axis("improvement over the worse baseline, r", (1.0, 2500.0), "log"),
            _map(hybrid.improvement_over_worst),
        ),
        Curve(
            "TCM-Only is better above this line",
            known.best_share.subs(y, (epsilon * sigma) ** 2),
            lambda x, n, sigma: np.array([tie(budget, n, sigma) for budget in x]),
            width=2.6,
            colour=0,
        ),
    ),
    parameters=(USERS_SLIDER, SIGMA_SLIDER),
    readouts=(
        Readout(
            "r at c = 10 %, ε = 0.1",
            WORST.subs({c: sp.Rational(1, 10), epsilon: sp.Rational(1, 10), m: 1}),
            lambda **values: _map(hybrid.improvement_over_worst)(0.1, 0.1, **values),
        ),
        Readout(
            "without sampling error",
            sym.most_over_full_lm.subs(c, sp.Rational(1, 10)),
            lambda n, sigma: noise_only(n, 0.1),
        ),
    ),
    caption=r"""
        The colours are logarithmic. The largest values stand at the top left, at large \(c\) and small \(\epsilon\),
        not at high \(\epsilon\) as the text says: there Full-LM is the worse baseline, by a factor that grows like
        \(c^2n\). Along the line both baselines are equally good, and \(r\) is \(R\). Raise \(\sigma/m\): the bright
        corner fades.
    """,
    alt="""
        Coloured map over epsilon and c, both logarithmic: dark along a line at c = 0.2 percent that bends upwards at
        the right, brighter with distance above it, and brightest in the corner of large c and small epsilon.
    """,
)

FIGURES = (figure_8a, figure_8b)
