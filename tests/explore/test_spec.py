"""Declarations: positions of sliders, axes, and what a FigureSpec refuses."""

import numpy as np
import pytest
import sympy as sp
import vl_convert

from hdp.explore import (
    Axis,
    Bar,
    Circles,
    Curve,
    FigureSpec,
    Heatmap,
    Marker,
    Note,
    Parameter,
    Points,
    Preset,
    Rule,
    html,
    picture,
    vega,
)
from hdp.explore.evaluate import breaks, cell_values, expression_values

x, k = sp.symbols("x k", positive=True)
PARAMETER = Parameter.linear(k, "k", 0, 2, 0.5, 1)


def figure(**changes):
    """A small valid figure, with changes."""
    fields = dict(
        name="small",
        title="Small",
        x_symbol=x,
        x=Axis("x (units)", (0.0, 1.0)),
        y=Axis("y (units)"),
        layers=(Curve("line", k * x),),
        parameters=(PARAMETER,),
        caption="A line.",
        alt="A line through the origin.",
    )
    return FigureSpec(**fields | changes)


def test_linear_positions_are_exact_decimals():
    """No 0.30000000000000004 beside a slider."""
    assert Parameter.linear(k, "k", 0, 1, 0.1, 0.3).positions == tuple(i / 10 for i in range(11))


def test_the_papers_value_is_always_a_position():
    """Even when it lies off the grid; extra positions too, in order."""
    parameter = Parameter.logarithmic(k, "k", 0.01, 1, 0.0148, per_decade=4, also=(0.3,))
    assert {0.0148, 0.3, 0.01, 1.0} <= set(parameter.positions)
    assert list(parameter.positions) == sorted(set(parameter.positions))


def test_logarithmic_positions_keep_multiples():
    """So that n f can be whole at every position."""
    assert all(p % 100 == 0 for p in Parameter.logarithmic(k, "n", 200, 20_000, 1000, multiple_of=100).positions)


def test_parameter_refuses_a_value_off_its_positions_and_disorder():
    """The slider could not return to it."""
    with pytest.raises(ValueError, match="value must be one of the positions of k, got 3"):
        Parameter(k, "k", (1.0, 2.0), 3.0)
    with pytest.raises(ValueError, match="increase strictly"):
        Parameter(k, "k", (2.0, 1.0), 1.0)


@pytest.mark.parametrize(("scale", "expected"), [("linear", [1, 50.5, 100]), ("log", [1, 10, 100])])
def test_axis_grid(scale, expected):
    """Equally spaced on the scale, both ends included."""
    np.testing.assert_allclose(Axis("x (units)", (1.0, 100.0), scale).grid(2), expected, rtol=1e-14)


def test_decades():
    """Powers of ten, with 2 and 5 on a short axis."""
    assert Axis("x", (0.01, 10.0), "log").decades() == [0.01, 0.1, 1.0, 10.0]
    assert Axis("x", (0.5, 10.0), "log").decades() == [0.5, 1.0, 2.0, 5.0, 10.0]


@pytest.mark.parametrize("attribute", ["name", "title", "caption", "alt"])
def test_figure_refuses_empty_texts(attribute):
    """A figure without alt text or caption cannot be read."""
    with pytest.raises(ValueError, match=f"{attribute} must not be empty"):
        figure(**{attribute: "  "})


def test_figure_refuses_unknown_symbols_and_positions():
    """A symbol without a slider, a preset off the slider, a parameter that does not exist."""
    with pytest.raises(ValueError, match=r"y of 'line' uses \['z'\]"):
        figure(layers=(Curve("line", sp.Symbol("z") * x),))
    with pytest.raises(ValueError, match=r"k must be a position of its slider, got 0\.7"):
        figure(presets=(Preset("A", {"k": 0.7}),))
    with pytest.raises(ValueError, match="name must be one of"):
        figure().values(q=1)
    with pytest.raises(ValueError, match="x must have a domain"):
        figure(x=Axis("x (units)"))


def test_rule_needs_exactly_one_direction():
    """Vertical or horizontal."""
    for directions in ({}, {"x": k, "y": k}):
        with pytest.raises(ValueError, match="exactly one of x and y"):
            Rule("rule", **directions)


def test_axis_refuses_bad_scale_and_empty_label():
    """An axis names its quantity."""
    with pytest.raises(ValueError, match="scale must be"):
        Axis("x", scale="sqrt")
    with pytest.raises(ValueError, match="label must name"):
        Axis(" ")


def test_mimebundle_has_the_three_views_and_plain_text():
    """Widget for Jupyter, HTML for the book, PNG for LaTeX."""
    bundle = figure()._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert bundle["text/html"].startswith('<figure class="hdp-figure"')
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["text/plain"] == "Small: A line through the origin."


def test_points_and_markers_are_drawn():
    """Layers without a curve reach both pictures."""
    with_points = figure(
        layers=(Curve("line", k * x), Points("simulated", (0.2,), (0.4,), (0.1,)), Marker("best", k / 2, k / 4))
    )
    assert picture.png(with_points, with_points.paper_values) != picture.png(figure(), figure().paper_values)
    kinds = [layer["mark"]["type"] for layer in vega.specification(with_points)["layer"]]
    assert kinds == ["line", "rule", "point", "point"]
    assert vega.specification(with_points)["layer"][1]["data"]["values"] == [
        {"x": 0.2, "y": 0.4, "low": 0.4 - 0.1, "high": 0.5}
    ]


def simulated(**changes):
    """The small figure with points at the paper's value of its parameter."""
    return figure().with_points(Points("line", (0.2, 0.6), (0.4, 0.5), (0.1, 0.1), at={"k": 1.0}, **changes))


def test_points_come_last_and_share_the_entry_of_their_curve():
    """Layers keep their numbers; the legend is not doubled; the caption may grow; the figure is not changed."""
    before = figure()
    after = before.with_points(Points("line", (0.2,), (0.4,), (0.1,)), caption=" And points.")
    assert after.layers[:1] == before.layers and len(before.layers) == 1
    assert after.labels() == before.labels()
    assert after.caption == "A line. And points." and after.name == before.name


def test_points_are_hidden_where_they_were_not_simulated():
    """In the picture, in the live view, which is that picture, and in Vega."""
    plain, dotted = figure(), simulated()
    for k_value, seen in ((1.0, True), (1.5, False)):
        values = plain.values(k=k_value)
        assert dotted.layers[1].visible(values) == seen
        assert (picture.png(plain, values) != picture.png(dotted, values)) == seen
        document = vega.specification(dotted)
        document["params"][0]["value"] = k_value
        drawn = vl_convert.vegalite_to_scenegraph(document | {"width": 300})
        assert count_items(drawn, "symbol") == (2 if seen else 0)


def count_items(node, kind):
    """Marks of a kind that belong to layers, anywhere below a node of a scene graph."""
    if isinstance(node, list):
        return sum(count_items(child, kind) for child in node)
    if not isinstance(node, dict):
        return 0
    if node.get("marktype") == kind and str(node.get("name", "")).startswith("layer_"):
        return len(node["items"])
    return sum(count_items(child, kind) for child in node.values())


def test_points_refuse_positions_off_the_sliders_and_uneven_lengths():
    """They would never be seen, or be cut."""
    with pytest.raises(ValueError, match=r"points 'line': k must be a position of its slider, got 0\.7"):
        figure().with_points(Points("line", (0.2,), (0.4,), (0.1,), at={"k": 0.7}))
    with pytest.raises(ValueError, match="name must be one of"):
        figure().with_points(Points("line", (0.2,), (0.4,), (0.1,), at={"q": 1.0}))
    with pytest.raises(ValueError, match=r"x, y and error of 'line' must have one length, got \[2, 1, 1\]"):
        Points("line", (0.2, 0.3), (0.4,), (0.1,))


y = sp.Symbol("y", positive=True)
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


def test_heatmap_refuses_what_cannot_be_read():
    """No second axis, no range of colours, two heatmaps, a rule whose label lies on the cells."""
    with pytest.raises(ValueError, match="colour must have a domain"):
        Heatmap(x * y, Axis("z (units)"))
    with pytest.raises(ValueError, match="cells must be at least 1"):
        Heatmap(x * y, COLOUR, cells=(0, 3))
    with pytest.raises(ValueError, match="y_symbol and the domain of y"):
        heatmap(y_symbol=None)
    with pytest.raises(ValueError, match="y_symbol and the domain of y"):
        heatmap(y=Axis("y (units)"))
    with pytest.raises(ValueError, match="at most one heatmap, and it comes first"):
        heatmap(layers=(Curve("level", k * x), Heatmap(x * y, COLOUR)))
    with pytest.raises(ValueError, match="rule on a heatmap"):
        heatmap(layers=(Heatmap(x * y, COLOUR), Rule("rule", x=k)))
    with pytest.raises(ValueError, match=r"y of 'level' uses \['y'\]"):
        heatmap(layers=(Heatmap(x * y, COLOUR), Curve("level", x * y)))


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
    """In their order, in Python and in the browser; what is not known yet, or depends on x, is refused."""
    a, b = sp.symbols("a b")
    small = figure(layers=(Curve("line", b * x), Rule("b", y=b)), derived=((a, k**2), (b, a + k)))
    assert float(expression_values(small, b * x, {"k": 1.5}, 2.0)) == 2 * (1.5**2 + 1.5)
    document = vega.specification(small)
    assert [p["name"] for p in document["params"]] == ["k", "a", "b", "y_low", "y_high"]
    assert [p.get("expr") for p in document["params"][1:3]] == ["pow(k, 2)", "a + k"]
    assert "NaN" not in vl_convert.vegalite_to_svg(document)
    for derived, unknown in ((((b, a), (a, k)), "a"), (((a, x),), "x")):
        with pytest.raises(ValueError, match=rf"uses \['{unknown}'\], not a parameter or derived before"):
            figure(derived=derived)


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
    steps = vega.specification(figure(layers=(Curve("line", jump, steps=True),)))
    assert steps["layer"][0]["mark"]["interpolate"] == "step"


def test_circles_need_one_unit_on_both_axes():
    """Otherwise they would be ellipses."""
    circles = Circles("round", (0.5,), (0.5,), 0.1)
    with pytest.raises(ValueError, match="equal_units must be True"):
        figure(layers=(Curve("line", k * x), circles))
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
    """It is no slider."""
    switch = Parameter.switch(k, "do it")
    assert switch.is_switch and switch.positions == (0.0, 1.0) and switch.value == 0
    assert [switch.text(v) for v in switch.positions] == ["no", "yes"]
    assert not PARAMETER.is_switch and PARAMETER.text(0.5) == "0.5"
    text = html.figure(figure(parameters=(switch,)), b"png")
    assert 'type="checkbox" role="switch"' in text and 'type="range"' not in text
