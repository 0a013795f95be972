"""Half-widths by the library, for users of equal budgets."""

import math

from scipy import stats

from hdp import intervals


def _relative(radius):
    """A half-width over the standard error, from the deviation of the sampling and the scale of the noise."""

    def drawn(n, epsilon, beta):
        sigma, eta = 0.5 / math.sqrt(n), 1 / (n * epsilon)
        return radius(sigma, eta, beta) / math.sqrt(sigma**2 + 2 * eta**2)

    return drawn


def _split(sigma, eta, beta):
    b = intervals.best_split(sigma, eta, beta)
    return sigma * math.sqrt(2 * math.log(2 / (b * beta))) - eta * math.log((1 - b) * beta)


REFERENCES = {
    "hdp-interval-width": {
        "a share of": _relative(_split),
        "one exponential": _relative(lambda sigma, eta, beta: intervals.tilted(sigma**2, 0.0, eta, beta)),
        "noise alone": _relative(lambda sigma, eta, beta: intervals.noise_radius(eta, beta)),
        "normal": lambda beta: stats.norm.isf(beta / 2),
    },
}
