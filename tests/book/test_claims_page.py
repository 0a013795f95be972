"""The page of claims: its counts and rows in the built book; every kind of row, and addresses, in a small book."""

import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from bs4 import BeautifulSoup
from pybtex.database import parse_string

from tests.files import CLAIMS, ROOT, built_page, read_yaml, write_claims

LINES = "table.claims tr.claim"  # the rows of all tables of claims
YEAR = read_yaml("CITATION.cff")["date-released"].year


@pytest.fixture(scope="module")
def built():
    """Return the built page of claims."""
    return built_page("book/synthesis/claims")


def numbers(page):
    """Return the table of counts: {(paper, verdict): number}, "all" included."""
    head, *lines = page.select("table.claims-counts tr")
    verdicts = [cell.text.strip() for cell in head.select("th")][1:]
    tags = [*CLAIMS["papers"], "hdp", "all"]
    cells = [[cell.text.strip() for cell in line.select("td")][1:] for line in lines]
    return {
        (tag, verdict): int(cell.replace("–", "0"))
        for tag, line in zip(tags, cells, strict=True)
        for verdict, cell in zip(verdicts, line, strict=True)
    }


def test_counts_are_those_of_the_file(built):
    count = Counter()
    for row in CLAIMS["claims"]:
        for tag in (row["paper"], "all"):
            count.update([(tag, row["verdict"]), (tag, "all")])
    shown = numbers(built)
    assert {key: number for key, number in shown.items() if number} == dict(count)


def test_every_row_has_an_anchor_and_its_paper(built):
    """Here are those of the book itself."""
    own = [row for row in CLAIMS["claims"] if row["paper"] == "hdp"]
    for line, row in zip(built.select(LINES), own, strict=True):
        assert line["id"] == f"row-{row['id']}" and "of-hdp" in line["class"]


# -- a small book ---------------------------------------------------------------------------------------------

CONF = """\
import sys
sys.path.insert(0, {extensions!r})
extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx_proof", "hdpbook.folds", "hdpbook.claims",
              "hdpbook.site", "hdpbook.claims_page", "hdpbook.cite"]
myst_enable_extensions = ["dollarmath"]
root_doc = "book/index"
"""
INDEX = "# Start\n\n```{toctree}\npage\nsynthesis/claims\n```\n"
PAGE = """\
# 50% of $x_i$ & more #1

```{prf:theorem} A title
:label: cc-one
It holds that $x = x$.
```

```{prf:lemma} Of our own
:label: hdp-two
It holds.
```

````{prf:lemma} As printed
:label: cc-five

```{strip} cc-five
```
````

```{prf:lemma} No claim
:label: another
It holds.
```
"""
CLAIMS_PAGE = (
    "# Claims\n\n```{claims-counts}\n```\n\n```{claims-filter}\n```\n\n"
    + "".join(f"(claims-{tag})=\n## Of {tag}\n\n```{{claims-table}} {tag}\n```\n\n" for tag in ("cc", "hdp"))
    + "(claims)=\n## Versions\n\n```{claims-versions}\n```\n\n## Not treated\n\n```{claims-untreated}\n```\n"
)
ROW = {"paper": "cc", "statement": "It is $x$.", "verdict": "proved", "page": "page"}
SMALL = [
    {**ROW, "id": "cc-one", "number": "Theorem 1", "conference": ["Theorem 2"]}
    | {"differs": "There $x$ is *two*."}
    | {"uses": ["another-one"], "uses_corrected": ["cc-five"]},
    {**ROW, "id": "another-one", "number": "Lemma 9", "conference": ["Lemma 8", "Lemma 9"]},
    {**ROW, "id": "cc-three", "number": "Remark 7 (conference version)", "conference": ["Remark 7"]},
    {**ROW, "id": "cc-four", "number": "Figure 3", "verdict": "not treated", "page": "synthesis/claims"}
    | {"reason": "It shows $y$."},
    {**ROW, "id": "cc-five", "number": "Lemma 2", "verdict": "wrong as printed", "severity": "step", "rank": 1}
    | {"printed": "It is $y$.", "correct": "It is $z$.", "counterexample": "One *case*.", "consequence": "None."},
    {**ROW, "id": "hdp-two", "paper": "hdp", "number": "Ours & theirs", "verdict": "cited", "uses": ["cc-five"]},
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a function that builds a small book at an address, and returns exit code, output and folder."""
    root = tmp_path_factory.mktemp("small")
    (root / "book" / "synthesis").mkdir(parents=True)
    (root / "conf.py").write_text(CONF.format(extensions=str(ROOT / "book" / "_ext")))
    (root / "book" / "index.md").write_text(INDEX)
    (root / "book" / "page.md").write_text(PAGE)
    (root / "book" / "synthesis" / "claims.md").write_text(CLAIMS_PAGE)
    write_claims(root, {"cc": CLAIMS["papers"]["cc"]}, SMALL)
    shutil.copy(ROOT / "book" / "references.bib", root / "book")
    shutil.copy(ROOT / "CITATION.cff", root)

    def build(address, builder="html"):
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", builder, ".", "out"]
        environment = {**os.environ, "HDP_BASEURL": address}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, root / "out"

    return build


@pytest.fixture(scope="module")
def plain(small):
    """Return the pages of the small book built without an address, by name."""
    return pages_in(small("")[2])


def pages_in(out):
    """Return the pages of a built small book, by name."""
    return {path.stem: BeautifulSoup(path.read_text(), "html.parser") for path in (out / "book").rglob("*.html")}


def entries(page):
    """Return the entries that a page offers, by key."""
    folds = page.select("details.cite pre")
    return {key: entry for fold in folds for key, entry in parse_string(fold.text, "bibtex").entries.items()}


def test_an_address_is_stated_where_it_is_known(small):
    """Built again, unchanged but for the address: with it, with a slash at its end, without it."""
    for address in ("https://example.org/it", "https://example.org/it/", ""):
        code, output, out = small(address)
        assert code == 0, output
        pages = pages_in(out)
        cited = entries(pages["index"]) | entries(pages["page"])
        places = {f"hdp{YEAR}-{label}": f"book/page.html#{label}" for label in ("cc-one", "cc-five", "hdp-two")}
        assert set(cited) == {*places, f"hdp{YEAR}", f"hdp{YEAR}-page"}
        for key, place in {**places, f"hdp{YEAR}": "", f"hdp{YEAR}-page": "book/page.html"}.items():
            fields = cited[key].fields
            if address:
                assert fields["url"] == f"https://example.org/it/{place}"
                assert ".html" not in fields["howpublished"]
            else:
                assert "url" not in fields
                assert fields["howpublished"].endswith(place.replace("#", r"\#") or fields["version"])


@pytest.mark.parametrize("address", ["example.org", "https://example.org/a b"])
def test_what_is_no_address_is_refused(small, address):
    code, output, _ = small(address)
    assert code != 0
    assert "HDP_BASEURL" in output and repr(address) in output


def test_text_becomes_tex(plain):
    """What has a meaning in TeX is escaped, formulas are kept, and both versions' numbers are named."""
    cited = entries(plain["page"])
    page, one, two = (cited[f"hdp{YEAR}-{key}"] for key in ("page", "cc-one", "hdp-two"))
    assert page.fields["title"].startswith(r"{50\% of $x_i$ \& more \#1, in: ")
    assert one.fields["title"].startswith("{Theorem 1 of Chaudhuri and Courtade, in: ")
    assert "Theorem 2 of the conference version; verdict on it: proved" in one.fields["note"]
    assert two.fields["title"].startswith(r"{Ours \& theirs, in: ")


def test_every_kind_of_row_is_shown(plain):
    page = plain["claims"]
    assert [line["id"] for line in page.select(LINES)] == [f"row-{row['id']}" for row in SMALL]
    assert "(conference: Lemma 8, Lemma 9)" in page.find(id="row-another-one").text
    versions = [[cell.text.strip() for cell in line.select("td")] for line in page.select("table.versions tbody tr")]
    assert versions == [
        ["Theorem 1", "Theorem 2", r"There \(x\) is two."],
        ["Lemma 9", "Lemma 8, Lemma 9", "The same."],
        ["–", "Remark 7 (conference version)", "The same."],
        ["Lemma 2", "–", "Only in the full version."],
    ]
    untreated = page.find("dt", id="cc-four")
    assert untreated.text.startswith("Chaudhuri & Courtade, Figure 3")
    assert r"It shows \(y\)." in untreated.find_next("dd").text
    link = page.find(id="row-cc-four").find("a")
    assert link["href"].endswith("#cc-four") and page.find(id="row-cc-four").find(class_="verdict-not-treated")
    box = plain["page"].find(id="cc-one")
    assert "(conference: Theorem 2)" in box.find(class_="claim-line").text


def test_a_refuted_claim_is_a_strip(plain):
    """What is printed stands beside the verdict on it, and only there; last comes what falls with it."""
    box = plain["page"].find(id="cc-five")
    strip = [(term.text.strip(), text.text.strip()) for term, text in zip(*map(box.select, ("dt", "dd")), strict=True)]
    printed, correct = ("Printed wrong as printed", r"It is \(y\)."), ("Correct", r"It is \(z\).")
    falls = ("Falls with it", "Ours & theirs. The correct statement is used by Theorem 1.")
    assert strip == [printed, correct, ("Counterexample", "One case."), falls]
    assert [badge.text for badge in box.select(".verdict")] == ["wrong as printed"]


def test_a_box_shows_what_it_rests_on_and_what_uses_it(plain):
    """In a fold that needs no script; names have their authors where these are others."""
    boxes = {id: plain["page"].find(id=id) for id in ("cc-one", "cc-five", "another")}
    (one,), (five,) = (boxes[id].select("details.hdp-uses") for id in ("cc-one", "cc-five"))
    assert [part.text for part in one.select("summary, p")] == ["Rests on 2", "Rests on: Lemma 9, Lemma 2 (corrected)."]
    assert five.summary.text == "Used by 2" and five.p.text == "Used by: Theorem 1, Ours & theirs."
    assert [link["href"] for link in one.select("a")] == ["#another-one", "#cc-five"]
    assert not boxes["another"].select("details.hdp-uses")
