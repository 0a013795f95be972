"""Files of the repository and of the built book that many tests read, each parsed once."""

import shutil
from functools import cache
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from hdpbook.rows import load

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
SECTIONS = {  # of every chapter
    chapter["file"]: [section["file"] for section in chapter.get("sections", ())]
    for part in _TOC["parts"]
    for chapter in part["chapters"]
}
PAGES = [_TOC["root"], *(page for chapter, sections in SECTIONS.items() for page in (chapter, *sections))]
CLAIMS = load(ROOT)  # the papers by their tags, and the rows; shared, so not to be changed


@cache
def built_text(name):
    """The text of a page of the built book."""
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


@cache
def built_page(name):
    """A page of the built book, as a tree; it is shared, so not to be changed."""
    return BeautifulSoup(built_text(name), "html.parser")


def write_claims(root, papers, rows):
    """Write a small book's papers and rows, and none else."""
    folder, said = Path(root, "book/claims"), {"papers": papers}
    shutil.rmtree(folder, ignore_errors=True)
    for row in rows:
        said.setdefault(row["paper"], []).append({key: row[key] for key in row if key != "paper"})
    texts = {folder / f"{name}.yml": found for name, found in said.items()}
    for path, found in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(found), encoding="utf-8")
