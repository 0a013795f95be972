"""What the benchmarks share."""

from time import perf_counter


def best_of(repeats, call, *arguments):
    """Shortest time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        call(*arguments)
        times.append(perf_counter() - start)
    return min(times)
