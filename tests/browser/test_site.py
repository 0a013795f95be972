"""What the scripts of the book do on its pages: the sleeping figure, previews, search, claims."""

import re
from urllib.parse import quote, urlsplit

import pytest

from tests.browser.figure_page import DESKTOP, PHONE, SETTLED, axe_finds
from tests.files import CLAIMS, PAGES

ROWS = CLAIMS["claims"]
UPPER = "book/heterogeneous-budgets/upper-bound.html"


def test_the_book_is_served_and_its_first_figure_sleeps_until_it_is_used(open_page, address):
    """It says what it will say; what is typed before it is awake counts, and so does a state in the address."""
    awake = "document.querySelector('.hdp-figure').dataset.ready"
    vega = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/vega.js'))"
    page = open_page(f"{address}/index.html", viewport=DESKTOP)
    page.wait_for_url(f"{address}/{PAGES[0]}.html")
    page.locator(".hdp-still svg.hdp-wide").wait_for()
    page.evaluate(SETTLED)
    assert not page.evaluate(vega)
    said, typed = page.locator(".hdp-sentence"), page.locator(".hdp-typed:visible")
    first = said.inner_text()
    assert "Dina allows 1, loses 0.45" in first and typed.count() == 5
    typed.first.fill("1.5")
    typed.first.press("Tab")
    page.wait_for_function(awake)
    assert page.evaluate(vega)
    page.wait_for_function("location.hash.includes('=1.5')")
    assert typed.first.input_value() == "1.5" and said.inner_text() != first
    page.goto(f"{address}/{PAGES[0]}.html?again#figure-vessels?groups=3")
    page.wait_for_function(awake)
    assert typed.count() == 3


# On a phone: the finger rests on a link, longer than a tap.
PRESS = """async link => {
    const { left, top } = link.getClientRects()[0];
    const touch = { bubbles: true, cancelable: true, pointerType: "touch", clientX: left + 2, clientY: top + 2 };
    link.dispatchEvent(new PointerEvent("pointerdown", touch));
    await new Promise(resolve => setTimeout(resolve, 700));
    link.dispatchEvent(new PointerEvent("pointerup", touch));
    return link.dispatchEvent(new MouseEvent("click", { ...touch, button: 0 }));
}"""


def test_previews_come_by_pointer_keyboard_and_long_press(open_page):
    """Of an equation, typeset, of a box and of an acronym."""
    page = open_page("book/heterogeneous-budgets/beyond-the-cap.html", viewport=DESKTOP, reduced_motion="reduce")
    page.evaluate(SETTLED)
    preview = page.get_by_role("tooltip")
    equation = page.locator('article a.hdp-preview[href="upper-bound.html#equation-cc-eq-5"]').first
    equation.hover()
    preview.wait_for()
    assert equation.inner_text() in preview.inner_text() and re.fullmatch(r"\(\d+\.\d+\)", equation.inner_text())
    assert preview.locator("mjx-container[display]").count() == 1
    box = page.locator('article a.hdp-preview[href="upper-bound.html#cc-algorithm-1"]').first
    box.focus()
    for key in ("Shift+Tab", "Tab"):
        page.keyboard.press(key)
    page.wait_for_function("link => link.hasAttribute('aria-describedby')", arg=box.element_handle())
    preview.wait_for()
    assert axe_finds(page, "#hdp-preview") == ""
    page.keyboard.press("Escape")
    preview.wait_for(state="hidden")
    page.set_viewport_size(PHONE)
    box.scroll_into_view_if_needed()
    assert box.evaluate(PRESS) is False, "the link is not followed"
    preview.wait_for()
    frame = preview.bounding_box()
    assert frame["x"] >= 0 and frame["x"] + frame["width"] <= PHONE["width"]
    page = open_page("book/synthesis/one-picture.html", viewport=DESKTOP)
    page.evaluate(SETTLED)
    page.locator("article abbr:text-is('ADPM')").first.hover()
    page.get_by_role("tooltip").wait_for()
    assert page.get_by_role("tooltip").inner_text().startswith("ADPM: affine")


ASKED = {  # of results, what comes first and nothing else
    "Lemma 5.2 Cummings": ["Lemma 5.2"],
    "Figure 6 Avent": ["Figure 6(a)", "Figures 6(b) and 6(c)"],
    "eq 57": ["Equations (51) to (74)"],
    "Table 2": ["Table II"],
    "Section IIB": ["Section II-B", "Section II-B, side note"],
    "Cyffers Theorems 1 and 2": ["Theorem 1", "Theorem 2"],
    "fig 4b Courtade": ["Figure 4"],  # which has no panel
    "Theorem 3.6": ["Lemma 3.6, the critical number of users", "Lemma 3.6, the critical fraction"],
    "privacy": [],
    "theorem 99": [],
}
AUTHORS = {"cc": "Courtade", "cz": "Ziani", "adk": "Korolova", "cfmt": "Talwar"}
FOUND = """queries => queries.map(query => hdpSearch.find(query).found.map(({ result, rank }) =>
    [result.address.split("#")[1].replace(/^equation-/, ""), result.number, rank]))"""


def item_of(name):
    """An item by one name, whose numbers are Arabic and whose panels are small letters."""
    return re.sub(r"\bii\b", "2", re.sub(r"\bi\b", "1", name.lower()))


def test_a_search_leads_to_results_first(open_page, site):
    """Each item of a paper comes first, with all its claims; then pages, as Sphinx finds them."""
    page = open_page(f"search.html?q={quote('Theorem 1')}", viewport=DESKTOP)
    page.locator("#search-results p.search-summary").get_by_text("Search finished").wait_for()
    for found, names in zip(page.evaluate(FOUND, list(ASKED)), ASKED.values(), strict=True):
        assert [number for _, number, rank in found if rank < 2] == names
    whose = {}
    for row in ROWS:
        for name in row.get("covers", ()) if (site / f"book/{row['page']}.html").exists() else ():
            whose.setdefault(f"{item_of(name)} {AUTHORS[row['paper']]}", set()).add(row["id"])
    found = dict(zip(whose, page.evaluate(FOUND, list(whose)), strict=True))
    first = {query: {claim for claim, *_ in found[query][: len(ids)]} for query, ids in whose.items()}
    assert first == whose and len(whose) > 100
    result = page.locator("#hdp-results li").first
    assert axe_finds(page, "main") == ""
    result.get_by_role("link").click()
    page.wait_for_url("**/upper-bound.html#cc-theorem-1")
    assert page.locator("#cc-theorem-1").is_visible()


def test_the_filter_of_claims_narrows_and_the_address_remembers(open_page):
    shown = """() => Array.from(document.querySelectorAll("tr.claim"))
        .filter(row => row.checkVisibility()).map(row => row.id.slice("row-".length))"""
    page = open_page("book/threshold/at-a-glance.html")
    own = sorted(row["id"] for row in ROWS if row["paper"] == "cz")
    reading = sorted(row["id"] for row in ROWS if row["id"] in own and row["verdict"] == "depends on the reading")
    assert sorted(page.evaluate(shown)) == own != reading
    page.locator(".claims-filter [name=verdict]").select_option("depends on the reading")
    for _ in range(2):
        assert sorted(page.evaluate(shown)) == reading
        assert page.locator(".claims-filter output").inner_text() == f"{len(reading)} of {len(own)} claims shown"
        assert urlsplit(page.url).query == "verdict=depends+on+the+reading", "nothing of what is not asked"
        page.reload()
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search")
    assert sorted(page.evaluate(shown)) == own


@pytest.mark.parametrize(
    ("path", "there", "gone"),
    [
        (UPPER, ".hdp-picture, .proof, details.cite", ".hdp-controls, .hdp-chart, .hdp-legend"),
        ("book/heterogeneous-budgets/optimal-weights.html", ".solution", "form.hdp-exercise"),
        ("book/threshold/at-a-glance.html", "tr.claim", ".claims-filter"),
        ("book/use/your-users.html", ".hdp-without, .hdp-command", ".hdp-users"),
    ],
)
def test_without_scripts_the_book_is_there(open_page, path, there, gone):
    """And nothing that would not answer."""
    page = open_page(path, java_script_enabled=False)
    for selector in there.split(", "):
        assert page.locator(selector).first.is_visible(), selector
    for selector in gone.split(", "):
        assert page.locator(selector).count() and not page.locator(f"{selector}:visible").count(), selector
