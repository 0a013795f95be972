"""One threshold with Laplace and with Gaussian noise, for two groups; the paper has no such figure."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import own_figure
from hdp.sym.threshold import in_ratios as sym
from hdp.sym.threshold.in_ratios import budget_ratio, size_ratio, strictness

gaussian = own_figure(
    name="cz-gaussian-ratio",
    title="One threshold with Laplace and with Gaussian noise",
    x_symbol=size_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", (1e-4, 1e2), "log"),
    y=Axis("error, best threshold to best weights", (1.0, 4.4)),
    layers=(
        Curve("Laplace noise, pure budgets", sym.ratio, dash=(8, 4), colour=1),
        Curve("Gaussian noise, zero-concentrated privacy", sym.gaussian_ratio, width=3, colour=0),
        Rule("Theorem 2: 4", y=sp.Integer(4)),
    ),
    parameters=(
        Parameter.logarithmic(strictness, "budget of group 1 for Laplace noise × √n", 0.01, 10, 0.1, per_decade=10),
        Parameter.logarithmic(budget_ratio, "how many times as much group 2 allows", 1, 1e5, 100, per_decade=10),
    ),
    caption=r"""
        Raise what group 2 allows from 1: both humps climb and move to the left, the dashed one ahead; it falls again,
        to at most 2, where group 2 is as good as public. With zero-concentrated privacy losses \(\rho_1\) and
        \(\rho_2\) have the effect of the pure budgets \(2\sqrt{\rho_1}\) and \(2\sqrt{\rho_2}\): a ratio of 100 is
        like one of 10.
    """,
    alt="""
        Two humps over the logarithmic ratio of group sizes, below a line at 4: the dashed one further to the left and
        higher, the solid one to its right and lower.
    """,
)
