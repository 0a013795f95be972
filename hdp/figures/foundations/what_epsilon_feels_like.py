"""A count with noise, drawn sample by sample, and what it lets an attacker conclude."""

from dataclasses import replace

import sympy as sp

from hdp.explore import Axis, Box, Curve, Draws, FigureSpec, Marker, Parameter, Readout, Rule, Text
from hdp.explore.layers import U, V
from hdp.figures.shared import own_figure
from hdp.sym.foundations import what_epsilon_feels_like as sym
from hdp.sym.symbols import epsilon

_EPSILON = Parameter.logarithmic(epsilon, "ε, her budget (nats)", 0.05, 10, 1, per_decade=10, also=(0.1, 10))
_YES, _NO = sym.WITHOUT_HER + 1, sym.WITHOUT_HER
_HER_ANSWER = sym.quantile(_YES, U)

neighbours = FigureSpec(
    name="two-answers",
    title="Two answers, one person apart",
    x_symbol=sym.s,
    x=Axis("published number of people who said yes", (-3.0, 8.0)),
    y=Axis("probability density"),
    layers=(
        Curve("if she said yes", sym.density(_YES), width=2.6),
        Curve("if she said no", sym.density(_NO), dash=(6, 4), width=2.6),
        Draws("if she said yes", _HER_ANSWER, V * sym.density(_YES).subs(sym.s, _HER_ANSWER)),
    ),
    parameters=(replace(_EPSILON, label="ε, her privacy budget"),),
    readouts=(
        Readout("scale of the noise, 1/ε", 1 / epsilon),
        Readout("an answer changes the odds at most by the factor", sym.exp_epsilon),
    ),
    reset_label="ε = 1",
    caption=r"""
        Drag \(\epsilon\) down to 0.1: the two curves nearly coincide, and no answer says much about which is true. Drag
        it up to 10: hardly any answer fits both. Each dot is one answer that might be published when she said
        yes, the true count, 3, plus noise; its height means nothing. The vertical axis adapts.
    """,
    alt="""
        Two pointed densities of the same shape, one person apart, that overlap for the most part; dots under the
        first one.
    """,
)

posterior = FigureSpec(
    name="what-an-attacker-concludes",
    title="What an attacker may conclude",
    x_symbol=sym.p,
    x=Axis("belief before the answer: probability that she said yes", (0.0, 1.0)),
    y=Axis("belief after the answer", (0.0, 1.0)),
    layers=(
        Curve("at most", sym.most, width=2.6),
        Curve("at least", sym.least, dash=(6, 4), width=2.6),
        Curve("nothing learnt", sym.p, dash=(2, 3), width=1.6, colour=5),
        Marker("the belief of the second slider, at most", sym.q, sym.most.subs(sym.p, sym.q)),
    ),
    parameters=(_EPSILON, Parameter.linear(sym.q, "belief before the answer", 0.01, 0.99, 0.01, 0.5)),
    readouts=(
        Readout("after the answer at most", sym.most.subs(sym.p, sym.q)),
        Readout("and at least", sym.least.subs(sym.p, sym.q)),
    ),
    reset_label="ε = 1, even odds",
    equal_units=True,
    caption=r"""
        Drag \(\epsilon\): no answer takes a belief out of the band between the two lines, whatever somebody knows
        about the others, as long as their answers do not hint at hers. At 0.1 it is hardly wider
        than the diagonal, at 10 it nearly fills the square.
    """,
    alt="""
        A lens around the diagonal of a square: at a belief of one half before the answer it reaches from 0.27 to
        0.73.
    """,
)


# -- The picture of the first page: people as vessels, what they lose as water, and what the answer errs by.

_BUDGETS = (0.03, 0.15, 0.4, 1.0, 1.8, 0.25, 0.7, 1.4)
_COLOURS = {"a budget each": 0, "one threshold": 6, "local reports": 3, "one budget for all": 4}
_EDGE = sp.Rational(1, 4)  # half of the width of the picture
_BEGIN = sp.Rational(1, 200) - _EDGE  # of words at the left
_ROOM = sp.Rational(43, 100)  # of all vessels; right of them the level has its name
_SHARE = sp.Rational(5, 7)  # of its place is a vessel wide
_TOP = sp.Rational(21, 10)  # of the picture, and of who sets no limit
_LINE = sp.Rational(9, 100)  # from a mark to the middle of words above it
_LEFT = sp.symbols(f"left_1:{len(sym.NAMES) + 1}")
_LEVEL = sp.Symbol("level_drawn")
_LEVELS = sp.Piecewise((sym.tau, sp.Eq(sym.way, 0)), (sym.threshold, sp.Eq(sym.way, 1)), (sp.nan, True))


def _places():
    """The level, and where each vessel begins; nowhere if it is nobody's."""
    yield _LEVEL, _LEVELS
    for i, left in enumerate(_LEFT):
        yield left, sym.of_those_there(i, _ROOM * (i + sp.Rational(1, 7)) / sym.groups - _EDGE, sp.nan)


def _top(i):
    """Middle of the words above a vessel: above the level's line, if that would go through them."""
    e = sym.allows[i]
    crossed = (_LEVEL > e - _LINE / 9) & (_LEVEL < e + 2 * _LINE)
    return sym.unless_public(i, sp.Piecewise((_LEVEL + _LINE, crossed), (e + _LINE, True)), sp.nan)


def _vessel(i):
    """What shows a group: its vessel, what stands in it, and words."""
    e, lost, left = sym.allows[i], sym.lost[i], _LEFT[i]
    right = left + _SHARE * _ROOM / sym.groups
    middle, room = (left + right) / 2, _ROOM / sym.groups
    water, brim = sp.Min(lost, _TOP), sym.unless_public(i, e, _TOP)
    private, open_top = sym.unless_public(i, e, sp.nan), sym.unless_public(i, sp.nan, _TOP)
    roomy = sp.Piecewise(((lost + e) / 2, e - lost > 2 * _LINE), (sp.nan, True))
    several = sp.Piecewise((-sp.Rational(29, 100), sym.alike[i] > 1), (sp.nan, True))
    mine = sp.Piecewise((left, sp.Eq(sym.told, i + 1)), (sp.nan, True))
    return (
        Box("privacy you lose", left, sp.S.Zero, right, water, colour=0, opacity=0.8),
        Box("privacy you keep", left, water, right, brim, colour=2, opacity=0.25),
        Box("what you allow", left, sp.S.Zero, right, private, colour=5, hollow=True, drag=e),
        Box("what you allow", left, sp.S.Zero, right, open_top, colour=5, hollow=True),
        Box("whose story is told", mine, -sp.Rational(2, 10), right, -sp.Rational(18, 100), colour=1),
        Text("allows {}", middle, _top(i), value=e, short="{}", room=room),
        Text("no limit", middle, open_top - 2 * _LINE, short="∞", room=right - left),
        Text(
            "keeps {}", middle, sym.unless_public(i, roomy, sp.nan), value=private - lost, short="{}", room=right - left
        ),
        Text(sym.NAMES[i], middle, -sp.Rational(10, 100), bold=True),
        Text("{} alike", middle, several, value=sym.alike[i], short="× {}", room=room),
    )


def _answers(k, name, noise):
    """A row of answers of one way, and what it errs by."""
    top = -sp.Rational(3, 4) - sp.Rational(k, 3)
    spread = 37 * U - sp.floor(37 * U) if name == "local reports" else V
    words = Text(f"{name} errs by {{}}", _BEGIN, top, value=sym.errors[name], align="left")
    return words, Draws(name, noise, top - sp.Rational(1, 11) - spread / 8, colour=_COLOURS[name])


_MANY = {"one": 1, "× 10": 10, "× 100": 100, "× 1000": 1000}
_NUMBERED = {name: i for i, name in enumerate(sym.NAMES, 1)}


def _parameters():
    ways = {"a budget each": 0, "one threshold (Cyffers & Ziani)": 1, "local reports": 2}
    yield Parameter.choice(sym.way, "Privacy is kept by", ways, 0)
    yield Parameter.linear(sym.groups, "People", 2, len(sym.NAMES), 1, 5)
    public = Parameter.choice(sym.public, "Who is public", {"nobody": 0} | _NUMBERED, 0)
    story = Parameter.choice(sym.story, "Whose story", _NUMBERED, 4)
    yield from (replace(choice, up_to=sym.groups.name) for choice in (public, story))
    for i, name in enumerate(sym.NAMES):
        slider = Parameter.linear(sym.allows[i], f"{name} allows (nats)", 0.01, 2, 0.01, _BUDGETS[i], typed=True)
        many = Parameter.choice(sym.alike[i], f"How many like {name}", _MANY, 100)
        needs = (sym.groups.name, float(i + 1)) if i > 1 else None
        yield from (replace(part, needs=needs) for part in (slider, many))


vessels = own_figure(
    name="vessels",
    title="What you allow, what you lose, what you keep",
    x_symbol=sym.x_noise,
    x=Axis("noise of an answer (the data's range is 1)", (-0.25, 0.25), ticks=(-0.2, -0.1, 0.0, 0.1, 0.2)),
    y=Axis("privacy loss (nats)", (-2.1, 2.4), ticks=(0.0, 0.5, 1.0, 1.5, 2.0)),
    split=(0.0, -0.65),
    layers=(
        Text("What each person allows, loses and keeps", _BEGIN, sp.Rational(23, 10), align="left", bold=True),
        Text("The noise of such answers", _BEGIN, -sp.Rational(52, 100), align="left", bold=True),
        *(layer for i in range(len(sym.NAMES)) for layer in _vessel(i)),
        Rule("level τ", y=_LEVEL),
        *(layer for k, (name, noise) in enumerate(sym.noises(U, V).items()) for layer in _answers(k, name, noise)),
    ),
    parameters=tuple(_parameters()),
    derived=(*sym.DERIVED, *_places()),
    readouts=(
        Readout("whose story", sym.told, names=sym.NAMES),
        Readout("what is allowed", sym.told_allows, infinite="any loss"),
        Readout("what is lost", sym.told_loses, infinite="all of it"),
        Readout("what is kept", sym.told_keeps, infinite="the rest"),
        Readout("the answer errs by", sym.error_in_use),
        Readout("with one budget for all", sym.errors["one budget for all"]),
    ),
    sentences=("{} allows {}, loses {} and keeps {}; the answer errs by {}, where one budget for all errs by {}.",),
    open=20,
    pairs=True,
    height=500,
    caption=r"""
        Pull a vessel up or down: each is a person, or a group of people who are alike, as high as the privacy loss
        that she allows; the water is what she really loses by an answer about all of them. Each dot is the noise
        of one such answer; errors are root mean squares in the worst case.
    """,
    alt="""
        Five vessels of rising height with water up to a common level: the first three are full, of the last one most
        stays empty and is kept. Below, dots show the noise of answers: it is narrowest with a budget each.
    """,
)
