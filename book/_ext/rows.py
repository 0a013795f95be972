"""Read `book/claims.yml` and the bibliography: the rows, and how one names a paper."""

from functools import lru_cache
from pathlib import Path

import yaml
from pybtex.database import parse_file

VERDICTS = ("proved", "checked", "refuted", "not reproduced", "cited", "extended", "not treated")
PARTS = ("printed", "correct", "counterexample", "consequence")  # what an erratum says
OWN = "hdp"  # the tag of what the book claims by itself


@lru_cache(maxsize=1)
def _claims(path, _changed):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def load(source):
    """All that the claims file in the folder `source` says: its papers and its rows."""
    path = Path(source) / "book" / "claims.yml"
    return _claims(path, path.stat().st_mtime_ns)  # every page asks, and reading takes most of a second


@lru_cache(maxsize=1)
def _bibliography(path, _changed):
    return parse_file(path).entries


def paper_entry(paper, source):
    """The entry of a paper, named by its tag, in the bibliography."""
    path = Path(source) / "book" / "references.bib"
    return _bibliography(path, path.stat().st_mtime_ns)[load(source)["papers"][paper]]


def authors(paper, source, last="&"):
    """Who wrote a paper, as one says it: the last names."""
    if paper == OWN:
        return "The companion"
    *others, final = (" ".join(person.last_names) for person in paper_entry(paper, source).persons["author"])
    return f"{', '.join(others)} {last} {final}" if others else final


def conference_number(row):
    """The numbers that a claim has in the conference version, as words, or nothing."""
    numbers = row.get("conference", "")
    return numbers if isinstance(numbers, str) else ", ".join(numbers)
