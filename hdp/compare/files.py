"""A table of users, as a file or in memory: how it is read, whole.

What is refused is named by column and row; no cell is quoted, for where cells are misplaced it may be anybody's value.
"""

import warnings
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.compare.arrow import ArrowTable, is_arrow
from hdp.compare.cells import checked
from hdp.compare.layout import COLUMNS, Layout
from hdp.compare.names import keys, spreadsheet_name, spreadsheet_safe
from hdp.compare.population import TRUST, Population
from hdp.compare.text import TextFile

__all__ = ["COLUMNS", "Users", "blocks", "read_csv", "read_table", "spreadsheet_name", "spreadsheet_safe"]
_FILE = (str, PathLike)


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
    epsilon : str
        Column of budgets, 0 or in [1e-100, inf], where inf is a public value; for infinity inf, +inf, Infinity or ∞.
    trust : str
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
        How many rows below the header are left out, for they are no user's.
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
    Names of columns are compared without case and outer spaces, unless one is written exactly so.  Five million users
    take some ten seconds and three quarters of a gigabyte.

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
    if not isinstance(path, _FILE):
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
) -> tuple[Population, Floats]:
    """Read users from a table in memory, as `read_csv` does from a file (extra ``arrow``).

    Parameters
    ----------
    table : object with ``__arrow_c_stream__``
        A table of pandas, polars, DuckDB, pyarrow, or of whoever else speaks Arrow's interface.
    user, epsilon, trust, records, value, budgets, interval
        As for `read_csv`.

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
    >>> import pyarrow
    >>> from hdp.compare import read_table
    >>> table = pyarrow.table({"id": ["ann", "bob"], "budget": [0.5, 2.0], "salary": [41200, 39100]})
    >>> people, values = read_table(
    ...     table, user="id", epsilon="budget", trust="curator", records=1, value="salary", interval=(0, 90000)
    ... )
    >>> people.epsilon.tolist(), values.tolist()
    ([0.5, 2.0], [41200.0, 39100.0])
    """
    return _read(table, Layout(user, epsilon, trust, records, value, None, budgets, interval))


def _read(table, layout):
    users = Users(table, layout)
    found = users.read()
    if users.said:
        warnings.warn(users.said, UserWarning, stacklevel=3)
    return found


class Users:
    """Users of a table, read in blocks, and maybe again for their names.

    Parameters
    ----------
    table : str, pathlib.Path or table
        The file, or a table in memory.
    layout : Layout
        What its columns are called.
    """

    def __init__(self, table: Any, layout: Layout | None = None) -> None:
        layout = Layout() if layout is None else layout
        text = isinstance(table, _FILE) and not is_arrow(table)
        self.table, self.asked = table, layout
        self._rows = TextFile(table, layout) if text else ArrowTable(table, layout)
        self._nameless = 0

    def blocks(self) -> Any:
        """Yield the number of the first row, and names and cells of each role of the layout, some rows at a time."""
        return self._rows.blocks()

    def read(self, keep: list[list[str]] | None = None) -> tuple[Population, Floats]:
        """Population and values; lists to ``keep`` get names and reports."""
        parts, self._nameless = [], 0
        for first, columns in self.blocks():
            layout = self._rows.layout
            cells = dict(zip(layout.roles, columns, strict=True))
            for role, kept in zip(("user", "report"), keep or (), strict=False):
                kept += cells.get(role, ())
            names = columns[0]
            if "" in names or None in names:
                self._nameless += sum(not (name or "").strip() for name in names)
            parts.append(checked(first, columns[: 4 + (layout.value is not None)], layout, self._rows.decimal))
        if not parts:
            if not isinstance(self.table, _FILE):
                raise ValueError("table must have at least one row, got none")
            raise ValueError(f"path must be a file with at least one row below the header, got {str(self.table)!r}")
        columns = [list(column) for column in zip(*parts, strict=True)]
        del parts
        hashes = _joined(columns[0])
        epsilon, local, records, *values = map(_joined, columns[1:])
        if self._rows.layout.user is not None:
            self._refuse_repeated(hashes)
        return Population(epsilon, np.array(TRUST)[local], records), values[0] if values else np.full(len(epsilon), np.nan)

    @property
    def said(self) -> str:
        """What was assumed in reading, in a line; empty where nothing was."""
        notes = list(self._rows.notes.values())
        if self._rows.layout.user is None and self.asked.user is not None:
            notes.append(f"no column {self.asked.user}, so that every row is taken for one person")
        if self._nameless:
            notes.append(f"{self._nameless} public without a name, each of whom is taken for another person")
        return f"read as: {'; '.join(notes)}" if notes else ""

    def call(self) -> str:
        """The call of Python that reads the same population from the file, and no value."""
        layout, names = self._rows.layout, ("user", "epsilon", "trust", "records", "budgets", "skip_rows", "decimal")
        given = [f"{name}={getattr(layout, name)!r}" for name in names if getattr(layout, name) != getattr(Layout(), name)]
        return f"compare.read_csv({', '.join([repr(str(self.table)), *given, 'value=None'])})"

    def _refuse_repeated(self, hashes):
        """Raise ValueError if a name comes twice; where hashes agree, the names decide."""
        ordered = np.sort(hashes)
        again = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        seen = {}
        for first, (names, *_) in self.blocks() if again else ():
            title = self._rows.layout.user
            everybody = np.ones(len(names), dtype=bool)  # who may have no name has been asked
            for number, (name, key) in enumerate(zip(names, keys(first, names, title, everybody), strict=True), first):
                if hash(key) in again and key in seen:
                    row, other = seen[key]
                    written = "" if other == name else ": case, white space and invisible characters do not count"
                    twice = f"got the same person in rows {row} and {number}"
                    raise ValueError(f"column {title}, row {number}: must be unique, {twice}{written}")
                if hash(key) in again:
                    seen[key] = number, name


def blocks(path: Any) -> Any:
    """Names and cells of the users of a file in its usual layout, or of some `Users`."""
    return (path if isinstance(path, Users) else Users(path)).blocks()


def _joined(column):
    """The parts of a column in one; they are let go, so that no more than one column is in memory twice."""
    joined = np.concatenate(column)
    column.clear()
    return joined
