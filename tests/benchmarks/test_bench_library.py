"""How long weights, worst cases and simulations take: beside a sort and random numbers."""

from functools import partial
from timeit import repeat

import numpy as np
import pytest

from hdp import ADPM, Threshold, baselines, simulate, threshold
from hdp.clipping import optimal_weights
from tests.oracles import inf


def best_of(repeats, call, *arguments):
    """Shortest time of several runs, in seconds."""
    return min(repeat(partial(call, *arguments), number=1, repeat=repeats))


def in_turns(repeats, *calls):
    """Seconds of each call, one row for each round: in turns, so that all of them see the same machine."""
    return np.array([[best_of(1, call) for call in calls] for _ in range(repeats)])


def _vectors(n):
    rng = np.random.default_rng(1)
    public = rng.random(n)
    public[rng.random(n) < 0.3] = inf
    return {
        "uniform": rng.random(n),
        "log-uniform": 10 ** rng.uniform(-6, 2, n),
        "600 decades": 10 ** rng.uniform(-300, 300, n),
        "30 % public": public,
        "two values": np.where(rng.random(n) < 0.5, 0.1, 0.5),
        "all equal": np.full(n, 0.1),
    }


SOLVERS = {"ADPM": lambda eps: ADPM(eps).weights, "optimal_weights": lambda eps: optimal_weights(0.25, 1 / eps, 2.0)}
SOLVERS |= {"Threshold": lambda eps: Threshold(eps).tau}


def one_pass(epsilon):
    """What any method has to do once the level is known."""
    w = np.minimum(epsilon, 0.3)
    return w / np.sum(w)


@pytest.mark.parametrize("n", [10**5, 10**6, 10**7])
@pytest.mark.parametrize("vector", _vectors(1))
@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_beside_a_sort_and_one_pass(benchmark, solver, vector, n):
    """Print the time as a multiple of `numpy.sort` and of `minimum`, `sum`, divide: medians in this run."""
    epsilon = _vectors(n)[vector]
    benchmark.pedantic(SOLVERS[solver], (epsilon,), rounds=1)
    calls = (partial(call, epsilon) for call in (SOLVERS[solver], np.sort, one_pass))
    ours, sort, once = np.median(in_turns(11 if n < 10**7 else 5, *calls), axis=0)
    benchmark.extra_info.update({"times numpy.sort": ours / sort, "times one pass": ours / once})
    print(f"\n{solver}, {vector}, n = {n}: {ours / sort:.2f} times numpy.sort, {ours / once:.2f} times one pass")


N, RUNS = 1000, 20_000

BUDGETS = {
    "two groups": np.repeat([0.1, 0.5], [700, 300]),
    "log eps in [-4, 2]": np.exp(np.random.default_rng(1).uniform(-4, 2, N)),
    "log eps in [-3, -2]": np.exp(np.random.default_rng(2).uniform(-3, -2, N)),
}
EVERY = pytest.mark.parametrize("budgets", BUDGETS)


def uniform(rng, runs):
    """Data of mean 0 in [-1/2, 1/2]."""
    x = rng.random((runs, N))
    x -= 0.5
    return x


def generate():
    """As many random numbers as the simulation has data, by NumPy's default generator, a megabyte at a time."""
    rng = np.random.default_rng(1)
    block = np.empty((131, N))
    for _ in range(RUNS // len(block)):
        rng.random(out=block)


def simulation(budgets, runs=RUNS):
    """All six baselines on the same data."""
    return partial(simulate.compare, baselines.panel(BUDGETS[budgets]), uniform, 0.0, runs, 1)


@EVERY
def test_six_baselines_beside_raw_generation(benchmark, budgets):
    """Print the throughput of the simulation as a share of that of `Generator.random`: of the best, and the median."""
    simulated = simulation(budgets)
    benchmark.pedantic(simulated, rounds=1)
    raw, ours = in_turns(40, generate, simulated).T
    best, median = raw.min() / ours.min(), np.median(raw / ours)
    benchmark.extra_info.update({"share of Generator.random": best, "median share": median})
    print(f"\nsix baselines, {budgets}, n = {N}: {best:.2f} of the throughput of Generator.random, median {median:.2f}")


@EVERY
def test_two_cores_beside_one(benchmark, budgets):
    """Print how many times faster two warm worker processes are: the median of turns."""
    simulated = simulation(budgets, 20 * RUNS)
    calls = [simulated, partial(simulated, n_jobs=2)]
    assert calls[1]() == calls[0]()
    benchmark.pedantic(calls[1], rounds=1)
    one, two = in_turns(7, *calls).T
    benchmark.extra_info["times faster on two cores"] = ratio = np.median(one / two)
    print(f"\nsix baselines, {budgets}: {ratio:.2f} times faster on 2 cores")


@pytest.mark.parametrize("k", [5, 50, 1000, 10**6])
def test_a_million_users(benchmark, k):
    """Time of one call."""
    benchmark(threshold.worst_case_ratio, k, 10**6)
