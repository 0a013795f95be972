"""The page of corrections: every row names a page of the book, and what it says was wrong stands there no more."""

import re

import pytest

from tests.files import PAGES, read

ROWS = re.findall(r"^\| \{doc\}`/(book/[\w/-]+)` \| (.+?) \| (.+) \|$", read("book/synthesis/corrections.md"), re.M)


def flat(text):
    return " ".join(re.sub(r"[*`]", "", text).split())


def test_there_are_rows_for_pages_of_the_book():
    lines = read("book/synthesis/corrections.md").splitlines()
    assert len(ROWS) == sum(line.startswith("| {doc}") for line in lines) > 100
    assert {page for page, _, _ in ROWS} <= set(PAGES)


@pytest.mark.parametrize("page", sorted({page for page, _, _ in ROWS}))
def test_what_was_wrong_stands_there_no_more(page):
    """Sentences of four words or more that are quoted; a shorter one may be part of a right one."""
    text = flat(read(f"{page}.md"))
    quoted = [flat(words) for name, wrong, _ in ROWS if name == page for words in re.findall(r'"([^"]+)"', wrong)]
    still = [words for words in quoted if len(words.split()) >= 4 and words in text]
    assert not still, f"{page} still says {still}"
