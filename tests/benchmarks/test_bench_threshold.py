"""How long the best threshold takes beside `numpy.sort` on the same vector.

`make bench` runs these; no test asserts a time.
"""

import numpy as np
import pytest

from hdp import threshold
from tests.benchmarks.timing import best_of
from tests.oracles import inf

MILLION = 10**6


def _vectors():
    rng = np.random.default_rng(1)
    mixed = rng.random(MILLION)
    mixed[rng.random(MILLION) < 0.2] = inf
    return {
        "uniform": rng.random(MILLION),
        "log-uniform": 10 ** rng.uniform(-6, 2, MILLION),
        "two levels": np.repeat([0.01, 1.0], MILLION // 2),
        "mixed with inf": mixed,
    }


@pytest.mark.parametrize("vector", ["uniform", "log-uniform", "two levels", "mixed with inf"])
@pytest.mark.parametrize("function", [threshold.threshold_mse, threshold.best_threshold], ids=lambda f: f.__name__)
def test_a_million_budgets_beside_a_sort(benchmark, function, vector):
    """Print the time as a multiple of `numpy.sort`, both the best of five in this run."""
    epsilon = np.random.default_rng(2).permutation(_vectors()[vector])
    benchmark(function, epsilon)
    ratio = best_of(5, function, epsilon) / best_of(5, np.sort, epsilon)
    benchmark.extra_info["times numpy.sort"] = ratio
    print(f"\n{function.__name__}, {vector}, n = 10^6: {ratio:.2f} times numpy.sort")
