"""One open page a figure, shared by its tests."""

import pytest
from playwright.sync_api import TimeoutError

from hdp.figures import ALL
from tests.browser.figure_page import DESKTOP, FigurePage, open_context, pages_of_figures

# One worker gets all tests of a figure, because they share its page.
NAMES = [pytest.param(name, marks=pytest.mark.xdist_group(f"figure-{name}")) for name in ALL]


@pytest.fixture(scope="session")
def paths(site):
    """Return the pages of every figure, by its name."""
    return pages_of_figures(site)


@pytest.fixture(params=NAMES)
def figure(request, paths):
    """Return every figure of the book in turn; it must be on a page."""
    if request.param not in paths:
        pytest.fail(f"the figure {request.param} is on no page", pytrace=False)
    return ALL[request.param]


@pytest.fixture(scope="session", params=NAMES)
def opened(request, browser, site, paths):
    """Yield a figure on its page, with its marks as they were drawn first and all that the page complained of."""
    if request.param not in paths:
        pytest.fail(f"the figure {request.param} is on no page", pytrace=False)
    complaints = []
    context = open_context(browser, complaints, viewport=DESKTOP)
    page = context.new_page()
    page.goto((site / paths[request.param][0]).as_uri())
    opened = FigurePage(page, ALL[request.param])
    try:
        opened.wait()
    except TimeoutError:
        pytest.fail("\n".join(["the figure does not come to life", *complaints]), pytrace=False)
    opened.complaints, opened.first_marks = complaints, opened.marks()
    yield opened
    context.close()


@pytest.fixture
def shown(opened):
    """Yield the shared figure in its first state; fail if the page complained meanwhile."""
    opened.show(DESKTOP)
    opened.move(opened.figure.paper_values)
    yield opened
    complaints = list(dict.fromkeys(opened.complaints))
    opened.complaints.clear()
    assert not complaints, "\n".join(complaints)
