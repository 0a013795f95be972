"""How fast the simulation is: beside `Generator.random` alone, and on two cores beside one."""

from functools import partial

import numpy as np
import pytest
from joblib import Parallel, delayed

from hdp import baselines, simulate
from tests.benchmarks.timing import best_of, in_turns

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


def generate(runs=RUNS):
    """As many random numbers as the simulation has data, by NumPy's default generator, a megabyte at a time."""
    rng = np.random.default_rng(1)
    block = np.empty((131, N))
    for _ in range(runs // len(block)):
        rng.random(out=block)


def generate_twice(workers):
    """Numbers for two, by as many workers: what the machine makes of a second core."""
    Parallel(workers)(delayed(generate)(10 * RUNS) for _ in range(2))


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
    """Print how many times faster two warm worker processes are, and two that only draw numbers: medians of turns.

    It takes a second: to hand chunks to workers costs some hundredths, whatever the runs.
    """
    simulated = simulation(budgets, 20 * RUNS)
    calls = [simulated, partial(simulated, n_jobs=2), partial(generate_twice, 1), partial(generate_twice, 2)]
    assert calls[1]() == calls[0]()
    benchmark.pedantic(calls[1], rounds=1)
    one, two, alone, together = in_turns(7, *calls).T
    ratio, bound = np.median(one / two), np.median(alone / together)
    benchmark.extra_info.update({"times faster on two cores": ratio, "generation alone": bound})
    print(f"\nsix baselines, {budgets}: {ratio:.2f} times faster on 2 cores; random numbers alone {bound:.2f}")


@EVERY
def test_exact_error_of_sampling(benchmark, budgets):
    """Print the time of the exact law of the sample size."""
    epsilon = BUDGETS[budgets]
    benchmark(baselines.expected_mse, "sm", epsilon)
    print(f"\nexpected_mse of SM, {budgets}: {1e3 * best_of(5, baselines.expected_mse, 'sm', epsilon):.1f} ms")
