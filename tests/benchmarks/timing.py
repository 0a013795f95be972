"""What the benchmarks share: `make bench` runs them, and no test asserts a time."""

from functools import partial
from timeit import repeat

import numpy as np


def best_of(repeats, call, *arguments):
    """Shortest time of several runs, in seconds."""
    return min(repeat(partial(call, *arguments), number=1, repeat=repeats))


def in_turns(repeats, *calls):
    """Seconds of each call, one row for each round: in turns, so that all of them see the same machine."""
    return np.array([[best_of(1, call) for call in calls] for _ in range(repeats)])
