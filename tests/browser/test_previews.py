"""Previews of equations, boxes and acronyms: by pointer, keyboard and long press, from disk."""

import re

import pytest

from tests.browser import axe
from tests.browser.figure_page import DESKTOP, PHONE, SETTLED, preview, previewed_by_keyboard

PAGE = "book/heterogeneous-budgets/beyond-the-cap.html"
EQUATION = 'article a.hdp-preview[href="upper-bound.html#equation-cc-eq-5"]'
BOX = 'article a.hdp-preview[href="upper-bound.html#cc-algorithm-1"]'
ACRONYM = "article abbr:text-is('ADPM')"

# On a phone: the finger rests on a link, longer than a tap.
PRESS = """async (link, time) => {
    const { left, top } = link.getClientRects()[0];
    const touch = { bubbles: true, cancelable: true, pointerType: "touch", clientX: left + 2, clientY: top + 2 };
    link.dispatchEvent(new PointerEvent("pointerdown", touch));
    await new Promise(resolve => setTimeout(resolve, time));
    link.dispatchEvent(new PointerEvent("pointerup", touch));
    return link.dispatchEvent(new MouseEvent("click", { ...touch, button: 0 }));
}"""


@pytest.fixture
def settled(open_page):
    """Return a function that opens a page and waits until its formulas are set."""

    def settled(path=PAGE, **options):
        page = open_page(path, **{"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
        page.evaluate(SETTLED)
        return page

    return settled


def assert_in_sight(page, box):
    """Within the window, and over nothing less than itself."""
    frame, size = box.bounding_box(), page.viewport_size
    assert frame["x"] >= 0 and frame["x"] + frame["width"] <= size["width"]
    assert frame["y"] >= 0 and frame["y"] + frame["height"] <= size["height"]


def test_an_equation_of_another_page_is_shown_typeset(settled):
    page = settled()
    link = page.locator(EQUATION).first
    link.hover()
    box = preview(page)
    number = link.inner_text()
    assert number in box.inner_text() and re.fullmatch(r"\(\d+\.\d+\)", number)
    assert box.locator("mjx-container[display]").count() == 1
    assert box.locator("a, [id]").count() == 0, "nothing to stop at, nothing twice"
    assert_in_sight(page, box)
    assert link.get_attribute("aria-describedby") == box.get_attribute("id")


def test_the_keyboard_opens_a_preview_and_escape_closes_it(settled):
    page = settled()
    link = page.locator(BOX).first
    box = previewed_by_keyboard(page, link)
    axe.assert_nothing_found(page, "#hdp-preview")
    assert link.get_attribute("aria-describedby") == box.get_attribute("id")
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    assert link.evaluate("link => link === document.activeElement && !link.hasAttribute('aria-describedby')")
    page.keyboard.press("Tab")
    assert not link.evaluate("link => link === document.activeElement"), "the focus is not held"


def test_an_acronym_is_explained_once_by_keyboard_and_always_by_pointer(settled):
    page = settled("book/synthesis/one-picture.html")
    words = page.locator(ACRONYM)
    assert words.count() > 1
    stops = [word.get_attribute("tabindex") for word in words.all()]
    assert stops == ["0"] + [None] * (len(stops) - 1)
    words.nth(1).hover()
    box = preview(page)
    assert box.inner_text().startswith("ADPM: affine")
    assert words.nth(1).get_attribute("title") is None, "the browser's own would show too"
    page.keyboard.press("Escape")
    assert words.nth(1).get_attribute("title").startswith("affine")


def test_a_long_press_shows_and_a_tap_follows(settled):
    page = settled(viewport=PHONE, has_touch=True)
    link = page.locator(BOX).first
    link.scroll_into_view_if_needed()
    assert link.evaluate(PRESS, 700) is False, "the link is not followed"
    assert_in_sight(page, preview(page))
    page.locator("article h1").dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    page.get_by_role("tooltip").wait_for(state="hidden")
    link.tap()
    page.wait_for_url("**/upper-bound.html#cc-algorithm-1")
