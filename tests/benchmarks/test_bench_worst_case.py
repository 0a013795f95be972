"""How long the exact worst case takes for many users, beside the plain recursion over all pairs of counts."""

from time import perf_counter

import pytest

from hdp import threshold
from tests.threshold.test_worst_case import plain_programme


@pytest.mark.parametrize("k", [5, 50, 1000, 10**6])
def test_a_million_users(benchmark, k):
    """Time of one call."""
    benchmark(threshold.worst_case_ratio, k, 10**6)


def test_all_levels_beside_the_plain_recursion(benchmark):
    """Print how much faster one k is than the recursion, which gives all k at once, for 300 users."""
    benchmark(threshold.worst_case_ratio, 5, 300)
    start = perf_counter()
    plain_programme(300)
    print(f"\nthe plain recursion takes {perf_counter() - start:.1f} s for n = 300")
