"""Read `book/claims.yml` and the bibliography: the rows, and how one names a paper."""

from functools import lru_cache
from pathlib import Path

import yaml
from pybtex.database import parse_file

VERDICTS = ("proved", "checked", "refuted", "not reproduced", "cited", "extended", "not treated")
PARTS = ("printed", "correct", "counterexample", "consequence")  # what an erratum says
OWN = "hdp"  # the tag of what the book claims by itself
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C it takes a tenth of the time


def kept(read):
    """Have a file that every page asks for read again only once it has changed."""
    remembered = lru_cache(maxsize=1)(lambda path, _changed: read(path))
    return lambda path: remembered(path, path.stat().st_mtime_ns)


_claims = kept(lambda path: yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER))
_bibliography = kept(lambda path: parse_file(path).entries)


def load(source):
    """All that the claims file in the folder `source` says: its papers and its rows."""
    return _claims(Path(source, "book/claims.yml"))


def entry_of(key, source):
    """The entry in the bibliography that has this key."""
    return _bibliography(Path(source, "book/references.bib"))[key]


def paper_entry(paper, source):
    """The entry of a paper, named by its tag, in the bibliography."""
    return entry_of(load(source)["papers"][paper], source)


def names(entry, last="&"):
    """Who wrote it, as one says it: the last names."""
    *others, final = (" ".join(person.last_names) for person in entry.persons["author"])
    return f"{', '.join(others)} {last} {final}" if others else final


def authors(paper, source, last="&"):
    """Who wrote a paper, named by its tag."""
    return "The companion" if paper == OWN else names(paper_entry(paper, source), last)


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
