"""The simulation engine: the same bits everywhere, right means and standard errors, bounded memory."""

import math
import os
import signal
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, Popen

import numpy as np
import pytest
from joblib import parallel_config

from hdp import baselines, simulate

ROOT = Path(__file__).resolve().parents[1]

N = 200
BUDGETS = np.repeat([0.2, 0.9], [140, 60])


def uniform(rng, runs, n=N):
    """Data of the tests, importable by every kind of worker."""
    return rng.random((runs, n)) - 0.5


def average(x, rng):
    """The mean without noise."""
    return x.mean(axis=1)


def noisy(x, rng):
    """The mean with noise."""
    return x.mean(axis=1) + rng.laplace(0, 0.1, len(x))


def normal(rng, runs):
    """One normal value a run."""
    return rng.standard_normal((runs, 1))


RUNS = 3 * simulate.chunk_rows(N) + 17  # three whole chunks and a small one
run = partial(simulate.compare, baselines.panel(BUDGETS), uniform, 0.0, RUNS, 11)


@pytest.fixture(scope="module")
def reference():
    """The result of one worker."""
    return run()


@pytest.mark.settles("hdp-performance-workers")
@pytest.mark.parametrize("backend", ["sequential", "threading", "loky", "multiprocessing"])
def test_the_result_is_the_same_to_the_bit_on_every_backend(reference, backend):
    """Two workers of each kind."""
    with parallel_config(backend=backend):
        assert run(n_jobs=2) == reference


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The commands of the book's page `use/at-scale`, on this machine: a scheduler and two workers."""
    from dask.distributed import Client

    folder = tmp_path_factory.mktemp("cluster")
    address = ["--scheduler-file", str(folder / "scheduler.json")]
    dask = [sys.executable, "-m", "dask"]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *address],
        *[[*dask, "worker", *address, "--nthreads", "1", "--no-dashboard", "--memory-limit", "1GiB"]] * 2,
    ]
    options = dict(cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=DEVNULL, stderr=DEVNULL)
    processes = [Popen(command, **options) for command in commands]
    try:
        with Client(scheduler_file=address[1], timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client
    finally:
        for process in processes[::-1]:
            process.terminate()
            process.wait(20)


@pytest.mark.filterwarnings("ignore")  # of dask and tornado about this machine's network
@pytest.mark.settles("hdp-performance-workers")
def test_a_cluster_started_by_hand_gives_the_same_bits(cluster, reference):
    with parallel_config(backend="dask"):
        assert run(n_jobs=-1) == reference


def deadly(rng, runs, parent, sign):
    """Data, but the first worker that is asked for them dies without a word."""
    if os.getpid() != parent and not sign.exists():
        sign.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return uniform(rng, runs)


@pytest.mark.settles("hdp-performance-workers")
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_does_not_change_the_result(cluster, reference, tmp_path):
    """Its chunks are computed again, from the same seeds."""
    import dask.config

    sampler = partial(deadly, parent=os.getpid(), sign=tmp_path / "dead")
    with parallel_config(backend="dask"):
        found = simulate.compare(baselines.panel(BUDGETS), sampler, 0.0, RUNS, 11, n_jobs=-1)
    assert (tmp_path / "dead").exists()
    assert found == reference
    cluster.wait_for_workers(2, timeout=60)  # a new process in its place
    assert dask.config.get("distributed.scheduler.allowed-failures") == 3  # the fourth is one too many


@pytest.mark.settles("hdp-build-seeds")
def test_a_seed_decides_everything():
    """Equal seeds agree, as a number or as a sequence that has been spawned from; others do not."""
    arguments = average, uniform, 0.0, 5000
    first = simulate.mean_squared_error(*arguments, 1)
    sequence = np.random.SeedSequence(1)
    sequence.spawn(3)
    assert simulate.mean_squared_error(*arguments, 1) == first
    assert simulate.mean_squared_error(*arguments, sequence) == first
    assert simulate.mean_squared_error(*arguments, 2) != first


def test_moments_are_those_of_all_runs_together():
    """Merging blocks and chunks gives the mean and the standard deviation of the whole, also with a truth far away."""
    runs = 2 * simulate.chunk_rows(1) + 5
    seen = []

    def record(x, rng):
        seen.append(x[:, 0].copy())
        return x[:, 0]

    mse, error = simulate.mean_squared_error(record, normal, 1000.0, runs, 3)
    squares = (np.concatenate(seen) - 1000.0) ** 2
    assert squares.size == runs and max(map(len, seen)) == 2**19  # half a chunk at a time
    assert mse == pytest.approx(math.fsum(squares) / runs, rel=1e-14)
    assert error == pytest.approx(squares.std(ddof=1) / math.sqrt(runs), rel=1e-12)


def test_blocks_draw_different_data_and_noise():
    """Every chunk has its own stream of data, and every block its own noise."""
    firsts = []
    simulate.mean_squared_error(lambda x, rng: firsts.extend((x[0, 0], rng.random())) or x[:, 0], normal, 0.0, 2**22, 3)
    assert len(set(firsts)) == len(firsts) == 16


def test_noise_is_common_to_estimators_that_draw_more_or_less():
    """In every block anew: what one of them draws besides does not shift the noise of its next block."""
    found = simulate.compare({"a": noisy, "b": lambda x, rng: (noisy(x, rng), rng.random())[0]}, normal, 0.0, 2**21, 5)
    assert found["a"] == found["b"]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1j, "a"])
def test_estimates_are_finite_numbers(bad):
    def second_block(x, rng):
        return [bad if len(x) < simulate._BLOCK // 12 else 0.0] * len(x)

    with pytest.raises(ValueError, match="what estimator 'b' returns must"):
        simulate.compare({"a": average, "b": second_block}, uniform, 0.0, 2**20 // 12, 5)


@pytest.mark.parametrize("runs", [2**20 // 12, 2**21 // 12])
@pytest.mark.parametrize("last", [("b", "a"), ("a", "c"), ("a",), ("a", "b", "c")])
def test_one_function_for_all_returns_the_same_names_in_any_order(last, runs):
    """In the last block of one chunk, and in the last of two."""
    rows, seen = {"a": 1.0, "b": 2.0, "c": 3.0}, []

    def changing(x, rng):
        seen.append(len(x))
        return {name: np.full(len(x), rows[name]) for name in (last if sum(seen) == runs else ("a", "b"))}

    if set(last) == {"a", "b"}:
        assert simulate.compare(changing, uniform, 0.0, runs, 5) == {"a": (1.0, 0.0), "b": (4.0, 0.0)}
    else:
        with pytest.raises(ValueError, match="estimators must return the same names for all data, got"):
            simulate.compare(changing, uniform, 0.0, runs, 5)


@pytest.mark.parametrize("estimates", [{}, np.zeros(5)])
def test_one_function_for_all_returns_a_dict(estimates):
    """Neither an empty one nor an array."""
    with pytest.raises(TypeError, match="estimators must return a dict of estimates, not empty, got"):
        simulate.compare(lambda x, rng: estimates, uniform, 0.0, 5, 1)


def test_noise_is_independent_of_the_data():
    """Normal noise beside one normal value: the squared error is 2; with the data's own generator it would be 4."""
    found = simulate.mean_squared_error(lambda x, rng: x[:, 0] + rng.standard_normal(len(x)), normal, 0.0, 50_000, 7)
    assert abs(found.mse - 2) < 4 * found.standard_error


@pytest.mark.parametrize("n, rows", [(1, 2**20), (1000, 1048), (2**17, 8), (10**7, 1)])
def test_chunks_do_not_depend_on_the_machine(n, rows):
    """About 2^20 numbers share a seed; one data set at the least."""
    assert simulate.chunk_rows(n) == rows


@pytest.mark.parametrize("n, runs, bound", [(1000, 20_000, 8e6), (2_000_000, 2, 60e6)])
def test_memory_is_bounded(n, runs, bound):
    """Twenty million numbers in a few megabytes; two million users in a few vectors of that length."""
    simulated = partial(uniform, n=n)
    panel = baselines.panel(np.repeat([0.1, 0.5], n // 2))
    simulate.compare(panel, simulated, 0.0, 2, 1)  # what is done once
    tracemalloc.start()
    simulate.compare(panel, simulated, 0.0, runs, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < bound


def test_progress_is_silent_unless_asked_for(capfd):
    """Nothing where stderr is not a terminal; a bar where it is wanted; nothing at all on stdout."""
    arguments = average, uniform, 0.0, 2000, 1
    simulate.mean_squared_error(*arguments)
    assert capfd.readouterr() == ("", "")
    simulate.mean_squared_error(*arguments, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "2.00k" in err


def test_a_browser_has_one_worker_and_says_so(monkeypatch):
    """Pyodide cannot start a thread or a process; the numbers are the same."""
    wanted = simulate.compare({"average": average}, normal, 0.0, 200, seed=3)
    monkeypatch.setattr(simulate.sys, "platform", "emscripten")
    monkeypatch.setattr(simulate.tqdm, "monitor_interval", 10)
    with pytest.warns(UserWarning, match="one worker"):
        assert simulate.compare({"average": average}, normal, 0.0, 200, seed=3, n_jobs=2) == wanted
    assert simulate.tqdm.monitor_interval == 0
    assert simulate.compare({"average": average}, normal, 0.0, 200, seed=3) == wanted
