"""`python -m hdp`: what it prints, its exit codes, and that it says no more than the library knows."""

import hashlib
import json

import pytest

from hdp import Users, compare, read_users, release
from hdp.__main__ import main
from hdp._cli.options import end
from hdp._number import bound
from hdp.release.accuracy import says
from tests.files import ROOT
from tests.secrets import MARKERS, shown

USERS = str(ROOT / "book/synthesis/users.csv")
PEOPLE = read_users(USERS)
UNIT = "--interval", "0", "1"
CURATED = "--trust", "curator", "--records", "1"
COMMANDS = pytest.mark.parametrize("command", ["rank", "plan"])


@pytest.fixture
def said(capsys):
    """Return a function that calls the command, expects its exit code, and returns both of its outputs."""

    def said(*arguments, code=0):
        assert main([*arguments]) == code
        return capsys.readouterr()

    return said


def test_the_table_is_the_ranking(said):
    out, err = said("rank", USERS, "--prior", "0.4", "0.1", "--does")
    rows = compare.ranking(PEOPLE, prior=(0.4, 0.1))
    table, _, sentences = out.partition("\n\n")
    *lines, unit, alike = table.splitlines()
    uni = next(row for row in rows if row.name == "uni")
    assert alike.endswith(
        f" may have other values: uni weighs all who trust alike, with the error {uni.error**0.5:.4f}"
    )
    assert unit.startswith("errors: roots of the expected squares, for values in [0, 1], ")
    head, *lines = [line for line in lines if not line.startswith("not for these users")]
    assert [line.split()[:2] for line in lines] == [[r.name, f"{r.error**0.5:.4f}"] for r in rows if not r.obstacle]
    assert head.split()[:2] == ["estimator", "error"]
    assert all(line[head.index("error") - 2 :].startswith("  ") for line in lines), "cells below headings"
    assert out.count("not for these users") == sum(bool(row.obstacle) for row in rows) > 0
    assert [line.split()[0] for line in sentences.splitlines()] == [line.split()[0] for line in lines]
    assert "ranking for 1000 users" in err  # progress is no part of the output
    found = json.loads(said("rank", USERS, "--prior", "0.4", "0.1", "--json").out, parse_constant=pytest.fail)
    assert [(r["estimator"], r.get("error")) for r in found] == [
        (r.name, None if r.obstacle else r.error) for r in rows
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["rank", "nowhere.csv"], "nowhere.csv"),
        (
            ["rank", USERS, "--variance", "3"],
            "--variance must lie in (0, 0.25], a quarter of the square of [0, 1], got",
        ),
        (
            ["rank", USERS, "--variance", "0"],
            "--variance must lie in (0, 0.25], a quarter of the square of [0, 1], got",
        ),
        (["rank", USERS, "--prior", "2", "0.1"], "prior"),
        (["rank", USERS, *UNIT, "--prior", "0.5", "0.1"], "--prior must be given without --interval, for values in"),
        (["plan", USERS], "--interval LOW HIGH must be given: values beyond it are moved to its ends"),
        (["plan", USERS, "--interval", "9", "9"], "--interval must be LOW and a larger HIGH"),
        (["plan", USERS, "--truncated"], "--truncated must come with --prior MEAN SPREAD"),
        (["plan", USERS, *UNIT, "--spend", "2"], "--spend must lie in (0, 1], got 2.0"),
        (["plan", USERS, *UNIT, "--ledger", "nowhere"], "check the name, or make one by `release --new-ledger`"),
        (["plan", USERS, *UNIT, "--value", "epsilon"], "--value must name another column than --epsilon, got"),
        (["plan", USERS, *UNIT, "--value", "vaule", "--out", "plan.json"], "got none named vaule"),
        (["plan", USERS, *UNIT, "--tail", "1", "5"], "moment must lie in (1, 100], got 1.0"),
        (["plan", USERS, *UNIT, "--tail", "2", "-5"], "moment must lie in [0, 1e+50], got -5.0"),
        (["plan", USERS, *UNIT, "--out", "no/such/folder/plan.json"], "hdp: --out must be a file in a folder"),
        (["plan", USERS, *UNIT, "--out", "a", "--weights", "./a"], "--out must be another file than './a'"),
        (["plan", USERS, *UNIT, "--statement", "a", "--weights", "./a"], "--statement must be another file than './a'"),
    ],
)
def test_what_is_not_as_it_must_be_ends_with_2_and_its_reason(said, arguments, reason, tmp_path, monkeypatch):
    """In the words of the call; and nothing is printed or written before."""
    monkeypatch.chdir(tmp_path)
    out, err = said(*arguments, code=2)
    last = err.splitlines()[-1]
    assert not out and last.startswith("hdp: ") and reason in last and not list(tmp_path.iterdir())


@COMMANDS
def test_no_output_quotes_a_cell(command, tmp_path, said):
    """Wherever a value stands in a file."""
    file = tmp_path / "users.csv"
    for way in ("ann,x{}%,local,1,7", "ann,1,{},1,7", "ann,1,local,1,1,{}", "{0},1,local,1,1\n{0},1,local,1,1"):
        for marker in MARKERS:
            file.write_text(f"user,epsilon,trust,records,value\n{way.format(marker)}\n")
            out, err = said(command, str(file), *UNIT, code=2)
            assert out == "" and not shown(ValueError(err))


def test_a_plan_is_printed_and_written(tmp_path, said):
    plan, weights, page = (tmp_path / name for name in ("a plan.json", "weights.csv", "page.md"))
    call = "plan", USERS, "--prior", "0.4", "0.1", "--truncated", "--noise", "gaussian"
    out, err = said(*call, "--out", str(plan), "--weights", str(weights), "--statement", str(page))
    wanted = release.plan(PEOPLE, "truncated", prior=(0.4, 0.1), noise="gaussian")
    assert hashlib.sha256(plan.read_bytes()).hexdigest() == wanted.digest
    assert page.read_text() == release.statement(wanted)
    head, *rows = weights.read_text().splitlines()
    assert head.endswith(f",kept,plan:{wanted.digest}") and len(rows) == PEOPLE.size
    assert weights.stat().st_mode & 0o777 == 0o600
    assert out.splitlines()[-1] == f"plan: {wanted.digest}" and f"interval: {says(wanted)}\n" in out
    assert f"error: at most {bound(wanted.error.total**0.5)}, the root of the expected square, for values in" in out
    assert "\nBudgets and losses are rho," in out
    assert "planning for 1000 users" in err and f"release '{plan}' {USERS} --new-ledger ledger.json" in err
    assert sum(float(line.split("%")[0].split()[-1]) for line in out.splitlines()[1:8]) == pytest.approx(100, abs=0.3)
    found = json.loads(said(*call, "--json").out, parse_constant=pytest.fail)
    assert (found["digest"], found["users"], found["rows"]) == (wanted.digest, 1000, [])
    assert found["error"] == wanted.error.total**0.5


STAFF = "Kennung;Stufe;Gehalt\nada;niedrig;41.200,50\nbo;hoch;39.100,00\ncy;offen;52.000,00\ndee;hoch;x\n"
NAMED = ["--user", "kennung", "--epsilon", "stufe", *CURATED, "--budgets", "niedrig=0.5,Hoch=2,offen=∞"]
SALARIES = "--interval", "20000", "90000"


@pytest.fixture
def staff(tmp_path):
    """An export of a spreadsheet, with budgets in words and with neither trust nor records."""
    (tmp_path / "staff.csv").write_text(STAFF)
    return str(tmp_path / "staff.csv")


def test_a_table_of_salaries_is_ranked_and_planned_in_its_unit(staff, said, tmp_path):
    """And its salaries are not looked at: one is none."""
    call, people, file = (
        [staff, *NAMED, *SALARIES, "--variance", "2.5e8"],
        Users([0.5, 2, float("inf"), 2]),
        tmp_path / "p",
    )
    out, err = said("rank", *call)
    assert "read as: separated by semicolons; values in whole numbers, or --decimal , or --decimal . says" in err
    best = compare.ranking(people, 2.5e8 / 70000**2)[0]
    assert out.splitlines()[1].split()[:2] == [best.name, f"{70000 * best.error**0.5:.0f}"]
    assert "\nerrors: roots of the expected squares, for values in [20000, 90000]," in out
    assert "for an interval of width 1" in said("rank", staff, *NAMED).out
    found = json.loads(said("rank", *call, "--json").out)
    assert found[0]["error"] == pytest.approx(70000**2 * best.error) and found[0]["root"] == found[0]["error"] ** 0.5
    wanted = release.plan(people, "mixed", variance=2.5e8, lower=20000, upper=90000)
    out, _ = said("plan", *call, "--value", "GEHALT", "--out", str(file), "--weights", str(tmp_path / "w"))
    made = release.Plan.from_json(file.read_text())
    assert (made.value, made.kinds.share.tolist(), made.error) == ("GEHALT", wanted.kinds.share.tolist(), wanted.error)
    assert f"error: at most {bound(wanted.error.total**0.5)}, the root" in out and "for values in [20000, 90000]" in out
    assert [line.split(",")[0] for line in (tmp_path / "w").read_text().splitlines()[1:]] == ["ada", "bo", "cy", "dee"]
    most = "(0, 1225000000], a quarter of the square of [20000, 90000]"
    assert f"--variance must lie in {most}, got 2e+09" in said("plan", *call[:-1], "2e9", code=2).err


@pytest.mark.parametrize(
    ("options", "reason"),
    [(["--budgets", "niedrig=0.5,hoch,x=2"], "--budgets must be words and their numbers"),
     (["--budgets", "hoch=1,HOCH=2"], "--budgets must name every word once"),
     (["--budgets", "low=0,1;medium=0,5"], "with points and commas"),
     (["--user", "none", "--epsilon", "kennung"], "(row 1 is the first below the header)"),
     (["--records", "0"], "--records must be"),
     (["--trust", "vertrauen"], "got none named vertrauen: --trust COLUMN, or --trust curator or local if all are")],
    ids=str,
)  # fmt: skip
@COMMANDS
def test_an_option_that_does_not_fit_is_named(command, options, reason, staff, said):
    named = NAMED[:-2] if "--budgets" in options else NAMED
    err = said(command, staff, *named, *SALARIES, *options, code=2).err
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
     (["release", "plan.json", USERS, "--ledger", "l", "--value", "x"], "unrecognized arguments: --value x"),
     (["rank", USERS, "--budgets", "low=1,", "high=2"], "high=2; what follows --budgets is one word without spaces"),
     (["plan", USERS, "--variance", "0.1", "--prior", "0.4", "0.1"], "not allowed with argument --variance"),
     (["plan"], "the following arguments are required: file")],
)  # fmt: skip
def test_a_call_that_is_refused_is_refused_in_a_line(call, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(call)
    line, *others = capsys.readouterr().err.splitlines()
    assert told in line and line.endswith(" (--help tells what there is)") and not others


def test_salaries_in_the_place_of_budgets_are_noticed(tmp_path, said):
    """None of them is shown; nor is anything said where budgets are large but usual, or nobody's value is private."""
    rows = "".join(f"u{i},{30_000 + i},100,inf\n" for i in range(20))
    (tmp_path / "pay.csv").write_text(f"user,salary,most,public\n{rows}")
    for column, noticed in (("salary", True), ("most", False), ("public", False)):
        err = said("rank", str(tmp_path / "pay.csv"), "--epsilon", column, *CURATED).err
        assert (f"budgets above 100, which protect nobody: is {column} the column of budgets?" in err) == noticed
        assert "3000" not in err


@COMMANDS
def test_no_sentence_is_of_another_unit(command, tmp_path, said):
    """The constant is the centre, and no variance of a quarter is spoken of."""
    file = tmp_path / "users.csv"
    file.write_text("user,epsilon,trust,records\n" + "".join(f"u{i},0.05,curator,1\n" for i in range(40)))
    call = [command, str(file), "--interval", "-20", "100", *["--does"] * (command == "rank")]
    out, _ = said(*call)
    assert (command == "rank") != ("than the constant 40" in out)
    assert "1/2" not in out and "1/4" not in said(*call, "--json").out
