"""A file as it was when it was opened: whatever becomes of it meanwhile, one table is ranked, planned and released."""

from os import PathLike
from pathlib import Path

MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow"}


class Held:
    """All bytes of a file, which is read once, from the disk or a pipe; a table is parsed from them."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self.data = Path(path).read_bytes()

    @property
    def kind(self) -> str | None:
        """Whether it is one of Parquet or Arrow, by how it begins; None for text."""
        return MAGIC.get(self.data[:4])
