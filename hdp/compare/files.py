"""A file of users: how it is read, and how the synthetic one of the book's example is drawn.

What is refused is named by column and row; no cell is quoted, for where cells are misplaced it may be anybody's value.
"""

import csv
import math
import re
import unicodedata
from decimal import Decimal
from itertools import islice
from os import PathLike
from pathlib import Path

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.compare.population import BUDGET, LEAST, TRUST, Population

COLUMNS = ("user", "epsilon", "trust", "records", "value")
RANGES = {"epsilon": (0, np.inf), "records": (1, _validate.EXACT), "value": (0, 1)}
# Default_Ignorable_Code_Point of Unicode 17.0, the same since 14.0: first and last of each run
_IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
_INVISIBLE = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORABLE) + "]")
_FORMULA = r"[=+\-@\t\r\n＝＋－＠]"  # a spreadsheet runs a cell that begins so (OWASP, CSV injection)
_RUNS, _QUOTED, _QUOTES = map(re.compile, (f"'*{_FORMULA}", f"'+{_FORMULA}", f"^'+(?={_FORMULA})"))
_ROWS = 4_000  # that are in memory as text at a time
_PRINTED = 5e-7  # by how much a share printed to six decimal places may be off

# The synthetic file: users of each budget, of whom three in five trust the curator; the published values trust.
_BUDGETS = ((0.1, 500), (0.5, 300), (2.0, 150), (np.inf, 50))
_TRUSTING = 0.6


def read_csv(path: str | PathLike[str]) -> tuple[Population, Floats]:
    """Read users from a file with the columns user, epsilon, trust, records and value; others are ignored.

    Parameters
    ----------
    path : str or pathlib.Path
        A comma-separated file in UTF-8 with a header.  In every row: a name that is unique, where neither case nor
        white space nor invisible characters nor another encoding of the same letters makes a difference, nor an
        apostrophe that keeps a spreadsheet from running it; epsilon, 0 or in [1e-100, inf], where inf is a public
        value; trust, "curator" or "local"; records, a whole number in [1, 2^53); value in [0, 1], the share of ones
        among the records, to as many digits as are printed.

    Returns
    -------
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        The users' values, which are not.

    Raises
    ------
    ValueError
        Naming column, row (1 is the first below the header) and allowed range, or the two rows of one person.  No cell
        is quoted; still, that a cell is refused depends on data, and is no private output.

    Notes
    -----
    Five million users take some ten seconds and three quarters of a gigabyte.  Users whose values are no shares, such
    as incomes, make a `Population` without a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.compare import read_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,value\\nann,0.5,local,4,0.25\\nbob,inf,curator,1,1\\n")
    ...     population, values = read_csv(file)
    >>> population.epsilon.tolist(), values.tolist()
    ([0.5, inf], [0.25, 1.0])
    """
    parts = [_checked(*block) for block in blocks(path)]
    if not parts:
        raise ValueError(f"path must be a file with at least one row below the header, got {str(path)!r}")
    columns = [list(column) for column in zip(*parts, strict=True)]
    del parts
    _refuse_repeated(path, _joined(columns[0]))
    epsilon, local, records, values = map(_joined, columns[1:])
    return Population(epsilon, np.array(TRUST)[local], records), values


def _joined(column):
    """The parts of a column in one; they are let go, so that no more than one column is in memory twice."""
    joined = np.concatenate(column)
    column.clear()
    return joined


def spreadsheet_safe(name: str) -> str:
    """The ``name`` as it is written to a file: where a spreadsheet would run it, with one apostrophe more before it.

    Examples
    --------
    >>> from hdp.compare.files import spreadsheet_name, spreadsheet_safe
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe("ann"), spreadsheet_name("'=1+1")
    ("'=1+1", 'ann', '=1+1')
    """
    return f"'{name}" if _RUNS.match(name) else name


def spreadsheet_name(cell: str) -> str:
    """The name that `spreadsheet_safe` has written to a ``cell``."""
    return cell[1:] if _QUOTED.match(cell) else cell


def synthetic_csv(seed: int = 2026) -> str:
    """Text of the synthetic file on which the book's example runs: 1000 users, reproducible from the seed.

    Half of the users allow 0.1, and fewer and fewer 0.5, 2 and anything; of each private budget three in five trust
    the curator.  Numbers of records are heavy-tailed, user i's own mean is drawn around 0.4 with standard deviation
    0.1, and her value is the share of ones among her records.  Only uniform numbers are drawn, from a stable stream.

    Parameters
    ----------
    seed : int
        Seed of the stream, at least 0.

    Returns
    -------
    str
        Lines of ``user,epsilon,trust,records,value``, headed by these names.

    Examples
    --------
    >>> from hdp.compare import synthetic_csv
    >>> print(synthetic_csv()[:32])
    user,epsilon,trust,records,value
    """
    rng = np.random.Generator(np.random.PCG64(_validate.seed("seed", seed)))
    lines = []
    for epsilon, users in _BUDGETS:
        for i in range(users):
            trust = TRUST[int(np.isfinite(epsilon) and i >= _TRUSTING * users)]
            records = max(1, min(int(1 / (rng.random() ** 1.5 + 0.005)), 200))
            mean = 0.4 + 0.1 * np.sqrt(3) * (2 * rng.random() - 1)
            value = np.count_nonzero(rng.random(records) < mean) / records
            lines.append(f"{epsilon:g},{trust},{records},{value:.6g}")
    order = np.argsort(rng.random(len(lines)))
    body = (f"u{number:04},{lines[i]}" for number, i in enumerate(order, start=1))
    return "\n".join([",".join(COLUMNS), *body, ""])


def blocks(path, columns=COLUMNS):
    """Yield the number of the first row and the cells of these columns, names first, some thousand rows at a time."""
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be a str or a pathlib.Path, got {_validate.show(path, secret=True)}")
    with Path(path).open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        reader = csv.reader(file)
        header, places, count = None, None, 0
        while True:
            rows = []
            try:
                if places is None:
                    header = next(reader, [])
                    places = _places(header, columns)
                rows.extend(islice(reader, _ROWS))
            except csv.Error as error:
                number = count + sum(map(bool, rows)) + (places is not None)
                raise ValueError(f"column {_long(path, reader.line_num, header)}, row {number}: {error}") from None
            rows = rows if all(rows) else [row for row in rows if row]
            if not rows:
                return
            if set(map(len, rows)) != {len(header)}:
                rows = [_complete(number, row, len(header)) for number, row in enumerate(rows, start=count + 1)]
            cells = list(zip(*rows, strict=True))
            names, *others = (cells[place] for place in places)
            if any(name and name[0] == "'" for name in names):
                names = tuple(name and spreadsheet_name(name) for name in names)
            yield count + 1, [names, *others]
            count += len(rows)


def _places(header, columns):
    """Where these columns stand."""
    missing = [name for name in columns if name not in header]
    if missing:
        wanted = f"must name the columns {', '.join(columns)} in UTF-8, separated by commas"
        raise ValueError(f"row 0, the header {wanted}, got none named {missing[0]}")
    twice = [name for name in columns if header.count(name) > 1]
    if twice:
        raise ValueError(f"row 0, the header must name every column once, got {twice[0]} again")
    return [header.index(name) for name in columns]


def _complete(number, row, width):
    """The row, with None for cells that it lacks."""
    if len(row) > width:
        raise ValueError(f"row {number}: must have no more cells than the header, {width}, got {len(row)}")
    return row + [None] * (width - len(row))


def _long(path, line, header):
    """Name of the column with a cell beyond the limit of `csv`, which ends on this line of the file."""
    with Path(path).open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        text = next(islice(file, line - 1, None))
    place = len(next(csv.reader([text[: csv.field_size_limit()]]))) - 1
    return header[place] if header and place < len(header) else place + 1


def _checked(first, columns):
    """What is kept of a block; where a cell is refused, the first such row is named."""
    try:
        return _arrays(first, columns)
    except ValueError:
        for i, row in enumerate(zip(*columns, strict=True)):
            _arrays(first + i, [(cell,) for cell in row])
        raise


def _arrays(first, columns):
    """What is kept of a block: hashes of the names, budgets, who trusts nobody, records and values."""
    names, epsilon, trust, records, values = columns
    hashes = np.fromiter(map(hash, _keys(first, names)), np.int64, len(names))
    if not set(trust) <= set(TRUST):
        trust = [_trust(number, text) for number, text in enumerate(trust, start=first)]
    local = np.fromiter((text == TRUST[1] for text in trust), np.int8, len(trust))
    numeric = ("epsilon", epsilon), ("records", records), ("value", values)
    epsilon, k, v = (_numbers(first, *column) for column in numeric)
    _refuse_unless(k == np.floor(k), first, "records", "must be a whole number in [1, 2^53)")
    off = np.abs(v * k - np.round(v * k))
    for i in np.flatnonzero(off > _PRINTED * k):  # half a unit of its last digit may be missing
        if off[i] > k[i] * 0.5000001 * 10.0 ** Decimal(values[i].strip()).as_tuple().exponent:
            allowed = f"must be a share of ones among {k[i]:.0f} records"
            raise ValueError(f"column value, row {first + i}: {allowed}")
    return hashes, epsilon, local, k, v


def _keys(first, names):
    """What a name is told apart by."""
    if None not in names and (text := "".join(names)).isascii() and text.isprintable():
        keys = [name.strip().lower() for name in names]
        if "  " in text or any(key[:1] == "'" for key in keys):
            keys = list(map(_tidy, keys))
        if "" not in keys:
            return keys
    return [_key(number, name) for number, name in enumerate(names, start=first)]


def _key(number, name):
    """The same for all ways to write a name: case, width, composition, spaces and what is invisible do not count."""
    kinds = {unicodedata.category(letter) for letter in name or ""}
    if kinds & {"Cc", "Cs"}:
        wanted = "must be UTF-8" if "Cs" in kinds else "must hold no control characters"
        raise ValueError(f"column user, row {number}: {wanted}")
    letters = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name or ""))
    letters = "".join(c for c in letters if unicodedata.category(c) != "Cf")  # some of which can be seen
    key = _tidy(unicodedata.normalize("NFKC", letters.casefold()))
    if not key:
        raise ValueError(f"column user, row {number}: must not be empty")
    return key


def _tidy(key):
    """The key with one space for each run of white space, without apostrophes before a sign that a spreadsheet runs."""
    return _QUOTES.sub("", " ".join(key.split()))


def _trust(number, text):
    if (found := (text or "").strip()) not in TRUST:
        raise ValueError(f"column trust, row {number}: must be one of {', '.join(TRUST)}")
    return found


def _numbers(first, column, texts):
    """The cells of a column as floats."""
    try:
        found = np.fromiter(map(float, texts), float, len(texts))
        zeros = {texts[i] for i in np.flatnonzero(found == 0)}
        plain = np.isfinite(found).all() and "_" not in "".join(texts) and not any(map(_vanishes, zeros))
    except (TypeError, ValueError):
        plain = False
    if not plain:
        known = {text: _number(text) for text in set(texts)}
        found = np.array([known[text] for text in texts])
    low, high = RANGES[column]
    inside = (found >= low) & (found <= high)  # a NaN compares false
    end = "2^53)" if high == _validate.EXACT else f"{high:g}]"
    budget = column == "epsilon"
    inside &= (found == 0) | (found >= LEAST) | (not budget)
    _refuse_unless(inside, first, column, BUDGET if budget else f"must lie in [{low:g}, {end}")
    return found


def _number(text):
    """The float that a cell holds, or NaN; 1e999 is not infinite, and 1e-400 is not 0."""
    try:
        found = float(text)
    except (TypeError, ValueError):
        return np.nan
    named = text.strip().lower() in ("inf", "infinity")
    if "_" in text or (math.isinf(found) and not named):
        return np.nan
    return math.copysign(5e-324, found) if found == 0 and _vanishes(text) else found


def _vanishes(text):
    """Whether the text of a number that no float tells apart from 0 is another number."""
    return any(unicodedata.decimal(letter, 0) for letter in text.lower().partition("e")[0])


def _refuse_unless(holds, first, column, allowed):
    if not holds.all():
        raise ValueError(f"column {column}, row {first + int(np.argmin(holds))}: {allowed}")


def _refuse_repeated(path, hashes):
    """Raise ValueError if a name comes twice; where hashes agree, the names decide."""
    ordered = np.sort(hashes)
    again = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen = {}
    for first, (names, *_) in blocks(path) if again else ():
        for number, (name, key) in enumerate(zip(names, _keys(first, names), strict=True), start=first):
            if hash(key) in again and key in seen:
                row, other = seen[key]
                written = "" if other == name else ": case, white space and invisible characters do not count"
                twice = f"got the same person in rows {row} and {number}"
                raise ValueError(f"column user, row {number}: must be unique, {twice}{written}")
            if hash(key) in again:
                seen[key] = number, name
