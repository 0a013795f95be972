"""The errata: complete and ordered, every number of a counterexample computed again, and the built page."""

import re

import pytest

from tests.book.errata import heterogeneous_budgets, hybrid_trust, threshold, user_level
from tests.files import CLAIMS, built_text

ERRATA = "book/synthesis/errata"
PAPERS = CLAIMS["papers"]
SAID = [row for row in CLAIMS["claims"] if "printed" in row]
ROWS = [row for row in SAID if "erratum" not in row]  # one for each slip
PLACES = [row for row in CLAIMS["claims"] if "erratum" in row]  # where else it shows
SEVERITIES = ("result", "constant", "step", "text", "unreproduced")
PARTS = ("printed", "correct", "counterexample", "consequence")
NUMBERS = {  # the functions belong to the rows that their names are made from
    name.replace("_", "-"): found
    for module in (heterogeneous_budgets, threshold, hybrid_trust, user_level)
    for name, found in vars(module).items()
    if name.startswith(("cc_", "cz_", "adk_", "cfmt_", "hdp_shrinkage"))
}
# Digits that name something: a figure, a theorem, an equation, an index, an exponent two.
NAMES = re.compile(
    r"\b(?:Algorithm|Definition|Figure|Lemma|Section|Table|Theorem|line) [\d.]*\d[a-f]?(?:\([AB]\))?"
    r"|\(\d\d?\)|_\d|\^2"
)


def found(typed):
    """A pattern that finds what is typed where its numbers are whole."""
    left = r"(?<![\d.])" if typed[0].isdigit() else ""
    right = r"(?!\d|\.\d|/\d)" if typed[-1].isdigit() else ""
    return re.compile(left + re.escape(typed) + right)


def test_every_refuted_row_has_its_numbers():
    """And nothing else has."""
    assert set(NUMBERS) == {row["id"] for row in SAID}


@pytest.mark.parametrize("row", SAID, ids=lambda row: row["id"])
def test_numbers_are_computed_again(row):
    """What is computed stands in the text, and the counterexample types no other number."""
    texts = {part: row[part] for part in PARTS if part in row}
    texts["counterexample"] = rest = NAMES.sub("", row["counterexample"])
    for typed in sorted(NUMBERS[row["id"]](), key=len, reverse=True):
        cleaned = NAMES.sub("", typed) or typed
        assert any(found(cleaned).search(text) for text in texts.values()), (typed, texts)
        rest = found(cleaned).sub("", rest)
    assert not re.search(r"\d", rest), rest


def test_a_wrong_number_would_be_noticed():
    """Neither a part of another number nor another number passes for the computed one."""
    assert found("1/4").search("is 1/4.")
    for text in ("11/4", "1/40", "1/4.5", "0.1/4", "1/4/3"):
        assert not found("1/4").search(text), text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_severity_and_rank(row):
    """Both are known, and what is not reproduced is not called an error."""
    assert row["severity"] in SEVERITIES and type(row["rank"]) is int
    assert (row["severity"] == "unreproduced") == (row["verdict"] == "not reproduced")


@pytest.mark.parametrize("row", SAID, ids=lambda row: row["id"])
def test_every_part_says_something(row):
    """And says it calmly."""
    parts = [row[part] for part in PARTS if part in row]
    assert all(len(part.strip()) >= 5 for part in parts)
    assert "!" not in re.sub(r"\$[^$]*\$", "", "".join(parts))


def test_ranks_are_unique_and_follow_the_severities():
    """The most consequential first."""
    ordered = sorted(ROWS, key=lambda row: row["rank"])
    assert len({row["rank"] for row in ROWS}) == len(ROWS)
    places = [SEVERITIES.index(row["severity"]) for row in ordered]
    assert places == sorted(places)


def test_the_page_shows_every_entry_in_order():
    """Each under its own anchor, within the section of its severity, whose title counts it."""
    page = built_text(ERRATA)
    ordered = [f"erratum-{row['id']}" for row in sorted(ROWS, key=lambda row: row["rank"])]
    assert re.findall(r'<section id="(erratum-[^"]+)"', page) == ordered
    assert len(ordered) < len(SAID), "a slip that shows in several places is one entry"
    for severity in SEVERITIES:
        count = sum(row["severity"] == severity for row in ROWS)
        assert re.search(rf'<section id="errata-{severity}">\s*<h2>(?:<span.*?</span>)?[^<]* \({count}\)', page), (
            severity
        )


def test_the_page_counts_by_paper_and_severity():
    """The table at the top, its margins included; what is not reproduced is no error."""
    page = built_text(ERRATA)
    table = re.search(r'<table[^>]*class="[^"]*errata-summary.*?</table>', page, re.DOTALL)[0]
    lines = [re.findall(r"<p>(\d+)</p>", line) for line in table.split("<tr")[2:]]
    papers = (*PAPERS, None)
    counts = [[row["severity"] for row in ROWS if paper in (row["paper"], None)] for paper in papers]
    for line, found in zip(lines, counts, strict=True):
        numbers = [found.count(severity) for severity in SEVERITIES if severity != "unreproduced"]
        assert line == [str(number) for number in (*numbers, sum(numbers))]


def chapter_links(row):
    """Whether the claim in its chapter links to its entry, or its place in one."""
    return f'href="../synthesis/errata.html#erratum-{row["id"]}"' in built_text(f"book/{row['page']}")


def links_to_chapter(text, row):
    """Whether a part of the page of errata links to the claim in its chapter."""
    return re.search(rf'href="\.\./{row["page"]}\.html#(?:equation-)?{row["id"]}"', text)


@pytest.mark.parametrize("row", PLACES, ids=lambda row: row["id"])
def test_a_place_stands_in_the_entry_of_its_slip(row):
    """With a link to the chapter, which links back where it is judged."""
    entry = built_text(ERRATA).split(f'<section id="erratum-{row["erratum"]}"')[1].split("<section")[0]
    assert links_to_chapter(entry.split(f'id="erratum-{row["id"]}"')[1].split("</li>")[0], row)
    assert chapter_links(row) == (row["verdict"] == "refuted")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_chapter_links_back(row):
    """The verdict in the box of the chapter leads to the entry, and the entry to the chapter."""
    entry = built_text(ERRATA).split(f'<section id="erratum-{row["id"]}"')[1].split("<dl")[0]
    assert links_to_chapter(entry, row) and chapter_links(row)
