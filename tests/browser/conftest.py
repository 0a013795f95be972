"""Open pages, shared by all tests of a page and of its figures."""

import os
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.figure_page import DESKTOP, FigurePage, Window, pages_of_figures
from tests.conftest import SITE
from tests.figures.oracles import ALL

PATHS = pages_of_figures(SITE)
# And those that show one of them once more, with simulated points, which come last and have the labels of curves.
SIMULATED = [name for name in PATHS if name.endswith("-simulated")]
FIGURES = ALL | {name: replace(ALL[name.removesuffix("-simulated")], name=name) for name in SIMULATED}


def at(path, value=None, slow=False):
    """Return a parameter, the page itself or another value; one worker gets all tests of a page, to open it once."""
    return pytest.param(value or path, marks=[pytest.mark.xdist_group(path), *[pytest.mark.slow] * slow])


NAMES = [at(PATHS.get(name, ["missing"])[0], name) for name in FIGURES]


@pytest.fixture(scope="session")
def session_window(browser, site):
    """Yield the window."""
    yield (window := Window(browser, site))
    window.close()


@pytest.fixture
def window(session_window):
    """Yield the window; fail if a page complained meanwhile."""
    session_window.complaints.clear()
    yield session_window
    assert not session_window.complaints, "\n".join(dict.fromkeys(session_window.complaints))


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


# Of the whole session, so that pytest asks all there is to ask of a figure before it goes on to the next.
@pytest.fixture(scope="session", params=NAMES)
def name(request):
    """Return the name of a figure."""
    return request.param


@pytest.fixture
def shown(name, window):
    """Return a figure on its page, on a desktop, unfolded and where its sliders stand at first."""
    assert name in PATHS, f"the figure {name} is on no page"
    shown = FigurePage(window.open(PATHS[name][0]), FIGURES[name])
    window.show(DESKTOP)
    shown.first_marks = window.first_marks[name]
    shown.read("f => f.querySelectorAll('.hdp-more').forEach(more => { more.open = true; })")
    shown.element.scroll_into_view_if_needed()
    shown.move(shown.figure.paper_values)
    return shown
