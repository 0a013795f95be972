"""What a local user's report costs in rho, against its variance."""

from hdp.explore import Axis, Curve, Parameter
from hdp.figures.shared import own_figure
from hdp.figures.style import DRAWN
from hdp.sym.use import gaussian_release as sym

prices = own_figure(
    name="hdp-gaussian-prices",
    title="What a report costs, by how much it varies",
    x_symbol=sym.report,
    x=Axis("variance of the report", (0.26, 3.0), "log"),
    y=Axis("price in zero-concentrated privacy, ρ", (0.15, 10.0), "log"),
    layers=(
        Curve("one bit, by the usual conversion", sym.converted_price, colour=3, dash=(8, 4)),
        Curve("one bit, what it really costs", sym.bit_price, **(DRAWN["one bit"] | {"width": 3})),
        Curve("the value with Gaussian noise", sym.noise_price, colour=0),
    ),
    parameters=(Parameter.linear(sym.v, "v, variance of the values, whose mean is 1/2", 0.0, 0.25, 0.01, 0.12),),
    caption=r"""
        Move the variance of the values: the line of Gaussian noise rises from below both lines of the bit to above
        both. Where it runs between them, the conversion advises noise, and the cheaper report is one bit. A report
        further to the right is less exact, and costs less.
    """,
    alt="""
        Prices against the variance of a report, on logarithmic axes: three falling lines, which come together to the
        right. One bit by the usual conversion is highest, one bit at its own price is lowest for most variances, and
        the value with Gaussian noise runs between them.
    """,
)
