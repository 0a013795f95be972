"""Open pages, shared by all tests of a page and of its figures."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib
import pytest
from playwright.sync_api import TimeoutError

from tests.browser.figure_page import (
    ALIVE,
    DESKTOP,
    FONTS,
    MARKS,
    PHONE,
    SETTLED,
    BuiltPage,
    FigurePage,
    assert_silent,
    open_context,
    pages_of_figures,
    with_simulated,
)
from tests.conftest import SITE
from tests.figures.oracles import ALL

PATHS = pages_of_figures(SITE)
FIGURES = with_simulated(ALL, PATHS)
WAYS = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE},
    "no script": {"viewport": DESKTOP, "java_script_enabled": False},
}
WAYS |= {font: {"viewport": PHONE} for font in FONTS}


def at(path, value=None):
    """Return a parameter, the page itself or another value; one worker gets all tests of a page, to open it once."""
    return pytest.param(value or path, marks=pytest.mark.xdist_group(path))


NAMES = [at(PATHS.get(name, ["missing"])[0], name) for name in FIGURES]
PAGES = [at(path) for path in sorted({paths[0] for paths in PATHS.values()})]


def open_built_page(browser, address, way):
    """Return a page of the book, opened in one of the ways above, once it has settled and its figures live."""
    complaints, addresses = [], []
    context = open_context(browser, complaints, color_scheme="light", reduced_motion="reduce", **WAYS[way])
    context.on("requestfinished", lambda finished: addresses.append(finished.url))
    if way in FONTS:
        font = Path(matplotlib.get_data_path(), "fonts", "ttf", FONTS[way])
        context.route("**/_static/fonts/*", lambda route: route.fulfill(path=font))
        # Formulas have fonts of their own, and setting them takes a third of the time that a page needs.
        context.route("**/mathjax/startup.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page = context.new_page()
    page.goto(address)
    built = BuiltPage(page, complaints)
    if way != "no script":
        page.evaluate(SETTLED)
        try:
            page.wait_for_function(ALIVE)
        except TimeoutError:
            pytest.fail("\n".join(["a figure does not come to life", *complaints]), pytrace=False)
        built.show(WAYS[way]["viewport"])
        built.first_marks = built.read_all(MARKS) if way not in FONTS else {}
    built.files = {Path(unquote(urlsplit(address).path)) for address in addresses if address.startswith("file:")}
    return built


@pytest.fixture(scope="session")
def visit(browser, site):
    """Yield a function that opens a page in one of the ways above, and keeps it until it opens another that way."""
    held = {}

    def visit(path, way="desktop"):
        if way not in held or held[way][0] != path:
            if way in held:
                held.pop(way)[1].page.context.close()
            held[way] = path, open_built_page(browser, (site / path).as_uri(), way)
        return held[way][1]

    yield visit
    for _, built in held.values():
        built.page.context.close()


def first_state(built, name):
    """Return a figure of a page, on a desktop and where its sliders stand at first."""
    built.show(DESKTOP)
    shown = FigurePage(built.page, FIGURES[name])
    shown.built, shown.first_marks = built, built.first_marks[name]
    shown.read("f => f.querySelectorAll('.hdp-more').forEach(more => { more.open = true; })")
    shown.element.scroll_into_view_if_needed()
    shown.move(shown.figure.paper_values)
    return shown


# Of the whole session, so that pytest asks all there is to ask of a page or a figure before it goes on to the next.
@pytest.fixture(scope="session", params=NAMES)
def name(request):
    """Return the name of a figure."""
    return request.param


@pytest.fixture(scope="session", params=PAGES)
def path(request):
    """Return the path of a page with figures."""
    return request.param


@pytest.fixture
def shown(name, visit):
    """Yield a figure on its page, on a desktop and in its first state; fail if the page complained meanwhile."""
    if name not in PATHS:
        pytest.fail(f"the figure {name} is on no page", pytrace=False)
    shown = first_state(visit(PATHS[name][0]), name)
    yield shown
    assert_silent(shown.built.complaints)


@pytest.fixture
def on_desktop(path, visit):
    """Yield a page with figures, opened on a desktop."""
    built = visit(path)
    yield built
    assert_silent(built.complaints)


@pytest.fixture
def on_phone(path, visit):
    """Yield a page with figures, opened on a phone."""
    built = visit(path, "phone")
    built.show(PHONE)
    yield built
    assert_silent(built.complaints)


@pytest.fixture
def in_other_fonts(path, visit):
    """Yield the same page for each of FONTS, opened on a phone with that font in the place of the book's own."""
    built = {font: visit(path, font) for font in FONTS}
    yield built
    for page in built.values():
        assert_silent(page.complaints)


@pytest.fixture
def without_script(name, visit):
    """Yield a figure on its page, which was opened in a browser without JavaScript."""
    built = visit(PATHS[name][0], "no script")
    yield FigurePage(built.page, FIGURES[name])
    assert_silent(built.complaints)
