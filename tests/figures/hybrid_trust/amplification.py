"""Amplified losses by `hdp.amplification`."""

import numpy as np

from hdp import amplification, hybrid, salaries


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
