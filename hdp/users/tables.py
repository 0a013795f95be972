"""One reading of a table, whole and once: from its bytes, or from what is in memory, into `Users`."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hdp.users.arrow import ArrowTable
from hdp.users.cells import checked
from hdp.users.names import Names, keys
from hdp.users.people import TRUST, Users
from hdp.users.reading import Reading
from hdp.users.text import TextTable

FILE = (str, PathLike)
_MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow"}
_USELESS = 100.0  # a budget that no longer protects anybody; what is larger may be another column, of salaries


def read_users(
    source: Any,
    *,
    user: str | None = "user",
    epsilon: str = "epsilon",
    trust: str = "trust",
    records: str | int = "records",
    value: str | Sequence[str] = (),
    report: bool = False,
    budgets: Mapping[str, float] | None = None,
    decimal: str | None = None,
) -> Users:
    """Read the users of a table, once; no value is looked at unless its column is asked for.

    Parameters
    ----------
    source : str, pathlib.Path or table
        A file in UTF-8, or in UTF-16 with a byte order mark, with a header, whose cells are separated by commas,
        semicolons or tabs; one of Parquet or Arrow; or a table in memory of pandas, polars, DuckDB, pyarrow, or of
        whoever else speaks Arrow's interface (extra ``arrow``).  Other columns are ignored.
    user : str or None
        Column of names, in which nobody comes twice: neither case nor white space nor invisible characters nor another
        encoding of the same letters makes a difference, nor an apostrophe that keeps a spreadsheet from running it.
        Only a public user may have none.  With None, or where no column is called user, every row is a person.
    epsilon : str, name of a column
        Column of budgets, 0 or in [1e-100, inf], where inf is a public value; for infinity inf, +inf, Infinity or ∞.
    trust : str, name of a column
        Column with "curator" or "local"; one of these words is everybody's, in a table without a column trust.
    records : str or int
        Column of whole numbers in [1, 2^53); a number is everybody's, in a table without a column records.
    value : str or sequence of str
        Columns of values, any finite numbers; NaN for an empty cell and for users with a private budget who trust
        nobody or whose budget is 0, whose cells are not read.
    report : bool
        Whether the column report is read, too.
    budgets : mapping of str to float, optional
        What the words in the column epsilon mean; then it may have no other.
    decimal : {".", ","}, optional
        The sign before decimals; signs between thousands are read then, too.  Unless given it is a point where commas
        separate cells, and else what budgets and numbers of records show; where they show none, values are whole.

    Returns
    -------
    Users
        They know how their table was read, and so does a plan for them.

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
    >>> import hdp, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("id,tier,salary\\nann,low,41200\\nbob,open,39100\\n")
    ...     named = {"user": "id", "epsilon": "tier", "trust": "curator", "records": 1, "value": "salary"}
    ...     people = hdp.read_users(file, **named, budgets={"low": 0.1, "open": float("inf")})
    >>> people.epsilon.tolist(), people.values["salary"].tolist(), list(people.names)
    ([0.1, inf], [41200.0, 39100.0], ['ann', 'bob'])
    """
    columns = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    table = Table(source, Reading(user, epsilon, trust, records, columns, report, budgets, decimal))
    found = table.read()
    if table.said:
        warnings.warn(table.said, UserWarning, stacklevel=2)
    return found


class Table:
    """A table, all of whose bytes are taken here and never again, so that one table is ranked, planned and released."""

    def __init__(self, source: Any, reading: Reading) -> None:
        self.name = str(source) if isinstance(source, FILE) else None
        data = Path(source).read_bytes() if isinstance(source, FILE) else source
        kind = _MAGIC.get(data[:4]) if isinstance(data, bytes) else None
        text = isinstance(data, bytes) and not kind
        name = self.name or "the file"
        self._rows = TextTable(data, name, reading) if text else ArrowTable(data, kind, reading, name)
        self._nameless, self._largest = 0, 0.0

    def read(self) -> Users:
        """The users."""
        kept: dict[Any, list[Any]] = {}
        names, reports, rows, sizes = Names(), [], [], []
        for first, cells in self._rows.blocks():
            reading = self._rows.reading
            if reading.user is not None:
                if "" in cells["user"] or None in cells["user"]:
                    self._nameless += sum(not (name or "").strip() for name in cells["user"])
                names.extend(cells["user"])
            reports.extend(cells.get("report", ()))
            for name, part in checked(first, cells, reading, self._rows.decimal or "").items():
                once = name in ("epsilon", "trust", "records")
                kept.setdefault(name, []).append(_once(part) if once else part)
            sizes.append(len(cells["epsilon"]))
            rows.append(range(first, first + sizes[-1]))
        if not sizes:
            got = f"got {self.name!r}, which has none" if self.name else "got none"
            raise ValueError(f"table must have at least one row below the header, {got}")
        reading = self._rows.reading
        hashes = _whole(kept.pop("user"), sizes)
        if reading.user is not None:
            _refuse_repeated(hashes, chain.from_iterable(rows), names, reading.user)
        del hashes
        epsilon, local, records = (_whole(kept.pop(name), sizes) for name in ("epsilon", "trust", "records"))
        self._largest = np.max(epsilon, where=np.isfinite(epsilon), initial=0.0)
        return Users(
            np.broadcast_to(epsilon, sum(sizes)), np.array(TRUST)[local], records,
            values={name: _whole(kept.pop((name,)), sizes) for name in reading.value},
            reports=reports if reading.report else None, names=None if reading.user is None else names,
            reading=reading.as_dict(),
        )  # fmt: skip

    @property
    def said(self) -> str:
        """What was assumed in reading, in a line; empty where nothing was."""
        notes, asked, reading = list(self._rows.notes.values()), self._rows.asked, self._rows.reading
        if reading.user is None and asked.user is not None:
            notes.append(f"no column {asked.user}, so that every row is taken for one person")
        if self._nameless:
            notes.append(f"rows without a name, of public users, taken for one person each: {self._nameless}")
        if self._largest > _USELESS:
            column = reading.epsilon
            notes.append(f"some budgets above {_USELESS:g}, which protect nobody: is {column} the column of budgets?")
        return f"read as: {'; '.join(notes)}" if notes else ""

    def choices(self, value: str) -> dict[str, tuple[list[str], str]]:
        """For each role and a ``value`` the columns that it may have, and which it has, once the header is read."""
        asked = replace(self._rows.reading, value=(value,))
        return asked.choices(self._rows.header) if self._rows.header else {}

    def must_have(self, value: str) -> None:
        """Raise ValueError unless the table, which was read without its values, has a column for them."""
        replace(self._rows.reading, value=(value,)).resolved(self._rows.header)


def _refuse_repeated(hashes, rows, names, title):
    """Raise ValueError if a name comes twice; where hashes agree, the names decide."""
    ordered = np.sort(hashes)
    again, seen = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist()), {}
    if not again:
        return
    for known, number, name in zip(hashes.tolist(), rows, names, strict=True):
        if known not in again:
            continue
        key = keys(number, [name], title, [True])[0]
        if key in seen:
            row, other = seen[key]
            written = "" if other == name else ": case, white space and invisible characters do not count"
            twice = f"got the same person in rows {row} and {number}"
            raise ValueError(f"column {title}, row {number}: must be unique, {twice}{written}")
        seen[key] = number, name


def _once(column):
    """The column, or where all entries are the same that one, which takes no memory."""
    return column[0] if (column == column[0]).all() else column


def _whole(parts, sizes):
    """A column of its parts, which go; one entry, where it is that of all."""
    if not any(map(np.ndim, parts)) and all(part == parts[0] for part in parts):
        return parts[0]
    found, first = np.empty(sum(sizes), dtype=parts[0].dtype), 0
    parts.reverse()
    for size in sizes:
        found[first : (first := first + size)] = parts.pop()
    return found
