"""A column of an Arrow or Parquet file, in parts that are read one after the other, or by different machines."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from hdp import _extras, _validate
from hdp._types import Floats

_ROWS = 2**20  # budgets in memory at a time: 8 MB
_KINDS = {b"PAR1": "parquet", b"ARRO": "arrow"}


@dataclass(frozen=True)
class ColumnPart:
    """A row group of a Parquet file, or a record batch of an Arrow file: a function that reads its budgets.

    Parameters
    ----------
    path : str
        The file, where whoever calls finds it.
    column : str
        Name of the column.
    kind : {"parquet", "arrow"}
        Format of the file.
    number : int
        Which group or batch, from 0.

    Raises
    ------
    ValueError
        If a field is not what it must be, or, when it is called, if a budget is no number that a float holds, or the
        file has no such part.

    Examples
    --------
    >>> from hdp.at_scale import ColumnPart
    >>> ColumnPart("users.parquet", "epsilon", "parquet", 0).number
    0
    """

    path: str
    column: str
    kind: str
    number: int

    def __post_init__(self):
        _validate.choice("kind", self.kind, _KINDS.values())
        _validate.field(self, "number", _validate.whole, 0)

    def __call__(self) -> Iterator[Floats]:
        """Budgets in turn, some million at a time, NaN where there is none."""
        with opened(self.path, self.kind) as (file, names, count):
            _check_column(self.column, names, self.path)
            if self.number >= count:
                raise ValueError(f"number must be below {count}, the parts of {self.path!r}, got {self.number}")
            if self.kind == "parquet":
                batches = file.iter_batches(_ROWS, row_groups=[self.number], columns=[self.column])
            else:
                batches = [file.get_batch(self.number)]
            for batch in batches:
                for start in range(0, batch.num_rows, _ROWS):
                    yield _floats(batch.slice(start, _ROWS).column(self.column), self)


def column_parts(path: str | PathLike[str], column: str = "epsilon") -> list[ColumnPart]:
    """Cut a column of budgets in a file of Parquet or Arrow (its format for random access) into its parts, for `weigh`.

    Parameters
    ----------
    path : str or pathlib.Path
        The file; workers of a cluster must find it under the same name.
    column : str
        Name of a column of floats or integers; null, or NaN, is a missing budget.

    Returns
    -------
    list of ColumnPart
        One part for each row group or record batch.

    Raises
    ------
    ValueError
        If the file has another format, is broken, or has not exactly one such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.at_scale import column_parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("epsilon\\n0.5\\n")
    ...     column_parts(file)
    Traceback (most recent call last):
    ValueError: path must be a file of Parquet or Arrow, got ...
    """
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be a str or a pathlib.Path, got {_validate.show(path, secret=True)}")
    with Path(path).open("rb") as file:
        kind = _KINDS.get(file.read(4))
    if kind is None:
        raise ValueError(f"path must be a file of Parquet or Arrow, got {str(path)!r}")
    with opened(path, kind) as (_, names, count):
        _check_column(column, names, path)
    return [ColumnPart(str(path), column, kind, number) for number in range(count)]


@contextmanager
def opened(path, kind, caller="hdp.at_scale.column_parts", data=None):
    """The file, or its bytes, open, its columns and the number of its parts; what pyarrow says of a broken one."""
    with _extras.needed(caller, "arrow", "pyarrow"):
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    try:
        if kind == "parquet":
            with pyarrow.parquet.ParquetFile(path if data is None else pyarrow.BufferReader(data)) as file:
                yield file, file.schema_arrow.names, file.num_row_groups
        else:
            source = pyarrow.memory_map(str(path)) if data is None else pyarrow.BufferReader(data)
            with pyarrow.ipc.open_file(source) as file:
                yield file, file.schema.names, file.num_record_batches
    except (pyarrow.ArrowException, OSError) as wrong:
        if isinstance(wrong, OSError) and type(wrong) is not OSError:  # such as FileNotFoundError, which names the file
            raise
        why = str(wrong).partition("\n")[0]
        raise ValueError(f"path must be a file of {kind.title()} that can be read, got {str(path)!r}: {why}") from None


def _check_column(column, names, path):
    """Raise ValueError unless one of the columns has the name."""
    if column not in names:
        raise ValueError(f"column must be one of {', '.join(names)} in {str(path)!r}, got {_validate.show(column)}")
    if names.count(column) > 1:
        raise ValueError(f"column must be there once, got {names.count(column)} named {column!r} in {str(path)!r}")


def _floats(array, part):
    """The numbers of an array of Arrow as floats, exactly: a decimal fraction would be rounded, and maybe upwards."""
    import pyarrow

    if not (pyarrow.types.is_floating(array.type) or pyarrow.types.is_integer(array.type)):
        raise ValueError(f"column must hold floats or integers, got {array.type} in {part.column!r} of {part.path!r}")
    try:
        return np.array(array.cast(pyarrow.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False))
    except pyarrow.ArrowInvalid as wrong:
        raise ValueError(f"column must hold numbers that a float holds exactly, got {wrong}") from None
