"""The synthetic salaries have the published figures exactly, whatever the seed."""

import numpy as np
import pytest

from hdp import salaries


@pytest.mark.settles("adk-section-4-salaries")
@pytest.mark.parametrize("seed", [0, 1, 7, 2010])
def test_the_published_figures_hold_in_integers(seed):
    """Size, maximum, and n^2 times the variance, in Python's integers."""
    x = [int(v) for v in salaries.population(seed)]
    n, total, squares = len(x), sum(x), sum(v * v for v in x)
    assert (n, max(x)) == (252_540, 2_349_033) and min(x) >= 0
    assert n * squares - total**2 == (n * 53_254) ** 2


def test_population_is_skewed_and_reproducible():
    """As salaries are: the mean lies above the median; one seed, one population."""
    x = salaries.population(2010)
    assert np.array_equal(x, salaries.population(np.random.default_rng(2010)))
    assert not np.array_equal(x, salaries.population(2011))
    assert np.median(x) < x.mean() < 4 * np.median(x)


def test_few_salaries_are_adjusted():
    """The logarithms stay normal: third and fourth moments agree with a normal sample's."""
    z = np.log(salaries.population(2010) + 0.5)
    z = (z - z.mean()) / z.std()
    assert abs(np.mean(z**3)) < 4 * np.sqrt(6 / z.size) + 0.005
    assert abs(np.mean(z**4) - 3) < 4 * np.sqrt(24 / z.size) + 0.02
