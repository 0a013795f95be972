"""A table of users that is no text: a file of Parquet or Arrow, or a table in memory of whatever library."""

from typing import Any

import numpy as np

from hdp import _extras, _validate
from hdp.compare.held import Held
from hdp.compare.layout import Layout

_ROWS = 65_536  # that are in memory as cells at a time
_CALLER = "hdp.compare.read_table"


class ArrowTable:
    """The users of a table, a block of rows at a time, as `hdp.compare.text.TextFile` gives those of a file of text."""

    def __init__(self, table: Any, layout: Layout) -> None:
        self.layout = layout
        self.header: list[str] | None = None
        self.decimal = layout.decimal or "."  # in columns of text
        self.notes: dict[str, str] = {}
        if layout.skip_rows:
            raise ValueError(f"{layout.option('skip_rows')} must be 0 for what is no text, got {layout.skip_rows}")
        self._table = table
        if not isinstance(table, Held):
            self.header, self._table = _in_memory(table, layout)

    def blocks(self):
        """Yield the number of the first row and the cells of each role, names first."""
        count = 0
        for batch, places in self._batches():
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                yield count + 1, _block(part, self.layout, places, count)
                count += part.num_rows

    def _batches(self):
        """Batches, and where each role stands in them; only columns that are read are taken from a file of Parquet."""
        if not isinstance(self._table, Held):
            self.layout, _ = self.layout.resolved(self.header)  # which names what is missing
            _, places = self.layout.resolved(self._table.schema.names)
            yield from ((batch, places) for batch in self._table.to_batches())
            return
        from hdp.at_scale.files import opened

        kind = self._table.kind
        with opened(self._table.path, kind, _CALLER, self._table.data) as (file, names, count):
            self.header = list(names)
            self.layout, places = self.layout.resolved(self.header)
            if kind == "arrow":
                yield from ((file.get_batch(number), places) for number in range(count))
                return
            wanted = list(dict.fromkeys(names[place] for place in places if place is not None))
            places = [None if place is None else wanted.index(names[place]) for place in places]
            yield from ((batch, places) for batch in file.iter_batches(_ROWS, columns=wanted))


def _in_memory(table, layout):
    """The names of all columns, and a table of pyarrow with those that are read: the others may hold anything."""
    with _extras.needed(_CALLER, "arrow", "pyarrow"):
        import pyarrow
    wanted = "table must be one that speaks Arrow's interface, as those of pandas, polars, DuckDB and pyarrow do"
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(f"{wanted}, got {_validate.show(table, secret=True)}")
    header = [str(name) for name in getattr(table, "column_names", getattr(table, "columns", ()))]
    if header and type(table).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow"):
        _, places = layout.resolved(header)
        read = sorted({place for place in places if place is not None})
        table = table.select(read) if hasattr(table, "to_batches") else table[[table.columns[place] for place in read]]
    found = _taken(pyarrow, table)
    if found is None:
        raise ValueError(f"{wanted}, got one that pyarrow cannot take")
    return header or found.schema.names, found


def _taken(pyarrow, table):
    """The table, or None; what pyarrow says may quote a cell."""
    try:
        return pyarrow.table(table)
    except (pyarrow.ArrowException, TypeError, ValueError):
        return None


def _block(batch, layout, places, count):
    """The cells of each role: floats where the table has numbers, and else texts."""
    rows = range(count + 1, count + 1 + batch.num_rows)
    block = []
    for role, place in zip(layout.roles, places, strict=True):
        if place is not None:
            block.append(_cells(batch.column(place), role, layout))
        elif role == "user":
            block.append(tuple(map(str, rows)))
        else:
            block.append((layout.constant(role),) * batch.num_rows)
    return block


def _cells(array, role, layout):
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
        raise ValueError(f"column {getattr(layout, role)} must hold {allowed}, got {kind}")
    texts = array.cast(pyarrow.string()).to_pylist()
    read = numeric and not (role == "epsilon" and layout.budgets)
    if read and kinds.is_decimal(kind) and layout.decimal == ",":
        texts = [text and text.replace(".", ",") for text in texts]  # a number is one, however texts are written
    return tuple(texts)
