"""What rests on what, in a browser: walking by keyboard, what is drawn, no JavaScript."""

from urllib.parse import urlsplit

import pytest
from hdpbook import uses

from tests.browser import axe
from tests.browser.figure_page import DESKTOP, OVERFLOW, PHONE
from tests.files import CLAIMS

PATH = "book/synthesis/what-rests-on-what.html"
ROWS = CLAIMS["claims"]

ABOVE = {row["id"]: uses.used(row) for row in ROWS}
BELOW = uses.users(ROWS)
FOCUSED = "document.activeElement.dataset.id ?? ''"
SHOWN = """() => Array.from(document.querySelectorAll(".uses-layer"),
    layer => [layer.getAttribute("aria-label"), Array.from(layer.querySelectorAll("a"), link => link.dataset.id)])"""


@pytest.fixture
def walk(open_page):
    """Return a function that opens the page at a result."""

    def walk(id="", **options):
        page = open_page(PATH + (id and f"#row-{id}"), **{"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
        page.locator(".uses-middle a").wait_for()
        return page

    return walk


def middle(page):
    return page.locator(".uses-middle a").get_attribute("data-id")


def near(graph, id, steps):
    """Return what is at most some steps away."""
    found = {id}
    for _ in range(steps):
        found |= {other for known in found for other in graph[known]}
    return found - {id}


def test_one_can_walk_from_a_theorem_to_a_definition_by_keyboard(walk):
    """From the field with Tab and Enter; each step upwards is Shift+Tab, and Back goes back."""
    page = walk("cc-theorem-1")
    page.get_by_role("combobox", name="Result").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) in near(ABOVE, "cc-theorem-1", 2)
    way = [middle(page)]
    page.locator(".uses-middle a").focus()
    while ABOVE[way[-1]]:
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(FOCUSED) in ABOVE[way[-1]]
        page.keyboard.press("Enter")
        way.append(middle(page))
        assert page.evaluate(FOCUSED) == way[-1] and urlsplit(page.url).fragment == f"row-{way[-1]}"
        assert len(way) < 20, "it goes round"
    assert len(way) > 2
    page.go_back()
    page.wait_for_function("id => document.querySelector('.uses-middle a').dataset.id === id", arg=way[-2])


def test_what_is_shown_is_what_the_file_says(walk):
    """Above and below, for any number of steps, each result once, with a line for each use."""
    id = "cc-theorem-1"
    page = walk(id)
    axe.assert_nothing_found(page, ".uses-graph")
    for steps in ("2", "1", "99"):
        page.locator(".uses-form [name=steps]").select_option(steps)
        shown = page.evaluate(SHOWN)
        labels = [label for label, _ in shown]
        up = [other for label, ids in shown if "up:" in label for other in ids]
        down = [other for label, ids in shown if "down:" in label for other in ids]
        assert labels.index("The chosen result") == sum("up:" in label for label in labels)
        assert sorted(up) == sorted(near(ABOVE, id, int(steps)))
        assert sorted(down) == sorted(near(BELOW, id, int(steps)))
        sides = {*up, id}, {*down, id}
        lines = sum(other in side for side in sides for known in side for other in ABOVE[known])
        assert page.locator(".uses-graph path").count() == lines
    page.set_viewport_size(PHONE)
    assert page.evaluate(OVERFLOW) == 0


def test_without_javascript_one_walks_in_the_table(open_page):
    page = open_page(PATH, java_script_enabled=False)
    assert not page.locator(".uses-form").is_visible() and not page.locator(".uses-graph").is_visible()
    assert page.locator("table.uses tbody tr:visible").count() == len(ROWS)
    page.locator('#row-cc-theorem-1 a[href="#row-cc-algorithm-1"]').click()
    assert urlsplit(page.url).fragment == "row-cc-algorithm-1"
