"""Amplified losses by `hdp.amplification`."""

import itertools
from functools import partial

import numpy as np
import pytest

from hdp import amplification, hybrid, salaries
from hdp.laplace_sum import LaplaceSum
from tests.figures.captions import line, positions, says


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


# -- What the captions say.


@says("adk-figure-7", "stays far below, though it rises at its left end")
def the_printed_loss_more_than_doubles(figure):
    """At c = 0.1 %, as the coalition grows from nobody to all; at 10 % it does not move."""
    none, everybody = (line(figure, "printed", [0.001, 0.1], alpha=alpha) for alpha in (0, 1))
    assert everybody / none == pytest.approx([2.233, 1.0003], abs=1e-3) and everybody.max() < 0.005


@says(
    "adk-figure-7",
    r"and \(\delta = 10^{-7}\) they differ by factors of 250 at the left and 18,000 at the right",
)
def how_far_the_printed_guarantee_is_off(figure):
    """Whoever colludes; for a budget of 0.05 by 25,000 at the right, for the largest delta by 12,200."""
    for budget, delta, most in ((1, 1e-7, 18_000), (0.05, 1e-7, 25_200), (1, 3e-3, 12_200)):
        for alpha in positions(figure, "alpha", 2):
            values = {"epsilon": budget, "alpha": alpha, "delta": delta}
            ends = line(figure, "corrected", [0.001, 0.1], **values) / line(figure, "printed", [0.001, 0.1], **values)
            assert ends == pytest.approx([252, most], rel=0.01)


@says("adk-figure-7-adversaries", r"the line rises from \(0.45\,\epsilon\) to \(\epsilon\)")
def the_guarantee_of_those_who_trust(figure):
    """For every budget and every delta."""
    for epsilon, delta in itertools.product(positions(figure, "epsilon", 3), positions(figure, "delta", 3)):
        lost = line(figure, "corrected", [0, 1], epsilon=epsilon, delta=delta) / epsilon
        assert lost == pytest.approx([0.45, 1], abs=0.005)
