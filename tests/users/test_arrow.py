"""Tables of Arrow: in memory, whosoever they are, and in files of Parquet and Arrow."""

import math
from decimal import Decimal
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from hdp.users import arrow, read_users
from tests.secrets import shown

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'unequal-privacy[arrow]'")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")

STAFF = {"user": ["ada", "bo", "cy"], "epsilon": [0.5, math.inf, 2], "trust": ["local", "curator", "curator"]}
STAFF |= {"records": [4, 1, 2], "value": [0.25, 1, 0.5]}
VALUE = {"value": "value"}


@pytest.fixture(params=["memory", "spoken", "parquet", "arrow"])
def read(request, tmp_path):
    """Return a function that reads a table, in memory or from a file."""

    def read(table, **options):
        source = tmp_path / "staff.data"
        if request.param == "parquet":
            pa.parquet.write_table(table, source, row_group_size=2)
        elif request.param == "arrow":
            pa.feather.write_feather(table, source, chunksize=2)
        else:  # of this library or of another
            source = (
                table if request.param == "memory" else SimpleNamespace(__arrow_c_stream__=table.__arrow_c_stream__)
            )
        return read_users(source, **options)

    return read


def test_a_table_is_read_a_block_at_a_time_whatever_is_in_other_columns(read, monkeypatch):
    monkeypatch.setattr(arrow, "_ROWS", 2)
    table = STAFF | {"value": ["marker", "1", "0.5"], "report": ["", None, "[1]"], "other": [[1], None, [2]]}
    users = read(pa.table(table), report=True, **VALUE)
    found = [list(users.names), *(column.tolist() for column in (users.epsilon, users.trust, users.records))]
    assert found == list(STAFF.values())[:4] and users.reports == ["", None, "[1]"]
    np.testing.assert_equal(users.values, {"value": [math.nan, 1, 0.5]})
    with pytest.raises(ValueError, match="must have at least one row"):
        read(pa.table(table).slice(3))


def test_columns_of_other_types_and_names(read):
    """Words as categories, tiers and names as integers, decimal fractions as what they say, and gaps."""
    table = pa.table({
        "Id": pa.array([7, 8, 9], pa.int32()),
        "tier": pa.array(["a", "B", "a"]).dictionary_encode(),
        "pay": pa.array([Decimal("41200.50"), None, Decimal("1e3")], pa.decimal128(9, 2)),
        "flag": [True, False, None],
    })  # fmt: skip
    options = {"user": "id", "trust": "curator", "records": 1, "value": ["pay", "flag"]}
    users = read(table, epsilon="tier", budgets={"A": 0.5, "b": "inf"}, **options)
    assert users.epsilon.tolist() == [0.5, math.inf, 0.5] and list(users.names) == ["7", "8", "9"]
    np.testing.assert_equal(users.values, {"pay": [41200.5, math.nan, 1000], "flag": [1, 0, math.nan]})
    numbers = {"epsilon": "tier", "budgets": {"1": 0.5, "2": 3}}
    tiers = [table.set_column(1, "Tier", pa.array([1, 2, last])) for last in (1, None)]
    assert read(tiers[0], **numbers, **options).epsilon.tolist() == [0.5, 3, 0.5]
    with pytest.raises(ValueError, match=r"^column tier, row 3: must be one of the words 1, 2 .*, got an empty cell$"):
        read(tiers[1], **numbers, **options)


@pytest.mark.filterwarnings("ignore:.*some budgets above 100:UserWarning")
@pytest.mark.parametrize("written", [["0,125", "1.234,5", "1.234"], ["0.125", "1,234.5", "1 234"]])
def test_columns_of_text_have_the_decimal_sign_that_is_told(written, read):
    """And numbers are what they are, also decimal fractions, whatever sign texts have."""
    exact = pa.array(map(Decimal, ["0.125", "1234.5", "1234"]), pa.decimal128(9, 3))
    for cells in (written, exact, [0.125, 1234.5, 1234]):
        table = pa.table({"epsilon": cells, "value": cells})
        users = read(table, user=None, trust="curator", records=1, decimal=written[0][1], **VALUE)
        assert users.epsilon.tolist() == users.values["value"].tolist() == [0.125, 1234.5, 1234.0]


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [("user", [None, "bo", "cy"], "column user, row 1: must not be empty"),
     ("user", [b"\xffmarker", b"bo", b"cy"], "column user, row 1: must be UTF-8$"),
     ("epsilon", [0.5, None, 1], "column epsilon, row 2: must be 0 or lie in .*, got an empty cell$"),
     ("epsilon", [True, False, True], "column epsilon must hold numbers or text, got bool"),
     ("trust", [1, 2, 3], "column trust must hold text, got int64"),
     ("records", [4, 2**53 + 1, 2], r"column records, row 2: must be a whole number in \[1, 2\^53\)$"),
     ("value", [0.25, math.inf, 0.5], "column value, row 2: must be a finite number, or empty where no plan uses it$"),
     ("value", [b"1", b"\xffmarker", b"1"], "column value, row 2: must be a finite number")],
)  # fmt: skip
def test_what_a_file_of_text_must_not_hold_is_refused(column, cells, said, read):
    if isinstance(cells[0], bytes):  # which says that it is text
        cells = pa.array(cells).view(pa.string())
    with pytest.raises(ValueError, match=f"^{said}") as wrong:
        read(pa.table(STAFF | {column: cells}), **VALUE)
    assert not shown(wrong.value)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_no_cell_that_is_not_read_refuses_a_table(library):
    """Nor one of a user whose value is not: columns of pandas hold anything, texts of Arrow what is no UTF-8."""
    loaded = pytest.importorskip(library)
    make = loaded.table if library == "pyarrow" else loaded.DataFrame
    others = [[1], None, [2]] if library == "pyarrow" else [{1}, object(), "x"]
    broken = pa.array([b"\xff", b"1", b"0.5"]).view(pa.string())
    mixed = {"pandas": ["marker", 1, 0.5], "polars": ["marker", "1", "0.5"], "pyarrow": broken}[library]
    for values in (mixed, [math.inf, 1.0, 0.5]):
        table = make(STAFF | {"value": values, "other": others})
        for given in (table, *(table.to_batches() if library == "pyarrow" else [])):
            np.testing.assert_equal(read_users(given, **VALUE).values, {"value": [math.nan, 1, 0.5]})


def test_what_speaks_no_arrow_is_refused_and_not_shown(tmp_path):
    """Nor is what its library says, of whatever type, also in the context of what is raised."""
    for kind in (ValueError, TypeError, RuntimeError, OSError):
        wrong = SimpleNamespace(__arrow_c_stream__=Mock(side_effect=kind("marker")))
        with pytest.raises(ValueError, match=r"^source must be a file, or a table .* cannot take$") as refused:
            read_users(wrong)
        assert not shown(refused.value)
    for other in ([[0.123456789]], {"user": ["marker"]}, np.array([0.123456789]), None):
        with pytest.raises(TypeError, match=r"^source must be a file, or a table that speaks Arrow's") as wrong:
            read_users(other)
        assert not shown(wrong.value)
    (tmp_path / "broken").write_bytes(b"PAR1 marker")
    with pytest.raises(ValueError, match=r"^path must be a file of Parquet that can be read, got '.*broken'"):
        read_users(tmp_path / "broken")
