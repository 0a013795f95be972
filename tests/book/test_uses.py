"""What a claim uses: no circle, nothing confirmed on what is refuted, the pages agree, and the built book shows it.

A claim that is used and stands on another page is linked from the user's page: its place, or that page as a whole.
Whether a declared use is a real one, only a reader can tell.
"""

from functools import cache
from urllib.parse import urldefrag, urljoin

import pytest
from hdpbook import uses

from tests.book.references import regions
from tests.files import CLAIMS, built_page, read

pytestmark = pytest.mark.xdist_group("trees")  # one worker reads the pages, once
PAGE = "synthesis/what-rests-on-what"
ROWS = CLAIMS["claims"]
BY_ID = {row["id"]: row for row in ROWS}
USERS = [row for row in ROWS if "uses" in row or "uses_corrected" in row]
REFUTED = {"wrong as printed", "not reproduced", "lost in our copy"}
CONFIRMED = {"proved", "checked", "beyond the paper"}

GRAPH = {row["id"]: uses.used(row) for row in ROWS}
TREATED = {row["id"] for row in ROWS if row["verdict"] != "not treated"}
SOURCES = {page: read(f"book/{page}.md") for page in {row["page"] for row in ROWS}}
REGIONS = [(page, region) for page, text in SOURCES.items() for region in regions(text, TREATED)]
LABELS = {id: region.labels for _, region in REGIONS for id in region.claims}


# -- the file ------------------------------------------------------------------------------------------------


def test_a_use_is_another_claim(subtests):
    """Named once; what is used as corrected has a correct statement."""
    for row in USERS:
        with subtests.test(row["id"]):
            named = uses.used(row)
            assert row["id"] not in named and len(set(named)) == len(named) and set(named) <= TREATED
            assert all(BY_ID[id]["verdict"] in REFUTED for id in row.get("uses_corrected", []))


def test_no_claim_rests_on_itself(subtests):
    for row in ROWS:
        with subtests.test(row["id"]):
            assert row["id"] not in uses.reached(GRAPH, row["id"])


PRINTED = {row["id"]: row.get("uses", []) for row in ROWS}


def test_nothing_that_is_confirmed_rests_on_what_is_refuted(subtests):
    """Not even through others: it uses the correct statement, and says so."""
    for row in filter(lambda row: row["verdict"] in CONFIRMED, ROWS):
        with subtests.test(row["id"]):
            assert [id for id in uses.reached(PRINTED, row["id"]) if BY_ID[id]["verdict"] in REFUTED] == []


# -- the sources ---------------------------------------------------------------------------------------------


# -- the built book ------------------------------------------------------------------------------------------


def target(link, page):
    """The page and the label to which a link of a page leads."""
    address, fragment = urldefrag(urljoin(f"{page}.html", link["href"]))
    return address.removesuffix(".html"), fragment.removeprefix("equation-")


@cache
def boxes():
    """The boxes of all pages by their ids."""
    articles = (built_page(f"book/{page}") for page in SOURCES)
    return {box["id"]: box for page in articles for box in page.select("div.proof[id]") if box["id"] in BY_ID}


def expected(row):
    """The lines of a box's fold: of every claim in them its id, and whether it says that it is corrected."""
    above = [(id, id in row.get("uses_corrected", [])) for id in uses.used(row)]
    below = [(other["id"], False) for other in ROWS if row["id"] in uses.used(other)]
    return [*([("Rests on", above)] if above else []), *([("Used by", below)] if below else [])]


def test_every_box_shows_what_it_rests_on_and_what_uses_it(subtests):
    """Each a link to its place, with a preview."""
    for row in filter(lambda row: row["id"] in LABELS, ROWS):
        with subtests.test(row["id"]):
            box = boxes().get(row["id"])
            if box is None:
                continue
            shown = []
            for line in box.select(":scope > .claim-place > details.hdp-uses > p"):
                claims = [link for link in line.select("a") if "#row-" not in link["href"]]
                assert all("hdp-preview" in link["class"] for link in claims)
                ends = [(target(link, row["page"]), link.text.endswith("(corrected)")) for link in claims]
                assert all(BY_ID[id]["page"] == page for (page, id), _ in ends)
                shown.append((line.strong.text, [(id, corrected) for (_, id), corrected in ends]))
            assert shown == expected(row)


def falls(element):
    """What an element says to fall, and all the claims that it names there."""
    term = next(term for term in element.select("dt") if term.text == "Falls with it")
    text = term.find_next_sibling("dd")
    return text.text.strip(), [link["href"].partition("#")[2].removeprefix("equation-") for link in text.select("a")]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["verdict"] in REFUTED and "printed" in row], ids=lambda row: row["id"]
)
def test_a_refuted_claim_says_what_falls_with_it(row):
    """Among the errata, and in its strip if it has one."""
    fallen, mended = uses.falling(ROWS, row["id"])
    assert all(BY_ID[id]["verdict"] not in CONFIRMED for id in fallen)
    entry = built_page("book/synthesis/errata").find(id=f"erratum-{row['id']}")
    entry = entry.find_parent("li") if "erratum" in row else entry
    for place in [entry, *filter(None, [boxes().get(row["id"])])]:
        text, named = falls(place)
        assert named == [*fallen, *mended] and text.startswith("Nothing.") == (not fallen)


# -- the page ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page():
    return built_page(f"book/{PAGE}")


def test_the_table_has_every_claim(page):
    """Each under a name of its own, by which one chooses it."""
    names = [line.td.text.strip() for line in page.select("table.uses tbody tr")]
    assert len(set(names)) == len(names)
    for line, row in zip(page.select("table.uses tbody tr"), ROWS, strict=True):
        assert line["id"] == f"row-{row['id']}"
        name, verdict, *sides = line.select("td")
        assert target(name.a, PAGE) == (row["page"], row["id"]) and verdict.text.strip() == row["verdict"]
        shown = [[link["href"].removeprefix("#row-") for link in side.select("a")] for side in sides]
        assert shown == [uses.used(row), uses.users(ROWS)[row["id"]]]
        corrected = [link["href"].removeprefix("#row-") for link in sides[0].select("a.corrected")]
        assert corrected == row.get("uses_corrected", [])


def test_its_data_are_on_this_page_only(site):
    """Other pages load neither the script nor the table."""
    for path in site.rglob("*.html"):
        name = path.relative_to(site / "book").with_suffix("").as_posix() if site / "book" in path.parents else ""
        assert ("hdp-uses.js" in path.read_text(encoding="utf-8")) == (name == PAGE), path
