"""Tables of Arrow: in memory, whosoever they are, and in files of Parquet and Arrow."""

import math
from decimal import Decimal

import numpy as np
import pytest

from hdp import compare
from hdp.compare import arrow
from tests.secrets import shown

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'unequal-privacy[arrow]'")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")

STAFF = {"user": ["ada", "bo", "cy"], "epsilon": [0.5, math.inf, 2], "trust": ["local", "curator", "curator"]}
STAFF |= {"records": [4, 1, 2], "value": [0.25, 1, 0.5]}


class Spoken:
    """A table of somebody else's, known by the interface alone."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.fixture(params=["memory", "spoken", "parquet", "arrow"])
def read(request, tmp_path):
    """Return a function that reads a table, in memory or from a file."""

    def read(table, **options):
        path = tmp_path / "staff.data"
        if request.param == "parquet":
            pa.parquet.write_table(table, path, row_group_size=2)
        elif request.param == "arrow":
            pa.feather.write_feather(table, path, chunksize=2)
        else:
            return compare.read_table(table if request.param == "memory" else Spoken(table), **options)
        return compare.read_csv(path, **options)

    return read


def test_a_table_is_read_as_a_file_of_text_is(read, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "_ROWS", 2)
    people, values = read(pa.table(STAFF | {"other": [None] * 3}))
    rows = "\n".join(",".join(map(str, row)) for row in zip(*STAFF.values(), strict=True))
    (tmp_path / "staff.csv").write_text(f"{','.join(STAFF)}\n{rows}\n")
    same, shares = compare.read_csv(tmp_path / "staff.csv")
    for one, other in ((people.epsilon, same.epsilon), (people.records, same.records), (values, shares)):
        np.testing.assert_array_equal(one, other)
    assert people.trust.tolist() == same.trust.tolist() == STAFF["trust"]


def test_columns_of_other_types_and_names(read):
    """Words as categories, tiers and names as integers, decimal fractions as what they say, and gaps."""
    table = pa.table({
        "Id": pa.array([7, 8, 9], pa.int32()),
        "tier": pa.array(["a", "B", "a"]).dictionary_encode(),
        "pay": pa.array([Decimal("41200.50"), None, Decimal("1e3")], pa.decimal128(9, 2)),
    })  # fmt: skip
    options = {"user": "id", "trust": "curator", "records": 1, "value": "pay", "interval": (0, 90_000)}
    people, values = read(table, epsilon="tier", budgets={"A": 0.5, "b": "inf"}, **options)
    assert people.epsilon.tolist() == [0.5, math.inf, 0.5]
    assert values[[0, 2]].tolist() == [41200.5, 1000] and math.isnan(values[1])
    tiers = table.set_column(1, "tier", pa.array([1, 2, 1]))
    assert read(tiers, epsilon="tier", budgets={"1": 0.5, "2": 3}, **options)[0].epsilon.tolist() == [0.5, 3, 0.5]
    flags = pa.table(STAFF | {"value": [True, False, True]})
    assert read(flags)[1].tolist() == [1, 0, 1]


@pytest.mark.filterwarnings("ignore:.*some budgets above 100:UserWarning")
@pytest.mark.parametrize(
    ("decimal", "written"), [(",", ["0,125", "1.234,5", "1.234"]), (".", ["0.125", "1,234.5", "1 234"])]
)
def test_columns_of_text_have_the_decimal_sign_of_a_file_of_text(decimal, written, read, tmp_path):
    """And numbers are what they are, also decimal fractions, whatever sign texts have."""
    numbers = [0.125, 1234.5, 1234.0]
    exact = pa.array(map(Decimal, ["0.125", "1234.5", "1234"]), pa.decimal128(9, 3))
    options = {"user": None, "trust": "curator", "records": 1, "interval": (0, 9_000), "decimal": decimal}
    (tmp_path / "staff.csv").write_text("\n".join(["epsilon,value", *(f'"{c}","{c}"' for c in written)]))
    told = compare.read_csv(tmp_path / "staff.csv", **options)
    for people, values in (told, *(read(pa.table({"epsilon": c, "value": c}), **options) for c in (written, exact))):
        assert people.epsilon.tolist() == values.tolist() == numbers


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [("user", [None, "bo", "cy"], "column user, row 1: must not be empty"),
     ("epsilon", [0.5, None, 1], "column epsilon, row 2: must be 0 or lie in"),
     ("epsilon", ["0.5", "0,5", "1"], "column epsilon, row 2: .*reads decimal commas"),
     ("epsilon", [True, False, True], "column epsilon must hold numbers or text, got bool"),
     ("trust", [1, 2, 3], "column trust must hold text, got int64"),
     ("records", [4, 2**53 + 1, 2], r"column records, row 2: must lie in \[1, 2\^53\)"),
     ("value", [0.25, 7.123456789, 0.5], r"column value, row 2: must lie in \[0, 1\]$"),
     ("value", [0.123456789, 1, 0.5], "column value, row 1: must be a share of ones among 4 records")],
)  # fmt: skip
def test_what_a_file_of_text_must_not_hold_is_refused(column, cells, said, read):
    with pytest.raises(ValueError, match=said) as wrong:
        read(pa.table(STAFF | {column: cells}))
    assert not shown(wrong.value)


def test_what_the_columns_must_be_is_asked_of_a_table_too(read):
    with pytest.raises(ValueError, match=r"must have at least one row|at least one row below"):
        read(pa.table(STAFF).slice(3))
    twice = pa.table([*STAFF.values(), STAFF["trust"]], names=[*STAFF, "trust"])
    with pytest.raises(ValueError, match="name every column once, got trust again"):
        read(twice)


def test_no_row_of_a_table_is_a_header(tmp_path):
    pa.parquet.write_table(pa.table(STAFF), tmp_path / "staff.parquet")
    with pytest.raises(ValueError, match=r"^skip_rows must be 0 for what is no text, got 1$"):
        compare.read_csv(tmp_path / "staff.parquet", skip_rows=1)


def test_a_value_that_is_not_asked_for_is_not_taken_from_a_file(tmp_path):
    """Its column may have any type."""
    pa.parquet.write_table(pa.table(STAFF | {"value": [[1], [2], None]}), tmp_path / "staff.parquet")
    people, values = compare.read_csv(tmp_path / "staff.parquet", value=None)
    assert people.size == 3 and np.isnan(values).all()


def test_what_speaks_no_arrow_is_refused_and_not_shown(tmp_path):
    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("marker")

    with pytest.raises(ValueError, match=r"^table must be one that speaks Arrow's interface.* cannot take$") as wrong:
        compare.read_table(Wrong())
    assert not shown(wrong.value)
    with pytest.raises(TypeError, match=r"^table must be one in memory, got the name of a file, which read_csv reads$"):
        compare.read_table("marker")
    for other in ([[0.123456789]], {"user": ["marker"]}, np.array([0.123456789]), None):
        with pytest.raises(TypeError, match=r"^table must be one that speaks Arrow's interface") as wrong:
            compare.read_table(other)
        assert not shown(wrong.value)
    (tmp_path / "broken").write_bytes(b"PAR1 marker")
    with pytest.raises(ValueError, match=r"^path must be a file of Parquet that can be read"):
        compare.read_csv(tmp_path / "broken")
