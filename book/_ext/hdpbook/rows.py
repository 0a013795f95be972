"""Read `book/claims` and the bibliography: the rows, each with the page where its label stands, and a paper's name."""

import re
from functools import lru_cache
from pathlib import Path

import yaml
from pybtex.database import parse_file

WRONG, READING, SLIP, LOST = "wrong as printed", "depends on the reading", "slip", "lost in our copy"
UNREPRODUCED = "not reproduced"
DIFFER = (WRONG, READING, SLIP, LOST, UNREPRODUCED)  # their rows say what is printed
VERDICTS = ("proved", "beyond the paper", "checked", "cited", *DIFFER, "not treated")
PARTS = {  # what is said of such a row, and as what
    "printed": "Printed",
    "meant": "Meant",
    "holds": "Holds, if read so",
    "otherwise": "Does not hold, if read so",
    "correct": "Correct",
    "counterexample": "Counterexample",
    "consequence": "What it changes",
}
LABEL = re.compile(r"^(?:\(([\w-]+)\)=|:label: ([\w-]+))$", re.M)
ALONE = re.compile(  # a number that is nothing but numbered items
    r"(Algorithm|Claim|Corollary|Definition|Equation|Example|Figure|Lemma|Proposition|Remark|Table|Theorem)s?"
    r" ([\w.()-]+)(?: (and|to) ([\w.()-]+))?"
)
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
    """What says the rows of a project in the folder `source`."""
    return tuple(sorted(Path(source, "book/claims").glob("*.yml")))


@kept
def _places(*pages):
    """The page of every label, as `part/page`."""
    return {
        label: "/".join(page.with_suffix("").parts[-2:])
        for page in pages
        for found in LABEL.findall(page.read_text(encoding="utf-8"))
        for label in filter(None, found)
    }


@kept
def _ledger(*paths):
    rows = {path.stem: read(path) for path in paths}
    papers = rows.pop("papers")
    return papers, [{"paper": tag, **row} for tag in (*papers, OWN) for row in rows.get(tag, ())]


_papers = kept(read)
_bibliography = kept(lambda path: parse_file(path).entries)


def covered(row):
    """The numbered items of a paper that a row is about, where its number says no more: Equations (5) and (6)."""
    found = ALONE.fullmatch(row["number"])
    if row["paper"] == OWN or not found:
        return {}
    kind, first, joined, last = found.groups()
    named = [part.strip("()") if kind == "Equation" else part for part in (first, last) if part]
    every = map(str, range(int(named[0]), int(named[1]) + 1)) if joined == "to" else named
    return {"covers": [f"{kind} {name}" for name in every]}


def load(source):
    """The papers by their tags, and the rows in the order of the papers, each with its page and what it covers."""
    papers, rows = _ledger(*files(source))
    places = _places(*sorted(Path(source, "book").glob("[!_]*/*.md")))
    return {"papers": papers, "claims": [{"page": places.get(row["id"]), **covered(row), **row} for row in rows]}


def calls_of(row):
    """The public names of the library, below `hdp`, that compute what a row says."""
    named = row.get("call", [])
    return (named,) if isinstance(named, str) else tuple(named)


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
