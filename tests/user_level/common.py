"""What tests of more than one page share."""

import numpy as np
from scipy import stats

TWO_LEVELS = np.repeat([400, 20], [2000, 8000])


def objective(sigma, width, epsilon, w, penalty=2.0):
    """Eq. 5 with the variances of the untruncated means."""
    return np.sum((w * sigma) ** 2) + penalty * np.max(w * width / epsilon) ** 2


def draw(k, shape, rng, runs):
    """User means, (runs, n), with p_i from Beta(shape, shape), by inversion of the beta-binomial distribution."""
    means = np.empty((runs, k.size))
    for value in np.unique(k):
        who = k == value
        below = stats.betabinom.cdf(np.arange(value), value, shape, shape)
        means[:, who] = np.searchsorted(below, rng.random((runs, who.sum()))) / value
    return means


AUDITED = np.array([2000.0, *[50] * 30, *[5] * 60])


def neighbours(runs, users):
    """Means, (runs, users), of two neighbouring data sets: the first user moves from one end to the other."""
    low = np.full((runs, users), 0.5)
    low[:, 0] = 0.0
    high = low.copy()
    high[:, 0] = 1.0
    return low, high


def samples(rng, runs, k, draw):
    """The users' means, (runs, n), from their own p_i."""
    k = np.asarray(k, dtype=int)
    return rng.binomial(k, draw(rng, (runs, k.size))) / k


def beta(rng, size):
    """D = Beta(2, 3): mean 2/5, variance 1/25."""
    return rng.beta(2, 3, size)
