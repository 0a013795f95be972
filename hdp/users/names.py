"""Names of users: what tells two apart, and how one is written so that a spreadsheet does not run it."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

# Default_Ignorable_Code_Point of Unicode 17.0, the same since 14.0: first and last of each run
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
INVISIBLE = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in IGNORABLE) + "]")
_FORMULA = r"[=+\-@\t\r\n＝＋－＠]"  # a spreadsheet runs a cell that begins so (OWASP, CSV injection)
_RUNS, _QUOTED, _QUOTES = map(re.compile, (f"'*{_FORMULA}", f"'+{_FORMULA}", f"^'+(?={_FORMULA})"))


def spreadsheet_safe(name: str) -> str:
    """The ``name`` as it is written to a file: where a spreadsheet would run it, with one apostrophe more before it.

    Examples
    --------
    >>> from hdp.users.names import spreadsheet_name, spreadsheet_safe
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe("ann"), spreadsheet_name("'=1+1")
    ("'=1+1", 'ann', '=1+1')
    """
    return f"'{name}" if _RUNS.match(name) else name


def spreadsheet_name(cell: str) -> str:
    """The name that `spreadsheet_safe` has written to a ``cell``."""
    return cell[1:] if _QUOTED.match(cell) else cell


class Names(Sequence[str]):
    """Names of the users of a table, in its order; each block of them is one text, a sixth of what so many texts take.

    Examples
    --------
    >>> from hdp.users.names import Names
    >>> names = Names()
    >>> names.extend(["ann", None])
    >>> names.extend(["bob"])
    >>> len(names), names[2], list(names)
    (3, 'bob', ['ann', '', 'bob'])
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._ends = [0]

    def extend(self, names: Sequence[str | None]) -> None:
        """Add a block of ``names``, which hold no control characters; None is an empty one."""
        self._blocks.append("\n".join(name or "" for name in names))
        self._ends.append(self._ends[-1] + len(names))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, i):
        block = bisect_right(self._ends, range(len(self))[i]) - 1
        return self._blocks[block].split("\n")[range(len(self))[i] - self._ends[block]]

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks:
            yield from block.split("\n")


def keys(first, names, title="user", nameless=None):
    """What each name is told apart by; one that is ``nameless``, where anybody may be, is like no other."""
    if None not in names and (text := "".join(names)).isascii() and text.isprintable():
        found = [name.strip().lower() for name in names]
        if "  " in text or any(key[:1] == "'" for key in found):
            found = list(map(_tidy, found))
        if "" not in found:
            return found
    found = [key_of(number, name, title) for number, name in enumerate(names, start=first)]
    for i, key in enumerate(found):
        if not key and (nameless is None or not nameless[i]):
            raise ValueError(f"column {title}, row {first + i}: must not be empty, unless the budget is inf")
    return [key or (first + i,) for i, key in enumerate(found)]


def key_of(number, name, title="user"):
    """The same for all ways to write a name: case, width, composition, spaces and what is invisible do not count."""
    kinds = {unicodedata.category(letter) for letter in name or ""}
    if kinds & {"Cc", "Cs"}:
        wanted = "must be UTF-8" if "Cs" in kinds else "must hold no control characters"
        raise ValueError(f"column {title}, row {number}: {wanted}")
    letters = INVISIBLE.sub("", unicodedata.normalize("NFKC", name or ""))
    letters = "".join(c for c in letters if unicodedata.category(c) != "Cf")  # some of which can be seen
    return _tidy(unicodedata.normalize("NFKC", letters.casefold()))


def _tidy(key):
    """The key with one space for each run of white space, without apostrophes before a sign that a spreadsheet runs."""
    return _QUOTES.sub("", " ".join(key.split()))
