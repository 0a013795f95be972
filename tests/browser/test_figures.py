"""Every figure of the book on its built page: it follows its sliders and computes the right numbers."""

import csv
import io
import json
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest

from hdp.explore import Bar, Box, Curve, Draws, Heatmap, Marker, Note, Rule, Text, frame, style, vega
from hdp.explore.evaluate import draw_values
from hdp.explore.layers import SHOWN
from tests.browser.conftest import FIGURES, NAMES
from tests.browser.figure_page import (
    COLUMNS,
    READOUTS,
    SLIDERS,
    FigurePage,
    assert_agrees,
    assert_same,
    is_hidden,
    mark_numbers,
    pages_of_figures,
    positions_to_check,
    scattered,
)
from tests.conftest import controls_of
from tests.figures.oracles import ALL, all_shown
from tests.numbers import read_number

WRITTEN = """([f, values]) => {
    const [id, query] = location.hash.slice(1).split("?"), written = new URLSearchParams(query ?? "");
    return id === f.id && Object.entries(values).every(([name, value]) => Number(written.get(name)) === value);
}"""
IN_SIGHT = "f => Math.abs(f.getBoundingClientRect().top) < innerHeight"
EVERY = 8
# All numbers of a figure at once: every eighth sample, what its marks stand for, the readouts, the vertical axis.
NUMBERS = f"""(f, [marks, curves]) => {{
    const keys = ["x", "y", "x2", "y2", "value"];
    const numbers = datum => Object.fromEntries(keys.map(key => [key, datum?.[key] ?? null]));
    const items = mark => f.view.data(`layer_${{mark}}_marks`) ?? [];
    return {{
        samples: curves ? ({COLUMNS})(f, "samples", {EVERY}) : {{}},
        rows: marks.map(mark => items(mark).slice(0, 2).filter(item => item.datum).map(item => numbers(item.datum))),
        readouts: ({READOUTS})(f),
        range: f.view.scale("y").domain(),
    }};
}}"""
PLACES = "(f, mark) => f.view.data(`layer_${mark}_marks`).map(item => [item.datum.x, item.datum.y])"
SVG = "{http://www.w3.org/2000/svg}"


def assert_shows(shown, values):
    """The sliders stand at these values, and what is written and spoken says so."""
    for name, slider in shown.read(SLIDERS).items():
        assert slider["positions"][slider["position"]] == values[name]
        assert slider["positions"] == list(shown.figure.parameter(name).positions)
        assert slider["shown"] == slider["spoken"] or shown.figure.parameter(name).is_switch
        if shown.figure.parameter(name).names:
            assert slider["shown"] == shown.figure.parameter(name).text(values[name])
            continue
        assert read_number(slider["shown"]) == pytest.approx(values[name], rel=5.1e-4)
    for readout, (text, _) in zip(shown.figure.readouts, shown.read(READOUTS), strict=True):
        number = float(readout.reference(**values))
        if readout.names or (readout.infinite != "∞" and np.isinf(number)):
            assert text == readout.text(number)
        else:
            assert read_number(text) == pytest.approx(number, rel=5.1e-4)


def test_the_pages_have_all_figures_and_no_other(site):
    assert {name.removesuffix("-simulated") for name in pages_of_figures(site)} == set(ALL)


def test_it_comes_to_life(shown):
    assert shown.part(".hdp-chart svg").is_visible()
    assert shown.part(".hdp-controls").is_visible()
    assert shown.part("figcaption").is_visible()
    assert not shown.part(".hdp-picture").is_visible()
    assert shown.part(".hdp-ramp").count() == (shown.figure.heatmap is not None)
    drawn = {name for name, *_ in shown.first_marks}
    at = shown.figure.paper_values
    visible = {mark for layer, mark in mark_numbers(shown.figure) if not is_hidden(shown.figure, layer, at)}
    assert {f"layer_{mark}_marks" for mark in visible} <= drawn
    assert "NaN" not in str(shown.first_marks)
    assert_shows(shown, shown.figure.paper_values)
    assert shown.marks() == shown.first_marks


@pytest.mark.each_kind
def test_each_slider_moves_the_marks_and_back(shown):
    for p in shown.figure.parameters:
        index, last = p.positions.index(p.value), len(p.positions) - 1
        home = all_shown(shown.figure) if p.needs or p.up_to else shown.figure.paper_values
        shown.move(home)
        first_marks = shown.marks()
        on, back, end, far = "ArrowRight", "ArrowLeft", "End", last
        if p.is_switch:
            on, back, end, far = "Space", "Space", "Space", 1 - index
        elif index == last:
            on, back, end, far = back, on, "Home", 0
        shown.part(f"[data-parameter={p.name}]:is(input, select)").focus()
        shown.press(on)
        assert_shows(shown, home | {p.name: p.positions[index + (1 if far > index else -1)]})
        assert shown.marks() != first_marks, f"one step of {p.name} changes nothing"
        shown.press(back)
        assert shown.marks() == first_marks, f"one step of {p.name} and back is not where it was"
        shown.press(end)
        assert_shows(shown, home | {p.name: p.positions[far]})
        assert shown.marks() != first_marks, f"{p.name} at its end changes nothing"
        shown.move(home)  # by as many keys it would be the step above, many times
        assert shown.marks() == first_marks, f"{p.name} from its end is not back where it was"
    shown.move(shown.figure.paper_values)
    assert shown.marks() == shown.first_marks


def test_numbers_agree_with_the_library(shown):
    """As the page opens, at every eighth sample or seventh cell; tests/figures asks at other places of the sliders."""
    assert_numbers_agree(shown, shown.figure.paper_values)


@pytest.mark.each_kind
def test_numbers_agree_wherever_the_sliders_stand(shown):
    """And whatever is to be drawn is drawn at one of these places."""
    figure = shown.figure
    total = np.sum([assert_numbers_agree(shown, values) for values in positions_to_check(figure)], axis=0)
    unseen = [layer for layer, count in zip(figure.layers, total, strict=True) if not count]
    assert not [layer for layer in unseen if isinstance(layer, Bar | Curve | Heatmap | Rule | Marker)]
    seen = {layer.label for layer, count in zip(figure.layers, total, strict=True) if count}
    assert {layer.label for layer in unseen if isinstance(layer, Box | Text)} <= seen


def assert_numbers_agree(shown, values):
    """At these values; return how many numbers of each layer were compared."""
    figure, total = shown.figure, [0] * len(shown.figure.layers)
    numbered, standing = list(mark_numbers(figure)), Bar | Box | Marker | Note | Rule | Text
    placed = [mark for layer, mark in numbered if isinstance(layer, standing)]
    shown.move(values)
    found = shown.read(NUMBERS, [placed, bool(figure.curves)])
    if figure.curves:
        samples, grid = found["samples"], figure.x.grid(figure.samples)
        assert samples["i"] == list(range(0, figure.samples + 1, EVERY))
        x = np.array(samples["x"])
        np.testing.assert_allclose(x, grid[::EVERY], rtol=1e-12, atol=1e-12)
    found_rows = dict(zip(placed, found["rows"], strict=True))
    for i, (layer, mark) in enumerate(numbered):
        rows, what = found_rows.get(mark), f"{layer.label} at {values}"
        if isinstance(layer, Curve):
            total[i] = assert_agrees(samples[f"y{i}"], layer.reference(x, **values), what)
        elif isinstance(layer, Heatmap):
            total[i] = assert_cells_agree(figure, shown.read(COLUMNS, "cells"), values)
        elif isinstance(layer, Draws):
            drawn = np.array(shown.read(PLACES, mark), dtype=float).T
            np.testing.assert_allclose(drawn, draw_values(figure, layer, values, SHOWN), rtol=1e-9, err_msg=what)
        elif isinstance(layer, Note):
            assert len(rows) == bool(layer.reference(**values)), what
            if rows:
                assert shown.part(".hdp-announced").inner_text() == layer.label
        elif mark in found_rows:
            total[i] = assert_placed(figure, layer, rows[0] if rows else None, values, what)
    for readout, (_, number) in zip(figure.readouts, found["readouts"], strict=True):
        assert_same(number, float(readout.reference(**values)), f"{readout.label} at {values}")
    low, high = frame.domain(figure, values)
    assert found["range"] == pytest.approx([low, high], rel=1e-8), f"the vertical axis at {values}"
    return total


def assert_placed(figure, layer, datum, values, what):
    """A layer stands where its reference says, with its number; where it is hidden, it is not drawn."""
    if is_hidden(figure, layer, values):
        assert datum is None, f"{what} is drawn at {datum}"
        return 0
    keys = {Box: ("x", "y", "x2", "y2"), Text: ("x", "y", "value")}.get(type(layer), ("x", "y"))
    given = [key for key in keys if getattr(layer, key) is not None]  # a rule has one of two
    for key, number in zip(given, np.atleast_1d(layer.reference(**values)), strict=True):
        floor = 1e-12 if isinstance(layer, Box | Text) else 0.0
        assert_same(datum and datum[key], float(number), f"{key} of {what}", floor)
    return 1


def assert_cells_agree(figure, cells, values):
    """Every cell lies where the axes say, row by row from below, and every seventh has the number of the reference."""
    columns, rows = figure.heatmap.cells
    assert cells["cell"] == list(range(columns * rows))
    x, y = np.meshgrid(figure.x.centres(columns), figure.y.centres(rows))
    np.testing.assert_allclose(cells["x"], x.ravel(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(cells["y"], y.ravel(), rtol=1e-12, atol=1e-12)
    some = slice(None, None, EVERY - 1)  # by seven, which divides no row, so that all columns have their turn
    z = np.array(cells["z"], dtype=float)[some]
    expected = figure.heatmap.reference(x.ravel()[some], y.ravel()[some], **values)
    np.testing.assert_array_equal(np.isfinite(z), np.isfinite(expected), err_msg=f"{figure.heatmap.label} at {values}")
    both = np.isfinite(z)
    np.testing.assert_allclose(z[both], expected[both], rtol=1e-9, err_msg=f"{figure.heatmap.label} at {values}")
    return both.sum()


@pytest.mark.each_kind(kinds=controls_of)
def test_the_state_is_in_the_address(shown):
    """A changed slider is written there, and an address that was shared brings the figure to it."""
    moved = {p.name: p.positions[0] if p.value != p.positions[0] else p.positions[-1] for p in shown.figure.parameters}
    shown.move(moved)
    shown.page.wait_for_function(WRITTEN, arg=[shown.element.element_handle(), moved])
    query = dict(parse_qsl(urlsplit(shown.page.url).fragment.split("?")[1]))
    assert {name: float(value) for name, value in query.items()} == moved
    other = shown.page.context.new_page()
    other.goto(shown.page.url)
    opened = FigurePage(other, shown.figure)
    opened.wait()
    assert_shows(opened, moved)
    other.wait_for_function(IN_SIGHT, arg=opened.element.element_handle())
    other.close()


@pytest.mark.each_kind
def test_values_are_read_by_pointer_and_keyboard(shown):
    """Those of all curves at a sample, spoken and written."""
    cursor = shown.part(".hdp-cursor")
    if shown.figure.heatmap or not shown.figure.curves:
        assert cursor.count() == 0
        return
    cursor.focus()
    shown.press("Home")
    shown.press("ArrowRight", 30)
    samples, said = shown.read(COLUMNS, "samples"), cursor.get_attribute("aria-valuetext")
    curves = [(c.label, samples[f"y{i}"][30]) for i, c in enumerate(shown.figure.layers) if isinstance(c, Curve)]
    wanted = [(shown.figure.x.label, samples["x"][30]), *((label, y) for label, y in curves if y is not None)]
    assert said == "; ".join(f"{label} {style.number(value)}" for label, value in wanted)
    box = cursor.bounding_box()
    shown.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 3)
    assert abs(int(cursor.get_attribute("aria-valuenow")) - shown.figure.samples / 2) <= 2
    assert shown.part(".hdp-values").inner_text().startswith(shown.figure.x.label)


DRAGGED = [name for name, figure in FIGURES.items() for layer in figure.layers if isinstance(layer, Rule)
           if {layer.x, layer.y} & {p.symbol for p in figure.parameters}]  # fmt: skip


@pytest.mark.parametrize("name", [n for n in NAMES if n.values[0] in DRAGGED], indirect=True)
def test_a_rule_that_stands_for_a_parameter_can_be_dragged(shown):
    """Its slider follows."""
    cursor = shown.part(".hdp-cursor")
    for drag in json.loads(cursor.get_attribute("data-drags")):
        axis, p = drag["axis"], shown.figure.parameter(drag["parameter"])
        index = p.positions.index(p.value)
        target = p.positions[index + (3 if index + 3 < len(p.positions) else -3)]
        place = "(f, [axis, value]) => f.view.scale(axis)(value)"
        start, end = (shown.read(place, [axis, value]) for value in (p.value, target))
        cursor.scroll_into_view_if_needed()
        box = cursor.bounding_box()
        at = lambda v: (box["x"] + v, box["y"] + 9) if axis == "x" else (box["x"] + 9, box["y"] + v)  # noqa: E731, B023
        shown.page.mouse.move(*at(start))
        shown.page.mouse.down()
        shown.page.mouse.move(*at(end), steps=4)
        shown.page.mouse.up()
        shown.settle()
        assert shown.read(SLIDERS)[p.name]["position"] == p.positions.index(target)
        shown.move(shown.figure.paper_values)


@pytest.mark.parametrize("name", [n for n in NAMES if any(isinstance(la, Draws) for la in FIGURES[n.values[0]].layers)],
                         indirect=True)  # fmt: skip
def test_draws_go_on_when_asked(shown):
    """And stop; nothing moves by itself for those who asked for less motion."""
    assert shown.read("f => f.view.signal('drawn')") == SHOWN
    button = shown.part(".hdp-play")
    button.click()
    assert button.inner_text() == "Pause"
    shown.page.wait_for_function("f => f.view.signal('drawn') > 62", arg=shown.element.element_handle())
    button.click()
    assert button.inner_text() == "Draw more"
    paused = shown.read("f => f.view.signal('drawn')")
    shown.page.wait_for_timeout(200)
    assert shown.read("f => f.view.signal('drawn')") == paused > SHOWN
    shown.read(f"f => f.view.signal('drawn', {SHOWN}).runAsync().then(() => 0)")


@pytest.mark.each_kind(kinds=controls_of)
def test_buttons_set_the_declared_values(shown):
    figure = shown.figure
    wanted = {figure.reset_label: figure.paper_values}
    wanted |= {preset.label: figure.values(**preset.values) for preset in figure.presets}
    assert shown.part("button[data-values]").all_inner_texts() == list(wanted)
    for label, values in wanted.items():
        shown.move(values)
        drawn = shown.marks()
        for way, position in zip(("mouse", "Enter", "Space"), scattered(figure, 3), strict=True):
            shown.move(position)
            assert shown.marks() != drawn
            button = shown.element.get_by_role("button", name=label, exact=True)
            button.click() if way == "mouse" else button.press(way)
            shown.settle()
            assert_shows(shown, values)
            assert shown.marks() == drawn, f"{label} by {way}"
    assert wanted[figure.reset_label] == {p.name: p.value for p in figure.parameters}


def downloaded(shown, kind):
    """Press a download button; return the text of the file."""
    with shown.page.expect_download(timeout=20_000) as download:
        shown.part(f"[data-download={kind}]").click()
    assert download.value.suggested_filename == f"{shown.figure.name}.{kind}"
    return download.value.path().read_text(encoding="utf-8")


@pytest.mark.each_kind
def test_data_image_and_specification_can_be_downloaded(shown):
    """What is drawn, at these sliders; nothing in the page looks different afterwards."""
    figure = shown.figure
    shown.move(scattered(figure, 1)[0])
    sheets = "() => Array.from(document.styleSheets, sheet => sheet.ownerNode.id || sheet.href)"
    before = shown.page.evaluate(sheets)
    head, *rows = csv.reader(io.StringIO(downloaded(shown, "csv")))
    assert figure.x.label in head
    if figure.curves:
        samples = shown.read(COLUMNS, "samples")
        first = next(f"y{i}" for i, layer in enumerate(figure.layers) if isinstance(layer, Curve))
        found = rows[-len(samples["x"]) :]
        at = len(head) - len(figure.curves)
        assert [[float(row[0]), float(row[at]) if row[at] else None] for row in found] == [
            list(row) for row in zip(samples["x"], samples[first], strict=True)
        ]
    text = downloaded(shown, "svg")
    assert shown.page.evaluate(sheets) == before and "currentColor" not in text
    root = ElementTree.fromstring(text)
    paths = {path.get("d") for path in root.iter(f"{SVG}path")}
    assert root.tag == f"{SVG}svg" and {path for _, path, *_ in shown.marks() if path} <= paths
    assert {*figure.labels()} <= {text.text for text in root.iter(f"{SVG}text")}
    document, declared = json.loads(downloaded(shown, "json")), json.loads(json.dumps(vega.specification(figure)))
    assert document | {"layer": document["layer"][: len(declared["layer"])]} == declared
