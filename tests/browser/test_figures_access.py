"""Every figure of the book for every reader: by keyboard, by ear, on a phone, in the dark, without JavaScript."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from hdp.explore import Curve, Marker, Points, style
from tests.browser.figure_page import DESKTOP, FONTS, LEGEND, PHONE, mark_numbers

# Without its preloading of style sheets, which a page from disk may not read.
AXE = {"resultTypes": ["violations"], "preload": False}

FOCUS = """f => {
    const active = document.activeElement, look = getComputedStyle(active);
    const controls = Array.from(f.querySelectorAll("input, button, a, [tabindex='0']"))
        .filter(control => f.querySelector(".hdp-controls").contains(control));
    const visible = active.matches(":focus-visible") && look.outlineStyle !== "none"
        && parseFloat(look.outlineWidth) >= 1 && !/, 0\\)$/.test(look.outlineColor);
    return [controls.indexOf(active), controls.length, visible];
}"""


@pytest.mark.each_kind
def test_the_keyboard_reaches_everything_in_order(shown):
    shown.part("input").first.focus()
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
    for p in shown.figure.parameters:
        slider = shown.element.get_by_role("slider", name=p.label, exact=True)
        assert slider.get_attribute("data-parameter") == p.name
    names = [shown.figure.reset_label, *(p.label for p in shown.figure.presets), "image", "data", "specification"]
    for name in names:
        assert shown.element.get_by_role("button", name=name, exact=True).count() == 1, name
    assert shown.part("input").count() == len(shown.figure.parameters)
    assert shown.part("button").count() == len(names)


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


@pytest.mark.each_kind
def test_the_chart_says_what_it_shows(shown):
    chart = shown.part(".hdp-chart")
    assert chart.get_attribute("role") in ("img", "graphics-document")
    assert chart.get_attribute("aria-label") == " ".join(shown.figure.alt.split())


# Stroke and dashes of what a curve's mark draws, as the legend writes them.
LINE = """(f, mark) => {
    const path = f.querySelector(`.hdp-chart .layer_${mark}_marks path`);
    const dashes = (path.getAttribute("stroke-dasharray") || "").replace(/,/g, " ");
    return [path.getAttribute("stroke"), dashes === "1 0" || !dashes ? null : dashes];
}"""


@pytest.mark.each_kind
def test_the_legend_names_what_is_drawn(shown):
    """Every curve by its line, points by their colour, a marker by its ring; and nothing is in the drawing."""
    figure = shown.figure
    named = {label: drawing for label, *drawing in shown.read(LEGEND)}
    lines = {curve.label for curve in figure.curves}
    markers = [layer.label for layer in figure.layers if isinstance(layer, Marker)]
    assert list(named) == [*figure.labels(), *markers]
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


def test_the_ramp_is_the_palette_of_the_cells(shown):
    if shown.figure.heatmap is None:
        assert shown.part(".hdp-ramp").count() == 0
        return
    colours, cells, ticks, title = shown.read(RAMP)
    np.testing.assert_allclose(colours, cells, atol=3)
    assert len(ticks) >= 3
    np.testing.assert_allclose(*zip(*ticks, strict=True), atol=1e-3)
    assert title == shown.figure.heatmap.label


@pytest.mark.each_kind
def test_nothing_for_axe_to_complain_of_on_a_phone(shown):
    """On a desktop axe looks at whole pages, in light and in dark: test_pages_access.py."""
    shown.show(PHONE)
    found = Axe().run(shown.page, context=f"#figure-{shown.figure.name}", options=AXE)
    assert found.response["passes"], "axe has looked at nothing"
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawing_stands_out_from_its_ground(shown, scheme):
    shown.show(DESKTOP, scheme)
    assert shown.read(FAINT) == [], "text or lines of the chart without contrast"
    bands = len(shown.figure.curves) if shown.figure.heatmap else 0
    assert shown.read(CASINGS) == [WHITE] * bands, "on a heatmap every curve is set off by a white band"


OUTSIDE = """f => {
    const chart = f.querySelector(".hdp-chart").getBoundingClientRect(), width = document.documentElement.clientWidth;
    const leaves = (selector, left, right) => Array.from(f.querySelectorAll(selector)).filter(element => {
        const place = element.getBoundingClientRect();
        return place.width && (place.left < left - 1 || place.right > right + 1);
    }).map(element => element.tagName + " " + element.textContent.trim().slice(0, 60));
    return [...leaves(".hdp-chart, svg, .hdp-controls *, figcaption", 0, width),
            ...leaves(".hdp-chart svg text, .hdp-legend *", chart.left, chart.right)];
}"""


# How many lines a long name takes in the legend, and whether it stays within it.
WRAPPED = """f => {
    const name = f.querySelector(".hdp-legend li span"), kept = name.textContent, line = name.getBoundingClientRect();
    name.textContent = "as long as this one ".repeat(8);
    const { height, right } = name.getBoundingClientRect();
    name.textContent = kept;
    return [height / line.height, right <= f.querySelector(".hdp-chart").getBoundingClientRect().right];
}"""


def test_it_fits_on_a_phone(on_phone):
    page = on_phone.page
    lines, within = on_phone.read(WRAPPED)
    assert lines >= 2 and within, "a long name in the legend does not wrap"
    assert on_phone.read(OUTSIDE) == [], "parts that reach beyond the screen or the chart"
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    first, narrow = on_phone.marks(), on_phone.part(".hdp-chart svg").bounding_box()["width"]
    page.set_viewport_size(DESKTOP)
    on_phone.wait_for_width()
    assert on_phone.part(".hdp-chart svg").bounding_box()["width"] > narrow
    page.set_viewport_size(PHONE)
    on_phone.wait_for_width()
    assert on_phone.part(".hdp-chart svg").bounding_box()["width"] == narrow
    assert on_phone.marks() == first


LETTERS = """f => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = "100px " + getComputedStyle(f).fontFamily;
    return context.measureText("mmmmmmmmmm").width;
}"""


def test_it_fits_in_other_fonts(in_other_fonts):
    """In a font half as wide again, as in one with serifs; on a phone and on a desktop."""
    widths = set()
    for font in FONTS:
        shown = in_other_fonts(font)
        widths.add(shown.read(LETTERS))
        for size in (PHONE, DESKTOP):
            shown.show(size)
            assert shown.read(OUTSIDE) == [], f"parts that reach beyond the screen or the chart: {font}, {size}"
    assert len(widths) == len(FONTS), "the fonts were not exchanged"


@pytest.mark.each_kind
def test_the_picture_is_there_without_javascript(without_script):
    shown, figure = without_script, without_script.figure
    picture = shown.part(".hdp-picture")
    assert picture.is_visible()
    assert picture.evaluate("image => image.naturalWidth * image.naturalHeight * image.clientWidth") > 0
    assert picture.get_attribute("alt") == " ".join(figure.alt.split()) != ""
    assert not shown.part(".hdp-controls").is_visible()
    assert not shown.part(".hdp-chart").is_visible()
    assert not shown.part(".hdp-legend").is_visible()
    assert shown.part("figcaption").is_visible()
    assert shown.part("figcaption").inner_text().strip()
