"""Two groups with Gaussian noise, by the definitions of both errors; with Laplace noise as on the pages before."""

import numpy as np

from tests.figures.threshold.one_threshold import ratio


def gaussian_ratio(nu, rho, s):
    """The losses are those that have the effect of the pure budgets s and s times the root of rho."""
    strict, generous = np.sqrt(2 * (s / 2) ** 2 * np.array([1.0, rho]))  # one over the noise that a unit costs
    return ratio(nu, generous / strict, strict, kappa=1.0)


REFERENCES = {
    "cz-gaussian-ratio": {
        "Laplace": ratio,
        "Gaussian": gaussian_ratio,
        "Theorem 2": 4.0,
    },
}
