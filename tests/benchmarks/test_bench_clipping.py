"""How long weights and thresholds take: beside `numpy.sort` on the same vector, convex solvers, and against n."""

import warnings
from functools import partial
from time import perf_counter

import cvxpy as cp
import numpy as np
import pytest

from hdp import adpm, threshold
from hdp.clipping import optimal_weights
from tests.benchmarks.timing import best_of, in_turns
from tests.oracles import exact_objective, inf

TIME_LIMIT = {"CLARABEL": {"time_limit": 120.0}, "OSQP": {"time_limit": 120.0}, "SCS": {"time_limit_secs": 120.0}}


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


SOLVERS = {"adpm.weights": adpm.weights, "optimal_weights": lambda eps: optimal_weights(0.25, 1 / eps, 2.0)}
SOLVERS |= {"threshold_mse": threshold.threshold_mse, "best_threshold": threshold.best_threshold}


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


def solved(epsilon, solver):
    """Weights of a convex solver with cvxpy's default tolerances, scaled to the simplex; what went wrong otherwise."""
    w, scale = cp.Variable(epsilon.size, nonneg=True), cp.Variable()
    objective = cp.sum_squares(w) / 4 + 2 * cp.square(scale)
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(w) == 1, w <= cp.multiply(epsilon, scale)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solution that may be inaccurate: its objective is printed
        try:
            problem.solve(solver=solver, **TIME_LIMIT[solver])
        except cp.SolverError as failure:
            return None, str(failure).splitlines()[0]
    if w.value is None:
        return None, problem.status
    found = np.maximum(w.value, 0)
    return found / found.sum(), problem.status


@pytest.mark.parametrize("n", [10**2, 10**3, 10**4, 10**5])
@pytest.mark.parametrize("solver", TIME_LIMIT)
def test_beside_a_convex_solver(benchmark, solver, n):
    """Print the time and the excess of the solver's objective over ours, in exact fractions, or that it failed."""
    epsilon = np.exp(np.random.default_rng(n).uniform(-4, 2, n))
    ours = benchmark(adpm.weights, epsilon)
    start = perf_counter()
    theirs, status = solved(epsilon, solver)
    seconds = perf_counter() - start
    ratio = seconds / best_of(5, adpm.weights, epsilon)
    if theirs is None:
        outcome, excess = f"NO SOLUTION ({status})", None
    else:
        problem = np.full(n, 0.25), 1 / epsilon, 2.0
        excess = float(exact_objective(theirs, *problem) / exact_objective(ours, *problem) - 1)
        outcome = f"{status}, objective {excess:.1e} higher"
        assert excess > -1e-12  # nobody is better
    benchmark.extra_info.update({"times faster": ratio, "seconds": seconds, "excess": excess, "status": status})
    print(f"\n{solver}, n = {n}: {seconds:.3g} s, {ratio:.0f} times ours; {outcome}")


def test_growth_of_the_time(benchmark):
    """Print the time for 10^2 to 10^7 budgets, and the slope of its logarithm against that of n from 10^4 on."""
    sizes = 10 ** np.arange(2, 8)
    vectors = [np.exp(np.random.default_rng(n).uniform(-4, 2, n)) for n in sizes]
    benchmark.pedantic(adpm.weights, (vectors[-1],), rounds=3)
    times = [best_of(max(3, 10**5 // n), adpm.weights, v) for n, v in zip(sizes, vectors, strict=True)]
    slope = np.polyfit(np.log(sizes[2:]), np.log(times[2:]), 1)[0]
    benchmark.extra_info.update({"slope": slope} | {f"n = {n}": t for n, t in zip(sizes, times, strict=True)})
    for n, t in zip(sizes, times, strict=True):
        print(f"\nadpm.weights, n = {n}: {1e3 * t:.3g} ms", end="")
    print(f"\nslope of log time against log n, from 10^4 on: {slope:.2f}")
