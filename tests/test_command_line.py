"""`python -m hdp`: what it prints, its exit codes, and that it says no more than the library knows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hdp import compare, release
from hdp.__main__ import main

USERS = Path(__file__).resolve().parents[1] / "book/synthesis/users.csv"


def test_the_table_is_the_ranking(capsys):
    assert main(["rank", str(USERS), "--prior", "0.4", "0.1"]) == 0
    out, err = capsys.readouterr()
    people, _ = compare.read_csv(USERS)
    rows = compare.ranking(people, prior=(0.4, 0.1))
    table = [line.split() for line in out.splitlines()[1:] if not line.startswith("not for")]
    assert [line[:2] for line in table] == [[row.name, f"{row.error**0.5:.4f}"] for row in rows if not row.obstacle]
    assert out.count("not for these users") == sum(bool(row.obstacle) for row in rows) > 0
    assert "ranking for 1000 users" in err  # progress is no part of the output


def test_json_is_json_and_complete(capsys):
    assert main(["rank", str(USERS), "--variance", "0.1", "--json"]) == 0

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    found = json.loads(capsys.readouterr().out, parse_constant=refuse)
    people, _ = compare.read_csv(USERS)
    rows = compare.ranking(people, 0.1)
    assert [row["estimator"] for row in found] == [row.name for row in rows]
    assert found[0]["error"] == rows[0].error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rank", "nowhere.csv"], "nowhere.csv"),
        (["rank", str(USERS), "--variance", "3"], "variance must lie in (0, 0.25], got 3.0"),
        (["rank", str(USERS), "--prior", "2", "0.1"], "prior"),
    ],
)
def test_what_is_not_as_it_must_be_ends_with_1_and_its_reason(capsys, arguments, said):
    assert main(arguments) == 1
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_a_bad_cell_is_named(tmp_path, capsys):
    bad = tmp_path / "bad.csv"
    bad.write_text("user,epsilon,trust,records,value\nann,-1,curator,1,0\n")
    assert main(["rank", str(bad)]) == 1
    message = capsys.readouterr().err
    assert all(word in message for word in ("epsilon", "row 1", "-1", "[0, inf]"))


def test_a_call_that_is_none_ends_with_2():
    done = subprocess.run([sys.executable, "-m", "hdp"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m hdp")


def test_why_is_a_sentence_for_every_row(capsys):
    assert main(["rank", str(USERS), "--why"]) == 0
    table, _, sentences = capsys.readouterr().out.partition("\n\n")
    names = [line.split()[0] for line in table.splitlines()[1:] if not line.startswith("not for")]
    assert [line.split()[0] for line in sentences.splitlines()] == names
    assert all(line.endswith(".") for line in sentences.splitlines())


def test_a_plan_is_printed_and_written(tmp_path, capsys):
    out, lines = tmp_path / "plan.json", tmp_path / "weights.csv"
    call = ["plan", str(USERS), "--prior", "0.4", "0.1", "--out", str(out), "--weights", str(lines)]
    assert main(call) == 0
    said, told = capsys.readouterr()
    people, _ = compare.read_csv(USERS)
    wanted = release.plan(people, "user-level", prior=(0.4, 0.1))
    assert release.Plan.from_json(out.read_text()).digest == wanted.digest
    assert said.splitlines()[-1] == f"plan: {wanted.digest}"
    assert f"error: at most {wanted.error.total**0.5:.4f}," in said
    assert len(lines.read_text().splitlines()) == 1 + people.size
    assert "planning for 1000 users" in told and "writing" in told
    assert sum(float(line.split("%")[0].split()[-1]) for line in said.splitlines()[1:8]) == pytest.approx(100, abs=0.3)


def test_a_plan_as_json(capsys):
    assert main(["plan", str(USERS), "--variance", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    wanted = release.plan(compare.read_csv(USERS)[0], "mixed", variance=0.1)
    assert (found["digest"], found["users"]) == (wanted.digest, 1000)
    assert found["error"] == wanted.error.total**0.5


def test_a_plan_with_gaussian_noise_and_truncated_means(tmp_path, capsys):
    call = ["plan", str(USERS), "--prior", "0.4", "0.1", "--truncated", "--noise", "gaussian"]
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    wanted = release.plan(compare.read_csv(USERS)[0], "truncated", prior=(0.4, 0.1), noise="gaussian")
    assert found["digest"] == wanted.digest and found["rows"] == []
    assert main(call) == 0
    assert "rho" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "nowhere.csv"],
        ["plan", str(USERS), "--truncated"],
        ["plan", str(USERS), "--variance", "3"],
        ["plan", str(USERS), "--out", "no/such/folder/plan.json"],
        ["plan", str(USERS), "--prior", "2", "0.1"],
    ],
)
def test_a_plan_that_cannot_be_made_ends_with_1(capsys, arguments):
    assert main(arguments) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("hdp: ")


def test_what_is_known_is_one_or_the_other():
    with pytest.raises(SystemExit) as ended:
        main(["plan", str(USERS), "--variance", "0.1", "--prior", "0.4", "0.1"])
    assert ended.value.code == 2
