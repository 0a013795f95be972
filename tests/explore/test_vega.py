"""Printing for the browser: what Vega computes equals what sympy means, and the rest is refused."""

import re

import numpy as np
import pytest
import sympy as sp
import vl_convert

from hdp.explore import vega
from hdp.explore.printing import expression
from hdp.explore.style import number
from tests.numbers import read_number

x, y = sp.symbols("x y", positive=True)
NAMES = {x: "datum.x", y: "datum.y"}
ELEMENTARY = [
    x**2 / 3 + y**-3,
    sp.sqrt(x) * x ** sp.Rational(2, 3),
    sp.cbrt(x + 1) - 1 / sp.cbrt(y),
    sp.exp(-x) * sp.log(1 + y),
    sp.Min(x, y, sp.Rational(1, 4)) + sp.Max(x - y, 0),
    sp.Abs(x - y) / sp.pi,
    sp.Piecewise((x, x <= y), (y**2, x <= 2 * y), (sp.Integer(7), True)),
    sp.Piecewise((x, (x > y) | (x < y / 2)), (-x, True)),
    sp.E**2 * x - sp.Rational(1, 7),
    sp.floor(3 * x) + sp.ceiling(y),
]


@pytest.mark.parametrize("statement", ELEMENTARY, ids=str)
def test_vega_computes_what_sympy_means(statement):
    """Through the real Vega runtime, at points that reach every branch."""
    points = [{"x": 0.3, "y": 0.7}, {"x": 1.9, "y": 1.1}, {"x": 5.0, "y": 0.5}]
    document = {
        "data": {"values": points},
        "transform": [{"calculate": expression(statement, NAMES), "as": "z"}],
        "mark": {"type": "text"},
        "encoding": {"text": {"field": "z", "format": ".17g"}, "x": {"field": "x", "type": "quantitative"}},
    }
    texts = vl_convert.vegalite_to_svg(document).split("mark-text role-mark")[1].split("</g>")[0]
    found = [float(text.replace("\u2212", "-")) for text in re.findall(r">([^<>]+)</text>", texts)]
    expected = [float(statement.subs({x: p["x"], y: p["y"]})) for p in points]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (sp.Sum(x, (y, 1, 3)), "Sum"),
        (sp.gamma(x), "gamma"),
        (sp.binomial(x, 2), "binomial"),
        (sp.erf(x), "erf"),
        (sp.sign(x - y), "sign"),
        (sp.Integral(x, x), "Integral"),
    ],
)
def test_special_functions_are_refused(statement, name):
    """The Vega language lacks them; a clear error beats a blank figure."""
    with pytest.raises(ValueError, match=f"must be elementary to run in a browser, got {name}"):
        expression(statement, NAMES)


def test_an_unnamed_symbol_is_refused():
    """It would be an undefined name in the browser."""
    with pytest.raises(ValueError, match="got none for z"):
        expression(sp.Symbol("z") + x, NAMES)


def test_an_open_piecewise_is_undefined_elsewhere():
    """Instead of silently taking the last branch."""
    for statement in (sp.Piecewise((x, x < 1)), 1 + sp.Piecewise((x, x < 1))):
        assert "NaN" in expression(statement, NAMES)


@pytest.mark.parametrize("low, high", [(1e-12, 10.0), (1e7, 1e13), (-4e-5, 4e-5)])
def test_ticks_read_as_numbers_do_beside_sliders(low, high):
    """Tiny and huge ones with a power of ten."""
    scale = {"type": "linear" if low < 0 else "log", "domain": [low, high]}
    x = {"field": "x", "type": "quantitative", "scale": scale, "axis": {"labelExpr": vega.LABEL, "tickCount": 6}}
    data = {"values": [{"x": low}, {"x": high}]}
    svg = vl_convert.vegalite_to_svg({"data": data, "width": 900, "mark": "point", "encoding": {"x": x}})
    shown = re.findall(r">([^<>]*\d[^<>]*)</text>", svg)
    assert len(shown) >= 5 and all("e" not in text for text in shown)
    assert [number(read_number(text)) for text in shown] == [text.replace("−", "-") for text in shown]
