"""One open page, shared by the tests of its figures."""

from pathlib import Path

import matplotlib
import pytest
from playwright.sync_api import TimeoutError

from tests.browser.figure_page import DESKTOP, FONTS, PHONE, FigurePage, assert_silent, open_context, pages_of_figures
from tests.conftest import SITE
from tests.figures.oracles import ALL

# One worker gets all tests of a page, because they share it.
PATHS = pages_of_figures(SITE)
NAMES = [pytest.param(name, marks=pytest.mark.xdist_group(PATHS.get(name, ["missing"])[0])) for name in ALL]
WAYS = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE},
    "no script": {"viewport": DESKTOP, "java_script_enabled": False},
}
WAYS |= {font: {"viewport": PHONE} for font in FONTS}


@pytest.fixture(scope="session")
def visit(browser, site):
    """Yield a function that opens a page in one of the ways above, and keeps it open until it opens another that way.

    It returns the page and the list of all that the page complains of.
    """
    held = {}

    def visit(path, way="desktop"):
        if way not in held or held[way][0] != path:
            if way in held:
                held[way][1].close()
            complaints = []
            context = open_context(browser, complaints, **WAYS[way])
            if way in FONTS:
                font = Path(matplotlib.get_data_path(), "fonts", "ttf", FONTS[way])
                context.route("**/_static/fonts/*", lambda route, _, font=font: route.fulfill(path=font))
            context.new_page().goto((site / path).as_uri())
            held[way] = path, context, complaints
        _, context, complaints = held[way]
        return context.pages[0], complaints

    yield visit
    for _, context, _ in held.values():
        context.close()


@pytest.fixture(scope="session", params=NAMES)
def opened(request, visit):
    """Return a figure on its page, with its marks as they were drawn first; it must be on a page."""
    if request.param not in PATHS:
        pytest.fail(f"the figure {request.param} is on no page", pytrace=False)
    page, complaints = visit(PATHS[request.param][0])
    opened = FigurePage(page, ALL[request.param])
    try:
        opened.wait()
    except TimeoutError:
        pytest.fail("\n".join(["the figure does not come to life", *complaints]), pytrace=False)
    opened.show(DESKTOP)
    opened.complaints, opened.first_marks = complaints, opened.marks()
    return opened


@pytest.fixture
def shown(opened):
    """Yield the shared figure in its first state; fail if the page complained meanwhile."""
    opened.show(DESKTOP)
    opened.move(opened.figure.paper_values)
    yield opened
    assert_silent(opened.complaints)


@pytest.fixture(params=NAMES)
def on_phone(request, visit):
    """Yield a figure on its page, which was opened on a phone."""
    page, complaints = visit(PATHS[request.param][0], "phone")
    shown = FigurePage(page, ALL[request.param])
    shown.wait()
    shown.show(PHONE)
    yield shown
    assert_silent(complaints)


@pytest.fixture(params=NAMES)
def in_other_fonts(request, visit):
    """Yield a function that returns a figure on its page, which was opened on a phone with one of FONTS."""
    said = []

    def show(font):
        page, complaints = visit(PATHS[request.param][0], font)
        said.append(complaints)
        shown = FigurePage(page, ALL[request.param])
        shown.wait()
        shown.show(PHONE)
        return shown

    yield show
    for complaints in said:
        assert_silent(complaints)


@pytest.fixture(params=NAMES)
def without_script(request, visit):
    """Yield a figure on its page, which was opened in a browser without JavaScript."""
    page, complaints = visit(PATHS[request.param][0], "no script")
    yield FigurePage(page, ALL[request.param])
    assert_silent(complaints)
