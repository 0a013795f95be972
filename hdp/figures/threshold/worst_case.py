"""How much one threshold can lose with k levels of privacy among n users; the paper has no such figure."""

import numpy as np
import sympy as sp

from hdp import threshold
from hdp.explore import Axis, Curve, FigureSpec, Readout, Rule
from hdp.figures.shared import dots, users
from hdp.sym.symbols import n
from hdp.sym.threshold import worst_case as sym

_LEVELS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 35, 40)
_K = sp.Symbol("k", positive=True)  # a curve is drawn for real k
_RELAXED = sp.Piecewise((1, _K <= 1), (sym.relaxed_gain.subs(sym.k, _K) ** 2, _K <= n), (sp.nan, True))
_H = sym.harmonic_expansion.subs(sp.EulerGamma, sp.Float(np.euler_gamma, 17))  # the browser has no such constant


def _exact(users, colour):
    """Computed values; more levels than users are none."""
    ratios = {k: threshold.worst_case_ratio(k, users) for k in _LEVELS if k <= users}
    return dots(f"exact, n = {users:,}", ratios, colour)


worst_case = FigureSpec(
    name="cz-worst-case",
    title="How much one threshold can lose with k levels",
    x_symbol=_K,
    x=Axis("number of privacy levels, k", (1.0, 41.0), ticks=(1.0, 10.0, 20.0, 30.0, 40.0)),
    y=Axis("largest ratio of errors, threshold to best", (1.0, 300.0), "log"),
    layers=(
        Curve("bound min(k, Hₙ)²", sym.bound(_K, _H), dash=(8, 4), colour=0),
        Curve("counts relaxed to real numbers", _RELAXED, colour=1),
        Rule("corner, k = Hₙ", x=_H),
        *(_exact(users, colour) for colour, users in enumerate((10, 100, 1000, 10**6), 2)),
    ),
    parameters=(users(10, 10**6, 1000),),
    readouts=(Readout("limit for many levels, Hₙ²", _H**2),),
    reset_label="Initial value",
    caption=r"""
        Move \(n\) to 100, 1,000 or 1,000,000: the solid line runs through the dots of that \(n\) while \(k\) is
        small, and above them later, where whole numbers matter. Dots: the exact worst case \(F(k, n)^2\); they
        do not follow the slider. Dashes: the bound of Theorem 4, flat from \(k = H_n\) on.
    """,
    alt="""
        The dashed bound rises as k squared and turns flat at k = 7.5; the solid line and the dots for 1000 users stay
        below it and bend gently. Dots for fewer users level off earlier, dots for a million users later.
    """,
)
