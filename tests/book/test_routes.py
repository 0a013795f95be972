"""Ways through the book: the minutes, the line on top of a page, the lists of the first page, the buttons."""

import re

import pytest
from hdpbook import routes

from tests.files import PAGES, ROOT, built_page, read

PAGE = """\
---
words: that nobody sees
---

(label)=
# Two words

**One $a + b$.**

```{code-cell} ipython3
figures.one
```

```{code-cell} ipython3
assert_identity(a, b)
```

```{exercise}
:label: x
Two more.
```

```{solution} x
None of these.
```

```{settles}
```

Folded.
"""
PLACES = [(name, pages, k) for name, pages in routes.ROUTES.items() for k in range(len(pages))]


def test_minutes_are_those_of_words_formulas_figures_and_exercises():
    """Six words, of which a formula is one; code, solutions and what is folded are left out."""
    each = [minutes for minutes, _ in routes.ALLOWANCES.values()]
    assert routes.minutes(PAGE) == 6 / routes.WORDS + sum(each)
    assert routes.minutes("word " * 1000) == 1000 / routes.WORDS


def test_what_is_stated_is_what_is_counted():
    said = routes.stated()
    assert f"one for {routes.WORDS} words" in said and "15 seconds for each displayed formula" in said
    assert all(what in said for what in routes.ALLOWANCES)


@pytest.mark.parametrize(("name", "pages", "k"), PLACES)
def test_a_page_says_where_it_stands_and_its_buttons_follow(name, pages, k):
    page, long = built_page(pages[k]), routes.pages_of(ROOT, name)[pages[k]]
    line = page.select_one("h1 + p.hdp-route")
    assert line.text.startswith(f"{name}, page {k + 1} of {len(pages)}, {long} minute")
    ways = {".left-prev": k - 1 if k else None, ".right-next": k + 1 if k + 1 < len(pages) else None}
    for button, to in ways.items():
        if to is not None:
            assert page.select_one(button)["href"].endswith(f"{pages[to].rpartition('/')[2]}.html")
    if k + 1 < len(pages):
        assert line.a["href"] == page.select_one(".right-next")["href"]
        assert line.a.text == built_page(pages[k + 1]).h1.find(string=True, recursive=False).strip()
    else:
        assert line.text.endswith("the last.")


def test_no_other_page_has_the_line():
    ways = {page for pages in routes.ROUTES.values() for page in pages}
    assert ways == {page for page in PAGES if built_page(page).select_one(".hdp-route")}


def test_the_first_page_lists_the_pages_with_their_minutes():
    first = built_page("book/index")
    for name in routes.ROUTES:
        long = routes.pages_of(ROOT, name)
        assert f"{sum(long.values())} minutes" in first.select_one(".hdp-doors").text
        shown = [li.text.strip() for li in first.select("ol li")]
        assert all(any(text.endswith(f", {n} minute{'s' if n > 1 else ''}") for text in shown) for n in long.values())
        links = {link["href"] for link in first.select("ol li a")}
        assert {f"{page.removeprefix('book/')}.html" for page in long} <= links


# Fences whose content nobody reads as prose before she asks for it; the words of everyday language among the terms.
APART = re.compile(r"\{?(?:code-cell|answer|solution|fold|settles|computed|math|python)\b")
EVERYDAY = {
    "noise",
    "loses",
    "odds",
    "record",
    "level",
    "clip",
    "privacy loss",
    "privacy budget",
    "Laplace noise",
    "four times",
}


def prose(page):
    """The lines of a page without code, formulas of their own and what is folded."""
    fences = []
    for line in read(f"{page}.md").split("---\n", 2)[2].split("\n"):
        mark = re.match(r"(`{3,})(.*)", line)
        if mark and not mark[2] and fences:
            fences.pop()
        elif mark:
            fences.append(mark[2])
        elif not any(APART.match(kind) for kind in fences) and not re.fullmatch(r"\([\w-]+\)=", line):
            yield line


def defined(lines):
    """Terms in bold type where they are defined: not the bold sentence on top, nor a label at the end."""
    for number, line in enumerate(lines):
        for term in re.findall(r"\*\*([^*]+)\*\*", "" if line.startswith("**") else line):
            yield number, term


def before(read_so_far, term):
    """Lines that have the term."""
    return [line for line in read_so_far if re.search(rf"\b{re.escape(term)}\b", line, re.IGNORECASE)]


def test_no_term_of_the_idea_is_used_before_it_is_said():
    """In the order of the way, from the first page on."""
    read_so_far, said = [], set()
    for page in routes.ROUTES["The idea"]:
        lines = list(prose(page))
        for number, term in defined(lines):
            if term not in EVERYDAY | said:
                assert before(read_so_far + lines[:number], term) == [], (page, term)
            said.add(term)
        read_so_far += lines
    assert {"scale", "attacker", "users", "mechanism", "affine", "items", "saturation point", "unbiased"} <= said
