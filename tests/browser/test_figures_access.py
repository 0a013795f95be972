"""Every figure of the book for every reader: by keyboard, by ear, on a phone, in the dark, without JavaScript."""

import numpy as np
import pytest

from hdp.explore import Circles, Curve, Draws, Marker, Points, style
from tests.browser.axe import assert_nothing_found
from tests.browser.conftest import FIGURES, NAMES, PATHS
from tests.browser.figure_page import DESKTOP, LEGEND, OVERFLOW, PHONE, FigurePage, mark_numbers
from tests.conftest import controls_of
from tests.figures.oracles import all_shown

FOCUS = """f => {
    const active = document.activeElement, look = getComputedStyle(active);
    const controls = Array.from(f.querySelectorAll("input, select, button, a, summary, [tabindex='0']"))
        .filter(control => f.querySelector(".hdp-controls").contains(control) && control.checkVisibility());
    const visible = active.matches(":focus-visible") && look.outlineStyle !== "none"
        && parseFloat(look.outlineWidth) >= 1 && !/, 0\\)$/.test(look.outlineColor);
    return [controls.indexOf(active), controls.length, visible];
}"""


@pytest.mark.each_kind(kinds=controls_of)
def test_the_keyboard_reaches_everything_in_order(shown):
    chart = shown.part(".hdp-chart")
    assert chart.get_attribute("role") in ("img", "graphics-document")
    assert chart.get_attribute("aria-label") == " ".join(shown.figure.alt.split())
    shown.part("input, select").first.focus()
    shown.press("Shift+Tab")
    before, count, _ = shown.read(FOCUS)
    assert before == -1
    for index in range(count):
        shown.press("Tab")
        assert shown.read(FOCUS) == [index, count, True], "next control in order, with a visible focus"
    shown.press("Tab")
    assert shown.read(FOCUS)[0] == -1, "the focus is not caught"


@pytest.mark.each_kind
def test_every_control_has_a_name(shown):
    shown.move(all_shown(shown.figure))
    for p in shown.figure.parameters:
        role = "switch" if p.is_switch else "combobox" if p.names else "slider"
        slider = shown.element.get_by_role(role, name=p.label, exact=True)
        assert slider.get_attribute("data-parameter") == p.name
    names = [shown.figure.reset_label, *(p.label for p in shown.figure.presets), "image", "data", "specification"]
    names += ["Draw more"] * any(isinstance(layer, Draws) for layer in shown.figure.layers)
    for name in names:
        assert shown.element.get_by_role("button", name=name, exact=True).count() == 1, name
    assert shown.part("[data-parameter]:is(input, select)").count() == len(shown.figure.parameters)
    for p in shown.figure.parameters:
        if p.typed:
            assert shown.element.get_by_role("spinbutton", name=f"{p.label}, typed", exact=True).count() == 1
    assert shown.part("button").count() == len(names)
    shown.move(shown.figure.paper_values)


# Stroke and dashes of what a curve's mark draws, as the legend writes them.
LINE = """(f, mark) => {
    const path = f.querySelector(`.hdp-chart .layer_${mark}_marks path`);
    const dashes = (path.getAttribute("stroke-dasharray") || "").replace(/,/g, " ");
    return [path.getAttribute("stroke"), dashes === "1 0" || !dashes ? null : dashes];
}"""


@pytest.mark.each_kind
def test_the_legend_names_what_is_drawn(shown):
    """Every curve by its line, points by their colour, a marker by its ring; what words name, they do."""
    figure = shown.figure
    named = {label: drawing for label, *drawing in shown.read(LEGEND)}
    lines = {curve.label for curve in figure.curves}
    markers = {layer.label: layer.colour for layer in figure.layers if isinstance(layer, Marker)}
    circles = [layer.label for layer in figure.layers if isinstance(layer, Circles)]
    labels = [label for label in figure.labels() if not figure.is_named(label)]
    assert list(named) == [*labels, *markers, *circles]
    for label, colour in markers.items():
        assert colour is None or figure.heatmap or named[label][0] == style.PALETTE[colour]
    assert shown.part(".hdp-legend").is_visible()
    assert shown.part(".hdp-chart .role-legend").count() == 0
    for layer, mark in mark_numbers(figure):
        if isinstance(layer, Curve):
            assert named[layer.label][:2] == shown.read(LINE, mark), layer.label
        elif isinstance(layer, Points) and layer.label not in lines:
            assert named[layer.label][2] == style.PALETTE[figure.labels()[layer.label][0]]


# The colours along the legend's ramp, and those of the cells at the same places of their scale; where the numbers under
# it stand, and where they belong; its title.
RAMP = r"""f => {
    const ramp = f.querySelector(".hdp-ramp div"), scale = f.view.scale("fill"), [low, high] = scale.domain();
    const log = scale.type.endsWith("log"); // of a sequential scale: "sequential-log"
    const place = value => log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    const value = place => log ? low * (high / low) ** place : low + (high - low) * place;
    const channels = colour => colour.match(/\d+/g).map(Number);
    const colours = getComputedStyle(ramp).backgroundImage.match(/rgb\([^)]*\)/g);
    const cells = colours.map((_, k) => scale(value(k / (colours.length - 1))));
    const ticks = Array.from(f.querySelectorAll(".hdp-ramp p span")).map(tick =>
        [parseFloat(tick.style.left) / 100, place(Number(tick.textContent.replace(/,/g, "")))]);
    return [colours.map(channels), cells.map(channels), ticks, f.querySelector(".hdp-ramp span").textContent];
}"""


@pytest.mark.parametrize("name", [name for name in NAMES if FIGURES[name.values[0]].heatmap], indirect=True)
def test_the_ramp_is_the_palette_of_the_cells(shown):
    colours, cells, ticks, title = shown.read(RAMP)
    np.testing.assert_allclose(colours, cells, atol=3)
    assert len(ticks) >= 3
    np.testing.assert_allclose(*zip(*ticks, strict=True), atol=1e-3)
    assert title == shown.figure.heatmap.label


@pytest.mark.each_kind
def test_nothing_for_axe_to_complain_of_on_a_phone(shown):
    """On a desktop axe looks at whole pages, in light and in dark: test_pages_access.py."""
    shown.built.show(PHONE)
    assert_nothing_found(shown.page, f"#figure-{shown.figure.name}")


# Text of the chart below 4.5:1 and lines of it below 3:1 against what is behind them (axe does not look into drawings).
FAINT = """f => {
    const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parse = colour => colour.match(/[\\d.]+/g).map(Number);
    const opaque = element => {
        const colour = parse(getComputedStyle(element).backgroundColor);
        return colour.length === 3 ? colour : opaque(element.parentElement);
    };
    const contrast = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
        return (high + 0.05) / (low + 0.05);
    };
    const chart = f.querySelector(".hdp-chart"), ground = opaque(chart);
    const faint = (selector, property, least) => Array.from(chart.querySelectorAll(selector))
        .map(element => [element.textContent || selector, contrast(parse(getComputedStyle(element)[property]), ground)])
        .filter(([_, ratio]) => !(ratio >= least));
    const lines = ".mark-line:not([class*=casing_]) path, .mark-rule.role-mark line"; // a casing is a ground
    return [...faint("svg text", "fill", 4.5), ...faint(lines, "stroke", 3)];
}"""


CASINGS = """f => Array.from(f.querySelectorAll(".mark-line[class*=casing_] path"))
    .map(path => getComputedStyle(path).stroke)"""
WHITE = "rgb(255, 255, 255)"


def test_drawings_stand_out_from_their_ground(opened):
    for scheme in ("dark", "light"):
        opened.show(DESKTOP, scheme)
        faint = {name: parts for name, parts in opened.read_all(FAINT).items() if parts}
        assert faint == {}, f"text or lines of the chart without contrast in {scheme}"
        for name, casings in opened.read_all(CASINGS).items():
            bands = len(FIGURES[name].curves) if FIGURES[name].heatmap else 0
            assert casings == [WHITE] * bands, f"on a heatmap every curve is set off by a white band: {name}"


OUTSIDE = """f => {
    const chart = f.querySelector(".hdp-chart").getBoundingClientRect(), width = document.documentElement.clientWidth;
    const leaves = (selector, left, right) => Array.from(f.querySelectorAll(selector)).filter(element => {
        const place = element.getBoundingClientRect();
        return place.width && (place.left < left - 1 || place.right > right + 1);
    }).map(element => element.tagName + " " + element.textContent.trim().slice(0, 60));
    return [...leaves(".hdp-chart, svg, .hdp-controls *, figcaption", 0, width),
            ...leaves(".hdp-chart svg text, .hdp-legend *", chart.left, chart.right)];
}"""


WIDTH = "f => f.querySelector('.hdp-chart svg').getBoundingClientRect().width"


# Pairs of texts in the drawing that lie on each other.
COLLIDING = """f => {
    const texts = Array.from(f.querySelectorAll(".hdp-chart svg text"))
        .filter(text => text.getAttribute("opacity") !== "0")
        .map(text => [text.textContent.trim(), text.getBoundingClientRect()])
        .filter(([text, place]) => text && place.width);
    return texts.flatMap(([text, a], i) => texts.slice(i + 1).filter(([_, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4).map(([other]) => `${text} on ${other}`));
}"""


# Of the picture, the sliders that are not folded and the readouts: the lowest end, from the top of the page, and the
# height, with that of the bar that stays on top.
SEEN = """f => {
    const parts = [".hdp-stage", ".hdp-controls > .hdp-slider:not([hidden])", ".hdp-readout"];
    const places = Array.from(f.querySelectorAll(parts), part => part.getBoundingClientRect());
    const top = Math.min(...places.map(place => place.top)), bottom = Math.max(...places.map(place => place.bottom));
    return [bottom + scrollY, bottom - top + document.querySelector(".bd-header-article").offsetHeight];
}"""


@pytest.fixture
def readings(opened):
    """Return what the tests below ask of all figures of a page, by size and script; each is read once."""
    if "readings" not in vars(opened):
        opened.readings = {}
        for size in (DESKTOP, PHONE):
            opened.show(size)
            scripts = (WIDTH, OUTSIDE, COLLIDING, SEEN, OVERFLOW)
            opened.readings[size["width"]] = {script: opened.read_all(script) for script in scripts}
    return opened.readings


def test_figures_fit_on_a_phone(readings):
    phone, desktop = readings[PHONE["width"]], readings[DESKTOP["width"]]
    assert set(phone[OVERFLOW].values()) <= {0}
    assert [name for name in phone[WIDTH] if desktop[WIDTH][name] <= phone[WIDTH][name]] == []


def test_nothing_is_cut(readings):
    """No part of a figure reaches beyond the screen or the chart."""
    for width, found in readings.items():
        assert {name: parts for name, parts in found[OUTSIDE].items() if parts} == {}, width


def test_what_a_slider_changes_is_seen_while_it_moves(readings):
    """Picture, sliders and readouts are on one screen of a desktop, and those of the first figure on the first one."""
    seen = readings[DESKTOP["width"]][SEEN]
    assert {name: high for name, (_, high) in seen.items() if high > DESKTOP["height"]} == {}
    assert min(bottom for bottom, _ in seen.values()) <= DESKTOP["height"]


def test_no_text_of_a_drawing_lies_on_another(readings):
    """Ticks, titles and the labels of lines, where the sliders stand at first."""
    for width, found in readings.items():
        assert {name: texts for name, texts in found[COLLIDING].items() if texts} == {}, width


@pytest.mark.each_kind
def test_the_picture_is_there_without_javascript(name, visit):
    shown = FigurePage(visit(PATHS[name][0], "no script").page, FIGURES[name])
    picture = shown.part(".hdp-picture")
    assert picture.is_visible()
    ratios = "image => [image.naturalWidth / image.clientWidth, image.naturalHeight / image.clientHeight]"
    wide, high = picture.evaluate(ratios)
    assert wide == pytest.approx(high, rel=0.01), "as wide for its height as it was drawn"
    assert picture.get_attribute("alt") == " ".join(shown.figure.alt.split()) != ""
    for hidden in (".hdp-controls", ".hdp-chart", ".hdp-legend"):
        assert not shown.part(hidden).is_visible()
    assert shown.part("figcaption").is_visible() and shown.part("figcaption").inner_text().strip()
