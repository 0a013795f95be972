"""What the text of a built page says, against what the page has: where Next leads, what stands after a formula."""

import re
from itertools import pairwise

import pytest
from hdpbook.chapters import part_of
from hdpbook.routes import ROUTES, own, place

from tests.files import PAGES, ROOT, built_page, built_text, read

CHAPTERS = PAGES[1:]

IN_TEXT = re.compile(r'<strong>Next</strong>.*?<a class="reference internal[^"]*" href="([^"#]+)', re.DOTALL)
BUTTON = re.compile(r'<a class="right-next"\s+href="([^"]+)"')
# A displayed formula, after which a paragraph begins with the mark that ends the formula's sentence.
ORPHAN = re.compile(r"\\\]\s*</div>\s*<p>\s*([.,;:)][^<]{0,40})")


def article(name):
    """The text of a page, without what surrounds it."""
    html = built_text(name)
    return html.partition('<article class="bd-article">')[2].partition("</article>")[0], html


def test_next_in_the_text_is_the_next_button():
    """Most pages say what is next."""
    said = 0
    for name in CHAPTERS:
        text, html = article(name)
        leads = IN_TEXT.findall(text)[:1]
        assert leads == BUTTON.findall(html)[: len(leads)], name
        said += len(leads)
    assert said > 40


NEXT = re.compile(r"^\*\*Next\*\*.*$", re.M)
SAYS_SO = re.compile(r"\bpapers?\b|further results|\*my data\*")


def test_next_says_where_it_leaves_a_part_or_a_paper():
    """So do the buttons, in the words of the table of contents; the book's own pages among a paper's are announced."""
    left = 0
    for name, after in pairwise(CHAPTERS):
        part, then = part_of(name, ROOT), part_of(after, ROOT)
        beyond = "(" in part and own(ROOT, after) and not own(ROOT, name)
        if part == then and not beyond:
            continue
        button = built_page(name).select_one("a.right-next .prev-next-title").text
        way, _ = place(name) or (None, 0)
        if way is None or name == ROUTES[way][-1]:  # the button follows the way
            assert button.startswith("Beyond the paper:" if part == then else f"{then}:"), name
        if said := NEXT.search(read(f"{name}.md")):
            assert SAYS_SO.search(said[0]), said[0]
            left += 1
    assert left > 8


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_mark_stands_alone_after_a_formula(name):
    assert ORPHAN.findall(article(name)[0]) == []


NUMBER = '<span class="section-number">'


def test_the_number_of_a_page_stands_before_its_title_alone():
    numbered = [re.findall(r"<h(\d)>" + NUMBER, built_text(name)) for name in CHAPTERS]
    assert all(found in ([], ["1"]) for found in numbered) and sum(map(bool, numbered)) > 50


def test_no_page_has_its_icon_asked_for(site):
    """A browser asks the host for one that a page does not name, also of what only leads to another page."""
    pages = [path for path in site.rglob("*.html") if site / "_static" not in path.parents]
    assert len(pages) > len(PAGES)
    assert [path.name for path in pages if '<link rel="icon" href="data:' not in path.read_text(encoding="utf-8")] == []


def test_storage_is_there_before_the_theme_asks_for_it():
    """Where a browser forbids it, first.js puts something in its place."""
    for name in PAGES:
        text = built_text(name)
        assert -1 < text.find("Object.defineProperty(window, name") < text.index('localStorage.getItem("mode")'), name


def test_addresses_are_decoded_in_one_place():
    """With what is broken left as it is; a browser's own function throws."""
    found = {path.name for path in ROOT.glob("book/**/*.js") if "decodeURI" in path.read_text(encoding="utf-8")}
    assert found == {"first.js"}
