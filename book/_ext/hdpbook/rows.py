"""Read `book/claims` with the edits of `tests/breaks`, and the bibliography: the rows, and how one names a paper."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import yaml
from pybtex.database import parse_file

VERDICTS = ("proved", "checked", "refuted", "not reproduced", "cited", "extended", "not treated")
PARTS = ("printed", "correct", "counterexample", "consequence")  # what an erratum says
OWN = "hdp"  # the tag of what the book claims by itself
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C it takes a tenth of the time


def kept(function):
    """Have files that every page asks for read again only once one of them has changed."""
    remembered = lru_cache(maxsize=1)(lambda paths, _changed: function(*paths))
    return lambda *paths: remembered(paths, tuple(path.stat().st_mtime_ns for path in paths))


def read(path):
    """What a YAML file says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)


def files(source):
    """What says the rows of a project in the folder `source`, and the edits that must break their tests."""
    folders = Path(source, "book/claims").glob("*.yml"), Path(source, "tests/breaks").glob("*/*.yml")
    return tuple(path for folder in folders for path in sorted(folder))


@kept
def _ledger(*paths):
    found = {path: read(path) for path in paths}
    rows = {path.stem: said for path, said in found.items() if path.parent.name == "claims"}
    breaks = {row: edits for path, said in found.items() if path.parent.name != "claims" for row, edits in said.items()}
    papers = rows.pop("papers")
    own = [{"paper": tag, **row} for tag in (*papers, OWN) for row in rows.get(tag, ())]
    broken = {row["id"]: {"breaks": breaks[row["id"]]} for row in own if row["id"] in breaks}
    return {"papers": papers, "claims": [row | broken.get(row["id"], {}) for row in own]}


_papers = kept(read)
_bibliography = kept(lambda path: parse_file(path).entries)


def load(source):
    """The papers by their tags, and the rows in the order of the papers, each with its edits."""
    return _ledger(*files(source))


def tests_of(row):
    """The tests that a row names: one or several."""
    named = row.get("test", [])
    return (named,) if isinstance(named, str) else tuple(named)


def calls_of(row):
    """The public names of the library, below `hdp`, that compute what a row says."""
    named = row.get("call", [])
    return (named,) if isinstance(named, str) else tuple(named)


def edit_key(row, edit, tests):
    """The name in the record of an edit whose tests these are."""
    facts = [row, edit["file"], edit["from"], edit["to"], list(tests)]
    return f"{row} {hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]}"


def entry_of(key, source):
    """The entry in the bibliography that has this key."""
    return _bibliography(Path(source, "book/references.bib"))[key]


def paper_entry(paper, source):
    """The entry of a paper, named by its tag, in the bibliography."""
    return entry_of(_papers(Path(source, "book/claims/papers.yml"))[paper], source)


def names(entry, last="&"):
    """Who wrote it, as one says it: the last names."""
    *others, final = (" ".join(person.last_names) for person in entry.persons["author"])
    return f"{', '.join(others)} {last} {final}" if others else final


def authors(paper, source, last="&"):
    """Who wrote a paper, named by its tag."""
    return "The companion" if paper == OWN else names(paper_entry(paper, source), last)


def short_authors(paper, source):
    """Who wrote a paper, named by its tag, in a list where each line counts."""
    if paper == OWN:
        return "this book"
    first, *others = (" ".join(person.last_names) for person in paper_entry(paper, source).persons["author"])
    return authors(paper, source) if len(others) < 2 else f"{first} et al."


def called(row, source):
    """The name of a claim: its number, after the authors where these are others."""
    return row["number"] if row["paper"] == OWN else f"{authors(row['paper'], source)}, {row['number']}"


def announcement(row, source):
    """The grade of a result of our own derivation that others announced before, as words, or nothing."""
    entries = [entry_of(key, source) for key in row.get("announced", ())]
    said = "; ".join(f"{names(entry)} ({entry.fields['year']})" for entry in entries)
    return f"independently derived; announced in {said}" if said else ""


def conference_number(row):
    """The numbers that a claim has in the conference version, as words, or nothing."""
    numbers = row.get("conference", "")
    return numbers if isinstance(numbers, str) else ", ".join(numbers)
