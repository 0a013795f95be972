"""The script of a page that runs, beside a worker of the test's own: what is loaded, said and shown, and when.

The worker answers what the test lets it answer, so that every message comes when it is looked for; `test_kernel.py`
runs Python.
"""

import base64
import gzip
import json
import re

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.figure_page import PHONE, assert_silent, open_context
from tests.browser.test_kernel import PAGE, ROWS

pytestmark = pytest.mark.xdist_group("kernel script")  # most of them share a page
WORKER = """window.Worker = class {
    constructor() { window.worker = this; this.sent = []; }
    postMessage(message) { this.sent.push(message); }
    terminate() { this.ended = true; }
};
window.said = [];
new MutationObserver(() => {
    const text = document.querySelector(".hdp-status [role=status]")?.textContent;
    if (text !== said.at(-1)) said.push(text);
}).observe(document, { subtree: true, childList: true });"""
SCRIPT = "text/javascript"
PLACE = "[scrollX, scrollY, document.activeElement.className]"
FOCUSED = "document.activeElement.textContent"
EMPTY = base64.b64encode(gzip.compress(b"")).decode()


class Kernel:
    """The page, and what comes of its files: nothing but their names, unless the test says otherwise."""

    def __init__(self, browser, site, name, **options):
        text = (site / "_static" / name / "index.js").read_text(encoding="utf-8")
        files = json.loads(json.loads(text[text.index("(") + 1 : text.rindex(")")]))
        self.sizes = {
            address: size * 3 / 4
            for file, entry in files.items()
            for address, size in entry["scripts"]
            if file not in ("matplotlib.img", "editor.js")
        }
        self.total = f"{sum(self.sizes.values()) / 1e6:.0f}"
        self.complaints, self.requests, self.wrong, self.kept = [], [], {}, []
        self.context = open_context(browser, self.complaints, **options)
        self.context.add_init_script(WORKER)
        self.context.route("**/mathjax/startup.js", lambda route: route.fulfill(body="", content_type=SCRIPT))
        self.context.route(f"**/{name}/*.js", self.answer)
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.page.goto((site / f"{PAGE}.html").as_uri())
        self.page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")

    def answer(self, route):
        """Answer a request for a piece of the kernel."""
        address = route.request.url.rpartition("/")[2]
        self.requests.append(address)
        name, _, number = address.removesuffix(".js").rpartition(".")
        wrong = self.wrong.get(address, "")
        if wrong == "late":
            self.kept.append(route)
        elif wrong is None:
            route.abort()
        elif address in ("index.js", "editor.js.0.js") and not wrong:
            route.continue_()
        else:
            route.fulfill(body=wrong or piece(name, number), content_type=SCRIPT)

    def tell(self, kind, **data):
        """Let the worker say something."""
        self.page.evaluate("data => worker.onmessage({ data })", {"type": kind, **data})

    def done(self, error=None, glued=None, seconds=0.46):
        """Let the worker end the cell that it runs."""
        self.tell("done", id=0, error=error, glued=glued or {}, seconds=seconds)

    def wait_for(self, number):
        """Wait until a cell runs."""
        self.page.wait_for_function("n => hdpKernel.cells[n].element.dataset.state === 'running'", arg=number)

    def run(self, number):
        """Press Run of a cell; the first time, that brings the script."""
        self.page.locator(f"button[title^='Run cell {number + 1},']").evaluate("button => button.click()")
        self.wait_for_script()

    def wait_for_script(self):
        """Wait for the script; where it does not come, say what the page complains of."""
        try:
            self.page.wait_for_function("window.hdpKernel")
        except TimeoutError:
            pytest.fail("\n".join(["hdp-kernel.js does not come", *self.complaints]), pytrace=False)

    def said(self, text):
        """Wait until it is said."""
        self.page.wait_for_function("text => said.includes(text)", arg=text)

    def leave(self):
        """Close the page; fail if it has complained."""
        self.context.close()
        assert_silent(self.complaints)

    def line(self):
        return self.page.locator(".hdp-counted").text_content()

    def state(self, number):
        return self.page.evaluate("n => hdpKernel.cells[n].state.textContent", number)


def piece(name, number, text=EMPTY):
    return f'hdpKernelPiece("{name}",{number},()=>{{/*{text}*/}})'


@pytest.fixture(scope="module")
def opened(browser, site, kernel):
    """Yield the page, whose cells have not run."""
    found = Kernel(browser, site, kernel)
    yield found
    found.leave()


@pytest.fixture
def started(opened):
    """Return the page once its Python is there; whatever was asked of it before."""
    opened.page.evaluate("() => { hdpCells.load().catch(() => {}); }")
    opened.wait_for_script()
    opened.page.evaluate("() => { said.length = 0; hdpKernel.launch().catch(() => {}); }")
    opened.page.wait_for_function("window.worker && !worker.ended")
    opened.tell("ready")
    opened.page.evaluate("() => hdpKernel.launch().then(() => {})")
    return opened


def test_a_telephone_is_told_how_much_and_loads_it_if_that_is_wanted(browser, site, kernel):
    """What comes is counted; what Python does then is said, and how long it has taken."""
    opened = Kernel(browser, site, kernel, viewport=PHONE)
    page, last = opened.page, max(address for address in opened.sizes if re.match(r"scipy.img.\d\d", address))
    opened.wrong = {last: "late"}
    opened.run(0)
    asked = page.locator(".hdp-question")
    asked.wait_for()
    assert f"{opened.total} MB are loaded once" in asked.inner_text() and opened.requests == ["index.js"]
    assert page.evaluate(FOCUSED) == "Load it"
    asked.get_by_role("button", name="Load it").click()
    come = f"{(sum(opened.sizes.values()) - opened.sizes[last]) / 1e6:.0f}"
    page.locator(".hdp-counted", has_text=f"loading Python, {come} of {opened.total} MB, ").wait_for(timeout=60_000)
    assert page.locator(".hdp-question").count() == 0
    opened.said(f"Loading Python, {opened.total} MB.  It starts anew on every page.")
    opened.kept.pop().fulfill(body=piece(*last.removesuffix(".js").rsplit(".", 1)), content_type=SCRIPT)
    page.locator(".hdp-counted", has_text=re.compile(r"^starting Python, \d+ s$")).wait_for()
    opened.tell("status", text="Importing")
    opened.said("Importing")
    page.locator(".hdp-counted", has_text=re.compile(r"^Importing, \d+ s$")).wait_for()
    assert sorted(opened.requests) == sorted(["index.js", *opened.sizes])
    opened.tell("ready")
    opened.wait_for(0)
    opened.done(seconds=1.26)
    opened.said("Cell 1 is done")
    assert opened.state(0) == "done in 1.3 s" and not page.locator(".hdp-status").is_visible()
    opened.run(1)
    opened.wait_for(1)  # it is not asked again
    opened.leave()


def test_what_runs_first_is_named_and_what_fails_stops_what_comes_after(started):
    page = started.page
    page.evaluate("() => hdpKernel.cells.forEach((cell, i) => { cell.ran = i === 0; })")
    started.run(3)
    for number in (1, 2):
        started.wait_for(number)
        started.said("Running cells 2 and 3 first")
        if number == 1:
            started.done()
    started.done(error='File "<cell 3>", line 2\nValueError: odd\n')
    started.said("Cell 3 has failed, so cell 4 was not run.")
    assert started.state(3) == "not run: cell 3 has failed" and started.state(2) == "failed in 0.5 s"
    told = page.evaluate("() => Array.from(hdpKernel.cells[2].box.querySelectorAll('p, pre'), one => one.textContent)")
    assert told == ["ValueError: odd (line 2 of cell 3)", 'File "<cell 3>", line 2\nValueError: odd\n']
    started.run(2)
    started.wait_for(2)
    started.done()
    started.said("Cell 3 is done")


def test_everything_that_a_cell_says_is_shown_in_its_order(started):
    """Words, results of every kind, and why one cannot be shown; matplotlib is loaded when it is needed."""
    page = started.page
    page.evaluate("() => hdpKernel.cells.forEach((cell, i) => { cell.ran = i === 0; })")
    started.run(1)
    started.wait_for(1)
    started.tell("need", name="matplotlib.img")
    started.said("Loading matplotlib")
    page.wait_for_function("worker.sent.at(-1).name === 'matplotlib.img'")
    started.tell("stream", text="one ")
    started.tell("stream", text="line\n")
    for mime, text in (
        ("text/html", "<b>bold</b>"),
        ("text/latex", r"$\displaystyle x^2$"),
        ("text/markdown", "| a | $b$ |\n|---|---|\n| 1 | 2 |"),
        ("text/markdown", "one\n\ntwo"),
        ("image/png", "AAAA"),
        ("text/plain", "<plain>"),
    ):
        started.tell("output", mime=mime, text=text)
    started.tell("stream", text="after")
    page.evaluate("() => { window.kept = window.MathJax; }")
    page.evaluate("() => { window.MathJax = { typesetPromise: () => { throw new Error('odd'); } }; }")
    started.done()
    page.locator(".hdp-result", has_text="The result could not be shown: odd").wait_for()
    page.evaluate("() => { window.MathJax = kept; }")
    read = "() => Array.from(hdpKernel.cells[1].box.children, one => one.querySelector('img')?.src ?? one.innerHTML)"
    assert page.evaluate(read) == [
        "<pre>one line\n</pre>",
        "<b>bold</b>",
        r"\[x^2\]",
        '<table class="table"><thead><tr><th class="mathjax_process">a</th>'
        '<th class="mathjax_process">\\(b\\)</th></tr></thead>'
        '<tbody><tr><td class="mathjax_process">1</td><td class="mathjax_process">2</td></tr></tbody></table>',
        '<p class="mathjax_process">one</p><p class="mathjax_process">two</p>',
        "data:image/png;base64,AAAA",
        "<pre>&lt;plain&gt;</pre>",
        "<pre>after</pre>",
        "The result could not be shown: odd",
    ]


def test_the_report_has_both_numbers_of_each_and_what_was_changed(started):
    page, count = started.page, started.page.evaluate("hdpKernel.cells.length")
    page.evaluate("() => hdpKernel.cells[2].edit(true, hdpKernel.cells[2].book + ' ')")
    place = page.evaluate(PLACE)
    page.evaluate("() => { hdpKernel.runAll(); }")
    for number in range(count):
        started.wait_for(number)
        assert started.line() == f"Running cell {number + 1} of {count}"
        started.done(glued={"lost": "0.3"} if number == 2 else {})
    report = page.locator(".hdp-report")
    report.wait_for()
    assert page.evaluate("worker.sent.filter(message => message.type === 'fresh').length") == 1
    said = report.locator("p").first.inner_text()
    assert re.match(rf"All {count} cells ran in \d+\.\d s\. 0 of 2 printed numbers are confirmed\.", said)
    assert said.endswith(" You have changed cell 3.")
    started.said(said)
    assert page.evaluate(PLACE) == place, "the reader stays where she is"
    assert report.locator("th").all_inner_texts() == ["number", "printed", "just computed", "equal"]
    assert page.evaluate(ROWS) == [["lost", "0.2143", "0.3", "no"], ["public-gain", "24.8", "not computed", "no"]]
    assert report.locator(".hdp-differs").count() == 2 and report.locator(".hdp-licences a").count() == 1
    marks = page.locator(".pasted-text + .hdp-now")
    assert marks.all_text_contents() == [" (now 0.3)"]
    assert marks.evaluate("mark => mark.previousSibling.textContent") == "0.2143"
    page.locator(".hdp-run-all").focus()
    while page.evaluate(FOCUSED) != "Show the report":
        page.keyboard.press("Tab")
        assert page.evaluate("Boolean(document.activeElement.closest('.article-header-buttons'))"), "it comes soon"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "hdp-report"
    assert not page.locator(".hdp-status").is_visible()
    page.evaluate("() => hdpKernel.cells[2].reset()")
    assert marks.count() == 0, "what the book says is what its code gives"
    assert [started.state(number).split(" in ")[0] for number in (1, 2, 3)] == ["done", "", "out of date"]


def test_the_editor_indents_and_is_left_by_the_keyboard(started):
    """Its words have the classes of the book's listings."""
    page = started.page
    page.evaluate("() => hdpKernel.cells[0].edit(true, '')")
    for line in ("if x:", "y", "z"):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    assert page.evaluate("hdpKernel.cells[0].code") == "if x:\n    y\n    z\n    "
    field = page.locator(".hdp-editor").get_by_role("textbox", name="Code of cell 1; Shift and Enter run it")
    field.locator(".k", has_text="if").wait_for()
    assert field.evaluate("field => field === document.activeElement")
    page.keyboard.press("Tab")
    assert page.evaluate("hdpKernel.cells[0].code").endswith("z\n        ")
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED) == "Run"
    page.evaluate("() => hdpKernel.cells[0].reset()")
    assert page.evaluate(FOCUSED) == "Run"


def test_what_was_changed_is_there_when_the_page_is_loaded_again(started):
    """Until Reset; where the browser keeps nothing, cells are edited all the same."""
    page, wait = started.page, lambda: started.page.wait_for_function("window.hdpKernel?.cells[2].editor")
    page.evaluate("() => hdpKernel.cells[2].edit(true, '1 + 1')")
    page.reload()
    wait()
    page.wait_for_function("hdpKernel.cells[2].state.textContent === 'changed, as you left it'")
    assert page.evaluate("hdpKernel.cells.map(cell => cell.code).indexOf('1 + 1')") == 2
    assert page.locator(".hdp-editor").is_visible(), "in a fold that is open"
    assert page.evaluate("'worker' in window") is False, "nothing is run unasked"
    page.evaluate("() => hdpKernel.cells[2].reset()")
    page.reload()
    page.wait_for_function("window.hdpCells")
    assert page.evaluate("hdpCells.kept.get(3)") is None
    page.evaluate("() => Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('forbidden'); } })")
    page.evaluate("() => hdpCells.load().then(kernel => kernel.cells[2].edit(true, '2'))")
    wait()
    assert page.evaluate("hdpKernel.cells[2].code") == "2"
    page.evaluate("() => hdpKernel.cells[2].reset()")


@pytest.mark.parametrize("way", ["stop", "end"])
def test_the_end_of_python_is_told_where_it_ran(started, way):
    page, said = started.page, "Stopped.  What Python knew is lost; Run starts it anew."
    page.evaluate("() => hdpKernel.cells.forEach(cell => { cell.ran = false; })")
    started.run(0)
    started.wait_for(0)
    page.evaluate("() => { hdpKernel.cells[1].ran = true; hdpKernel.cells[1].mark('done'); }")
    if way == "stop":
        page.evaluate("hdpKernel.stop()")
        started.said("Python is stopped")
    else:
        said = "Python has ended: no memory.  Run starts it anew."
        started.tell("failed", text="no memory")
        started.said(said)
    assert page.evaluate("hdpKernel.cells[0].box.textContent") == said and started.state(0) == "stopped"
    assert page.evaluate("worker.ended") is True and started.state(1) == "", "Python knows nothing of it"


WRONG = {
    "missing": ("cell.py.0.js", None, "cell.py.0.js is missing"),
    "damaged": ("cell.py.0.js", piece("cell.py", 0, "?"), "cell.py.0.js is damaged"),
    "exchanged": ("index.js", 'hdpKernelIndex("{}")', "index.js is not the file that this book was built with"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_kernel_that_is_not_whole_is_told(browser, site, kernel, case):
    """Where the reader has asked, and to who only hears it; on a telephone, too, which needs the list to ask first."""
    address, text, reason = WRONG[case]
    opened = Kernel(browser, site, kernel, **({"viewport": PHONE} if address == "index.js" else {}))
    opened.wrong = {address: text}
    opened.run(0)
    told = opened.page.locator(".hdp-result p")
    told.wait_for(timeout=60_000)
    assert told.inner_text() == f"Python could not be started: {reason}"
    assert opened.state(0) == "not run"
    opened.said(f"Python could not be started: {reason}")
    opened.wrong.clear()
    opened.requests.clear()
    opened.run(0)
    if address == "index.js":
        opened.page.get_by_role("button", name="Load it").click()
    opened.page.wait_for_function("window.worker && !worker.ended")
    assert "worker.js.0.js" in opened.requests, "what came with it is not kept"
    opened.context.close()
