"""What a user spends of her budget where numbers have finitely many digits."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, where
from hdp.sym.symbols import epsilon
from hdp.sym.use import real_release as sym

_MOST = 3  # times her budget: the upper end of the axis

rounding = own_figure(
    name="hdp-release-rounding",
    title="Who pays for rounding",
    x_symbol=epsilon,
    x=Axis("budget of a user, ε (nats)", (1e-6, 1.0), "log"),
    y=Axis("what she spends / what she allowed", (0.0, float(_MOST))),
    layers=(
        Curve("the sum is rounded: OpenDP charges this", where(sym.grid < (_MOST - 1) * epsilon, sym.rounded_after)),
        Curve("her share is rounded down: at least this", sym.rounded_before),
        Rule("her budget", y=sp.Integer(1)),
    ),
    parameters=(Parameter.linear(sym.bits, "binary digits of the grid", 4, 30, 1, 12),),
    readouts=(Readout("grid, in scales of the noise", sym.grid),),
    caption=r"""
        Move the digits: a finer grid brings both lines nearer to the budget wherever that exceeds a step, but only the
        lower one is on its right side. The upper line is what OpenDP charges for a sum rounded to the grid; of
        a budget whose share was rounded down before, no less than the lower one is spent.
    """,
    alt="""
        Loss over budget against the budget on a logarithmic axis. From above a line comes down to 1 as budgets grow;
        from below another one rises from 0 to 1.
    """,
)


# -- What a local user's report costs in rho, against its variance.

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
