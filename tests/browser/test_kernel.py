"""Pages run in the browser, with nothing but the files of the book: their cells, exercises, and one's own users."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup

import hdp
from hdp import release
from hdp.__main__ import main
from hdp._cli.answers import report
from tests.book.test_kernel import WITHOUT
from tests.browser.figure_page import ALIVE, OVERFLOW, PHONE, SETTLED, axe_finds
from tests.conftest import ROOT
from tests.files import PAGES, read

pytestmark = pytest.mark.xdist_group("kernel")
PAGE = "book/heterogeneous-budgets/upper-bound.html"
USERS = "book/use/your-users.html"
START = 120_000  # milliseconds for Python to start on a busy machine
RUNNABLE = [name for name in PAGES[1:] if name not in WITHOUT and "```{code-cell}" in read(f"{name}.md")]
FIELD = ".hdp-editor [contenteditable]"  # of a cell that is edited
CELL = "start => hdpKernel.cells.find(cell => cell.book.startsWith(start)).element"
ROWS = """() => Array.from(document.querySelectorAll(".hdp-report tbody tr"),
    row => Array.from(row.cells, cell => cell.textContent))"""


def run_all(page, timeout=START):
    """Run all cells, and return what the page says of them."""
    page.evaluate(SETTLED)
    page.evaluate("() => document.querySelector('.hdp-report')?.remove()")
    page.get_by_role("button", name="Run all").evaluate("button => button.click()")  # without scrolling to it
    report = page.locator(".hdp-report p").first
    report.wait_for(timeout=timeout)
    return report.inner_text()


def press(cell, label):
    cell.query_selector(f"button:text-is('{label}')").click()


def run(page, start, code, state):
    """Run the cell that begins so with other code, and return it in this state."""
    cell = page.evaluate_handle(CELL, start).as_element()
    press(cell, "Edit")
    cell.wait_for_selector(FIELD).fill(code)
    press(cell, "Run")
    page.wait_for_function("([cell, state]) => cell.dataset.state === state", arg=[cell, state], timeout=START)
    return cell


def test_the_reader_verifies_a_page_and_what_she_breaks_is_found_out(open_page, kernel):
    """All cells run, every printed number is confirmed, figures live; then an error is told and a loop is stopped."""
    page = open_page("book/heterogeneous-budgets/given-data.html")
    page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    assert page.evaluate("() => 'hdpKernel' in window") is False, "a page that nobody runs loads nothing of it"
    printed = page.locator(".hdp-mark").count()
    assert re.match(r"All \d+ cells ran in [\d.]+ s\. 3 of 3 printed numbers are confirmed\.$", run_all(page))
    spread = np.exp(np.random.default_rng(2024).uniform(np.log(0.001), np.log(10), 1000))
    times = f"{hdp.GivenData(spread).level / spread.min():.0f}"
    assert page.evaluate(ROWS)[0] == ["given-times", times, times, "yes"]
    assert page.locator(".hdp-result .hdp-mark").count() == printed > 4
    assert page.locator(".hdp-result .hdp-formula mjx-container").count() >= 5, "typeset"
    page.wait_for_function(ALIVE)
    figures = page.locator(".hdp-result .hdp-figure[data-ready]")
    assert figures.count() == page.locator(".hdp-figure").count() >= 1
    moved, curve = figures.first, "f => f.querySelector('.mark-line path').getAttribute('d')"
    before = moved.evaluate(curve)
    moved.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_function(f"([f, before]) => ({curve})(f) !== before", arg=[moved.element_handle(), before])
    cell = run(page, "budgets = np.exp", "budgets = np.full(1000, 0.1)\nprint(budgets)\n1 / 0", "failed")
    assert "ZeroDivisionError: division by zero (line 3 of cell" in cell.query_selector(".hdp-result").inner_text()
    assert axe_finds(page, {"include": [[".hdp-bar"], [".hdp-report"], [".traceback"], [".hdp-run-all"]]}) == ""
    assert "has failed" in run_all(page) and page.evaluate(ROWS)[2][2:] == ["not computed", "no"]
    press(cell, "Reset")
    cell = run(page, "routes = (", "while True:\n    pass", "running")
    press(cell, "Stop")
    page.wait_for_function("cell => cell.dataset.state === 'stopped'", arg=cell, timeout=2_000)
    assert "Run starts it anew" in cell.query_selector(".hdp-result").inner_text()


def test_a_wrong_file_is_refused_by_name_and_a_telephone_is_asked_first(open_page, address, site, kernel):
    """A file of the kernel that was changed on its way to the reader."""
    page = open_page(f"{address}/{PAGE}", viewport=PHONE)
    script = next((site / "_static" / kernel).glob("cell.py.*"))
    wrong = script.read_text(encoding="utf-8").replace("/*H4", "/*H5", 1)
    page.route(f"**/{script.name}", lambda route: route.fulfill(body=wrong, content_type="text/javascript"))
    page.get_by_role("button", name="Run", exact=True).first.click()
    page.locator(".hdp-question").wait_for()
    assert re.search(r"\d\d MB are loaded once", page.locator(".hdp-question").inner_text())
    page.get_by_role("button", name="Load it").click()
    page.locator(".traceback p").wait_for(timeout=START)
    assert "cell.py" in page.locator(".traceback p").inner_text()


def test_an_exercise_is_judged_and_has_hints(open_page, kernel):
    """A number and a call, by keyboard."""
    page = open_page("book/heterogeneous-budgets/optimal-weights.html")
    for number, typed, state, said in (
        (0, "5.2", "not-yet", "Not yet: it is twice what is right."),
        (0, "13/5", "right", "Right."),
        (1, "adpm.saturation_ratio(0.1, n, 0.4)", "not-yet", "Not yet: for n = 1000 it is 3, and what is right is 2.6"),
        (1, "open('x')", "unread", ""),
    ):
        form = page.locator("form.hdp-exercise").nth(number)
        form.get_by_role("textbox").fill(typed)
        form.get_by_role("textbox").press("Enter")
        page.wait_for_function("form => form.dataset.verdict", arg=form.element_handle(), timeout=START)
        assert form.get_attribute("data-verdict") == state
        assert form.get_by_role("status").inner_text().startswith(said)
    form = page.locator("form.hdp-exercise").first
    for shown in range(2):
        assert form.locator("li:visible").count() == shown
        form.locator("[name=hint]").press("Enter")
    assert form.locator("li:visible").count() == 2
    assert axe_finds(page, "form.hdp-exercise") == ""


def test_a_cell_of_the_readers_own(open_page, kernel):
    """The first example runs, and the address has the code."""
    page = open_page("book/use/playground.html")
    editor = page.locator(FIELD)
    editor.wait_for()
    page.get_by_label("Example").select_option(index=1)
    page.wait_for_function("hdpKernel.cells[0].element.dataset.state === 'changed'")
    editor.fill("6 * 7  # ε & 100 %")
    page.wait_for_function("location.hash.startsWith('#code=6')")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("[data-state=done]").wait_for(timeout=START)
    assert page.locator(".hdp-result").inner_text() == "42"
    again = open_page(page.url)
    again.locator(FIELD).wait_for()
    assert again.evaluate("hdpKernel.cells[0].code") == "6 * 7  # ε & 100 %"


# What depends on the clock is not the same twice.
TIMED = {"book/hybrid-trust/k-means": {"naive", "fast"}}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNNABLE)
def test_every_page_can_be_run(open_page, kernel, name):
    page = open_page(f"{name}.html")
    said = run_all(page, 900_000)  # simulations of a page, on one busy core
    differ = [row for row in page.evaluate(ROWS) if row[3] != "yes" and row[0] not in TIMED.get(name, ())]
    told = page.locator(".hdp-result .traceback").all_inner_texts()
    page.wait_for_function(ALIVE)
    assert (said.startswith("All"), differ, told) == (True, [], [])


SALARIES = "id;tier;salary\n" + "".join(
    f"secret-name-{i};{('low', 'Medium', 'public')[i % 3]};{30000 + 99 * i},50\n" for i in range(120)
)
TIERS = {
    "Who she is": "id", "Her budget": "tier", "Whom she trusts": "curator", "Her number of records": "1",
    "Her value": "salary",
}  # fmt: skip
FILLED = {"budgets": "low=0.1,medium=1,public=inf", "low": "20000", "high": "90000"}
ANSWER = """() => Array.from(document.querySelector(".hdp-answer table").tBodies[0].rows,
    row => Array.from(row.cells, cell => cell.textContent))"""


def test_from_a_table_of_salaries_to_what_is_published(open_page, address, kernel, tmp_path, monkeypatch):
    """The sample first; then a table of one's own, of which nothing is sent or stored."""
    page = open_page(f"{address}/{USERS}", accept_downloads=True)
    requests = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.get_by_role("button", name="Take the sample").click()
    page.locator(".hdp-answer").wait_for(timeout=START)
    rows = [r for r in report(hdp.read_users(ROOT / "book/synthesis/users.csv")).rows if "obstacle" not in r]
    shown = page.evaluate(ANSWER)
    requests.clear()
    assert [(row[0], row[3]) for row in shown] == [(row["estimator"], row["does"]) for row in rows]
    assert all(row["root"] <= float(cell) < 1.01 * row["root"] for (_, cell, *_), row in zip(shown, rows, strict=True))
    payload = {"name": "salaries.csv", "mimeType": "text/csv", "buffer": SALARIES.encode()}
    page.locator("input[type=file]").set_input_files(payload)
    refused = page.locator(".hdp-refused")
    refused.get_by_text("got none named epsilon, trust, records: choose one in the field Her budget").wait_for(
        timeout=START
    )
    assert page.evaluate("() => document.activeElement.className") == "hdp-refused"
    for option, column in TIERS.items():
        page.get_by_label(option).select_option(column)
    page.get_by_role("button", name="Rank again").click()
    refused.get_by_text("column tier, row 1: must be 0 or lie in [1e-100, inf], got a word").wait_for(timeout=START)
    for name, text in FILLED.items():
        page.locator(f".hdp-users [name={name}]").fill(text)
    page.get_by_label("Sign before decimals").select_option(",")
    page.get_by_role("button", name="Rank again").click()
    answer = page.locator(".hdp-answer")
    answer.get_by_text("120 users, ranked").wait_for(timeout=START)
    assert "values in [20000, 90000]" in answer.inner_text()
    files = {}
    for name in ("plan.json", "weights.csv", "statement.md"):
        with page.expect_download() as coming:
            page.get_by_role("button", name=f"Save {name}").click()
        assert coming.value.suggested_filename == name
        files[name] = coming.value.path().read_text(encoding="utf-8")
    assert [asked for asked in requests if not asked.startswith(("data:", "blob:"))] == [], "not even the book's host"
    kept = page.evaluate("JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])")
    assert "secret-name" not in kept
    weights = list(csv.DictReader(io.StringIO(files["weights.csv"])))
    assert len(weights) == 120 and weights[0]["user"] == "secret-name-0"
    assert sum(float(row["weight"]) for row in weights) == pytest.approx(1)
    assert files["statement.md"].startswith("# What happens to your value")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe_finds(page, {"include": [[".hdp-users"], [".hdp-answer"]]}) == ""
    page.set_viewport_size(PHONE)
    assert page.evaluate(OVERFLOW) == 0
    if find_spec("opendp"):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        Path("salaries.csv").write_text(SALARIES, encoding="utf-8")
        calls = answer.locator("pre").first.text_content().split(" &&\n")
        lines = [f"{sys.executable} {line.removeprefix('python ')}" for line in calls]
        told = [subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout for line in lines]
        plan, wanted = (release.Plan.from_json(text) for text in (files["plan.json"], Path("plan.json").read_text()))
        found = [p.kinds.share.astype(float) for p in (plan, wanted)]  # the page's Python has other last digits
        assert plan.budgets == wanted.budgets and plan.method == wanted.method and np.allclose(*found, rtol=1e-9)
        made = json.loads(told[1].splitlines()[-1])
        assert 20000 <= made["answer"] <= 90000 and made["plan"] == wanted.digest


def test_what_the_page_prints_of_the_commands_is_what_they_print(site, capsys, monkeypatch):
    """The book has just been built, so it must be so to the letter."""
    monkeypatch.chdir(ROOT / "book/synthesis")
    page = BeautifulSoup((site / USERS).read_text(encoding="utf-8"), "html.parser")
    shown = [block.get_text().strip() for block in page.select(".hdp-command pre")]
    assert len(shown) == 2
    for text in shown:
        call, _, printed = text.partition("\n")
        assert main(call.removeprefix("$ python -m hdp ").split()) == 0
        assert capsys.readouterr().out.strip() == printed
