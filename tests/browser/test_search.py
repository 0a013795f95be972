"""The search page from disk: numbered results first, with paper, page and BibTeX; then pages in the order expected."""

import re
from urllib.parse import quote

import pytest

from tests.browser import axe
from tests.browser.figure_page import DESKTOP
from tests.files import CLAIMS

ROWS = CLAIMS["claims"]
FIRST = """queries => queries.map(query => hdpSearch.find(query).found.map(({ result, rank }) =>
    [result.address.split("#")[1].replace(/^equation-/, ""), result.number, result.paper, rank]))"""
DONE = re.compile("Search finished|did not match any documents")  # what Sphinx says of pages


@pytest.fixture
def ask(open_page):
    """Return a function that searches, and waits until Sphinx has finished."""

    def ask(query, **options):
        page = open_page(f"search.html?q={quote(query)}", **{"viewport": DESKTOP} | options)
        page.locator("#search-results p.search-summary").get_by_text(DONE).wait_for()
        return page

    return ask


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


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Lemma 5.2 Cummings", ["Lemma 5.2"]),
        ("Figure 6 Avent", ["Figure 6(a)", "Figures 6(b) and 6(c)"]),
        ("eq 57", ["Equations (51) to (74)"]),
        ("Table 2", ["Table II"]),
        ("Section IIB", ["Section II-B", "Section II-B, side note"]),
        ("Theorem 4.1 accuracy", ["Theorem 4.1, accuracy"]),
        ("Cyffers Theorems 1 and 2", ["Theorem 1", "Theorem 2"]),
        ("fig 4b Courtade", ["Figure 4"]),  # which has no panel
        ("Theorem 3.6", ["Lemma 3.6, the critical number of users", "Lemma 3.6, the critical fraction"]),
    ],
)
def test_what_is_asked_for_comes_first_and_nothing_else(find, query, names):
    found = find([query])[0]
    assert [number for _, number, _, rank in found if rank < 2] == names


def test_from_a_search_to_bibtex_is_one_click(ask):
    page = ask("Theorem 1")
    first = page.locator("#hdp-results li").first
    assert not first.locator("pre").is_visible()
    first.get_by_text("Cite", exact=True).click()
    axe.assert_nothing_found(page, "main")
    assert first.locator("pre").inner_text().startswith("@misc{hdp")
    assert "Theorem 1 of Chaudhuri and Courtade" in first.locator("pre").inner_text()
    first.get_by_role("link").click()
    page.wait_for_url("**/upper-bound.html#cc-theorem-1")
    assert page.locator("#cc-theorem-1").is_visible()


@pytest.mark.parametrize("query", ["privacy", "theorem 99"])
def test_words_and_what_no_result_has_find_pages_alone(ask, query):
    page = ask(query)
    assert page.locator("#hdp-results").count() == 0
