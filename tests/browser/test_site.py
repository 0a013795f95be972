"""Every page of the built book: whole, silent and without a word to another host."""

from tests.browser.figure_page import PHONE, SETTLED
from tests.files import PAGES

FIRST, *CHAPTERS = PAGES
MARK = 'class="hdp-figure"'


def test_index_leads_to_the_first_page(open_page, site):
    page = open_page("index.html")
    page.wait_for_url(f"**/{FIRST}.html")
    assert (site / f"{FIRST}.html").as_uri() == page.url


def test_the_book_can_be_served(open_page, address, site):
    """From its first page on: one with figures, and the search, which fetches its index."""
    figures = next(name for name in CHAPTERS if MARK in (site / f"{name}.html").read_text(encoding="utf-8"))
    page = open_page(f"{address}/index.html")
    page.wait_for_url(f"{address}/{FIRST}.html")
    for name in (figures, "search"):
        page.goto(f"{address}/{name}.html")
        page.evaluate(SETTLED)


def test_the_address_of_a_claim_on_another_page_leads_there(open_page):
    """From disk too; and a place inside a fold is shown."""
    page = open_page("book/heterogeneous-budgets/upper-bound.html#cc-lemma-3")
    page.wait_for_url("**/book/heterogeneous-budgets/optimal-weights.html#cc-lemma-3")
    assert page.locator("#cc-lemma-3").is_visible()


AWAKE = "document.querySelector('.hdp-figure').dataset.ready"
VEGA = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/vega.js'))"


def test_the_first_figure_sleeps_until_it_is_used(open_page, address):
    """It says what it will say; what is typed before it is awake counts, and so does a state in the address."""
    page = open_page(f"{address}/{FIRST}.html")
    page.locator(".hdp-still svg.hdp-wide").wait_for()
    page.evaluate(SETTLED)
    assert not page.evaluate(VEGA)
    said, typed = page.locator(".hdp-sentence"), page.locator(".hdp-typed:visible")
    first = said.inner_text()
    assert "Dina allows 1, loses 0.45" in first and typed.count() == 5
    assert ["0.03", "1.8"] == [typed.nth(i).input_value() for i in (0, 4)]
    typed.first.fill("1.5")
    typed.first.press("Tab")
    page.wait_for_function(AWAKE)
    assert page.evaluate(VEGA) and page.locator(".hdp-still").count() == 0
    page.wait_for_function("location.hash.includes('=1.5')")
    assert typed.first.input_value() == "1.5" and said.inner_text() != first
    page.locator(".hdp-reset").click()
    page.wait_for_function("said => document.querySelector('.hdp-sentence').innerText === said", arg=first)
    page.goto(f"{address}/{FIRST}.html?again#figure-vessels?groups=3")
    page.wait_for_function(AWAKE)
    assert typed.count() == 3


def test_a_wide_formula_scrolls_with_a_cue(open_page):
    """On a phone: what is cut off fades, and can be reached by keyboard."""
    page = open_page("book/heterogeneous-budgets/lower-bound.html", viewport=PHONE)
    page.wait_for_function("document.querySelector('.hdp-more-right')")
    assert page.evaluate(CUT) == [], "formulas wider than their box without a cue"


# Formulas and tables that reach beyond their box, without a fade and without a way there.
CUT = """() => Array.from(document.querySelectorAll("mjx-container[display], .hdp-table table")).filter(part => {
    const box = part.closest("div.math, .hdp-formula, .hdp-table, dd, .pst-scrollable-table-container");
    if (!box || !part.getClientRects().length) return false;
    const over = box.scrollWidth - box.clientWidth > 1;
    return over && !(box.classList.contains("hdp-more-right") && box.tabIndex === 0);
}).map(part => part.textContent.slice(0, 60))"""
