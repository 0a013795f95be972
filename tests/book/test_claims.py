"""The table of claims: complete rows, pages and anchors that exist in the built book, tests that exist."""

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ROWS = yaml.safe_load((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))["claims"]
VERDICTS = {"proved", "checked", "refuted", "cited", "extended", "not treated"}
ERRATUM = {"printed", "correct", "counterexample", "consequence"}
EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])


@EVERY_ROW
def test_row_is_complete(row):
    """Known keys only; a refuted row says what is printed, what is right, why, and what follows."""
    keys = {"id", "paper", "number", "statement", "verdict", "page", "test"}
    assert set(row) == keys | (ERRATUM if row["verdict"] == "refuted" else set())
    assert all(isinstance(v, str) and v.strip() for v in row.values())
    assert row["verdict"] in VERDICTS and row["paper"] in {"cc", "cz", "adk", "cfmt", "hdp"}
    assert row["id"].startswith((row["paper"], "hdp"))


def test_ids_are_unique():
    """Two rows with one label would hide each other."""
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids))


@EVERY_ROW
def test_label_exists_in_the_built_page(row):
    """As the id of an element; equations have the prefix that Sphinx gives them."""
    built = (ROOT / "_build" / "html" / "book" / f"{row['page']}.html").read_text(encoding="utf-8")
    ids = set(re.findall(r'\bid="([^"]+)"', built))
    assert row["id"] in ids or f"equation-{row['id']}" in ids


@EVERY_ROW
def test_test_exists(row):
    """The file, and the function in it; a chapter's own assertions count as the test that executes the book."""
    path, _, function = row["test"].partition("::")
    file = ROOT / path
    assert file.is_file(), path
    if path.startswith("tests/"):
        names = {
            n.name for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)
        }
        assert function in names, row["test"]


def test_every_statement_and_every_row_are_rendered():
    """The page of claims shows each row once, with its verdict."""
    page = (ROOT / "_build" / "html" / "book" / "synthesis" / "claims.html").read_text(encoding="utf-8")
    for verdict in VERDICTS:
        expected = sum(row["verdict"] == verdict for row in ROWS)
        legend = 1 if verdict != "not treated" else 0  # the page explains every verdict once
        assert page.count(f'verdict verdict-{verdict.replace(" ", "-")}"') == expected + legend, verdict


def test_errata_show_every_refuted_row():
    """With all four parts."""
    page = (ROOT / "_build" / "html" / "book" / "synthesis" / "errata.html").read_text(encoding="utf-8")
    refuted = sum(row["verdict"] == "refuted" for row in ROWS)
    assert refuted >= 2
    for part in ERRATUM:
        assert page.count(f"<dt>{part.capitalize()}") == refuted
