"""The errata: complete, every number of a counterexample computed again, and the built page."""

import re

import pytest
from hdpbook.rows import PARTS, UNREPRODUCED, WRONG, falling

from tests.book.errata import heterogeneous_budgets, hybrid_trust, user_level
from tests.files import CLAIMS, built_page, built_text

ERRATA = "book/synthesis/errata"
ROWS = CLAIMS["claims"]
SAID = [row for row in ROWS if "printed" in row]
NUMBERS = {  # the functions belong to the rows that their names are made from
    name.replace("_", "-"): found
    for module in (heterogeneous_budgets, hybrid_trust, user_level)
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
    assert {row["id"] for row in SAID if row["verdict"] in (WRONG, UNREPRODUCED)} <= set(NUMBERS)
    texts = {part: row[part] for part in PARTS if part in row}
    rest = texts["counterexample"] = NAMES.sub("", row.get("counterexample", ""))
    for typed in sorted(NUMBERS[row["id"]](), key=len, reverse=True):
        cleaned = NAMES.sub("", typed) or typed
        assert any(found(cleaned).search(text) for text in texts.values()), (typed, texts)
        rest = found(cleaned).sub("", rest)
    assert not re.search(r"\d", rest), rest


def falls(element):
    """What an element says to fall, and all the claims that it names there."""
    text = next(term for term in element.select("dt") if term.text == "Falls with it").find_next_sibling("dd")
    named = [link["href"].partition("#")[2].removeprefix("equation-") for link in text.select("a")]
    return text.text.strip().startswith("Nothing."), named


@pytest.mark.parametrize("row", [row for row in ROWS if {"printed", "erratum"} & set(row)], ids=lambda row: row["id"])
def test_what_differs_stands_among_the_errata(row):
    """With all that is said of it and what falls with it; entry and chapter lead to each other."""
    entry = built_page(ERRATA).find(id=f"erratum-{row['id']}")
    ends = [f"../{row['page']}.html#{prefix}{row['id']}" for prefix in ("", "equation-")]
    assert any(link["href"] in ends for link in entry.select("a"))
    back = f'href="../synthesis/errata.html#erratum-{row["id"]}"'
    assert (back in built_text(f"book/{row['page']}")) == (row in SAID)
    assert {PARTS[part] for part in PARTS if part in row and row in SAID} <= {term.text for term in entry.select("dt")}
    if row["verdict"] == WRONG and row in SAID:
        fallen, mended = falling(ROWS, row["id"])
        box = built_page(f"book/{row['page']}").find("div", id=row["id"], class_="proof")
        assert all(falls(place) == (not fallen, [*fallen, *mended]) for place in (entry, box) if place)
