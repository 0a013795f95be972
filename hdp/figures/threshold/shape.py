"""Shape the budgets: who is thrown away by the best threshold, and who is clipped by the affine estimator."""

import numpy as np
import sympy as sp

from hdp import clipping
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.figures.lemma import of_groups
from hdp.figures.style import DRAWN
from hdp.sym.symbols import epsilon_1, n
from hdp.sym.threshold import in_ratios as sym

_BEST, _KEPT = sym.at_best(sym.budgets), sym.at_best(sym.shares)


def _population(epsilon_1, q, g, k_levels, n):
    """Budgets, numbers of users with at least each of them, and numbers with each; k levels."""
    steps = np.arange(int(k_levels))
    at_least = n * np.power(g, -steps)
    return epsilon_1 * np.power(q, steps), at_least, at_least - np.append(at_least[1:], 0)


def _threshold(**values):
    """Index, budget, share kept and risk of the best threshold, from eq. (3) at every level."""
    epsilon, at_least, _ = _population(**values)
    risks = 0.25 / at_least + 2 / (at_least * epsilon) ** 2
    best = np.argmin(risks)
    return epsilon[best], at_least[best] / values["n"], risks[best]


def _level(**values):
    epsilon, _, users = _population(**values)
    return clipping.water_level(epsilon, users * epsilon, 8.0)


def _affine(**values):
    """Risk from the solver for groups, without the empty ones."""
    epsilon, _, users = _population(**values)
    return of_groups(users[users > 0], epsilon[users > 0])[1]


def _allowed(x, **values):
    epsilon, at_least, _ = _population(**values)
    rank = np.searchsorted(-at_least / values["n"], -x, side="right") - 1  # the last level whose share is at least x
    return epsilon[np.clip(rank, 0, None)]


def _levels(q, g, k_levels, **_):
    return 1 if q == 1 or g == 1 else int(k_levels)


shape_budgets = FigureSpec(
    name="cz-shape-budgets",
    title="Shape the budgets: whom does one threshold throw away?",
    x_symbol=sym.user,
    x=Axis("share of users, the most generous first", (5e-5, 1.0), "log"),
    y=Axis("budget (nats)", (1e-5, 1e3), "log"),
    layers=(
        Curve(
            "thrown away",
            sym.dropped_budget_of_user,
            lambda x, **v: np.where(x > _threshold(**v)[1], _allowed(x, **v), np.nan),
            width=8,
            colour=1,
        ),
        Curve("allowed, ε", sym.budget_of_user, _allowed, width=1.6, colour=5),
        Curve(
            "affine: min(ε, τ)",
            sp.Min(sym.budget_of_user, sym.shape_level),
            lambda x, **v: np.minimum(_allowed(x, **v), _level(**v)),
            dash=(8, 4),
            width=3,
            colour=0,
        ),
        Curve(
            "best threshold",
            sym.threshold_budget_of_user,
            lambda x, **v: np.where(x <= _threshold(**v)[1], _threshold(**v)[0], np.nan),
            **DRAWN["best threshold"],
        ),
        Rule("τ, where the affine estimator clips", y=sym.shape_level, reference=_level),
        Marker("last user kept", _KEPT, _BEST, lambda **v: _threshold(**v)[1::-1]),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, smallest budget", 1e-5, 1, 1e-3, per_decade=10),
        Parameter.logarithmic(sym.budget_step, "q, step from budget to budget", 1, 1e4, 1e4, per_decade=10),
        Parameter.logarithmic(
            sym.share_step, "g, step from share to share", 1, 20, 10, per_decade=10, also=(10_000 / 9999, 2)
        ),
        Parameter.linear(sym.levels, "k, number of levels", 1, 4, 1, 2),
        Parameter.logarithmic(n, "n, number of users", 100, 1_000_000, 10_000, per_decade=10),
    ),
    readouts=(
        Readout("best threshold, R_thr", sym.shape_threshold, lambda **v: _threshold(**v)[2]),
        Readout("affine estimator, R_aff", sym.shape_affine, _affine),
        Readout(
            "ratio R_thr/R_aff", sym.shape_threshold / sym.shape_affine, lambda **v: _threshold(**v)[2] / _affine(**v)
        ),
        Readout("bound of Theorem 4, k²", sym.level_count**2, lambda **v: _levels(**v) ** 2),
        Readout("users thrown away, in %", 100 * (1 - _KEPT), lambda **v: 100 * (1 - _threshold(**v)[1])),
    ),
    presets=(
        Preset("Theorem 3's construction", {"epsilon_1": 1e-4, "q": 10.0, "k_levels": 4.0}),
        Preset("One strict user", {"epsilon_1": 1e-4, "q": 1000.0, "g": 10_000 / 9999, "k_levels": 2.0}),
        Preset("Equal budgets", {"epsilon_1": 0.1, "q": 1.0}),
    ),
    reset_label="Almost public",
    caption=r"""
        There are \(k\) budgets \(\epsilon_1 q^{j-1}\), and a share \(g^{-(j-1)}\) of the users has at least the
        \(j\)-th (sizes need not be whole). Theorem 3 takes \(g = q\): the steps follow a straight line, every
        threshold leaves the same noise, and the ratio comes near \(k^2\); with smaller steps it stays below. Move
        \(g\) off \(q\): a threshold can then follow one corner, and the ratio falls.
        The circle is the strictest user whom the best threshold keeps, and the thick band marks those whose data it
        throws away: 90 % beside an almost public group,
        nobody in Theorem 3's construction. The affine estimator uses everybody, and
        clips the budgets above the horizontal line.
        The bound shown is that of Theorem 4, with \(k \le H_n\) for all \(n\) of the slider.
    """,
    alt="""
        One step down on logarithmic axes from a tenth of generous users to nine tenths of strict ones, whose budgets
        lie under a thick band; the best threshold uses the whole budget of the generous, the affine estimator less.
    """,
)

FIGURES = (shape_budgets,)
