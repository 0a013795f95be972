"""Open pages, shared by all tests of a page and of its figures."""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.figure_page import (
    ALIVE,
    ASLEEP,
    BEGIN,
    DESKTOP,
    FADED,
    MARKS,
    SETTLED,
    WAKE,
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
    "no script": {"viewport": DESKTOP, "java_script_enabled": False},
}


def at(path, value=None, *marks):
    """Return a parameter, the page itself or another value; one worker gets all tests of a page, to open it once."""
    return pytest.param(value or path, marks=[pytest.mark.xdist_group(path), *marks])


NAMES = [at(PATHS.get(name, ["missing"])[0], name) for name in FIGURES]
PAGES = [at(path) for path in sorted({paths[0] for paths in PATHS.values()})]


class Window:
    """A browser window that shows one page after the other in one of the ways above; to open one takes its time."""

    def __init__(self, browser, way):
        self.way, self.complaints, self.addresses = way, [], []
        context = open_context(browser, self.complaints, color_scheme="light", reduced_motion="reduce", **WAYS[way])
        context.on("requestfinished", lambda finished: self.addresses.append(finished.url))
        self.page, self.path, self.built = context.new_page(), None, None

    def open(self, site, path):
        """Return a page of the book, once it has settled and its figures live; as a new reader sees it."""
        if path == self.path:
            return self.built
        if self.path:
            self.leave()
        self.addresses.clear()
        self.page.set_viewport_size(WAYS[self.way]["viewport"])
        self.page.emulate_media(media="screen", color_scheme="light", reduced_motion="reduce")
        self.page.goto((site / path).as_uri())
        self.path, self.built = path, BuiltPage(self.page, self.complaints)
        if self.way != "no script":
            self.bring_to_life()
        if not self.built.files:
            self.built.files = self.files()
        return self.built

    def files(self):
        """Return what the page has loaded so far."""
        paths = {urlsplit(address).path for address in self.addresses if address.startswith("file:")}
        return {Path(unquote(path)) for path in paths}

    def leave(self):
        """Forget the page: who visits the next one finds it as a new reader does, and no other is laid out anew."""
        if self.way != "no script":
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.path = None

    def bring_to_life(self):
        """Wait until the page has settled, and note what its figures have drawn."""
        self.page.evaluate(SETTLED)
        if self.page.evaluate(ASLEEP):
            self.built.files = self.files()  # all that is loaded for who reads on
            self.page.evaluate(WAKE)
        try:
            self.page.wait_for_function(ALIVE)
        except TimeoutError:
            self.path = None
            pytest.fail("\n".join(["a figure does not come to life", *self.complaints]), pytrace=False)
        self.built.faded = self.page.evaluate(FADED)  # before it is shown in another size
        self.built.show(WAYS[self.way]["viewport"])
        self.built.first_marks = self.built.read_all(MARKS)


@pytest.fixture(scope="session")
def windows(browser):
    """Yield the open windows, by the way in which they show pages."""
    windows = {}
    yield windows
    for window in windows.values():
        window.page.context.close()


@pytest.fixture
def visit(windows, browser, site):
    """Yield a function that opens a page in one of the ways above; fail if a page complained meanwhile."""

    def visit(path, way="desktop"):
        if way not in windows:
            windows[way] = Window(browser, way)
        return windows[way].open(site, path)

    yield visit
    for window in windows.values():
        assert_silent(window.complaints)


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files without a line in the log for each."""

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="session")
def address(site):
    """Yield the address of the built book on a server of our own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def kernel(site):
    """Return the name of the kernel in the built book."""
    found = [path.name for path in (site / "_static").glob("kernel-*")]
    if not found and os.environ.get("KERNEL") != "required":
        pytest.skip("the book was built without a kernel")
    (name,) = found
    return name


def first_state(built, name):
    """Return a figure of a page, on a desktop and where its sliders stand at first."""
    built.show(DESKTOP)
    shown = FigurePage(built.page, FIGURES[name])
    shown.built, shown.first_marks = built, built.first_marks[name]
    shown.read(BEGIN, shown.figure.paper_values)
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
    """Return a figure on its page, on a desktop and in its first state."""
    if name not in PATHS:
        pytest.fail(f"the figure {name} is on no page", pytrace=False)
    return first_state(visit(PATHS[name][0]), name)


@pytest.fixture
def opened(path, visit):
    """Return a page, opened on a desktop, in the size in which it was asked last."""
    return visit(path)
