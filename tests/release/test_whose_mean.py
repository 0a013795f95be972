"""Whose mean an answer tells of, and what of a table is looked at."""

from itertools import product

import numpy as np
import pytest

from hdp._report import shown
from hdp.compare import Population, read_csv, read_table
from hdp.release import plan, statement
from hdp.release.radii import tilt

inf = float("inf")


@pytest.mark.parametrize(
    "epsilon", [[1.0] * 6, [2.0] * 3 + [9.0] * 3, [3.0, inf, 8.0, 8.0, 1.0, 40.0], [0.1] * 6], ids=str
)
@pytest.mark.parametrize("trust", ["curator", "local"])
def test_the_mean_of_the_users_is_no_further_away_than_is_said(epsilon, trust):
    """Of all values at the ends of [10, 30] the farthest weighted mean; one sentence in plan, page and statement."""
    people = Population(epsilon, trust)
    made = plan(people, "mixed", lower=10.0, upper=30.0)
    weights = made.weights[made.kind_of(people)]
    values = np.array(list(product((10.0, 30.0), repeat=6)))
    farthest = 0.0 if made.constant else np.abs(values @ weights - values.mean(axis=1)).max()
    assert tilt(made) == pytest.approx(farthest, abs=1e-12)
    assert ("these very users" in shown.interval(made)) == ("these very users" in statement(made)) == (tilt(made) > 0)


def test_columns_that_differ_by_case_or_spaces_are_one_too_many(tmp_path):
    file = tmp_path / "users.csv"
    file.write_text("user,EPSILON,epsilon ,trust,records,value\nann,1,2,curator,1,0\n")
    with pytest.raises(ValueError, match="must name every column once, got epsilon again"):
        read_csv(file)
    file.write_text("user,tier,trust,records\nann,low,curator,1\nbob,,curator,1\n")
    with pytest.raises(
        ValueError, match="column tier, row 2: must be one of the words low of budgets, got an empty cell"
    ):
        read_csv(file, epsilon="tier", budgets={"low": 0.1}, value=None)


def test_columns_that_are_not_read_may_hold_anything():
    """Of pandas, whose other columns pyarrow may refuse; words are told apart as categories of any kind of text."""
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'unequal-privacy[arrow]'")
    words = arrow.DictionaryArray.from_arrays(arrow.array([0, 1], arrow.uint32()), arrow.array(["low", "high"]))
    view = words.cast(arrow.dictionary(arrow.uint32(), arrow.string_view())) if hasattr(arrow, "string_view") else words
    columns = {"user": ["ann", "bob"], "epsilon": view, "trust": ["curator", "local"], "records": [1, 2]}

    class Frame:
        columns = ("user", "epsilon", "trust", "records", "odd")

        def __getitem__(self, names):
            assert "odd" not in names
            return arrow.table({name: columns[name] for name in names})

        __arrow_c_stream__ = None

    Frame.__module__ = "pandas.core.frame"
    people, _ = read_table(Frame(), budgets={"low": 0.1, "high": 1.0}, value=None)
    assert people.epsilon.tolist() == [0.1, 1.0] and people.local.tolist() == [False, True]
