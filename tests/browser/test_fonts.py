"""The book's own fonts: drawings wait for them, and their licences come with them."""

import pytest

from hdp.figures import ALL
from tests.browser.figure_page import DESKTOP, FigurePage, assert_silent, open_context, pages_of_figures

NAME = "cc-figure-1a"
FONTS = "_static/fonts"

# What comes first, waiting for a font or measuring a text; and every text that is measured before its font is there.
WATCH = """
const load = FontFaceSet.prototype.load, measure = CanvasRenderingContext2D.prototype.measureText;
window.early = [];
FontFaceSet.prototype.load = function (...font) {
    window.first ??= "waits";
    return load.apply(this, font);
};
CanvasRenderingContext2D.prototype.measureText = function (text) {
    window.first ??= "measures";
    if (!document.fonts.check(this.font)) window.early.push(text);
    return measure.call(this, text);
};
"""


def test_a_drawing_waits_for_its_font(browser, site):
    """Vega measures text on a canvas, which takes another font meanwhile and does not tell; here no font comes."""
    complaints, held, let_through = [], [], []
    context = open_context(browser, complaints, viewport=DESKTOP)
    context.add_init_script(WATCH)
    context.route(f"**/{FONTS}/*", lambda route: route.continue_() if let_through else held.append(route))
    page = context.new_page()
    page.goto((site / pages_of_figures(site)[NAME][0]).as_uri(), wait_until="commit")
    page.wait_for_function("window.first")
    let_through.append(True)
    for route in held:
        route.continue_()
    FigurePage(page, ALL[NAME]).wait()
    assert held, "the page has asked for no font"
    assert page.evaluate("[window.first, window.early]") == ["waits", []]
    context.close()
    assert_silent(complaints)


@pytest.mark.parametrize("family", ["SOURCE", "DEJAVU"])
def test_the_licences_come_with_the_fonts(site, family):
    text = (site / FONTS / f"LICENSE_{family}").read_text(encoding="utf-8")
    assert {"SOURCE": "SIL OPEN FONT LICENSE", "DEJAVU": "Bitstream Vera"}[family] in text
