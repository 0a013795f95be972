"""The book's own fonts: drawings wait for them, and their licences come with them."""

import time

import pytest

from hdp.figures import ALL
from tests.browser.figure_page import DESKTOP, FigurePage, assert_silent, open_context, pages_of_figures

NAME = "cc-figure-1a"
FONTS = "_static/fonts"
WIDTH = "f => f.view.signal('width')"


def drawn(browser, site, delay):
    """Return where the marks of a figure are, and how wide its frame is, if fonts come after so many seconds."""
    complaints, asked = [], []

    def answer(route):
        asked.append(route.request.url)
        time.sleep(delay)
        route.continue_()

    context = open_context(browser, complaints, viewport=DESKTOP)
    context.route(f"**/{FONTS}/*", answer)
    page = context.new_page()
    page.goto((site / pages_of_figures(site)[NAME][0]).as_uri())
    shown = FigurePage(page, ALL[NAME])
    shown.wait()
    result = shown.read(WIDTH), shown.marks()
    context.close()
    assert_silent(complaints)
    assert asked, "the page has asked for no font"
    return result


def test_a_drawing_waits_for_its_font(browser, site):
    """Vega measures text on a canvas, which takes another font meanwhile and does not tell."""
    assert drawn(browser, site, 0.5) == drawn(browser, site, 0)


@pytest.mark.parametrize("family", ["SOURCE", "DEJAVU"])
def test_the_licences_come_with_the_fonts(site, family):
    text = (site / FONTS / f"LICENSE_{family}").read_text(encoding="utf-8")
    assert {"SOURCE": "SIL OPEN FONT LICENSE", "DEJAVU": "Bitstream Vera"}[family] in text
