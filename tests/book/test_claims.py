"""The claims: rows that are complete, covered and settled, and shown where they stand and in tables."""

import re
from collections import Counter
from functools import cache
from urllib.parse import urldefrag, urljoin

import pytest
import yaml
from hdpbook import rows as ledger
from hdpbook.rows import DIFFER, LOST, READING, SLIP, UNREPRODUCED, WRONG, calls_of
from pybtex.database import parse_file, parse_string

from tests.files import CLAIMS, PAGES, ROOT, built_page, built_text, read

pytestmark = pytest.mark.xdist_group("trees")  # one worker reads the pages, once
ROWS, PAPERS = CLAIMS["claims"], CLAIMS["papers"]
BY_ID = {row["id"]: row for row in ROWS}
TREATED = [row for row in ROWS if row["verdict"] != "not treated"]
INVENTORY = yaml.load(read("book/inventory.yml"), Loader=yaml.BaseLoader)  # all strings: 3.10 is no number here
ENTRIES = parse_file(ROOT / "book/references.bib").entries
CONFIRMED, REFUTED = {"proved", "checked", "beyond the paper"}, {WRONG, UNREPRODUCED, LOST}
JUDGED = CONFIRMED | {WRONG, READING, SLIP, UNREPRODUCED}  # rows that can fail
GLANCES = {  # the pages that follow the papers
    "cc": "heterogeneous-budgets/at-a-glance",
    "cz": "threshold/at-a-glance",
    "adk": "hybrid-trust/at-a-glance",
    "cfmt": "user-level/at-a-glance",
}
TABLES = GLANCES | {"hdp": "synthesis/claims"}
NEEDED = {  # what is said of a row that differs
    **{key: {"printed", "correct", "counterexample"} for key in (WRONG, UNREPRODUCED)},
    READING: {"printed", "holds", "otherwise"},
    SLIP: {"printed", "meant"},
    LOST: {"printed"},
    "not treated": {"reason"},
}
CAUSE = {WRONG: {"consequence", "severity", "rank"}, UNREPRODUCED: {"consequence", "rank"}}  # once a cause
LISTS = {"covers", "conference", "announced", "uses", "uses_corrected"}
OPTIONAL = LISTS | {"call", "differs", "erratum", "correct", "counterexample", "consequence", "rank"}

STATEMENT = re.compile(
    r"^`{3,}\{prf:(?:theorem|lemma|proposition|corollary|definition|algorithm)\}[^\n]*\n(.*?)\n\n", re.S | re.M
)
BOX = re.compile(r"^(`{3,})\{prf:\w+\}[^\n]*\n:label: (\S+)\n+(.*?)\n\1$", re.S | re.M)


def claim_of(link):
    """The id of the claim that a link leads to."""
    return link["href"].partition("#")[2].removeprefix("equation-")


def target(link, page):
    """The page and the claim to which a link of a page leads."""
    return urldefrag(urljoin(f"{page}.html", link["href"])).url.removesuffix(".html"), claim_of(link)


def test_every_row_is_complete_and_every_judged_one_is_settled_and_can_fail(subtests):
    """Known keys only, a place in a built page, claims that it uses; an erratum is one of its paper.

    A test has its id in a mark `settles`, and its edit fits in one place of a file that is code or its page.
    """
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    found = re.compile(r"settles\(([^)]*)\)|^SETTLES = \{(.*?)^\}", re.S | re.M)
    marks = [mark for text in sources for mark in found.findall(text)]
    settled = {id for mark in marks for id in re.findall(r'"([\w-]+)"', "".join(mark))}
    assert len(BY_ID) == len(ROWS) and len(ROWS) - len(TREATED) <= 5
    pages = {page: built_text(f"book/{page}") for page in {row["page"] for row in ROWS}}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    for row in ROWS:
        with subtests.test(row["id"]):
            verdict, cause = row["verdict"], BY_ID.get(row.get("erratum"))
            required = {"id", "paper", "number", "statement", "verdict", "page", *NEEDED.get(verdict, ())}
            required |= ({"fails"} if verdict in JUDGED else set()) | (set() if cause else CAUSE.get(verdict, set()))
            assert required <= set(row) <= required | OPTIONAL
            assert verdict in JUDGED | {"cited", LOST, "not treated"} and row["paper"] in TABLES
            assert all(value and (isinstance(value, int) or value != " ") for value in row.values())
            assert all(len(set(row[key])) == len(row[key]) for key in LISTS & set(row) if isinstance(row[key], list))
            assert {row["id"], f"equation-{row['id']}"} & anchors[row["page"]]
            assert set(ledger.used(row)) <= {other["id"] for other in TREATED}
            assert row["id"] in settled or verdict not in JUDGED
            if edit := row.get("fails"):
                assert read(edit["file"]).count(edit["from"]) == 1 and set(edit) == {"file", "from", "to"}
            if "erratum" in row:
                assert cause["paper"] == row["paper"] and cause["verdict"] in DIFFER and "erratum" not in cause


@pytest.mark.parametrize("name", PAGES)
def test_every_statement_is_a_claim_of_its_page(name):
    """Each theorem-like box has a label, and the label has a row; what differs is shown by its row, with no more."""
    for head in STATEMENT.findall(read(f"{name}.md")):
        label = re.search(r"^:label: (\S+)", head, re.M)
        assert label and f"book/{BY_ID[label[1]]['page']}" == name, head
    for _, id, body in BOX.findall(read(f"{name}.md")):
        differs = BY_ID.get(id, {}).get("verdict") in DIFFER
        assert (body == f"```{{strip}} {id}\n```") if differs else "{strip}" not in body, id


@pytest.mark.parametrize("text", INVENTORY)
def test_rows_cover_everything_that_a_paper_numbers_and_its_page_has_it_once(text):
    """Panels that the inventory lists are covered one by one; of the conference version, sections have no number."""
    found = INVENTORY[text]
    numbered = {kind: numbers for kind, numbers in found.items() if kind[0].isupper()}
    for kind, numbers in numbered.items():
        if isinstance(numbers, str):
            first, last = map(int, numbers.split("-"))
            numbered[kind] = range(first, last + 1)
    items = [f"{kind} {number}" for kind in numbered for number in numbered[kind]] + found.get("elsewhere", [])
    own = [row for row in ROWS if row["paper"] == text]
    if text == "conference":
        covered = {item for row in ROWS for item in row.get("conference", []) if not item.startswith("Section ")}
        covered -= {"Figure 1"}  # its panels have numbers
    else:
        covered = {item for row in own for item in row.get("covers", [])}
        outlined = Counter(item for section in found["outline"].values() for item in section)
        assert outlined == Counter([*items, *(row["id"] for row in own if "covers" not in row)])
    assert len(items) > 10 and covered == set(items)


def test_no_claim_rests_on_itself_and_none_that_is_confirmed_on_what_is_refuted(subtests):
    """Not even through others: it uses the correct statement, and says so."""
    graph, printed = ({row["id"]: side(row) for row in ROWS} for side in (ledger.used, lambda row: row.get("uses", [])))
    for row in ROWS:
        with subtests.test(row["id"]):
            assert row["id"] not in ledger.reached(graph, row["id"])
            assert {BY_ID[id]["verdict"] for id in row.get("uses_corrected", [])} <= REFUTED
            fallen = [id for id in ledger.reached(printed, row["id"]) if BY_ID[id]["verdict"] in REFUTED]
            assert fallen == [] or row["verdict"] not in CONFIRMED


# -- the built pages ------------------------------------------------------------------------------------------


@cache
def places(page):
    """What stands at each claim of a page, its line and its folds."""
    return {claim_of(place.select_one("a.permalink")): place for place in built_page(page).select(".claim-place")}


def neighbours(row):
    """The lines of a fold: every claim in them with its page, and whether it says that it is corrected."""
    above = [(id, id in row.get("uses_corrected", [])) for id in ledger.used(row)]
    sides = {"Rests on": above, "Used by": [(id, False) for id in ledger.users(ROWS)[row["id"]]]}
    pairs = {name: [((f"book/{BY_ID[id]['page']}", id), mark) for id, mark in ids] for name, ids in sides.items()}
    return {name: found for name, found in pairs.items() if found}


@pytest.mark.parametrize("page", sorted({f"book/{row['page']}" for row in TREATED}))
def test_every_claim_says_where_it_stands_what_it_is_and_rests_on(page, subtests):
    """Verdict, number in the paper, links to itself and its row, what it uses, and an entry that cites it."""
    for row in (row for row in TREATED if page == f"book/{row['page']}"):
        with subtests.test(row["id"]):
            place = places(page)[row["id"]]
            line = place.select_one("p.claim-line")
            verdict = line.select_one(".verdict") or place.parent.select_one("dl.strip > dt .verdict")
            assert verdict.text == row["verdict"]
            *_, number, _ = line.select("a")
            assert number.text.endswith(f", {row['number']}")
            assert target(number, page)[0] == f"book/{TABLES[row['paper']]}" and claim_of(number) == f"row-{row['id']}"
            announcers = ["".join(ENTRIES[key].persons["author"][0].last_names) for key in row.get("announced", ())]
            assert ("announced in" in line.text) == bool(announcers) and all(name in line.text for name in announcers)
            shown = {}
            for said in place.select(":scope > details.hdp-uses > p"):
                links = [link for link in said.select("a") if "#row-" not in link["href"]]
                shown[said.strong.text] = [(target(a, page), a.text.endswith("(corrected)")) for a in links]
            assert shown == neighbours(row)
            (entry,) = parse_string(place.select_one("details.cite pre").text, "bibtex").entries.values()
            assert row["number"].replace("&", r"\&") in entry.fields["title"] and row["verdict"] in entry.fields["note"]
            assert row["paper"] == "hdp" or f"key {PAPERS[row['paper']]}" in entry.fields["note"]


@pytest.mark.parametrize("paper", TABLES)
def test_the_table_of_a_paper_has_every_row(paper):
    """The link opens at the claim; what is refuted says what is correct, on the paper's page with what computes it."""
    page, own = f"book/{TABLES[paper]}", {f"row-{row['id']}": row for row in ROWS if row["paper"] == paper}
    lines = built_page(page).select("table.claims tr.claim")
    assert sorted(line["id"] for line in lines) == sorted(own)
    for line in lines:
        row, (number, said, verdict) = own[line["id"]], line.select("td")
        assert verdict.text.strip() == row["verdict"] and target(number.a, page) == (f"book/{row['page']}", row["id"])
        assert ("announced in" in said.text) == ("announced" in row)
        if paper != "hdp":
            assert ("Correct:" in said.text) == ("correct" in row) and said.select_one("details.cite pre")
            assert [code.text for code in said.select(".where a code")] == [f"hdp.{name}" for name in calls_of(row)]


def test_later_work_lists_what_each_work_announced():
    works = re.findall(r"^```\{claims-announced\} (\S+)$", read("book/synthesis/later-work.md"), re.M)
    for key, found in zip(works, built_page("book/synthesis/later-work").select("p.announced-here"), strict=True):
        announced = [row["id"] for row in ROWS if key in row.get("announced", ())]
        assert announced and [claim_of(link) for link in found.select("a")] == announced
    assert set(works) == {key for row in ROWS for key in row.get("announced", ())}
