"""`python -m hdp release`, `published` and `report`: reports made one by one, an answer, receipts, and refusals."""

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")

from hdp.__main__ import main
from hdp._cli.files import opened
from hdp.release import Ledger, Plan, plan, receipts, report, write_receipts, write_weights
from hdp.users import Users
from tests.files import ROOT

HEAD = "user,epsilon,trust,records,value"
HALF = "release", "half.json", "half.csv"
TOLD = "report", "plan.json", "--epsilon", "4"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A plan for eighty users, of whom forty report, and for twenty curators; the commands run in this folder."""
    made = plan(Users([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    (tmp_path / "plan.json").write_text(made.to_json())
    (tmp_path / "half.json").write_text(plan([1.0] * 20, spend=0.5).to_json())
    lines = [f"=u{i},1,curator,1,{i % 2}" for i in range(20)]
    (tmp_path / "half.csv").write_text("\n".join([HEAD, *lines]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder, capsys):
    """Return a function that runs a command and returns what it said; or which refuses, says why, changes no file."""

    def run(*arguments, refuses=None):
        before = {file: file.lstat().st_mtime_ns for file in folder.iterdir()}
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert code == (0 if refuses is None else 2), err
        if refuses is not None:
            assert out == "" and refuses in err.splitlines()[-1] and "73712" not in err
            assert {file: file.lstat().st_mtime_ns for file in folder.iterdir()} == before
        return out, err

    return run


def read_plan(name):
    return Plan.from_json(Path(name).read_text())


def kept(path):
    """What a file of receipts says that each keeps."""
    return [float(row["kept"]) for row in csv.DictReader(Path(path).read_text().splitlines())]


def test_a_release_for_millions_fits_into_memory(folder, call):
    """With receipts: at most 110 bytes a user, 25 of them the file; names stand in texts of many, no column twice."""
    n = 100_000
    lines = (f"\nuser{i},{(0.1, 1, 2)[i * i % 7 % 3]},curator,1,{i % 9}" for i in range(n))
    (folder / "many.csv").write_text(HEAD + "".join(lines))
    call("plan", "many.csv", "--interval", "0", "9", "--out", "many.json")
    call(*HALF, "--new-ledger", "first.json")  # what is imported counts with the library
    tracemalloc.start()
    call("release", "many.json", "many.csv", "--new-ledger", "many.ledger", "--receipts", "receipts.csv")
    most = tracemalloc.get_traced_memory()[1] / n
    tracemalloc.stop()
    assert most < 110


@pytest.mark.settles("hdp-release-ledger", "hdp-release-own-ledger")
def test_a_release_with_reports_on_the_command_line(folder, call):
    rows = []
    for i in range(40):
        out, err = call(*TOLD, "--value", "0.5", "--new-ledger", f"{i}.json")
        assert f"made {i}.json, a new ledger" in err and "of a budget of 4 nats the report costs 4" in err
        assert call("published", f"{i}.json")[0] == out
        rows += [f"c{i},1,curator,1,0.5,", f"l{i},4,local,1,whatever,{out.strip()}"]
    call(*TOLD, "--value", "0.5", "--ledger", "0.json", refuses="ledger must leave budgets for release 2")
    (folder / "data.csv").write_text("\n".join([f"{HEAD},report", *rows]))
    asked = "release", "plan.json", "data.csv", "--receipts", "receipts.csv"
    out, err = call(*asked, "--new-ledger", "ledger.json")
    found, made = json.loads(out), read_plan("plan.json")
    assert abs(found["answer"] - 0.5) < 0.5 and found["plan"] == made.digest
    assert "values lie in [0, 1] by the plan; others are moved to its ends\n" in err.partition("made ledger.json")[0]
    assert "made ledger.json, a new ledger" in err and "users have 0 to " in err and "nats left" in err
    assert (folder / "receipts.csv").read_text().startswith(f"user,allowed,spent,kept,plan:{made.digest}\n")
    assert stat.S_IMODE(os.stat("receipts.csv").st_mode) == 0o600
    call(*asked[:3], "--ledger", "ledger.json", refuses="ledger must leave budgets for release 2")
    assert call("published", "ledger.json")[0] == out
    new = *asked, "--new-ledger", "other.json", "--force"
    for told in ("0.73712", "report:73712", ""):
        (folder / "data.csv").write_text("\n".join([f"{HEAD},report", *rows[:3], f"l1,4,local,1,0,{told}", *rows[4:]]))
        call(*new, refuses="none of user 'l1'")
    (folder / "data.csv").write_text("\n".join([HEAD, *(row.rpartition(",")[0] for row in rows)]))
    call(*new, refuses="got none named report: what the command report printed")


@pytest.mark.parametrize("target", ["full", "broken"])
def test_an_answer_that_nobody_could_read_is_kept(target, folder, call):
    if target == "full" and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    reading, writing = os.pipe()
    os.close(reading)
    writing = writing if target == "broken" else os.open("/dev/full", os.O_WRONLY)
    asked = [sys.executable, "-m", "hdp", *HALF, "--new-ledger", "ledger.json"]
    done = subprocess.run(asked, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
    assert "python -m hdp published ledger.json` prints it again" in done.stderr
    again = [call("published", "ledger.json")[0] for _ in range(2)]
    assert again[0] == again[1] and 0 <= json.loads(again[0])["answer"] <= 1


@pytest.mark.settles("hdp-release-ledger", "hdp-release-own-ledger")
def test_a_mistyped_or_empty_name_is_no_second_release(folder, call):
    """Empty as of a variable of the shell that is not set; else reports would be free."""
    call(*HALF, "--new-ledger", "ledger.json")
    hers = (*TOLD, "--value", "0.5")
    for asked in (HALF, ("bounds", "half.csv", "--share", "1"), hers):
        with pytest.raises(SystemExit):
            call(*asked)
    for asked in (HALF, hers):
        call(*asked, "--ledger", "ledgr.json", refuses="ledger must exist")
        call(*asked, "--new-ledger", "ledger.json", refuses="ledger must be a new file")
        for option in ("--ledger", "--new-ledger"):
            call(*asked, option, "", refuses="ledger must be a file in a folder that exists, got ''")
    for wrong in ("half.csv", "nowhere.json"):
        call("release", wrong, "half.csv", "--ledger", "ledger.json", refuses=wrong)
    for asked in ((*HALF, "--ledger"), ("published",), (*hers, "--ledger")):
        call(*asked, "half.json", refuses="ledger must be a file of the schema")
    call(*HALF, "--ledger", "ledger.json")


@pytest.mark.parametrize(
    ("path", "said"),
    [("./half.csv", "another file than 'half.csv'"), ("half.json", "another file"), ("ledger.json", "another file"),
     ("ledger.json.lock", "the lock of a ledger"), ("there.txt", "a new file"), ("other.json", "not replace a ledger"),
     ("no/where.csv", "a folder that exists"), ("link.csv", "another file"), ("/dev/null", "an ordinary file"),
     ("hard.csv", "another file"), (".", "a folder that exists")],
)  # fmt: skip
@pytest.mark.parametrize("force", [False, True])
def test_no_receipts_replace_what_is_there(path, said, force, folder, call):
    """Nor are they lost: the path is checked before anything is charged."""
    (folder / "there.txt").write_text("kept")
    (folder / "link.csv").symlink_to(folder / "half.csv")
    os.link("half.csv", "hard.csv")
    for ledger in ("ledger.json", "other.json"):
        call(*HALF, "--new-ledger", ledger)
    replaces = force and path == "there.txt"
    _, err = call(*HALF, "--ledger", "ledger.json", "--receipts", path, *["--force"] * force,
                  refuses=None if replaces else "--receipts must")  # fmt: skip
    assert kept(path)[0] < 1e-9 if replaces else said in err


def test_a_value_is_read_where_no_history_keeps_it(folder, call, monkeypatch):
    """From the standard input, or a file; whatever is wrong with it, or the call, nobody reads it in a message."""
    for name, text in (("a", " 0.25\n"), ("b", "1")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        (folder / "value.txt").write_text("0.25\n")
        file = ["--value-file", "value.txt"] * (name == "b")
        assert call(*TOLD, "--new-ledger", f"{name}.json", *file)[0].startswith("report:")
    new = *TOLD, "--new-ledger", "c.json"
    for secret in ("0.73712 x", "nan", "1e999", "73_712", "\udcff73712"):
        (folder / "value.txt").write_bytes(secret.encode(errors="surrogateescape"))
        monkeypatch.setattr(sys, "stdin", io.StringIO(secret))
        for way in ([], ["--value-file", "value.txt"], ["--value", secret]):
            _, err = call(*new, *way, refuses="")
            assert err == "hdp: value must be a finite number, got another text\n"
    call(*new[:3], "3", *new[4:], "--value", "0.5", refuses="epsilon must be that of local users")
    call(*new, "--value-file", "0.73712", refuses="value must stand in the standard input, or in a file")
    for wrong in (["0.73712"], ["--val=0.73712"], ["--records", "0.73712"]):
        with pytest.raises(SystemExit) as ended, redirect_stderr(io.StringIO()) as err:
            main([*new, *wrong])
        assert ended.value.code == 2 and re.fullmatch(r".*: the call is none that --help names\n", err.getvalue())
    assert not (folder / "c.json").exists()


def test_no_ledger_is_replaced_however_long_or_new(folder, call):
    ledger = Ledger.new("long.json", read_plan("half.json"))
    many = [{"plan": "0" * 64, "spent": [0.0], "answer": None}] * 3000
    before = json.dumps(json.loads(ledger.path.read_text()) | {"entries": many}, sort_keys=True, separators=(",", ":"))
    ledger.path.write_text(before)
    asked = "plan", "half.csv", "--interval", "0", "1", "--out", "long.json", "--force"
    call(*asked, refuses="--out must not replace a ledger")
    call(*asked, "--ledger", "./long.json", refuses="--out must be another file")
    with (
        pytest.raises(ValueError, match="must not replace a ledger"),
        opened([("--receipts", folder / "new.csv", True)], True, []) as files,
    ):
        files[0].write("receipts")
        (folder / "new.csv").write_text(before)
    assert (folder / "new.csv").read_text() == before


ODD = ["--user", "Pers-Nr.", "--epsilon", " STUFE (frei)", "--trust", "curator", "--records", "1", "--decimal", ","]
ODD += ["--budgets", "gering, fast nichts=0.5", "--budgets", "B=4,offen=inf"]


def test_one_plan_file_releases_twice_from_a_table_as_it_is(folder, call):
    """Odd names of columns, budgets in words, thousands, decimal commas, public rows without names: none is said twice.

    Its plan says how the table is read, and a value not; of another table nothing is released.
    """
    rows = "".join(f"p{i};{('gering, fast nichts', 'B')[i % 2]};{40 + i}.{i:03},5;x\n" for i in range(30))
    head, public = "Pers-Nr.;Stufe (frei);Gehalt / €;Notiz\n", ";offen;38.000,00;\n;offen;39.500,25;\n;;;\n"
    (folder / "staff.csv").write_text(head + rows + public)
    interval = "--interval", "0", "90000", "--spend", "0.5", "--out", "staff.json"
    call("plan", "staff.csv", *ODD, "--value", "gehalt / €", *interval)
    made, people = read_plan("staff.json"), Users([*[0.5, 4] * 15, np.inf, np.inf])
    asked = "release", "staff.json", "staff.csv"
    for times, which in ((1, "--new-ledger"), (2, "--ledger")):
        out, err = call(*asked, which, "l.json", "--receipts", f"{times}.csv")
        assert "taken for one person each: 2\n" in err and 0 < json.loads(out)["answer"] < 90000
        left = Ledger("l.json").left(made)[made.kind_of(people)]
        assert kept(f"{times}.csv") == left.tolist() and left[1] == pytest.approx(4 - times * made.spent[1])
    assert [line.split(",")[0] for line in Path("1.csv").read_text().splitlines()[29:]] == ["p28", "p29", "", ""]
    call(*asked, "--ledger", "l.json", refuses="ledger must leave budgets for release 3")
    for text, said in (
        (head + rows + public.replace("39.500,25", "€73712"), "column gehalt / €, row 32: must be a finite number"),
        (head + rows.replace("p1;B", "p1;gering, fast nichts") + public, "users must be those of the plan"),
        (head.replace("Gehalt / €", "Gehalt") + rows + public, "got none named gehalt / €"),
    ):
        (folder / "staff.csv").write_text(text)
        call(*asked, "--new-ledger", "m.json", "--receipts", "r.csv", refuses=said)


def test_the_next_question_is_planned_with_what_is_left(folder, call):
    """A share first, and then all that the ledger leaves; what each has, spends and keeps is printed and written."""
    people = Users([0.3, 1, 8] * 100, ["local" if i % 7 == 0 else "curator" for i in range(300)])
    lines = [f"u{i},{e},{t},1,0" for i, (e, t) in enumerate(zip(people.epsilon, people.trust, strict=True))]
    (folder / "users.csv").write_text("\n".join([HEAD, *lines]))
    asked = "plan", "users.csv", "--interval", "0", "1"
    assert "has left" not in call(*asked, "--spend", "0.4", "--out", "first.json")[0]
    first = read_plan("first.json")
    ledger = Ledger.new("ledger.json", first)
    ledger.charge(first)
    rest = ledger.left(first)
    out, _ = call(*asked, "--ledger", "ledger.json", "--out", "second.json", "--weights", "weights.csv")
    second, (head, *rows) = read_plan("second.json"), out.splitlines()
    assert first.allowance == pytest.approx(0.4 * first.kinds.epsilon)
    assert (second.allowance <= rest).all() and second.allowance == pytest.approx(rest, rel=1e-12)
    assert head.split("  ")[1] == "each has left" and [row.split()[1] for row in rows[1:3]] == ["0.18", "0.6"]
    ledger.charge(second)
    assert kept("weights.csv") == ledger.left(second)[second.kind_of(people)].tolist() and max(kept("weights.csv")) > 6


@pytest.fixture
def columns(folder, call):
    """A table of salaries and ages of sixty users, of whom ten report, and a plan for each column."""
    trust = ["local", *["curator"] * 5] * 10
    people = [f"u{i},{(0.5, 2)[i % 2]},{trust[i]},1,{1000 * i},{20 + i % 40}" for i in range(60)]
    (folder / "staff.csv").write_text("\n".join([HEAD.replace("value", "salary,age"), *people]))
    for name, *ends, share in (("salary", "0", "60000", "0.7"), ("age", "16", "66", "0.3")):
        call("plan", "staff.csv", "--value", name, "--interval", *ends, "--spend", share, "--out", f"{name}.json")
    return [read_plan(f"{name}.json") for name in ("salary", "age")]


def test_several_columns_are_released_in_one_go(folder, call, columns):
    """Each by its plan, whose reports stand in one cell, and receipts are what all leave; the table comes by a pipe."""
    head, *rows = (folder / "staff.csv").read_text().splitlines()
    told = " ".join(report(made, 0.5, made.lower) for made in columns)
    text = "\n".join([f"{head},report", *(f"{row},{told if ',local,' in row else ''}" for row in rows)])
    os.mkfifo("pipe.csv")  # whose second reading would have no rows, or others
    threading.Thread(target=Path("pipe.csv").write_text, args=[text], daemon=True).start()
    asked = "release", "salary.json", "age.json", "pipe.csv"
    out, err = call(*asked, "--new-ledger", "ledger.json", "--receipts", "s.csv", "--receipts", "a.csv")
    made = [json.loads(line) for line in out.splitlines()]
    assert [one["plan"] for one in made] == [plan.digest for plan in columns]
    assert 0 <= made[0]["answer"] <= 60000 and 16 <= made[1]["answer"] <= 66
    assert "the answers are kept there" in err and "answer about salary will be" in err and "about age will be" in err
    people = Users([0.5, 2] * 30, ["local", *["curator"] * 5] * 10)
    rest = Ledger("ledger.json").left(columns[0])[columns[0].kind_of(people)]
    for path, of in (("s.csv", columns[0]), ("a.csv", columns[1])):
        assert (folder / path).read_text().startswith(f"user,allowed,spent,kept,plan:{of.digest}")
        assert kept(path) == rest.tolist() and max(rest) < 0.02, "of both, as the ledger says"
    assert call("published", "ledger.json")[0] == out
    Path("data.csv").write_text(text.replace(told, told.split()[0]))
    call(
        *asked[:3], "data.csv", "--new-ledger", "o.json", refuses="reports must be as `report` made them for this plan"
    )


def test_what_does_not_fit_is_refused_before_a_ledger_is_made_or_charged(folder, call, columns):
    """Plans of one column, or that read otherwise, or of other noise, or together too dear; and exchanged budgets."""
    head, *rows = (folder / "staff.csv").read_text().replace("local", "curator").splitlines()
    for name, first in {"own": head, "less": head.replace("age", "years"), "named": head.replace("user", "id")}.items():
        (folder / f"{name}.csv").write_text("\n".join([first, *rows]))
    for name, table, *more in (("a", "own", "--value", "age"), ("s", "own"), ("dear", "own", "--spend", "0.8"),
                               ("rho", "own", "--noise", "gaussian"), ("b", "named", "--user", "id")):  # fmt: skip
        asked = "plan", f"{table}.csv", "--interval", "0", "66", "--spend", "0.25", "--out", f"{name}.json"
        call(*asked, "--value", "salary", *more)
    one, two, own = ["--receipts", "r.csv"], ["--receipts", "r.csv", "--receipts", "q.csv"], ("a.json", "own.csv")
    for plans, more, said in (
        (["a.json", *own], two, "plans must be for different columns of values, got age, age"),
        (["b.json", *own], two, "plans must be for one table, read in one way"),
        (["s.json", *own], one, "--receipts must be given once for each of 2 plans, got 1"),
        (["s.json", *own], [*one, "--receipts", "./r.csv"], "--receipts must be another file than 'r.csv'"),
        (["rho.json", *own], two, "with the same noise"),
        (["dear.json", *own], two, "ledger must leave budgets for release 2"),
        (["a.json", "less.csv"], one, "row 0, the header must name the columns user, epsilon, trust, records, age"),
    ):
        call("release", *plans, *more, "--new-ledger", "ledger.json", refuses=said)
    call("release", "s.json", *own, "--new-ledger", "ledger.json")
    exchanged = rows[0].replace(",0.5,", ",2,"), rows[1].replace(",2,", ",0.5,")
    (folder / "other.csv").write_text("\n".join([head, *exchanged, *rows[2:]]))
    bounds = "bounds", "other.csv", "--value", "age", "--share", "0.4", "--outside", "0.9", "--highest", "9"
    for asked in (("release", "a.json", "other.csv"), (*bounds, "--lowest", "0", "--beta", "0.9")):
        call(*asked, "--ledger", "ledger.json", refuses="budgets have changed places")
    (folder / "sorted.csv").write_text("\n".join([head, *sorted(rows)]))
    call("release", "a.json", "sorted.csv", "--ledger", "ledger.json")


SLOW = """
import sys, time
from pathlib import Path
from hdp import __main__, release
write = release.write_receipts
def slow(*given):
    Path("waits").touch()
    while not Path("go").exists():
        time.sleep(0.01)
    write(*given)
release.write_receipts = slow
sys.exit(__main__.script())
"""


@pytest.fixture
def slow(folder):
    """Return a function that begins a release, which waits within the lock for a file `go`."""
    running = []

    def begin(*options):
        asked, paths = [sys.executable, "-c", SLOW, *HALF, *options], os.environ | {"PYTHONPATH": str(ROOT)}
        running.append(subprocess.Popen(asked, env=paths, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        while not Path("waits").exists() and running[-1].poll() is None:
            time.sleep(0.02)
        Path("waits").unlink()
        return running[-1]

    yield begin
    running[0].kill()
    running[0].wait()


def test_of_two_releases_at_once_one_is_refused_and_receipts_say_what_both_leave(call, slow):
    first = slow("--new-ledger", "ledger.json", "--receipts", "1.csv")
    for option in ("--ledger", "--new-ledger"):
        call(*HALF, option, "ledger.json", "--receipts", "1.csv", refuses="ledger must not be in use")
    Path("go").touch()
    assert first.wait() == 0 and kept("1.csv") == [1 - read_plan("half.json").spent[0]] * 20
    call(*HALF, "--ledger", "ledger.json", "--receipts", "2.csv")
    assert max(kept("2.csv")) < 1e-9 and len(Ledger("ledger.json").published()) == 2


@pytest.mark.parametrize("there", [False, True])
def test_a_release_that_is_ended_within_its_lock_leaves_nothing_behind(there, folder, call, slow):
    """No lock, no half file, no new ledger, no charge."""
    if there:
        call(*HALF, "--new-ledger", "ledger.json")
    before = {file: file.read_bytes() for file in folder.iterdir()}
    process = slow("--ledger" if there else "--new-ledger", "ledger.json", "--receipts", "r.csv")
    assert Path("ledger.json.lock").exists()
    process.terminate()
    assert process.wait() == 128 + signal.SIGTERM
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


def test_what_a_killed_release_leaves_goes_with_the_next_one(folder, call, slow):
    """But for its lock, of which the refusal says what to do."""
    call(*HALF, "--new-ledger", "ledger.json")
    process = slow("--ledger", "ledger.json", "--receipts", "r.csv")
    process.kill()
    process.wait()
    (left,) = folder.glob(".r.csv*.new")
    call(*HALF, "--ledger", "ledger.json", refuses="remove it if no release is running")
    Path("ledger.json.lock").unlink()
    call(*HALF, "--ledger", "ledger.json", "--receipts", "r.csv")
    assert not left.exists() and max(kept("r.csv")) < 1e-9


@pytest.mark.parametrize("other", ["counted", "writes", None])
def test_a_new_ledger_goes_if_nothing_is_counted_but_not_under_another_writer(other, folder, monkeypatch):
    def meanwhile(self, plans, *_):
        if other:
            self.charge(plans[0]) if other == "counted" else self.lock.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Ledger, "release", meanwhile)
    assert main([*HALF, "--new-ledger", "ledger.json"]) == 2
    assert Path("ledger.json").exists() == bool(other)


# -- Receipts and weights as files.

SAFE = {"=1+1": "'=1+1", "'@x": "''@x", "\uff1dx": "'\uff1dx"}
NAMES = ["ann", "Doe, J", 'the "other"', *SAFE, "two\nlines", "zoë"]
PEOPLE = Users([0.1, 0.7, 4.0, np.inf] * 2000, ["curator", "curator", "local", "curator"] * 2000, names=NAMES * 1000)
PLAN = plan(PEOPLE, "mixed")


@pytest.mark.parametrize("users", [PEOPLE, Users(PEOPLE.epsilon, PEOPLE.trust), None], ids=["names", "rows", "kinds"])
@pytest.mark.parametrize("write", [write_receipts, write_weights])
def test_every_number_is_the_librarys_to_the_last_digit(write, users):
    """And the plan's name stands once, above an empty column."""
    file, found, kinds = io.StringIO(newline=""), receipts(PLAN, users), PLAN.kinds
    write(file, PLAN, users)
    head, *rows = csv.reader(io.StringIO(file.getvalue(), newline=""))
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    wanted = {"spent": found.spent, "kept": found.kept}
    wanted |= {"allowed": found.allowed} if write is write_receipts else {"epsilon": found.allowed}
    kind = np.arange(len(kinds.epsilon)) if users is None else PLAN.kind_of(users)
    if write is write_weights:
        wanted |= {"weight": PLAN.weights[kind], "records": kinds.records[kind]}
        assert columns["trust"] == tuple(np.where(kinds.local[kind], "local", "curator"))
    for name, column in wanted.items():
        assert [float(cell) for cell in columns[name]] == column.tolist()
    if users is None:
        assert [*map(int, columns["users"])] == kinds.users.tolist()
    else:
        numbers = [str(i + 1) for i in range(8000)]
        assert columns["user"] == tuple([SAFE.get(name, name) for name in users.names] if users.names else numbers)
    assert head[-1] == f"plan:{PLAN.digest}" and set(columns[head[-1]]) == {""}
    assert file.getvalue().count(PLAN.digest) == 1 and "\r" not in file.getvalue()


def test_one_name_that_must_be_written_otherwise_is_found_among_plain_ones():
    for name in NAMES:
        people, file = Users([1.0, 2.0, 3.0], names=["ann", name, "zoë"]), io.StringIO(newline="")
        write_receipts(file, plan(people), people)
        rows = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
        assert [row[0] for row in rows[1:]] == ["ann", SAFE.get(name, name), "zoë"]
