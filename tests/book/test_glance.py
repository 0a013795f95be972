"""A paper at a glance: everything that it numbers and that the book judges, once, in its order, with its place."""

from collections import Counter
from importlib import import_module

import pytest
from hdpbook.glance import entries
from hdpbook.rows import calls_of

from tests.book.test_claims import GLANCES, INVENTORY, ROWS, claim_of, items, labels
from tests.files import CLAIMS, ROOT, built_page

EVERY_PAPER = pytest.mark.parametrize("tag", CLAIMS["papers"])


def glance(tag):
    """The built page of a paper."""
    return built_page(f"book/{GLANCES[tag]}")


def own(tag):
    """The rows of a paper."""
    return [row for row in ROWS if row["paper"] == tag]


@EVERY_PAPER
def test_the_outline_has_everything_once(tag):
    """What the paper numbers by its name, and what it says besides by the row's id."""
    found = [item for section in INVENTORY[tag]["outline"].values() for item in section]
    assert Counter(found) == Counter([*items(tag), *(row["id"] for row in own(tag) if "covers" not in row)])


@EVERY_PAPER
def test_the_page_has_every_row_with_its_verdict_and_its_place(tag):
    """The link opens at the claim; what is refuted says what is correct; there is an entry to cite it by."""
    page, titles = glance(tag), {section.h2.text.rstrip("#") for section in glance(tag).select("section section")}
    lines = {line["id"]: line for line in page.select("table.claims tr.claim")}
    assert set(lines) == {f"row-{row['id']}" for row in own(tag)}
    for row in own(tag):
        number, said, verdict = lines[f"row-{row['id']}"].select("td")
        assert verdict.text.strip() == row["verdict"]
        assert claim_of(number.a) == row["id"] and f"{row['page'].split('/')[-1]}.html" in number.a["href"]
        assert ("Correct:" in said.text) == ("correct" in row)
        assert [code.text for code in said.select(".where a code")] == [f"hdp.{name}" for name in calls_of(row)]
        assert "@misc{" in said.select_one("details.cite pre").text
    assert len(titles) >= 9


@EVERY_PAPER
def test_every_item_is_named_in_its_section(tag):
    """By its number, whichever row covers it."""
    tables = [table.text for table in glance(tag).select("section section table.claims")]
    sections = [*entries(tag, own(tag), ROOT)]
    for text, (_, pairs) in zip(tables, sections, strict=True):
        for row, found in pairs:
            assert row["number"] in text or all(item.split(" ")[1] in text for item in found)


def test_every_call_is_there(subtests):
    """And `hdp` offers it: no part of its name is private."""
    for row in ROWS:
        for name in calls_of(row):
            with subtests.test(row["id"], name=name):
                module, *parts = name.split(".")
                found = import_module(f"hdp.{module}")
                assert parts[0] in getattr(found, "__all__", parts) and not any(p.startswith("_") for p in parts)
                for part in parts:
                    found = getattr(found, part)
    assert sum(map(bool, map(calls_of, ROWS))) > 100


def place_of(row):
    """What stands at the place of a claim: its line and its folds."""
    ends = [f'.claim-place a.permalink[href="#{prefix}{row["id"]}"]' for prefix in ("", "equation-")]
    (link,) = built_page(f"book/{row['page']}").select(", ".join(ends))
    assert link["href"][1:] in labels(row["page"])
    return link.find_parent(class_="claim-place")


def test_every_claim_says_its_verdict_where_it_stands(subtests):
    """In a box, under a heading, behind an equation or a paragraph: one line, with what cites it."""
    for row in ROWS:
        if row["verdict"] == "not treated":
            continue
        with subtests.test(row["id"]):
            place = place_of(row)
            assert row["verdict"] in (place.select_one(".verdict") or place.parent.select_one(".verdict")).text
            assert place.select_one("details.cite")
