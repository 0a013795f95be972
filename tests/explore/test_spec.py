"""Declarations, and what a FigureSpec refuses; the frame that holds still while sliders move; draws."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hdp.explore import (
    Axis,
    Curve,
    Draws,
    FigureSpec,
    Marker,
    Parameter,
    Points,
    Preset,
    Rule,
    frame,
    html,
    picture,
    vega,
)
from hdp.explore.evaluate import breaks, cell_values, draw_values, expression_values
from hdp.explore.layers import Bar, Circles, Heatmap, Note, U, V, uniforms
from hdp.figures import ALL

x, k = sp.symbols("x k", positive=True)
PARAMETER = Parameter.linear(k, "k", 0, 2, 0.5, 1)


def figure(**changes):
    """A small valid figure, with changes."""
    drawn = dict(x_symbol=x, layers=(Curve("line", k * x),), parameters=(PARAMETER,))
    axes = dict(x=Axis("x (units)", (0.0, 1.0)), y=Axis("y (units)"))
    fields = drawn | axes | dict(name="small", title="Small", caption="A line.", alt="A line through the origin.")
    return FigureSpec(**fields | changes)


@pytest.mark.parametrize("parts", range(1, 60))
def test_a_linear_slider_ends_at_its_end_or_before(parts):
    """At the end where the step divides the range, whatever floats make of the quotient, and else within one step."""
    for low, high in ((0.1, 0.7), (0.0, 1.0), (-0.3, 2.9)):
        assert Parameter.linear(k, "k", low, high, (high - low) / parts, low).positions[-1] == high
        last = Parameter.linear(k, "k", low, high, (high - low) / (parts + 0.7), low).positions[-1]
        assert high - (high - low) / (parts + 0.7) < last < high


def test_the_papers_value_is_always_a_position():
    """Even when it lies off the grid; extra positions too, in order."""
    parameter = Parameter.logarithmic(k, "k", 0.01, 1, 0.0148, per_decade=4, also=(0.3,))
    assert {0.0148, 0.3, 0.01, 1.0} <= set(parameter.positions)
    assert list(parameter.positions) == sorted(set(parameter.positions))


def test_logarithmic_positions_keep_multiples():
    """So that n f can be whole at every position."""
    assert all(p % 100 == 0 for p in Parameter.logarithmic(k, "n", 200, 20_000, 1000, multiple_of=100).positions)


def simulated(**changes):
    """The small figure with points at the paper's value of its parameter."""
    return figure().with_points(Points("line", (0.2, 0.6), (0.4, 0.5), (0.1, 0.1), at={"k": 1.0}, **changes))


def test_points_are_hidden_where_they_were_not_simulated():
    """In the picture, in the live view, which is that picture, and in Vega."""
    plain, dotted = figure(), simulated()
    for k_value, seen in ((0.5, False), (1.0, True), (1.5, False)):  # on either side
        values = plain.values(k=k_value)
        assert dotted.layers[1].visible(values) == seen
        assert (picture.png(plain, values) != picture.png(dotted, values)) == seen
        document = vega.specification(dotted)
        document["params"][0]["value"] = k_value
        drawn = vl_convert.vegalite_to_svg(document | {"width": 300})
        assert drawn.split("mark-symbol role-mark")[1].split("<g")[0].count("<path") == (2 if seen else 0)


y = sp.Symbol("y", positive=True)
A, B = sp.symbols("a b")
COLOUR = Axis("z (units)", (0.0, 2.0))


def heatmap(**changes):
    """A small valid figure with a heatmap, with changes."""
    layers = (Heatmap(k * x * y, COLOUR, cells=(4, 3)), Curve("level", k * x))
    return figure(**dict(layers=layers, y_symbol=y, y=Axis("y (units)", (1.0, 100.0), "log")) | changes)


def test_cells_lie_between_the_edges_of_the_axes():
    """Middles on the axis's own scale, rows from below."""
    columns, rows, z = cell_values(heatmap(), {"k": 2.0})
    np.testing.assert_allclose(columns, [0.125, 0.375, 0.625, 0.875])
    np.testing.assert_allclose(rows, 10 ** np.array([1 / 3, 1, 5 / 3]))
    np.testing.assert_allclose(z, 2 * np.outer(rows, columns))


def test_a_heatmap_without_curves_reaches_all_views():
    """Cells that are not defined stay blank in the page, and the picture has the cells of the page."""
    holed = heatmap(layers=(Heatmap(sp.Piecewise((k * x, x < 0.5)), COLOUR, cells=(4, 3)),))
    drawn = vl_convert.vegalite_to_svg(vega.specification(holed))
    cells = drawn.split("mark-rect role-mark")[1].split("</g>")[0]
    assert cells.count("<path") == 6 and "NaN" not in drawn
    mesh = picture.draw(holed, holed.paper_values).axes[0].collections[0]
    np.testing.assert_array_equal(np.ma.getmaskarray(mesh.get_array()).reshape(3, 4), [[0, 0, 1, 1]] * 3)
    assert picture.png(holed, {"k": 0.5}) != picture.png(holed, {"k": 2.0})


def test_derived_numbers_are_computed_once_for_all_layers():
    """In their order, in Python and in the browser."""
    small = figure(layers=(Curve("line", B * x), Rule("b", y=B)), derived=((A, k**2), (B, A + k)))
    assert float(expression_values(small, B * x, {"k": 1.5}, 2.0)) == 2 * (1.5**2 + 1.5)
    assert expression_values(small, 2, {"k": 1.5}).dtype == float  # whatever the number is
    document = vega.specification(small)
    assert [p["name"] for p in document["params"]] == ["k", "a", "b", "y_low", "y_high"]
    assert [p.get("expr") for p in document["params"][1:3]] == ["pow(k, 2)", "a + k"]
    assert "NaN" not in vl_convert.vegalite_to_svg(document)


def test_a_line_is_broken_where_it_jumps():
    """Between two samples, in the picture and in the page; a line of steps is drawn in right angles."""
    jump = sp.Piecewise((0, x < sp.Rational(1, 2)), (k, True))
    whole, broken = (figure(layers=(Curve("line", jump, part=part),), samples=9) for part in (None, jump))
    assert breaks(whole, whole.layers[0], {"k": 1.0}).sum() == 0
    assert np.flatnonzero(breaks(broken, broken.layers[0], {"k": 1.0})).tolist() == [4]
    paths = []
    for drawn in (whole, broken):
        svg = vl_convert.vegalite_to_svg(vega.specification(drawn))
        paths.append(svg.split("mark-line role-mark")[1].split(' d="')[1].split('"')[0])
        heights = picture.draw(drawn, {"k": 1.0}).axes[0].lines[0].get_ydata()
        assert np.isnan(heights).sum() == (drawn is broken)
    assert [path.count("M") for path in paths] == [1, 2]
    places = np.array([float(place) for place in re.findall("[ML]([^,]+)", paths[0])])  # from end to end of the axis
    np.testing.assert_allclose(places / places[-1], whole.x.grid(9), atol=1e-4)
    steps = vega.specification(figure(layers=(Curve("line", jump, steps=True),)))
    assert steps["layer"][0]["mark"]["interpolate"] == "step"


def test_circles_need_one_unit_on_both_axes():
    """Otherwise they would be ellipses."""
    circles = Circles("round", (0.5,), (0.5,), 0.1)
    drawing = picture.draw(figure(layers=(Curve("line", k * x), circles), equal_units=True), {"k": 1.0})
    assert drawing.axes[0].get_aspect() == 1 and drawing.axes[0].patches[0].radius == 0.1


def test_bars_stand_at_their_names():
    """Where the expressions place them; the page's axis finds the names by the places."""
    places = sp.symbols("p_0 p_1")
    bars = [Bar(name, k / 2, place, "kind", 0) for name, place in zip(("a|b", "c"), places, strict=True)]
    drawn = figure(layers=tuple(bars), derived=((places[0], 2 - k), (places[1], k - 1)), y=Axis("names", (-0.5, 1.5)))
    ax = picture.draw(drawn, {"k": 1.0}).axes[0]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert dict(zip(labels, ax.get_yticks(), strict=True)) == {"a b": 1, "c": 0}
    assert [bar.get_width() for bar in ax.patches] == [0.5, 0.5]
    assert not any(line.get_visible() for line in ax.get_ygridlines())
    texts = vl_convert.vegalite_to_svg(vega.specification(drawn))
    assert ">c<" in texts and (">a b<" in texts or (">a<" in texts and ">b<" in texts))  # one line or two
    assert drawn.labels() == {"kind": (0, ())}


def test_a_note_is_shown_where_its_condition_holds():
    """In the picture and in the page."""
    noted = figure(layers=(Curve("line", k * x), Note("nothing to see", when=k > 1)))
    for value, seen in ((1.0, False), (1.5, True)):
        document = vega.specification(noted)
        document["params"][0]["value"] = value
        assert ("nothing to see" in vl_convert.vegalite_to_svg(document)) == seen
        texts = [text.get_text() for text in picture.draw(noted, {"k": value}).axes[0].texts]
        assert texts == ["nothing to see"] * seen


def test_a_switch_is_yes_or_no():
    switch = Parameter.switch(k, "do it")
    assert switch.is_switch and switch.positions == (0.0, 1.0) and switch.value == 0
    assert [switch.text(v) for v in switch.positions] == ["no", "yes"]
    assert not PARAMETER.is_switch and PARAMETER.text(0.5) == "0.5"
    text = html.figure(figure(parameters=(switch,)), b"png")
    assert 'type="checkbox" role="switch"' in text and 'type="range"' not in text


LINE, CELLS = Curve("line", k * x), Heatmap(x * y, COLOUR)
REFUSED = [  # what is declared, and what is said of it
    (lambda: Parameter(k, "k", (1.0, 2.0), 3.0), "value must be one of the positions of k, got 3"),
    (lambda: Parameter(k, "k", (2.0, 1.0), 1.0), "increase strictly"),
    *[(lambda a=a: figure(**{a: "  "}), f"{a} must not be empty") for a in ("name", "title", "caption", "alt")],
    (lambda: figure(layers=(Curve("line", sp.Symbol("z") * x),)), "y of 'line' uses ['z']"),
    (lambda: figure(presets=(Preset("A", {"k": 0.7}),)), "k must be a position of its slider, got 0.7"),
    (lambda: figure().values(q=1), "name must be one of"),
    (lambda: figure(x=Axis("x (units)")), "x must have a domain"),
    (lambda: Rule("rule"), "exactly one of x and y"),
    (lambda: figure(layers=(Curve("c", x * U),)), "u_draw"),
    (lambda: Axis("x", scale="sqrt"), "scale must be"),
    (lambda: Axis(" "), "label must name"),
    (lambda: pointed(at={"k": 0.7}), "points 'line': k must be a position of its slider, got 0.7"),
    (lambda: pointed(at={"q": 1.0}), "name must be one of"),
    (lambda: Points("p", (0.2, 0.3), (0.4,), (0.1,)), "x, y and error of 'p' must have one length, got [2, 1, 1]"),
    (lambda: Heatmap(x * y, Axis("z (units)")), "colour must have a domain"),
    (lambda: Heatmap(x * y, COLOUR, cells=(0, 3)), "cells must be at least 1"),
    (lambda: heatmap(y_symbol=None), "y_symbol and the domain of y"),
    (lambda: heatmap(layers=(LINE, CELLS)), "at most one heatmap, and it comes first"),
    (lambda: heatmap(layers=(CELLS, Rule("rule", x=k))), "rule on a heatmap"),
    (lambda: heatmap(layers=(CELLS, Curve("level", x * y))), "y of 'level' uses ['y']"),
    (lambda: figure(derived=((B, A), (A, k))), "uses ['a'], not a parameter or derived before"),
    (lambda: figure(derived=((A, x),)), "uses ['x'], not a parameter or derived before"),
    (lambda: figure(layers=(LINE, Circles("round", (0.5,), (0.5,), 0.1))), "equal_units must be True"),
]


def pointed(**changes):
    """The small figure with a point."""
    return figure().with_points(Points("line", (0.2,), (0.4,), (0.1,), **changes))


@pytest.mark.parametrize(("declare", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_could_not_be_read_or_reached_is_refused(declare, said):
    """A figure without texts, a symbol or a position without a slider, an axis without a quantity, a blank picture."""
    with pytest.raises(ValueError, match=re.escape(said)):
        declare()


def test_no_line_hides_another_that_it_follows():
    """A line is drawn over those that are solid or wider, in the browser and in print; other layers stay."""
    lines = [Curve(f"{width} {dash}", k * x, width=width, dash=dash) for dash in ((8, 4), ()) for width in (1, 3)]
    stacked = figure(layers=(lines[0], Rule("between", y=k), *lines[1:], Marker("last", x=k, y=k)))
    assert stacked.stacked == (lines[3], stacked.layers[1], lines[2], lines[1], lines[0], stacked.layers[-1])
    marks = [layer["mark"] for layer in vega.specification(stacked)["layer"]]
    assert [mark["strokeWidth"] for mark in marks if mark["type"] == "line"] == [3, 1, 3, 1]
    (ax,) = picture.draw(stacked, stacked.paper_values).axes
    drawn = {line.get_label(): line.get_linewidth() for line in ax.lines if line.get_label() in stacked.labels()}
    assert list(drawn.values()) == [3, 1, 3, 1]
    assert list(stacked.labels()) == [line.label for line in lines]


a = sp.Symbol("a", positive=True)


def framed(*layers, scale="linear", domain=None, presets=()):
    """Curves over x from 0 to 1, with a slider a from 0.01 to 100."""
    sliders = (Parameter.logarithmic(a, "a", 0.01, 100, 1, per_decade=10),)
    return figure(layers=layers, y=Axis("y", domain, scale), parameters=sliders, presets=presets)


SLOPE = framed(Curve("line", a * x))


@pytest.mark.parametrize(
    "value, expected",
    [
        (1, (0, 1)),  # at home
        (1.26, (0, 1.5)),  # leaves the frame
        (1.58, (0, 2)),
        (100, (0, 100)),
        (0.2, (0, 1)),  # smaller, but seen
        (0.1, (0, 0.1)),  # too small in the frame
    ],
)
def test_the_range_moves_only_when_it_must(value, expected):
    """Where anything would leave the frame, or fill less than an eighth of it."""
    value = min(SLOPE.parameters[0].positions, key=lambda p: abs(p - value))
    assert frame.domain(SLOPE, {"a": value}) == pytest.approx(expected, rel=0.01)


def test_one_curve_of_several_moves_the_range():
    """Though most of what is drawn would be seen."""
    two = framed(Curve("wide", 0.9 * x), Curve("low", x / 10 + (1 - a) / 2))
    assert frame.home(two) == (0, 1)
    assert frame.domain(two, {"a": 0.794}) == (0, 1)  # it is inside
    assert frame.domain(two, {"a": 1.26}) == pytest.approx((-0.5, 1))


def test_dots_below_a_curve_need_the_ground():
    """The range begins at 0, however far above the curve is."""
    curve = Curve("density", 2 + x)
    assert frame.home(framed(curve)) == (2, 3)
    assert frame.home(framed(curve, Draws("draws", U, V * (2 + U)))) == (0, 3)


def test_home_holds_the_presets():
    """So that pressing them one after the other compares."""
    assert frame.home(framed(Curve("line", a * x), presets=(Preset("large", {"a": 10.0}),))) == (0, 10)


def test_rules_and_markers_are_drawn_and_points_are_not_asked():
    """A vertical rule has no height."""
    marker, rule = Marker("m", x=sp.S(1) / 2, y=-a), Rule("r", y=3 * a)
    points = Points("p", x=(0.5,), y=(99.0,), error=(1.0,))
    assert frame.extent(framed(Curve("l", a * x), marker, rule, Rule("v", x=a), points), {"a": 1}) == (-1, 3)


def test_what_is_not_finite_is_not_drawn():
    """Nor what is not positive on a logarithmic axis; where nothing is drawn, the range stays."""
    assert frame.extent(framed(Curve("l", sp.log(x))), {"a": 1})[1] == 0
    assert frame.extent(framed(Curve("l", x - a), scale="log"), {"a": 1}) is None
    assert frame.extent(framed(Curve("l", x + a), scale="log"), {"a": 0.01}) == (0.01, 1.01)
    leaves = framed(Curve("l", x - a + sp.Rational(1, 2)), scale="log")
    assert frame.domain(leaves, {"a": 100}) == frame.home(leaves)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.sampled_from(["linear", "log"]))
def test_round_ends_hold_what_is_drawn_closely(low, span, scale):
    """At most a step is empty at either end."""
    low = abs(low) + 1e-3 if scale == "log" else low
    ends = frame.rounded(scale, low, low + span)
    size = (lambda a, b: math.log10(b / a)) if scale == "log" else (lambda a, b: b - a)
    slack = 1e-8 * max(abs(low), span)
    assert ends[0] <= low + slack and low + span <= ends[1] + slack
    assert size(*ends) <= 3 * size(low, low + span) + (2.0 if scale == "log" else 1e-6 + slack)


def test_the_picture_and_the_page_have_the_same_range():
    """The specification starts with it, and the picture has it at every value."""
    from hdp.explore import picture, vega

    params = {p["name"]: p["value"] for p in vega.specification(SLOPE)["params"]}
    assert (params["y_low"], params["y_high"]) == frame.home(SLOPE)
    drawing = picture.draw(SLOPE, {"a": 100.0})
    assert drawing.axes[0].get_ylim() == frame.domain(SLOPE, {"a": 100.0}) == (0, 100)
    fixed = replace(SLOPE, y=Axis("y", (0.0, 3.0)))
    assert "y_low" not in {p["name"] for p in vega.specification(fixed)["params"]}
    np.testing.assert_array_equal(picture.draw(fixed, {"a": 100.0}).axes[0].get_ylim(), (0, 3))


DENSITY = ALL["two-answers"]


def test_draws_are_whole_number_arithmetic():
    """So that a browser finds the same ones: the numerators are exact in doubles."""
    index = np.arange(1, 1001)
    exact = [[((i + 100) ** 3 * cube + (i + 100) * 1_299_709) % 2_147_483_647 for i in index.tolist()]
             for cube in (3_140_671, 3_140_671 + 1_299_709)]  # fmt: skip
    np.testing.assert_array_equal(uniforms(index), np.array(exact) / 2_147_483_647)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_noisy_counts_are_of_the_stated_distribution(epsilon):
    """Under the density, evenly: a Laplace sample, and a height that is uniform below its curve."""
    layer = next(layer for layer in DENSITY.layers if isinstance(layer, Draws))
    x, y = draw_values(DENSITY, layer, {"epsilon": epsilon}, layer.count)
    noise = stats.laplace(3, 1 / epsilon)
    assert stats.kstest(x, noise.cdf).pvalue > 0.01
    assert stats.kstest(y / noise.pdf(x), "uniform").pvalue > 0.01
