"""The page *Your own users*: what it says is what the library says, no value leaves, and bad files are told.

The page is opened once, from disk or over http, for all tests of it, in the order in which they stand: Python takes
its seconds to start.
"""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hdp import compare, release
from hdp._cli.called import counted
from hdp._report import from_groups, report
from tests.browser import axe
from tests.browser.figure_page import OVERFLOW, PHONE
from tests.browser.test_kernel import START, Page
from tests.conftest import ROOT

USERS = ROOT / "book/synthesis/users.csv"
NAME = "book/use/your-users"
ROWS = """() => Array.from(document.querySelectorAll(".hdp-answer table:first-of-type")[0].tBodies[0].rows,
    row => Array.from(row.cells, cell => cell.textContent))"""
# What is said of a question, and the parts of its file that are read, while it is answered.
LISTEN = """() => {
    Object.assign(window, { doing: [], parts: [] });
    const said = document.querySelector(".hdp-doing"), bar = document.querySelector(".hdp-users progress");
    const note = () => { if (said.textContent) doing.push(said.textContent); };
    new MutationObserver(note).observe(said, { childList: true });
    new MutationObserver(() => parts.push(bar.getAttribute("value"))).observe(bar, { attributeFilter: ["value"] });
}"""
HEADER = "user,epsilon,trust,records,value\n"
READS = "compare.read_csv({!r}, value=None)"  # the page reads no value
pytestmark = pytest.mark.xdist_group("kernel")


@pytest.fixture(scope="module")
def opened(browser, address, kernel):
    """Yield the page, opened over http, so that every request is one that a server would hear of."""
    page = Page(browser, f"{address}/{NAME}.html", accept_downloads=True)
    yield page
    page.context.close()
    assert page.complaints == []


def answered(page, timeout=START):
    """Wait for an answer, and return it."""
    page.locator(".hdp-answer").wait_for(timeout=timeout)
    return page.locator(".hdp-answer").inner_text()


def refused(page):
    """Wait for a refusal, and return it; it has the focus."""
    told = page.locator(".hdp-refused")
    told.wait_for(timeout=START)
    assert page.evaluate("() => document.activeElement.className") == "hdp-refused"
    return told.inner_text()


def brought(page, text, name="mine.csv"):
    """Give the page a file."""
    payload = {"name": name, "mimeType": "text/csv", "buffer": text.encode() if isinstance(text, str) else text}
    page.locator("input[type=file]").set_input_files(payload)


def same(plan, wanted):
    """Whether two plans agree but for rounding: the page's Python has other last digits."""
    found = plan.kinds.share.astype(float), wanted.kinds.share.astype(float)
    return plan.budgets == wanted.budgets and plan.method == wanted.method and np.allclose(*found, rtol=1e-9)


def digits(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def saved(page, label):
    """Press a button that saves a file, and return its name and text."""
    with page.expect_download() as coming:
        page.get_by_role("button", name=label).click()
    return coming.value.suggested_filename, coming.value.path().read_text(encoding="utf-8")


def test_the_sample_is_one_click_away(opened):
    page = opened.page
    assert not [address for address in opened.requests if "hdp-kernel.js" in address], "before anybody asks"
    page.get_by_role("button", name="Take the sample").click()
    said = answered(page)
    wanted = report(compare.read_csv(USERS)[0], source="users.csv")
    usable = [row for row in wanted.rows if not row.candidate.obstacle]
    rows = page.evaluate(ROWS)
    assert [row[0] for row in rows] == [row.candidate.name for row in usable]
    assert [row[3] for row in rows] == [row.why for row in usable]
    assert all(row.root <= float(cell) < 1.01 * row.root for (_, cell, *_), row in zip(rows, usable, strict=True))
    bound = float(re.search(r"Typical error \(root mean square\): at most ([\d.]+) on", said)[1])
    assert wanted.error <= bound < 1.01 * wanted.error and READS.format("users.csv") in said
    bars = page.locator(".hdp-answer .hdp-length.weight span").evaluate_all("all => all.map(bar => bar.style.width)")
    most = max(max(group.weight, group.users / wanted.users) for group in wanted.groups)
    assert [float(bar[:-1]) for bar in bars] == pytest.approx([100 * g.weight / most for g in wanted.groups], abs=0.01)


def test_no_request_is_made_and_the_files_are_those_of_the_library(opened, address):
    """A file of the reader's own: from here on nobody is asked for anything, not even the book's own host."""
    page = opened.page
    assert all(asked.startswith((address, "data:", "blob:")) for asked in opened.requests)
    opened.requests.clear()
    text = USERS.read_text(encoding="utf-8").replace("u0", "secret-name-")
    page.get_by_label("What is known of the values").select_option("prior")
    brought(page, text)
    page.locator(".hdp-answer pre", has_text="mine.csv").wait_for(timeout=START)
    wanted = report(compare.read_csv(USERS)[0], prior=(0.4, 0.1))
    name, plan = saved(page, "Save plan.json")
    assert name == "plan.json" and same(release.Plan.from_json(plan), wanted.plan)
    name, lines = saved(page, "Save weights.csv")
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert name == "weights.csv" and len(rows) == 1000 and rows[0]["user"] == "secret-name-001"
    assert sum(float(row["weight"]) for row in rows) == pytest.approx(1)
    assert [asked for asked in opened.requests if not asked.startswith(("data:", "blob:"))] == []
    kept = page.evaluate("JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])")
    assert "secret-name" not in kept and "prior=0.4,0.1" in kept
    page.get_by_label("What is known of the values").select_option("")


@pytest.mark.parametrize(
    "line", ["ann,-1,local,1,1", "ann,1,local,0.5,1", "ann,1,curator", "bob,1,curator,1,1", "ann,1,local,1,1,7"]
)
def test_a_bad_file_gets_the_message_of_read_csv(opened, tmp_path, line):
    file = tmp_path / "bad.csv"
    file.write_text(f"{HEADER}bob,1,local,1,1\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError) as reason:
        compare.read_csv(file)
    brought(opened.page, file.read_bytes())
    assert refused(opened.page) == counted(str(reason.value))
    assert not opened.page.locator(".hdp-answer").is_visible(), "the old answer is no answer"


def test_a_file_can_be_dropped(opened):
    page = opened.page
    dropped = page.evaluate_handle(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv"));
            return data;
        }""",
        f"{HEADER}ann,1,curator,1,1\nbob,2,curator,1,0\ncleo,inf,curator,1,0\n",
    )
    drop = page.locator(".hdp-drop")
    over = "drop => drop.classList.contains('over')"
    drop.dispatch_event("dragover", {"dataTransfer": dropped})
    assert drop.evaluate(over)
    drop.dispatch_event("drop", {"dataTransfer": dropped})
    assert not drop.evaluate(over)
    page.locator(".hdp-answer pre", has_text="dropped.csv").wait_for(timeout=START)
    assert answered(page).startswith("3 users, ranked")


@pytest.mark.slow
def test_a_million_users_are_ranked_in_the_page_and_more_bytes_than_it_can_take_are_refused(opened, tmp_path):
    page, file = opened.page, tmp_path / "million.csv"
    file.write_text(HEADER + "".join(f"u{i},{0.1 + i % 997},curator,1,1\n" for i in range(10**6)), encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    page.locator(".hdp-answer pre", has_text="million.csv").wait_for(timeout=5 * START)
    assert answered(page).startswith("1000000 users, ranked")
    larger = tmp_path / "larger.csv"
    larger.write_bytes(3 * file.read_bytes())
    page.locator("input[type=file]").set_input_files(larger)
    assert "60 MB" in refused(page)


def test_lines_that_are_pasted(opened):
    opened.page.locator("textarea[name=text]").fill(f"{HEADER}ann,1,curator,1,1\nbob,inf,curator,1,0\n")
    opened.page.get_by_role("button", name="Rank these lines").click()
    assert answered(opened.page).startswith("2 users, ranked")


def test_groups_are_in_the_address(opened, browser):
    page = opened.page
    page.get_by_label("budget", exact=True).first.fill("0.2")
    page.get_by_role("button", name="Add a group").click()
    page.get_by_label("trust", exact=True).last.select_option("local")
    page.get_by_role("button", name="Remove").nth(1).click()
    page.get_by_role("button", name="Rank these groups").click()
    rows = [(700, 0.2, "curator", 1), (100, float("inf"), "curator", 1), (100, 1.0, "local", 1)]
    wanted = report(from_groups(rows))
    said = answered(page)
    assert wanted.call in said and f"at most {digits(wanted.error)} on" in said
    assert page.url.endswith("#groups=700,0.2,curator,1;100,inf,curator,1;100,1,local,1")
    again = Page(browser, page.url)
    found = again.page.evaluate("() => Array.from(document.querySelectorAll('.hdp-users tbody input'), i => i.value)")
    assert found == ["700", "0.2", "1", "100", "inf", "1", "100", "1", "1"]
    assert again.complaints == [] and not again.page.locator(".hdp-answer").is_visible(), "not asked for"
    again.context.close()
    page.get_by_label("budget", exact=True).first.fill("much")
    page.get_by_role("button", name="Rank these groups").click()
    assert refused(page) == "column epsilon, group 1: must be 0 or lie in [1e-100, inf], got 'much'"
    page.get_by_label("budget", exact=True).first.fill("0.2")


def test_what_axe_finds_on_every_width_and_in_the_dark(opened):
    page = opened.page
    page.get_by_role("button", name="Rank these groups").click()
    answered(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for part in (".hdp-users", ".hdp-answer"):
            axe.assert_nothing_found(page, part)
    before = page.viewport_size
    page.set_viewport_size(PHONE)
    assert page.evaluate(OVERFLOW) == 0
    form = page.locator(".hdp-users table").evaluate("table => [table.scrollWidth, table.parentElement.clientWidth]")
    assert form[0] <= form[1], "a group fits a telephone"
    axe.assert_nothing_found(page, ".hdp-answer")
    page.set_viewport_size(before or {"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light")


def test_a_question_can_be_stopped_and_asked_again(opened):
    page = opened.page
    lines = "".join(f"u{i},{0.1 + i % 7},curator,1,1\n" for i in range(300_000))
    brought(page, HEADER + lines)
    page.get_by_role("button", name="Stop", exact=True).click(timeout=START)
    assert "Stopped" in refused(page)
    page.evaluate(LISTEN)
    page.get_by_role("button", name="Rank again").click()
    assert answered(page).startswith("300000 users, ranked")
    doing, parts = page.evaluate("[doing, parts.map(Number)]")
    assert doing == ["Reading and checking the file", "Ranking and planning for 300000 users"]
    assert parts == sorted(parts) and len(parts) > 4 and 0 < parts[0] < 0.5 < parts[-1] <= 1


def test_without_scripts_the_page_names_the_command_line(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / f"{NAME}.html").as_uri())
    assert not page.locator(".hdp-users").is_visible()
    assert "command line" in page.locator(".hdp-without").inner_text()
    said = page.locator(".hdp-command").first.inner_text()
    assert said.startswith("$ python -m hdp rank users.csv\nestimator")
    context.close()


def test_what_the_page_prints_of_the_commands_is_what_they_print(site, capsys, monkeypatch):
    """The book has just been built, so it must be so to the letter."""
    from bs4 import BeautifulSoup

    from hdp.__main__ import main

    monkeypatch.chdir(USERS.parent)
    page = BeautifulSoup((site / f"{NAME}.html").read_text(encoding="utf-8"), "html.parser")
    shown = [block.get_text().strip() for block in page.select(".hdp-command pre")]
    assert len(shown) == 2
    for text in shown:
        call, _, printed = text.partition("\n")
        assert main(call.removeprefix("$ python -m hdp ").split()) == 0
        assert capsys.readouterr().out.strip() == printed


SALARIES = "id;tier;salary\n" + "".join(
    f"p{i};{('low', 'Medium', 'public')[i % 3]};{30000 + 99 * i},50\n" for i in range(120)
)
TIERS = {"--user": "id", "--epsilon": "tier", "--trust": "curator", "--records": "1", "--value": "salary"}
FILLED = {"budgets": "low=0.1,medium=1,public=inf", "low": "20000", "high": "90000"}


def test_from_a_table_of_salaries_to_what_is_published(opened, tmp_path, monkeypatch):
    """As an engineer would who knows only the page: it reads no value, and its commands publish the mean."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    page = opened.page
    opened.requests.clear()
    brought(page, SALARIES, "salaries.csv")
    assert "got none named epsilon, trust, records: --epsilon COLUMN" in refused(page)
    for option, column in TIERS.items():
        page.get_by_label(option).select_option(column)
    page.get_by_role("button", name="Rank again").click()
    assert refused(page) == (
        "column tier, row 1: must be 0 or lie in [1e-100, inf]: --budgets says what words mean; "
        "if that row is no user's, --skip-rows 1 leaves it out (row 1 is the first below the header)"
    )
    for name, text in FILLED.items():
        page.locator(f".hdp-users [name={name}]").fill(text)
    page.get_by_label("--decimal").select_option(",")
    page.get_by_role("button", name="Rank again").click()
    said = answered(page)
    assert "120 users, ranked" in said and "values from 20000 to 90000" in said
    assert "The table was read as: separated by semicolons." in said
    files = dict(saved(page, f"Save {name}") for name in ("plan.json", "weights.csv", "statement.md", "answer.sh"))
    assert [asked for asked in opened.requests if not asked.startswith(("data:", "blob:"))] == []
    monkeypatch.chdir(tmp_path)
    (tmp_path / "salaries.csv").write_text(SALARIES, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    lines = [f"{sys.executable} {line.removeprefix('python ')}" for line in files["answer.sh"].splitlines()[1:]]
    assert files["answer.sh"].startswith("set -e")
    told = [subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout for line in lines]
    plan, wanted = (release.Plan.from_json(text) for text in (files["plan.json"], Path("plan.json").read_text()))
    assert same(plan, wanted) and (plan.lower, plan.upper) == (20000, 90000)
    made = json.loads(told[1].splitlines()[-1])
    assert 20000 <= made["answer"] <= 90000 and made["plan"] == wanted.digest
    assert len(Path("receipts.csv").read_text().splitlines()) == 121
    assert files["statement.md"].startswith("# What happens to your value")
