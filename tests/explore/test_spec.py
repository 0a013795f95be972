"""Declarations: positions of sliders, axes, and what a FigureSpec refuses."""

import numpy as np
import pytest
import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Points, Preset, Rule

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
    from hdp.explore import picture, vega

    with_points = figure(
        layers=(Curve("line", k * x), Points("simulated", (0.2,), (0.4,), (0.1,)), Marker("best", k / 2, k / 4))
    )
    assert picture.png(with_points, with_points.paper_values) != picture.png(figure(), figure().paper_values)
    kinds = [layer["mark"]["type"] for layer in vega.specification(with_points)["layer"]]
    assert kinds == ["line", "rule", "point", "point"]
    assert vega.specification(with_points)["layer"][1]["data"]["values"] == [
        {"x": 0.2, "y": 0.4, "low": 0.4 - 0.1, "high": 0.5}
    ]
