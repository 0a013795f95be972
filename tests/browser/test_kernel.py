"""Pages run in the browser: from disk and over http, with nothing but the files of the book.

A page is opened once for all tests of it, in the order in which they stand: Python takes its seconds to start.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.book.test_kernel import WITHOUT
from tests.browser import axe
from tests.browser.figure_page import ALIVE, PHONE, SETTLED
from tests.conftest import watch
from tests.files import PAGES, read

PAGE = "book/heterogeneous-budgets/upper-bound"
MEMORY = 700  # MiB that the browser's process of a page may have, Python in it included
START = 120_000  # milliseconds for Python to start on a busy machine
RUNNABLE = [name for name in PAGES[1:] if name not in WITHOUT and "```{code-cell}" in read(f"{name}.md")]

CODES = "() => hdpKernel.cells.map(cell => cell.book)"
UNFOLD = "() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
ROWS = """() => Array.from(document.querySelectorAll(".hdp-report tbody tr"),
    row => Array.from(row.cells, cell => cell.textContent))"""
TWICE = """() => Array.from(document.querySelectorAll("[id]"), element => element.id)
    .filter((id, i, all) => all.indexOf(id) !== i)"""
# What is said while Python is loaded and starts.
LISTEN = """() => {
    window.heard = [];
    new MutationObserver(() => {
        const text = document.querySelector(".hdp-status [role=status]")?.textContent;
        if (text && text !== heard.at(-1)) heard.push(text);
    }).observe(document.body, { subtree: true, childList: true });
}"""
FIELD = ".hdp-editor [contenteditable]"  # of a cell that is edited
STATES = "() => hdpKernel.cells.map(cell => cell.element.dataset.state ?? '')"


def renderers(browser):
    """Return the numbers of the processes in which a browser shows pages."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {process["id"] for process in found if process["type"] == "renderer"}


class Page:
    """A page whose cells can be run."""

    def __init__(self, browser, address, **options):
        self.browser, self.others = browser, renderers(browser)
        self.complaints, self.requests = [], []
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(20_000)
        watch(self.context, self.complaints)
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page = self.context.new_page()
        self.page.goto(address)
        self.page.evaluate(SETTLED)
        self.page.evaluate(UNFOLD)

    def cell(self, start):
        """Return the cell whose code begins so; the page's own cells, once the kernel's script is there."""
        codes = self.page.evaluate(CODES)
        (number,) = (i for i, code in enumerate(codes) if code.startswith(start))
        return Cell(self.page, number)

    def run_all(self, timeout=START):
        """Run all cells, and return what the page says of them."""
        self.page.evaluate("() => document.querySelector('.hdp-report')?.remove()")
        self.page.get_by_role("button", name="Run all").evaluate("button => button.click()")  # without scrolling to it
        report = self.page.locator(".hdp-report p").first
        report.wait_for(timeout=timeout)
        return report.inner_text()

    def memory(self):
        """Return the MiB that the process of this page has in memory; 0 where the system does not say it."""
        found = (Path(f"/proc/{number}/smaps_rollup") for number in renderers(self.browser) - self.others)
        texts = [path.read_text(encoding="ascii") for path in found if path.exists()]
        return max((int(re.search(r"^Rss:\s+(\d+) kB", text, re.M)[1]) / 1024 for text in texts), default=0)


class Cell:
    """A cell of such a page."""

    def __init__(self, page, number):
        self.page, self.number = page, number
        self.element = page.evaluate_handle(f"hdpKernel.cells[{number}].element").as_element()

    def press(self, label):
        """Press one of its buttons."""
        self.page.evaluate(
            """([number, label]) => Array.from(hdpKernel.cells[number].bar.querySelectorAll("button"))
                .find(button => button.textContent === label && !button.hidden).click()""",
            [self.number, label],
        )

    def write(self, code):
        """Replace its code, as a reader does."""
        self.press("Edit")
        editor = self.element.wait_for_selector(FIELD)
        editor.fill(code)
        return editor

    def run(self, code=None, state="done"):
        """Run it, with other code if that is given; return its result once it is done or failed."""
        if code is not None:
            self.write(code)
        self.press("Run")
        return self.wait(state)

    def wait(self, state, timeout=START):
        """Wait until it is done, failed, stopped, running or changed; return its result."""
        self.page.wait_for_function(
            "([number, state]) => hdpKernel.cells[number].element.dataset.state === state",
            arg=[self.number, state],
            timeout=timeout,
        )
        return self.page.evaluate("number => hdpKernel.cells[number].box?.innerText ?? ''", self.number)


@pytest.fixture(scope="module")
def opened(browser, site, kernel):
    """Yield the page, opened from disk."""
    page = Page(browser, (site / f"{PAGE}.html").as_uri())
    yield page
    page.context.close()
    assert page.complaints == []


pytestmark = pytest.mark.xdist_group("kernel")


def test_a_page_that_nobody_runs_loads_nothing_of_it(opened, kernel):
    assert opened.page.get_by_role("button", name="Run", exact=True).count() > 10
    assert not [address for address in opened.requests if kernel in address or "hdp-kernel" in address]
    assert opened.page.evaluate("() => 'hdpKernel' in window") is False


def test_the_reader_verifies_the_page(opened):
    """All cells run, every printed number is confirmed, assertions show their mark, and figures live."""
    printed, twice = opened.page.locator(".hdp-mark").count(), opened.page.evaluate(TWICE)
    opened.page.evaluate(LISTEN)
    opened.page.locator("h2").nth(2).evaluate("heading => heading.scrollIntoView({ behavior: 'instant' })")
    placed = "document.querySelectorAll('h2')[2].getBoundingClientRect().top"
    before = opened.page.evaluate(placed)
    said = opened.run_all()
    assert abs(opened.page.evaluate(placed) - before) < 40, "the reader is where she was"
    assert opened.page.evaluate("heard")[1:3] == ["Installing NumPy, SciPy and SymPy", "Importing them"]
    assert opened.memory() < MEMORY
    assert re.match(r"All \d+ cells ran in [\d.]+ s\. 2 of 2 printed numbers are confirmed\.$", said)
    assert opened.page.evaluate(ROWS) == [["lost", "0.2143", "0.2143", "yes"], ["public-gain", "24.8", "24.8", "yes"]]
    assert set(opened.page.evaluate(STATES)) == {"done"}
    assert opened.page.locator(".hdp-result .hdp-mark").count() == printed > 5
    assert opened.page.locator(".hdp-result .hdp-formula mjx-container").count() >= 5, "typeset"
    opened.page.wait_for_function(ALIVE)
    figures = opened.page.locator(".hdp-result .hdp-figure[data-ready]")
    assert figures.count() == opened.page.locator(".hdp-figure").count() >= 2
    assert opened.page.evaluate(TWICE) == twice


def test_a_slider_of_a_new_figure_moves_its_curve(opened):
    figure = opened.page.locator(".hdp-result .hdp-figure").nth(1)
    curve = "f => f.querySelector('.mark-line path').getAttribute('d')"
    before = figure.evaluate(curve)
    figure.locator("input[type=range]").first.focus()
    opened.page.keyboard.press("ArrowRight")
    opened.page.wait_for_function(f"([f, before]) => ({curve})(f) !== before", arg=[figure.element_handle(), before])


def test_a_changed_page_is_found_out(opened):
    """A doubter changes a budget: the number differs, and the page says so; then a sign, and the assertion fails."""
    cell = opened.cell("epsilon = np.repeat")
    editor = cell.write("epsilon = np.repeat([0.1, 1.0], [600, 400])\nw = adpm.weights(epsilon)\n"
                        "loss = affine.privacy_loss(w, affine.noise_scale(w, epsilon))")  # fmt: skip
    assert opened.page.evaluate(STATES)[cell.number] == "changed"
    assert "out" in opened.page.evaluate(STATES)[cell.number + 1 :], "what stands below is out of date"
    editor.press("Escape")
    assert opened.page.evaluate("document.activeElement.textContent") == "Run"
    told = opened.cell("assert np.all(loss").run(state="failed")
    assert "AssertionError" in told and "line 3 of cell" in told
    cell.press("Reset")
    sign = opened.cell("X = sp.Symbol")
    false = 'X = sp.Symbol("X", real=True)\nhalf = sp.Rational(1, 2)\nassert_identity((half - X) * (half + X), X**2)'
    sign.write(false).press("Shift+Enter")
    assert "not shown to be identical" in sign.wait("failed")
    assert "has failed" in opened.run_all() and opened.page.evaluate(ROWS)[0][2:] == ["not computed", "no"]
    sign.press("Reset")
    assert opened.page.evaluate(CODES)[sign.number].endswith("sp.Rational(1, 4) - X**2)")
    assert sign.element.query_selector(".hdp-mark"), "the printed result is back"


def test_an_error_names_the_line(opened):
    cell = opened.cell("coin = [")
    code = "import sys, time; print('so far', file=sys.stderr)\ntime.sleep(0.3)\nvalue = 1 / 0\n"
    told = cell.run(code, "failed")
    state = opened.page.evaluate(f"hdpKernel.cells[{cell.number}].state.textContent")
    assert 0.3 <= float(re.match(r"failed in (\d+\.\d) s", state)[1]) < 30
    assert f"ZeroDivisionError: division by zero (line 3 of cell {cell.number + 1})" in told
    assert told.startswith("so far") and "value = 1 / 0" in told and "pyodide" not in told
    cell.press("Reset")


def test_what_would_stop_the_page_is_cut(opened):
    """Lines, one line that is long, results, and the text of one: each says how much is missing."""
    cell = opened.cell("coin = [")
    shown = cell.run("for i in range(200_000):\n    print(i)")
    assert shown.startswith("0\n1\n") and "\n999\n" in shown and "1000" not in shown
    assert shown.endswith("The rest is cut: 199,000 lines, 1,285,000 characters.")
    code = "from IPython.display import Markdown, display\nprint('x' * 150_000)\nfor i in range(201):\n    display(i)"
    shown = cell.run(f"{code}\n'y' * 200_000")
    assert shown.count("x") == 100_000 and "199" in shown and "200\n" not in shown
    assert shown.endswith("The rest is cut: 50,000 characters, 2 results.")
    shown = cell.run("'y' * 200_000")
    assert shown.count("y") == 100_000 - 1 and shown.endswith("\nThe rest is cut: 100,002 characters.")
    cell.press("Reset")


def test_matplotlib_comes_when_it_is_imported(opened):
    assert not [address for address in opened.requests if "matplotlib" in address]
    cell = opened.cell("coin = [")
    cell.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.xlabel('x');")
    assert opened.page.evaluate(f"hdpKernel.cells[{cell.number}].box.querySelector('img').naturalWidth") > 100
    cell.press("Reset")


def test_what_axe_finds_in_a_page_that_was_run(opened):
    opened.cell("coin = [").run("1 / 0", "failed")
    parts = (".hdp-bar", ".hdp-editor", ".hdp-status", ".traceback", ".hdp-report", ".hdp-run-all")
    seen = [[part] for part in parts if opened.page.locator(part).first.is_visible()]
    assert len(seen) >= 4
    axe.assert_nothing_found(opened.page, {"include": seen})
    opened.page.emulate_media(color_scheme="dark")
    axe.assert_nothing_found(opened.page, {"include": seen}, runOnly=["color-contrast", "link-in-text-block"])
    opened.cell("coin = [").press("Reset")


def test_an_endless_loop_is_stopped(opened):
    """Python is started anew by the next run."""
    cell = opened.cell("coin = [")
    cell.run("while True:\n    pass", "running")
    opened.page.wait_for_timeout(300)
    cell.press("Stop")
    assert "Run starts it anew" in cell.wait("stopped", 2_000)
    cell.press("Reset")
    opened.cell("import numpy").run()


def test_no_other_host_can_be_asked(opened):
    """Neither by the page nor by the reader's code: the policy refuses before a request is made."""
    asked = "fetch('https://example.org/').then(() => 'answered', () => 'refused')"
    assert opened.page.evaluate(asked) == "refused"
    told = [line for line in opened.complaints if "example.org" in line]
    assert told and all("Content Security Policy" in line for line in told), "not even a request"
    opened.complaints.clear()


# -- one page each ---------------------------------------------------------------------------------------------------


def test_a_page_that_is_served_runs_too(browser, address, kernel):
    """Over http, where files are fetched in another way than from disk."""
    page = Page(browser, f"{address}/{PAGE}.html")
    assert not [asked for asked in page.requests if kernel in asked or "hdp-kernel" in asked]
    page.page.get_by_role("button", name="Run", exact=True).first.click()
    page.page.locator("[data-state=done]").first.wait_for(timeout=START)
    page.context.close()
    assert page.complaints == []


def test_a_wrong_file_is_refused_by_name(browser, site, kernel, tmp_path):
    """A file of the kernel that was changed on its way to the reader."""
    shutil.copytree(site, tmp_path / "site", ignore=shutil.ignore_patterns("matplotlib*", "_sources"))
    script = next((tmp_path / "site/_static" / kernel).glob("cell.py.*"))
    text = script.read_text()
    script.write_text(text.replace("/*H4", "/*H5", 1))
    page = Page(browser, (tmp_path / f"site/{PAGE}.html").as_uri())
    page.page.get_by_role("button", name="Run", exact=True).first.click()
    said = page.page.locator(".traceback p")
    said.wait_for(timeout=START)
    assert "cell.py" in said.inner_text()
    page.context.close()


def test_a_telephone_is_asked_first(browser, site, kernel):
    """It is told how much is loaded, and nothing is loaded where the answer is no."""
    page = Page(browser, (site / f"{PAGE}.html").as_uri(), viewport=PHONE)
    page.page.get_by_role("button", name="Run", exact=True).first.click()
    question = page.page.locator(".hdp-question")
    question.wait_for()
    assert re.search(r"\d\d MB are loaded once", question.inner_text())
    axe.assert_nothing_found(page.page, ".hdp-question")
    question.get_by_role("button", name="Not now").click()
    assert not [address for address in page.requests if kernel in address and "index.js" not in address]
    page.context.close()


def test_a_cell_of_the_readers_own(browser, site, kernel):
    """The examples run, and the address has the code."""
    page = Page(browser, (site / "book/use/playground.html").as_uri())
    page.page.wait_for_selector(FIELD)
    menu = page.page.get_by_label("Example")
    examples, editor = EXAMPLE.findall(read("book/use/playground.md")), page.page.locator(FIELD)
    assert menu.locator("option").all_inner_texts()[1:] == [name for name, _ in examples] and len(examples) >= 4
    assert page.page.evaluate("document.activeElement === document.body"), "the focus stays where a page begins"
    assert page.page.locator(".hdp-without").count() == 0
    cell = Cell(page.page, 0)
    for option, code in examples:
        menu.select_option(option)
        cell.wait("changed")
        assert page.page.evaluate(CODE) == code
        assert cell.run(), option
    editor.fill("6 * 7  # ε & 100 %")
    page.page.wait_for_function("location.hash.startsWith('#code=6')")
    assert cell.run() == "42"
    again = Page(browser, page.page.url)
    again.page.wait_for_selector(FIELD)
    assert again.page.evaluate(CODE) == "6 * 7  # ε & 100 %"
    loaded = {Path(address).name for address in again.requests if kernel in address}
    assert loaded == {"index.js", "editor.js.0.js"}, "it is not run unasked"
    assert page.complaints == again.complaints == []
    page.context.close()
    again.context.close()


# In a chapter, an example with its name; on its page, the code, and how often the address changes.
EXAMPLE = re.compile(r"^```{code-block} python\n:caption: ([^\n]*)\n\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
CODE = "hdpKernel.cells[0].code"


# What depends on the clock is not the same twice.
TIMED = {"book/hybrid-trust/k-means": {"naive", "fast"}}
LONGEST = 900_000  # simulations of a page, on one busy core


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNNABLE)
def test_every_page_can_be_run(browser, site, kernel, name):
    page = Page(browser, (site / f"{name}.html").as_uri())
    said, memory = page.run_all(LONGEST), page.memory()
    differ = [row for row in page.page.evaluate(ROWS) if row[3] != "yes" and row[0] not in TIMED.get(name, ())]
    told = page.page.locator(".hdp-result .traceback").all_inner_texts()
    page.page.wait_for_function(ALIVE)
    page.context.close()
    assert (said.startswith("All"), differ, told, page.complaints) == (True, [], [], [])
    assert memory < MEMORY
