"""`python -m hdp release` and `report`: reports made one by one, an answer, receipts, and a second time refused."""

import csv
import json

import numpy as np
import pytest

from hdp.__main__ import main
from hdp.compare import Population
from hdp.release import Plan, plan
from hdp.release.command import read_data

HEAD = "user,epsilon,trust,records,value\n"


@pytest.fixture
def folder(tmp_path):
    """A plan for eighty users, of whom forty report."""
    made = plan(Population([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    (tmp_path / "plan.json").write_text(made.to_json())
    return tmp_path


def test_a_release_on_the_command_line(folder, capsys):
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    rows, told = [], ["report", str(folder / "plan.json"), "--epsilon", "4", "--value", "0.5"]
    for i in range(40):
        assert main([*told, "--ledger", str(folder / f"{i}.json")]) == 0
        rows += [f"c{i},1,curator,1,0.5", f"l{i},4,local,1,{capsys.readouterr().out.strip()}"]
    assert main([*told, "--ledger", str(folder / "0.json")]) == 1
    assert "ledger must leave a budget for report 2" in capsys.readouterr().err
    (folder / "data.csv").write_text(HEAD + "\n".join(rows))
    files = [str(folder / name) for name in ("plan.json", "data.csv")]
    call = ["release", *files, "--ledger", str(folder / "ledger.json"), "--receipts", str(folder / "receipts.csv")]
    assert main(call) == 0
    found = json.loads(capsys.readouterr().out)
    made = Plan.from_json((folder / "plan.json").read_text())
    assert abs(found["answer"] - 0.5) < 0.5 and found["plan"] == made.digest
    with (folder / "receipts.csv").open() as file:
        receipts = list(csv.DictReader(file))
    assert [row["user"] for row in receipts[:2]] == ["c0", "l0"] and {row["plan"] for row in receipts} == {made.digest}
    assert all(float(row["spent"]) <= float(row["allowed"]) for row in receipts)
    assert main(call) == 1
    out, err = capsys.readouterr()
    assert out == "" and "ledger must leave budgets for release 2" in err


def test_a_plan_for_others_is_refused(folder, capsys):
    (folder / "data.csv").write_text(HEAD + "ann,1,curator,1,0.5\n")
    files = [str(folder / name) for name in ("plan.json", "data.csv")]
    assert main(["release", *files, "--ledger", str(folder / "ledger.json")]) == 1
    assert "population must be the one of the plan" in capsys.readouterr().err
    assert not (folder / "ledger.json").exists()


@pytest.mark.parametrize("value", ["nan", "inf", "1_0", "x", "1e999"])
def test_a_value_that_is_not_finite_is_refused(tmp_path, value):
    (tmp_path / "data.csv").write_text(HEAD + f"ann,1,curator,1,0.5\nbob,1,curator,1,{value}\n")
    with pytest.raises(ValueError, match="column value, row 2: must be a finite number, or empty"):
        read_data(tmp_path / "data.csv")


def test_data_are_read_as_the_ranking_reads_them(tmp_path):
    (tmp_path / "data.csv").write_text(HEAD + "ann,inf,local,2,7.25\nbob,0.5,curator,1,\n")
    names, users, values = read_data(tmp_path / "data.csv")
    assert names == ["ann", "bob"] and users.epsilon.tolist() == [np.inf, 0.5] and users.records.tolist() == [2, 1]
    assert values[0] == 7.25 and np.isnan(values[1])
    for wrong in ("ann,1,nobody,1,0\n", "ann,1,local,1,0\nAnn,1,local,1,0\n", ""):
        (tmp_path / "data.csv").write_text(HEAD + wrong)
        with pytest.raises(ValueError, match="must"):
            read_data(tmp_path / "data.csv")
