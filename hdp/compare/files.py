"""A file of users: how it is read, and how the synthetic one of the book's example is drawn."""

import csv
import unicodedata
from decimal import Decimal
from itertools import islice
from os import PathLike
from pathlib import Path

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.compare.population import TRUST, Population

COLUMNS = ("user", "epsilon", "trust", "records", "value")
RANGES = {"epsilon": (0, np.inf), "records": (1, _validate.EXACT), "value": (0, 1)}
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\ufe0e\ufe0f"  # beside the format characters of category Cf
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
        invisible characters nor another encoding of the same letters makes a difference; epsilon in [0, inf], where
        inf is a public value; trust, "curator" or "local"; records, a whole number in [1, 2^53); value in [0, 1], the
        share of ones among the records, to as many digits as are printed.

    Returns
    -------
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        The users' values, which are not.

    Raises
    ------
    ValueError
        Naming column, row (1 is the first below the header), value and allowed range.  Such a message quotes data, so
        it is for whoever holds them, and is no private output.

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
    parts = [_checked(*block) for block in _blocks(path)]
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


def _blocks(path, names=COLUMNS):
    """Number of the first row and these columns of cells, some thousand rows at a time."""
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be a str or a pathlib.Path, got {_validate.show(path)}")
    with Path(path).open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        reader = csv.reader(file)
        header, places, count = None, None, 0
        while True:
            rows = []
            try:
                if places is None:
                    header = next(reader, [])
                    places = _places(header, names)
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
            yield count + 1, [cells[place] for place in places]
            count += len(rows)


def _places(header, names):
    """Where these columns stand."""
    missing = [name for name in names if name not in header]
    if missing:
        wanted = f"must name the columns {', '.join(names)} in UTF-8, separated by commas"
        raise ValueError(f"row 0, the header {wanted}, got none named {missing[0]} in {_validate.show(header)}")
    twice = [name for name in COLUMNS if header.count(name) > 1]
    if twice:
        raise ValueError(f"row 0, the header must name every column once, got {twice[0]} again")
    return [header.index(name) for name in COLUMNS]


def _complete(number, row, width):
    """The row, with None for cells that it lacks."""
    if len(row) > width:
        raise ValueError(f"row {number}: must have no more cells than the header, got {row[width:]!r} beyond")
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
    _refuse_unless(k == np.floor(k), first, "records", records, lambda i: "must be a whole number in [1, 2^53)")
    off = np.abs(v * k - np.round(v * k))
    for i in np.flatnonzero(off > _PRINTED * k):  # half a unit of its last digit may be missing
        if off[i] > k[i] * 0.5000001 * 10.0 ** Decimal(values[i].strip()).as_tuple().exponent:
            allowed = f"must be a share of ones among {k[i]:.0f} records"
            raise ValueError(f"column value, row {first + i}: {allowed}, got {values[i]!r}")
    return hashes, epsilon, local, k, v


def _keys(first, names):
    """What a name is told apart by."""
    if None not in names and (text := "".join(names)).isascii() and text.isprintable():
        keys = [name.strip().lower() for name in names]
        if "" not in keys:
            return keys
    return [_key(number, name) for number, name in enumerate(names, start=first)]


def _key(number, name):
    """The same for all ways to write a name: case, width, composition and invisible characters do not count."""
    kinds = {unicodedata.category(letter) for letter in name or ""}
    if kinds & {"Cc", "Cs"}:
        wanted = "must be UTF-8" if "Cs" in kinds else "must hold no control characters"
        raise ValueError(f"column user, row {number}: {wanted}, got {name!r}")
    letters = unicodedata.normalize("NFKC", name or "")
    letters = "".join(c for c in letters if unicodedata.category(c) != "Cf" and c not in _INVISIBLE)
    key = unicodedata.normalize("NFKC", letters.casefold()).strip()
    if not key:
        raise ValueError(f"column user, row {number}: must not be empty, got {name!r}")
    return key


def _trust(number, text):
    if (found := (text or "").strip()) not in TRUST:
        raise ValueError(f"column trust, row {number}: must be one of {', '.join(TRUST)}, got {text!r}")
    return found


def _numbers(first, column, texts):
    """The cells of a column as floats."""
    try:
        found = np.fromiter(map(float, texts), float, len(texts))
        plain = np.isfinite(found).all() and "_" not in "".join(texts)
    except (TypeError, ValueError):
        plain = False
    if not plain:
        known = {text: _number(text) for text in set(texts)}
        found = np.array([known[text] for text in texts])
    low, high = RANGES[column]
    inside = (found >= low) & (found <= high)  # a NaN compares false
    end = "2^53)" if high == _validate.EXACT else f"{high:g}]"
    _refuse_unless(inside, first, column, texts, lambda i: f"must lie in [{low:g}, {end}")
    return found


def _number(text):
    """The float that a cell holds, or NaN; 1e999 is not infinite."""
    try:
        found = float(text)
    except (TypeError, ValueError):
        return np.nan
    named = text.strip().lower() in ("inf", "infinity")
    return np.nan if "_" in text or (np.isinf(found) and not named) else found


def _refuse_unless(holds, first, column, texts, allowed):
    if not holds.all():
        i = int(np.argmin(holds))
        raise ValueError(f"column {column}, row {first + i}: {allowed(i)}, got {texts[i]!r}")


def _refuse_repeated(path, hashes):
    """Raise ValueError if a name comes twice; where hashes agree, the names decide."""
    ordered = np.sort(hashes)
    again = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen = {}
    for first, (names, *_) in _blocks(path) if again else ():
        for number, (name, key) in enumerate(zip(names, _keys(first, names), strict=True), start=first):
            if hash(key) in again and key in seen:
                row, other = seen[key]
                written = "" if other == name else f", {other!r}: case and invisible characters do not count"
                raise ValueError(f"column user, row {number}: must be unique, got {name!r} as in row {row}{written}")
            if hash(key) in again:
                seen[key] = number, name
