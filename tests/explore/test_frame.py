"""The vertical range holds still while a slider moves, until what is drawn leaves it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from hdp.explore import Axis, Curve, Draws, Marker, Parameter, Points, Preset, Rule, frame
from hdp.explore.layers import U, V
from tests.explore.test_spec import figure as small
from tests.explore.test_spec import x

a = sp.Symbol("a", positive=True)


def figure(*layers, scale="linear", domain=None, presets=()):
    """Curves over x from 0 to 1, with a slider a from 0.01 to 100."""
    sliders = (Parameter.logarithmic(a, "a", 0.01, 100, 1, per_decade=10),)
    return small(layers=layers, y=Axis("y", domain, scale), parameters=sliders, presets=presets)


LINE = figure(Curve("line", a * x))


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
    value = min(LINE.parameters[0].positions, key=lambda p: abs(p - value))
    assert frame.domain(LINE, {"a": value}) == pytest.approx(expected, rel=0.01)


def test_what_is_drawn_outside_moves_the_range():
    """Though it is near."""
    above = figure(Curve("line", x / 5 + a - 1))
    assert frame.home(above) == (0, 0.2)
    assert frame.domain(above, {"a": 1.26}) == pytest.approx((0.25, 0.5))


def test_one_curve_of_several_moves_the_range():
    """Though most of what is drawn would be seen."""
    two = figure(Curve("wide", 0.9 * x), Curve("low", x / 10 + (1 - a) / 2))
    assert frame.home(two) == (0, 1)
    assert frame.domain(two, {"a": 0.794}) == (0, 1)  # it is inside
    assert frame.domain(two, {"a": 1.26}) == pytest.approx((-0.5, 1))


def test_dots_below_a_curve_need_the_ground():
    """The range begins at 0, however far above the curve is."""
    curve = Curve("density", 2 + x)
    assert frame.home(figure(curve)) == (2, 3)
    assert frame.home(figure(curve, Draws("draws", U, V * (2 + U)))) == (0, 3)


def test_the_axis_decides_where_it_has_a_range():
    fixed = figure(Curve("line", a * x), domain=(0.0, 3.0))
    assert frame.home(fixed) == frame.domain(fixed, {"a": 100}) == (0, 3)


def test_home_holds_the_presets():
    """So that pressing them one after the other compares."""
    assert frame.home(figure(Curve("line", a * x), presets=(Preset("large", {"a": 10.0}),))) == (0, 10)


def test_rules_and_markers_are_drawn_and_points_are_not_asked():
    """A vertical rule has no height."""
    marker, rule = Marker("m", x=sp.S(1) / 2, y=-a), Rule("r", y=3 * a)
    points = Points("p", x=(0.5,), y=(99.0,), error=(1.0,))
    assert frame.extent(figure(Curve("l", a * x), marker, rule, Rule("v", x=a), points), {"a": 1}) == (-1, 3)


def test_what_is_not_finite_is_not_drawn():
    """Nor what is not positive on a logarithmic axis; where nothing is drawn, the range stays."""
    assert frame.extent(figure(Curve("l", sp.log(x))), {"a": 1})[1] == 0
    assert frame.extent(figure(Curve("l", x - a), scale="log"), {"a": 1}) is None
    assert frame.extent(figure(Curve("l", x + a), scale="log"), {"a": 0.01}) == (0.01, 1.01)
    leaves = figure(Curve("l", x - a + sp.Rational(1, 2)), scale="log")
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


def test_a_constant_has_a_range_too():
    for value in (3.0, 0.0):
        low, high = frame.rounded("linear", value, value)
        assert low <= value < high


def test_the_picture_and_the_page_have_the_same_range():
    """The specification starts with it, and the picture has it at every value."""
    from hdp.explore import picture, vega

    params = {p["name"]: p["value"] for p in vega.specification(LINE)["params"]}
    assert (params["y_low"], params["y_high"]) == frame.home(LINE)
    drawing = picture.draw(LINE, {"a": 100.0})
    assert drawing.axes[0].get_ylim() == frame.domain(LINE, {"a": 100.0}) == (0, 100)
    fixed = replace(LINE, y=Axis("y", (0.0, 3.0)))
    assert "y_low" not in {p["name"] for p in vega.specification(fixed)["params"]}
    np.testing.assert_array_equal(picture.draw(fixed, {"a": 100.0}).axes[0].get_ylim(), (0, 3))
