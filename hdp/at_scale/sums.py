r"""Exact sums of budgets and of their squares, for bins of floats.

A positive float is a whole number below 2^53 times a power of two, and floats of one bin share that power.  The whole
number is cut into digits of 18 bits, whose products NumPy adds without an error, because a block is short enough.  Sums
are kept in digits too, and two of them are added digit by digit: in whatever order, the digits are the same.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from hdp.at_scale.parts import chunks

DIGIT = 18  # bits: a float has three digits, a square six
BLOCK = 2**16  # sums of so many products of two digits are below 2^53
WIDTH = 20  # bits of the number of a bin
TINY = 1074  # the least float is 2^-1074; sums count in it, sums of squares in its square
_MASK = 2**DIGIT - 1
_HIDDEN = 1 << 52  # the digit that normal floats do not store
_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)  # odd; of SplitMix64, which mixes so


@dataclass(frozen=True)
class Window:
    """Bins of 2^`shift` floats each, of the `size` floats from the one whose bits are the number `low`."""

    low: int = 0
    size: int = 0x7FF << 52  # those of inf: floats that are not negative ascend as their bits do
    shift: int = 63 - WIDTH

    def inside(self, key):
        """The window that divides one bin."""
        return Window(self.low + (key << self.shift), 1 << self.shift, max(self.shift - WIDTH, 0))

    def edge(self, key):
        """Lower end of a bin, as a whole number of 2^-1074; that of the bin after the last one is 2^1024."""
        exponent, stored = divmod(self.low + (key << self.shift), _HIDDEN)
        return (stored + _HIDDEN) << (exponent - 1) if exponent else stored


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted: users, public ones, missing budgets; in ascending bins, the number and digits of the sums.

    `seen` tells whether a part is the same again: for each part, users, missing budgets, and a sum of mixed bits.
    """

    users: int
    public: int
    missing: int
    keys: NDArray[np.int64]
    rows: NDArray[np.int64]
    seen: NDArray[np.uint64]

    @property
    def usable(self):
        """How many positive and finite budgets are in the bins."""
        return int(self.rows[:, 0].sum())

    def bins(self, window):
        """Of each bin: its ends, the number of budgets, their sum and that of their squares, in whole numbers."""
        for key, row in zip(self.keys.tolist(), self.rows.tolist(), strict=True):
            exponent = max((window.low + (key << window.shift)) // _HIDDEN, 1) - 1
            first, second = (sum(d << DIGIT * k for k, d in enumerate(part)) for part in (row[1:4], row[4:]))
            yield window.edge(key), window.edge(key + 1), row[0], first << exponent, second << 2 * exponent


EMPTY = Tally(0, 0, 0, np.zeros(0, np.int64), np.zeros((0, 10), np.int64), np.zeros((0, 3), np.uint64))


def units(number):
    """A finite float as a whole number of 2^-1074."""
    numerator, denominator = number.as_integer_ratio()
    return numerator * (1 << TINY) // denominator


def tally(part, window, rules):
    """Count one part: an array of budgets, or a function that returns one or several in turn."""
    found = reduce(lambda done, chunk: merge([done, _chunk(chunk, window, rules)]), chunks(part), EMPTY)
    return replace(found, seen=found.seen.sum(axis=0, keepdims=True))


def merge(tallies):
    """The tally of all; the parts keep their order."""
    keys, places = np.unique(np.concatenate([t.keys for t in tallies]), return_inverse=True)
    rows = np.zeros((keys.size, EMPTY.rows.shape[1]), np.int64)
    np.add.at(rows, places, np.concatenate([t.rows for t in tallies]))
    counts = (sum(getattr(t, name) for t in tallies) for name in ("users", "public", "missing"))
    return Tally(*counts, keys, _carried(rows), np.concatenate([t.seen for t in tallies]))


def _chunk(epsilon, window, rules):
    epsilon, missing = rules.read(epsilon)
    blocks = [epsilon[start : start + BLOCK] for start in range(0, epsilon.size, BLOCK)]
    found = merge([EMPTY, *(_block(block.view(np.int64), window) for block in blocks)])
    mixed = sum(int(_mixed(block.view(np.uint64))) for block in blocks) % 2**64
    seen = np.array([[epsilon.size, missing, mixed]], np.uint64)
    return Tally(epsilon.size, int(np.count_nonzero(np.isinf(epsilon))), missing, found.keys, found.rows, seen)


def _mixed(bits):
    """A sum modulo 2^64 that does not depend on the order, and hardly ever is the same for other floats."""
    mixed = bits * _MIX[0]
    mixed ^= mixed >> np.uint64(32)
    mixed *= _MIX[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed.sum()


def _block(bits, window):
    """The bins of floats with these bits."""
    bits = bits[(bits >= max(window.low, 1)) & (bits < window.low + window.size)]
    if not bits.size:
        return EMPTY
    keys = (bits - window.low) >> window.shift
    lowest, highest = int(keys.min()), int(keys.max())
    if highest - lowest < BLOCK:
        places, keys = keys - lowest, np.arange(lowest, highest + 1)
    else:
        keys, places = np.unique(keys, return_inverse=True)
    number = (bits & _HIDDEN - 1) | (bits >= _HIDDEN).astype(np.int64) << 52
    c, b, a = number & _MASK, number >> DIGIT & _MASK, number >> 2 * DIGIT
    columns = (c, b, a, c * c, 2 * b * c, 2 * a * c + b * b, 2 * a * b, a * a)
    places = places.astype(np.intp)
    count = np.bincount(places, minlength=keys.size)
    sums = [np.bincount(places, column, keys.size) for column in columns]
    rows = np.stack([count, *sums, np.zeros(keys.size)], axis=1).astype(np.int64)[count > 0]
    return Tally(0, 0, 0, keys[count > 0].astype(np.int64), _carried(rows), EMPTY.seen)


def _carried(rows):
    """The same sums with all digits but the last below 2^18."""
    for place in (1, 2, 4, 5, 6, 7, 8):
        rows[:, place + 1] += rows[:, place] >> DIGIT
        rows[:, place] &= _MASK
    return rows
