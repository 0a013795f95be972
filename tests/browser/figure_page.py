"""A built page and a figure on it, driven and read as a reader would; what the tests of the figures share."""

import json
import random
import re
from dataclasses import replace

import numpy as np

from hdp.explore import Bar, Box, Curve, Note, Points, Rule, Text
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

# Open whatever is folded, scroll there and set the sliders.
BEGIN = f"""async (f, values) => {{
    f.querySelectorAll(".hdp-more").forEach(more => {{ more.open = true; }});
    f.scrollIntoViewIfNeeded();
    await ({MOVE})(f, values);
}}"""

ALIVE = """() => Array.from(document.querySelectorAll(".hdp-figure")).every(f => f.dataset.ready)"""
ASLEEP = """() => Boolean(document.querySelector(".hdp-still"))"""
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

SLIDERS = """f => Object.fromEntries(
  Array.from(f.querySelectorAll("[data-parameter]:is(input, select)")).map(slider => [
    slider.dataset.parameter, {
    position: Number(slider.type === "checkbox" ? slider.checked : slider.value),
    positions: JSON.parse(slider.dataset.positions),
    spoken: slider.getAttribute("aria-valuetext") ?? (slider.selectedOptions?.[0].textContent
        ?? slider.nextElementSibling.value),
    shown: slider.nextElementSibling?.value ?? slider.selectedOptions[0].textContent,
}]))"""

READOUTS = """f => Array.from(f.querySelectorAll("[data-readout]")).map(output =>
    [output.value, f.view.signal(output.dataset.readout)])"""

# What is computed of the samples of the curves or of the cells, or of every eighth of them, say: one column a field.
COLUMNS = """(f, data, every = 1) => {
    const rows = f.view.data(data).filter((_, k) => k % every === 0);
    const fields = Object.keys(rows[0]).filter(key => /^(i|cell|x|y\\d*|z)$/.test(key));
    return Object.fromEntries(fields.map(field => [field, rows.map(row => row[field] ?? null)]));
}"""


# Of every entry of the legend: its name, and the line or dot before it.
LEGEND = """f => Array.from(f.querySelectorAll(".hdp-legend li")).map(entry => {
    const drawing = entry.querySelector("path, circle, rect");
    return [entry.textContent, ...["stroke", "stroke-dasharray", "fill"].map(name => drawing.getAttribute(name))];
})"""


# What is faded at an end, as if there were more of it, although all of it is seen.  The fonts of formulas come late.
FADED = """async () => {
    const over = part => {
        const seen = part.matches("span.math, .hdp-mark") && part.querySelector("mjx-math");
        return (seen ? seen.getBoundingClientRect().width : part.scrollWidth) - part.clientWidth;
    };
    const faded = () => Array.from(document.querySelectorAll(".hdp-more-left, .hdp-more-right"))
        .filter(part => over(part) <= 1).map(part => part.textContent.slice(0, 60));
    for (let waited = 0; waited < 5000 && faded().length; waited += 50) await new Promise(r => setTimeout(r, 50));
    return faded();
}"""


class BuiltPage:
    """A page of the book in a browser context of its own, which may have figures."""

    def __init__(self, page, complaints):
        self.page, self.complaints, self.shown, self.files = page, complaints, None, set()
        self.faded = []

    def show(self, size, scheme="light"):
        """Show the page in this size and with these colours, with all its figures drawn anew."""
        if self.shown == (size, scheme):
            return
        before, colours = self.shown or (None, None)
        if size != before:
            self.page.set_viewport_size(size)
        if scheme != colours:
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
        self.settle()

    def settle(self):
        """Wait until what was asked of the figure is drawn."""
        self.element.evaluate(SETTLE)

    def move(self, values):
        """Set the sliders, as dragging does, and wait until the figure is drawn."""
        self.element.evaluate(MOVE, values)

    def press(self, key, times=1):
        """Press a key and wait for what it does."""
        for _ in range(times):
            self.page.keyboard.press(key)
        self.settle()

    def read(self, script, argument=None):
        """Read something of the figure with one of the scripts above."""
        return self.element.evaluate(script, argument)

    def marks(self):
        """Return all drawn marks: name, path, place, end and text of each."""
        return self.read(MARKS)


def preview(page):
    """Return the preview of a page, once it is shown."""
    box = page.get_by_role("tooltip")
    box.wait_for()
    return box


def previewed_by_keyboard(page, link):
    """Move the focus onto a link with Tab, and return its preview."""
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    return preview(page)


def pages_of_figures(site):
    """Return the name of every figure on the built pages, with the paths of its pages."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        for name in ON_PAGE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(path.relative_to(site).as_posix())
    return found


def with_simulated(figures, names):
    """Return the figures by name, and those of these names that show one of them once more, with simulated points.

    Points come last and have the labels of curves: all else is that of the figure without them.
    """
    more = [name for name in names if name.endswith("-simulated")]
    return figures | {name: replace(figures[name.removesuffix("-simulated")], name=name) for name in more}


def open_context(browser, complaints, **options):
    """Return a new browser context; whatever its pages complain of, warnings included, goes to `complaints`."""

    def note_warning(message):
        if message.type == "warning":
            complaints.append(f"warning: {message.text}")

    context = browser.new_context(**options)
    context.set_default_timeout(20_000)
    watch(context, complaints)
    context.on("console", note_warning)
    return context


def assert_silent(complaints):
    """Fail if a page complained since this was asked last."""
    said = list(dict.fromkeys(complaints))
    complaints.clear()
    assert not said, "\n".join(said)


def mark_numbers(figure):
    """Yield every layer with the number of its first mark; points and bars have two.

    On a heatmap a curve lies on a white band, and what is filled below one is an area: they take a number too.  The
    labels of rules come after all other marks, and then points.  The lines of two pictures in one come first.
    """
    count, rules = 2 * bool(figure.split), sum(isinstance(layer, Rule) for layer in figure.layers)
    first = {}
    for layer in sorted(figure.stacked, key=lambda layer: isinstance(layer, Points)):
        banded = isinstance(layer, Curve) and (figure.heatmap is not None or layer.base is not None)
        first[id(layer)] = count + banded + (rules if isinstance(layer, Points) else 0)
        count += 2 if banded or isinstance(layer, Bar | Points) else 1
    for layer in figure.layers:
        yield layer, first[id(layer)]


def is_hidden(figure, layer, values):
    """Whether a layer has nothing to draw there: a rule outside the frame, points simulated elsewhere, a note."""
    if isinstance(layer, Points):
        return not layer.visible(values)
    if isinstance(layer, Note):
        return not layer.reference(**values)
    if isinstance(layer, Box | Text):
        return not np.isfinite(np.array(layer.reference(**values), dtype=float)).all()
    if not isinstance(layer, Rule):
        return False
    low, high = getattr(figure, "x" if layer.x is not None else "y").domain or (-np.inf, np.inf)
    return not low <= float(layer.reference(**values)) <= high


def scattered(figure, count):
    """Return parameter values at random positions of the sliders, the same ones in every run."""
    draw = random.Random(figure.name)
    return [{p.name: draw.choice(p.positions) for p in figure.parameters} for _ in range(count)]


def positions_to_check(figure):
    """Return the paper's values, every preset, both ends of all sliders and some random positions."""
    ends = [{p.name: p.positions[k] for p in figure.parameters} for k in (0, -1)]
    presets = [figure.values(**preset.values) for preset in figure.presets]
    return [figure.paper_values, *presets, *ends, *scattered(figure, 2)]


def assert_agrees(drawn, expected, what):
    """Compare two curves to 1e-9.

    Relative to the value, or to a millionth of the curve's range where the value is smaller, so that a rounding error
    beside a zero does not count.  The curves must have a value at the same samples, except that one may start or end a
    sample earlier than the other, because the sides of a comparison are rounded differently.
    """
    drawn, expected = (np.where(np.isfinite(v), v, np.nan) for v in (np.array(drawn, dtype=float), expected))
    missing, without = np.isnan(drawn), np.isnan(expected)
    ends = np.diff(without)
    beside_end = np.append(ends, False) | np.append(False, ends)
    assert not ((missing != without) & ~beside_end).any(), f"{what} is not drawn where it has a value, or the reverse"
    both = ~missing & ~without
    if both.any():
        wanted = expected[both]
        error = np.abs(drawn[both] - wanted) / np.maximum(np.maximum(np.abs(wanted), 1e-6 * np.ptp(wanted)), 1e-300)
        assert error.max() <= 1e-9, f"{what} differs by {error.max():.3g}"
    return both.sum()


def assert_same(drawn, expected, what, floor=0.0):
    """Compare two numbers to 1e-9 relative, or to `floor`; no finite value agrees with no finite value."""
    drawn = np.nan if drawn is None else drawn
    if not (np.isnan(drawn) or np.isinf(drawn)) or np.isfinite(expected):
        assert abs(drawn - expected) <= max(1e-9 * abs(expected), floor), f"{what} is {drawn!r}, not {expected!r}"
