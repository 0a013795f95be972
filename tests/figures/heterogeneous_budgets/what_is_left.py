"""The library's error for two groups, one of them public, over the best of three counts with its best bias."""

import numpy as np
from numpy.polynomial import Polynomial

from hdp import adpm


def top_of_hill(slope):
    """The most that a bias in [0, 1] proves, and this bias: at the top of the hill, or at the end."""
    hill = Polynomial([0, 0, 1, -slope]) / 4
    top = min(max(hill.deriv().roots()), 1.0)
    return hill(top), top


def left(epsilon, n, public_users):
    """Error over the best bound."""
    influence = (n - public_users) * np.tanh(epsilon / 2)
    by_data, by_both = np.sqrt(2 / np.pi * (np.array([n, public_users]) + 1)) + np.array([0, influence])
    bound, _ = max(map(top_of_hill, (by_data, by_both, influence + public_users)))
    return adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n) / bound


def limit(epsilon, n, public_users):
    """Noise alone, up to the cap, over what a slope of half the total budget proves."""
    total = n * epsilon
    return min(2 / total**2, 0.25) / top_of_hill(total / 2)[0] if public_users == 0 else np.nan


REFERENCES = {
    "cc-what-is-left": {
        "left to gain": left,
        "limit for very": limit,
        "limit 27/2": 13.5,
        "1: nothing": 1.0,
    }
}
