"""Figure 3 of Chaudhuri & Courtade (2023): the figures 1(A) and 1(B) with FME added, on logarithmic axes."""

from dataclasses import replace

import sympy as sp

from hdp import baselines
from hdp.explore import Axis, Curve, Parameter
from hdp.figures.cc.error import error_curve, figure_1b, grouped_budgets
from hdp.figures.cc.experiments import excess_curves, figure_1a
from hdp.sym import cc_baselines as sym
from hdp.sym.symbols import epsilon_1


def _tenth(curve):
    """Return what an order of magnitude below the curve would be."""
    return Curve(
        "a tenth of FME",
        curve.y / 10,
        lambda x, **values: curve.reference(x, **values) / 10,
        dash=(2, 3),
        width=1.6,
        colour=5,
    )


def _fme_error(epsilon_1, epsilon_2, n, f):
    return 1e4 * baselines.expected_mse("fme", grouped_budgets(epsilon_1, epsilon_2, n, f))


_FME_A = excess_curves(1, "fme")[0]
_FME_B = error_curve(
    "FME (our reconstruction)", sym.fme_mse.subs(sym.v, sp.Rational(1, 4)), _fme_error, dash=(12, 3), colour=6
)

figure_3a = replace(
    figure_1a,
    name="cc-figure-3a",
    title="FME against the number of users",
    y=Axis("(mean squared error − 1/(12n)) n", scale="log"),
    layers=(*excess_curves(1, "uni", "ldpe", "sm", "adpm"), _FME_A, _tenth(_FME_A)),
    parameters=(
        Parameter.linear(epsilon_1, "ε₁, budget of group 1", 0.01, 0.14, 0.005, 0.1),
        *figure_1a.parameters[1:],
    ),
    caption=r"""
        Figure 3(A): Figure 1(A) with FME, and \(n\) in place of \(n^2\). The range of \(n\) is ours, as there,
        and so is the logarithmic axis; on it equal distances are equal ratios, and the dotted line lies an
        order of magnitude below FME. FME is constant, because its noise falls no faster than \(1/\sqrt n\); the
        other lines fall, and cross the dotted one at different sizes. Lower \(\epsilon_1\): below \(1/\sqrt n\)
        FME stops clipping group 1, and jumps.
    """,
    alt="""
        Five lines on a logarithmic axis: FME is constant at 2; LDPE, UNI, SM and ADPM fall, and each crosses a dotted
        line at 0.2 somewhere between 600 and 1400 users.
    """,
)

figure_3b = replace(
    figure_1b,
    name="cc-figure-3b",
    title="FME against the budget of the second group",
    y=Axis("mean squared error × 10⁴", scale="log"),
    layers=(*figure_1b.layers, _FME_B, _tenth(_FME_B)),
    caption=r"""
        Figure 3(B): Figure 1(B) with FME, on a logarithmic axis, which is ours like the range. FME is constant:
        all budgets lie above its level \(1/\sqrt n\), so it clips them all to the same. An order of magnitude
        below it, at the dotted line, is nobody; at most a factor of 9 is possible. Lower \(\epsilon_1\): below
        \(1/\sqrt n\) FME stops clipping group 1, and its line first jumps down and then rises.
    """,
    alt="""
        The five lines of Figure 1(B) between 4 and 8, FME constant far above them at 22.5, and a dotted line below
        them all at 2.25.
    """,
)
