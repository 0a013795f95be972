"""Upper against lower bound for two groups; the paper has no such figures."""

import numpy as np
import sympy as sp
from scipy.optimize import minimize_scalar

from hdp import adpm
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.cc.groups import SATURATION, optimum
from hdp.sym import cc as sym
from hdp.sym import cc_lower as lower
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n


def _curve(label, expression, function, **style):
    """A curve over epsilon_2 >= epsilon_1; `function` is the NumPy route at one point."""

    def reference(x, epsilon_1, n, f):
        return np.array([function(epsilon_1, e, n, f) if e >= epsilon_1 else np.nan for e in x])

    return Curve(label, sp.Piecewise((expression, epsilon_2 >= epsilon_1), (sp.nan, True)), reference, **style)


def _upper(epsilon_1, epsilon_2, n, f):
    return min(optimum(epsilon_1, epsilon_2, n, f)[1], 0.25)


def _theorem_2(epsilon_1, epsilon_2, n, f):
    saturated = epsilon_2 >= epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f)
    return _upper(epsilon_1, epsilon_2, n, f) / (1048 if saturated else 1560)


def _paper_slopes(epsilon_1, epsilon_2, n, f):
    private = np.cumsum([0, 2 * n * f * epsilon_1, 2 * n * (1 - f) * epsilon_2])
    return private + np.array([np.sqrt(1.5 * n), np.sqrt(32 * n * (1 - f)), 0.0])


def _paper(k):
    """Eqs. (37) to (39) as delta^2/16 at the paper's delta."""

    def bound(*point):
        return min(0.5 / _paper_slopes(*point)[k], 0.5) ** 2 / 16

    return bound


def _best_of_paper(*point):
    return max(_paper(k)(*point) for k in range(3))


def _closed_form(epsilon_1, epsilon_2, n, f):
    """Maximise the bound over delta and over the three k by search."""
    influence = np.array([n * f, n * (1 - f)]) * np.tanh([epsilon_1 / 2, epsilon_2 / 2])
    private, others = np.cumsum([0, *influence]), np.array([n, n * (1 - f)])
    slopes = private + np.append(np.sqrt(2 / np.pi * (others + 1)), 0.0)
    found = [
        minimize_scalar(
            lambda d, a=a: -(d**2) / 4 * (1 - a * d), (0, min(1, 1 / a)), bounds=(0, 1), options={"xatol": 1e-9 / a}
        )
        for a in slopes
    ]
    return max(*(-s.fun for s in found), *((1 - slopes) / 4))  # delta = 1 is an end of the range


_EPSILON_1 = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.0005, 0.5, 0.002)
_N = Parameter.logarithmic(n, "n, number of users", 200, 20_000, 10_000, per_decade=10, multiple_of=100)
_F = Parameter.linear(f, "f, fraction of users in group 1", 0.01, 0.99, 0.01, 0.99)
_X = Axis("budget of group 2, ε₂ (nats)", (0.001, 10.0), "log")
_point = Readout("saturation at ε₂ = Rε₁", SATURATION, lambda epsilon_1, n, f: epsilon_1 + 8 / (n * f * epsilon_1))
_rule = Rule("Rε₁", x=SATURATION, reference=_point.reference)

bounds = FigureSpec(
    name="cc-lower-bounds",
    title="Between which bounds the minimax error lies",
    x_symbol=epsilon_2,
    x=_X,
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        _curve("Theorem 1 (upper bound)", sym.upper_bound, _upper, width=3),
        _curve("(37): nobody's privacy, k = 0", lower.eq_37, _paper(0), dash=(8, 4)),
        _curve("(38): privacy of group 1, k = nf", lower.eq_38, _paper(1), dash=(3, 3)),
        _curve("(39): privacy of all, k = n", lower.eq_39, _paper(2), dash=(10, 3, 2, 3)),
        _curve("Theorem 2 (1/1560 and 1/1048)", lower.lower_bound, _theorem_2, width=3),
        _rule,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(_point,),
    reset_label="Initial values",
    caption=r"""
        The minimax error lies between the upper thick line and the highest of all the others. The two thick lines are
        parallel by Theorem 2, but for a step at the vertical line, where its constant changes. Make group 2 generous:
        (39) falls for ever, and (38), which does not depend on \(\epsilon_2\), takes its place: this is why more
        generosity beyond some point helps no algorithm much. Lower \(f\) below 0.95 and (38) drops below (37) for
        good, although it should matter there: equation (32) gives too much away. The paper has no such figure.
    """,
    alt="""
        On a logarithmic scale an upper bound, and three decades below it four lower bounds: one is parallel to it
        but for a step, two are constant, and one falls steeply for large budgets.
    """,
)

gap = FigureSpec(
    name="cc-lower-gap",
    title="Upper bound divided by lower bound",
    x_symbol=epsilon_2,
    x=_X,
    y=Axis("ratio of the bounds", (1.0, 5000.0), "log"),
    layers=(
        _curve(
            "Theorem 2 (1/1560 and 1/1048)",
            sym.upper_bound / lower.lower_bound,
            lambda *point: _upper(*point) / _theorem_2(*point),
            width=1.6,
        ),
        _curve(
            "Lemma 4: best of (37), (38), (39)",
            sym.upper_bound / sp.Max(lower.eq_37, lower.eq_38, lower.eq_39),
            lambda *point: _upper(*point) / _best_of_paper(*point),
            dash=(8, 4),
        ),
        _curve(
            "closed form, best constants",
            sym.upper_bound / lower.closed_form,
            lambda *point: _upper(*point) / _closed_form(*point),
            width=3,
        ),
        Rule("40: proved for any budgets", y=sp.Integer(40), reference=lambda epsilon_1, n, f: 40.0),
        _rule,
    ),
    parameters=(_EPSILON_1, _N, _F),
    readouts=(_point,),
    reset_label="Initial values",
    caption=r"""
        How far apart Theorem 1 and a lower bound are. Theorem 2 is constant by construction, with a step; the three
        bounds of Lemma 4, from which it is put together, are at most as far away. The thick line is the same
        argument with every constant at its best, for \(k = 0, nf, n\) and with the distance of the coins replaced by
        a line that bounds it, so that the best \(\delta\) has a closed form. With the exact distance and any \(k\)
        (<code>minimax.le_cam</code>) it would be lower still. A hump is where one \(k\) hands over to the next.
        Lower \(f\): the dashed line falls, because (37) takes over. The paper has no such figure.
    """,
    alt="""
        Three ratios on a logarithmic scale: one steps from 1560 to 1048, one rises from 500 to 1000, and one of about
        15 has a hump and stays below the horizontal line at 40.
    """,
)
