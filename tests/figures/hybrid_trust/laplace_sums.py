"""Losses under sums of Laplace variables by `hdp.laplace_sum`, and a convolution of two."""

from functools import partial

import numpy as np

from hdp.laplace_sum import LaplaceSum


def loss(size, z, epsilon):
    return LaplaceSum(size, 1.0).privacy_loss(z, epsilon) / epsilon


def log_density(y, rho_T):
    """The convolution in three pieces: the second summand below 0, between, and above y."""
    slow, fast, decay = np.exp(-y / rho_T), np.exp(-y), 1 - 1 / rho_T
    return np.log((slow + fast) / (1 + 1 / rho_T) - slow * np.expm1(-y * decay) / decay)


def weighted(shift, z, epsilon, rho_T):
    """Loss of a user whose value moves the output by so much, as a fraction of epsilon."""
    return (log_density(z, rho_T) - log_density(z + shift, rho_T)) / epsilon


REFERENCES = {
    "adk-laplace-loss": {f"{size} user": partial(loss, size) for size in range(1, 7)},
    "adk-laplace-weighted": {
        "user of the larger": lambda z, epsilon, rho_T: weighted(epsilon * rho_T, z, epsilon, rho_T),
        "user of the smaller": lambda z, epsilon, rho_T: weighted(epsilon, z, epsilon, rho_T),
        "limit 1": 1.0,
        "limit 1/ρ": lambda rho_T: 1 / rho_T,
        "limit for": lambda epsilon, rho_T: epsilon / rho_T,
    },
}
