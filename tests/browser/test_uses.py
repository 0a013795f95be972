"""What rests on what, in a browser: walking by keyboard, previews, a phone, no JavaScript; and the fold of a box."""

from urllib.parse import urlsplit

import pytest
from hdpbook import uses

from tests.browser import axe
from tests.browser.figure_page import DESKTOP, OVERFLOW, PHONE, SETTLED, preview
from tests.files import CLAIMS

PATH = "book/synthesis/what-rests-on-what.html"
ROWS = CLAIMS["claims"]

ABOVE = {row["id"]: uses.used(row) for row in ROWS}
BELOW = uses.users(ROWS)
FOCUSED = "document.activeElement.dataset.id ?? ''"
SHOWN = """() => Array.from(document.querySelectorAll(".uses-layer"),
    layer => [layer.getAttribute("aria-label"), Array.from(layer.querySelectorAll("a"), link => link.dataset.id)])"""
# Lines from box to box: of each, how far its ends are from the boxes that it joins.
APART = """() => {
    const boxes = Object.fromEntries(Array.from(document.querySelectorAll(".uses-layer a"),
        link => [link.dataset.id, link.getBoundingClientRect()]));
    return Array.from(document.querySelectorAll(".uses-graph path"), path => {
        const [above, below] = path.dataset.ends.trim().split(" "), matrix = path.getScreenCTM();
        const at = place => path.getPointAtLength(place).matrixTransform(matrix);
        const start = at(0), end = at(path.getTotalLength());
        return Math.max(Math.abs(start.y - boxes[above].bottom), Math.abs(end.y - boxes[below].top));
    });
}"""


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


@pytest.mark.parametrize("id", ["cc-theorem-1", "cc-definition-1", "hdp-posterior"])
def test_what_is_shown_is_what_the_file_says(walk, id):
    """Above and below, for any number of steps, each result once; lines go from box to box, downwards."""
    page = walk(id)
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
        apart = page.evaluate(APART)
        assert len(apart) == lines and all(distance < 1.5 for distance in apart)
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(200)
    assert all(distance < 1.5 for distance in page.evaluate(APART)), "the lines stay with the boxes"


@pytest.mark.parametrize(("id", "scheme"), [("cc-theorem-1", "light"), ("adk-kmeans-on-par", "dark")])
def test_nothing_for_axe_to_find_in_the_graph(walk, scheme, id):
    page = walk(id, color_scheme=scheme)
    page.locator(".uses-form [name=steps]").select_option("99")
    assert page.locator("html").get_attribute("data-theme") == scheme
    for part in (".uses-form", ".uses-graph"):
        axe.assert_nothing_found(page, part)


@pytest.mark.parametrize("id", ["cc-lemma-1", "hdp-population-error"])
def test_a_phone_shows_all_of_it(walk, id):
    """No sideways scrolling, however much there is."""
    page = walk(id, viewport=PHONE, has_touch=True)
    for steps in ("2", "99"):
        page.locator(".uses-form [name=steps]").select_option(steps)
        assert page.evaluate(OVERFLOW) == 0
        for box in page.locator(".uses-layer a").all()[:30]:
            frame = box.bounding_box()
            assert frame["x"] >= 0 and frame["x"] + frame["width"] <= PHONE["width"]


def test_the_first_screen_shows_the_graph(open_page):
    page = open_page(PATH, viewport=DESKTOP)
    page.locator(".uses-middle a").wait_for()
    assert page.locator(".uses-middle a").bounding_box()["y"] < DESKTOP["height"]


def test_without_javascript_one_walks_in_the_table(open_page):
    page = open_page(PATH, java_script_enabled=False)
    assert not page.locator(".uses-form").is_visible() and not page.locator(".uses-graph").is_visible()
    assert page.locator("table.uses tbody tr:visible").count() == len(ROWS)
    page.locator('#row-cc-theorem-1 a[href="#row-cc-algorithm-1"]').click()
    assert urlsplit(page.url).fragment == "row-cc-algorithm-1"


def test_print_has_the_boxes_without_lines(walk):
    page = walk("cc-theorem-1")
    page.emulate_media(media="print")
    assert page.locator(".uses-middle a").is_visible()
    assert not page.locator(".uses-form").is_visible() and not page.locator(".uses-graph svg").is_visible()


def test_a_box_leads_to_what_it_rests_on_and_to_the_graph(open_page):
    page = open_page("book/heterogeneous-budgets/upper-bound.html", viewport=DESKTOP)
    page.evaluate(SETTLED)
    fold = page.locator("#cc-theorem-1 > .claim-place > details.hdp-uses")
    assert not fold.locator("p").first.is_visible()
    fold.locator("summary").click()
    axe.assert_nothing_found(page, "#cc-theorem-1 > .claim-place > details.hdp-uses")
    fold.get_by_role("link", name="Algorithm 1 (ADPM)").hover()
    preview(page)
    page.keyboard.press("Escape")
    fold.get_by_role("link", name="Walk from here").click()
    page.wait_for_url("**/what-rests-on-what.html#row-cc-theorem-1")
    assert middle(page) == "cc-theorem-1"
