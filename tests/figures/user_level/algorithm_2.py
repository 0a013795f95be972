"""Ratios of the predicted errors, which the page uses too, and the sizes of groups."""

import numpy as np

from hdp import user_level
from hdp.figures.user_level.algorithm_2 import predicted


def ratio(top, bottom):
    def at(**values):
        found = predicted(**values)
        return found[top] / found[bottom]

    return at


def asked(epsilon, G, beta):
    """Size of the head, where the largest number of samples asks for G scales."""
    return len(user_level.user_groups(np.full(40_000, 2.0 ** (G - 7)), epsilon, beta, tail=1)[0])


REFERENCES = {
    "cfmt-algorithm-2-ratio": {"Algorithm 2": ratio(2, 1), "private ideal": ratio(1, 0)},
    "cfmt-head": {
        "users asked first": asked,
        "least that any": lambda epsilon, G, beta: np.log((G - 1) * (1 - beta) / beta) / epsilon,
        "log n": lambda n: np.log(n),
    },
}
