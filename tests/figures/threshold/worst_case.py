"""Harmonic numbers by the digamma function, and real counts in geometric progression."""

import numpy as np
from scipy.special import digamma


def harmonic(n):
    return digamma(n + 1) + np.euler_gamma


def relaxed(k, n):
    """The square of the gain, term by term of the mean."""
    ratio = np.exp(-np.log(n) / max(k - 1, 1e-12))
    return (1 + (k - 1) * (1 - ratio)) ** 2 if k <= n else np.nan


REFERENCES = {
    "cz-worst-case": {
        "bound": lambda k, n: min(k, harmonic(n)) ** 2,
        "counts relaxed": relaxed,
        "corner": harmonic,
        "limit for many levels": lambda n: harmonic(n) ** 2,
    }
}
