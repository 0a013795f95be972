"""`python -m hdp`: what it prints, its exit codes, and that it says no more than the library knows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hdp import compare
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
