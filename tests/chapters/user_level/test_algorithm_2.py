"""Ratios of the predicted errors, which the page uses too, and the sizes of groups."""

import itertools

import numpy as np

from hdp import user_level
from hdp.figures.user_level.algorithm_2 import predicted
from tests.figures.captions import line, positions, says


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


# -- What the captions say.


@says("cfmt-algorithm-2-ratio", "Wherever the sliders stand, it is below 14, and where they stand first, below 2")
def test_not_knowing_costs_less_than_fourteen(figure):
    x, names = np.geomspace(0.2, 10, 15), ("k_1", "k_2", "f", "sigma_p")
    places = itertools.product(*(positions(figure, name, 4) for name in names))
    most = max(line(figure, "Algorithm 2", x, **dict(zip(names, place, strict=True))).max() for place in places)
    assert 13 < most < 14 and line(figure, "Algorithm 2", x).max() < 2
