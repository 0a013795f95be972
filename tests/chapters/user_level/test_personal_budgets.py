"""Errors from the library's weights, for groups of any size."""

import itertools

import numpy as np

from hdp import ADPM, affine, clipping, user_level
from hdp.user_level.algorithm_2 import accuracy
from hdp.user_level.parts import head_size
from tests.figures.captions import line, positions, says

BETA, RICH, HALF = 0.05, 4000, 10_000


def error(size, v, believed, d, budgets):
    """With the best weights for believed variances."""
    w = clipping.optimal_weights(believed / size, d / (size * budgets), 2.0) / size
    return size @ (w * w * v) + 2 * np.max(w * d / budgets) ** 2


def estimated(size, k, budgets, tail, users, sigma_p):
    """Algorithm 2 with first estimates at their aim; the head is asked with the budget of the first kind."""
    w = ADPM(tail).weights
    alpha = accuracy(affine.noise_scale(w, tail), np.linalg.norm(w), BETA)
    v = user_level.sample_mean_variance(0.5, sigma_p, k)
    aim = np.sqrt(8) * v[0]
    believed = user_level.sample_mean_variance(0.5, np.sqrt(aim), k)
    d = np.minimum(1, 2 * (alpha + user_level.half_width(k, users, aim, BETA)))
    asked = [sum((tail == budget) & (samples == 20)) for budget, samples in zip(budgets, k, strict=True)]
    asked[0] += head_size(k, budgets[0], BETA)
    return error(size - asked, v, believed, d, budgets)


def ratio(who):
    """Error over that of the estimator that knows p and sigma_p."""

    def at(epsilon_1, k_1, gamma_rich, sigma_p):
        k, budgets = np.array([k_1, 20.0] * 2), np.array([1.0, 1.0, epsilon_1, epsilon_1])
        rich = RICH * np.array([gamma_rich, 1 - gamma_rich])
        size = np.array([rich[0], HALF - rich[0], rich[1], HALF - rich[1]])
        v = user_level.sample_mean_variance(0.5, sigma_p, k)
        d = np.minimum(1, 2 * user_level.half_width(k, 2 * HALF, sigma_p**2, BETA))
        if who == "all":
            own = estimated(size, k, budgets, np.repeat([epsilon_1, 1.0], 1000), 2 * HALF, sigma_p)
        elif who == "one":
            strict = np.full(2000, epsilon_1)
            own = estimated(size[:2] + size[2:], k[:2], budgets[2:], strict, 2 * HALF, sigma_p)
        else:
            own = estimated(size[:2], k[:2], budgets[:2], np.ones(1000), HALF, sigma_p)
        return own / error(size, v, v, d, budgets)

    return at


REFERENCES = {
    "hdp-personal-budgets": {
        "own budget": ratio("all"),
        "strictest": ratio("one"),
        "strict users": ratio("generous"),
    },
}


# -- What the captions say.


@says("hdp-personal-budgets", "the dotted one falls after a small rise")
def test_the_dotted_line_rises_first(figure):
    start, top, end = line(figure, "strict users left out", [0.1, 0.193, 0.9])
    assert end < start < top < 1.05 * start


@says("hdp-personal-budgets", "her own for each (thick) the error is the least of the three everywhere")
def test_the_thick_line_is_the_lowest(figure):
    """At any position of the sliders where the others are drawn."""
    x = np.linspace(0.1, 0.9, 30)
    for e, k, s in itertools.product(*(positions(figure, name, 4) for name in ("epsilon_1", "k_1", "sigma_p"))):
        values = {"epsilon_1": e, "k_1": k, "sigma_p": s}
        own, *others = (line(figure, name, x, **values) for name in ("own", "strictest", "strict u"))
        assert not any((own >= other).any() for other in others)
