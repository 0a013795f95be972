"""Users who are described by numbers, not by a file; and what those in a file are called."""

from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np

from hdp import _validate
from hdp.compare import TRUST, Population, files
from hdp.compare.population import BUDGET, LEAST

MOST = 2_000_000  # users that one description may have


def from_groups(rows: Sequence[tuple[int, float, str, int]]) -> Population:
    """The population of groups, each a number of users with their budget, trust and number of records.

    Parameters
    ----------
    rows : sequence of (int, float, str, int)
        Users in [1, 2e6] in all, epsilon 0 or in [1e-100, inf], "curator" or "local", records in [1, 2^53).

    Raises
    ------
    ValueError
        Naming column, group, value and range.

    Examples
    --------
    >>> from hdp._report import from_groups
    >>> from_groups([(2, 0.5, "curator", 1), (1, float("inf"), "curator", 3)]).epsilon.tolist()
    [0.5, 0.5, inf]
    """
    if not rows:
        raise ValueError(f"groups must have at least one row, got {rows!r}")
    for number, (users, epsilon, trust, records) in enumerate(rows, start=1):
        for name, value, high in (("users", users, MOST), ("records", records, _validate.EXACT)):
            if not (isinstance(value, int | float) and 1 <= value <= high and value == int(value)):
                wanted = f"must be a whole number in [1, {high}]"
                raise ValueError(f"column {name}, group {number}: {wanted}, got {value!r}")
        if not (isinstance(epsilon, int | float) and (epsilon == 0 or LEAST <= epsilon)):
            raise ValueError(f"column epsilon, group {number}: {BUDGET}, got {epsilon!r}")
        if trust not in TRUST:
            raise ValueError(f"column trust, group {number}: must be one of {', '.join(TRUST)}, got {trust!r}")
    counts, *columns = map(list, zip(*rows, strict=True))
    if sum(counts) > MOST:
        raise ValueError(f"users must be at most {MOST} in all groups together, got {sum(counts)}")
    epsilon, trust, records = (np.repeat(column, np.asarray(counts, dtype=np.intp)) for column in columns)
    return Population(epsilon, trust, records)


def names_in(source: str | PathLike[str] | files.Users) -> Iterator[str]:
    """The users' names in a file, in its order; they are read once more, since they need not be in memory at once."""
    for _, (names, *_) in files.blocks(source):
        yield from (name or "" for name in names)
