"""The script of *Your own users*, beside a Python of the test's own: what it shows of an answer, and what it says.

The library answers here without the browser's Python, so that every number can be the library's to the letter, and
answers can be late, lost or refused; `test_your_users.py` asks the page's own Python.
"""

import json
import os
import shutil
import traceback
from pathlib import Path

import pytest

from hdp import compare
from hdp._report import form, report
from hdp._report.shown import bound, cells, digits, interval, parts
from tests.browser.figure_page import assert_silent, open_context
from tests.browser.test_your_users import HEADER, NAME, USERS, saved

pytestmark = pytest.mark.xdist_group("users form")

# In the place of hdp-kernel.js.  An answer waits as long as `held` is a list, and is `said` where that is given.
KERNEL = """window.hdpKernel = {
    stop: () => { window.stopped = true; },
    licences: () => Object.assign(document.createElement("p"), { className: "hdp-licences" }),
    ask: async ({ heard, bring, code, wanted }) => {
        window.heard = heard;
        if (window.held) await new Promise(resolve => window.held.push(resolve));
        if (window.said) return window.said;
        const { error, ended, files } = await window.python(code, bring ? await bring.file.text() : null, wanted);
        if (error) return { error, ended };
        return { files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, new Blob([text])])) };
    },
};"""
SHOWN = """answer => {
    const texts = all => Array.from(all, one => one.textContent);
    const text = cell => (cell.querySelector(".hdp-number") ?? cell).textContent;
    const width = bar => [bar.classList[1], parseFloat(bar.firstChild.style.width)];
    return {
        heading: answer.querySelector("h2").textContent,
        summary: answer.querySelector("p").textContent,
        tables: Array.from(answer.querySelectorAll("table"), table => [texts(table.tHead.rows[0].cells),
            ...Array.from(table.tBodies[0].rows, row => Array.from(row.cells, text))]),
        bars: Array.from(answer.querySelectorAll("tr:has(.hdp-length)"), row =>
            Object.fromEntries(Array.from(row.querySelectorAll(".hdp-length"), width))),
        fold: texts(answer.querySelectorAll("summary, li")),
        call: answer.querySelector("pre").textContent,
        plan: answer.querySelector(".hdp-plan").textContent,
        licences: answer.querySelectorAll(".hdp-licences").length,
    };
}"""


class Python:
    """What the page takes for its Python: the library itself, in a folder like that of the page."""

    def __init__(self, folder):
        self.folder = folder / "use"
        self.folder.mkdir()
        (folder / "synthesis").mkdir()
        shutil.copy(USERS, folder / "synthesis")
        self.start()

    def start(self):
        """Forget what was asked, as a new start does."""
        self.names = {}
        for file in self.folder.glob("*.json"):
            file.unlink()

    def __call__(self, code, brought, wanted):
        """Answer as the worker does."""
        if brought is not None:
            self.file.write_text(brought, encoding="utf-8")
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            exec(code.replace("/brought/users.csv", self.file.as_posix()), self.names)
            return {"files": {name: Path(name).read_text(encoding="utf-8") for name in wanted}}
        except OSError as missing:
            return {"error": f"Python has ended: {missing}", "ended": True}
        except Exception:
            return {"error": traceback.format_exc()}
        finally:
            os.chdir(before)

    @property
    def file(self):
        """Where the reader's file lies."""
        return self.folder / "brought.csv"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Return the page's Python."""
    return Python(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def window(browser, address, python):
    """Yield a page that can be opened at an address of the form."""
    context = open_context(browser, complaints := [], accept_downloads=True)
    context.route("**/mathjax/startup.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    context.route("**/hdp-kernel.js", lambda route: route.fulfill(body=KERNEL, content_type="text/javascript"))
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.expose_function("python", python)

    def go(asked=""):
        page.goto("about:blank")
        page.goto(f"{address}/{NAME}.html{asked}")
        return page

    go()
    yield page, go
    context.close()
    assert_silent(complaints)


@pytest.fixture
def page(window):
    """Return the page, whose answers are those of the library."""
    window[0].evaluate("() => { window.held = window.said = null; }")
    return window[0]


def press(page, name):
    page.locator(f".hdp-users [name={name}]").evaluate("button => button.click()")


def brought(page, lines):
    """Give the page a file of users: of each kind so many, by budget, trust and records; return its text."""
    rows = [row for users, *row in lines for _ in range(users)]
    text = HEADER + "".join(f"u{i},{budget},{trust},{records},1\n" for i, (budget, trust, records) in enumerate(rows))
    page.locator("[name=file]").set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": text.encode()})
    return text


def know(page, **known):
    """Say in the form what is known of the values."""
    page.locator("[name=known]").select_option(next(iter(known), ""))
    for name, value in zip({"variance": ["variance"], "prior": ["mean", "spread"]}.get(next(iter(known), ""), []),
                           known.get("prior", known.values()), strict=True):  # fmt: skip
        page.locator(f"[name={name}]").fill(str(value))


def expected(wanted):
    """Return all that the page shows of a report, in the library's own numbers."""
    usable = [row for row in wanted.rows if not row.candidate.obstacle]
    others = [f"{row.candidate.name}: {row.candidate.obstacle}" for row in wanted.rows if row.candidate.obstacle]
    count = f"{len(others)} estimators do not" if len(others) > 1 else "One estimator does not"
    squares = vars(wanted.plan.error)
    share = [(group.users / wanted.users, group.weight, group.share) for group in wanted.groups]
    most = max(max(users, weight) for users, weight, _ in share)
    return {
        "heading": "1 user, ranked" if wanted.users == 1 else f"{wanted.users} users, ranked",
        "summary": f"Typical error (root mean square): at most {bound(wanted.error)} on values from 0 to 1. "
        f"{'' if wanted.plan.constant else f'Of its square, {parts(squares)}. '}"
        f"The answer is {interval(wanted.plan)}. {wanted.remark}",
        "tables": [
            [["estimator", "error", "× least", "why"]]
            + [[row.candidate.name, bound(row.root), digits(row.times), row.why] for row in usable],
            [["they allow", "users", "part of the answer", "each spends", "each keeps"], *map(line, wanted.groups)],
        ],
        "bars": [
            {"users": 100 * users / most, "weight": 100 * weight / most, "spent": 100 * spent}
            for users, weight, spent in share
        ],
        "fold": [f"{count} apply here", *others],
        "call": wanted.call,
        "plan": f"Plan {wanted.plan.digest}, method {wanted.plan.method}.",
        "licences": 1,
    }


def line(group):
    """Return the cells of a group."""
    text, public = cells(group), group.epsilon[0] == float("inf")
    allowed = "public" if public else f"{text['epsilon']} nats, {'local' if group.local else 'curator'}"
    records = f"{text['records']} record{'s' if group.records[1] > 1 else ''}"
    return [f"{allowed} {records}", *(text[name] for name in ("users", "weight", "spent", "kept"))]


MANY = [(3 + i, round(0.1 * 1.7**i, 3), "curator", 1 + i % 3) for i in range(14)]
CASES = {
    "one user, and the constant": ([(1, 1, "curator", 1)], {}),
    "all are public": ([(5, "inf", "curator", 1)], {}),
    "one estimator does not apply": (
        [(70, 0.1, "curator", 1), (30, 2, "local", 4), (20, 0, "curator", 1), (10, "inf", "curator", 3)],
        {"prior": (0.35, 0.15)},
    ),
    "a variance is known": ([(70, 0.1, "curator", 1), (20, 1, "curator", 1), (30, 2, "local", 1)], {"variance": 0.05}),
    "more kinds than rows": (MANY, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_text_and_bar_of_the_answer_is_the_librarys(page, python, case):
    """In its column, in its digits; and the address has what is known, and nothing of the file."""
    lines, known = CASES[case]
    know(page, **known)
    file = python.folder / "wanted.csv"
    file.write_text(brought(page, lines), encoding="utf-8")
    page.locator(".hdp-answer").wait_for()
    shown = page.locator(".hdp-answer").evaluate(SHOWN)
    wanted = expected(report(compare.read_csv(file)[0], source="mine.csv", **known))
    wanted["call"] = wanted["call"].replace("people, values = ", "people, _ = ").replace(".csv')", ".csv', value=None)")
    bars = zip(shown.pop("bars"), wanted.pop("bars"), strict=True)
    assert shown == wanted
    assert all(found == pytest.approx(bar, abs=0.01) for found, bar in bars)
    address = "&".join(f"{name}={str(value).strip('()').replace(' ', '')}" for name, value in known.items())
    assert page.evaluate("location.hash") == (address and f"#{address}")
    know(page)


def test_what_python_does_is_shown_while_it_does_it(page):
    """A part of the file or words, beside a button that stops it; and nothing of it once an answer is there."""
    page.evaluate("() => { window.held = []; }")
    press(page, "sample")
    page.wait_for_function("window.held.length")
    doing, bar, stop = page.locator(".hdp-doing"), page.locator(".hdp-users progress"), page.locator("[name=stop]")
    page.evaluate("heard({ text: 'Reading the file\\n' })")
    assert doing.inner_text() == "Reading the file" and not bar.is_visible()
    page.evaluate("heard({ part: 0.25 })")
    assert bar.is_visible() and bar.evaluate("bar => bar.value") == 0.25 and doing.inner_text() == "Reading the file"
    assert page.locator(".hdp-users").get_attribute("aria-busy") == "true"
    stop.click()
    assert page.evaluate("window.stopped")
    page.evaluate("heard({ text: 'Ranking\\n' })")
    assert doing.inner_text() == "Ranking" and not bar.is_visible()
    page.evaluate("heard({ part: 1 })")
    page.evaluate("held.shift()()")
    page.locator(".hdp-answer").wait_for()
    assert page.locator(".hdp-users").get_attribute("aria-busy") is None
    assert doing.inner_text() == "" and not bar.is_visible() and not stop.is_visible()


def test_the_last_question_is_answered_and_no_other(page):
    """The answer to an earlier one comes too late, and the later one can still be stopped; nor has it its address."""
    page.evaluate("() => { window.held = []; }")
    press(page, "groups")
    assert page.evaluate("location.hash").startswith("#groups=700,0.1,curator,1;")
    press(page, "sample")
    assert page.evaluate("location.hash") == ""
    page.wait_for_function("window.held.length === 2")
    assert not page.locator(".hdp-answer").is_visible(), "the old answer is no answer"
    page.evaluate("async () => { held.shift()(); await new Promise(resolve => setTimeout(resolve, 300)); }")
    assert not page.locator(".hdp-answer").is_visible()
    assert page.locator("[name=stop]").is_visible() and page.locator(".hdp-users").get_attribute("aria-busy") == "true"
    page.evaluate("held.shift()()")
    page.locator(".hdp-answer pre", has_text="users.csv").wait_for()
    assert not page.locator("[name=stop]").is_visible()


def test_how_a_table_is_read_stays_until_another_one_is_chosen(page):
    """Also while an end of the interval is no number; what is stated of one table is not taken for the next."""
    records, low = page.locator("[name=records]"), page.locator("[name=low]")
    brought(page, [(70, 0.5, "curator", 1)])
    page.locator(".hdp-answer pre", has_text="mine.csv").wait_for()
    trust = page.locator("[name=layout] [name=trust]")
    trust.select_option("local")
    low.fill("x")
    press(page, "again")
    page.locator(".hdp-refused", has_text="'x' is no number").wait_for()
    assert records.is_visible() and trust.input_value() == "local"
    low.fill("0")
    press(page, "sample")
    page.locator(".hdp-answer pre", has_text="users.csv").wait_for()
    assert trust.input_value() == "trust"


TOLD = {
    "the last line of an error": ("{ error: 'Traceback\\nValueError: odd\\n' }", "ValueError: odd"),
    "all of an end": ("{ error: 'Stopped.\\nRun it', ended: true }", "Stopped.\nRun it"),
    "no script": (None, "Python could not be loaded."),
}


@pytest.mark.parametrize("case", TOLD)
def test_why_there_is_no_answer_is_told_until_the_next_question(page, case):
    said, wanted = TOLD[case]
    page.evaluate(f"() => {{ window.load ??= hdpCells.load; window.said = {said or 'null'}; }}")
    page.evaluate(f"() => {{ hdpCells.load = {'load' if said else '() => Promise.reject()'}; }}")
    press(page, "sample")
    told = page.locator(".hdp-refused")
    told.wait_for()
    page.evaluate("() => { hdpCells.load = load; window.said = null; }")
    assert told.evaluate("told => told.textContent") == wanted
    assert page.evaluate("document.activeElement.className") == "hdp-refused"
    press(page, "again")
    page.locator(".hdp-answer").wait_for()
    assert not told.is_visible()


def test_files_that_python_no_longer_has_are_not_made_up(page, python):
    """It was stopped meanwhile: the reader ranks her users again."""
    press(page, "groups")
    page.locator(".hdp-answer").wait_for()
    assert '"schema":"hdp-plan' in saved(page, "Save plan.json")[1]
    python.start()
    for label in ("Save plan.json", "Save weights.csv"):
        page.get_by_role("button", name=label).click()
        page.locator(".hdp-refused", has_text="Python no longer knows these users: rank them again.").wait_for()
        page.evaluate("() => { document.querySelector('.hdp-refused').hidden = true; }")


def test_what_is_taken_away_is_the_librarys(page, python, monkeypatch):
    """A script and a notebook that do the same, and a command line where there is a file that it can read."""
    press(page, "groups")
    page.locator(".hdp-answer").wait_for()
    assert "np.repeat([0.1, 1.0, np.inf], [700, 200, 100])" in saved(page, "Save answer.py")[1]
    assert page.get_by_role("button", name="Save answer.sh").count() == 0
    know(page, prior=(0.4, 0.1))
    text = brought(page, [(70, 0.5, "curator", 1), (20, "inf", "curator", 1)])
    page.locator(".hdp-answer pre", has_text="mine.csv").wait_for()
    taken = {name: saved(page, f"Save {name}") for name in ("answer.py", "answer.ipynb", "answer.sh")}
    assert all(name == shown for name, (shown, _) in taken.items())
    monkeypatch.chdir(python.folder)
    Path("mine.csv").write_text(text, encoding="utf-8")
    form.take(form.ask(json.dumps({"path": "mine.csv", "name": "mine.csv", "prior": [0.4, 0.1]})))
    assert {name: Path(name).read_text(encoding="utf-8") for name in taken} == {n: t for n, (_, t) in taken.items()}
    assert (
        taken["answer.sh"][1].splitlines()[1].startswith("python -m hdp plan mine.csv --prior 0.4 0.1 --out plan.json ")
    )
    know(page)


def test_groups_and_files_can_be_changed(page):
    """The last group stays, and a file that was chosen before can be chosen again."""
    remove = page.locator(".hdp-users tbody button")
    for _ in range(remove.count() + 1):
        remove.first.evaluate("button => button.click()")
    assert remove.count() == 1
    file = page.locator("[name=file]")
    file.set_input_files(USERS)
    page.locator(".hdp-answer pre", has_text="users.csv").wait_for()
    with page.expect_file_chooser():
        file.click()
    assert file.input_value() == ""


MORE = ";".join(["2,1,local,1"] * 60)
ADDRESSES = {
    "#prior=0.3,0.2&groups=7,0.5,local,2;1,2;8,inf,curator,1": (["7", "0.5", "2", "8", "inf", "1"], ["0.3", "0.2"]),
    f"#variance=0.05&groups={MORE}": (["2", "1", "1"] * 50, ["0.05"]),
    "": (["700", "0.1", "1", "200", "1", "1", "100", "inf", "1"], []),
}


@pytest.mark.parametrize("asked", ADDRESSES, ids=["prior", "variance and sixty groups", "nothing"])
def test_the_address_fills_the_form(window, asked):
    """With what is known, and the fold of its groups open, of which fifty are enough; what is no group is left out."""
    page, (groups, known) = window[1](asked), ADDRESSES[asked]
    form = page.locator(".hdp-users")
    assert form.locator("tbody input").evaluate_all("all => all.map(input => input.value)") == groups
    fields = form.locator("label:not([hidden]) > :is([name=variance], [name=mean], [name=spread])")
    assert fields.evaluate_all("all => all.map(input => input.value)") == known
    fold = form.locator("details", has=page.locator("tbody"))
    assert fold.evaluate("fold => fold.open") == ("groups" in asked)
    assert form.locator("[name=known]").input_value() == asked.partition("=")[0].removeprefix("#")
