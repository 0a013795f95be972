"""Code is folded, never absent: what the built pages show of their cells."""

import ast
import re

import pytest

from tests.book.test_chapters import CHAPTERS, FIGURE_CELL, cells, sources
from tests.files import built_page

# Says so where the book is not built; one worker reads the pages, once
pytestmark = [pytest.mark.usefixtures("site"), pytest.mark.xdist_group("trees")]
BUILT = {name: text for name, text in CHAPTERS.items() if not name.endswith("your-page")}
EVERY_BUILT_PAGE = pytest.mark.parametrize(("name", "text"), BUILT.items(), ids=BUILT.keys())


@EVERY_BUILT_PAGE
def test_every_line_of_code_is_in_the_page(name, text):
    """In order, but for the imports, which come last; open only where the source says so."""
    shown = built_page(name).select("div.cell_input pre")
    first, *others = [source.strip() for source in sources(text)]
    assert [block.get_text().strip() for block in shown] == [*others, first]
    marked = [cell.startswith(":tags: [open]") for cell in cells(text)[1:]]
    assert [block.find_parent("details") is None for block in shown[:-1]] == marked
    assert "hdp-section-fold" in shown[-1].find_parent("details")["class"]


@EVERY_BUILT_PAGE
def test_a_fold_is_called_after_what_the_cell_does_which_shows_its_formula(name, text):
    """A cell that asserts is a check; what it shows stands above its fold.

    That is a formula if it asserts, outside a loop, that two are identical or that one is not negative.
    """
    for fold in built_page(name).select("details.hdp-code-fold"):
        source = fold.get_text().split("\n", 1)[1]
        checks = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Assert) or "assert_" in ast.dump(n)]
        assert fold.summary.get_text() == ("show the check" if checks else "show the code")
        assert fold.find_next_sibling(class_="cell_output") is None
        if re.search(r"^assert_(identity|nonnegative)\((?!.*name=None)", source, re.M):
            cell = fold.find_parent("div", class_="cell")
            assert cell.select(".hdp-shown .hdp-formula") and cell.select(".hdp-mark"), source


@EVERY_BUILT_PAGE
def test_the_page_ends_with_three_folds(name, text):
    """Claims, notation, and how it was computed, with versions."""
    folds = built_page(name).select("details.hdp-section-fold")[-3:]
    titles = [fold.summary.get_text() for fold in folds]
    assert titles[0].startswith("What this page settles: ") and titles[1:] == ["Notation", "How this page was computed"]
    assert re.search(r"Python 3\.\d+\.\d+.*numpy \d.*sympy \d", folds[-1].get_text())


def test_the_figure_is_the_first_output():
    """Above the first heading."""
    for name, text in BUILT.items():
        built = built_page(name)
        figure, heading = built.select_one("figure.hdp-figure, .cell_output"), built.select("article h2")[0]
        assert figure.sourceline < heading.sourceline, name
        assert re.fullmatch(FIGURE_CELL, sources(text)[1].strip())
