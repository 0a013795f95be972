"""Users with unequal numbers of samples, and the law of their own means."""

import numpy as np
from hypothesis import strategies as st


def example_1(n):
    """The numbers of samples of Example 1, n / i rounded up."""
    return np.ceil(n / np.arange(1, n + 1))


def law(p, part):
    """Mean and standard deviation of the users' own means, a part of the largest that there is."""
    return p, part * (p * (1 - p)) ** 0.5


# One user, two, a handful with ties; two groups of any sizes; one with nearly everything; a power law.
_SAMPLES = st.one_of(st.integers(1, 3000), st.sampled_from([1, 1, 2, 100, 10**4, 10**8, 10**12]))
_SIZES = st.one_of(st.integers(1, 12), st.sampled_from([100, 3000]))
RECORDS = st.one_of(
    st.lists(_SAMPLES, min_size=1, max_size=8),
    st.builds(lambda sizes, most: np.repeat([most, 1], sizes), st.tuples(_SIZES, _SIZES), _SAMPLES),
    st.builds(np.repeat, st.tuples(_SAMPLES, _SAMPLES), st.tuples(_SIZES, _SIZES)),
    st.integers(1, 1000).map(example_1),
).map(lambda k: np.array(k, dtype=float))
_MEANS = st.one_of(st.floats(0.001, 0.999), st.just(0.5))
APART = st.builds(law, _MEANS, st.one_of(st.floats(1e-3, 1), st.just(1.0)))  # people differ
LAWS = st.one_of(APART, st.builds(law, _MEANS, st.just(0.0)))
BUDGETS = st.one_of(st.floats(0.01, 30), st.just(1.0))  # the one budget of all
