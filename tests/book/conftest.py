"""A small book, built five times and printed once for all that is asked of such a book."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.book.test_build import (
    ALONE,
    ALSO_GOOD,
    CELL,
    FAULTS,
    GOOD,
    HEADER,
    INDEX,
    ROOT,
    build,
    chapter,
    make_book,
    write_pages,
)
from tests.book.test_chapters import TEMPLATE_CLAIMS, TEMPLATE_PAGE
from tests.files import CLAIMS, write_claims

REPOSITORY = "https://github.com/somebody/a-book"
GROUPS = {"good": "good-book", "small": "small-book"}  # one worker builds each of these books


def pytest_itemcollected(item):
    """Keep together what is asked of one small book."""
    for fixture in GROUPS.keys() & getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group(GROUPS[fixture]))


@dataclass
class Build:
    """What came of one build: its exit code, what it said, which chapters were executed, and three pages."""

    code: int
    output: str
    executed: list
    pages: dict


@dataclass
class Good:
    """The small book: its folder, the place of the chapter that is the template, and its builds."""

    root: Path
    page: str
    builds: list

    def build(self, patch, repository=""):
        """Build it once more."""
        patch.setenv("HDP_REPOSITORY", repository)
        executed, html = self.root / "executed.txt", self.root / "_build/html/book"
        executed.write_text("")
        code, output = build(self.root)
        names = () if code else ("index", "first", self.page)
        pages = {name: BeautifulSoup((html / f"{name}.html").read_text(), "html.parser") for name in names}
        self.builds.append(Build(code, output, sorted(executed.read_text().splitlines()), pages))


@pytest.fixture(scope="session")
def good(tmp_path_factory):
    """Return the book: new; with a repository and one chapter edited, and printed; then without what is good.

    With another library and more pages, each with one of FAULTS; unchanged; with a cell that fails, where a build ends.
    """
    book = Good(tmp_path_factory.mktemp("good"), TEMPLATE_CLAIMS[0]["page"], [])
    for folder in (f"book/{book.page}", "book/synthesis/claims"):
        (book.root / folder).parent.mkdir(parents=True, exist_ok=True)
    pages = {"first": chapter("First", GOOD), "second": chapter("Second", ALSO_GOOD)}
    pages["third"] = HEADER.replace("---", "---\nmeasures_time: true", 1) + f"# Third\n\n{ALONE}\n"
    pages[book.page] = TEMPLATE_PAGE[f"book/{book.page}"]
    pages |= {"synthesis/claims": "# Claims\n\n```{claims-table} hdp\n```\n", "synthesis/later-work": "# Later work\n"}
    make_book(book.root, pages)
    write_claims(book.root, CLAIMS["papers"], TEMPLATE_CLAIMS)
    with (book.root / "book/references.bib").open("a") as references:
        references.write((ROOT / "book/references.bib").read_text(encoding="utf-8"))
    library, second = book.root / "hdp/made_up_there.py", book.root / "book/second.md"
    (book.root / "hdp/made_up.py").write_text("from hdp.made_up_there import VALUE\n")
    for module in (library, book.root / "hdp/at_hand.py"):
        module.write_text("VALUE = 1\n")
    with pytest.MonkeyPatch.context() as patch:
        book.build(patch)
        second.write_text(second.read_text() + CELL.format("1 + 1"))
        book.build(patch, REPOSITORY)
        shutil.copytree(book.root / "_build/html", book.root / "html")  # a failing build leaves none
        library.write_text("VALUE = 2\n")
        write_pages(book.root, INDEX | pages | {name: chapter(name, source) for name, source, _ in FAULTS})
        book.build(patch, REPOSITORY)
        book.build(patch, REPOSITORY)
        second.write_text(second.read_text() + CELL.format("assert 1 + 1 == 3"))
        book.build(patch, REPOSITORY)
    return book
