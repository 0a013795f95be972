"""What is said of a reader's users: sentences, groups, receipts and the call, each against another route to it."""

import csv
import json
import re
import shlex
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from hdp import compare, release
from hdp.__main__ import main
from hdp._cli import page
from hdp._cli.answers import cells, parts, python_call, report
from hdp._cli.options import plain
from hdp._cli.page import from_groups
from hdp._number import bound
from hdp.release.groups import MOST, groups
from hdp.users import TRUST, Users, read_users
from tests.calls import COLUMNS
from tests.files import USERS

PEOPLE = read_users(USERS)
KNOWN = [{}, {"variance": 0.1}, {"prior": (0.4, 0.1)}]
UNIT = {"interval": ["0", "1"]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    return monkeypatch.chdir(tmp_path) or tmp_path


def some(text):
    """Users by groups: how many, their budget, and in whom they trust, unless it is the curator."""
    rows = [group.split() for group in text.split(", ")]
    return from_groups([(int(users), float(epsilon), (*trust, "curator")[0], 1) for users, epsilon, *trust in rows])


def asked(**question):
    found = page.ask(json.dumps(question))
    return found, json.loads(Path(page.ANSWER).read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_weights_error_and_groups_are_those_of_the_mixed_release(known):
    people, (p, s) = PEOPLE, known.get("prior", (0.0, 0.0))
    variance = p * (1 - p) / people.records + (1 - 1 / people.records) * s**2 if p else known.get("variance", 0.25)
    found, mixed = report(people, **known), compare.mixed_release(people, variance)
    assert found.error == pytest.approx(mixed.mse() ** 0.5, rel=1e-9)
    assert found.rows[0]["root"] == pytest.approx(found.error, rel=1e-9)
    release.write_weights(written := StringIO(), found.plan, people)
    lines, loss = list(csv.DictReader(written.getvalue().splitlines())), mixed.loss
    assert [line["user"] for line in lines] == list(people.names) and "value" not in lines[0]
    for name, column in (("weight", mixed.weights), ("spent", loss)):
        np.testing.assert_allclose([float(line[name]) for line in lines], column, rtol=1e-9)
    assert len(found.groups) <= MOST and sum(group.users for group in found.groups) == people.size
    for group in found.groups:
        low, high = group.epsilon
        mask = (people.epsilon >= low) & (people.epsilon <= high) & (people.local == group.local)
        assert np.sum(mask) == group.users and mixed.weights[mask].sum() == pytest.approx(group.weight)
        assert group.spent == pytest.approx((loss[mask].min(), loss[mask].max()))
        if np.isfinite(high):
            assert group.share == pytest.approx(loss[mask].sum() / people.epsilon[mask].sum())


def test_few_kinds_are_shown_as_they_are_and_many_budgets_pooled():
    few = report(from_groups([(10, 1.0, "curator", 1), (20, 1.0, "curator", 2), (30, 2.0, "local", 1)])).groups
    assert [(group.users, group.records) for group in few] == [(10, (1, 1)), (20, (2, 2)), (30, (1, 1))]
    rng = np.random.default_rng(3)
    epsilon = np.concatenate([rng.uniform(0.1, 2, 900), [np.inf] * 50, [0.0] * 50])
    many = groups(release.plan(Users(epsilon, rng.choice(TRUST, 1000)), "mixed"))
    private = [group.users for group in many if 0 < group.epsilon[0] < np.inf]
    assert len(many) <= MOST and sum(private) == 900 and max(private) < 150
    assert {group.users for group in many if group.epsilon == (np.inf, np.inf)} == {50}


@pytest.mark.parametrize("known", [*KNOWN, {"variance": 90.0, "lower": -20.0, "upper": 20.0}], ids=str)
@pytest.mark.parametrize("source", [None, str(USERS)])
def test_the_call_computes_the_same_and_releases(known, source, here):
    """All but the release of a file whose local users have sent no reports."""
    found = report(PEOPLE if source else some("70 0.1, 20 1, 9 inf"), **known)
    call = python_call(found, source).replace("=...", "=[0.5] * 99")
    *before, ledger, last = call.splitlines()
    exec("\n".join(before), names := {})
    plan = names["plan"]
    assert plan.digest == found.plan.digest and (plan.lower, plan.upper) == (
        known.get("lower", 0),
        known.get("upper", 1),
    )
    if find_spec("opendp") and not source:
        exec(ledger, names)
        assert plan.lower <= eval(last, names) <= plan.upper


def test_a_constant_plan_and_a_better_estimator_are_told():
    constant = report(some("40 0.05"))
    assert constant.plan.constant and constant.error == 0.5 and "nobody gives up anything" in constant.remark
    assert sum(group.weight for group in constant.groups) == 0
    others = report(Users(np.full(3000, 0.02), "curator", 1000), prior=(0.5, 0.001))
    assert others.remark.startswith(f"{others.rows[0]['estimator']} errs less") and report(some("1000 1")).remark == ""


def test_the_page_gets_what_the_library_says(here):
    answer, said = asked(path=str(USERS), name="mine.csv", prior=[0.4, 0.1])
    found = report(PEOPLE, prior=(0.4, 0.1))
    texts, columns = said.pop("shown"), said.pop("columns")
    assert {role: chosen for role, (_, chosen) in columns.items()} == COLUMNS and said.pop("read") == ""
    assert said.pop("commands").startswith("python -m hdp plan mine.csv --prior 0.4 0.1 --out plan.json ")
    assert "hdp.read_users('mine.csv', value='value')\n" in said["call"]  # no more than it must say
    assert said.pop("call") == python_call(found, "mine.csv")
    assert said == found.told()
    assert texts["error"] == bound(found.error) and texts["rows"][0]["root"] == bound(found.rows[0]["root"])
    assert release.Plan.from_json(Path(page.PLAN).read_text()).digest == said["digest"] == found.plan.digest
    page.weights(answer)
    assert Path(page.WEIGHTS).read_text().count("\n") == 1001
    assert "'mine.csv'" in asked(path="nowhere.csv", name="mine.csv")[1]["refused"]
    answer, said = asked(groups=[[10, "inf", "curator", 1], [20, "1e0", "local", 2]], variance=0.1, **UNIT)
    assert said["error"] == pytest.approx(compare.mixed_release(some("10 inf, 20 1 local"), 0.1).mse() ** 0.5)
    page.weights(answer)
    assert re.match(r"users,.*\n20,1\.0,local,2,.*\n10,inf,.*\n$", Path(page.WEIGHTS).read_text())


@pytest.mark.parametrize(("users", "known", "budgets"), [
        ("900 0.01, 9 12345.6", {}, ["0.01", "12,300"]), ("9 1.5e-5", {}, ["1.5·10⁻⁵"]),
        ("1 1e-10, 1 1e308", {}, ["10⁻¹⁰", "10³⁰⁸"]), ("1000 inf, 1000 1 local", {"variance": 5e-324}, ["1", "∞"]),
        ("1000 1, 1000 1e308", {"noise": "gaussian"}, ["1", "10³⁰⁸"]),
    ])  # fmt: skip
def test_budgets_that_are_worlds_apart(users, known, budgets):
    """Nothing overflows, and nothing is infinite that is not."""
    with np.errstate(all="raise", under="ignore"):
        found = report(some(users), **known)
    assert [cells(group)["epsilon"] for group in found.groups] == budgets
    for row in [row for row in found.rows if "obstacle" not in row]:
        assert (row["times"] > 1) == (row["root"] > found.rows[0]["root"]) and (
            row["times"] < np.inf or found.rows[0]["root"] == 0
        )
    assert all(0 <= group.share <= 1 + 1e-12 for group in found.groups)


def test_what_is_at_most_so_much_is_not_rounded_down():
    """But what has three digits stays as it is; and of an error parts below a thousandth are left out."""
    for value in (0.5, 0.05, 0.025, *np.geomspace(1e-3, 1e5, 99)):
        written = float(bound(value).replace(",", ""))
        assert value * (1 - 1e-9) <= written < 1.01 * value and (value not in (0.5, 0.05, 0.025) or written == value)
    squares = {"sampling": 6.0, "noise": 2.0, "reports": 0.007, "rounding": 0.0, "bias": 0.0}
    assert parts(squares) == "the users' differences make 74.9 %, the curator's noise 25.0 %"


def test_the_commands_of_the_page_plan_the_same_and_release(here, capsys):
    """Columns and files whose names begin with a dash are no options; groups have no table, and no commands."""
    rows = "".join(f"{('low', 'Open')[i % 2]};curator;{30000 + 99 * i},5\n" for i in range(90))
    Path("-users.csv").write_text("-Tier;Trust;-Salary\n" + rows, encoding="utf-8")
    columns = {"epsilon": "-tier", "records": "1", "value": "-Salary", "budgets": "low=0.5,open=inf", "decimal": ","}
    answer, said = asked(path="-users.csv", interval=[-0.00001, "90000"], variance="4e8", **columns)
    planned = Path(page.PLAN).rename("before.json").read_text()
    with pytest.warns(UserWarning, match="read as"):
        exec("\n".join(said["call"].splitlines()[:4]), names := {})
    assert names["plan"].to_json() == planned
    calls = said["commands"].split(" &&\n")
    for call in calls if find_spec("opendp") else calls[:1]:
        assert main([plain(word) for word in shlex.split(call.removeprefix("python -m hdp"))]) == 0
    assert Path(page.PLAN).read_text() == planned and " --new-ledger " in calls[1]
    assert "90000" not in calls[1] and calls[1] in capsys.readouterr().err
    assert Path(page.STATEMENT).read_text(encoding="utf-8") == release.statement(answer.plan)
    assert asked(groups=[[70, "0.5", "curator", 1]], **UNIT)[1]["commands"] == ""


@pytest.mark.parametrize(("groups", "said"), [
        ([], "groups must have at least one row"), (["x1c1"], "column users, group 1"),
        ([[0, "1", "curator", 1]], "column users, group 1: must be a whole number in [1, 2000000], got 0"),
        *(([[1, "inf", "curator", 1], [2, budget, "local", 1]],  # no number becomes 0 or inf in silence
           f"column epsilon, group 2: must be 0 or lie in [1e-100, inf], got {budget!r}")
          for budget in ("1e-400", "1e999", "much", None)), ([[1, "1", "curator", 0.5]], "column records, group 1"),
        ([[1, "1", "nobody", 1]], "column trust, group 1: must be one of curator, local, got 'nobody'"),
        ([[1_500_000, "1", "curator", 1]] * 2, "at most 2000000 in all groups together, got 3000000"),
    ])  # fmt: skip
def test_a_group_that_is_none_is_refused(groups, said, here):
    assert said in asked(groups=groups, **UNIT)[1]["refused"]


def test_the_page_refuses_in_the_words_of_its_fields(here, monkeypatch, capsys):
    """What `read_users` says of a file, and the way out for one that is too large; and no output replaces another."""
    file, refusal = here / "bad.csv", lambda **question: asked(path=str(file), **question)[1]["refused"]
    file.write_text("user,epsilon,trust,records,value\nann,-1,local,1,1\n")
    with pytest.raises(ValueError) as refused:
        read_users(file)
    found, said = asked(path=str(file), name="bad.csv", **UNIT)
    assert found is None and said["refused"] == f"{refused.value} (row 1 is the first below the header)"
    assert list(said["columns"]) == [*COLUMNS]
    assert refusal(name="plan.json", **UNIT).startswith("file must have another name than plan.json")
    monkeypatch.setattr(page, "LARGEST", file.stat().st_size)
    assert "the field Who she is" in refusal(user="nobody", **UNIT)
    file.write_text(file.read_text().replace("-1", "1."))
    assert refusal().startswith("the fields They lie from and to must be filled")
    monkeypatch.setattr(page, "LARGEST", file.stat().st_size - 1)
    assert "python -m hdp plan reads larger ones" in refusal(**UNIT)
    for other in ("bad.csv", "a"):
        assert main(["plan", "bad.csv", "--interval", "0", "1", "--out", "a", "--statement", other]) == 2
        assert "--statement must be another file" in capsys.readouterr().err
    assert {path.name for path in here.iterdir()} == {"bad.csv", page.ANSWER}
