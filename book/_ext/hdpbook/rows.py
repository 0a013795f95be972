"""Read `book/claims` and the bibliography: the rows, their pages, what uses what, and how one says whose they are.

A row names in `uses` the claims on which its verdict rests, and in `uses_corrected` those whose printed statement is
wrong and whose correct one it uses.  What falls with a wrong claim is what uses it as printed, and what uses that.
"""

import re
from functools import cache
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
LISTS = ("uses", "uses_corrected")
LABEL = re.compile(r"^(?:\(|:label: )([\w-]+)(?:\)=)?$", re.M)
ALONE = re.compile(  # a number that is nothing but numbered items
    r"(Algorithm|Claim|Corollary|Definition|Equation|Example|Figure|Lemma|Proposition|Remark|Table|Theorem)s?"
    r" ([\w.()-]+)(?: (and|to) ([\w.()-]+))?"
)
OWN = "hdp"  # the tag of what the book claims by itself
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C it takes a tenth of the time


def read(path):
    """What a YAML file says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)


def files(source):
    """What says the rows of a project in the folder `source`."""
    return sorted(Path(source, "book/claims").glob("*.yml"))


def covered(row):
    """The numbered items of a paper that a row is about, where its number says no more: Equations (5) and (6)."""
    found = ALONE.fullmatch(row["number"])
    if row["paper"] == OWN or not found:
        return {}
    kind, first, joined, last = found.groups()
    named = [part.strip("()") if kind == "Equation" else part for part in (first, last) if part]
    every = map(str, range(int(named[0]), int(named[1]) + 1)) if joined == "to" else named
    return {"covers": [f"{kind} {name}" for name in every]}


@cache
def load(source):
    """The papers by their tags, and the rows in the order of the papers, each with its page and what it covers."""
    said = {path.stem: read(path) for path in files(source)}
    papers, pages = said.pop("papers"), sorted(Path(source, "book").glob("[!_]*/*.md"))
    labels = {page: LABEL.findall(page.read_text(encoding="utf-8")) for page in pages}
    places = {label: f"{page.parent.name}/{page.stem}" for page in pages for label in labels[page]}
    rows = [{"paper": tag, **row} for tag in (*papers, OWN) for row in said.get(tag, ())]
    return {"papers": papers, "claims": [{"page": places.get(row["id"]), **covered(row), **row} for row in rows]}


def calls_of(row):
    """The public names of the library, below `hdp`, that compute what a row says."""
    named = row.get("call", [])
    return (named,) if isinstance(named, str) else tuple(named)


# -- what rests on what ---------------------------------------------------------------------------------------


def used(row):
    """The ids of the claims that a row uses, as printed or corrected."""
    return [id for name in LISTS for id in row.get(name, ())]


def users(rows, names=LISTS):
    """The ids of the claims that use a claim, by its id."""
    found = {row["id"]: [] for row in rows}
    for row in rows:
        for id in (id for name in names for id in row.get(name, ())):
            found[id].append(row["id"])
    return found


def reached(graph, start):
    """All that one comes to from `start`, which is not among it, in the order in which one comes to it."""
    found, ahead = {}, list(graph[start])
    while ahead:
        id = ahead.pop(0)
        if id not in found:
            found[id] = None
            ahead += graph[id]
    return list(found)


def falling(rows, id):
    """The ids of what falls with a wrong claim, and of what uses its correct statement."""
    return reached(users(rows, LISTS[:1]), id), users(rows, LISTS[1:])[id]


# -- whose they are -------------------------------------------------------------------------------------------


@cache
def bibliography(source):
    """The entries of the bibliography, by their keys."""
    return parse_file(Path(source, "book/references.bib")).entries


def paper_entry(paper, source):
    """The entry of a paper, named by its tag, in the bibliography."""
    return bibliography(source)[load(source)["papers"][paper]]


def names(entry, last="&"):
    """Who wrote it, as one says it: the last names."""
    *others, final = (" ".join(person.last_names) for person in entry.persons["author"])
    return f"{', '.join(others)} {last} {final}" if others else final


def authors(paper, source, last="&"):
    """Who wrote a paper, named by its tag."""
    return "The companion" if paper == OWN else names(paper_entry(paper, source), last)


def called(row, source, beside=None):
    """The name of a claim: its number, after the authors where these are others than those of the claim beside it."""
    if row["paper"] in (OWN, beside and beside["paper"]):
        return row["number"]
    return f"{authors(row['paper'], source)}, {row['number']}"


def announcement(row, source):
    """The grade of a result of our own derivation that others announced before, as words, or nothing."""
    entries = [bibliography(source)[key] for key in row.get("announced", ())]
    said = "; ".join(f"{names(entry)} ({entry.fields['year']})" for entry in entries)
    return f"independently derived; announced in {said}" if said else ""


def conference_number(row):
    """The numbers that a claim has in the conference version, as words, or nothing."""
    numbers = row.get("conference", "")
    return numbers if isinstance(numbers, str) else ", ".join(numbers)
