"""What a user of private K-means loses if her value changes, on a line; the paper has no such figure."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import own_figure
from hdp.sym.hybrid_trust import k_means as sym

_SIDE = sp.Piecewise((1, sym.value_after > sym.border), (0, True))  # of the border

moved = own_figure(
    name="adk-k-means-budget",
    title="What a user loses if her value changes",
    x_symbol=sym.value_after,
    x=Axis("the user's value after the change", (0.0, 1.0)),
    y=Axis("loss in multiples of what she allows", (0.0, 2.2)),
    layers=(
        Curve("noise as printed, box from 0 to 1", sym.loss_printed, dash=(8, 4), colour=1, part=_SIDE),
        Curve("noise corrected, box from 0 to 1", sym.loss_corrected, width=3, colour=0, part=_SIDE),
        Curve("noise corrected, box about 0", sym.loss_centred, dash=(3, 3), colour=2, part=_SIDE),
        Rule("what she allows", y=sp.Integer(1)),
    ),
    parameters=(
        Parameter.linear(sym.border, "border between the clusters", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(sym.value_before, "her value before", 0, 1, 0.05, 1),
    ),
    caption=r"""
        Follow the dashed line from right to left: within her cluster the user loses less than half, across the border
        more than what she allows. Drag the border, and the lines jump elsewhere. With the corrected noise no line
        passes 1; about 0 sums are smaller, and less noise is enough.
    """,
    alt="""
        Three broken lines against the value after the change: low to the right of a border at 0.6, high to the
        left of it; there the dashed one lies above a rule at 1, and the other two do not.
    """,
)
