"""How long the weights take: beside `numpy.sort` on the same vector, and beside a convex solver.

`make bench` runs these; no test asserts a time.
"""

from time import perf_counter

import numpy as np
import pytest

from hdp import adpm
from hdp.clipping import optimal_weights
from tests.benchmarks.timing import best_of
from tests.oracles import convex_weights, exact_objective, inf

MILLION = 10**6


def _vectors():
    rng = np.random.default_rng(1)
    mixed = rng.random(MILLION)
    mixed[rng.random(MILLION) < 0.2] = inf
    return {
        "uniform": rng.random(MILLION),
        "log-uniform": 10 ** rng.uniform(-6, 2, MILLION),
        "600 decades": 10 ** rng.uniform(-300, 300, MILLION),
        "mixed with inf": mixed,
    }


SOLVERS = {"adpm.weights": adpm.weights, "optimal_weights": lambda eps: optimal_weights(0.25, 1 / eps, 2.0)}


@pytest.mark.parametrize("vector", ["uniform", "log-uniform", "600 decades", "mixed with inf"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_million_budgets_beside_a_sort(benchmark, solver, vector):
    """Print the time as a multiple of `numpy.sort`, both the best of five in this run."""
    epsilon = _vectors()[vector]
    benchmark(SOLVERS[solver], epsilon)
    ratio = best_of(5, SOLVERS[solver], epsilon) / best_of(5, np.sort, epsilon)
    benchmark.extra_info["times numpy.sort"] = ratio
    print(f"\n{solver}, {vector}, n = 10^6: {ratio:.2f} times numpy.sort")


@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_beside_a_convex_solver(benchmark, n):
    """Print the time and the excess of the objective of cvxpy with Clarabel over ours."""
    epsilon = np.exp(np.random.default_rng(n).uniform(-4, 2, n))
    problem = np.full(n, 0.25), 1 / epsilon, 2.0
    ours = benchmark(adpm.weights, epsilon)
    start = perf_counter()
    theirs = convex_weights(*problem, "CLARABEL")
    ratio = (perf_counter() - start) / best_of(5, adpm.weights, epsilon)
    excess = float(exact_objective(theirs, *problem) / exact_objective(ours, *problem) - 1)
    benchmark.extra_info.update({"times faster than cvxpy": ratio, "relative excess of cvxpy": excess})
    print(f"\nn = {n}: {ratio:.0f} times faster than cvxpy with Clarabel, whose objective is {excess:.1e} higher")
