"""How a table of users is read, whole: a file, or one in memory."""

import warnings
from collections.abc import Mapping
from os import PathLike
from typing import Any

from hdp import _validate
from hdp._types import Floats
from hdp.compare.layout import COLUMNS, Layout
from hdp.compare.names import spreadsheet_name, spreadsheet_safe
from hdp.compare.population import Population
from hdp.compare.users import FILE, Users, blocks

__all__ = ["COLUMNS", "Users", "blocks", "read_csv", "read_table", "spreadsheet_name", "spreadsheet_safe"]


def read_csv(
    path: str | PathLike[str],
    *,
    user: str | None = "user",
    epsilon: str = "epsilon",
    trust: str = "trust",
    records: str | int = "records",
    value: str | None = "value",
    budgets: Mapping[str, float] | None = None,
    interval: tuple[float, float] | None = None,
    skip_rows: int = 0,
    decimal: str | None = None,
) -> tuple[Population, Floats]:
    """Read users from a file: the columns user, epsilon, trust, records and value, or named otherwise.

    Parameters
    ----------
    path : str or pathlib.Path
        A file in UTF-8, or in UTF-16 with a byte order mark, with a header, whose cells are separated by commas,
        semicolons or tabs; or one of Parquet or Arrow.  Other columns are ignored.
    user : str or None
        Column of names, in which nobody comes twice: neither case nor white space nor invisible characters nor another
        encoding of the same letters makes a difference, nor an apostrophe that keeps a spreadsheet from running it.
        Only a public user may have none.  With None every row is a person.
    epsilon : str, name of a column
        Column of budgets, 0 or in [1e-100, inf], where inf is a public value; for infinity inf, +inf, Infinity or ∞.
    trust : str, name of a column
        Column with "curator" or "local"; one of these words is everybody's, in a file without a column trust.
    records : str or int
        Column of whole numbers in [1, 2^53); a number is everybody's, in a file without a column records.
    value : str or None
        Column of values in [0, 1], each the share of ones among the records, to as many digits as are printed.  With
        None no value is read: all are NaN.
    budgets : mapping of str to float, optional
        What the words in the column epsilon mean; then it may have no other.
    interval : (float, float), optional
        Interval of the values, in their unit, low < high, each at most 1e50 in size.  With it a value is any finite
        number (a release takes those beyond to the interval), and NaN for an empty cell and for users with a private
        budget who trust nobody or whose budget is 0, whose cells are not read.
    skip_rows : int
        How many rows below the header are left out, for they are no user's; at least 0.
    decimal : {".", ","}, optional
        The sign before decimals; signs between thousands are read then, too.  Unless given it is what the file shows: a
        point where commas separate cells.

    Returns
    -------
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        The users' values, which are not.

    Raises
    ------
    ValueError
        Naming column, row (1 is the first below the header) and allowed range, or the two rows of one person, or all
        columns that are missing.  No cell is quoted; still, that a cell is refused depends on data, and is no private
        output.

    Warns
    -----
    UserWarning
        One, which says what was assumed, unless the file is separated by commas, in UTF-8, and as it is written here.

    Notes
    -----
    Names of columns are compared without case and outer spaces; two that differ in nothing else are refused.  Five
    million users take some ten seconds and a third of a gigabyte.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.compare import read_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,value\\nann,0.5,local,4,0.25\\nbob,inf,curator,1,1\\n")
    ...     population, values = read_csv(file)
    ...     _ = file.write_text("id,tier,salary\\nann,low,41200\\nbob,open,39100\\n")
    ...     named = {"user": "id", "epsilon": "tier", "trust": "curator", "records": 1, "value": "salary"}
    ...     paid = read_csv(file, **named, budgets={"low": 0.1, "open": float("inf")}, interval=(0, 90000))
    >>> population.epsilon.tolist(), values.tolist()
    ([0.5, inf], [0.25, 1.0])
    >>> paid[0].epsilon.tolist(), paid[1].tolist()
    ([0.1, inf], [41200.0, 39100.0])
    """
    if not isinstance(path, FILE):
        raise TypeError(f"path must be a str or a pathlib.Path, got {_validate.show(path, secret=True)}")
    layout = Layout(user, epsilon, trust, records, value, None, budgets, interval, skip_rows, decimal)
    return _read(path, layout)


def read_table(
    table: Any,
    *,
    user: str | None = "user",
    epsilon: str = "epsilon",
    trust: str = "trust",
    records: str | int = "records",
    value: str | None = "value",
    budgets: Mapping[str, float] | None = None,
    interval: tuple[float, float] | None = None,
    decimal: str | None = None,
) -> tuple[Population, Floats]:
    """Read users from a table in memory, as `read_csv` does from a file (extra ``arrow``).

    Parameters
    ----------
    table : object with ``__arrow_c_stream__``
        A table of pandas, polars, DuckDB, pyarrow, or of whoever else speaks Arrow's interface.
    user, epsilon, trust, records, value, budgets, interval, decimal : as of read_csv
        What its columns are called, and what its cells mean; decimals are signed in columns of text alone.

    Returns
    -------
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        The users' values, which are not.

    Raises
    ------
    ValueError
        As of `read_csv`; row 1 is the first.
    TypeError
        If it is no such table.
    ImportError
        Without pyarrow.

    Examples
    --------
    >>> from hdp.compare import read_table
    >>> read_table("users.parquet")
    Traceback (most recent call last):
    TypeError: table must be one in memory, got the name of a file, which read_csv reads
    """
    if isinstance(table, FILE):
        raise TypeError("table must be one in memory, got the name of a file, which read_csv reads")
    return _read(table, Layout(user, epsilon, trust, records, value, None, budgets, interval, decimal=decimal))


def _read(table, layout):
    users = Users(table, layout)
    found = users.read()
    if users.said:
        warnings.warn(users.said, UserWarning, stacklevel=3)
    return found
