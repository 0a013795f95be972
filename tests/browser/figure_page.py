"""A built page and a figure on it, driven and read as a reader would; what the tests of the figures share."""

import json
import re

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe

from tests.conftest import watch

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
ON_PAGE = re.compile(r'<figure class="hdp-figure" id="figure-([^"]+)"')

SETTLE = """async f => {
    await f.fitted;
    await f.drawing;
    await f.view.runAsync();
    await new Promise(resolve => setTimeout(resolve));
}"""

MOVE = """async (f, values) => {
    f.querySelectorAll("[data-parameter]:is(input, select)").forEach(slider => {
        const position = JSON.parse(slider.dataset.positions).indexOf(values[slider.dataset.parameter]);
        if (position < 0) throw new Error("no such position: " + JSON.stringify(values));
        if (slider.type === "checkbox") slider.checked = position === 1;
        else slider.value = position;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await f.drawing;
    await f.view.runAsync();
    await new Promise(resolve => setTimeout(resolve));
}"""

ALIVE = """() => Array.from(document.querySelectorAll(".hdp-figure")).every(f => f.dataset.ready)"""
WAKE = """() => Promise.all(Array.from(document.querySelectorAll(".hdp-figure"), figure => figure.wake?.()))"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Every drawing is as wide as its container.
FITTED = """() => Array.from(document.querySelectorAll(".hdp-figure")).every(f => {
    const chart = f.querySelector(".hdp-chart");
    return Math.abs(chart.querySelector("svg").getBoundingClientRect().width - chart.clientWidth) <= 1;
})"""
# The formulas are set, the fonts are there, and late scripts have had their turn.
SETTLED = """async () => {
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;
    await new Promise(resolve => requestIdleCallback(resolve, { timeout: 250 }));
}"""

# The marks alone: what belongs to the axes and the legend has another role.
MARKS = """f => Array.from(f.querySelectorAll(".hdp-chart svg .role-mark")).flatMap(group =>
    Array.from(group.querySelectorAll("path, line, text")).map(mark => [group.getAttribute("class").split(" ").at(-1),
        ...["d", "transform", "x2", "y2", "fill"].map(name => mark.getAttribute(name)), mark.textContent]))"""


def axe_finds(page, context=None, **options):
    """Return the report of axe on a page or a part of it, without preloading, which a page from disk may not do."""
    script = "0" if page.evaluate("'axe' in window") else AXE_SCRIPT
    found = Axe(script).run(page, context, {"resultTypes": ["violations"], "preload": False} | options)
    assert found.response["passes"], "axe has looked at nothing"
    return found.generate_report() if found.violations_count else ""


class Window:
    """A browser window that shows one page after the other."""

    def __init__(self, browser, site):
        self.browser, self.site, self.context, self.path, self.complaints = browser, site, None, None, []

    def open(self, path):
        """Open a page as a new reader sees it, once it has settled and its figures live, unless it is open."""
        if path == self.path:
            return self.page
        self.close()
        self.context = self.browser.new_context(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
        watch(self.context, self.complaints)
        warned = lambda said: said.type == "warning" and self.complaints.append(f"warning: {said.text}")  # noqa: E731
        self.context.on("console", warned)
        self.page = self.context.new_page()
        self.page.goto((self.site / path).as_uri())
        for script in (SETTLED, WAKE):
            self.page.evaluate(script)
        self.page.wait_for_function(ALIVE, timeout=20_000)
        self.shown = None
        self.show(DESKTOP)
        self.first_marks, self.path = self.read_all(MARKS), path
        return self.page

    def close(self):
        """Forget the page."""
        if self.context:
            self.context.close()
        self.context = self.path = None

    def show(self, size, scheme="light"):
        """Show the page in this size and with these colours, with all its figures drawn anew."""
        if self.shown != (size, scheme):
            self.page.set_viewport_size(size)
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.page.locator(f"html[data-theme={scheme}]").wait_for(state="attached")
            self.page.wait_for_function(FITTED, timeout=20_000)
            self.read_all(SETTLE)
            self.shown = size, scheme

    def read_all(self, script):
        """Read something of every figure, by name, with one of the scripts above."""
        named = f"async f => [f.dataset.name, await ({script})(f)]"
        collect = f"async figures => JSON.stringify(await Promise.all(figures.map({named})))"
        return dict(json.loads(self.page.eval_on_selector_all(".hdp-figure", collect)))


class FigurePage:
    """One figure of a page."""

    def __init__(self, page, figure):
        self.page, self.figure = page, figure
        self.element = page.locator(f"#figure-{figure.name}")
        self.part = self.element.locator

    def wait(self):
        """Wait until the script has brought the figure to life; scroll it into view."""
        self.page.locator(f"#figure-{self.figure.name}[data-ready=true]").wait_for(state="attached")
        self.element.scroll_into_view_if_needed()
        self.read(SETTLE)

    def move(self, values):
        """Set the sliders, as dragging does, and wait until the figure is drawn."""
        self.read(MOVE, values)

    def read(self, script, argument=None):
        """Read something of the figure with one of the scripts above."""
        return self.element.evaluate(script, argument)


def pages_of_figures(site):
    """Return the name of every figure on the built pages, with the paths of its pages."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        for name in ON_PAGE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(path.relative_to(site).as_posix())
    return found
