"""The picture of the first page: people as vessels, what they lose as water, and what the answer errs by."""

import sympy as sp

from hdp.explore import Axis, Box, Draws, Parameter, Readout, Rule, Text
from hdp.explore.layers import U, V
from hdp.figures.shared import own_figure
from hdp.sym.foundations import vessels as sym

_BUDGETS = (0.03, 0.15, 0.4, 1.0, 1.8)
_COLOURS = {"a budget each": 0, "one threshold": 6, "local reports": 3, "one budget for all": 4}
_EDGE = sp.Rational(1, 4)  # half of the width of the picture
_ROOM = sp.Rational(9, 20)  # of all vessels; right of them the level has its name
_COUNT = sp.Symbol("vessels", positive=True)
_LEFT = sp.symbols("left_1:6")


def _places():
    """How many vessels there are, and where each begins; nowhere if it is nobody's."""
    present = [sym.there(m, sp.S.One) for m in sym.members]
    yield _COUNT, sum(present)
    for i, (left, m) in enumerate(zip(_LEFT, sym.members, strict=True)):
        yield left, sym.there(m, _ROOM * (sum(present[:i]) + sp.Rational(1, 7)) / _COUNT - _EDGE, sp.nan)


def _vessel(i):
    """What shows a group: its vessel, what stands in it, and words."""
    (m, e), lost, left = sym.GROUPS[i], sym.lost[i], _LEFT[i]
    right = left + sp.Rational(5, 7) * _ROOM / _COUNT
    middle = (left + right) / 2
    room = sp.Piecewise(((lost + e) / 2, e - lost > sp.Rational(1, 10)), (sp.nan, True))
    return (
        Box("privacy you lose", left, sp.S.Zero, right, lost, colour=0, opacity=0.8),
        Box("privacy you keep", left, lost, right, e, colour=2, opacity=0.25),
        Box("what you allow", left, sp.S.Zero, right, e, colour=5, hollow=True, drag=e),
        Text("allows {}", middle, e + sp.Rational(8, 100), value=e),
        Text("keeps {}", middle, room, value=e - lost),
        Text(sym.NAMES[i], middle, -sp.Rational(11, 100), bold=True),
        Text("{} alike", middle, -sp.Rational(26, 100), value=m),
    )


def _answers(k, name, noise):
    """A row of answers of one way, and what it errs by."""
    top = -sp.Rational(1, 2) - sp.Rational(k, 3)
    spread = 37 * U - sp.floor(37 * U) if name == "local reports" else V
    words = Text(f"{name} errs by {{}}", -_EDGE, top, value=sym.errors[name], align="left")
    return words, Draws(name, noise, top - sp.Rational(1, 11) - spread / 8, colour=_COLOURS[name])


_LEVEL = sp.Piecewise((sym.tau, sp.Eq(sym.way, 0)), (sym.threshold, sp.Eq(sym.way, 1)), (sp.nan, True))
_MANY = {"one": 1, "× 10": 10, "× 100": 100, "× 1000": 1000}


def _parameters():
    ways = {"a budget each": 0, "one threshold (Cyffers & Ziani)": 1, "local reports": 2}
    yield Parameter.choice(sym.way, "Privacy is kept by", ways, 0)
    for i, (m, e) in enumerate(sym.GROUPS):
        name = sym.NAMES[i]
        yield Parameter.linear(e, f"{name} allows (nats)", 0.01, 2, 0.01, _BUDGETS[i], typed=True)
        yield Parameter.choice(m, f"How many like {name}", ({"nobody": 0} if i else {}) | _MANY, 100)


vessels = own_figure(
    name="vessels",
    title="What you allow, what you lose, what you keep",
    x_symbol=sym.x_noise,
    x=Axis("noise (the data's range is 1)", (-0.25, 0.25), ticks=(-0.2, -0.1, 0.0, 0.1, 0.2)),
    y=Axis("privacy (nats)", (-1.85, 2.1), ticks=(0.0, 0.5, 1.0, 1.5, 2.0)),
    layers=(
        *(layer for i in range(len(sym.NAMES)) for layer in _vessel(i)),
        Rule("level τ", y=_LEVEL),
        *(layer for k, (name, noise) in enumerate(sym.noises(U, V).items()) for layer in _answers(k, name, noise)),
    ),
    parameters=tuple(_parameters()),
    derived=(*sym.DERIVED, *_places()),
    readouts=(
        Readout("the most that somebody allows", sym.largest),
        Readout("what is lost of it", sym.lost_of_largest),
        Readout("what is kept of it", sym.largest - sym.lost_of_largest),
        Readout("the answer errs by", sym.error_in_use),
        Readout("with one budget for all", sym.errors["one budget for all"]),
    ),
    sentences=(
        "Whoever allows most, {}, loses {} and keeps {}.",
        "The answer errs by {}, where one budget for all errs by {}.",
    ),
    open=11,
    pairs=True,
    height=460,
    caption=r"""
        Pull a vessel up or down: it is a person, or a group of people who are alike, as high as the privacy loss
        that they allow. The water is the loss that an answer about all of them really causes. Each dot is the noise
        of one such answer; errors are root mean squares in the worst case.
    """,
    alt="""
        Five vessels of rising height with water up to a common level: the first two are full, of the last one most
        stays empty and is kept. Below, dots show the noise of answers: it is narrowest with a budget each.
    """,
)

FIGURES = (vessels,)
