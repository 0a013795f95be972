"""Files of the repository and of the built book that many tests read, each parsed once."""

from functools import cache
from pathlib import Path

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
USERS = ROOT / "book/synthesis/users.csv"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C, where there is one, needs a tenth of the time


@cache
def read(path):
    """The text of a file of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def read_yaml(path):
    """What a YAML file of the repository says; it is shared, so not to be changed."""
    return yaml.load(read(path), Loader=LOADER)


_TOC = read_yaml("_toc.yml")
PAGES = [_TOC["root"], *(chapter["file"] for part in _TOC["parts"] for chapter in part["chapters"])]


@cache
def built_text(name):
    """The text of a page of the built book."""
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


@cache
def built_page(name):
    """A page of the built book, as a tree; it is shared, so not to be changed."""
    return BeautifulSoup(built_text(name), "html.parser")
