"""What is said of a reader's users: sentences, groups, receipts and the call, each against another route to it."""

import csv
import io
import json
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from hdp import adpm, compare, release, threshold
from hdp.__main__ import main
from hdp._cli.called import plain
from hdp._report import form, from_groups, names_in, report, shown
from hdp.compare.files import COLUMNS
from hdp.compare.rankings import ESTIMATORS
from hdp.release import statement
from hdp.release.groups import MOST, groups
from tests.files import ROOT, USERS

inf = float("inf")
KNOWN = [{}, {"variance": 0.1}, {"prior": (0.4, 0.1)}]


@pytest.fixture(scope="module")
def people():
    return compare.read_csv(USERS)[0]


def lines_of(path):
    """The lines of a file, as `csv` reads them."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def sentences(population, **known):
    return {row.candidate.name: row.why for row in report(population, **known).rows}


def numbers(text):
    """The numbers of a sentence, in their order."""
    return [float(found) for found in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def test_the_sentences_count_these_users(people):
    """Counted anew from the lines of the file."""
    rows = lines_of(USERS)
    public = sum(row["epsilon"] == "inf" for row in rows)
    local = sum(row["trust"] == "local" and row["epsilon"] != "inf" for row in rows)
    trust = len(rows) - local
    budgets = np.array([float(row["epsilon"]) for row in rows if row["trust"] == "curator"])
    said = sentences(people)
    assert numbers(said["mixed"]) == [len(rows), trust - public, local, public]
    assert numbers(said["reports"]) == numbers(said["ldpe-users"]) == [len(rows) - public]
    cap, tau = adpm.clipping_level(budgets), threshold.best_threshold(budgets)
    assert numbers(said["adpm"]) == pytest.approx([trust, np.sum(budgets > cap), cap, local], rel=2e-3)
    assert numbers(said["threshold"])[:3] == [tau, np.sum(budgets >= tau), np.sum(budgets < tau)]
    assert numbers(said["ldpe"]) == [np.unique(budgets[np.isfinite(budgets)]).size, public, local]
    assert numbers(said["uni"]) == [trust, budgets.min(), local]
    assert numbers(said["propdpm"]) == [public]
    assert numbers(said["sm"])[:2] == [public, trust]
    assert numbers(said["naive"]) == [trust, local, 0.1]
    assert numbers(said["tcm-only"]) == [trust, 0.1]


@pytest.mark.parametrize(
    ("users", "said"),
    [
        ([(100, inf, "curator", 1)], {"mixed": "100 are public", "reports": "what mixed does"}),
        ([(100, inf, "curator", 1)], {"adpm": "without noise", "ldpe": "No noise"}),
        ([(9, 1.0, "curator", 1), (2, inf, "curator", 1)], {"ldpe": "One noise, and none for the 2 who are public"}),
        ([(9, 1.0, "curator", 1), (9, 2.0, "curator", 1), (2, inf, "curator", 1)], {"ldpe": "of 2 different budgets"}),
        ([(100, 1.0, "local", 1)], {"adpm": "nobody trusts the curator", "mixed": "100 send a report"}),
        ([(40, 0.05, "curator", 1)], {"adpm": "the constant 1/2, which it answers", "fme": "none of them capped."}),
        (
            [(1, 0.5, "curator", 1), (1, 0.5, "local", 1), (1, inf, "curator", 1)],
            {"mixed": "1 shares one noise of the curator, 1 sends a report of their own, 1 is public."},
        ),
        ([(30, 0.5, "curator", 1), (5, 0, "local", 1)], {"mixed": "Counts 30 values", "ldpe": "have one budget"}),
        ([(500, 0.1, "curator", 1), (500, 0.4, "curator", 1)], {"propdpm": "one of 0.4 counts 4 times as much"}),
        ([(500, 0.1, "curator", 1), (500, 0.4, "curator", 1)], {"fme": "; the cap of least worst error is 0.26."}),
        ([(9, 2.0, "curator", 1), (1, 1.0, "local", 1)], {"uni": "; 1 without trust is left out", "tcm-only": "all"}),
    ],
)
def test_sentences_of_unusual_users(users, said):
    found = sentences(from_groups(users))
    for name, words in said.items():
        assert words in found[name], found[name]
    assert all(re.fullmatch(r"[A-Z].*[^.]\.", text) for text in found.values())


@pytest.mark.parametrize(
    "users",
    [
        [(1, 1.0, "curator", 1), (1, 2.0, "local", 1)],
        [(1, 9.0, "curator", 1), (1, 0.1, "curator", 1), (1, 2.0, "local", 1), (1, inf, "local", 1)],
        [(99, 0.001, "curator", 1), (1, 9.0, "curator", 1)],
    ],
)
def test_one_is_not_many(users):
    """Nor are two one."""
    plural = r"(reports|budgets|larger budgets|values|public values|times|share|send|are|who trust|who allow|who are)"
    for text in sentences(from_groups(users)).values():
        assert not re.search(rf"(?<![\d.,])1 {plural}\b", text), text
    singular = "(report|value|budget|time|shares|sends|is|who trusts|who is)"
    for text in sentences(from_groups([(2 * one, *rest) for one, *rest in users])).values():
        assert not re.search(rf"(?<![\d.,])[2468] {singular}\b", text), text


def test_every_row_has_a_sentence_of_its_own(people):
    found = sentences(people, prior=(0.4, 0.1))
    assert len(set(found.values())) == len(found) == len(ESTIMATORS)
    assert "their strictest budget, 0.1, " in found["private-ideal"]


def test_algorithm_2_says_how_many_it_averages():
    many = compare.Population(np.full(60_000, 1.0), "curator", np.arange(60_000) % 50 + 1)
    first, middle = numbers(sentences(many, prior=(0.4, 0.1))["algorithm-2"])[-2:]
    assert first + middle == 60_000 > middle > 0


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_weights_and_error_are_those_of_the_mixed_release(people, known):
    """Which is written in floats; the plan is in whole numbers."""
    found = report(people, **known)
    mixed = compare.mixed_release(people, plan_variance(people, known))
    assert found.error == pytest.approx(mixed.error() ** 0.5, rel=1e-9)
    assert found.rows[0].root == pytest.approx(found.error, rel=1e-9)
    written = io.StringIO()
    release.write_weights(written, found.plan, people, names_in(USERS))
    lines = list(csv.DictReader(io.StringIO(written.getvalue())))
    assert [line["user"] for line in lines] == [row["user"] for row in lines_of(USERS)]
    column = {name: np.array([float(line[name]) for line in lines]) for name in ("epsilon", "weight", "spent", "kept")}
    np.testing.assert_allclose(column["weight"], mixed.weights, rtol=1e-9)
    np.testing.assert_allclose(column["spent"], mixed.privacy_loss(), rtol=1e-9)
    assert np.all(column["spent"] <= column["epsilon"]) and np.all(column["kept"] >= 0)
    assert "value" not in lines[0]


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_groups_are_all_users_once(people, known):
    plan = report(people, **known).plan
    found = groups(plan)
    assert len(found) <= MOST
    assert sum(group.users for group in found) == people.size
    assert sum(group.weight for group in found) == pytest.approx(1)
    mixed = compare.mixed_release(people, plan_variance(people, known))
    loss = mixed.privacy_loss()
    for group in found:
        low, high = group.epsilon
        mask = (people.epsilon >= low) & (people.epsilon <= high) & (people.local == group.local)
        assert np.sum(mask) == group.users
        assert mixed.weights[mask].sum() == pytest.approx(group.weight)
        assert group.spent == pytest.approx((loss[mask].min(), loss[mask].max()))
        if np.isfinite(high):
            assert group.share == pytest.approx(loss[mask].sum() / people.epsilon[mask].sum())


def plan_variance(people, known):
    if "prior" in known:
        p, s = known["prior"]
        return p * (1 - p) / people.records + (1 - 1 / people.records) * s**2
    return known.get("variance", 0.25)


def test_few_kinds_are_shown_as_they_are_and_many_budgets_pooled():
    few = report(from_groups([(10, 1.0, "curator", 1), (20, 1.0, "curator", 2), (30, 2.0, "local", 1)]))
    assert [(group.users, group.records) for group in few.groups] == [(10, (1, 1)), (20, (2, 2)), (30, (1, 1))]
    rng = np.random.default_rng(3)
    epsilon = np.concatenate([rng.uniform(0.1, 2, 900), [inf] * 50, [0.0] * 50])
    many = report(compare.Population(epsilon, rng.choice(compare.TRUST, 1000))).groups
    assert len(many) <= MOST
    private = [group for group in many if 0 < group.epsilon[0] < inf]
    assert sum(group.users for group in private) == 900 and max(group.users for group in private) < 150
    assert {group.users for group in many if group.epsilon == (inf, inf)} == {50}


@pytest.mark.parametrize("known", KNOWN, ids=str)
@pytest.mark.parametrize("source", [None, str(USERS)])
def test_the_call_computes_the_same(people, known, source):
    some = people if source else from_groups([(70, 0.1, "curator", 1), (20, 1.0, "local", 3), (9, inf, "curator", 1)])
    found = report(some, **known, source=source)
    names = {}
    exec(found.call, names)
    assert names["rows"][0].error == pytest.approx(found.rows[0].candidate.error, rel=1e-12)
    assert names["bar"] == pytest.approx(found.error) and names["plan"].error == found.plan.error
    assert np.sum(names["receipts"].users) == some.size
    assert names["plan"].digest == found.plan.digest or source is None  # there the users have another order


def test_the_call_for_a_part_of_the_budgets_computes_the_same(people, tmp_path):
    """A share, and then what a ledger leaves; the ranking is one for whole budgets, and is not in it."""
    ledger = tmp_path / "ledger.json"
    first = report(people, spend=0.3, source=str(USERS))
    release.new_ledger(first.plan, ledger)
    release.charge(first.plan, ledger)
    for found in (first, report(people, spend=0.8, ledger=ledger, source=str(USERS))):
        names = {}
        exec(found.call, names)
        assert names["plan"].digest == found.plan.digest and "rows" not in names and found.rows == ()
        assert found.remark == "" and "spend=0." in found.call
    for group in found.groups:
        if 0 < group.epsilon[0] and group.epsilon[1] < inf:
            assert group.left[0] >= 0.7 * group.epsilon[0] * (1 - 1e-9) and group.kept[1] <= group.left[1]
            assert group.kept[0] >= group.left[0] - group.spent[1] - 1e-9


def test_a_constant_plan_and_a_better_estimator_are_told():
    constant = report(from_groups([(40, 0.05, "curator", 1)]))
    assert constant.plan.constant and constant.error == 0.5 and "nobody gives up anything" in constant.remark
    assert sum(group.weight for group in constant.groups) == 0
    others = report(compare.Population(np.full(3000, 0.02), "curator", 1000), prior=(0.5, 0.001))
    first = others.rows[0].candidate.name
    assert first != "mixed" and others.remark.startswith(first)
    assert report(from_groups([(1000, 1.0, "curator", 1)])).remark == ""


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "at least one row"),
        ([(0, 1.0, "curator", 1)], "column users, group 1: must be a whole number in [1, 2000000], got 0"),
        ([(1, 1.0, "curator", 1), (1, -1.0, "local", 1)], "epsilon, group 2: must be 0 or lie in [1e-100, inf]"),
        ([(1.5, 1.0, "curator", 1)], "column users, group 1"),
        (["x1c1"], "column users, group 1"),
        ([(1, 1.0, "nobody", 1)], "column trust, group 1: must be one of curator, local, got 'nobody'"),
        ([(1, 1.0, "curator", 0.5)], "column records, group 1"),
        ([(1_500_000, 1.0, "curator", 1)] * 2, "at most 2000000 in all groups together, got 3000000"),
    ],
)
def test_a_group_that_is_none_is_refused(rows, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        from_groups(rows)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("budget", ["1e-400", "1e999", "much", None])
def test_a_budget_of_the_page_is_read_as_that_of_a_file(here, budget):
    """No number becomes 0, or the budget of a public value, in silence."""
    assert form.ask(json.dumps({"groups": [[10, "inf", "curator", 1], [20, budget, "local", 2]]})) is None
    said = json.loads((here / form.ANSWER).read_text())
    assert said["refused"] == f"column epsilon, group 2: must be 0 or lie in [1e-100, inf], got {budget!r}"


def test_the_page_gets_what_the_library_says(here, people):
    asked = form.ask(json.dumps({"path": str(USERS), "name": "mine.csv", "prior": [0.4, 0.1]}))
    said = json.loads((here / form.ANSWER).read_text(), parse_constant=pytest.fail)
    found = report(people, prior=(0.4, 0.1), source="mine.csv")
    texts, columns = said.pop("shown"), said.pop("columns")
    assert {role: chosen for role, (_, chosen) in columns.items()} == {c: c for c in COLUMNS} and said.pop("read") == ""
    assert said.pop("commands").startswith("python -m hdp plan mine.csv --prior 0.4 0.1 --out plan.json ")
    assert "people, _ = compare.read_csv('mine.csv', value=None)" in said["call"]
    said["call"] = said["call"].replace("people, _", "people, values").replace(", value=None", "")
    assert said == json.loads(found.to_json())
    assert float(texts["rows"][0]["root"]) == pytest.approx(found.rows[0].root, rel=5e-3)
    assert [group["epsilon"] for group in said["groups"]][-1] == ["inf", "inf"]
    plan = release.Plan.from_json((here / form.PLAN).read_text())
    assert plan.digest == said["digest"] == found.plan.digest
    form.weights(asked)
    assert len((here / form.WEIGHTS).read_text().splitlines()) == 1001
    asked = form.ask(json.dumps({"groups": [[10, "inf", "curator", 1], [20, "1e0", "local", 2]], "variance": 0.1}))
    some = compare.mixed_release(from_groups([(10, inf, "curator", 1), (20, 1.0, "local", 2)]), 0.1)
    assert json.loads((here / form.ANSWER).read_text())["error"] == pytest.approx(some.error() ** 0.5)
    form.weights(asked)
    lines = (here / form.WEIGHTS).read_text().splitlines()
    assert len(lines) == 3 and lines[0].startswith("users,") and lines[1].startswith("20,1.0,local,2,")


def test_sentences_and_tables_write_a_number_alike():
    """Huge and tiny ones, too; the page's script writes none."""
    people = from_groups([(900, 0.01, "curator", 1), (90, 10.0, "curator", 1), (9, 12345.6, "curator", 1)])
    found = json.loads(report(people).to_json(shown=True))
    assert [group["epsilon"] for group in found["shown"]["groups"]] == ["0.01", "10", "12,300"]
    said = {row["estimator"]: row["why"] for row in found["rows"]}
    assert "one of 12,300 counts 1,234,560 times as much as one of 0.01" in said["propdpm"]
    assert "the largest budget, 12,300" in said["sm"]
    tiny = json.loads(report(from_groups([(9, 1.5e-5, "curator", 1)])).to_json(shown=True))
    assert tiny["shown"]["groups"][0]["epsilon"] == "1.5·10⁻⁵" and tiny["shown"]["error"] == "0.5"
    assert "All budgets are 1.5·10⁻⁵" in {row["estimator"]: row["why"] for row in tiny["rows"]}["propdpm"]
    script = (ROOT / "book/_static/hdp-users.js").read_text(encoding="utf-8")
    assert not re.search("toFixed|toPrecision|toLocaleString", script)


@pytest.mark.parametrize(
    ("users", "known"),
    [
        ([(1000, 1.0, "curator", 1), (1000, 1e308, "curator", 3)], {"variance": 0.1}),
        ([(1000, 1.0, "curator", 1), (1000, 1e308, "curator", 3)], {"noise": "gaussian"}),
        ([(1, 1e-10, "curator", 1), (1, 1e308, "curator", 1)], {}),
        ([(1, 1e-100, "local", 1), (10**6, inf, "curator", 1)], {"variance": 1e-300}),
        ([(1000, inf, "curator", 1), (1000, 1.0, "local", 1)], {"variance": 5e-324}),
    ],
)
def test_budgets_that_are_worlds_apart_are_told_in_numbers(users, known):
    """Nothing overflows, and nothing is infinite that is not."""
    with np.errstate(all="raise", under="ignore"):
        found = report(from_groups(users), **known)
    assert not [row.why for row in found.rows if "∞" in row.why and not any(inf in group for group in users)]
    usable = [row.times for row in found.rows if not row.candidate.obstacle]
    assert usable[:1] == [1.0] * bool(found.rows) and (inf not in usable or found.rows[0].root == 0)
    assert all(0 <= group.share <= 1 + 1e-12 for group in found.groups)
    said = {row.candidate.name: row.why for row in found.rows}
    if users[0][1] == 1e-10:
        assert "one of 10³⁰⁸ counts more than 10³⁰⁸ times as much as one of 10⁻¹⁰" in said["propdpm"]
        assert [shown.cells(group)["epsilon"] for group in found.groups] == ["10⁻¹⁰", "10³⁰⁸"]


@pytest.mark.parametrize("users", [1, 3, 100, 400, 777, 12_345, 10**6])
@pytest.mark.parametrize("epsilon", [0.02, 1.0, inf])
def test_what_the_answer_errs_by_at_the_most_is_not_rounded_down(users, epsilon):
    """But what has three digits stays as it is."""
    found = report(from_groups([(users, epsilon, "curator", 1)]))
    said = json.loads(found.to_json(shown=True))["shown"]["error"]
    lead, _, power = said.partition("·10⁻")
    written = float(f"{lead}e-{'⁰¹²³⁴⁵⁶⁷⁸⁹'.index(power)}") if power else float(lead)
    assert found.error * (1 - 1e-9) <= written < 1.01 * found.error
    assert epsilon < inf or {1: "0.5", 100: "0.05", 400: "0.025"}.get(users, said) == said


def test_parts_of_an_error_are_those_above_a_thousandth():
    squares = {"sampling": 6.0, "noise": 2.0, "reports": 0.007, "rounding": 0.0, "bias": 0.0}
    assert shown.parts(squares) == "the users' differences make 74.9 %, the curator's noise 25.0 %"


def test_the_page_says_what_read_csv_says(here):
    file = here / "bad.csv"
    file.write_text("user,epsilon,trust,records,value\nann,-1,local,1,1\n")
    with pytest.raises(ValueError) as refused:
        compare.read_csv(file)
    assert form.ask(json.dumps({"path": str(file), "name": "bad.csv"})) is None
    said = json.loads((here / form.ANSWER).read_text())
    assert said["refused"] == f"{refused.value} (row 1 is the first below the header)"
    assert list(said["columns"]) == [*COLUMNS]


def test_a_file_too_large_for_a_page_is_refused_with_the_way_out(here, monkeypatch):
    monkeypatch.setattr(form, "LARGEST", USERS.stat().st_size - 1)
    form.ask(json.dumps({"path": str(USERS), "name": "users.csv"}))
    assert "python -m hdp plan reads larger ones" in json.loads((here / form.ANSWER).read_text())["refused"]


# What is taken away


TABLES = {
    "prior": (USERS.read_text(encoding="utf-8"), {"prior": [0.4, 0.1]}),
    "salaries": (  # of a spreadsheet, without names
        "Tier;Trust;Salary\n" + "".join(f"{('low', 'Open')[i % 2]};curator;{30000 + 99 * i},5\n" for i in range(90)),
        {"interval": ["0", "90000"], "variance": "4e8", "epsilon": "tier", "records": "1", "value": "Salary"}
        | {"budgets": "low=0.5,open=inf"},
    ),
    "dashes": (
        "-id,-eps,value\nann,1,1\nbob,2,0\n",
        {"user": "-id", "epsilon": "-eps", "trust": "curator", "records": "1", "interval": [-0.00001, 1]},
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_the_commands_of_the_page_plan_the_same_and_release(case, here, capsys):
    """Columns and files whose names begin with a dash are no options; groups have no table, and no commands."""
    text, known = TABLES[case]
    name = "-users.csv" if case == "dashes" else "users.csv"
    Path(name).write_text(text, encoding="utf-8")
    asked = form.ask(json.dumps({"path": name, "name": name, **known}))
    planned = Path(form.PLAN).read_text()
    Path(form.PLAN).unlink()
    calls = json.loads(Path(form.ANSWER).read_text())["commands"].split(" &&\n")
    for call in calls if find_spec("opendp") and case != "prior" else calls[:1]:  # whose local users have no reports
        assert main([plain(word) for word in shlex.split(call.removeprefix("python -m hdp"))]) == 0
    assert Path(form.PLAN).read_text() == planned and " --new-ledger " in calls[1]
    assert "90000" not in calls[1] and calls[1] in capsys.readouterr().err
    form.take(asked)
    assert Path(form.STATEMENT).read_text(encoding="utf-8") == statement(asked.report.plan)
    form.ask(json.dumps({"groups": [[70, "0.5", "curator", 1]]}))
    assert json.loads(Path(form.ANSWER).read_text())["commands"] == ""


@pytest.mark.parametrize("options", [["users.csv"], ["a", "--interval", "0", "1", "--out", "a"]])
def test_a_statement_takes_the_place_of_no_file_that_is_read_or_written(options, here, capsys):
    Path("users.csv").write_text("user,epsilon,trust,records\nann,0.1,curator,1\n")
    assert main(["plan", "users.csv", "--statement", *options]) == 2
    assert "--statement must be another file" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["users.csv"]
    Path("plan.json").write_bytes(Path("users.csv").read_bytes())
    form.ask(json.dumps({"path": "plan.json", "name": "plan.json"}))
    assert "file must have another name" in json.loads(Path(form.ANSWER).read_text())["refused"]
