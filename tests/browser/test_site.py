"""Every page of the built book: whole, silent and without a word to another host."""

import pytest

from tests.browser.figure_page import DESKTOP, PHONE, SETTLED
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


def test_the_parts_of_the_sidebar_fold(open_page):
    """The part of the page is open, the others are a click away."""
    page = open_page("book/threshold/worst-case.html")
    parts = page.locator(".bd-links .hdp-part")
    opened = [part.get_attribute("aria-expanded") for part in parts.all()]
    assert opened.count("true") == 1 and len(opened) >= 8
    parts.first.click()
    assert parts.first.get_attribute("aria-expanded") == "true"
    assert page.locator(".bd-links").get_by_role("link", name="Epsilon").is_visible()


@pytest.mark.parametrize("width", [320, 959, 960, 976, 991, 992, 1280])
def test_the_button_of_the_sidebar_shows_or_hides_it(open_page, width):
    """Around every width at which the theme changes; where the sidebar stands beside the text, in no dialog."""
    page = open_page("book/foundations/privacy.html", viewport={"width": width, "height": 900}, reduced_motion="reduce")
    sidebar, button = page.locator(".bd-sidebar-primary"), page.locator(".primary-toggle:visible")
    shown = sidebar.is_visible()
    assert shown == (width >= 960)
    for wanted in ("hidden", "visible") if shown else ("visible",):
        button.click()
        sidebar.wait_for(state=wanted)
        assert page.locator("dialog[open]").count() == (not shown)


def test_a_reader_who_went_on_stays_where_she_is(open_page, site):
    """The fonts of formulas, which come after she has scrolled, do not take her back to the place of the address."""
    page, held, let_through = open_page("book/index.html", reduced_motion="reduce"), [], []
    page.route("**/mathjax/**/*.woff", lambda route: route.continue_() if let_through else held.append(route))
    page.goto((site / "book/user-level/private.html").as_uri() + "#cfmt-eq-4", wait_until="commit")
    page.wait_for_function("scrollY > 2000 && document.fonts.status === 'loading'")
    page.mouse.move(640, 400)
    page.mouse.wheel(0, -1500)
    place = page.locator("#cfmt-eq-4")
    page.wait_for_function("place => place.getBoundingClientRect().top > 1000", arg=place.element_handle())
    assert held, "no font is asked for"
    let_through.append(True)
    for route in held:
        route.continue_()
    page.evaluate(SETTLED)
    page.wait_for_timeout(200)
    assert place.bounding_box()["y"] > 1000


def test_the_page_is_in_view_in_the_sidebar(open_page):
    """Also for who comes from a page with the sidebar at its top, which the theme remembers."""
    page = open_page("book/foundations/privacy.html")
    page.goto(page.url.replace("foundations/privacy", "reference/api/tools"))
    page.wait_for_load_state("load")
    box = page.locator(".bd-links li.current.active").last.bounding_box()
    assert box["y"] > 0 and box["y"] + box["height"] < page.viewport_size["height"]


def test_the_contents_of_a_page_are_behind_their_button_where_its_figure_needs_the_room(open_page):
    """A place chosen there closes them; on a wide screen they stand beside the page."""
    page = open_page("book/foundations/privacy.html", viewport=DESKTOP)
    button = page.locator(".bd-header-article").get_by_role("button", name="Contents of this page")
    places = page.locator("a[href='#exercises']:visible", has_text="Exercises")
    assert places.count() == 0
    button.click()
    places.click()
    page.wait_for_url("**/privacy.html#exercises")
    assert places.count() == 0 and button.is_visible()
    page.set_viewport_size({"width": 1600, "height": 900})
    assert places.count() == 1 and not button.is_visible()


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


@pytest.mark.parametrize("left", ["before", "after"])
def test_what_is_typed_while_the_first_figure_wakes_counts(open_page, address, left):
    """Whether its field is left before the figure is awake or after."""
    page = open_page(f"{address}/{FIRST}.html")
    page.evaluate("void (document.fonts.load = () => new Promise(done => { window.go_on = done; }))")
    typed = page.locator(".hdp-typed:visible").first
    typed.focus()
    page.wait_for_function("Boolean(window.go_on)")
    typed.fill("1.5")
    if left == "before":
        typed.press("Tab")
    page.evaluate("go_on()")
    page.wait_for_function(AWAKE)
    assert typed.input_value() == "1.5"
    if left == "after":
        typed.press("Tab")
    page.wait_for_function("location.hash.includes('=1.5')")


# The sliders at whose middle nothing lies over them.
BARE = """() => Array.from(document.querySelectorAll(".hdp-slider input[type=range]")).filter(slider => {
    const { x, y, width, height } = slider.getBoundingClientRect();
    return width && document.elementFromPoint(x + width / 2, y + height / 2) === slider;
}).map(slider => slider.id)"""


def test_the_picture_that_wakes_covers_no_slider(open_page, address):
    """On a phone, scrolled until it would have left the screen: it stays in sight before it is awake, too."""
    page = open_page(f"{address}/{FIRST}.html", viewport=PHONE)
    page.locator(".hdp-slider input[type=range]:visible").first.wait_for()
    page.evaluate("void scrollTo({ top: 520, behavior: 'instant' })")
    before = page.evaluate(BARE)
    page.locator(f"#{before[0]}").focus()
    page.wait_for_function(AWAKE)
    assert before and page.evaluate(BARE)[: len(before)] == before


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


def test_the_picture_of_a_chapter_is_on_its_first_sheet(open_page):
    """Printed on A4, below the contents: the whole picture of two groups."""
    page = open_page("book/heterogeneous-budgets/upper-bound.html", viewport={"width": 794, "height": 1123})
    page.evaluate(SETTLED)
    page.emulate_media(media="print")
    end = (
        page.locator(".hdp-chart, .hdp-picture")
        .locator("visible=true")
        .first.evaluate("picture => picture.getBoundingClientRect().bottom + scrollY")
    )
    assert 0 < end < 950, "the height of a sheet but for its margins"
