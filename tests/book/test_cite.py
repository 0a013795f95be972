"""Citations: what the built pages offer parses, says where to look and is unique; the repository's own agree."""

import json
import re
import tomllib
from collections import Counter
from functools import cache
from html import unescape

import pytest
from bs4 import BeautifulSoup, SoupStrainer
from hdpbook.rows import DIFFER
from pybtex.database import parse_file, parse_string

from tests.files import CLAIMS, PAGES, ROOT, built_text, read, read_yaml

ROWS = {row["id"]: row for row in CLAIMS["claims"]}
PAPERS = {tag: parse_file(ROOT / "book" / "references.bib").entries[key] for tag, key in CLAIMS["papers"].items()}
CFF = read_yaml("CITATION.cff")
ZENODO = json.loads(read(".zenodo.json"))
PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
FOLD = re.compile(r'<details class="cite"><summary>([^<]+)</summary>.*?<pre>(.*?)</pre>', re.DOTALL)
GLANCES = [name for name in PAGES if name.endswith("/at-a-glance")]
EVERY_PAGE = pytest.mark.parametrize("name", PAGES)


@cache
def folds(name):
    """Return (title, entry) of every fold of a page; each holds exactly one entry that parses."""
    found = []
    for title, text in FOLD.findall(built_text(name)):
        (entry,) = parse_string(unescape(text), "bibtex").entries.values()
        found.append((title, entry))
    return found


@cache
def boxes(name):
    """Return the boxes of results on a page, by their labels."""
    proof = SoupStrainer("div", class_=re.compile(r"\bproof\b"))
    page = BeautifulSoup(built_text(name), "html.parser", parse_only=proof)
    return {box["id"]: box for box in page.select("div.proof[id]")}


@EVERY_PAGE
def test_every_entry_is_complete_and_every_page_is_cited_once(name):
    """Author, title, year, version as in CITATION.cff, and the place of what is cited: on the first page the book."""
    wanted = "Cite this book" if name == PAGES[0] else "Cite this page"
    assert [title for title, _ in folds(name) if title != "Cite"] == [wanted]
    for title, entry in folds(name):
        assert (str(entry.persons["author"][0]),) == tuple(f"{{{author['name']}}}" for author in CFF["authors"])
        assert entry.fields["title"].strip("{}").endswith(CFF["title"])
        assert entry.fields["year"] == str(CFF["date-released"].year)
        assert entry.fields["version"] == CFF["version"]
        where = entry.fields.get("url") or entry.fields["howpublished"].replace("\\", "")
        assert title == "Cite this book" or f"{name}.html" in where or (title == "Cite" and name in GLANCES)


def test_keys_are_unique_in_the_book():
    """So that one may copy all of them into one file."""
    keys = Counter(entry.key.lower() for name in PAGES if name not in GLANCES for _, entry in folds(name))
    assert max(keys.values()) == 1
    assert len(keys) > 4 * len(PAGES)


def test_the_pages_of_the_papers_have_the_same_entries():
    """As the places to which they lead."""
    entries = {entry.key: entry for name in PAGES if name not in GLANCES for _, entry in folds(name)}
    repeated = [entry for name in GLANCES for title, entry in folds(name) if title == "Cite"]
    places = {
        entry.key for entry in repeated if "claims.html" in entry.fields["howpublished"]
    }  # of what is not treated
    assert len(repeated) > 150 and len(places) == sum(row["verdict"] == "not treated" for row in ROWS.values())
    assert all(entry == entries[entry.key] for entry in repeated if entry.key not in places)


@EVERY_PAGE
def test_every_result_carries_its_claim(name):
    """Verdict, number in the paper, a link to itself and one to its row, and the entry that cites it.

    The verdict stands once: what is not as printed on the first line of the box, beside what is printed.
    """
    entries = {entry.key: entry for title, entry in folds(name) if title == "Cite"}
    found = {label: box for label, box in boxes(name).items() if label in ROWS}
    for label, box in found.items():
        row = ROWS[label]
        line = box.select_one(":scope > .claim-place > p.claim-line")
        own = (mark for mark in box.select(".verdict") if mark.find_parent(class_="claim-place") in (None, line.parent))
        (verdict,) = own  # that of an equation in the box stands with the equation
        assert verdict.text == row["verdict"]
        place = box.select_one("dl.strip > dt") if row["verdict"] in DIFFER else line
        assert verdict in place.select(".verdict")
        *_, number, permalink = line.select("a")
        assert number.text.endswith(f", {row['number']}")
        assert number["href"].endswith(f"#row-{label}")
        assert permalink["href"] == f"#{label}" and row["number"] in permalink["aria-label"]
        entry = entries[f"hdp{CFF['date-released'].year}-{label}"]
        assert row["number"].replace("&", r"\&") in entry.fields["title"]
        graded = [row["verdict"], "independently derived; announced in"][: 1 + ("announced" in row)]
        assert re.search(f": {', '.join(graded)}" + ("" if "announced" in row else "$"), entry.fields["note"])
        assert ("announced in" in line.text) == ("announced" in row)
        if row["paper"] != "hdp":
            paper = PAPERS[row["paper"]]
            said = [paper.key, paper.fields["year"], *(person.last_names[0] for person in paper.persons["author"])]
            assert all(word in entry.fields["note"] for word in said), "the paper is cited too"


def test_the_book_has_results_of_all_papers():
    """The tests above have something to look at."""
    labels = [label for name in PAGES for label in boxes(name)]
    assert len(labels) > 100
    assert {ROWS[label]["paper"] for label in labels} == {*PAPERS, "hdp"}


def test_citation_cff_says_what_the_project_says():
    """That it is in its format is tested in test_publication.py, by a schema."""
    assert CFF["type"] == "software"
    assert [author["name"] for author in CFF["authors"]] == [author["name"] for author in PROJECT["authors"]]
    assert CFF["version"] == PROJECT["version"]
    assert PROJECT["license"] in CFF["license"]
    assert CFF["keywords"]


def test_zenodo_says_the_same():
    """Its own names for the same things, and the papers by their identifiers in the bibliography."""
    assert all(ZENODO[key] == CFF[key] for key in ("title", "version", "keywords"))
    assert ZENODO["upload_type"] == CFF["type"]
    assert ZENODO["creators"] == CFF["authors"]
    assert ZENODO["license"] == PROJECT["license"]
    assert all(licence in ZENODO["notes"] for licence in CFF["license"])
    assert ZENODO["description"].startswith("<p>")
    papers = [entry.fields.get("doi") or f"arXiv:{entry.fields['eprint']}" for entry in PAPERS.values()]
    assert [related["identifier"] for related in ZENODO["related_identifiers"]] == papers
