"""Two levels of budgets where no risk counts more than that of the trivial answer; the companion's own."""

import numpy as np
import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.lemma import of_groups
from hdp.sym.symbols import n
from hdp.sym.threshold import worst_case as sym


def _two_groups(x, n):
    """The affine risk of two groups at the saturating budgets, from the solver: 1/(4 R)."""
    found = []
    for size in x:
        if not 1 < size < n:
            found.append(np.nan)
            continue
        sizes, counts = np.array([size, n - size]), np.array([size, n])
        found.append(0.25 / of_groups(sizes, np.sqrt(8 / (counts * (counts - 1))))[1])
    return np.array(found)


def _noise_only(x, n):
    levels = 1 / np.array([x, np.full_like(x, n)])  # budgets with N_j e_j = 1
    return np.where(x < n, (x * levels[0] + (n - x) * levels[1]) ** 2, np.nan)


_INSIDE = sym.m < n

trivial_answer = FigureSpec(
    name="cz-trivial-answer",
    title="Two levels: how many should be generous?",
    x_symbol=sym.m,
    x=Axis("users with the larger budget, m", (2.0, 5000.0), "log"),
    y=Axis("worst ratio R_thr / R_aff for this m", (1.0, 4.0)),
    layers=(
        Curve(
            "trivial answer admitted",
            sp.Piecewise((sym.two_level_capped, _INSIDE), (sp.nan, True)),
            _two_groups,
            width=3,
        ),
        Curve(
            "not admitted, noise only",
            sp.Piecewise(((2 - sym.m / n) ** 2, _INSIDE), (sp.nan, True)),
            _noise_only,
            dash=(8, 4),
        ),
        Rule("m = √(n/2)", x=sp.sqrt(n / 2), reference=lambda n: np.sqrt(n / 2)),
        Rule("4 − 4√(2/n)", y=4 - 4 * sp.sqrt(2 / n), reference=lambda n: 4 - 4 / np.sqrt(n / 2), below=True),
    ),
    parameters=(Parameter.logarithmic(n, "n, number of users", 20, 100_000, 1000, per_decade=10),),
    readouts=(Readout("√(n/2)", sp.sqrt(n / 2), lambda n: np.sqrt(n / 2)),),
    reset_label="Initial value",
    caption=r"""
        For every number m of generous users the worst budgets of the two groups. Dashed: as in Theorem 3, with
        budgets so small that only noise counts; the fewer are generous the worse. Solid: no risk counts more than
        1/4, so that a small group loses by its sampling error as well, and the worst case is in the middle. Move n:
        the top climbs along the horizontal rule towards 4, and its place along the vertical one. The rules are the
        first terms for large n; for few users the top lies visibly above the horizontal one. The paper has no such
        figure.
    """,
    alt="""
        A dashed line falls from 4 to 1 as more users are generous. A solid hump lies below it, with its top near 3.8
        where the square root of half the users is generous.
    """,
)

FIGURES = (trivial_answer,)
