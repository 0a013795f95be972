"""What the benchmarks share: `make bench` runs them, and no test asserts a time."""

from functools import partial
from timeit import repeat


def best_of(repeats, call, *arguments):
    """Shortest time of several runs, in seconds."""
    return min(repeat(partial(call, *arguments), number=1, repeat=repeats))
