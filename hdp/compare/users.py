"""Users of a table, as a file or in memory, read block by block.

What is refused is named by column and row; no cell is quoted, for where cells are misplaced it may be anybody's value.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from os import PathLike
from typing import Any

import numpy as np

from hdp._types import Floats
from hdp.compare.arrow import ArrowTable
from hdp.compare.cells import checked
from hdp.compare.held import Held
from hdp.compare.layout import Layout
from hdp.compare.names import keys
from hdp.compare.population import TRUST, Population
from hdp.compare.text import TextFile

FILE = (str, PathLike)
_USELESS = 100.0  # a budget that no longer protects anybody; what is larger may be another column, of salaries


class Users:
    """Users of a table, read in blocks, and maybe again for their names.

    Parameters
    ----------
    table : str, pathlib.Path, Held or table
        The file, which is read here and never again, or what is held of one, or a table in memory.
    layout : Layout
        What its columns are called.
    """

    def __init__(self, table: Any, layout: Layout | None = None) -> None:
        layout = Layout() if layout is None else layout
        held = Held(table) if isinstance(table, FILE) else table
        self.table, self.asked = held.path if isinstance(held, Held) else table, layout
        self.called = self.table  # in a call that reads it again
        text = isinstance(held, Held) and held.kind is None
        self._rows = TextFile(held, layout) if text else ArrowTable(held, layout)
        self._nameless, self._largest = 0, 0.0

    def blocks(self) -> Any:
        """Yield the number of the first row, and names and cells of each role of the layout, some rows at a time."""
        return self._rows.blocks()

    def read(self, keep: tuple[Any, list[str]] | None = None) -> tuple[Population, Floats]:
        """Population and values; what to ``keep`` is extended by names and reports."""
        self._nameless = 0
        columns: list[Any] = []
        sizes: list[int] = []
        for first, block in self.blocks():
            layout = self._rows.layout
            cells = dict(zip(layout.roles, block, strict=True))
            for role, kept in zip(("user", "report"), keep or (), strict=False):
                kept.extend(cells.get(role, ()))
            names = block[0]
            if "" in names or None in names:
                self._nameless += sum(not (name or "").strip() for name in names)
            found = checked(first, block[: 4 + (layout.value is not None)], layout, self._rows.decimal or ".")
            columns = columns or [[] for _ in found]
            for number, (column, part) in enumerate(zip(columns, found, strict=True)):
                column.append(_once(part) if number in (1, 2, 3) else part)  # neither hashes of names nor values
            sizes.append(len(names))
        if not columns:
            if not isinstance(self.table, FILE):
                raise ValueError("table must have at least one row, got none")
            skipped = f" and the {self.asked.skip_rows} rows left out" if self.asked.skip_rows else ""
            below = f"with at least one row below the header{skipped}"
            raise ValueError(f"path must be a file {below}, got {str(self.table)!r}")
        columns.reverse()  # of millions of users each column counts
        hashes = _whole(columns.pop(), sizes)
        if self._rows.layout.user is not None:
            self._refuse_repeated(hashes)
        del hashes
        epsilon, local, records = (_whole(columns.pop(), sizes) for _ in range(3))
        self._largest = np.max(epsilon, where=np.isfinite(epsilon), initial=0.0)
        people = Population(np.broadcast_to(epsilon, sum(sizes)), np.array(TRUST)[local], records)
        return people, _whole(columns.pop(), sizes) if columns else np.broadcast_to(np.nan, people.size)

    @property
    def said(self) -> str:
        """What was assumed in reading, in a line; empty where nothing was."""
        notes = list(self._rows.notes.values())
        if self._rows.layout.user is None and self.asked.user is not None:
            notes.append(f"no column {self.asked.user}, so that every row is taken for one person")
        if self._nameless:
            notes.append(f"rows without a name, of public users, taken for one person each: {self._nameless}")
        if self._largest > _USELESS:
            column = self._rows.layout.epsilon
            notes.append(f"some budgets above {_USELESS:g}, which protect nobody: is {column} the column of budgets?")
        return f"read as: {'; '.join(notes)}" if notes else ""

    def call(self) -> str:
        """The call of Python that reads the same population from the file, and no value."""
        return f"compare.read_csv({', '.join([*self.arguments(), 'value=None'])})"

    def arguments(self) -> list[str]:
        """What such a call is given: the file, and what its columns are called."""
        names = ("user", "epsilon", "trust", "records", "budgets", "skip_rows", "decimal")
        told = {name: getattr(self._rows.layout, name) for name in names}
        given = [f"{name}={_written(told[name])}" for name in names if told[name] != getattr(Layout(), name)]
        return [repr(str(self.called)), *given]

    def choices(self, value: str) -> dict[str, tuple[list[str], str]]:
        """`Layout.choices` for the table, once its header is read; also for the ``value``, which is not."""
        header = self._rows.header
        return replace(self._rows.layout, value=value).choices(header) if header else {}

    def must_have(self, value: str) -> None:
        """Raise ValueError unless the table, which was read without its values, has a column for them."""
        replace(self._rows.layout, value=value).resolved(self._rows.header or [])

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


def _written(told):
    """An argument in Python, which has no word for inf."""
    if isinstance(told, Mapping):
        return f"{{{', '.join(f'{word!r}: {_written(meant)}' for word, meant in told.items())}}}"
    return "float('inf')" if told == inf else repr(told)


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
