"""Amplified losses by `hdp.amplification`."""

from functools import partial

import numpy as np

from hdp import amplification, hybrid, salaries
from hdp.laplace_sum import LaplaceSum


def loss(theorem, weight):
    def at(c, alpha, epsilon, delta):
        s = hybrid.Setting(
            n=salaries.USERS, c=c, m=salaries.MAXIMUM, epsilon=epsilon, sigma_t=salaries.DEVIATION, delta=delta
        )
        return theorem(s, weight(s), delta, alpha)

    return at


def small(c, epsilon):
    return hybrid.Setting(n=10_000, c=c, m=1, epsilon=epsilon, sigma_t=0.1, delta=1e-7)


def group(pick):
    return lambda w, c, alpha, epsilon: pick(*amplification.group_epsilons(small(c, epsilon), w, 1e-7, alpha))


FIGURE_7 = {
    "corrected": loss(amplification.amplified_epsilon, hybrid.kvh_weight),
    "printed": loss(amplification.printed_epsilon, hybrid.kvh_weight),
    "weight c": loss(amplification.amplified_epsilon, hybrid.naive_weight),
    "ε": lambda epsilon: epsilon,
}
REFERENCES = {
    "adk-figure-7": FIGURE_7,
    "adk-figure-7-adversaries": FIGURE_7,
    "adk-amplification-weight": {
        "corrected": group(np.maximum),
        "printed": group(np.minimum),
        "all users alike": lambda c: c,
        "KVH": lambda c, epsilon: hybrid.kvh_weight(small(c, epsilon)),
        "no amplification": lambda epsilon: epsilon,
    },
}


# -- Losses under sums of Laplace variables by `hdp.laplace_sum`, and a convolution of two.


def laplace_sums_loss(size, z, epsilon):
    return LaplaceSum(size, 1.0).privacy_loss(z, epsilon) / epsilon


def log_density(y, rho_T):
    """The convolution in three pieces: the second summand below 0, between, and above y."""
    slow, fast, decay = np.exp(-y / rho_T), np.exp(-y), 1 - 1 / rho_T
    return np.log((slow + fast) / (1 + 1 / rho_T) - slow * np.expm1(-y * decay) / decay)


def weighted(shift, z, epsilon, rho_T):
    """Loss of a user whose value moves the output by so much, as a fraction of epsilon."""
    return (log_density(z, rho_T) - log_density(z + shift, rho_T)) / epsilon


REFERENCES |= {
    "adk-laplace-loss": {f"{size} user": partial(laplace_sums_loss, size) for size in range(1, 7)},
    "adk-laplace-weighted": {
        "user of the larger": lambda z, epsilon, rho_T: weighted(epsilon * rho_T, z, epsilon, rho_T),
        "user of the smaller": lambda z, epsilon, rho_T: weighted(epsilon, z, epsilon, rho_T),
        "limit 1": 1.0,
        "limit 1/ρ": lambda rho_T: 1 / rho_T,
        "limit for": lambda epsilon, rho_T: epsilon / rho_T,
    },
}
