"""What is taken away from a plan: script, notebook and command do again what was done, and the picture shows it."""

import json
import os
import shlex
import stat
import subprocess
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
import pytest

from hdp import compare
from hdp.__main__ import _parser, main
from hdp._cli.called import plain
from hdp._report import form, picture
from hdp.compare import Population
from hdp.release import Plan, plan, published, receipts
from hdp.release.groups import groups as groups_of
from tests.files import ROOT, USERS

HEAD = "user,epsilon,trust,records,value"
CASES = {
    "prior": (USERS.read_text(encoding="utf-8"), ["--prior", "0.4", "0.1"]),
    "gaussian": (
        f"{HEAD}\n" + "".join(f"=u{i},{1 + i % 3},curator,1,{i % 2}\n" for i in range(90)),
        ["--noise", "gaussian"],
    ),
    "variance": (
        f"{HEAD}\n" + "".join(f"u{i},{('0.5', '3', 'inf')[i % 3]},curator,1,{i % 2}\n" for i in range(90)),
        ["--variance", "0.2"],
    ),
    "salaries": (  # of a spreadsheet, without names
        "Tier;Trust;Salary\n"
        + "".join(f"{('low', 'Open', 'high')[i % 3]};curator;{30000 + 99 * i},5\n" for i in range(90)),
        "--interval 0 90000 --variance 4e8 --epsilon tier --records 1 --budgets low=0.5,high=3,open=inf"
        " --value Salary".split(),
    ),
    "share": (f"{HEAD}\n" + "".join(f"u{i},{1 + i % 3},curator,1,{i % 2}\n" for i in range(90)), ["--spend", "0.4"]),
    "constant": (f"{HEAD}\nann,0.1,curator,1,1\nbob,0.1,curator,1,0\n", []),
    "reports": (
        f"{HEAD},report\n" + "".join(f"u{i},4,{('curator', 'local')[i % 2]},1,1,\n" for i in range(40)),
        ["--variance", "0.2"],
    ),
}
FILES = ["--script", "answer.py", "--notebook", "answer.ipynb"]
needs_opendp = pytest.mark.skipif(not find_spec("opendp"), reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")


def run(text):
    """Run lines of Python by themselves, as they stand; return what they print."""
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr
    return done.stdout


def notebook_lines(path):
    """The code of a notebook, which is one."""
    import nbformat

    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    return "\n\n".join(cell.source for cell in found.cells if cell.cell_type == "code")


def answered(text):
    """The same lines, told to release."""
    assert text.count("RELEASE = False") == 1
    return text.replace("RELEASE = False", "RELEASE = True")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(folder, case):
    """Plan on the command line, with all that can be taken away; then put the plan's files aside."""
    text, options = CASES[case]
    (folder / "users.csv").write_text(text, encoding="utf-8")
    assert main(["plan", "users.csv", *options, "--out", "plan.json", "--weights", "weights.csv", *FILES]) == 0
    files = {name: (folder / name).rename(folder / f"first-{name}") for name in ("plan.json", "weights.csv")}
    return {name: file.read_bytes() for name, file in files.items()}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_it_writes_the_files_of_the_command(case, kind, folder, capsys):
    """To the last letter; and it releases nothing unless it is told to."""
    wanted = ask(folder, case)
    lines = (folder / "answer.py").read_text() if kind == "script" else notebook_lines("answer.ipynb")
    said = run(lines)
    assert {name: (folder / name).read_bytes() for name in wanted} == wanted
    assert stat.S_IMODE(os.stat("weights.csv").st_mode) == 0o600
    assert f"plan: {Plan.from_json(wanted['plan.json'].decode()).digest}" in said
    capsys.readouterr()
    if case not in ("gaussian", "share"):
        options = [word for word in CASES[case][1] if word not in ("--value", "Salary")]  # no ranking has values
        assert main(["rank", "users.csv", *options]) == 0
        *lines, _ = [line for line in capsys.readouterr().out.splitlines()[1:] if not line.startswith("not for")]
        assert lines and all(" ".join(line.split()[:2]) in said for line in lines)
    assert not (folder / "ledger.json").exists() and not (folder / "receipts.csv").exists()


@needs_opendp
def test_an_answer_is_told_though_its_receipts_cannot_be_written(folder):
    """The budgets are spent by then: on a full disk what is printed may be the only copy."""
    ask(folder, "variance")
    (folder / "receipts.csv").mkdir()
    call = [sys.executable, "-c", answered((folder / "answer.py").read_text())]
    done = subprocess.run(call, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    (made,) = published("ledger.json")
    assert done.returncode != 0 and repr(made) in done.stdout


@needs_opendp
@pytest.mark.parametrize("case", ["gaussian", "variance", "salaries", "share", "constant"])
def test_it_releases_as_the_command_that_it_names(case, folder, capsys):
    """With the same receipts, counted in a ledger; run again, it draws nothing new."""
    ask(folder, case)
    lines = answered((folder / "answer.py").read_text())
    said = run(lines)
    (made,) = published("ledger.json")
    assert repr(made) in said and repr(made) in run(lines) and published("ledger.json") == [made]
    named = [line.lstrip("# ") for line in lines.splitlines() if line.startswith("#     python -m hdp")]
    assert len(named) == 2
    ours = (folder / "receipts.csv").read_bytes()
    for name in ("receipts.csv", "ledger.json", "plan.json", "weights.csv", "answer.py", "answer.ipynb"):
        (folder / name).unlink()
    capsys.readouterr()
    for line in named:
        assert main(shlex.split(line.removeprefix("python -m hdp"))) == 0
    theirs = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert theirs["plan"] == made.plan and (folder / "receipts.csv").read_bytes() == ours
    scale = 12 * Plan.from_json((folder / "plan.json").read_text()).error.total ** 0.5
    assert abs(theirs["answer"] - made.answer) <= scale


@needs_opendp
def test_it_takes_the_reports_of_those_who_trust_nobody(folder):
    """From the column that its words name, made by the command that they name."""
    ask(folder, "reports")
    lines = (folder / "answer.py").read_text()
    assert "`python -m hdp report plan.json --epsilon BUDGET" in lines
    run(lines)
    from hdp.release import report

    made, rows = Plan.from_json((folder / "plan.json").read_text()), CASES["reports"][0].splitlines()
    told = [row + report(made, 4.0, 0.5) if "local" in row else row for row in rows]
    (folder / "users.csv").write_text("\n".join(told), encoding="utf-8")
    run(answered(lines))
    assert published("ledger.json")[0].plan == made.digest


@needs_opendp
def test_groups_of_the_page_are_a_script_too(folder):
    """Without a file, so without a command; the values are the reader's to give."""
    asked = form.ask(json.dumps({"groups": [[70, "0.5", "curator", 1], [30, "inf", "curator", 2]], "variance": 0.1}))
    form.take(asked)
    lines = (folder / form.SCRIPT).read_text()
    wanted = (folder / form.PLAN).read_bytes()
    assert "command line" not in lines
    run(lines)
    assert (folder / form.PLAN).read_bytes() == wanted
    form.weights(asked)
    written = (folder / form.WEIGHTS).read_bytes()
    run(answered(lines).replace("values = ...", "values = [0.5] * 100"))
    assert (folder / form.WEIGHTS).read_bytes() == written and published("ledger.json")


def test_the_page_takes_away_what_the_command_does(folder):
    """The same script and notebook, and a command that plans the same."""
    (folder / "users.csv").write_text(CASES["prior"][0], encoding="utf-8")
    form.take(form.ask(json.dumps({"path": "users.csv", "name": "users.csv", "prior": [0.4, 0.1]})))
    stops, first, second = (folder / form.COMMAND).read_text().splitlines()
    assert stops.startswith("set -e")
    assert first == "python -m hdp plan users.csv --prior 0.4 0.1 --out plan.json --weights weights.csv"
    assert second.startswith("python -m hdp release plan.json users.csv --new-ledger ")
    ours = (folder / form.SCRIPT).read_text(), (folder / form.NOTEBOOK).read_text()
    (folder / form.PLAN).unlink()
    assert main([*shlex.split(first.removeprefix("python -m hdp")), "--script", "a.py", "--notebook", "a.ipynb"]) == 0
    theirs = (folder / "a.py").read_text(), (folder / "a.ipynb").read_text()
    assert [one.replace(" --script a.py --notebook a.ipynb", "") for one in theirs] == list(ours)


def test_what_a_script_does_not_say_is_refused(folder):
    from argparse import Namespace

    from hdp._cli import takeaway

    known = dict.fromkeys(("file", "ledger", "variance", "prior", "out", "weights", "notebook", "picture", "statement"))
    with (
        pytest.raises(ValueError, match="--script and --notebook must come without --spend-half"),
        takeaway.opened(Namespace(**known, script="a.py", force=False, spend_half=0.5)),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--script", "users.csv"], "--script must be another file than 'users.csv'"),
     (["--statement", "a", "--script", "a"], "--script must be another file than 'a'"),
     (["--out", "a", "--picture", "a.pdf"], "--picture must end in .svg or .png, got 'a.pdf'"),
     (["--notebook", "there"], "--notebook must be a new file, got 'there'"),
     (["--statement", "no/where.md"], "--statement must be a file in a folder that exists")],
)  # fmt: skip
def test_no_file_is_lost(options, said, folder, capsys):
    (folder / "users.csv").write_text(CASES["constant"][0])
    (folder / "there").write_text("kept")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert main(["plan", "users.csv", *options]) == 2
    assert said in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_the_statement_is_the_librarys(folder):
    from hdp.release import statement

    (folder / "users.csv").write_text(CASES["prior"][0], encoding="utf-8")
    assert main(["plan", "users.csv", "--statement", "s.md", "--out", "plan.json"]) == 0
    made = Plan.from_json((folder / "plan.json").read_text())
    assert (folder / "s.md").read_text(encoding="utf-8") == statement(made)


@pytest.mark.parametrize("case", CASES)
def test_a_picture_has_a_bar_for_every_number_and_units_on_its_axes(case, folder):
    text, options = CASES[case]
    (folder / "users.csv").write_text(text, encoding="utf-8")
    asked = ["plan", "users.csv", *options, "--picture", "p.svg", "--out", "plan.json", "--force"]
    assert main(asked) == 0
    drawn = (folder / "p.svg").read_text(encoding="utf-8")
    assert main(asked) == 0 and (folder / "p.svg").read_text(encoding="utf-8") == drawn, "the same plan, the same file"
    words = [text.strip() for text in ElementTree.fromstring(drawn).itertext() if text.strip()]
    unit = "rho" if case == "gaussian" else "nats"
    assert {"part (%)", f"privacy loss, average of the group ({unit})", "a user spends", "of the answer"} <= set(words)
    assert not any("u1" in word or "ann" in word.split() for word in words), "no person is named"
    made = Plan.from_json((folder / "plan.json").read_text())
    assert any(made.digest[:12] in word for word in words)


def test_the_lengths_of_the_picture_are_the_receipts():
    """What a group spends and keeps on average, weighed by users, and nothing for public values."""
    people = Population([0.1] * 700 + [2.0] * 30 + [np.inf] * 5, records=[1] * 715 + [4] * 20)
    made = plan(people, "user-level", prior=(0.5, 0.1))
    found = receipts(made, people)
    spent, kept = picture.averages(made)
    two = people.epsilon == 2
    for i, group in enumerate([people.epsilon == 0.1, two & (people.records == 1), two & (people.records == 4)]):
        assert spent[i] == pytest.approx(found.spent[group].mean(), rel=1e-9)
        assert kept[i] == pytest.approx(found.kept[group].mean(), rel=1e-9, abs=1e-9)
    assert spent[3:] == kept[3:] == [0.0] * len(spent[3:]) and max(kept) > 0


def test_the_picture_keeps_what_a_ledger_leaves():
    made = plan([1.0, 4.0] * 100, spend=0.2)
    left = np.array([0.5, 3.0])
    spent, kept = picture.averages(made, left)
    assert kept == pytest.approx(left - spent) and min(kept) > 0.2


def asked_again(folder):
    """The first question of two, answered; then a plan for the second one, with a script, from what is left."""
    (folder / "users.csv").write_text(CASES["share"][0])
    assert main(["plan", "users.csv", "--spend", "0.4", "--out", "first.json"]) == 0
    assert main(["release", "first.json", "users.csv", "--new-ledger", "l.json"]) == 0
    files = ["--out", "plan.json", "--weights", "weights.csv", *FILES, "--picture", "p.svg", "--statement", "s.md"]
    assert main(["plan", "users.csv", "--ledger", "l.json", *files]) == 0
    return {name: (folder / name).read_bytes() for name in ("plan.json", "weights.csv")}


@needs_opendp
@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_a_script_asks_the_second_question_of_what_the_first_one_left(kind, folder, capsys):
    """Once: run again, it keeps to its plan, though less is left; the command writes the same files."""
    wanted = asked_again(folder)
    lines = (folder / "answer.py").read_text() if kind == "script" else notebook_lines("answer.ipynb")
    for name in wanted:
        (folder / name).unlink()
    before = (folder / "l.json").read_bytes()
    run(lines)
    assert {name: (folder / name).read_bytes() for name in wanted} == wanted
    said = run(answered(lines))
    _, made = published("l.json")
    assert made.plan == Plan.from_json(wanted["plan.json"].decode()).digest and repr(made) in said
    ours = (folder / "receipts.csv").read_bytes()
    assert repr(made) in run(answered(lines)) and len(published("l.json")) == 2
    assert {name: (folder / name).read_bytes() for name in wanted} == wanted
    assert (folder / "receipts.csv").read_bytes() == ours
    (folder / "l.json").write_bytes(before)
    (command,) = [line for line in (folder / "answer.py").read_text().splitlines() if "hdp release" in line]
    assert main([*shlex.split(command.lstrip("# ").removeprefix("python -m hdp")), "--force"]) == 0
    assert published("l.json")[-1].plan == made.plan and (folder / "receipts.csv").read_bytes() == ours


@needs_opendp
def test_a_script_stops_where_another_release_was_counted(folder):
    """It spends nothing, and says why."""
    asked_again(folder)
    assert main(["plan", "users.csv", "--ledger", "l.json", "--spend", "0.1", "--out", "other.json"]) == 0
    assert main(["release", "other.json", "users.csv", "--ledger", "l.json"]) == 0
    lines = (folder / "answer.py").read_text()
    assert "They stop where `l.json` has counted another release since" in lines
    with pytest.raises(AssertionError, match=r"l\.json has counted another release"):
        run(answered(lines))
    assert len(published("l.json")) == 2 and not (folder / "receipts.csv").exists()


@needs_opendp
def test_two_scripts_in_a_folder_do_not_answer_for_each_other(folder):
    """The second finds a ledger, and what it keeps is another's answer."""
    ask(folder, "share")
    run(answered((folder / "answer.py").read_text()))
    (folder / "receipts.csv").unlink()
    assert main(["plan", "users.csv", "--spend", "0.1", "--script", "other.py"]) == 0
    with pytest.raises(AssertionError, match=r"ledger\.json has counted another release: plan with what it leaves"):
        run(answered((folder / "other.py").read_text()))
    assert len(published("ledger.json")) == 1 and not (folder / "receipts.csv").exists()


@needs_opendp
def test_an_answer_that_a_ledger_cannot_keep_is_printed(folder):
    """It is paid for, and there is no other copy."""
    ask(folder, "share")
    full = """
from hdp.release import ledgers
write, done = ledgers.write, []
def once(*given):
    done.append(0)
    if len(done) > 1:
        raise OSError("the disk is full")
    write(*given)
ledgers.write = once
"""
    assert "Release(plan=" in run(full + answered((folder / "answer.py").read_text()))
    assert published("ledger.json") == [None]


@pytest.mark.parametrize("name", ["weights.csv", "receipts.csv", "plan.json"])
def test_a_script_does_not_write_over_the_users(name, folder):
    """Whose file may be called as what it writes; and what it writes is its owner's alone, whatever was there."""
    (folder / name).write_text(CASES["share"][0])
    assert main(["plan", name, "--script", "answer.py"]) == 0
    (folder / "planned-weights.csv").touch(0o644)
    lines = answered((folder / "answer.py").read_text()) if find_spec("opendp") else (folder / "answer.py").read_text()
    run(lines)
    assert (folder / name).read_text() == CASES["share"][0]
    weights = "planned-weights.csv" if name == "weights.csv" else "weights.csv"
    assert stat.S_IMODE(os.stat(weights).st_mode) == 0o600
    asked = form.ask(json.dumps({"path": name, "name": name}))
    assert asked is None and "file must have another name" in json.loads((folder / form.ANSWER).read_text())["refused"]


def test_a_column_or_a_file_whose_name_begins_with_a_dash_is_no_option(folder):
    (folder / "-users.csv").write_text("-id,-eps\nann,1\nbob,2\n")
    columns = {"user": "-id", "epsilon": "-eps", "trust": "curator", "records": "1", "interval": [-0.00001, 1]}
    form.take(form.ask(json.dumps({"path": "-users.csv", "name": "-users.csv", **columns})))
    for line in (folder / form.COMMAND).read_text().splitlines()[1:]:
        parser = _parser()
        parser.parse_args([plain(word) for word in shlex.split(line.removeprefix("python -m hdp"))])
    assert Plan.from_json((folder / form.PLAN).read_text()).lower == -0.00001


def test_a_group_of_many_budgets_is_drawn_by_its_average():
    budgets = np.repeat(np.linspace(0.2, 3, 40), np.arange(1, 41) ** 2)
    made = plan(budgets, "mixed")
    spent, kept = picture.averages(made)
    found, groups = receipts(made, Population(budgets)), groups_of(made)
    assert len(groups) == len(spent) < 40
    for group, lost, left in zip(groups, spent, kept, strict=True):
        here = (budgets >= group.epsilon[0]) & (budgets <= group.epsilon[1])
        assert lost == pytest.approx(found.spent[here].mean(), rel=1e-9)
        assert left == pytest.approx(found.kept[here].mean(), rel=1e-6, abs=1e-9)


def test_a_png_is_one(folder):
    (folder / "users.csv").write_text(CASES["constant"][0])
    assert main(["plan", "users.csv", "--picture", "p.PNG"]) == 0
    assert (folder / "p.PNG").read_bytes().startswith(b"\x89PNG")


def test_people_of_the_script_are_those_of_the_file(folder):
    ask(folder, "gaussian")
    from hdp.release import read_data

    names, people, _, _ = read_data("users.csv")
    assert names[0] == "=u0" and people.epsilon.tolist() == compare.read_csv("users.csv")[0].epsilon.tolist()
