"""Citations: what the pages offer parses, says where to look and is unique; the repository's own agree."""

import json
import re
import tomllib
from collections import Counter
from html import unescape

from hdpbook import cite
from pybtex.database import parse_file, parse_string

from tests.files import CLAIMS, PAGES, ROOT, built_text, read, read_yaml

CFF = read_yaml("CITATION.cff")
FOLD = re.compile(r'<details class="cite"><summary>([^<]+)</summary>.*?<pre>(.*?)</pre>', re.DOTALL)
ENTRIES = parse_file(ROOT / "book/references.bib").entries


def test_every_entry_parses_and_leads_to_its_place(site):
    """Author, title, year and version as in CITATION.cff; keys are unique; a file of the site has all of them."""
    keys, repeated = Counter(), {}
    for name in PAGES:
        glance, found = name.endswith("/at-a-glance"), FOLD.findall(built_text(name))
        wanted = "Cite this book" if name == PAGES[0] else "Cite this page"
        assert [title for title, _ in found if title != "Cite"] == [wanted]
        for title, text in found:
            (entry,) = parse_string(unescape(text), "bibtex").entries.values()
            assert [str(entry.persons["author"][0])] == [f"{{{author['name']}}}" for author in CFF["authors"]]
            assert entry.fields["title"].strip("{}").endswith(CFF["title"])
            released = str(CFF["date-released"].year), CFF["version"]
            assert (entry.fields["year"], entry.fields["version"]) == released
            where = entry.fields.get("url") or entry.fields["howpublished"].replace("\\", "")
            if glance and title == "Cite":
                repeated[entry.key] = where
            else:
                assert title == "Cite this book" or f"{name}.html" in where
                keys[entry.key.lower()] += 1
    assert max(keys.values()) == 1 and len(keys) > 4 * len(PAGES) and len(repeated) > 150
    assert all(key.lower() in keys or "claims.html" in where for key, where in repeated.items())
    treated = {row["id"] for row in CLAIMS["claims"] if row["verdict"] != "not treated"}
    book = f"hdp{CFF['date-released'].year}"
    assert set(parse_file(site / "_static" / cite.FILE).entries) == (
        {book, *CLAIMS["papers"].values()} | {f"{book}-{id}" for id in treated}
    )


def test_the_repository_is_cited_as_the_project_says():
    """For people and for Zenodo, which names the papers by their identifiers in the bibliography."""
    project, zenodo = tomllib.loads(read("pyproject.toml"))["project"], json.loads(read(".zenodo.json"))
    assert [author["name"] for author in CFF["authors"]] == [author["name"] for author in project["authors"]]
    assert CFF["version"] == project["version"] and project["license"] in CFF["license"]
    assert all(zenodo[key] == CFF[key] for key in ("title", "version", "keywords"))
    assert (zenodo["creators"], zenodo["license"]) == (CFF["authors"], project["license"])
    papers = [ENTRIES[key].fields for key in CLAIMS["papers"].values()]
    identifiers = [fields.get("doi") or f"arXiv:{fields['eprint']}" for fields in papers]
    assert [related["identifier"] for related in zenodo["related_identifiers"]] == identifiers


def test_every_entry_of_the_bibliography_leads_somewhere():
    """A DOI, an address or a preprint, as a link on the page for those that are cited."""
    for key, entry in ENTRIES.items():
        assert {"doi", "url", "eprint"} & set(entry.fields), key
        assert re.fullmatch(r"10\.\d{4,}/\S+", entry.fields.get("doi", "10.1000/none")), key
    cited = re.split(r'<div class="citation"', built_text("book/reference/bibliography"))[1:]
    assert len(cited) >= 12 and all("https://" in entry for entry in cited)
