"""What a user spends of her budget where numbers have finitely many digits."""

import sympy as sp

from hdp.explore import Axis, Curve, Marker, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, where
from hdp.sym.symbols import epsilon, n
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


# -- What not knowing an interval adds to the noise of the mean, by the part of the budgets that its bounds get.

_told = sym.bounds_share > sym.hidden / sym.left_out
_at = {epsilon: sp.Integer(1)}  # only n times epsilon counts
_best = sym.best_bounds_share.subs(_at)

bounds = own_figure(
    name="hdp-release-bounds-share",
    title="What bounds deserve",
    x_symbol=sym.bounds_share,
    x=Axis("part of every budget that is spent on bounds", (1e-4, 1.0), "log"),
    y=Axis("noise of the mean, as a multiple of that with a known interval", (0.9, 10.0), "log"),
    layers=(
        Curve("first bounds, then the mean", where(_told, sym.bounds_noise).subs(_at)),
        Marker("the best part", _best, sym.bounds_noise.subs(_at).subs(sym.bounds_share, _best)),
    ),
    parameters=(
        Parameter.logarithmic(n, "n, number of users", 10_000, 10_000_000, 30_000, per_decade=10),
        Parameter.linear(sym.left_out, "δ, part of the weight left out", 0.02, 0.3, 0.01, 0.05),
        Parameter.linear(sym.tail_index, "α, index of the tail", 1.2, 6, 0.1, 3),
        Parameter.linear(sym.hidden_scales, "h, what the counts' noise may hide, in its scales", 10, 40, 1, 20),
    ),
    readouts=(
        Readout("best part of the budgets", _best),
        Readout("least part that tells of any interval", (sym.hidden / sym.left_out).subs(_at)),
    ),
    caption=r"""
        Move the number of users: the more there are, the smaller is the best part, and the nearer comes the noise to
        that with a known interval. Too small a part makes the interval too long, too large a one leaves too little
        for the mean. Everybody's budget is 1 nat; for another one, multiply n by it.
    """,
    alt="""
        A valley: the noise is large where hardly anything is spent on bounds, falls to a point that is marked, and
        rises again without end towards the right.
    """,
)
