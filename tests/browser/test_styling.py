"""What changes in a page styles what it concerns, not the whole page, or a figure would stutter under its slider."""

import json

from tests.browser.conftest import FIGURES
from tests.browser.figure_page import DESKTOP, SETTLED, FigurePage

PAGE = "book/heterogeneous-budgets/upper-bound.html"
ELEMENTS = "() => document.querySelectorAll('article *').length"
# A result appears below a cell, and goes again.
RESULT = """() => {
    const cell = document.querySelector(".cell"), box = document.createElement("div");
    cell.append(box);
    void cell.offsetHeight;
    box.remove();
    void cell.offsetHeight;
}"""
# As it was once: where something appears, every part of every section may need another style.
SLOW = ".bd-article:not(:has([data-pairs])) section > :not(section, .cell:has(figure)) { max-width: 46rem; }"


def styled(browser, page, change):
    """How many elements are styled anew while something changes; it is settled before."""
    page.evaluate("() => new Promise(settled => requestIdleCallback(settled))")
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    change()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return sum(event.get("args", {}).get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree")


def test_a_change_styles_what_it_concerns(browser, open_page):
    page = open_page(PAGE)
    shown = FigurePage(page, FIGURES["cc-figure-1b"])
    shown.wait()
    page.evaluate(SETTLED)
    all_of_them, p = page.evaluate(ELEMENTS), shown.figure.parameters[0]
    values = shown.figure.values(**{p.name: p.positions[1]})
    for change in (lambda: shown.move(values), lambda: page.evaluate(RESULT)):
        assert 0 < styled(browser, page, change) < all_of_them / 10
    page.add_style_tag(content=SLOW)
    assert styled(browser, page, lambda: page.evaluate(RESULT)) > all_of_them / 2, "what this test would notice"


# How wide the lines of text may be, and what else a figure's neighbours may take.
WIDEST = """() => Array.from(document.querySelectorAll("article section > :is(p, .cell, .cell_output, div.container)"),
    part => [Boolean(part.querySelector("figure.hdp-figure")), getComputedStyle(part).maxWidth])"""


def test_lines_keep_their_measure_and_figures_take_the_page(open_page):
    """But for the first page, which is laid out around its figure."""
    chapter, home = (open_page(path, viewport=DESKTOP).evaluate(WIDEST) for path in (PAGE, "book/index.html"))
    assert {(figure, width) for figure, width in chapter} == {(False, "736px"), (True, "none")}  # 46 rem
    assert len(home) >= 4 and {width for _, width in home} == {"none"}
