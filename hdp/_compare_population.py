"""Who the users are, as far as it is public; how they are read from a file, and how a synthetic file is drawn."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdp import _validate

__all__ = ["TRUST", "Population", "read_csv", "synthetic_csv"]

TRUST = ("curator", "local")
COLUMNS = ("user", "epsilon", "trust", "records", "value")

# The synthetic file: users of each budget, of whom three in five trust the curator; the published values trust.
_BUDGETS = ((0.1, 500), (0.5, 300), (2.0, 150), (np.inf, 50))
_LEAST = 1e-100  # the variance of the noise for a smaller budget overflows
_TRUSTING = 0.6


@dataclass(frozen=True, eq=False)
class Population:
    r"""What is public about n users: everything but their values.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Privacy budgets in [0, inf], not all 0: 0 is an unusable value, inf a public one.
    trust : array_like of str, shape (n,), or str
        "curator": she hands her value to the curator; "local": she hands over a private report only.
    records : array_like, shape (n,), or scalar
        Whole numbers of records, in [1, inf), of which each user's value is the mean; 1 unless given.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the shapes differ.

    Notes
    -----
    Neighbours differ in the value of one user, that is in all her records; not in her budget, trust or number of
    records, which are public, as is n.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> people = Population([0.1, 0.5, float("inf")], ["local", "curator", "curator"])
    >>> people.size, people.local.tolist(), people.records.tolist()
    (3, [True, False, False], [1.0, 1.0, 1.0])
    """

    epsilon: np.ndarray
    trust: np.ndarray = "curator"
    records: np.ndarray = 1.0

    def __post_init__(self):
        epsilon = _validate.budgets(self.epsilon)
        tiny = epsilon[(epsilon > 0) & (epsilon < _LEAST)]
        if tiny.size:
            raise ValueError(f"epsilon must be 0 or lie in [{_LEAST:g}, inf], got {float(tiny[0])!r}")
        trust = np.array(self.trust, dtype=str)
        unknown = sorted(set(trust.ravel()) - set(TRUST))
        if unknown:
            raise ValueError(f"trust must be one of {', '.join(TRUST)}, got {str(unknown[0])!r}")
        records = _validate.number("records", self.records, 1, np.inf, open_high=True)
        broken = records[records != np.floor(records)]
        if broken.size:
            raise ValueError(f"records must be whole numbers in [1, inf), got {float(broken.flat[0])!r}")
        for name, array in (("epsilon", epsilon), ("trust", trust), ("records", records)):
            if array.shape not in ((), epsilon.shape):
                raise ValueError(f"{name} must have shape {epsilon.shape}, as epsilon has, got {array.shape}")
            object.__setattr__(self, name, np.broadcast_to(array, epsilon.shape))

    @property
    def size(self):
        """Number n of users."""
        return self.epsilon.size

    @property
    def local(self):
        """Who hands over a report of her own only: boolean, shape (n,).  A public value takes no trust."""
        return (self.trust == "local") & np.isfinite(self.epsilon)

    def where(self, mask):
        """Return the users whom a boolean mask of shape (n,) selects, as a population."""
        return Population(self.epsilon[mask], self.trust[mask], self.records[mask])


def read_csv(path):
    """Read users from a file with the columns user, epsilon, trust, records and value; others are ignored.

    Parameters
    ----------
    path : str or pathlib.Path
        A comma-separated file in UTF-8 with a header.  In every row: a name that is unique; epsilon in [0, inf], where
        inf is a public value; trust, "curator" or "local"; records, a whole number of at least 1; value in [0, 1].

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

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.compare import read_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,value\\nann,0.5,local,3,0.25\\nbob,inf,curator,1,1\\n")
    ...     population, values = read_csv(file)
    >>> population.epsilon.tolist(), values.tolist()
    ([0.5, inf], [0.25, 1.0])
    """
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"the header must name the columns {', '.join(COLUMNS)}, got none named {missing[0]}")
        twice = [name for name in COLUMNS if reader.fieldnames.count(name) > 1]
        if twice:
            raise ValueError(f"the header must name every column once, got {twice[0]} again")
        rows = [_row(number, row) for number, row in enumerate(reader, start=1)]
    if not rows:
        raise ValueError(f"{path} must have at least one row below the header, got none")
    names, epsilon, trust, records, values = zip(*rows, strict=True)
    first = {}
    for number, name in enumerate(names, start=1):
        if first.setdefault(name, number) != number:
            raise ValueError(f"column user, row {number}: must be unique, got {name!r} as in row {first[name]}")
    return Population(epsilon, trust, records), np.array(values)


def synthetic_csv(seed=2026):
    """Text of the synthetic file on which the book's example runs: 1000 users, reproducible from the seed.

    Half of the users allow 0.1, and fewer and fewer 0.5, 2 and anything; of each private budget three in five trust
    the curator.  Numbers of records are heavy-tailed, user i's own mean is drawn around 0.4 with standard deviation
    0.1, and her value is the share of ones among her records.  Only uniform numbers are drawn, from a stable stream.

    Parameters
    ----------
    seed : int
        Seed of the stream.

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
    rng = np.random.Generator(np.random.PCG64(seed))
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


def _row(number, row):
    """One user: name, budget, trust, records, value."""
    if None in row:
        raise ValueError(f"row {number}: must have no more cells than the header, got {row[None]!r} beyond")
    name = (row["user"] or "").strip()
    if not name:
        raise ValueError(f"column user, row {number}: must not be empty, got {row['user']!r}")
    trust = (row["trust"] or "").strip()
    if trust not in TRUST:
        raise ValueError(f"column trust, row {number}: must be one of {', '.join(TRUST)}, got {row['trust']!r}")
    epsilon, records, value = (
        _cell(column, number, row[column], *ends)
        for column, ends in (("epsilon", (0, np.inf)), ("records", (1, np.inf)), ("value", (0, 1)))
    )
    if not np.isfinite(records) or records != int(records):
        raise ValueError(f"column records, row {number}: must be a whole number in [1, inf), got {row['records']!r}")
    return name, epsilon, trust, records, value


def _cell(column, number, text, low, high):
    """A number in a closed range; infinite only in words, for what overflows would make a user public."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = np.nan
    if "_" in str(text) or (np.isinf(value) and text.strip().lower() not in ("inf", "infinity")):
        value = np.nan
    if not low <= value <= high:  # a NaN compares false
        raise ValueError(f"column {column}, row {number}: must lie in [{low:g}, {high:g}], got {text!r}")
    return value
