"""A table of users that is no text: a file of Parquet or Arrow, or a table in memory of whatever library."""

from contextlib import suppress
from typing import Any

import numpy as np

from hdp import _extras, _validate
from hdp.users.reading import Reading

_ROWS = 65_536  # that are in memory as cells at a time
_CALLER = "hdp.read_users"
_WANTED = "source must be a file, or a table that speaks Arrow's interface, as those of pandas, polars and pyarrow do"


class ArrowTable:
    """The users of a table, a block of rows at a time, as `hdp.users.text.TextTable` gives those of a text."""

    def __init__(self, source: Any, kind: str | None, reading: Reading, name: str) -> None:
        self.name, self.source, self.kind, self.asked, self.reading = name, source, kind, reading, reading
        self.decimal = reading.decimal or "."  # in columns of text
        self.header: list[str] = []
        self.notes: dict[str, str] = {}
        self._held = None if kind else _in_memory(source)

    def blocks(self):
        """Yield the number of the first row and the cells of each column."""
        count = 0
        for batch in self._batches():
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                yield count + 1, self._block(part)
                count += part.num_rows

    def _batches(self):
        """Batches of the columns that are read, in their order, and of no others, which may hold anything."""
        if self.kind:
            from hdp.at_scale.files import opened

            with opened(self.name, self.kind, _CALLER, self.source) as (file, names, count):
                places = self._places(names)
                if self.kind == "arrow":
                    yield from (file.get_batch(number).select(places) for number in range(count))
                    return
                wanted = [names[place] for place in places]
                yield from (batch.select(wanted) for batch in file.iter_batches(_ROWS, columns=wanted))
            return
        header = [str(name) for name in getattr(self._held, "column_names", getattr(self._held, "columns", ()))]
        table = self._held
        library = type(table).__module__.partition(".")[0]
        if header and library in ("pandas", "polars", "pyarrow"):
            places = self._places(header)
            table = table.select(places) if library == "pyarrow" else table[[table.columns[i] for i in places]]
            yield from _taken(table, self.decimal if library == "pandas" else None).to_batches()
            return
        table = _taken(table)
        yield from table.select(self._places(table.schema.names)).to_batches()

    def _places(self, names):
        self.header = list(names)
        self.reading, places = self.asked.resolved(self.header)
        return places

    def _block(self, batch):
        """The cells of each column: floats where the table has numbers, and else texts."""
        found = {}
        for number, (role, name) in enumerate(self.reading.columns):
            found[(name,) if role == "value" else role] = _cells(batch.column(number), role, name, self.reading)
        for role in ("trust", "records"):
            if self.reading.stated(role):
                found[role] = (self.reading.stated(role),) * batch.num_rows
        return found


def _in_memory(table):
    with _extras.needed(_CALLER, "arrow", "pyarrow"):
        import pyarrow  # noqa: F401
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(f"{_WANTED}, got {_validate.show(table, secret=True)}")
    return table


def _taken(table, decimal=None):
    """The table of pyarrow; what another library says may quote a cell, also as the context of an exception."""
    import pyarrow

    with suppress(Exception):
        if decimal:
            mixed = [name for name in table if table[name].dtype == object and _types(table[name]) > 1]
            table = table.assign(**{name: _texts(table[name], decimal) for name in mixed})
        return pyarrow.table(table)
    raise ValueError(f"{_WANTED}, got one that pyarrow cannot take")


def _types(column):
    return column.dropna().map(type).nunique()


def _texts(column, decimal):
    """A column of pandas with several types in it, which Arrow would refuse for one cell, as texts."""
    texts = column.map(lambda cell: cell if isinstance(cell, str) else str(cell).replace(".", decimal))
    return texts.mask(column.isna())


def _cells(array, role, name, reading):
    import pyarrow

    kinds = pyarrow.types
    if kinds.is_dictionary(array.type):
        array = array.dictionary.cast(pyarrow.string()).take(array.indices.cast(pyarrow.int64()))
    if role == "value" and kinds.is_boolean(array.type):
        array = array.cast(pyarrow.int8())
    kind = array.type
    numeric = role in ("epsilon", "records", "value")
    if numeric and (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_null(kind)):
        found = array.cast(pyarrow.float64(), safe=False)
        return np.array(found.fill_null(np.nan).to_numpy(zero_copy_only=False))
    text = kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
    if not (text or kinds.is_null(kind) or kinds.is_decimal(kind) or (role == "user" and kinds.is_integer(kind))):
        allowed = "numbers or text" if numeric or role == "user" else "text"
        raise ValueError(f"column {name} must hold {allowed}, got {kind}")
    found, texts = array.cast(pyarrow.string()), None
    with suppress(UnicodeDecodeError):  # which holds the cell
        texts = found.to_pylist()
    if texts is None:
        cells = found.cast(pyarrow.binary()).to_pylist()
        texts = [None if cell is None else cell.decode(errors="surrogateescape") for cell in cells]
    if numeric and kinds.is_decimal(kind) and reading.decimal == "," and not (role == "epsilon" and reading.budgets):
        texts = [text and text.replace(".", ",") for text in texts]  # a number is one, however texts are written
    return tuple(texts)
