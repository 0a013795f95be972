"""Every page for every reader and every connection: nothing for axe to find; light and soon there."""

import re

import pytest

from tests.browser import axe
from tests.browser.conftest import at
from tests.browser.figure_page import DESKTOP, OVERFLOW, PHONE, assert_silent
from tests.conftest import SITE, covering
from tests.files import PAGES, read_yaml

# What depends on colours and on where things lie, asked of samples in light and in dark; the rest is asked once.
BY_SAMPLE = ["color-contrast", "link-in-text-block"]
EVERYTHING = {"rules": {rule: {"enabled": False} for rule in BY_SAMPLE}}

# Axe would take ten seconds a page to look at every piece of text.  What it finds by colour depends on what is listed
# here alone, so one piece of each kind will do, on the first page that has it; of a link the text around it counts.
SAMPLE = """known => {
    scrollTo({ top: 0, behavior: "instant" });  // what is half under the page's header, axe cannot judge
    const seen = new Set(known), fresh = [], grounds = new Map(), fades = new Map();
    const kept = (map, element, find) => {
        if (!map.has(element)) map.set(element, find(getComputedStyle(element), element.parentElement));
        return map.get(element);
    };
    const ground = element => kept(grounds, element, ({ backgroundColor: colour }, parent) =>
        /^rgb\\(/.test(colour) || !parent ? colour : ground(parent));
    const faded = element => kept(fades, element, ({ opacity }, parent) =>
        (opacity === "1" ? "" : opacity) + (parent ? faded(parent) : ""));
    const look = element => {
        const style = getComputedStyle(element);
        return [style.color, ground(element), style.fontSize, style.fontWeight, style.textShadow, faded(element)];
    };
    document.querySelectorAll("[data-sample]").forEach(element => delete element.dataset.sample);
    const texts = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.add(walker.currentNode.parentElement);
    for (const element of new Set([...texts, ...document.querySelectorAll("body a")])) {
        const text = texts.has(element), link = element.tagName === "A";
        if (!element.checkVisibility()) continue;
        const around = link && element.parentElement.closest("p, li, td, dd, dt, div");
        const kind = [text, ...look(element), element.closest("svg, button, summary")?.tagName,
                      link && [element.className, getComputedStyle(element).textDecoration, around.tagName,
                               around.textContent.trim() !== element.textContent.trim(), ...look(around)]].join();
        if (!seen.has(kind)) fresh.push(kind), element.dataset.sample = "";
        seen.add(kind);
    }
    const heading = Array.from(document.querySelectorAll("h1")).find(title => title.checkVisibility());
    heading.dataset.sample = ""; // so that axe has something to approve of in any case
    return fresh;
}"""

# Most of a page are formulas, code and rows of tables, which repeat the same elements.  What brings no element of a
# new kind, with other attributes or without text, is set aside while axe looks; samples stay, and all that scrolls.
SET_ASIDE = """() => {
    const kinds = new Map(), back = window.back = [];
    const individual = /^(id|href|src|alt|title|style|d|transform|aria-label|data-.*)$/;
    const kind = element => [element.tagName, !!element.textContent.trim(), ...Array.from(element.attributes,
        ({ name, value }) => name + (individual.test(name) ? !!value : value)).sort()].join();
    const scrolls = element => element && element.tagName !== "ARTICLE" && (scrolls(element.parentElement)
        || element.scrollWidth > element.clientWidth && /auto|scroll/.test(getComputedStyle(element).overflowX));
    const repeats = (unit, among) => {
        if (!kinds.has(among)) kinds.set(among, new Set());
        const known = kinds.get(among), count = known.size;
        for (const element of [unit, ...unit.querySelectorAll("*")]) known.add(kind(element));
        return known.size === count && !unit.querySelector("[data-sample]") && !scrolls(unit);
    };
    const find = (selector, among) => Array.from(document.querySelectorAll(selector))
        .filter(unit => repeats(unit, among(unit)));
    const texts = find("mjx-container, pre", unit => unit.tagName);
    const rows = find("tbody > tr", row => row.parentElement);
    for (const unit of texts) {
        const within = [...unit.childNodes], style = unit.style.cssText;
        unit.replaceChildren("x");
        unit.style.overflow = "visible";  // the letter is higher than the line of a formula, and would scroll
        back.push(() => { unit.replaceChildren(...within); unit.style.cssText = style; });
    }
    for (const row of rows) {
        const place = document.createComment("row");
        row.replaceWith(place);
        back.push(() => place.replaceWith(row));
    }
}"""
# Where samples are asked for, of all else its empty shell is enough: axe would read the whole page for one link.
# Figures and the graph stay, for their scripts look after them, and the header, or it would lie over the title.
ONLY_SAMPLES = """() => {
    const kept = "[data-sample], .bd-header-article, .hdp-figure, .uses-graph";
    const back = window.back = [];
    const empty = element => {
        if (!element.firstElementChild) return;
        const shell = element.cloneNode(false);
        element.replaceWith(shell);
        back.push(() => shell.replaceWith(element));
    };
    const visit = element => {
        for (const child of element.children) {
            if (child.matches(kept)) continue;
            if (child.querySelector(kept)) visit(child); else empty(child);
        }
    };
    visit(document.body);
}"""
PUT_BACK = "() => window.back.splice(0).reverse().forEach(put => put())"

# The width in which nothing may scroll sideways (WCAG 1.4.10): 1280 pixels, enlarged four times.
NARROW = {"width": 320, "height": 640}

# What stays: the rule, the elements it may find, and the reason.
ALLOWED = {
    # sphinx-book-theme puts the book's title, a link to the first page, into the sidebar but not into a landmark;
    # the contents below it, the page's header and its text are in landmarks, so nothing is out of reach.
    ("region", ".bd-sidebar-primary .sidebar-primary-item:has(> .navbar-brand)"),
}

WITHOUT_WORDS = "images => images.filter(image => !image.alt.trim()).map(image => image.src.slice(0, 80))"
# What is not asked for, because it is hidden or far away, is not complete.
NOT_DRAWN = "images => images.filter(i => i.complete && !i.naturalWidth).map(image => image.src.slice(0, 80))"

# The chapters, and whatever Sphinx has added to them; not what only leads to one of them, as the root does.
BUILT = {path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html")}
MOVED = set(read_yaml("_config.yml")["sphinx"]["config"]["redirects"])
NAMES = sorted({*PAGES, "search", "genindex", *(name for name in BUILT if not name.startswith("_static/"))} - MOVED)
EVERY_PAGE = [at(f"{name}.html") for name in NAMES]


@pytest.fixture(scope="session", params=EVERY_PAGE)
def path(request):
    """Return the path of a page, with figures or without."""
    return request.param


def test_a_page_stands_alone(opened):
    page = opened.page
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.title().strip()
    assert page.eval_on_selector_all("img", WITHOUT_WORDS) == []
    assert page.eval_on_selector_all("img", NOT_DRAWN) == []
    assert page.locator("mjx-merror, [data-mjx-error]").all_inner_texts() == [], "formulas that MathJax cannot read"
    assert opened.faded == [], "faded at an end, although all of it is seen"


def findings(page, context=None, **options):
    """Yield all that axe finds on a page as it is now: its entry in ALLOWED or None, and what it is."""
    matches = "([target, where]) => document.querySelector(target).matches(where)"
    for violation in axe.run(page, context, **options).response["violations"]:
        for node in violation["nodes"]:
            known = (key for key in ALLOWED if key[0] == violation["id"])
            entry = next((key for key in known if page.evaluate(matches, [node["target"][0], key[1]])), None)
            yield entry, f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"


CLASS = re.compile(r"\.([A-Za-z_][\w-]*)")
BOXED = re.compile(r'class="proof (\w+) admonition(?:(?!</div>).)*?verdict-(\w+)', re.S)
ELEMENT = re.compile(r'<(\w+)\b[^>]*?\bclass="([^"]*)"')


def pages_with(kinds_of):
    """Pages that together have all kinds of what a function finds in their sources; `make test-all` asks all pages."""
    chosen = covering({name: kinds_of((SITE / f"{name}.html").read_text("utf-8")) for name in NAMES if name in BUILT})
    each = [at(f"{name}.html", None, *[pytest.mark.slow] * (name not in chosen)) for name in NAMES]
    return pytest.mark.parametrize("path", each, indirect=True)


def elements(text):
    """The kinds of elements of a page, by their name and their classes."""
    return set(ELEMENT.findall(text))


# The classes that a style sheet of the book names: without one, an element looks like any other of its name.
STYLED = {name for sheet in (SITE / "_static").rglob("*.css") for name in CLASS.findall(sheet.read_text("utf-8"))}


def looks_of(text):
    """Of these, what the style sheets tell apart; and which verdicts stand in which boxes, a ground of their own."""
    return {(name, *sorted({*classes.split()} & STYLED)) for name, classes in elements(text)} | {*BOXED.findall(text)}


def folds(text):
    """Of these, what is folded, pressed or moved."""
    return {kind for kind in elements(text) if kind[0] in {"details", "button", "form", "figure", "input"}}


@pages_with(folds)
def test_nothing_for_axe_to_find(opened):
    """With the folds of citations open.  Into drawings it does not look: test_figures_access.py."""
    page = opened.page
    opened.show(DESKTOP)
    page.eval_on_selector_all("details.cite", "folds => folds.forEach(fold => { fold.open = true; })")
    page.evaluate(SAMPLE, [])
    page.evaluate(SET_ASIDE)
    found = list(findings(page, **EVERYTHING))
    page.evaluate(PUT_BACK)
    assert [text for entry, text in found if entry is None] == []
    assert {entry for entry, _ in found} == ALLOWED, "what is found no longer needs no permission"


@pytest.fixture(scope="session")
def looks():
    """Return the looks of text that axe has approved of, by scheme: it is asked of each once."""
    return {"light": set(), "dark": set()}


# What can be pressed or moved, and folds that are closed, as far as they would be printed.
PRESSED = """() => {
    const shown = part => part.checkVisibility() && part.getClientRects().length;
    const given = ":not(.hdp-typed, .hdp-choice select)";  // what is chosen, which print says
    const pressed = `button, input${given}, select${given}, .hdp-buttons, .hdp-cursor, .headerlink`;
    const parts = document.querySelectorAll(`article :is(${pressed})`);
    const folds = document.querySelectorAll("article details:not([open])");
    return [...parts, ...folds].filter(shown).map(part => part.outerHTML.slice(0, 80));
}"""
# For which values a figure is drawn, and what it says of them.
UNSAID = """() => Array.from(document.querySelectorAll(".hdp-controls:not([hidden]) :is(.hdp-readout, .hdp-slider)"))
    .filter(part => !part.closest("[hidden]") && !part.checkVisibility()).map(part => part.textContent)"""
UNTITLED = """() => Array.from(document.querySelectorAll("article .hdp-section-fold > summary"))
    .filter(title => !title.checkVisibility()).map(title => title.textContent)"""


@pages_with(folds)
def test_print_shows_everything_and_nothing_to_press(opened):
    """Solutions and folds are open, sections of the end have titles, sliders leave their values; then all is back."""
    page = opened.page
    opened.show(DESKTOP)
    closed = "document.querySelectorAll('article details:not([open])').length"
    before = page.evaluate(closed)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    found = [page.evaluate(wrong) for wrong in (PRESSED, UNTITLED, UNSAID)]
    found.append(page.locator(".toggle-hidden:visible").count())
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert found == [[], [], [], 0]
    assert page.evaluate(closed) == before


def test_nothing_runs_over_the_edge_of_a_phone(opened):
    """No page scrolls sideways."""
    page = opened.page
    opened.show(PHONE)
    assert page.evaluate(OVERFLOW) == 0
    opened.show(NARROW)
    assert page.evaluate(OVERFLOW) == 0


def of_samples(page):
    """What axe finds in the samples; where it can judge none of them by itself, with all that is around them."""
    page.evaluate(ONLY_SAMPLES)
    try:
        return list(findings(page, "[data-sample]", runOnly=BY_SAMPLE))
    except AssertionError:
        page.evaluate(PUT_BACK)
        return list(findings(page, "[data-sample]", runOnly=BY_SAMPLE))
    finally:
        page.evaluate(PUT_BACK)


@pages_with(looks_of)
def test_text_stands_out_from_its_ground(opened, looks, windows):
    """In light and in dark, and links from the text around them; it takes the page apart."""
    page = opened.page
    page.eval_on_selector_all("details.cite", "folds => folds.forEach(fold => { fold.open = true; })")
    for scheme, approved in looks.items():
        page.emulate_media(media="screen", color_scheme=scheme)  # at once, for each of them lays out the whole page
        opened.show(DESKTOP, scheme)
        assert_silent(opened.complaints)
        fresh = page.evaluate(SAMPLE, sorted(approved))
        if fresh:
            assert [f"{scheme}: {text}" for entry, text in of_samples(page) if entry is None] == []
            approved |= set(fresh)
            opened.complaints.clear()  # Bootstrap asks a link that was set aside for its parent
        assert len(approved) >= 5
        assert_silent(opened.complaints)
    windows["desktop"].leave()
    opened.complaints.clear()
