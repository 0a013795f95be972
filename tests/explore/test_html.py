"""The markup of a figure, before a browser has it: its legend, its controls, and its specification as it is."""

import json
import re
from unittest import mock

import pytest
from bs4 import BeautifulSoup

from hdp.explore import html, style
from hdp.explore.layers import Box, Circles, Curve, Marker
from hdp.figures import ALL

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
