"""Every figure of the book on its built page: it follows its sliders and computes the right numbers."""

import csv
import io
import json
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from hdp.explore import Bar, Box, Curve, Draws, Heatmap, Marker, Note, Points, Rule, Text, frame, style
from hdp.explore.evaluate import draw_values
from hdp.explore.layers import SHOWN
from tests.browser.conftest import FIGURES, NAMES, PATHS
from tests.browser.figure_page import MARKS, SETTLE, FigurePage
from tests.conftest import controls_of
from tests.figures.oracles import ALL, all_shown
from tests.numbers import read_number

SLIDERS = """f => Object.fromEntries(
  Array.from(f.querySelectorAll("[data-parameter]:is(input, select)")).map(slider => [
    slider.dataset.parameter, {
    position: Number(slider.type === "checkbox" ? slider.checked : slider.value),
    positions: JSON.parse(slider.dataset.positions),
    shown: slider.nextElementSibling?.value ?? slider.selectedOptions[0].textContent,
}]))"""
READOUTS = """f => Array.from(f.querySelectorAll("[data-readout]")).map(output =>
    [output.value, f.view.signal(output.dataset.readout)])"""
# What is computed of the samples of the curves or of the cells, or of every eighth of them, say: one column a field.
COLUMNS = """(f, data, every = 1) => {
    const rows = f.view.data(data).filter((_, k) => k % every === 0);
    const fields = Object.keys(rows[0]).filter(key => /^(i|cell|x|y\\d*|z)$/.test(key));
    return Object.fromEntries(fields.map(field => [field, rows.map(row => row[field] ?? null)]));
}"""
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
WRITTEN = """([f, values]) => {
    const [id, query] = location.hash.slice(1).split("?"), written = new URLSearchParams(query ?? "");
    return id === f.id && Object.entries(values).every(([name, value]) => Number(written.get(name)) === value);
}"""


def mark_numbers(figure):
    """Yield every layer with the number of its first mark; points and bars have two.

    On a heatmap a curve lies on a white band, and what is filled below one is an area: they take a number too.  The
    labels of rules come after all other marks, and then points.  The lines of two pictures in one come first.
    """
    count, rules = 2 * bool(figure.split), sum(isinstance(layer, Rule) for layer in figure.layers)
    first = {}
    for layer in sorted(figure.stacked, key=lambda layer: isinstance(layer, Points)):
        banded = isinstance(layer, Curve) and (figure.heatmap is not None or layer.base is not None)
        first[id(layer)] = count + banded + (rules if isinstance(layer, Points) else 0)
        count += 2 if banded or isinstance(layer, Bar | Points) else 1
    for layer in figure.layers:
        yield layer, first[id(layer)]


def is_hidden(figure, layer, values):
    """Whether a layer has nothing to draw there: a rule outside the frame, an empty box, a note."""
    if isinstance(layer, Note):
        return not layer.reference(**values)
    if isinstance(layer, Box | Text):
        return not np.isfinite(np.array(layer.reference(**values), dtype=float)).all()
    if not isinstance(layer, Rule):
        return False
    low, high = getattr(figure, "x" if layer.x is not None else "y").domain or (-np.inf, np.inf)
    return not low <= float(layer.reference(**values)) <= high


def assert_agrees(drawn, expected, what):
    """Compare two curves to 1e-9.

    Relative to the value, or to a millionth of the curve's range where the value is smaller, so that a rounding error
    beside a zero does not count.  The curves must have a value at the same samples, except that one may start or end a
    sample earlier than the other, because the sides of a comparison are rounded differently.
    """
    drawn, expected = (np.where(np.isfinite(v), v, np.nan) for v in (np.array(drawn, dtype=float), expected))
    missing, without = np.isnan(drawn), np.isnan(expected)
    ends = np.diff(without)
    beside_end = np.append(ends, False) | np.append(False, ends)
    assert not ((missing != without) & ~beside_end).any(), f"{what} is not drawn where it has a value, or the reverse"
    both = ~missing & ~without
    if both.any():
        wanted = expected[both]
        error = np.abs(drawn[both] - wanted) / np.maximum(np.maximum(np.abs(wanted), 1e-6 * np.ptp(wanted)), 1e-300)
        assert error.max() <= 1e-9, f"{what} differs by {error.max():.3g}"


def assert_same(drawn, expected, what, floor=0.0):
    """Compare two numbers to 1e-9 relative, or to `floor`; no finite value agrees with no finite value."""
    drawn = np.nan if drawn is None else drawn
    if not (np.isnan(drawn) or np.isinf(drawn)) or np.isfinite(expected):
        assert abs(drawn - expected) <= max(1e-9 * abs(expected), floor), f"{what} is {drawn!r}, not {expected!r}"


def assert_shows(shown, values):
    """The sliders stand at these values, what is written says so, and all numbers are those of the references."""
    shown.read(SETTLE)
    figure = shown.figure
    for name, slider in shown.read(SLIDERS).items():
        p = figure.parameter(name)
        assert slider["positions"][slider["position"]] == values[name] and slider["positions"] == list(p.positions)
        if p.names:
            assert slider["shown"] == p.text(values[name])
        else:
            assert read_number(slider["shown"]) == pytest.approx(values[name], rel=5.1e-4)
    numbered, standing = list(mark_numbers(figure)), Bar | Box | Marker | Note | Rule | Text
    placed = [mark for layer, mark in numbered if isinstance(layer, standing)]
    found = shown.read(NUMBERS, [placed, bool(figure.curves)])
    if figure.curves:
        samples, x = found["samples"], figure.x.grid(figure.samples)[::EVERY]
        assert samples["i"] == list(range(0, figure.samples + 1, EVERY))
        np.testing.assert_allclose(samples["x"], x, rtol=1e-12, atol=1e-12)
    found_rows = dict(zip(placed, found["rows"], strict=True))
    for i, (layer, mark) in enumerate(numbered):
        rows, what = found_rows.get(mark), f"{layer.label} at {values}"
        if isinstance(layer, Curve):
            assert_agrees(samples[f"y{i}"], layer.reference(x, **values), what)
        elif isinstance(layer, Heatmap):
            assert_cells_agree(figure, shown.read(COLUMNS, "cells"), values)
        elif isinstance(layer, Draws):
            drawn = np.array(shown.read(PLACES, mark), dtype=float).T
            np.testing.assert_allclose(drawn, draw_values(figure, layer, values, SHOWN), rtol=1e-9, err_msg=what)
        elif mark in found_rows and is_hidden(figure, layer, values):
            assert not rows, f"{what} is drawn"
        elif isinstance(layer, Note):
            assert rows and shown.part(".hdp-announced").inner_text() == layer.label, what
        elif mark in found_rows:
            keys = {Box: ("x", "y", "x2", "y2"), Text: ("x", "y", "value")}.get(type(layer), ("x", "y"))
            given = [key for key in keys if getattr(layer, key) is not None]  # a rule has one of two
            for key, number in zip(given, np.atleast_1d(layer.reference(**values)), strict=True):
                assert_same(rows[0][key], float(number), f"{key} of {what}", 1e-12 * isinstance(layer, Box | Text))
    for readout, (text, drawn) in zip(figure.readouts, found["readouts"], strict=True):
        number = float(readout.reference(**values))
        assert_same(drawn, number, f"{readout.label} at {values}")
        if readout.names or (readout.infinite != "∞" and np.isinf(number)):
            assert text == readout.text(number)
        else:
            assert read_number(text) == pytest.approx(number, rel=5.1e-4)
    assert found["range"] == pytest.approx(list(frame.domain(figure, values)), rel=1e-8), f"the y-axis at {values}"


def assert_cells_agree(figure, cells, values):
    """Every cell lies where the axes say, row by row from below, and every seventh has the number of the reference."""
    columns, rows = figure.heatmap.cells
    assert cells["cell"] == list(range(columns * rows))
    x, y = (v.ravel() for v in np.meshgrid(figure.x.centres(columns), figure.y.centres(rows)))
    np.testing.assert_allclose(cells["x"], x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(cells["y"], y, rtol=1e-12, atol=1e-12)
    some = slice(None, None, EVERY - 1)  # by seven, which divides no row, so that all columns have their turn
    drawn, expected = np.array(cells["z"], dtype=float)[some], figure.heatmap.reference(x[some], y[some], **values)
    drawn, expected = (np.where(np.isfinite(z), z, np.nan) for z in (drawn, expected))
    np.testing.assert_allclose(drawn, expected, rtol=1e-9, err_msg=f"{figure.heatmap.label} at {values}")


def test_the_pages_have_all_figures_and_no_other():
    assert {name.removesuffix("-simulated") for name in PATHS} == set(ALL)


@pytest.mark.each_kind
def test_it_follows_its_sliders_by_pointer_and_keyboard(shown):
    """To both ends of each (of one group, where all groups have the same), where its numbers are the library's."""
    figure = shown.figure
    assert_shows(shown, figure.paper_values)
    for p in {p.name.rstrip("12345678"): p for p in reversed(figure.parameters)}.values():
        home = all_shown(figure) if p.needs or p.up_to else figure.paper_values
        slider = shown.part(f"[data-parameter={p.name}]:is(input, select)")
        for end, key in ((-1, "End"), (0, "Home")):
            shown.move(home | {p.name: p.positions[-1 - end]})
            before = shown.read(MARKS)
            slider.press("Space" if p.is_switch else key)
            assert_shows(shown, home | {p.name: p.positions[end]})
            drawn = shown.read(MARKS)
            assert drawn != before, f"{p.name} changes nothing"
            shown.move(home | {p.name: p.positions[-1 - end]})
            if p.names:
                slider.select_option(index=len(p.positions) - 1 if end else 0)
            else:
                box = slider.bounding_box()
                slider.click(position={"x": box["width"] - 1 if end else 1, "y": box["height"] / 2})
            shown.read(SETTLE)
            assert shown.read(MARKS) == drawn, f"{p.name} by pointer"
    shown.move(figure.paper_values)
    assert shown.read(MARKS) == shown.first_marks


@pytest.mark.each_kind(kinds=controls_of)
def test_presets_set_the_declared_values(shown):
    figure = shown.figure
    wanted = {preset.label: figure.values(**preset.values) for preset in figure.presets}
    wanted[figure.reset_label] = figure.paper_values
    assert {*shown.part("button[data-values]").all_inner_texts()} == {*wanted}
    for label, values in wanted.items():
        shown.move({p.name: p.positions[0 if values[p.name] != p.positions[0] else -1] for p in figure.parameters})
        shown.element.get_by_role("button", name=label, exact=True).click()
        assert_shows(shown, values)


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
    other.close()


@pytest.mark.each_kind
def test_values_are_read_by_pointer_and_keyboard(shown):
    """Those of all curves at a sample, spoken and written; and what is drawn can be saved."""
    figure, cursor = shown.figure, shown.part(".hdp-cursor")
    if figure.heatmap or not figure.curves:
        assert cursor.count() == 0
        return
    cursor.press("Home")
    for _ in range(30):
        cursor.press("ArrowRight")
    samples, said = shown.read(COLUMNS, "samples"), cursor.get_attribute("aria-valuetext")
    curves = [(c.label, samples[f"y{i}"][30]) for i, c in enumerate(figure.layers) if isinstance(c, Curve)]
    wanted = [(figure.x.label, samples["x"][30]), *((label, y) for label, y in curves if y is not None)]
    assert said == "; ".join(f"{label} {style.number(value)}" for label, value in wanted)
    box = cursor.bounding_box()
    cursor.hover(position={"x": box["width"] / 2, "y": box["height"] - 3})
    assert abs(int(cursor.get_attribute("aria-valuenow")) - figure.samples / 2) <= 2
    with shown.page.expect_download() as download:
        shown.part("[data-download=csv]").click()
    assert download.value.suggested_filename == f"{figure.name}.csv"
    head, *rows = csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8")))
    first, at = next(i for i, c in enumerate(figure.layers) if isinstance(c, Curve)), len(head) - len(figure.curves)
    found = [(float(row[0]), float(row[at]) if row[at] else None) for row in rows[-len(samples["x"]) :]]
    assert found == list(zip(samples["x"], samples[f"y{first}"], strict=True))


def with_layer(kind):
    """The names of the figures with a layer for which this is so, as parameters."""
    chosen = [n for n in NAMES if any(kind(FIGURES[n.values[0]], layer) for layer in FIGURES[n.values[0]].layers)]
    return pytest.mark.parametrize("name", chosen, indirect=True)


@pytest.mark.each_kind(kinds=controls_of)
@with_layer(lambda figure, la: isinstance(la, Rule) and {la.x, la.y} & {p.symbol for p in figure.parameters})
def test_a_rule_that_stands_for_a_parameter_can_be_dragged(shown):
    """Its slider follows."""
    cursor = shown.part(".hdp-cursor")
    for drag in json.loads(cursor.get_attribute("data-drags")):
        axis, p = drag["axis"], shown.figure.parameter(drag["parameter"])
        index = p.positions.index(p.value)
        target = p.positions[index + (3 if index + 3 < len(p.positions) else -3)]
        box, mouse = cursor.bounding_box(), shown.page.mouse
        for value in (p.value, target):
            place = shown.read("(f, [axis, value]) => f.view.scale(axis)(value)", [axis, value])
            mouse.move(*[box[k] + (place if k == axis else 9) for k in "xy"], steps=4)
            (mouse.down if value == p.value else mouse.up)()
        assert_shows(shown, shown.figure.paper_values | {p.name: target})
        shown.move(shown.figure.paper_values)


@with_layer(lambda _, layer: isinstance(layer, Draws))
def test_draws_go_on_when_asked_and_stop(shown):
    drawn, button = "f => f.view.signal('drawn')", shown.part(".hdp-play")
    button.click()
    shown.page.wait_for_function(f"f => ({drawn})(f) > 62", arg=shown.element.element_handle())
    button.click()
    paused = shown.read(drawn)
    shown.page.wait_for_timeout(200)
    assert shown.read(drawn) == paused > SHOWN
    shown.read(f"f => f.view.signal('drawn', {SHOWN}).runAsync().then(() => 0)")
