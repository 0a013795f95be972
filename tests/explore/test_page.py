"""The page of a figure: its markup, its numbers and what Vega computes, before a browser has it."""

import json
import re
import struct
import subprocess
from unittest import mock

import numpy as np
import pytest
import sympy as sp
import vl_convert
from bs4 import BeautifulSoup

from hdp.explore import html, style, vega
from hdp.explore.layers import Box, Circles, Curve, Marker
from hdp.explore.printing import expression
from hdp.explore.style import number
from hdp.figures import ALL
from tests.conftest import ROOT, find_node
from tests.numbers import read_number

EVERY = pytest.mark.parametrize("figure", ALL.values(), ids=ALL)
PARTS = {}
SPECIFICATION = {"ε": "</script>"}  # in the place of the real one, which takes most of the time


def part(figure, selector):
    """Return the elements of a figure's markup, which is made once."""
    if figure.name not in PARTS:
        with mock.patch.object(html.vega, "specification", return_value=SPECIFICATION):
            PARTS[figure.name] = BeautifulSoup(html.figure(figure, b""), "html.parser")
    return PARTS[figure.name].select(selector)


def wanted(figure):
    """What the legend has to name, with the drawing, its colour and its dash, in the order of the palette."""
    curves = {layer.label: layer for layer in figure.layers if isinstance(layer, Curve)}
    boxes = {layer.label for layer in figure.layers if isinstance(layer, Box)} | {bar.kind for bar in figure.bars}
    for label, (place, _) in figure.labels().items():
        if not figure.is_named(label):
            dash = " ".join(map(str, curves[label].dash)) if label in curves else ""
            shape = "rect" if label in boxes else "path" if label in curves else "circle"
            yield label, shape, style.PALETTE[place], dash or None
    for label, colour in {la.label: la.colour for la in figure.layers if isinstance(la, Marker)}.items():
        ring = "black" if figure.heatmap else "currentColor" if colour is None else style.PALETTE[colour]
        yield label, "circle", ring, None
    yield from ((layer.label, "circle", style.NEUTRAL, None) for layer in figure.layers if isinstance(layer, Circles))


@EVERY
def test_the_legend_has_an_entry_for_everything_that_is_drawn(figure):
    found = []
    for entry in part(figure, ".hdp-legend li"):
        (drawing,) = entry.select("svg > *")
        colour = drawing["stroke"] if drawing["stroke"] != "none" else drawing["fill"]
        found.append((entry.get_text(), drawing.name, colour, drawing.get("stroke-dasharray")))
    assert found == list(wanted(figure))
    assert len(part(figure, ".hdp-ramp")) == bool(figure.heatmap)


@EVERY
def test_each_parameter_has_the_control_of_its_kind_at_the_papers_value(figure):
    """A choice by name, a switch, or a slider; those that are not open are folded."""
    assert len(part(figure, ".hdp-controls > .hdp-slider")) == min(figure.open, len(figure.parameters))
    assert len(part(figure, ".hdp-controls .hdp-slider")) == len(figure.parameters)
    for parameter in figure.parameters:
        (control,) = part(figure, f"#{figure.name}-{parameter.name}")
        assert json.loads(control["data-positions"]) == [*parameter.positions]
        if parameter.names:
            assert [option.get_text() for option in control.select("option")] == [*parameter.names]
            chosen = [option.has_attr("selected") for option in control.select("option")]
            assert chosen == [position == parameter.value for position in parameter.positions]
        elif parameter.is_switch:
            assert control["role"] == "switch" and control.has_attr("checked") == bool(parameter.value)
        else:
            assert control["type"] == "range" and parameter.positions[int(control["value"])] == parameter.value


def test_the_specification_stands_in_the_markup_as_it_is():
    """In its own letters; and nothing of it ends the script."""
    (script,) = part(ALL["vessels"], ".hdp-spec")
    assert json.loads(script.string) == SPECIFICATION and "ε" in script.string


@EVERY
def test_a_print_has_the_words_of_the_caption_and_its_formulas(figure):
    """In their order; nothing of the words is taken for Markdown's own signs."""
    caption = " ".join(figure.caption.split())
    said = html.in_markdown(figure).partition(".** ")[2]
    assert re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", said) == re.findall(r"\\\((.*?)\\\)", caption)
    words = re.sub(r"\\\(.*?\\\)", "", re.sub("</?em>", "", caption))
    assert re.sub(r"(?<!\\)\$.*?(?<!\\)\$|\*|\\", "", said) == re.sub(r"\*|\\", "", words)


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


EDGES = [0.0, -0.0, 0.5, 2.5, 1 / 3, 1000.5, 1001.5, 12345.6, 12350.0, 99_995.0, 999_950.5, 999_999_999.0, 1e9, 1e9 + 1]
EDGES += [999_999_999.5, 9.9995e-5, 9.99951e-5, 1e-4, 0.00012345, 1.5e-7, 1e21, 1.7e308, 5e-324, 0.1 + 0.2]
EDGES += [float(np.finfo(float).max), 0.99995, 0.999999999, 1.00004, 3.99999, 20.004, 99.99996, 100.04, 100.00000004]


def test_numbers_read_alike_in_python_and_javascript():
    """Over edges, ties, both signs, and numbers of every size, by the function of the page's script."""
    rng = np.random.default_rng(1)
    values = [*EDGES, *np.round(10 ** rng.uniform(-12, 14, 2000), 3), *10 ** rng.uniform(-300, 300, 2000)]
    values += [*np.frombuffer(rng.bytes(8 * 2000)), float("inf"), float("nan")]
    values = [float(x) for x in (*values, *(-v for v in EDGES))]
    script = (ROOT / "book/_static/hdp-figure.js").read_text(encoding="utf-8")
    found = re.search(r"const format = .*?\n  };\n", script, re.S)[0]
    bits = [struct.pack(">d", x).hex() for x in values]
    read = "new DataView(Uint8Array.from(Buffer.from(b, 'hex')).buffer).getFloat64(0)"
    run = f"{found} console.log(JSON.stringify({json.dumps(bits)}.map((b) => format({read}))));"
    shown = subprocess.run([find_node(), "-"], input=run, capture_output=True, text=True, check=True).stdout
    assert json.loads(shown) == [number(x) for x in values]


def test_a_number_has_four_digits_and_its_thousands_apart():
    shown = {12345.6: "12,350", 12346.0: "12,346", 0.00012346: "0.0001235", 1.5e-5: "1.5·10⁻⁵", 2.5e9: "2.5·10⁹"}
    shown |= {1e-4: "0.0001", 9.999e-5: "9.999·10⁻⁵", 1e9: "10⁹", -1e-16: "-10⁻¹⁶", -6e10: "-6·10¹⁰"}
    shown |= {0.9999546: "0.99995", 3.999996: "3.999996", 99.99546: "99.995", 100.04: "100.04", 1 - 1e-12: "1"}
    assert {value: number(value) for value in shown} == shown
