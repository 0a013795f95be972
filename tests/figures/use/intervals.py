"""Half-widths by the library, for users of equal budgets."""

import math

from scipy import stats

from hdp import intervals


def _standard_error(n, epsilon):
    return math.sqrt(0.25 / n + 2 / (n * epsilon) ** 2)


def _width(n, epsilon, beta):
    return intervals.tilted(0.25 / n, 0.0, 1 / (n * epsilon), beta) / _standard_error(n, epsilon)


def _split(n, epsilon, beta):
    sigma, eta = 0.5 / math.sqrt(n), 1 / (n * epsilon)
    b = intervals.best_split(sigma, eta, beta)
    total = sigma * math.sqrt(2 * math.log(2 / (b * beta))) - eta * math.log((1 - b) * beta)
    return total / _standard_error(n, epsilon)


def _noise(n, epsilon, beta):
    return intervals.noise_radius(1 / (n * epsilon), beta) / _standard_error(n, epsilon)


REFERENCES = {
    "hdp-interval-width": {
        "a share of": _split,
        "one exponential": _width,
        "noise alone": _noise,
        "normal": lambda beta: stats.norm.isf(beta / 2),
    },
}
