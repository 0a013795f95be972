"""How fast the simulation is: beside `Generator.random` alone, and on two cores beside one."""

from functools import partial

import numpy as np
import pytest

from hdp import baselines, simulate
from tests.benchmarks.timing import best_of

N, RUNS = 1000, 100_000

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
    """Print the throughput of the simulation as a share of that of `Generator.random`, both the best of five."""
    simulated = simulation(budgets)
    benchmark(simulated)
    ratio = best_of(5, generate) / best_of(5, simulated)
    benchmark.extra_info["share of Generator.random"] = ratio
    print(f"\nsix baselines, {budgets}, n = {N}: {ratio:.2f} of the throughput of Generator.random")


@EVERY
def test_two_cores_beside_one(benchmark, budgets):
    """Print how many times faster two warm worker processes are, both the best of five.

    It takes a second: to hand chunks to workers costs some hundredths, whatever the runs.
    """
    simulated = simulation(budgets, 4 * RUNS)
    assert simulated(n_jobs=2) == simulated()
    benchmark(simulated, n_jobs=2)
    ratio = best_of(5, simulated) / best_of(5, partial(simulated, n_jobs=2))
    benchmark.extra_info["times faster on two cores"] = ratio
    print(f"\nsix baselines, {budgets}, n = {N}: {ratio:.2f} times faster on 2 cores than on 1")


@EVERY
def test_exact_error_of_sampling(benchmark, budgets):
    """Print the time of the exact law of the sample size."""
    epsilon = BUDGETS[budgets]
    benchmark(baselines.expected_mse, "sm", epsilon)
    print(f"\nexpected_mse of SM, {budgets}: {1e3 * best_of(5, baselines.expected_mse, 'sm', epsilon):.1f} ms")
