"""`python -m hdp release`, `published` and `report`: reports made one by one, an answer, receipts, and refusals."""

import csv
import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import threading
import tracemalloc
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from hdp.__main__ import main
from hdp._cli import outputs
from hdp._cli.release import read_data
from hdp.compare import Population
from hdp.release import Plan, charge, left, new_ledger, plan, receipts, report, write_receipts, write_weights

HEAD = "user,epsilon,trust,records,value,report\n"
REASON = "needs OpenDP: pip install 'unequal-privacy[opendp]'"
needs_opendp = pytest.mark.skipif(not find_spec("opendp"), reason=REASON)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A plan for eighty users, of whom forty report, and for twenty curators; the commands run in this folder."""
    made = plan(Population([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    (tmp_path / "plan.json").write_text(made.to_json())
    (tmp_path / "half.json").write_text(plan([1.0] * 20, releases=2).to_json())
    lines = [f"=u{i},1,curator,1,{i % 2}" for i in range(20)]
    (tmp_path / "half.csv").write_text(HEAD.replace(",report", "") + "\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@needs_opendp
def test_a_release_for_millions_fits_into_memory(folder, call):
    """With receipts: at most 110 bytes a user, 25 of them the file; names stand in texts of many, no column twice."""
    n = 100_000
    budgets = np.random.default_rng(5).choice(["0.1", "1", "2"], n)
    lines = (f"user{i},{e},curator,1,{i % 9}\n" for i, e in enumerate(budgets))
    (folder / "many.csv").write_text(HEAD.replace(",report", "") + "".join(lines))
    people = Population(budgets.astype(float))
    (folder / "many.json").write_text(plan(people, upper=9.0).to_json())
    call("release", "half.json", "half.csv", "--new-ledger", "first.json")  # what is imported counts with the library
    tracemalloc.start()
    code, *_ = call("release", "many.json", "many.csv", "--new-ledger", "many.ledger", "--receipts", "receipts.csv")
    most = tracemalloc.get_traced_memory()[1] / n
    tracemalloc.stop()
    assert code == 0 and most < 110


@pytest.fixture
def call(folder, capsys):
    """Return a function that runs a command and returns its exit code and what it said."""

    def run(*arguments):
        code = main(list(arguments))
        return code, *capsys.readouterr()

    return run


@pytest.mark.settles("hdp-release-ledger")
@needs_opendp
def test_a_release_with_reports_on_the_command_line(folder, call):
    rows, told = [], ["report", "plan.json", "--epsilon", "4", "--value", "0.5"]
    for i in range(40):
        code, out, err = call(*told, "--new-ledger", f"{i}.json")
        assert code == 0 and f"made {i}.json, a new ledger" in err
        rows += [f"c{i},1,curator,1,0.5,", f"l{i},4,local,1,whatever,{out.strip()}"]
    code, out, err = call(*told, "--ledger", "0.json")
    assert code == 2 and out == "" and "ledger must leave a budget for report 2" in err
    (folder / "data.csv").write_text(HEAD + "\n".join(rows))
    asked = "release", "plan.json", "data.csv", "--receipts", "receipts.csv"
    code, out, err = call(*asked, "--new-ledger", "ledger.json")
    found, made = json.loads(out), Plan.from_json((folder / "plan.json").read_text())
    assert code == 0 and abs(found["answer"] - 0.5) < 0.5 and found["plan"] == made.digest
    assert "values lie in [0, 1] by the plan; others are moved to its ends\n" in err.partition("made ledger.json")[0]
    assert "made ledger.json, a new ledger" in err and "users have 0 to " in err and "nats left" in err
    with (folder / "receipts.csv").open() as file:
        head = next(csv.reader(file))
    assert head == ["user", "allowed", "spent", "kept", f"plan:{made.digest}"]
    assert hashlib.sha256((folder / "plan.json").read_bytes()).hexdigest() == made.digest, "so everybody can check it"
    assert stat.S_IMODE(os.stat("receipts.csv").st_mode) == 0o600
    code, out, err = call(*asked[:3], "--ledger", "ledger.json")
    assert code == 2 and out == "" and "ledger must leave budgets for release 2" in err
    code, again, _ = call("published", "ledger.json")
    assert code == 0 and json.loads(again) == found
    rows[3] = rows[3].rpartition(",")[0] + ",0.73712"
    (folder / "data.csv").write_text(HEAD + "\n".join(rows))
    code, out, err = call(*asked[:3], "--new-ledger", "other.json")
    assert code == 2 and out == "" and "none of user 'l1'" in err and "73712" not in err
    assert not (folder / "other.json").exists(), "nothing was counted in it"


@needs_opendp
@pytest.mark.parametrize("target", ["full", "broken"])
def test_an_answer_that_nobody_could_read_is_kept(target, folder, call):
    if target == "full" and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    reading, writing = os.pipe()
    os.close(reading)
    writing = writing if target == "broken" else os.open("/dev/full", os.O_WRONLY)
    asked = [sys.executable, "-m", "hdp", "release", "half.json", "half.csv", "--new-ledger", "ledger.json"]
    done = subprocess.run(asked, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr, done.stderr
    assert "python -m hdp published ledger.json` prints it again" in done.stderr
    again = [call("published", "ledger.json")[1] for _ in range(2)]
    assert again[0] == again[1] and 0 <= json.loads(again[0])["answer"] <= 1


@pytest.mark.settles("hdp-release-ledger", "hdp-release-own-ledger")
@needs_opendp
def test_a_mistyped_ledger_is_no_second_release(folder, call):
    assert call("release", "half.json", "half.csv", "--new-ledger", "ledger.json")[0] == 0
    code, out, err = call("release", "half.json", "half.csv", "--ledger", "ledgr.json")
    assert code == 2 and out == "" and "ledger must exist" in err and not (folder / "ledgr.json").exists()
    code, out, err = call("release", "half.json", "half.csv", "--new-ledger", "ledger.json")
    assert code == 2 and out == "" and "ledger must be a new file" in err
    assert call("release", "half.json", "half.csv", "--ledger", "ledger.json")[0] == 0
    report = "report", "plan.json", "--epsilon", "4", "--value", "0.5"
    for asked in (("release", "half.json", "half.csv"), ("bounds", "half.csv", "--share", "1"), report):
        with pytest.raises(SystemExit):
            call(*asked)


@needs_opendp
@pytest.mark.parametrize(
    ("path", "said"),
    [("half.csv", "another file than 'half.csv'"), ("./half.csv", "another file than 'half.csv'"),
     ("half.json", "another file"), ("ledger.json", "another file than 'ledger.json'"), ("there.txt", "a new file"),
     ("other.json", "not replace a ledger"), ("no/where.csv", "a folder that exists"), ("link.csv", "another file"),
     ("/dev/null", "an ordinary file"), ("hard.csv", "another file"), (".", "a folder that exists")],
)  # fmt: skip
@pytest.mark.parametrize("force", [False, True])
def test_no_receipts_replace_what_is_there(path, said, force, folder, call):
    """Nor are they lost: the path is checked before anything is charged."""
    (folder / "there.txt").write_text("kept")
    (folder / "link.csv").symlink_to(folder / "half.csv")
    os.link("half.csv", "hard.csv")
    for ledger in ("ledger.json", "other.json"):
        assert call("release", "half.json", "half.csv", "--new-ledger", ledger)[0] == 0
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    options = ["--ledger", "ledger.json", "--receipts", path, *["--force"] * force]
    code, out, err = call("release", "half.json", "half.csv", *options)
    if force and path == "there.txt":
        assert code == 0 and (folder / path).read_text().startswith("user,allowed") and len(out) > 9
        return
    assert code == 2 and out == "" and "--receipts must" in err and said in err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_what_is_no_plan_or_no_ledger_is_one_line(folder, call):
    (folder / "ledger.json").write_text("[]")
    (folder / "loop").symlink_to("loop")
    for wrong in ("half.csv", "loop", "nowhere.json"):
        code, _, err = call("release", wrong, "half.csv", "--ledger", "ledger.json")
        assert code == 2 and wrong in err and len(err.splitlines()) == 1
    for asked in (("release", "half.json", "half.csv", "--ledger"), ("published",)):
        code, out, err = call(*asked, "ledger.json")
        assert code == 2 and out == "" and "ledger must be a file of the schema" in err.splitlines()[-1]


@needs_opendp
def test_a_value_is_read_where_no_history_keeps_it(folder, call, monkeypatch):
    """From the standard input, or a file; whatever is wrong with it, nobody reads it in a message."""
    asked = "report", "plan.json", "--epsilon", "4"
    monkeypatch.setattr(sys, "stdin", io.StringIO(" 0.25\n"))
    assert call(*asked, "--new-ledger", "a.json")[1].startswith("report:")
    (folder / "value.txt").write_text("0.25\n")
    assert call(*asked, "--new-ledger", "b.json", "--value-file", "value.txt")[1].startswith("report:")
    for secret in ("0.7371 x", "nan", "1e999", "7_371", "\udcff7371"):
        (folder / "value.txt").write_bytes(secret.encode(errors="surrogateescape"))
        monkeypatch.setattr(sys, "stdin", io.StringIO(secret))
        for way in ([], ["--value-file", "value.txt"], ["--value", secret]):
            code, out, err = call(*asked, "--new-ledger", "c.json", *way)
            assert (code, out) == (2, "") and err == "hdp: value must be a finite number, got another text\n"
    assert not (folder / "c.json").exists()
    code, _, err = call("report", "plan.json", "--epsilon", "3", "--new-ledger", "c.json", "--value", "0.5")
    assert code == 2 and "epsilon must be that of local users" in err and not (folder / "c.json").exists()


@needs_opendp
@pytest.mark.parametrize("option", ["--ledger", "--new-ledger"])
def test_an_empty_name_is_no_ledger(option, folder, call):
    """As of a variable of the shell that is not set; else reports would be free."""
    for asked in (("report", "plan.json", "--epsilon", "4", "--value", "0.5"), ("release", "half.json", "half.csv")):
        code, out, err = call(*asked, option, "")
        assert (code, out) == (2, "") and "ledger must be a file in a folder that exists, got ''" in err


@needs_opendp
def test_a_report_that_nobody_could_read_is_printed_again(folder, call):
    asked = "report", "plan.json", "--epsilon", "4", "--value", "0.5", "--new-ledger", "mine.json"
    code, out, err = call(*asked)
    assert code == 0 and "of a budget of 4 nats the report costs 4" in err
    assert call("published", "mine.json")[:2] == (0, out)


@pytest.mark.parametrize("arguments", [["0.737"], ["--val=0.737"], ["--value-file", "0.737"], ["--records", "0.737"]])
def test_a_mistyped_call_shows_no_value(arguments, folder, capsys):
    with pytest.raises(SystemExit) if "--value-file" not in arguments else nullcontext():
        assert main(["report", "plan.json", "--epsilon", "4", "--new-ledger", "c.json", *arguments]) == 2
    out, err = capsys.readouterr()
    assert "0.737" not in out + err and len(err.splitlines()) == 1 and not (folder / "c.json").exists()


def test_no_ledger_is_replaced_however_long_or_new(folder, call):
    new_ledger(Plan.from_json((folder / "half.json").read_text()), "long.json")
    many = {"plans": ["0" * 64] * 3000, "spent": [[0.0]] * 3000, "answers": [None] * 3000}
    before = json.dumps(json.loads((folder / "long.json").read_text()) | many, indent=2, sort_keys=True)
    (folder / "long.json").write_text(before)
    code, _, err = call("plan", "half.csv", "--interval", "0", "1", "--out", "long.json", "--force")
    assert code == 2 and "--out must not replace a ledger" in err and (folder / "long.json").read_text() == before
    with (
        pytest.raises(ValueError, match="must not replace a ledger"),
        outputs.opened("--receipts", folder / "new.csv", force=True) as file,
    ):
        file.write("receipts")
        (folder / "new.csv").write_text(before)
    assert (folder / "new.csv").read_text() == before


@pytest.mark.parametrize("value", ["nan", "inf", "1_0", "x73712", "1e999"])
def test_a_value_that_is_not_finite_is_refused_and_not_shown(tmp_path, value):
    (tmp_path / "data.csv").write_text(HEAD + f"ann,1,curator,1,0.5,\nbob,1,curator,1,{value},\n")
    wanted = r"column value, row 2: must be a finite number, or empty where no plan uses it$"
    with pytest.raises(ValueError, match=wanted):
        read_data(tmp_path / "data.csv", reports=True)


def test_data_are_read_as_the_ranking_reads_them(tmp_path):
    lines = "ann,inf,local,2,7.25,\nbob,0.5,curator,1,,\ncy,1,local,1,none of yours,report:7\n"
    (tmp_path / "data.csv").write_text(HEAD + lines)
    names, users, values, reports = read_data(tmp_path / "data.csv", reports=True)
    assert list(names) == ["ann", "bob", "cy"] and users.epsilon.tolist() == [np.inf, 0.5, 1]
    assert values[0] == 7.25 and np.isnan(values[1:]).all() and users.records.tolist() == [2, 1, 1]
    assert reports == ["", "", "report:7"] and read_data(tmp_path / "data.csv", reports=False)[3] == []
    (tmp_path / "data.csv").write_text(HEAD.replace(",report", "") + "ann,1,local,1,0\n")
    with pytest.raises(ValueError, match="got none named report"):
        read_data(tmp_path / "data.csv", reports=True)


@needs_opendp
def test_a_table_as_it_is_goes_the_whole_way(folder, call):
    """Names, words, thousands, decimal commas, a public group without names: plan and release read the same users."""
    rows = "".join(f"p{i};{'AB'[i % 2]};{40 + i}.{i:03},5\n" for i in range(30))
    (folder / "staff.csv").write_text(f"Id;Stufe;Gehalt\n{rows};offen;38.000,00\n;offen;39.500,25\n;;\n")
    named = ["--user", "id", "--epsilon", "stufe", "--trust", "curator", "--records", "1", "--decimal", ","]
    named += ["--budgets", "A=0.5,B=4,offen=inf"]
    assert call("plan", "staff.csv", *named, "--interval", "0", "90000", "--out", "staff.json")[0] == 0
    asked = ["release", "staff.json", "staff.csv", *named, "--value", "GEHALT", "--new-ledger"]
    code, out, err = call(*asked, "l.json", "--receipts", "r.csv")
    assert code == 0 and "taken for one person each: 2\n" in err and 0 < json.loads(out)["answer"] < 90000
    with (folder / "r.csv").open() as file:
        assert [row["user"] for row in csv.DictReader(file)] == [*(f"p{i}" for i in range(30)), "", ""]
    (folder / "staff.csv").write_text(f"Id;Stufe;Gehalt\n{rows};offen;38.000,00\n;offen;€73712\n")
    code, out, err = call(*asked, "m.json")
    assert code == 2 and out == "" and "73712" not in err and not (folder / "m.json").exists()
    assert "column GEHALT, row 32: must be a finite number" in err


def test_the_next_question_is_planned_with_what_is_left(folder, call):
    """A share first, and then all that the ledger leaves; what each has, spends and keeps is printed and written."""
    lines = [f"u{i},{(0.3, 1, 8)[i % 3]},{'local' if i % 7 == 0 else 'curator'},1,0" for i in range(300)]
    (folder / "users.csv").write_text(HEAD.replace(",report", "") + "\n".join(lines))
    asked = "plan", "users.csv", "--interval", "0", "1"
    code, out, _ = call(*asked, "--spend", "0.4", "--out", "first.json")
    first = Plan.from_json((folder / "first.json").read_text())
    assert code == 0 and "has left" not in out and first.part == pytest.approx(0.4 * first.kinds.epsilon)
    new_ledger(first, "ledger.json")
    charge(first, "ledger.json")
    rest = left(first, "ledger.json")
    code, out, _ = call(*asked, "--ledger", "ledger.json", "--out", "second.json", "--weights", "weights.csv")
    second = Plan.from_json((folder / "second.json").read_text())
    assert code == 0 and (second.part <= rest).all() and second.part == pytest.approx(rest, rel=1e-12)
    head, *rows = out.splitlines()
    assert head.split("  ")[1] == "each has left" and [row.split()[1] for row in rows[1:3]] == ["0.18", "0.6"]
    written = list(csv.DictReader((folder / "weights.csv").read_text().splitlines()))
    kept = [float(written[i]["kept"]) for i in (3, 1, 2)]  # who trust the curator
    charge(second, "ledger.json")
    assert kept == pytest.approx(left(second, "ledger.json")[~second.kinds.local], abs=1e-12) and kept[2] > 6
    code, out, err = call(*asked, "--ledger", "ledger.json", "--out", "ledger.json")
    assert (code, out) == (2, "") and "--out must be another file" in err


@pytest.fixture
def columns(folder, call):
    """A table of salaries and ages of sixty users, of whom ten report, and a plan for each column."""
    trust = ["local", *["curator"] * 5] * 10
    people = [f"u{i},{(0.5, 2)[i % 2]},{trust[i]},1,{1000 * i},{20 + i % 40}" for i in range(60)]
    (folder / "staff.csv").write_text("user,epsilon,trust,records,salary,age\n" + "\n".join(people))
    for name, low, high, share in (("salary", "0", "60000", "0.7"), ("age", "16", "66", "0.3")):
        asked = "plan", "staff.csv", "--interval", low, high, "--spend", share, "--out", f"{name}.json"
        assert call(*asked)[0] == 0
    return [Plan.from_json((folder / f"{name}.json").read_text()) for name in ("salary", "age")]


@needs_opendp
def test_several_columns_are_released_in_one_go(folder, call, columns):
    lines = (folder / "staff.csv").read_text().splitlines()
    told = " ".join(report(made, 0.5, made.lower) for made in columns)
    rows = [f"{line},{told}" if ",local," in line else line for line in lines[1:]]  # other rows are too short
    (folder / "data.csv").write_text("\n".join([f"{lines[0]},report", *rows]))
    asked = "release", "salary.json", "age.json", "data.csv", "--columns", "salary,age"
    code, out, err = call(*asked, "--new-ledger", "ledger.json", "--receipts", "s.csv", "--receipts", "a.csv")
    made = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [one["plan"] for one in made] == [plan.digest for plan in columns], err
    assert 0 <= made[0]["answer"] <= 60000 and 16 <= made[1]["answer"] <= 66
    assert "the answers are kept there" in err and "answer 1 is within" in err and "answer 2 is within" in err
    people = Population([0.5, 2] * 30, ["local", *["curator"] * 5] * 10)
    rest = left(columns[0], "ledger.json")[columns[0].kind_of(people)]
    for path, of in (("s.csv", columns[0]), ("a.csv", columns[1])):
        text = (folder / path).read_text()
        assert text.startswith(f"user,allowed,spent,kept,plan:{of.digest}") and len(text.splitlines()) == 61
        kept = [float(row["kept"]) for row in csv.DictReader(text.splitlines())]
        assert kept == pytest.approx(rest, abs=1e-12) and max(kept) < 0.02, "of both, as the ledger says"
    assert call("published", "ledger.json")[1] == out


@needs_opendp
def test_the_table_of_a_release_is_read_once_and_its_users_are_known_again(folder, call, columns):
    """Also through a pipe, whose second reading would have no rows, or others; exchanged budgets are refused."""
    head, *rows = (folder / "staff.csv").read_text().replace("local", "curator").splitlines()
    (folder / "staff.csv").write_text("\n".join([head, *rows]))
    for name, high in (("salary", "60000"), ("age", "66")):
        some = "--interval", "0", high, "--spend", "0.25", "--out", f"{name}.json", "--force"
        assert call("plan", "staff.csv", *some)[0] == 0
    os.mkfifo("pipe.csv")
    threading.Thread(target=Path("pipe.csv").write_text, args=["\n".join([head, *rows])], daemon=True).start()
    asked = "release", "salary.json", "age.json"
    code, out, err = call(*asked, "pipe.csv", "--columns", "salary,age", "--new-ledger", "ledger.json")
    assert code == 0 and len(out.splitlines()) == 2, err
    exchanged = rows[0].replace(",0.5,", ",2,"), rows[1].replace(",2,", ",0.5,")
    (folder / "other.csv").write_text("\n".join([head, *exchanged, *rows[2:]]))
    again = "--columns", "salary,age", "--ledger", "ledger.json"
    code, out, err = call(*asked, "other.csv", *again)
    assert (code, out) == (2, "") and "budgets have changed places" in err
    (folder / "sorted.csv").write_text("\n".join([head, *sorted(rows)]))
    assert call(*asked, "sorted.csv", *again)[0] == 0


def test_columns_that_do_not_fit_the_plans_are_refused_before_a_ledger_is_made(folder, call, columns):
    (folder / "trusting.csv").write_text((folder / "staff.csv").read_text().replace("local", "curator"))
    for name, more in (("much", ("--spend", "0.8")), ("less", ("--spend", "0.3")), ("rho", ("--noise", "gaussian"))):
        assert call("plan", "trusting.csv", "--interval", "0", "1", "--out", f"{name}.json", *more)[0] == 0
    two = "release", "much.json", "less.json", "trusting.csv"
    for asked, said in (
        (two, "--columns must name a column for each of 2 plans, in place of --value, got 1"),
        ((*two, "--columns", "salary,"), "--columns must name a column for each of 2 plans, got 2"),
        ((*two, "--columns", "salary,age", "--value", "age"), "--columns must be given without --value"),
        ((*two, "--columns", "salary,age", "--receipts", "r.csv"), "--receipts must be given once for each of 2"),
        (("release", "much.json", "rho.json", "trusting.csv", "--columns", "salary,age"), "with the same noise"),
        ((*two, "--columns", "salary,age"), "ledger must leave budgets for release 2"),
    ):
        code, out, err = call(*asked, "--new-ledger", "ledger.json")
        assert (code, out) == (2, "") and said in err, err
        assert not (folder / "ledger.json").exists() and not (folder / "r.csv").exists()


def test_a_cell_with_too_few_reports_is_refused_and_not_shown(folder, call, columns):
    text = (folder / "staff.csv").read_text().splitlines()
    rows = [f"{line},{'report:737' if ',local,' in line else ''}" for line in text[1:]]
    (folder / "data.csv").write_text("\n".join([f"{text[0]},report", *rows]))
    asked = "release", "salary.json", "age.json", "data.csv", "--columns", "salary,age", "--new-ledger", "ledger.json"
    code, out, err = call(*asked)
    assert (code, out) == (2, "") and "column report, row 1: must hold a report for each of 2 plans" in err
    assert "737" not in err and not (folder / "ledger.json").exists()


# -- Receipts and weights as files.

NAMES = ["ann", "Doe, J", 'the "other"', "=1+1", "'@x", "\uff1dx", "two\nlines", "zoë"]
PEOPLE = Population([0.1, 0.7, 4.0, np.inf] * 1000, ["curator", "curator", "local", "curator"] * 1000)
PLAN = plan(PEOPLE, "mixed")
CALLED = (NAMES * 500)[: PEOPLE.size]


def written(write, *given):
    file = io.StringIO(newline="")
    write(file, PLAN, *given)
    return file.getvalue()


@pytest.mark.parametrize("write", [write_receipts, write_weights])
def test_every_number_is_the_librarys_to_the_last_digit(write):
    rows = list(csv.DictReader(io.StringIO(written(write, PEOPLE, iter(CALLED)), newline="")))
    safe = {"=1+1": "'=1+1", "'@x": "''@x", "\uff1dx": "'\uff1dx"}
    assert [row["user"] for row in rows] == [safe.get(name, name) for name in CALLED]
    found = receipts(PLAN, PEOPLE)
    wanted = {"spent": found.spent, "kept": found.kept}
    wanted |= {"allowed": found.allowed} if write is write_receipts else {"epsilon": PEOPLE.epsilon}
    for name, column in wanted.items():
        assert [float(row[name]) for row in rows] == column.tolist()
    if write is write_weights:
        assert [float(row["weight"]) for row in rows] == PLAN.weights[PLAN.kind_of(PEOPLE)].tolist()
        assert [row["trust"] for row in rows[:4]] == ["curator", "curator", "local", "curator"]
        assert {row["records"] for row in rows} == {"1"}


@pytest.mark.parametrize("write", [write_receipts, write_weights])
def test_the_name_of_the_plan_stands_once_above_an_empty_column(write):
    for given in ((), (PEOPLE, CALLED)):
        text = written(write, *given)
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert text.count(PLAN.digest) == 1 and rows[0][-1] == f"plan:{PLAN.digest}"
        assert {len(row) for row in rows} == {len(rows[0])} and {row[-1] for row in rows[1:]} == {""}
        assert "\r" not in text


def test_without_names_there_is_a_row_for_every_kind():
    rows = list(csv.DictReader(io.StringIO(written(write_receipts), newline="")))
    assert [int(row["users"]) for row in rows] == PLAN.kinds.users.tolist()
    assert [float(row["spent"]) for row in rows] == receipts(PLAN).spent.tolist()


def test_names_are_one_for_each_user():
    for given in ((PEOPLE, None), (None, CALLED)):
        with pytest.raises(ValueError, match="names must be given with a population"):
            written(write_receipts, *given)
    for names in (CALLED[:-1], [*CALLED, "one more"]):
        with pytest.raises(ValueError, match=r"names must be one for each of 4000 users, got (3999|4001)$"):
            written(write_receipts, PEOPLE, names)


@pytest.mark.parametrize("name", NAMES)
def test_one_name_that_must_be_written_otherwise_is_found_among_plain_ones(name):
    people = Population([1.0, 2.0, 3.0])
    file = io.StringIO(newline="")
    write_receipts(file, plan(people), people, ["ann", name, "zoë"])
    rows = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    runs = name in ("=1+1", "'@x", "\uff1dx")
    assert [row[0] for row in rows[1:]] == ["ann", f"'{name}" if runs else name, "zoë"]
