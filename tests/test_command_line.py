"""`python -m hdp`: what it prints, its exit codes, and that it says no more than the library knows."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from hdp import compare, release
from hdp.__main__ import main
from hdp._cli.common import end
from tests.files import ROOT
from tests.secrets import MARKERS, shown

USERS = str(ROOT / "book/synthesis/users.csv")
PEOPLE = compare.read_csv(USERS)[0]


@pytest.fixture
def said(capsys):
    """Return a function that calls the command, expects its exit code, and returns both of its outputs."""

    def said(*arguments, code=0):
        assert main([*arguments]) == code
        return capsys.readouterr()

    return said


def test_the_table_is_the_ranking(said):
    out, err = said("rank", USERS, "--prior", "0.4", "0.1")
    rows = compare.ranking(PEOPLE, prior=(0.4, 0.1))
    *lines, unit = out.splitlines()
    assert unit == "errors: roots of the expected squares, for values in [0, 1]"
    table = [line.split() for line in lines[1:] if not line.startswith("not for")]
    assert [line[:2] for line in table] == [[row.name, f"{row.error**0.5:.4f}"] for row in rows if not row.obstacle]
    headings, *cells = [line for line in lines if line and not line.startswith("not for")]
    assert headings.split()[:2] == ["estimator", "error"]
    assert all(line[headings.index("error") - 2 :].startswith("  ") for line in cells), "cells below headings"
    assert out.count("not for these users") == sum(bool(row.obstacle) for row in rows) > 0
    assert "ranking for 1000 users" in err  # progress is no part of the output


def test_json_is_json_and_complete(said):
    found = json.loads(said("rank", USERS, "--variance", "0.1", "--json").out, parse_constant=pytest.fail)
    rows = compare.ranking(PEOPLE, 0.1)
    assert [row["estimator"] for row in found] == [row.name for row in rows]
    assert found[0]["error"] == rows[0].error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["rank", "nowhere.csv"], "nowhere.csv"),
        (["rank", USERS, "--variance", "3"], "--variance must lie in (0, 0.25], a quarter of the square of [0, 1]: -"),
        (["rank", USERS, "--prior", "2", "0.1"], "prior"),
        (["plan", USERS, "--truncated"], "--truncated must come with --prior MEAN SPREAD"),
        (["plan", USERS, "--spend", "2"], "--spend must lie in (0, 1], got 2.0"),
        (["plan", USERS, "--ledger", "nowhere"], "check the name, or make one by `release --new-ledger`"),
        (["plan", USERS, "--value", "epsilon"], "--value must name another column than --epsilon, got 'epsilon'"),
        (["plan", USERS, "--tail", "1", "5"], "P of --tail must lie in (1, 100], got 1.0"),
        (["plan", USERS, "--tail", "2", "-5"], "M of --tail must lie in [0, 1e+50], got -5.0"),
        (["plan", USERS, "--interval", "0", "1", "--out", "no/such/folder/plan.json"], "hdp: --out must be a file in"),
        (["plan", USERS, "--out", "plan.json"], "hdp: --out must come with --interval LOW HIGH, for values beyond it"),
    ],
)
def test_what_is_not_as_it_must_be_ends_with_2_and_its_reason(said, arguments, reason, tmp_path, monkeypatch):
    """In the words of the call; and nothing is printed or written before."""
    monkeypatch.chdir(tmp_path)
    out, err = said(*arguments, code=2)
    last = err.splitlines()[-1]
    assert not out and last.startswith("hdp: ") and reason in last and not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_no_output_quotes_a_cell(command, tmp_path, said):
    """Wherever a value stands in a file."""
    file = tmp_path / "users.csv"
    for way in ("ann,x{}%,local,1,7", "ann,1,{},1,7", "ann,1,local,1,1,{}", "{0},1,local,1,1\n{0},1,local,1,1"):
        for marker in MARKERS:
            file.write_text(f"user,epsilon,trust,records,value\n{way.format(marker)}\n")
            out, err = said(command, str(file), code=2)
            assert out == "" and not shown(ValueError(err))


def test_a_reader_who_goes_away_is_no_error_to_tell():
    """As `head` does after its lines."""
    call = [sys.executable, "-m", "hdp", "plan", USERS]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        told = running.stderr.read()
    assert running.returncode == 1
    assert told.splitlines()[-1].endswith("for 1000 users ...")


def test_why_is_a_sentence_for_every_row(said):
    table, _, sentences = said("rank", USERS, "--why").out.partition("\n\n")
    names = [line.split()[0] for line in table.splitlines()[1:-1] if not line.startswith("not for")]
    assert [line.split()[0] for line in sentences.splitlines()] == names
    assert all(line.endswith(".") for line in sentences.splitlines())


def test_a_plan_is_printed_and_written(tmp_path, said):
    file, lines = tmp_path / "plan.json", tmp_path / "weights.csv"
    out, err = said("plan", USERS, "--prior", "0.4", "0.1", "--out", str(file), "--weights", str(lines))
    wanted = release.plan(PEOPLE, "user-level", prior=(0.4, 0.1))
    assert hashlib.sha256(file.read_bytes()).hexdigest() == wanted.digest
    assert lines.read_text().partition("\n")[0].endswith(f",kept,plan:{wanted.digest}")
    assert out.splitlines()[-1] == f"plan: {wanted.digest}"
    bound = float(re.search(r"error: at most ([\d.]+),", out)[1])
    assert 0 <= bound - wanted.error.total**0.5 < 1e-4
    radius = float(re.search(r"interval: within ([\d.]+) of the mean .* chance of at least 95 %", out)[1])
    assert 1 <= radius / release.radii(wanted, 0.05).population < 1.01
    assert len(lines.read_text().splitlines()) == 1 + PEOPLE.size
    assert "planning for 1000 users" in err
    assert sum(float(line.split("%")[0].split()[-1]) for line in out.splitlines()[1:8]) == pytest.approx(100, abs=0.3)


@pytest.mark.parametrize(("options", "rests"), [([], False), (["--truncated"], True)])
def test_an_interval_that_rests_on_a_prior_says_so(options, rests, said):
    out = said("plan", USERS, "--prior", "0.4", "0.1", *options).out
    assert ("chance of at least 95 %, if what the plan was told of their spread is right" in out) == rests


@pytest.mark.parametrize("epsilon", [0.31, 0.32, 0.33, 0.34, 0.35, 300.0, "inf"])
def test_what_is_at_most_so_much_is_not_rounded_down(epsilon, tmp_path, said):
    file = tmp_path / "users.csv"
    file.write_text("user,epsilon,trust,records,value\n" + "".join(f"u{i},{epsilon},curator,1,0\n" for i in range(90)))
    bound = float(said("plan", str(file)).out.partition("error: at most ")[2].partition(",")[0])
    wanted = release.plan([float(epsilon)] * 90).error.total ** 0.5
    assert wanted <= bound < wanted + 1e-4


def test_what_has_four_digits_is_not_rounded_up(tmp_path, said):
    file = tmp_path / "users.csv"
    file.write_text("user,epsilon,trust,records,value\n" + "".join(f"u{i},inf,curator,1,0\n" for i in range(100)))
    assert "error: at most 0.0500," in said("plan", str(file)).out


def test_a_plan_as_json(said):
    found = json.loads(said("plan", USERS, "--variance", "0.1", "--json").out, parse_constant=pytest.fail)
    wanted = release.plan(PEOPLE, "mixed", variance=0.1)
    assert (found["digest"], found["users"]) == (wanted.digest, 1000)
    assert found["error"] == wanted.error.total**0.5


def test_a_plan_with_gaussian_noise_and_truncated_means(said):
    call = ["plan", USERS, "--prior", "0.4", "0.1", "--truncated", "--noise", "gaussian"]
    found = json.loads(said(*call, "--json").out, parse_constant=pytest.fail)
    wanted = release.plan(PEOPLE, "truncated", prior=(0.4, 0.1), noise="gaussian")
    assert found["digest"] == wanted.digest and found["rows"] == []
    assert "rho" in said(*call).out and "a chance of at most 0.05/1000" in said(*call).out


def test_what_is_known_is_one_or_the_other():
    with pytest.raises(SystemExit) as ended:
        main(["plan", USERS, "--variance", "0.1", "--prior", "0.4", "0.1"])
    assert ended.value.code == 2


STAFF = "Kennung;Stufe;Gehalt\nada;niedrig;41.200,50\nbo;hoch;39.100,00\ncy;offen;52.000,00\ndee;hoch;x\n"
WORDS = "niedrig=0.5,Hoch=2,offen=∞"
NAMED = ["--user", "kennung", "--epsilon", "stufe", "--trust", "curator", "--records", "1", "--budgets", WORDS]


@pytest.fixture
def staff(tmp_path):
    """An export of a spreadsheet, with budgets in words and with neither trust nor records."""
    (tmp_path / "staff.csv").write_text(STAFF)
    return str(tmp_path / "staff.csv")


def test_a_table_of_salaries_is_ranked_and_planned_in_its_unit(staff, said, tmp_path):
    """And its salaries are not looked at: one is none."""
    people = compare.Population([0.5, 2, float("inf"), 2])
    call = [staff, *NAMED, "--interval", "20000", "90000", "--variance", "2.5e8"]
    out, err = said("rank", *call)
    assert "read as: separated by semicolons\n" in err and "values are taken" not in err
    assert "values are taken to lie in [0, 1]: --interval LOW HIGH" in said("rank", staff, *NAMED).err
    best = compare.ranking(people, 2.5e8 / 70000**2)[0]
    assert out.splitlines()[1].split()[:2] == [best.name, f"{70000 * best.error**0.5:.0f}"]
    assert out.splitlines()[-1] == "errors: roots of the expected squares, for values in [20000, 90000]"
    found = json.loads(said("rank", *call, "--json").out)
    assert found[0]["error"] == pytest.approx(70000**2 * best.error) and found[0]["root"] == found[0]["error"] ** 0.5
    wanted = release.plan(people, "mixed", variance=2.5e8, lower=20000, upper=90000)
    out, _ = said("plan", *call, "--out", str(tmp_path / "plan.json"), "--weights", str(tmp_path / "weights.csv"))
    assert release.Plan.from_json((tmp_path / "plan.json").read_text()).digest == wanted.digest
    bound = float(re.search(r"at most ([\d.]+), .* for values in \[20000, 90000\]", out)[1])
    assert 0 <= bound - wanted.error.total**0.5 <= 1
    lines = (tmp_path / "weights.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == ["ada", "bo", "cy", "dee"]
    most = "(0, 1225000000], a quarter of the square of [20000, 90000]"
    assert f"--variance must lie in {most}, got 2e+09" in said("plan", *call[:-1], "2e9", code=2).err


def test_the_call_of_a_plan_reads_the_same_users(staff, said, monkeypatch):
    """With what was named, stated and assumed, and without their values."""
    options = [*NAMED, "--interval", "20000", "90000", "--variance", "2.5e8"]
    found, names = json.loads(said("plan", staff, *options, "--json").out), {}
    with pytest.warns(UserWarning, match="separated by semicolons"):
        exec(found["call"], names)
    assert names["plan"].digest == found["digest"] and names["bar"] == found["error"]
    assert names["rows"][0].error * 70000**2 == pytest.approx(found["rows"][0]["error"])


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_a_prior_is_of_shares(command, staff, said):
    call = [command, staff, *NAMED, "--interval", "0", "1", "--prior", "0.5", "0.1"]
    assert said(*call, code=2).err == "hdp: --prior must be given without --interval, for values in [0, 1]\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [(["--interval", "9", "9"], "--interval must be LOW and HIGH"),
     (["--budgets", "niedrig=0.5,hoch"], "--budgets must be words and their numbers"),
     (["--budgets", "hoch=1,HOCH=2"], "--budgets must name every word once"),
     (["--budgets", "low=0,1;medium=0,5"], "with points and commas"),
     (["--budgets", "hoch=1"], "--skip-rows 1 leaves it out (row 1 is the first below the header)"),
     (["--skip-rows", "4"], "at least one row below the header and the 4 rows left out"),
     (["--records", "0"], "--records must be"),
     (["--trust", "vertrauen"], "got none named vertrauen: --trust COLUMN, or --trust curator or local if all are")],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("command", ["rank", "plan"])
def test_an_option_that_does_not_fit_is_named(command, options, reason, staff, said):
    err = said(command, staff, *NAMED, *options, code=2).err
    assert reason in err.splitlines()[-1] and err.splitlines()[-1].startswith("hdp: ")


@pytest.mark.parametrize(("typed", "meant"), [("20.000", "20000"), ("90,000.125", None), ("1.234.567", "1234567")])
def test_an_end_that_may_be_in_thousands_is_refused(typed, meant, capsys):
    """20.000 is twenty thousand where decimals have commas: nothing is planned for values up to 20."""
    with pytest.raises(SystemExit, match="2"):
        main(["plan", USERS, "--interval", "0", typed])
    reason = f"write {meant}" if meant else "is no number, as 20000.5 with a point is one"
    assert reason in capsys.readouterr().err
    assert [end(text) for text in ("0.125", "20", "20.0000", "-5.5", "1e3")] == [0.125, 20, 20, -5.5, 1000]


@pytest.mark.parametrize(
    ("call", "told"),
    [(["plan", USERS, "--spend", "0,5"], "argument --spend: '0,5' is no number, as 20000.5 with a point is one"),
     (["release", "plan.json", USERS], ": --new-ledger LEDGER makes one, for the first release about these users"),
     (["rank", USERS, "--budgets", "low=1,", "high=2"], "high=2; what follows --budgets is one word without spaces"),
     (["plan"], "the following arguments are required: file")],
)  # fmt: skip
def test_a_call_that_is_refused_is_refused_in_a_line(call, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(call)
    line, *others = capsys.readouterr().err.splitlines()
    assert told in line and line.endswith(" (--help tells what there is)") and not others


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_salaries_in_the_place_of_budgets_are_noticed(command, tmp_path, said):
    """None of them is shown; nor is anything said where budgets are large but usual, or nobody's value is private."""
    for column, noticed in (("salary", True), ("most", False), ("public", False)):
        rows = "".join(f"u{i},{30_000 + i},100,inf\n" for i in range(20))
        (tmp_path / "pay.csv").write_text(f"user,salary,most,public\n{rows}")
        call = [command, str(tmp_path / "pay.csv"), "--epsilon", column, "--trust", "curator", "--records", "1"]
        err = said(*call).err
        assert (f"budgets above 100, which protect nobody: is {column} the column of budgets?" in err) == noticed
        assert "3000" not in err


def test_points_in_budgets_beside_commas_in_values_can_be_read(tmp_path, said):
    """The refusal says how."""
    (tmp_path / "pay.csv").write_text("user;epsilon;value\na;0.5;30000,5\nb;1.5;40000,25\n")
    call = ["plan", str(tmp_path / "pay.csv"), "--trust", "curator", "--records", "1", "--decimal", ","]
    assert "with --decimal , a point is no decimal sign; --budgets can say what" in said(*call, code=2).err
    assert said(*call, "--budgets", "0.5=0.5,1.5=1.5").out


def test_a_public_user_keeps_without_limit(tmp_path, said):
    """Where there is noise: in the table as in the receipts."""
    (tmp_path / "users.csv").write_text(
        "user,epsilon,trust,records\n" + "".join(f"u{i},{'inf' if i % 2 else 1},curator,1\n" for i in range(400))
    )
    out, _ = said("plan", str(tmp_path / "users.csv"), "--weights", str(tmp_path / "weights.csv"))
    (line,) = [line.split() for line in out.splitlines() if line.startswith("∞")]
    assert line[-1] == "∞"
    assert (tmp_path / "weights.csv").read_text().splitlines()[2].endswith(",inf,")


def test_a_plan_names_a_column_of_values_that_is_there(staff, said, tmp_path):
    """Though it reads none: what it writes for others would not find it."""
    out = tmp_path / "plan.json"
    call = ["plan", staff, *NAMED, "--interval", "20000", "90000", "--out", str(out)]
    assert "got none named gehallt: did you mean `" in said(*call, "--value", "gehallt", code=2).err
    assert not out.exists()
    err = said(*call, "--value", "gehalt").err
    assert out.exists() and "the next command is: python -m hdp release " in err and " --value gehalt --new-" in err


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_a_file_without_names_is_of_one_person_a_row(command, tmp_path, said):
    """Which is said; a name that is nearly there is asked for instead."""
    file, weights = tmp_path / "users.csv", tmp_path / "weights.csv"
    file.write_text("id,epsilon,trust,records\nann,1,local,1\nann,inf,local,1\n")
    written = ["--weights", str(weights)] if command == "plan" else []
    err = said(command, str(file), *written).err
    assert "read as: no column user, so that every row is taken for one person\n" in err
    if written:
        assert [line.split(",")[0] for line in weights.read_text().splitlines()[1:]] == ["1", "2"]
    assert "read as" not in said(command, str(file), "--user", "none").err
    assert "got the same person in rows 1 and 2" in said(command, str(file), "--user", "id", code=2).err
    file.write_text(file.read_text().replace("id,", "users,"))
    assert "got none named user: did you mean `users`? --user users" in said(command, str(file), code=2).err


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_no_sentence_is_of_another_unit(command, tmp_path, said):
    """The constant is the centre, and no variance of a quarter is spoken of."""
    file = tmp_path / "users.csv"
    file.write_text("user,epsilon,trust,records\n" + "".join(f"u{i},0.05,curator,1\n" for i in range(40)))
    call = [command, str(file), "--interval", "-20", "100", *["--why"] * (command == "rank")]
    out, _ = said(*call)
    assert command == "plan" or "Answers 40 and reads no value; the mean may be as far away as 60." in out
    assert "than the constant 40" in out and "1/2" not in out and "1/4" not in said(*call, "--json").out


def test_a_command_that_is_ended_leaves_nothing_behind(tmp_path):
    """While it waits for its table, a file that it is to write has begun."""
    os.mkfifo(tmp_path / "users.csv")
    asked = [sys.executable, "-m", "hdp", "plan", "users.csv", "--interval", "0", "1", "--out", "plan.json"]
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(asked, cwd=tmp_path, env=paths, stderr=subprocess.DEVNULL) as process:
        while len(list(tmp_path.iterdir())) < 2 and process.poll() is None:
            time.sleep(0.05)
        process.terminate()
    assert process.returncode == 128 + signal.SIGTERM and [path.name for path in tmp_path.iterdir()] == ["users.csv"]
