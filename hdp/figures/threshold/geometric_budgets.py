"""Shape the budgets: who is thrown away by the best threshold, and who is clipped by the affine estimator."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Note, Parameter, Preset, Readout, Rule
from hdp.figures.shared import users
from hdp.figures.style import DRAWN
from hdp.sym.symbols import epsilon_1
from hdp.sym.threshold import in_ratios as sym

TOP = 1000.0  # of the picture, in nats
_BEST, _KEPT = sym.at_best(sym.budgets), sym.at_best(sym.shares)
_CLIPPED = sp.Min(sym.budget_of_user, sym.shape_level)

shape_budgets = FigureSpec(
    name="cz-shape-budgets",
    title="Shape the budgets: whom does one threshold throw away?",
    x_symbol=sym.user,
    x=Axis("share of users, the most generous first", (5e-5, 1.0), "log"),
    y=Axis("budget (nats)", (1e-5, TOP), "log"),
    layers=(
        Curve("thrown away", sym.dropped_budget_of_user, width=8, colour=1, steps=True),
        Curve("allowed, ε", sym.budget_of_user, width=1.6, colour=5, steps=True),
        Curve("affine: min(ε, τ)", _CLIPPED, dash=(8, 4), width=3, colour=0, steps=True),
        Curve("best threshold", sym.threshold_budget_of_user, steps=True, **DRAWN["best threshold"]),
        Rule("τ, where the affine estimator clips", y=sym.shape_level, left=True),
        Marker("last user kept", _KEPT, _BEST),
        Note(
            "All budgets lie above this picture: lower q, the step from budget to budget.",
            when=sym.budget_of_user.subs(sym.user, 1) > TOP,
        ),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, smallest budget (nats)", 1e-5, 1, 1e-4, per_decade=10),
        Parameter.logarithmic(sym.budget_step, "q, step from budget to budget", 1, 1e4, 10, per_decade=10),
        Parameter.logarithmic(
            sym.share_step, "g, step from share to share", 1, 20, 10, per_decade=10, also=(10_000 / 9999, 2)
        ),
        Parameter.linear(sym.levels, "k, number of levels", 1, 4, 1, 4),
        users(100, 1_000_000, 10_000),
    ),
    readouts=(
        Readout("best threshold errs by", sym.shape_threshold),
        Readout("affine estimator errs by", sym.shape_affine),
        Readout("ratio of the two errors", sym.shape_threshold / sym.shape_affine),
        Readout("bound of Theorem 4, k²", sym.level_count**2),
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
