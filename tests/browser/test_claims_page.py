"""The tables of claims in a browser: their filter, their links, without JavaScript, on a phone; and a cite fold."""

from urllib.parse import urlsplit

import pytest

from tests.browser.figure_page import OVERFLOW, PHONE, assert_silent, open_context
from tests.files import CLAIMS

ROWS = CLAIMS["claims"]
PATH = "book/synthesis/claims.html"  # with the book's own
PAPER = "book/threshold/at-a-glance.html"
pytestmark = pytest.mark.xdist_group("claims")

SHOWN = """() => Array.from(document.querySelectorAll("tr.claim"))
    .filter(row => row.checkVisibility()).map(row => row.id.slice("row-".length))"""


def rows(paper="hdp", **wanted):
    """Return the ids of the rows of a paper with these values, sorted."""
    own = (row for row in ROWS if row["paper"] == paper)
    return sorted(row["id"] for row in own if all(row[key] == value for key, value in wanted.items()))


def choose(page, **values):
    for name, value in values.items():
        page.locator(f".claims-filter [name={name}]").select_option(value)


def assert_shown(page, expected, paper="hdp"):
    """Compare the visible rows and the count that is read out with what is expected."""
    assert sorted(page.evaluate(SHOWN)) == expected
    status = page.locator(".claims-filter output")
    assert status.inner_text() == f"{len(expected)} of {len(rows(paper))} claims shown"
    assert status.get_attribute("aria-live") == "polite"


@pytest.fixture(scope="module")
def window(browser):
    """Yield a page and its complaints; without formulas, which take most of the time and concern nothing here."""
    context = open_context(browser, complaints := [])
    context.route("**/mathjax/startup.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    yield context.new_page(), complaints
    context.close()


@pytest.fixture
def open_claims(window, site):
    """Return a function that opens a page of claims at an address."""
    page, complaints = window

    def open_claims(asked="", path=PATH):
        page.goto("about:blank")
        page.goto((site / path).as_uri() + asked)
        return page

    yield open_claims
    assert_silent(complaints)


def test_filters_narrow_and_the_address_remembers(open_claims):
    page = open_claims(path=PAPER)
    assert_shown(page, rows("cz"), "cz")
    choose(page, verdict="depends on the reading")
    assert_shown(page, rows("cz", verdict="depends on the reading"), "cz")
    assert urlsplit(page.url).query == "verdict=depends+on+the+reading", "nothing of what is not asked"
    headings = page.locator("article").get_by_role("heading", level=2)
    assert headings.filter(has_text="3.2").count() == 1
    assert headings.filter(has_text="3.1").count() == 0, "a section without rows goes with its heading"
    page.reload()
    assert_shown(page, rows("cz", verdict="depends on the reading"), "cz")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search")
    assert_shown(page, rows("cz"), "cz")


@pytest.mark.parametrize(("path", "paper"), [(PATH, "hdp"), (PAPER, "cz")])
def test_without_javascript_every_row_is_there(open_page, path, paper):
    page = open_page(path, java_script_enabled=False)
    assert page.locator("tr.claim:visible").count() == len(rows(paper))
    assert not page.locator(".claims-filter").is_visible()


def test_a_claim_can_be_read_on_a_phone(open_page):
    page = open_page(PAPER, viewport=PHONE)
    assert page.evaluate(OVERFLOW) == 0
    for row in page.locator("tr.claim:visible").all()[:5]:
        number, statement, verdict = (cell.bounding_box() for cell in row.locator("td").all())
        assert statement["width"] > 300
        assert number["y"] == verdict["y"] < statement["y"]
        assert verdict["x"] + verdict["width"] <= PHONE["width"]


def test_a_result_is_cited_without_javascript(open_page):
    """The fold is the browser's own, and the permalink leads to the box."""
    page = open_page("book/heterogeneous-budgets/upper-bound.html", java_script_enabled=False)
    box = page.locator("#cc-theorem-1 > .claim-place")  # an equation in it has its own
    text = box.locator("details.cite pre")
    assert not text.is_visible()
    box.get_by_text("Cite", exact=True).click()
    assert text.inner_text().startswith("@misc{hdp")
    box.get_by_role("link", name="Link to").click()
    assert page.url.endswith("#cc-theorem-1")
