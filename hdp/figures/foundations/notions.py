"""What is given up under four notions of privacy, and how the saturation ratio grows with the dimension."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users
from hdp.sym.foundations import notions as sym
from hdp.sym.foundations.notions import d, kind, loss_1, loss_2
from hdp.sym.symbols import f, order
from hdp.sym.threshold import one_threshold
from hdp.sym.threshold.one_threshold import budget_ratio, size_ratio, strictness

_FIXED = {f: sp.Rational(7, 10), order: sp.Integer(10)}
_NAMES = {"pure, ε": 0, "Gaussian, μ": 1, "zero-concentrated, ρ": 2, "Rényi of order 10, ε": 3}
_GIVEN_UP_1, _GIVEN_UP_2 = sym.given_up(_FIXED)

given_up = own_figure(
    name="notions-given-up",
    title="What is given up under each notion of privacy",
    x_symbol=loss_2,
    x=Axis("budget that group 2 allows (in the notion's unit)", (1e-3, 100.0), "log"),
    y=Axis("privacy loss (in the notion's unit)", (1e-3, 100.0), "log"),
    layers=(
        Curve("group 2 allows", loss_2, dash=(3, 3), width=1.6, colour=5),
        Curve("group 2 gives up", _GIVEN_UP_2, width=3, colour=0),
        Curve("group 1 allows and gives up", _GIVEN_UP_1, colour=1),
        Rule("group 2 is cut from here", x=(loss_1 * sym.chosen_ratio).subs(_FIXED)),
    ),
    parameters=(
        Parameter.choice(kind, "Privacy is", _NAMES, 0),
        Parameter.logarithmic(loss_1, "budget of group 1 (in this unit)", 0.01, 1, 0.1, per_decade=10),
        Parameter.linear(d, "d, dimension of the values", 1, 20, 1, 1),
        users(100, 100_000, 200, multiple_of=100),
    ),
    readouts=tuple(
        Readout(f"saturation ratio, {name.split(',')[0]}", ratio.subs(_FIXED))
        for name, ratio in zip(_NAMES, sym.saturation_ratios.values(), strict=True)
    ),
    caption=r"""
        Choose a notion, then raise the dimension: the vertical line, from which privacy is free, moves right.
        70 % of the users are in group 1. The lines begin where both groups allow as much, and are missing where
        the answer is the centre, from which nobody loses anything.
    """,
    alt="""
        Privacy loss of group 2 against what it allows, on logarithmic axes: it follows the diagonal up to the
        saturation point and is constant afterwards; the loss of group 1 is constant below.
    """,
)


# -- One threshold with Laplace and with Gaussian noise, for two groups; the paper has no such figure.

gaussian = own_figure(
    name="cz-gaussian-ratio",
    title="One threshold with Laplace and with Gaussian noise",
    x_symbol=size_ratio,
    x=Axis("ratio of group sizes, N₂/N₁", (1e-4, 1e2), "log"),
    y=Axis("error, best threshold to best weights", (1.0, 4.4)),
    layers=(
        Curve("Laplace noise, pure budgets", one_threshold.ratio, dash=(8, 4), colour=1),
        Curve("Gaussian noise, zero-concentrated privacy", one_threshold.gaussian_ratio, width=3, colour=0),
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
