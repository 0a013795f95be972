"""Receipts and weights as files: what stands in each row, against the library, and the name of the plan, once."""

import csv
import io

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import plan, receipts, write_receipts, write_weights

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
    """In the users' order, beside their names, which a spreadsheet does not run."""
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
    """A header and a row say which plan they are of."""
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


@pytest.mark.parametrize("write", [write_receipts, write_weights])
def test_names_are_one_for_each_user(write):
    with pytest.raises(ValueError, match="names must be given with a population"):
        written(write, PEOPLE)
    with pytest.raises(ValueError, match="names must be given with a population"):
        written(write, None, CALLED)
    for names in (CALLED[:-1], [*CALLED, "one more"]):
        with pytest.raises(ValueError, match=r"names must be one for each of 4000 users, got (3999|4001)$"):
            written(write, PEOPLE, names)
    with pytest.raises(ValueError, match="population must be the one of the plan"):
        written(write, Population([1.0]), ["ann"])


@pytest.mark.parametrize("name", NAMES)
def test_one_name_that_must_be_written_otherwise_is_found_among_plain_ones(name):
    people = Population([1.0, 2.0, 3.0])
    file = io.StringIO(newline="")
    write_receipts(file, plan(people), people, ["ann", name, "zoë"])
    rows = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    runs = name in ("=1+1", "'@x", "\uff1dx")
    assert [row[0] for row in rows[1:]] == ["ann", f"'{name}" if runs else name, "zoë"]
