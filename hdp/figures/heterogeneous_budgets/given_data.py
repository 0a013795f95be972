"""The level for given data and for data that are drawn, against the number of users."""

from hdp.explore import Axis, Curve, Readout
from hdp.figures.shared import first_budget, first_share, own_figure
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import given_data as sym
from hdp.sym.symbols import epsilon_1, n

levels = own_figure(
    name="cc-given-data",
    title="What the lenient group gives up",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 10_000.0), "log"),
    y=Axis("most that anybody gives up, τ (nats)", (0.005, 1000.0), "log"),
    layers=(
        Curve("data drawn at random", sym.drawn_level, **DRAWN["ADPM"]),
        Curve("given data, at their worst", sym.two_group_level, **DRAWN["given data"]),
        Curve("what the strict group gives up", epsilon_1, **DRAWN["UNI"]),
    ),
    parameters=(
        first_budget(0.01, 1.0, 0.05, per_decade=15),
        first_share(0.1, 0.9, 0.1, 0.5),
    ),
    readouts=(
        Readout("n at which the level is 10 % above ε₁, drawn data", sym.near_drawn),
        Readout("the same, given data", sym.near_given),
    ),
    caption=r"""
        Lower \(\epsilon_1\): both levels come down to the strict group's line later, that for given data still long
        before the other, because it does so with the square of the number of users. The other group allows more than
        the level, and keeps what lies above the line.
    """,
    alt="""
        Three lines against the number of users on logarithmic axes: two fall from the left and approach the third,
        which is horizontal; that of given data does so much earlier.
    """,
)
