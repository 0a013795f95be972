"""The table of claims: complete rows, pages and anchors that exist in the built book, tests that exist, no gaps."""

import re
from functools import cache

import pytest
import yaml
from hdpbook.rows import DIFFER, LOST, READING, SLIP, UNREPRODUCED, WRONG
from pybtex.database import parse_file

from tests.files import CLAIMS, ROOT, built_page, built_text, read

ROWS, PAPERS = CLAIMS["claims"], CLAIMS["papers"]
# all strings: 3.10 is no number here
STRINGS = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
INVENTORY = yaml.load(read("book/inventory.yml"), Loader=STRINGS)
JUDGED = {"proved", "checked", "beyond the paper", WRONG, READING, SLIP, UNREPRODUCED}  # rows that can fail
VERDICTS = JUDGED | {"cited", LOST, "not treated"}
KEYS = {"id", "paper", "number", "statement", "verdict", "page"}  # the page is that of the label
LISTS = {"covers", "conference", "announced", "uses", "uses_corrected"}
GLANCES = {  # the pages that follow the papers
    "cc": "heterogeneous-budgets/at-a-glance",
    "cz": "threshold/at-a-glance",
    "adk": "hybrid-trust/at-a-glance",
    "cfmt": "user-level/at-a-glance",
}
TABLES = GLANCES | {"hdp": "synthesis/claims"}
PLACE = {
    WRONG: {"printed", "correct", "counterexample"},
    READING: {"printed", "holds", "otherwise"},
}  # what is said of it
PLACE |= {SLIP: {"printed", "meant"}, LOST: {"printed"}, UNREPRODUCED: PLACE[WRONG]}
ENTRY = {WRONG: {"consequence", "severity", "rank"}, UNREPRODUCED: {"consequence", "rank"}}  # and once a cause
MORE = {READING: {"correct", "counterexample", "consequence", "rank"}, SLIP: {"counterexample", "consequence"}}
MORE |= {LOST: {"consequence"}}


def numbered(text):
    """Each kind of statement that a text numbers, with the numbers."""
    kinds = {kind: found for kind, found in INVENTORY[text].items() if kind[0].isupper()}
    for kind, found in kinds.items():
        if isinstance(found, str):
            first, last = map(int, found.split("-"))
            kinds[kind] = [str(k) for k in range(first, last + 1)]
    return kinds


def items(text):
    """All that the rows must cover, as they name it."""
    own = [f"{kind} {number}" for kind, found in numbered(text).items() for number in found]
    return own + INVENTORY[text].get("elsewhere", [])


def without_panel(number):
    """1(A) is a part of 1."""
    return number.partition("(")[0]


def test_row_is_complete(subtests):
    """Known keys only; a row that differs says what is printed, what is right, and why."""
    for row in ROWS:
        with subtests.test(row["id"]):
            required = KEYS | ({"reason"} if row["verdict"] == "not treated" else set())
            required |= PLACE.get(row["verdict"], set()) | ({"fails"} if row["verdict"] in JUDGED else set())
            required |= set() if "erratum" in row else ENTRY.get(row["verdict"], set())
            optional = {"covers", "call"} if row["paper"] != "hdp" else set()
            optional |= {"erratum"} | MORE.get(row["verdict"], set())
            optional |= {"conference", "differs"} if row["paper"] == "cc" else set()
            optional |= {"announced"} if row["verdict"] in ("proved", "checked") else set()
            optional |= {"uses", "uses_corrected"} if row["verdict"] != "not treated" else set()
            assert required <= set(row) <= required | optional
            assert all(
                isinstance(v, str) and v.strip() for k, v in row.items() if k not in LISTS | {"fails", "rank", "call"}
            )
            for key in LISTS & set(row):
                assert row[key] and all(isinstance(v, str) for v in row[key]) and len(set(row[key])) == len(row[key])
            assert row["verdict"] in VERDICTS and row["paper"] in {*PAPERS, "hdp"}
            assert row["id"].startswith((row["paper"], "hdp"))


@pytest.mark.parametrize("paper", [text for text in INVENTORY if text != "conference"], ids=str)
def test_rows_cover_everything_that_a_paper_numbers(paper):
    """And nothing that it does not have; panels that the inventory lists must be covered one by one."""
    assert len(items(paper)) == len(set(items(paper))) > 10
    assert {item for row in ROWS if row["paper"] == paper for item in row.get("covers", [])} == set(items(paper))


def test_rows_cover_everything_that_the_conference_version_numbers():
    """In rows that the full version numbers, too; the rest is named by its section, or by the figure of its panels."""
    own = {item for row in ROWS for item in row.get("conference", [])}
    places = {item for item in own if not re.fullmatch(r"Section [IV]+(-[AB])?", item)}
    assert places - {"Figure 1"} == set(items("conference"))
    assert places - {"Figure 1"} <= {item for row in ROWS if "covers" in row for item in row.get("conference", [])}


def test_first_item_is_the_one_that_the_row_is_named_after(subtests):
    """`number` is for readers: 'Equations (5) and (6)' covers Equation 5 first."""
    for row in ROWS:
        with subtests.test(row["id"]):
            for item in row.get("covers", [])[:1]:
                kind, number = item.split(" ")
                assert row["number"].startswith(kind), item
                assert re.search(rf"\b{re.escape(without_panel(number))}\b", row["number"]), item


@cache
def labels(page):
    """Every id in a built page."""
    return set(re.findall(r'\bid="([^"]+)"', built_text(f"book/{page}")))


def claim_of(link):
    """The id of the claim that a link leads to."""
    return link["href"].partition("#")[2].removeprefix("equation-")


@pytest.mark.parametrize("row", [row for row in ROWS if "erratum" in row], ids=lambda row: row["id"])
def test_a_place_belongs_to_an_erratum_of_its_paper(row):
    """One with an entry, which is no place itself."""
    (cause,) = (other for other in ROWS if other["id"] == row["erratum"])
    assert cause["paper"] == row["paper"] and cause["verdict"] in DIFFER and "erratum" not in cause


ANNOUNCED = [row for row in ROWS if "announced" in row]
ENTRIES = parse_file(ROOT / "book" / "references.bib").entries


@cache
def table_lines(page):
    """The text of every row of the tables of claims in a built page, by the claim that it links to."""
    found = {}
    for line in built_page(f"book/{page}").select("table.claims tbody tr"):
        found.setdefault(claim_of(line.a), []).append(line.text)
    return found


@pytest.mark.parametrize("row", ANNOUNCED, ids=lambda row: row["id"])
def test_what_others_announced_is_said_wherever_the_claim_is_listed(row):
    """With the names of all of them: in its chapter, in the table of its paper, and with each of the later works."""
    names = ["".join(ENTRIES[key].persons["author"][0].last_names) for key in row["announced"]]
    for page in (row["page"], TABLES[row["paper"]]):
        (line,) = table_lines(page)[row["id"]]
        assert "Independently derived; announced in" in line and all(name in line for name in names)


def test_later_work_lists_what_each_work_announced():
    """And nothing else; each list comes after the words about its work."""
    source = read("book/synthesis/later-work.md")
    works = re.findall(r"^```\{claims-announced\} (\S+)$", source, re.M)
    lists = built_page("book/synthesis/later-work").select("p.announced-here")
    for key, found in zip(works, lists, strict=True):
        announced = [row["id"] for row in ANNOUNCED if key in row["announced"]]
        assert [claim_of(link) for link in found.select("a")] == announced
        assert f"{{cite:t}}`{key}`" in source.partition(f"{{claims-announced}} {key}")[0]
    assert set(works) == {key for row in ANNOUNCED for key in row["announced"]} and len(ANNOUNCED) >= 5


def test_label_exists_in_the_built_page(subtests):
    """As the id of an element; equations have the prefix that Sphinx gives them."""
    for row in ROWS:
        with subtests.test(row["id"]):
            assert {row["id"], f"equation-{row['id']}"} & labels(row["page"])


def test_every_judged_row_is_settled_and_can_fail(subtests):
    """A test has its id in a mark `settles`, and its edit fits in one place of a file that is code or its page."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    marks = [
        mark for text in sources for mark in re.findall(r"settles\(([^)]*)\)|^SETTLES = \{(.*?)^\}", text, re.S | re.M)
    ]
    settled = set(re.findall(r'"([a-z0-9-]+)"', str(marks).replace("'", '"')))
    for row in ROWS:
        with subtests.test(row["id"]):
            assert (row["id"] in settled) or row["verdict"] not in JUDGED
            if edit := row.get("fails"):
                assert read(edit["file"]).count(edit["from"]) == 1 and set(edit) == {"file", "from", "to"}
    assert settled >= {row["id"] for row in ROWS if row["verdict"] in JUDGED}


def test_every_statement_and_every_row_are_rendered():
    """Each row once, in the table of its paper, under a label of its own; the page of claims explains each verdict."""
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert sum(row["verdict"] == "not treated" for row in ROWS) <= 5
    for paper, page in TABLES.items():
        shown = [line["id"] for line in built_page(f"book/{page}").select("table.claims tr.claim")]
        assert sorted(shown) == sorted(f"row-{row['id']}" for row in ROWS if row["paper"] == paper)
    page = built_text("book/synthesis/claims")
    for verdict in VERDICTS:
        expected = sum(row["verdict"] == verdict and row["paper"] == "hdp" for row in ROWS)
        legend = int(verdict != "not treated")
        assert page.count(f'verdict verdict-{verdict.replace(" ", "-")}"') == expected + legend, verdict
