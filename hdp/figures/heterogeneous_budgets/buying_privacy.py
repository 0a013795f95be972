"""Whom to ask and how much to buy, as water over prices; what a sum of money is good for."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, where
from hdp.figures.style import DRAWN
from hdp.sym.foundations import one_lemma as lemma
from hdp.sym.heterogeneous_budgets import buying_privacy as sym

prices = own_figure(
    name="cc-buying-water",
    title="Whom to ask, and how much to buy",
    x_symbol=lemma.place,
    x=Axis("users side by side: a vessel as wide as her price (money per nat)", (0.0, 18.0)),
    y=Axis("height of floors and water (money per nat)", (0.0, 8.0)),
    layers=(
        Curve("floor of a vessel: her price", sym.vessel(), colour=5, base=sp.S.Zero, width=2.6),
        Curve("what she sells", sym.vessel(sym.water), colour=0, base=sym.vessel(), width=2.6),
        Rule("from this price on nobody is asked", y=sym.water),
    ),
    parameters=(
        Parameter.linear(sym.money, "B, money", 4, 60, 1, 32),
        Parameter.linear(sym.ratio, "each price over the one before", 1, 1.6, 0.05, 1.5),
        Parameter.linear(sym.each, "users at each price", 20, 100, 10, 20),
    ),
    readouts=(
        Readout("users who are asked", sym.sellers),
        Readout("privacy loss of the cheapest (nats)", sym.cheapest_loss),
        Readout("error", sym.error),
    ),
    caption=r"""
        Raise the money: the water rises, and one price after the other is asked. How deep a user is under water says
        how much privacy she sells, and how much water is in her vessel says what she is paid. A user whose
        floor is dry sells nothing.
    """,
    alt="""
        Five vessels side by side, wider and with higher floors from left to right; water stands over the floors of the
        first ones up to a common level, the last are dry.
    """,
)

money = own_figure(
    name="cc-buying-money",
    title="What a sum of money is good for",
    x_symbol=sym.money,
    x=Axis("money B (prices of a cheap nat)", (1.0, 1000.0), "log"),
    y=Axis("error (squared units of the data)", (1e-4, 1.0), "log"),
    layers=(
        Curve("best purchase", sym.two_error, **DRAWN["ADPM"]),
        Curve("same loss of the cheapest", sym.two_alike, **DRAWN["best threshold"]),
        Curve("same loss of everybody", sym.two_everybody, **DRAWN["UNI"]),
        Rule("nobody asked", y=sp.Rational(1, 4)),
    ),
    parameters=(
        Parameter.logarithmic(sym.cheap, "users of price 1", 2, 200, 20, per_decade=10, multiple_of=1),
        Parameter.logarithmic(sym.dear, "users of the other price", 10, 10_000, 2000, per_decade=10, multiple_of=1),
        Parameter.logarithmic(sym.ratio, "the other price", 1.1, 100, 20, per_decade=10),
    ),
    caption=r"""
        Raise the other price: with little money only the cheap users are asked, with much money all are. In between
        the best purchase takes a little of many, and
        buying the same loss of each user asked cannot do as well.
    """,
    alt="""
        Three falling lines against money on logarithmic axes: the best purchase is lowest, the same loss of the
        cheapest follows it with a bulge in the middle, the same loss of everybody starts far above.
    """,
)

totals = own_figure(
    name="cc-buying-totals",
    title="What accuracy costs, for every total that is bought",
    x_symbol=sym.total,
    x=Axis("total of the privacy losses (nats)", (2.0, 200.0), "log"),
    y=Axis("error and payments (squared units of the data)", (0.03, 0.3), "log"),
    layers=(
        Curve("best weights", sym.best_asked, width=3),
        Curve("only the cheap asked", where(sym.total < sym.dear_until, sym.cheap_asked), dash=(8, 4)),
        Rule("here the dear drop out", x=sym.dear_until),
    ),
    parameters=(
        Parameter.logarithmic(sym.rate, "λ, error that a unit of money is worth", 1e-5, 1e-2, 2e-4, per_decade=20),
        Parameter.logarithmic(sym.ratio, "the other price", 1.1, 100, 30, per_decade=10),
        Parameter.logarithmic(sym.cheap, "users of price 1", 2, 200, 4, per_decade=10, multiple_of=1),
        Parameter.logarithmic(sym.dear, "users of the other price", 10, 10_000, 400, per_decade=10, multiple_of=1),
    ),
    caption=r"""
        Raise the rate a little: of the two valleys now the right one is deeper, in which only the cheap users are
        asked. Bring the other price below 4: one valley is left, whatever the rate.
    """,
    alt="""
        A line against the total of the losses, on logarithmic axes, with a valley on either side of a hill; a dashed
        line far above it on the left joins it where the users of the higher price drop out.
    """,
)
