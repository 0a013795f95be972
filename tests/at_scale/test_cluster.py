"""The same bits from the workers of dask; the large one with two processes and a hundred million users."""

import resource
import sys
from functools import partial
from time import perf_counter

import numpy as np
import pytest

from hdp import adpm
from hdp.at_scale import Groups, count, round_down, weigh

dask = pytest.importorskip("dask", reason="needs dask: pip install 'unequal-privacy[cluster]'")

PART = 10**6


def drawn(number, size=PART):
    """Budgets of one part, the same ones whenever they are asked for; some public, some missing."""
    rng = np.random.default_rng([2026, number])
    budgets = rng.lognormal(-1, 2, size)
    budgets[rng.random(size) < 0.01] = np.inf
    return budgets


@pytest.mark.settles("hdp-scale-files")
@pytest.mark.parametrize("count", [1, 8, 73])
def test_a_reduction_over_partitions_gives_the_same_bits(count):
    """With dask's scheduler for a single thread; parts as arrays, as functions, as partitions of an array."""
    import dask.array

    whole = drawn(0, 10**5)
    parts = np.array_split(whole, count)
    with dask.config.set(scheduler="synchronous"):
        assert weigh(parts, cluster=True) == weigh(whole)
        assert weigh([part.copy for part in parts], cluster=True) == weigh(whole)
        assert weigh(dask.array.from_array(whole, chunks=-(-whole.size // count))) == weigh(whole)


def test_a_part_that_changes_is_named_there_too():
    """Also where results are merged in a tree."""
    parts = np.array_split(np.random.default_rng(5).uniform(0.1, 0.2, 10**4), 73)
    readings = []

    def changing():
        readings.append(parts[41] if not readings else parts[41] * (1 + 1e-9))
        return readings[-1]

    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="got others from part 41, counted"):
        weigh([*parts[:41], changing, *parts[42:]], cluster=True)


@pytest.mark.settles("hdp-scale-files")
def test_groups_missing_budgets_and_the_grid_are_the_same_there():
    """And so are the refusals."""
    whole = drawn(0, 10**4)
    whole[::100] = np.nan
    with dask.config.set(scheduler="synchronous"):
        with pytest.warns(UserWarning, match="100 of 10000"):
            found = weigh(np.array_split(whole, 9), cluster=True, missing=0.1, bits=3)
        with pytest.raises(ValueError, match="None for 100 of 10000"):
            weigh(np.array_split(whole, 9), cluster=True)
        with pytest.warns(UserWarning, match="100 of 10000"):
            table = count(np.array_split(whole, 9), cluster=True, missing=0.1, bits=3)
    filled = Groups.of(round_down(np.nan_to_num(whole, nan=0.1, posinf=np.inf), 3))
    assert np.array_equal(table.users, filled.users) and np.array_equal(table.epsilon, filled.epsilon)
    assert (found.level, found.total) == (weigh(filled).level, weigh(filled).total)


def megabytes():
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of dask and tornado about this machine's network
def test_a_hundred_million_users_on_two_processes():
    """The bits of one process, in less than 1 GB for each worker; the numbers are printed with -s."""
    from dask.distributed import Client, LocalCluster

    parts = [partial(drawn, number) for number in range(100)]
    options = dict(n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB", dashboard_address=None)
    with LocalCluster(**options) as workers, Client(workers) as client:
        start = perf_counter()
        found = weigh(parts, cluster=True)
        seconds, peaks = perf_counter() - start, client.run(megabytes)
    start = perf_counter()
    alone = weigh(parts)
    print(f"\n10^8 users: {seconds:.0f} s on two workers, {perf_counter() - start:.0f} s on one process")
    print("most memory of a worker:", ", ".join(f"{peak:.0f} MB" for peak in peaks.values()))
    assert found == alone and found.users == 10**8
    assert len(peaks) == 2 and max(peaks.values()) < 1000
    whole = adpm.clipping_level(np.concatenate([part() for part in parts]))
    print("level of all at once, in units of the last digit away:", (whole - found.level) / np.spacing(found.level))
    assert abs(whole - found.level) <= 4 * np.spacing(found.level)
