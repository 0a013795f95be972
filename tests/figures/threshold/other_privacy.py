"""Two groups with Gaussian noise, by the definitions of both errors; with Laplace noise as on the pages before."""

import numpy as np

from hdp import clipping
from tests.figures.threshold.one_threshold import ratio


def gaussian_ratio(nu, rho, s):
    """As if n = 1; the losses are those that have the effect of the pure budgets s and s times the root of rho."""
    users = np.array([1.0, nu]) / (1 + nu)
    losses = (s / 2) ** 2 * np.array([1.0, rho])
    deviations = np.sqrt(2 * losses)
    weights = clipping.optimal_weights(0.25 / users, 1 / (users * deviations), 1.0)
    affine = np.sum(weights**2 / users) / 4 + np.max(weights / (users * deviations)) ** 2
    kept = 0.25 / np.array([1.0, users[1]]) + 1 / (np.array([1.0, users[1]]) * deviations) ** 2
    return kept.min() / affine


REFERENCES = {
    "cz-gaussian-ratio": {
        "Laplace": ratio,
        "Gaussian": gaussian_ratio,
        "Theorem 2": 4.0,
    },
}
