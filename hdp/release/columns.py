"""Columns of a plan and of a ledger in JSON, which has no word for inf."""

import math

import numpy as np

from hdp import _validate
from hdp.release.kinds import COLUMNS


def words(column):
    """A column for JSON: exact numbers, and one entry stands for all where they are the same."""
    if column.count(column[0]) == len(column) > 1:
        return word(column[0])
    return [*map(word, column)] if math.inf in column else column


def word(value):
    """A number, or the word for inf, which JSON does not have."""
    return "inf" if value == math.inf else value


def read_column(name, entries):
    """The column that `words` wrote."""
    listed = entries if isinstance(entries, list) else [entries]
    values = [math.inf if entry == "inf" else entry for entry in listed]
    wanted = {float: {float, int}, np.int64: {int}, bool: {bool}}[COLUMNS.get(name, float)]
    if not set(map(type, values)) <= wanted:
        raise TypeError(f"{name} must hold numbers of its kind, got {_validate.show(entries)}")
    column = np.array(values, dtype=COLUMNS.get(name, float))
    return column if isinstance(entries, list) else column[0]


def once(pairs):
    """An object of JSON, each of whose names it has once: of two of one name, readers differ in which they take."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("text must be JSON as hdp.release writes it, got an entry twice")
    return found
