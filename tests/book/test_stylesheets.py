"""The book's stylesheets: a browser leaves out, without a word, the rule after a brace too many."""

import re

import pytest

from tests.files import ROOT

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def depths(css):
    """How many blocks are open after each brace."""
    depth = 0
    for brace in re.findall(r"[{}]", COMMENT.sub("", css)):
        depth += 1 if brace == "{" else -1
        yield depth


def test_a_brace_too_many_would_be_noticed():
    """Or one too few."""
    assert min(depths("a { b: c }} d { e: f }")) < 0 and list(depths("@media print { a { b: c }"))[-1] != 0


@pytest.mark.parametrize("sheet", sorted(ROOT.glob("book/_static/*.css")), ids=lambda sheet: sheet.name)
def test_every_block_is_closed_once(sheet):
    """And none is closed before it is opened."""
    found = list(depths(sheet.read_text(encoding="utf-8")))
    assert found and min(found) >= 0 and found[-1] == 0
