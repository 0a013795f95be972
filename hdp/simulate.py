r"""Monte Carlo: mean squared errors with their standard errors, in chunks, in parallel, and reproducible to the bit.

The runs are cut into chunks of about 2^20 numbers, whatever the machine; chunk j draws from its own child of the
seed (`numpy.random.SeedSequence.spawn`), block by block; the chunks' means are merged in the order of the chunks.  So
the result depends on the seed and on nothing else: not on the number of workers, not on the joblib backend, not on
which worker took which chunk.  (It is the same to the bit on processors of one kind; the last digits of a matrix
product may differ between kinds.)  A worker holds one block at a time (4 MB, or one data set, if that is larger), so
memory does not grow with the number of runs.

The workers are those of joblib: processes on this machine unless `joblib.parallel_config` says otherwise (threads hold
each other up: the arrays are small).  So with a client of dask and ``parallel_config(backend="dask")`` a simulation
leaves the machine without a change to it.  Sampler and estimators must then be importable (or picklable by value) on
the workers, where the same versions of ``hdp`` and NumPy are installed.  Chunks of a worker that dies are computed
again from their seeds: the result stays the same.  Page :doc:`/book/use/at-scale` has the commands.
"""

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate
from hdp._types import Floats

with _extras.needed("hdp.simulate", "simulate", "joblib", "threadpoolctl", "tqdm"):
    from joblib import Parallel, delayed, parallel
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

__all__ = ["Result", "compare", "mean_squared_error"]

Estimator = Callable[[Floats, np.random.Generator], ArrayLike]
Panel = Callable[[Floats, np.random.Generator], Mapping[str, ArrayLike]]
Sampler = Callable[[np.random.Generator, int], ArrayLike]

_CHUNK = 2**20  # numbers of data that one seed is for
_BLOCK = 2**19  # of which so many are in memory at a time: 4 MB, near the processor, and calls cost little
_MOST_RUNS, _MOST_JOBS = 10**9, 1000
_PATIENCE = 2.0  # seconds before a progress bar appears


class Result(NamedTuple):
    """A mean squared error and its standard error.

    Parameters
    ----------
    mse : float
        Mean of the squared errors.
    standard_error : float
        Standard deviation of that mean.

    Examples
    --------
    >>> from hdp.simulate import Result
    >>> Result(0.25, 0.01).mse
    0.25
    """

    mse: float
    standard_error: float


def mean_squared_error(
    estimator: Estimator,
    sampler: Sampler,
    truth: float,
    runs: int,
    seed: int | np.random.SeedSequence,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Result:
    r"""Estimate :math:`E[(\hat\mu(X) - \mu)^2]` by simulation.

    Parameters
    ----------
    estimator : callable
        `estimator(x, rng)`: data of shape (runs, n) to estimates of shape (runs,).
    sampler : callable
        `sampler(rng, runs)` returns data of shape (runs, n), for a `numpy.random.Generator`; n is always the same.
    truth : float
        What is estimated, in [-1e50, 1e50].
    runs : int
        Number of simulated data sets, in [2, 10^9].
    seed : int or numpy.random.SeedSequence
        Same seed, same result.
    n_jobs : int
        Number of workers, up to 1000; -1 is one for each core.  It does not change the result.
        In a browser there is one.
    progress : bool, optional
        Show a progress bar on stderr.  By default one appears after 2 seconds if stderr is a terminal.

    Returns
    -------
    Result
        The pair (mse, standard_error): the mean squared error over the runs, and the standard deviation of the squared
        errors over the square root of the number of runs.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a callable returns the wrong shape or other names than before.

    Examples
    --------
    >>> from hdp.simulate import mean_squared_error
    >>> def uniform(rng, runs):
    ...     return rng.random((runs, 12)) - 0.5
    >>> mse, error = mean_squared_error(lambda x, rng: x.mean(axis=1), uniform, 0.0, 20_000, seed=1)
    >>> abs(mse - 1 / 144) < 4 * error
    True
    """
    return compare({"estimator": estimator}, sampler, truth, runs, seed, n_jobs, progress)["estimator"]


def compare(
    estimators: Mapping[str, Estimator] | Panel,
    sampler: Sampler,
    truth: float,
    runs: int,
    seed: int | np.random.SeedSequence,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> dict[str, Result]:
    """Mean squared errors of several estimators on common random numbers.

    All estimators see the same data, and each of a dict is given a generator of its own, in the same state for every
    block of data: so differences between them are far less noisy than each of them, and leaving one out does not change
    the others.  One function for all has one generator, so there it may.

    Parameters
    ----------
    estimators : dict of callables, or callable
        Maps names to estimators as in `mean_squared_error`; or one function `f(x, rng)` that returns such estimates
        for all names at once, a dict of arrays of shape (runs,), such as `hdp.baselines.panel`.
    sampler : callable
        `sampler(rng, runs)` returns data of shape (runs, n), for a `numpy.random.Generator`; n is always the same.
    truth : float
        What is estimated, in [-1e50, 1e50].
    runs : int
        Number of simulated data sets, in [2, 10^9].
    seed : int or numpy.random.SeedSequence
        Same seed, same result.
    n_jobs : int
        Number of workers, up to 1000; -1 is one for each core.  It does not change the result.
        In a browser there is one.
    progress : bool, optional
        Show a progress bar on stderr.  By default one appears after 2 seconds if stderr is a terminal.

    Returns
    -------
    dict of Result
        A pair (mse, standard_error) for each name.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a callable returns the wrong shape or other names than before.

    Examples
    --------
    >>> from hdp import baselines, simulate
    >>> def coin(rng, runs):
    ...     return rng.integers(0, 2, (runs, 100)) - 0.5
    >>> budgets = [0.5] * 50 + [2.0] * 50
    >>> found = simulate.compare(baselines.panel(budgets), coin, 0.0, 20_000, seed=1)
    >>> all(abs(found[k].mse - baselines.expected_mse(k, budgets)) < 4 * found[k].standard_error for k in found)
    True
    """
    truth = _validate.scalar("truth", truth, -_validate.LARGE, _validate.LARGE)
    runs = _validate.whole("runs", runs, 2, _MOST_RUNS)
    if (n_jobs := _validate.whole("n_jobs", n_jobs, -_MOST_JOBS, _MOST_JOBS)) == 0:
        raise ValueError("n_jobs must be an integer of at least 1, or negative to count from the cores, got 0")
    progress = None if progress is None else _validate.flag("progress", progress)
    estimators, sampler = _named(estimators), _validate.function("sampler", sampler)
    n_jobs = _available(n_jobs)
    root = _root(seed)
    # A data set is drawn to learn n; the root goes on counting its children, so no chunk gets this one's seed.
    n = _data(sampler, _generator(root.spawn(1)[0]), 1).shape[1]
    rows, block = chunk_rows(n), max(1, _BLOCK // n)
    sizes = [min(rows, runs - start) for start in range(0, runs, rows)]
    task = delayed(partial(_chunk, estimators, sampler, truth, os.getpid(), block))
    in_turn = parallel.get_active_backend()[0].supports_return_generator  # for the bar; `multiprocessing` cannot
    return_as = "generator" if in_turn else "list"
    with threadpool_limits(1, "blas"), _bar(runs, progress) as bar:
        merged: dict[str, tuple[int, float, float]] = {}
        parts = Parallel(min(n_jobs, len(sizes)), return_as=return_as)(  # no worker without work
            task(size, child) for size, child in zip(sizes, root.spawn(len(sizes)), strict=True)
        )
        for size, part in zip(sizes, parts, strict=True):
            _refuse_other_names(merged or part, part)
            merged = {name: _merge(merged.get(name, (0, 0.0, 0.0)), (size, *part[name])) for name in part}
            bar.update(size)
    return {name: Result(mean, float(np.sqrt(m2 / (runs - 1) / runs))) for name, (_, mean, m2) in merged.items()}


def _available(n_jobs):
    """In a browser one worker, and a word about it where more were asked for."""
    if sys.platform != "emscripten":
        return n_jobs
    tqdm.monitor_interval = 0  # which would be a thread
    if n_jobs != 1:
        warnings.warn("a browser has no pool of workers: one worker computes the same numbers", stacklevel=3)
    return 1


def _named(estimators):
    """The estimators by name; None names a function that returns all."""
    if callable(estimators):
        return {None: estimators}
    if not isinstance(estimators, Mapping) or not estimators:
        got = _validate.show(estimators, secret=True)
        raise TypeError(f"estimators must be a function or a dict of functions, got {got}")
    for name, estimator in estimators.items():
        _validate.function(f"estimators, of which {name!r}," if name != "estimator" else name, estimator)
    return dict(estimators)


def chunk_rows(n):
    """How many data sets of n numbers share a seed."""
    return max(1, _CHUNK // n)


def _chunk(estimators, sampler, truth, parent, block, rows, seed):
    """Mean and sum of squared deviations of the squared errors in one chunk, for each estimator."""
    _keep_memory()
    # In the caller's own process the limit must end with the call, which sees to that itself.
    if os.getpid() != parent:
        _one_blas_thread()
    # From one generator, the next block's data would depend on how much noise the estimators have drawn.
    data_seed, noise_seed = seed.spawn(2)
    data, sizes = _generator(data_seed), [min(block, rows - start) for start in range(0, rows, block)]
    blocks = zip(sizes, noise_seed.spawn(len(sizes)), strict=True)
    parts = [_estimates(estimators, _data(sampler, data, size), noise) for size, noise in blocks]
    return dict(zip(parts[0], _moments(_stacked(parts), truth), strict=True))


def _estimates(estimators, x, noise):
    """What every estimator makes of a block of data and of a generator in the same state, in the right shape."""
    found = {}
    for key, estimator in estimators.items():
        estimates = estimator(x, _generator(noise))
        if key is None and not (isinstance(estimates, Mapping) and estimates):
            got = _validate.show(estimates, secret=True)
            raise TypeError(f"estimators must return a dict of estimates, not empty, got {got}")
        found |= estimates if key is None else {key: estimates}
    for name, estimates in found.items():
        found[name] = _validate.array(f"what estimator {name!r} returns", estimates, secret=True)
        if found[name].shape != (len(x),):
            raise ValueError(f"estimator {name!r} must return shape ({len(x)},), got {found[name].shape}")
    return found


def _stacked(parts):
    """The estimates of all blocks, a row for each estimator; checked in one go: calls cost more here."""
    for part in parts:
        _refuse_other_names(parts[0], part)
    stacked = np.concatenate([[part[name] for name in parts[0]] for part in parts], axis=1)
    if stacked.dtype == np.float64 and np.isfinite(stacked).all():
        return stacked
    rows = ((name, np.concatenate([part[name] for part in parts])) for name in parts[0])
    return np.array([_validate.reals(f"what estimator {name!r} returns", row, secret=True) for name, row in rows])


def _refuse_other_names(first, part):
    """Raise ValueError unless a function for all has returned what it returned before, in whatever order."""
    if part.keys() != first.keys():
        found = f"{_validate.show(list(first))} and then {_validate.show(list(part))}"
        raise ValueError(f"estimators must return the same names for all data, got {found}")


def _moments(estimates, truth):
    """Mean and sum of squared deviations of the squared errors in every row."""
    squares = (estimates - truth) ** 2
    means = squares.mean(axis=1)
    rests = np.sum((squares - means[:, None]) ** 2, axis=1)
    return zip(means.tolist(), rests.tolist(), strict=True)


def _generator(seed):
    """SFC64 is the fastest of NumPy's generators, and half the time of a simulation goes there."""
    return np.random.Generator(np.random.SFC64(seed))


def _merge(a, b):
    """Count, mean and sum of squared deviations of two samples together (Chan, Golub & LeVeque, 1983)."""
    count = a[0] + b[0]
    step = b[1] - a[1]
    return count, a[1] + step * (b[0] / count), a[2] + b[2] + step**2 * (a[0] * b[0] / count)


def _data(sampler, rng, runs):
    x = _validate.array("what sampler returns", sampler(rng, runs), secret=True)
    if x.ndim != 2 or len(x) != runs or x.shape[1] == 0:
        raise ValueError(f"sampler must return shape ({runs}, n) with n in [1, inf), got {x.shape}")
    return x


def _root(seed):
    """A fresh root, so that spawning from it twice gives the same children."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    return np.random.SeedSequence(_validate.seed("seed", seed))


def _bar(runs, progress):
    """A progress bar on stderr: after some patience on a terminal, at once if asked for, never if refused."""
    disable = None if progress is None else not progress
    delay = 0 if progress else _PATIENCE
    return tqdm(total=runs, unit=" runs", unit_scale=True, leave=False, delay=delay, disable=disable)


@cache
def _keep_memory():
    """Freeing one large block teaches glibc not to return the next ones to the system, page by page, every time.

    Without it six baselines of 30,000 users took 1.5 times as long, of which page faults were a third.
    """
    # 31 MB: from a block above 32 MB, the most to which glibc raises its threshold, it would learn nothing.
    np.empty(31 * 2**17)


@cache
def _one_blas_thread():
    """In a worker process, once and for good: the parallelism is over chunks."""
    threadpool_limits(1, "blas")
