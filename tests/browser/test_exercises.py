"""The fields of exercises in the browser: one of each kind, hints, a telephone, no scripts, print."""

import re

import pytest

from tests.book.test_answers import FIELDS
from tests.browser import axe
from tests.browser.figure_page import PHONE
from tests.browser.test_kernel import START, Page
from tests.files import built_page

PAGE = "book/heterogeneous-budgets/upper-bound"  # formulas
WEIGHTS = "book/heterogeneous-budgets/optimal-weights"  # a number and a call
FORM = "form.hdp-exercise"
JUDGED = "number => document.querySelectorAll('form.hdp-exercise')[number].dataset.verdict"

pytestmark = pytest.mark.xdist_group("kernel")


@pytest.fixture(scope="module")
def opened(browser, site, kernel):
    """Yield the page of optimal weights, opened from disk."""
    page = Page(browser, (site / f"{WEIGHTS}.html").as_uri())
    yield page
    page.context.close()
    assert page.complaints == []


def answer(page, number, typed):
    """Answer by keyboard in a field; return how it is judged, and what is said to the ear."""
    form = page.locator(FORM).nth(number)
    form.get_by_role("textbox").fill(typed)
    form.get_by_role("textbox").press("Enter")
    page.wait_for_function(JUDGED, arg=number, timeout=START)
    return form.get_attribute("data-verdict"), form.get_by_role("status").inner_text()


def test_a_page_has_its_fields_and_loads_python_for_none(opened, kernel):
    forms = opened.page.locator(FORM)
    assert forms.count() == sum(page == WEIGHTS for page, _ in FIELDS) == 2
    names = [form.get_attribute("aria-label") for form in forms.all()]
    assert re.fullmatch(r"Your answer to Exercise 5\.\d+", names[0])
    assert names[1] == f"{names[0]}, field 2", "of the same exercise"
    assert not [address for address in opened.requests if kernel in address]


def test_a_number_is_judged(opened):
    assert answer(opened.page, 0, "5.2") == ("not-yet", "Not yet: it is twice what is right.")
    assert answer(opened.page, 0, "13/5") == ("right", "Right.")
    assert answer(opened.page, 0, "<b>many") == ("unread", "The sign < cannot be read here.")
    opened.page.locator(FORM).first.get_by_role("textbox").press("End")
    opened.page.keyboard.type("1")
    assert opened.page.locator(FORM).first.get_by_role("status").inner_text() == "", "it was said of something else"


def test_a_call_is_judged(opened):
    state, said = answer(opened.page, 1, "adpm.saturation_ratio(0.1, n, 0.4)")
    assert state == "not-yet" and said.startswith("Not yet: for n = 1000 it is 3, and what is right is 2.6")
    assert answer(opened.page, 1, "adpm.saturation_ratio(0.1, n, 0.5)") == ("right", "Right.")
    assert answer(opened.page, 1, "open('x')")[0] == "unread"


def test_what_cells_have_defined_stays_and_does_not_count(opened):
    cell = opened.cell("import sympy")
    cell.run("adpm = 3")
    assert answer(opened.page, 1, "adpm.saturation_ratio(0.1, n, 0.5)")[0] == "right"
    assert cell.run("adpm, 'judge' in dir()") == "(3, False)"
    cell.press("Reset")


def test_hints_come_one_by_one(opened):
    form = opened.page.locator(FORM).first
    hints, button = form.locator("li:visible"), form.locator("[name=hint]")
    assert hints.count() == 0
    button.press("Enter")
    assert hints.count() == 1 and button.inner_text() == "Next hint"
    button.press("Enter")
    assert hints.count() == 2 and not button.is_visible()
    assert form.get_by_role("textbox").evaluate("field => field === document.activeElement"), "the focus is not lost"
    axe.assert_nothing_found(opened.page, FORM)
    opened.page.emulate_media(color_scheme="dark")
    axe.assert_nothing_found(opened.page, FORM, runOnly=["color-contrast"])
    opened.page.emulate_media(color_scheme="light", media="print")
    assert not form.is_visible()
    opened.page.emulate_media(media="screen")


def test_a_formula_is_judged_on_a_telephone(browser, site, kernel):
    """It is asked before Python is loaded, and nothing is wider than it."""
    page = Page(browser, (site / f"{PAGE}.html").as_uri(), viewport=PHONE)
    form = page.page.locator(FORM).nth(1)
    form.get_by_role("textbox").fill("sqrt(8/n)")
    form.get_by_role("button", name="Check").click()
    page.page.get_by_role("button", name="Load it").click()
    page.page.wait_for_function(JUDGED, arg=1, timeout=START)
    said = form.get_by_role("status").inner_text()
    assert said.startswith("Not yet: at n = ") and "What is right depends on f, yours does not." in said
    assert answer(page.page, 1, "√(8/(nf))") == ("right", "Right.")
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()
    assert page.complaints == []


def test_without_scripts_the_solution_remains(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / f"{WEIGHTS}.html").as_uri())
    assert page.locator(FORM).count() == 2 and not page.locator(f"{FORM}:visible").count()
    assert page.locator(".solution").first.is_visible()
    context.close()


def test_every_field_is_in_its_page():
    """Below an exercise, with what is asked for and a hint."""
    for name in {page for page, _ in FIELDS if not page.startswith("book/_")}:
        forms = built_page(name).select(FORM)
        assert len(forms) == sum(page == name for page, _ in FIELDS), name
        for form in forms:
            assert "exercise" in form.find_previous_sibling("div")["class"] and form.label.span.text.strip(" :")
            assert form.select(".hdp-hints > li")
