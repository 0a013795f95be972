"""The search page from disk: numbered results first, with paper, page and BibTeX; then pages in the order expected."""

import re
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.browser import axe
from tests.browser.figure_page import DESKTOP, OVERFLOW, PHONE
from tests.files import CLAIMS

ROWS = CLAIMS["claims"]
FOUND = """() => Array.from(document.querySelectorAll("#hdp-results li"), item => ({
    address: item.querySelector("a").href, name: item.querySelector("a").textContent,
    where: item.querySelector(".hdp-where").textContent, cites: Boolean(item.querySelector("details.cite")) }))"""
# All that is said of the results, in order, and of those in the fold.
SAID = """() => {
    const all = document.getElementById("hdp-results");
    const text = (place, name) => place.querySelector(name)?.textContent ?? "";
    const rest = all.querySelector(":scope > details");
    return {
        count: text(all, "[role=status]"),
        entries: Array.from(all.querySelectorAll("li"), item => [text(item, "a"),
            item.querySelector(".verdict")?.className ?? "", text(item, ".verdict"),
            text(item, ".hdp-where"), text(item, ".cite pre")]),
        rest: rest && [text(rest, "summary"), rest.querySelectorAll("li").length, rest.querySelector("ol").start],
    };
}"""
LISTED = """query => hdpSearch.find(query).found.map(({ result, rank }) =>
    ({ ...result, rank, where: hdpSearch.pages[result.page] }))"""
FIRST = """queries => queries.map(query => hdpSearch.find(query).found.map(({ result, rank }) =>
    [result.address.split("#")[1].replace(/^equation-/, ""), result.number, result.paper, rank]))"""
DONE = re.compile("Search finished|did not match any documents")  # what Sphinx says of pages
TITLE = r'id="([a-z0-9-]+)">\s*<p class="admonition-title"><span class="caption-number">([A-Z][a-z]+ [\d.]+)'


@pytest.fixture
def ask(open_page):
    """Return a function that searches, and waits until Sphinx has finished."""

    def ask(query, **options):
        page = open_page(f"search.html?q={quote(query)}", **{"viewport": DESKTOP} | options)
        page.locator("#search-results p.search-summary").get_by_text(DONE).wait_for()
        return page

    return ask


@pytest.mark.parametrize("number", ["Theorem 1", "theorem 2", "Lemma 1", "equation 5", "Definition 1"])
def test_the_results_of_a_number_come_first(ask, site, number):
    """All of them, those of this very name before, in the order of the papers; each with its paper and its page."""
    names = {row["id"]: [row["number"], *row.get("covers", [])] for row in ROWS}
    wanted = [row for row in ROWS if number.capitalize() in names[row["id"]]]
    wanted = [row for row in wanted if (site / f"book/{row['page']}.html").exists()]
    wanted.sort(key=lambda row: re.sub("[()]", "", row["number"]).lower() != number.lower())
    page = ask(number)
    found, pages = page.evaluate(FOUND), page.evaluate("hdpSearch.pages")
    assert wanted and len(found) >= len(wanted)
    for row, entry in zip(wanted, found, strict=False):
        address = urlsplit(entry["address"])
        assert address.path.endswith(f"/book/{row['page']}.html"), entry
        assert address.fragment.removeprefix("equation-") == row["id"]
        assert entry["name"].startswith(f"{row['number']}, ")
        assert entry["where"].endswith(pages[f"book/{row['page']}"][0])


def entry(result, papers):
    """All that is said of a result."""
    number, own, verdict, conference = (result.get(name) or "" for name in ("number", "own", "verdict", "conference"))
    where = [f"here {own}" * bool(own and own != number), f"conference: {conference}" * bool(conference != number)]
    where = [*where, result["where"][0]] if conference else [where[0], result["where"][0]]
    kind = f"verdict verdict-{verdict.replace(' ', '-')}" if verdict else ""
    name = f"{number}, {papers[result['paper']]['name']}"
    return [name, kind, verdict, " · ".join(filter(None, where)), result.get("bibtex") or ""]


QUERIES = ["theorem", "Theorem 4.1", "theorems 1 courtade", "eq 3", "Algorithms 1", "tables", "remark", "4.1", "fig. 1"]


@pytest.mark.parametrize("query", QUERIES)
def test_every_result_is_listed_with_all_that_is_known_of_it(ask, query):
    """What has the number at once, a dozen at most, and the others in a fold that counts them."""
    page = ask(query)
    found = page.evaluate(LISTED, query)
    wanted = [entry(result, page.evaluate("hdpSearch.papers")) for result in found]
    few = min(12, sum(result["rank"] < 4 for result in found))
    more = f"{len(wanted) - few} more"
    said = page.evaluate(SAID)
    assert said["count"] == f"{len(wanted)} found." and said["entries"] == wanted and wanted
    if few < len(wanted):
        assert said["rest"][0].startswith(more) and said["rest"][1:] == [len(wanted) - few, few + 1]
    assert (said["rest"] is None) == (few == len(wanted)) and (said["rest"] or query != "theorem")


@pytest.fixture(scope="module")
def find(site, browser):
    """Return a function that gives the results of many queries: of each the claim, its number, paper and nearness."""
    page = browser.new_page()
    page.goto((site / "search.html").as_uri())
    yield lambda queries: page.evaluate(FIRST, queries)
    page.close()


@pytest.fixture(scope="module")
def built(site):
    """Return the rows whose page is built."""
    return [row for row in ROWS if (site / f"book/{row['page']}.html").exists()]


NAMES = {  # of the papers: an author, another with the year, all, as a citation has it
    "cc": ["Courtade", "Chaudhuri 2023", "Chaudhuri & Courtade", "[CC23]", "Chaudhuri and Courtade (ISIT)"],
    "cz": ["Ziani", "Cyffers et al. (2026)", "Ziani and Cyffers", "[CZ26]", "Limits of Personalizing"],
    "adk": ["Korolova", "Avent et al. 2020", "Dubey, Korolova, Avent", "ADK20", "hybrid model"],
    "cfmt": ["talwar", "Cummings et al 2022", "Cummings, Feldman, McMillan & Talwar", "CFMT+22", "User-level privacy"],
}
SHORT = {  # each kind as one types it
    "Algorithm": ["alg", "Alg.", "algorithms"],
    "Appendix": ["app.", "Appendix"],
    "Claim": ["claim"],
    "Corollary": ["cor", "Cor."],
    "Definition": ["def", "Def.", "defn"],
    "Equation": ["eq", "Eqs.", "eqn", "Equation"],
    "Example": ["ex", "Ex."],
    "Figure": ["fig", "Figs.", "FIGURE"],
    "Lemma": ["lem", "Lem.", "lemma"],
    "Remark": ["rem", "Rem."],
    "Section": ["sec", "Sec.", "§"],
    "Table": ["tab", "Tab."],
    "Theorem": ["thm", "Thm.", "Theorem"],
}


def item_of(name):
    """An item by one name, whose numbers are Arabic and whose panels are small letters."""
    return re.sub(r"\bii\b", "2", re.sub(r"\bi\b", "1", name.lower()))


COVERED = {row["id"]: set(map(item_of, row.get("covers", ()))) for row in ROWS}
ITEMS = sorted({(row["paper"], name) for row in ROWS for name in row.get("covers", ())})


def test_an_item_of_a_paper_comes_first_however_it_is_asked_for(find, built):
    """By the word and what is usual for it, with any author before or behind it: its claims, all, before all others."""
    asked = []
    for paper, item in ITEMS:
        kind, number = item.split(" ", 1)
        whose = {row["id"] for row in built if row["paper"] == paper and item_of(item) in COVERED[row["id"]]}
        for short in SHORT[kind]:
            asked += [(f"{short} {number} {name}", whose) for name in NAMES[paper][:2]]
        glue = "" if number[0].isdigit() else " "
        asked += [(f"{name}, {SHORT[kind][0]}{glue}{number}", whose) for name in NAMES[paper][2:4]]
        asked += [(f"{item} {name}", whose) for name in NAMES[paper][4:] if paper != "cc"]  # it has other numbers there
    wrong = [
        (query, found[:1])
        for (query, whose), found in zip(asked, find([query for query, _ in asked]), strict=True)
        if {claim for claim, *_ in found[: len(whose)]} != whose
    ]
    assert not wrong and len(asked) > 1000


def test_without_authors_all_papers_that_have_the_item_come_first(find, built):
    asked = []
    for item in sorted({item for _, item in ITEMS}):
        kind, number = item.split(" ", 1)
        whose = {row["id"] for row in built if item_of(item) in COVERED[row["id"]]}
        asked += [(f"{short} {number}", whose) for short in [kind, *SHORT[kind]]]
        asked += [(f"({number})", whose)] * (kind == "Equation")
    for (query, whose), found in zip(asked, find([query for query, _ in asked]), strict=True):
        assert {claim for claim, *_ in found[: len(whose)]} == whose, query


def test_the_name_of_a_claim_finds_it_first(find, built):
    """As printed with whose it is; alone, before it only claims of that very name."""
    rows = [row for row in built if re.search(r"\d", row["number"]) or row["number"].startswith("Appendix")]
    names = {**{paper: names[2] for paper, names in NAMES.items()}, "hdp": "this book"}
    for row, found in zip(rows, find([f"{names[row['paper']]}, {row['number']}" for row in rows]), strict=True):
        assert found and found[0][0] == row["id"], row["number"]
    for row, found in zip(rows, find([row["number"] for row in rows]), strict=True):
        before = [claim for claim, *_ in found].index(row["id"])
        assert {number for _, number, *_ in found[: before + 1]} == {row["number"].replace("$", "")}
    assert len(rows) > 150


def test_sections_and_numbers_of_the_conference_version_are_known(find, built):
    rows = [row for row in built if row.get("conference")]
    asked = [(f"{name} {end}", row) for row in rows for name in row["conference"] for end in ("ISIT", "Courtade")]
    for (query, row), found in zip(asked, find([query for query, _ in asked]), strict=True):
        assert row["id"] in [claim for claim, *_ in found], query
    assert find(["eq 4 ISIT"])[0][0][1] == "Equations (7) and (8)"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Lemma 5.2 Cummings", ["Lemma 5.2"]),
        ("Figure 4 Avent", ["Figure 4 (a, b)"]),
        ("Figure 6 Avent", ["Figure 6(a)", "Figures 6(b) and 6(c)"]),
        ("eq 57", ["Equations (51) to (74)"]),
        ("eqs 51–74", ["Equations (51) to (74)"]),
        ("Table 2", ["Table II"]),
        ("Section IIB", ["Section II-B", "Section II-B, side note"]),
        ("Theorem 4.1 accuracy", ["Theorem 4.1, accuracy"]),
        ("Cyffers Theorems 1 and 2", ["Theorem 1", "Theorem 2"]),
        ("fig 4b Courtade", ["Figure 4"]),  # which has no panel
        ("5.2 Cummings", ["Lemma 5.2", "Section 5.2, the cap on samples"]),
        ("Theorem 3.6", ["Lemma 3.6, the critical number of users", "Lemma 3.6, the critical fraction"]),
    ],
)
def test_what_is_asked_for_comes_first_and_nothing_else(find, query, names):
    found = find([query])[0]
    assert [number for _, number, _, rank in found if rank < 2] == names


def test_what_was_not_found_as_asked_is_said(ask):
    assert ask("Theorem 1 Fallah").evaluate(SAID)["count"].endswith("found. Not compared: fallah.")
    assert ask("fig 4b Courtade").evaluate(SAID)["count"] == "1 found, of which this is a part."


def test_a_result_takes_two_lines(ask):
    """Also the pages that Sphinx finds."""
    page = ask("Theorem 1")
    heights = page.eval_on_selector_all(
        "#hdp-results > ol > li, #search-results ul.search > li", "all => all.map(one => one.offsetHeight)"
    )
    assert len(heights) > 20 and max(heights) <= 64


def test_from_a_search_to_bibtex_is_one_click(ask):
    page = ask("Theorem 1")
    first = page.locator("#hdp-results li").first
    assert not first.locator("pre").is_visible()
    first.get_by_text("Cite", exact=True).click()
    assert first.locator("pre").inner_text().startswith("@misc{hdp")
    assert "Theorem 1 of Chaudhuri and Courtade" in first.locator("pre").inner_text()
    first.get_by_role("link").click()
    page.wait_for_url("**/upper-bound.html#cc-theorem-1")
    assert page.locator("#cc-theorem-1").is_visible()


def test_a_number_of_the_book_is_known_too(ask, site):
    """Of a box, as it stands in its title."""
    text = (site / "book/foundations/privacy.html").read_text(encoding="utf-8")
    label, name = re.findall(TITLE, text)[0]
    page = ask(name)
    found = [result["address"] for result in page.evaluate(FOUND)[:3]]  # a paper may have a result of that number, too
    assert any(address.endswith(f"/book/foundations/privacy.html#{label}") for address in found)
    said = page.locator("#hdp-results li .hdp-where").all_inner_texts()[:3]
    assert any(text.startswith(f"here {name} ·") for text in said)


@pytest.mark.parametrize("query", ["privacy", "theorem 99"])
def test_words_and_what_no_result_has_find_pages_alone(ask, query):
    page = ask(query)
    assert page.locator("#hdp-results").count() == 0


@pytest.mark.parametrize("word", ["privacy", "weights"])
def test_pages_come_in_the_order_one_expects(ask, word):
    """Those whose title says it, then chapters, then the library; equals in the book's order; each with its part."""
    page = ask(word)
    read = "items => items.map(item => [item.querySelector('a').href, item.innerText])"
    found = page.eval_on_selector_all("#search-results ul.search > li", read)
    order = page.evaluate("Object.keys(hdpSearch.pages)")
    places = [unquote(urlsplit(address).path).partition("_build/html/")[2] for address, _ in found]
    titles = [text.splitlines()[0].lower() for _, text in found]
    named = [word in title for title in titles]
    assert any(named) and named == sorted(named, reverse=True), "titles that say it come first"
    whole = ["#" not in address and "/reference/" not in address for address, _ in found]
    chapters = [place for place, said, chapter in zip(places, named, whole, strict=True) if said and chapter]
    assert chapters == sorted(chapters, key=lambda place: order.index(place.removesuffix(".html")))
    rest = [place.startswith("book/reference/") for place, said in zip(places, named, strict=True) if not said]
    assert rest == sorted(rest), "chapters before the library"
    parts = page.evaluate("hdpSearch.pages")
    for place, (address, text) in zip(places, found, strict=True):
        page, part = parts[place.removesuffix(".html")]
        assert text.endswith(" · ".join(filter(None, [f"on the page {page}" * ("#" in address), part])))


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_axe_finds_nothing_among_results(ask, scheme, size):
    page = ask("Theorem 1", viewport=size, color_scheme=scheme)
    page.eval_on_selector_all("details", "folds => folds.forEach(fold => { fold.open = true; })")
    axe.assert_nothing_found(page, "main")
    assert page.evaluate(OVERFLOW) == 0
