"""The errata: complete and ordered, every number of a counterexample computed again, and the built page."""

import re

import pytest
from hdpbook.rows import PARTS, UNREPRODUCED, WRONG

from tests.book.errata import heterogeneous_budgets, hybrid_trust, threshold, user_level
from tests.files import CLAIMS, built_text

ERRATA = "book/synthesis/errata"
PAPERS = CLAIMS["papers"]
SAID = [row for row in CLAIMS["claims"] if "printed" in row]
ROWS = [row for row in SAID if "erratum" not in row]  # one for each slip
PLACES = [row for row in CLAIMS["claims"] if "erratum" in row]  # where else it shows
SEVERITIES = ("result", "constant", "step", "text")
NUMBERS = {  # the functions belong to the rows that their names are made from
    name.replace("_", "-"): found
    for module in (heterogeneous_budgets, threshold, hybrid_trust, user_level)
    for name, found in vars(module).items()
    if name.startswith(("cc_", "cz_", "adk_", "cfmt_", "hdp_shrinkage"))
}
# Digits that name something: a figure, a theorem, an equation, an index, an exponent two.
NAMES = re.compile(
    r"\b(?:Algorithm|Definition|Figure|Lemma|Section|Table|Theorem|line) [\d.]*\d[a-f]?(?:\([AB]\))?"
    r"|\(\d\d?\)|_\d|\^2"
)


def found(typed):
    """A pattern that finds what is typed where its numbers are whole."""
    left = r"(?<![\d.])" if typed[0].isdigit() else ""
    right = r"(?!\d|\.\d|/\d)" if typed[-1].isdigit() else ""
    return re.compile(left + re.escape(typed) + right)


def test_every_error_has_its_numbers():
    """And nothing else has that is as printed."""
    errors = {row["id"] for row in SAID if row["verdict"] in (WRONG, UNREPRODUCED)}
    assert errors <= set(NUMBERS) <= {row["id"] for row in SAID}


@pytest.mark.settles(
    "cc-public-benefit", "cc-fourth-condition", "cc-combination", "cc-fme-order", "cfmt-estimand", "cfmt-footnote-2",
    "cfmt-line-5", "cfmt-constant-factor", "cfmt-second-result", "cfmt-minimax-formula", "cfmt-theorem-5-1-printed",
    "cz-affine-optimal", "adk-gaussian-mechanism", "adk-appendix-b-step", "adk-figure-1-text", "adk-figure-2-text",
    "adk-section-5-conditions", "adk-figure-8-text", "adk-section-6-pwh", "adk-kmeans-line-2", "adk-kmeans-line-7",
    "adk-kmeans-on-par", "adk-figure-7",
)  # fmt: skip
@pytest.mark.parametrize("row", [row for row in SAID if row["id"] in NUMBERS], ids=lambda row: row["id"])
def test_numbers_are_computed_again(row):
    """What is computed stands in the text, and the counterexample types no other number."""
    texts = {part: row[part] for part in PARTS if part in row}
    rest = texts["counterexample"] = NAMES.sub("", row.get("counterexample", ""))
    for typed in sorted(NUMBERS[row["id"]](), key=len, reverse=True):
        cleaned = NAMES.sub("", typed) or typed
        assert any(found(cleaned).search(text) for text in texts.values()), (typed, texts)
        rest = found(cleaned).sub("", rest)
    assert not re.search(r"\d", rest), rest


def test_errors_are_ranked_by_severity():
    """The most consequential first, each under its own anchor."""
    errors = sorted((row for row in ROWS if row["verdict"] == WRONG), key=lambda row: row["rank"])
    places = [SEVERITIES.index(row["severity"]) for row in errors]
    assert places == sorted(places) and len({row["rank"] for row in errors}) == len(errors)
    shown = re.findall(r'<section id="(erratum-[^"]+)"', built_text(ERRATA))
    assert shown[: len(errors)] == [f"erratum-{row['id']}" for row in errors]


def test_every_row_that_differs_stands_among_the_errata():
    """With all that is said of it."""
    page = built_text(ERRATA)
    assert all(f'id="erratum-{row["id"]}"' in page for row in SAID)
    for part, title in PARTS.items():
        assert page.count(f"<dt>{title}") == sum(part in row for row in SAID), part


def chapter_links(row):
    """Whether the claim in its chapter links to its entry, or its place in one."""
    return f'href="../synthesis/errata.html#erratum-{row["id"]}"' in built_text(f"book/{row['page']}")


def links_to_chapter(text, row):
    """Whether a part of the page of errata links to the claim in its chapter."""
    return re.search(rf'href="\.\./{row["page"]}\.html#(?:equation-)?{row["id"]}"', text)


@pytest.mark.parametrize("row", PLACES, ids=lambda row: row["id"])
def test_a_place_stands_in_the_entry_of_its_slip(row):
    """With a link to the chapter, which links back where it is judged."""
    entry = built_text(ERRATA).split(f'id="erratum-{row["erratum"]}"')[1].split("<section")[0]
    assert links_to_chapter(entry.split(f'id="erratum-{row["id"]}"')[1].split("</li>")[0], row)
    assert chapter_links(row) == ("printed" in row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_chapter_links_back(row):
    """The verdict in the box of the chapter leads to the entry, and the entry to the chapter."""
    entry = built_text(ERRATA).split(f'id="erratum-{row["id"]}"')[1].split("<dl")[0]
    assert links_to_chapter(entry, row) and chapter_links(row)
