"""What a local user's report costs in rho, against its variance."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter
from hdp.figures.shared import own_figure
from hdp.sym.use import gaussian_release as sym

prices = own_figure(
    name="hdp-gaussian-prices",
    title="What a report costs, by how much it varies",
    x_symbol=sym.report,
    x=Axis("variance of the report", (0.26, 3.0), "log"),
    y=Axis("price in ρ, as a multiple of what one bit costs", (0.5, 2.5)),
    layers=(
        Curve("price of one bit, by the usual conversion", sym.converted_price / sym.bit_price, colour=3, dash=(8, 4)),
        Curve("real price of one bit", sp.Integer(1), colour=3, width=3),
        Curve("the value with Gaussian noise", sym.noise_price / sym.bit_price, colour=0),
    ),
    parameters=(Parameter.linear(sym.v, "v, variance of the values", 0.0, 0.25, 0.01, 0.15),),
    caption=r"""
        Move the variance of the values: the line of Gaussian noise rises from below both lines of the bit to above
        both. Where it runs between them, the conversion advises noise, and the cheaper report is one bit. Further to
        the left, where the report is more exact, the two prices of the bit are further apart.
    """,
    alt="""
        Prices as multiples of what one bit really costs, a level line at 1, against the variance of the report. A
        dashed line, one bit by the usual conversion, falls from 2.4 to just above 1. The value with Gaussian noise runs
        between the two.
    """,
)
