"""How much one threshold can lose with k levels of privacy among n users; the paper has no such figure."""

import numpy as np
import sympy as sp

from hdp import threshold
from hdp.explore import Axis, Curve, FigureSpec, Marker, Note, Parameter, Preset, Readout, Rule
from hdp.figures.shared import dots, users, where
from hdp.figures.style import DRAWN
from hdp.sym.symbols import epsilon_1, n
from hdp.sym.threshold import one_threshold
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


# -- Shape the budgets: who is thrown away by the best threshold, and who is clipped by the affine estimator.

TOP = 1000.0  # of the picture, in nats
_BEST, _KEPT = one_threshold.at_best(one_threshold.budgets), one_threshold.at_best(one_threshold.shares)
_CLIPPED = sp.Min(one_threshold.budget_of_user, one_threshold.shape_level)

shape_budgets = FigureSpec(
    name="cz-shape-budgets",
    title="Shape the budgets: whom does one threshold throw away?",
    x_symbol=one_threshold.user,
    x=Axis("share of users, the most generous first", (5e-5, 1.0), "log"),
    y=Axis("budget (nats)", (1e-5, TOP), "log"),
    layers=(
        Curve("thrown away", one_threshold.dropped_budget_of_user, width=8, colour=1, steps=True),
        Curve("allowed, ε", one_threshold.budget_of_user, width=1.6, colour=5, steps=True),
        Curve("affine: min(ε, τ)", _CLIPPED, dash=(8, 4), width=3, colour=0, steps=True),
        Curve("best threshold", one_threshold.threshold_budget_of_user, steps=True, **DRAWN["best threshold"]),
        Rule("τ, where the affine estimator clips", y=one_threshold.shape_level, left=True),
        Marker("last user kept", _KEPT, _BEST),
        Note(
            "All budgets lie above this picture: lower q, the step from budget to budget.",
            when=one_threshold.budget_of_user.subs(one_threshold.user, 1) > TOP,
        ),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, smallest budget (nats)", 1e-5, 1, 1e-4, per_decade=10),
        Parameter.logarithmic(one_threshold.budget_step, "q, step from budget to budget", 1, 1e4, 10, per_decade=10),
        Parameter.logarithmic(
            one_threshold.share_step, "g, step from share to share", 1, 20, 10, per_decade=10, also=(10_000 / 9999, 2)
        ),
        Parameter.linear(one_threshold.levels, "k, number of levels", 1, 4, 1, 4),
        users(100, 1_000_000, 10_000),
    ),
    readouts=(
        Readout("best threshold errs by", one_threshold.shape_threshold),
        Readout("affine estimator errs by", one_threshold.shape_affine),
        Readout("ratio of the two errors", one_threshold.shape_threshold / one_threshold.shape_affine),
        Readout("bound of Theorem 4, k²", one_threshold.level_count**2),
        Readout("users thrown away, in %", 100 * (1 - _KEPT)),
    ),
    presets=(
        Preset("A tenth almost public", {"epsilon_1": 1e-3, "q": 10_000.0, "k_levels": 2.0}),
        Preset("One strict user", {"epsilon_1": 1e-4, "q": 1000.0, "g": 10_000 / 9999, "k_levels": 2.0}),
        Preset("Equal budgets", {"epsilon_1": 0.1, "q": 1.0, "k_levels": 2.0}),
    ),
    reset_label="Theorem 3's construction",
    caption=r"""
        Move \(g\) off \(q\): while noise is nearly all of the error, a threshold can then follow one corner, and
        the ratio, if it is not 1, falls. The thick band marks whom the best threshold throws away, up to the circle,
        the strictest user kept. A share \(g^{-(j-1)}\) of the users has at least the budget \(\epsilon_1 q^{j-1}\), for
        \(j = 1, \dots, k\).
    """,
    alt="""
        Four steps down on logarithmic axes, each to a tenth of the budget at ten times the number of users. The best
        threshold keeps everybody at the strictest budget; the affine estimator follows all the steps and clips none.
    """,
)


# -- Two levels of budgets where no risk counts more than that of the trivial answer; the companion's own.

_INSIDE = sym.m < n

trivial_answer = FigureSpec(
    name="cz-trivial-answer",
    title="Two levels: how many should be generous?",
    x_symbol=sym.m,
    x=Axis("users with the larger budget, m", (2.0, 5000.0), "log"),
    y=Axis("worst ratio of errors for this m", (1.0, 4.3)),
    layers=(
        Curve("trivial answer admitted", where(_INSIDE, sym.two_level_capped), width=3),
        Curve("not admitted, noise only", where(_INSIDE, sym.gain((sym.m, n)) ** 2), dash=(8, 4)),
        Rule("top: m = √(n/2)", x=sym.two_level_generous),
        Rule("height of the top, 4 − 4√(2/n)", y=sym.two_level_expansion, below=True),
    ),
    parameters=(users(20, 100_000, 1000),),
    readouts=(Readout("place of the top for many users, √(n/2)", sym.two_level_generous),),
    reset_label="Initial value",
    caption=r"""
        Raise \(n\): the top climbs towards 4, and comes ever closer to where the two rules cross. For every number
        \(m\) of generous users the worst budgets of the two groups are drawn: dashed with budgets so small that only
        noise counts, solid where no risk counts more than 1/4.
    """,
    alt="""
        A dashed line falls from 4 to 1 as more users are generous. A solid hump lies below it, with its top near 3.8
        where the square root of half the users is generous.
    """,
)
