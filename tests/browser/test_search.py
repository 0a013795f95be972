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
KNOWN = "() => hdpSearch.results.map(result => ({ ...result, where: hdpSearch.pages[result.page] }))"
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
    """All of them, in the order of the papers, each with its paper and its page."""
    names = {row["id"]: [row["number"], *row.get("covers", [])] for row in ROWS}
    wanted = [row for row in ROWS if number.capitalize() in names[row["id"]]]
    wanted = [row for row in wanted if (site / f"book/{row['page']}.html").exists()]
    found = ask(number).evaluate(FOUND)
    assert wanted and len(found) >= len(wanted)
    for row, entry in zip(wanted, found, strict=False):
        address = urlsplit(entry["address"])
        assert address.path.endswith(f"/book/{row['page']}.html"), entry
        assert address.fragment.removeprefix("equation-") == row["id"]
        assert entry["name"].startswith(f"{row['number']}, ")
        assert "on the page" in entry["where"]


def words(text):
    """The words of a name, one and many alike."""
    several = r"(theorem|lemma|proposition|definition|equation|figure|algorithm|table)s\b"
    return re.sub(several, r"\1", re.sub(r"[^\w.]+", " ", text.lower())).split()


def place(result, asked):
    """Where a result belongs: the paper's number, the book's, that of the conference version, the rest; or None."""
    own, conference = result.get("own", ""), result.get("conference") or ""
    numbers = [result["number"], *result.get("covers", [])]
    names = [list(map(words, numbers)), [words(own)], list(map(words, conference.split(", ")))]
    if found := [rank for rank, several in enumerate(names) if asked in several]:
        return found[0]
    if any(name[: len(asked)] == asked for name in names[0]):
        return 3
    text = words(" ".join([*numbers, own, result.get("paper", ""), result["where"][0]]))
    return 4 if set(asked) <= set(text) else None


def entry(result):
    """All that is said of a result."""
    own, verdict, paper = (result.get(name) or "" for name in ("own", "verdict", "paper"))
    where = [
        f"here {own}" * bool(paper and own),
        f"conference: {result.get('conference')}" * bool(result.get("conference")),
    ]
    where += [f"on the page {result['where'][0]}", result["where"][1]]
    name = f"{result['number']}, {paper}" if paper else result["number"]
    kind = f"verdict verdict-{verdict.replace(' ', '-')}" if verdict else ""
    return [name, kind, verdict, " · ".join(filter(None, where)), result.get("bibtex") or ""]


QUERIES = ["theorem", "Theorem 4.1", "theorems 1 courtade", "equation 3", "Algorithms 1", "tables", "remark", "4.1"]


@pytest.mark.parametrize("query", QUERIES)
def test_every_result_is_listed_with_all_that_is_known_of_it(ask, query):
    """The nearest first, a dozen at once and the others in a fold that counts them."""
    page = ask(query)
    known = [(rank, result) for result in page.evaluate(KNOWN) if (rank := place(result, words(query))) is not None]
    wanted = [entry(result) for _, result in sorted(known, key=lambda pair: pair[0])]
    rest = [f"{len(wanted) - 12} more", len(wanted) - 12, 13] if len(wanted) > 12 else None
    assert page.evaluate(SAID) == {"count": f"{len(wanted)} found.", "entries": wanted, "rest": rest}
    assert wanted and (rest or query != "theorem")


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
