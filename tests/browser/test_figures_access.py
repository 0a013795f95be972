"""Every figure of the book for every reader: by keyboard, by ear, on a phone, in the dark, without JavaScript."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.figure_page import DESKTOP, PHONE

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


def test_the_chart_says_what_it_shows(shown):
    chart = shown.part(".hdp-chart")
    assert chart.get_attribute("role") in ("img", "graphics-document")
    assert chart.get_attribute("aria-label") == " ".join(shown.figure.alt.split())


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
            ...leaves("svg text", chart.left, chart.right)];
}"""


def test_it_fits_on_a_phone(on_phone):
    page = on_phone.page
    assert on_phone.read(OUTSIDE) == [], "parts that reach beyond the screen or the chart"
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    first, narrow = on_phone.marks(), on_phone.part("svg").bounding_box()["width"]
    page.set_viewport_size(DESKTOP)
    on_phone.wait_for_width()
    assert on_phone.part("svg").bounding_box()["width"] > narrow
    page.set_viewport_size(PHONE)
    on_phone.wait_for_width()
    assert on_phone.part("svg").bounding_box()["width"] == narrow
    assert on_phone.marks() == first


def test_the_picture_is_there_without_javascript(without_script):
    shown, figure = without_script, without_script.figure
    picture = shown.part(".hdp-picture")
    assert picture.is_visible()
    assert picture.evaluate("image => image.naturalWidth * image.naturalHeight * image.clientWidth") > 0
    assert picture.get_attribute("alt") == " ".join(figure.alt.split()) != ""
    assert not shown.part(".hdp-controls").is_visible()
    assert not shown.part(".hdp-chart").is_visible()
    assert shown.part("figcaption").is_visible()
    assert shown.part("figcaption").inner_text().strip()
