"""Who has which budget, as a ledger remembers it from its first release on: a salted digest, which names nobody.

A plan knows how many users have each budget; that these are the same persons as before, it does not.  Were budgets
exchanged between two releases, each within the plan, one of them would spend more than she allows.
"""

import secrets
from collections.abc import Sequence
from hashlib import blake2b, sha256
from itertools import islice

import numpy as np

from hdp.compare import Population
from hdp.compare.names import keys

_ROWS = 2**14  # at a time
BY = {True: "names", False: "rows"}  # by which users are known


def remembered(population: Population, names: Sequence[str] | None) -> dict[str, str]:
    """What a ledger keeps of a ``population`` whose users have these ``names``, or none: then their order counts."""
    salt = secrets.token_hex(16)
    return {"by": BY[names is not None], "salt": salt, "digest": _digest(population, names, salt)}


def refuse_others(kept: dict[str, str], population: Population, names: Sequence[str] | None, path: str) -> None:
    """Raise ValueError unless these are the users whom a ledger remembers, each with what she had."""
    if kept["by"] != BY[names is not None]:
        raise ValueError(f"ledger must be for users known by their {kept['by']}, as at its first release: {path!r}")
    if _digest(population, names, kept["salt"]) != kept["digest"]:
        known = "names in the column user" if names is not None else "rows, which have no names,"
        raise ValueError(
            f"ledger must be for the same users, each with the budget, trust and records that it has counted: {path!r};"
            f" as many have each budget as before, so {known} have changed, or budgets have changed places"
        )


def _digest(population, names, salt):
    """SHA-256 of what each user has: by names, in whatever order they stand and however they are written."""
    row, told = np.dtype("<f8,u1,<f8"), None if names is None else iter(names)
    found = np.empty(population.size, dtype=row if told is None else "S16")
    for first in range(0, population.size, _ROWS):
        part = slice(first, first + _ROWS)
        users = np.empty(found[part].size, dtype=row)
        for field, column in zip(row.names, (population.epsilon, population.local, population.records), strict=True):
            users[field] = column[part]
        found[part] = users if told is None else _hashed(users, [name or "" for name in islice(told, _ROWS)])
    if told is not None:
        found.sort()
    digest = sha256(f"hdp-persons/1 {salt}".encode())
    digest.update(found.view(np.uint8))
    return digest.hexdigest()


def _hashed(users, names):
    """A hash of each user and her name, which where it is written otherwise is the same; of none, the empty one."""
    known = (key if isinstance(key, str) else "" for key in keys(1, names, nameless=[True] * len(names)))
    text, size = users.tobytes(), users.itemsize
    rows = (text[start : start + size] for start in range(0, len(text), size))
    return [blake2b(row + name.encode(), digest_size=16).digest() for row, name in zip(rows, known, strict=True)]
