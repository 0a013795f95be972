"""What every chapter must have, and what no chapter may do."""

import ast
import re

import pytest
from hdpbook.rows import DIFFER

from tests import files
from tests.files import CLAIMS, ROOT, read, read_yaml

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.S | re.M)
LABEL = re.compile(r"^:label: (\S+)", re.M)
STATEMENT = re.compile(
    r"^`{3,}\{prf:(theorem|lemma|proposition|corollary|definition|algorithm)\}[^\n]*\n(.*?)\n\n", re.S | re.M
)
BOX = re.compile(r"^(`{3,})\{prf:\w+\}[^\n]*\n:label: (\S+)\n+(.*?)\n\1$", re.S | re.M)
# What a new chapter starts from is no page of the book, but it obeys every rule as if it stood where its row says.
TEMPLATE = ROOT / "book" / "_template"
TEMPLATE_CLAIMS = [{"paper": "hdp", **row} for row in read_yaml("book/_template/claims.yml")]
TEMPLATE_PAGE = {f"book/{TEMPLATE_CLAIMS[0]['page']}": read("book/_template/chapter.md")}


PAGES = {name: read(f"{name}.md") for name in files.PAGES} | TEMPLATE_PAGE  # their texts
EXECUTED = {name: text for name, text in PAGES.items() if "```{code-cell}" in text}
# Versions, not theorems: the rules about derivations are not for it.
CHAPTERS = {name: text for name, text in EXECUTED.items() if name != "book/reference/build"}
TIMED = {name: text for name, text in EXECUTED.items() if re.search(r"^from timeit import", text, re.M)}
ROWS = CLAIMS["claims"] + TEMPLATE_CLAIMS
EVERY_EXECUTED_PAGE = pytest.mark.parametrize(("name", "text"), EXECUTED.items(), ids=EXECUTED.keys())
EVERY_CHAPTER = pytest.mark.parametrize(("name", "text"), CHAPTERS.items(), ids=CHAPTERS.keys())


def cells(text):
    """Code of every cell."""
    return CELL.findall(text)


def sources(text):
    """The same, without the tags."""
    return [re.sub(r"\A:tags: .*\n", "", cell) for cell in cells(text)]


def test_every_page_on_disk_is_in_the_table_of_contents():
    """A chapter that nobody can reach is not part of the book."""
    sources = [p for p in (ROOT / "book").rglob("*.md") if p.parent != TEMPLATE]
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in sources} == set(files.PAGES)


@EVERY_CHAPTER
def test_statements_are_labelled_claims(name, text):
    """Every theorem-like box has a label, and the label has a row in book/claims that points back to this page."""
    known = {row["id"]: row["page"] for row in ROWS}
    statements = STATEMENT.findall(text)
    assert statements
    for kind, head in statements:
        label = LABEL.search(head)
        assert label, f"unlabelled {kind} in {name}"
        assert known.get(label[1]) == name.removeprefix("book/"), label[1]


@EVERY_EXECUTED_PAGE
def test_box_of_a_claim_that_differs_is_a_strip(name, text):
    """It shows what its row says is printed, correct and a counterexample, and nothing else; no other box does."""
    refuted = {row["id"] for row in ROWS if row["verdict"] in DIFFER}
    for _, label, body in BOX.findall(text):
        strip = f"```{{strip}} {label}\n```"
        assert (body == strip) if label in refuted else ("{strip}" not in body), label
    assert text.count("{strip}") == sum(label in refuted for _, label, _ in BOX.findall(text))


@EVERY_EXECUTED_PAGE
def test_every_glued_number_is_used_and_every_used_one_is_glued(name, text):
    """Numbers in prose come from cells."""
    glued = re.findall(r'^\s*glue\("([^"]+)"', text, re.M)
    used = re.findall(r"\{glue:text\}`([^`]+)`", text)
    assert sorted(set(glued)) == sorted(set(used)) and len(glued) == len(set(glued))


def depends_on_times(tree):
    """Names of a program that are given, directly or through others, what `timeit` measures."""
    found, before = {"repeat"}, set()
    while found != before:
        before = set(found)
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name):
                    given, source = {name}, node
                case ast.Assign(targets=targets, value=source):
                    given = set().union(*map(names, targets))
                case ast.AugAssign(target=target, value=source) | ast.For(target=target, iter=source):
                    given = names(target)
                case _:
                    continue
            found |= given if names(source) & found else set()
    return found


def names(node):
    """What a piece of code names."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


@pytest.mark.parametrize(("name", "text"), TIMED.items(), ids=TIMED.keys())
def test_times_are_shown_never_asserted_and_never_in_the_text(name, text):
    """A page that measures says the same on every machine; only its tables differ, and it is executed alone."""
    assert "measures_time: true" in text.split("---")[1]
    tree = ast.parse("\n".join(sources(text)))
    timed = depends_on_times(tree)
    glued = [c for c in ast.walk(tree) if isinstance(c, ast.Call) and names(c.func) == {"glue"}]
    asserted = [n for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    assert {"seconds"} < timed
    assert not [ast.unparse(node) for node in [*glued, *asserted] if names(node) & timed]
