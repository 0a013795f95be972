"""Every page for every reader: silent, nothing for axe to find, and it fits every width."""

import pytest

from tests.browser.conftest import at
from tests.browser.figure_page import DESKTOP, OVERFLOW, PHONE, axe_finds
from tests.conftest import SITE
from tests.files import PAGES, read_yaml

# What depends on colours is asked of samples in light and in dark; the rest is asked once.
BY_SAMPLE = ["color-contrast", "link-in-text-block"]
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
PUT_BACK = "() => window.back.splice(0).reverse().forEach(put => put())"
# Text of the chart below 4.5:1 and lines of it below 3:1 against what is behind them (axe does not look into drawings).
FAINT = """f => {
    const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parse = colour => colour.match(/[\\d.]+/g).map(Number);
    const opaque = element => {
        const colour = parse(getComputedStyle(element).backgroundColor);
        return colour.length === 3 ? colour : opaque(element.parentElement);
    };
    const contrast = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
        return (high + 0.05) / (low + 0.05);
    };
    const chart = f.querySelector(".hdp-chart"), ground = opaque(chart);
    const faint = (selector, property, least) => Array.from(chart.querySelectorAll(selector))
        .map(element => [element.textContent || selector, contrast(parse(getComputedStyle(element)[property]), ground)])
        .filter(([_, ratio]) => !(ratio >= least));
    const lines = ".mark-line:not([class*=casing_]) path, .mark-rule.role-mark line"; // a casing is a ground
    return [...faint("svg text", "fill", 4.5), ...faint(lines, "stroke", 3)];
}"""
# The width in which nothing may scroll sideways (WCAG 1.4.10): 1280 pixels, enlarged four times.
NARROW = {"width": 320, "height": 640}
# sphinx-book-theme puts the book's title, a link to the first page, into the sidebar but not into a landmark.
TITLE = {"exclude": [[".sidebar-primary-item:has(> .navbar-brand)"]]}

# The chapters, and whatever Sphinx has added to them; not what only leads to one of them, as the root does.
BUILT = {path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html")}
MOVED = set(read_yaml("_config.yml")["sphinx"]["config"]["redirects"])
NAMES = sorted({*PAGES, "search", "genindex", *(name for name in BUILT if not name.startswith("_static/"))} - MOVED)
# Of each folder `make test` opens the lightest page.
BY_SIZE = sorted(NAMES, key=lambda name: -(SITE / f"{name}.html").stat().st_size)
LIGHTEST = {name.rpartition("/")[0]: name for name in BY_SIZE}.values()
EACH = [at(f"{name}.html", slow=name not in LIGHTEST) for name in NAMES]


@pytest.fixture(scope="session")
def looks():
    """Return the looks of text that axe has approved of, by scheme: it is asked of each once."""
    return {"light": set(), "dark": set()}


@pytest.mark.parametrize("path", EACH)
def test_a_page_for_every_reader(window, looks, path):
    page = window.open(path)
    assert page.locator("mjx-merror, [data-mjx-error]").all_inner_texts() == [], "formulas that MathJax cannot read"
    for size in (NARROW, PHONE, DESKTOP):
        window.show(size)
        assert page.evaluate(OVERFLOW) == 0, f"it scrolls sideways at {size['width']} px"
    page.eval_on_selector_all("details.cite", "folds => folds.forEach(fold => { fold.open = true; })")
    page.evaluate(SET_ASIDE)
    found = axe_finds(page, TITLE, rules={rule: {"enabled": False} for rule in BY_SAMPLE})
    page.evaluate(PUT_BACK)
    assert found == ""
    for scheme, approved in looks.items():
        window.show(DESKTOP, scheme)
        fresh = page.evaluate(SAMPLE, sorted(approved))
        if fresh:
            page.evaluate(SET_ASIDE)
            found = axe_finds(page, "[data-sample]", runOnly=BY_SAMPLE)
            page.evaluate(PUT_BACK)
            assert found == "", scheme
            approved |= set(fresh)
        assert {name: parts for name, parts in window.read_all(FAINT).items() if parts} == {}, scheme
