"""Half-widths by the library, for users of equal budgets; the variance's own by hand."""

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


def _two_steps(v, c, eta, beta):
    """The radius at a rate per scale of the noise that two steps from 1 lead to."""
    a = 1.0
    for _ in range(2):
        a = min(1.0, eta / (c + math.sqrt(v / (2 * (math.log(2 / beta) - math.log1p(a))))))
    log = math.log(2 / beta) + a * math.log(2 * a / (1 + a)) - math.log1p(a)
    return eta / a * log + v * a / eta / (2 * (1 - c * a / eta))


def _bound(v, n, eta, beta):
    """As `variance_bound` before it is cut to 1/4."""
    log = -math.log(beta)
    largest = (math.sqrt(v + log / (2 * n)) + math.sqrt(log / (2 * n))) ** 2
    tilt = min(math.sqrt(2 * log * n / largest), 1 / eta)
    a = tilt * eta
    factor = a * math.log(2 * a / (1 + a)) - math.log1p(a)
    return (v + (log + factor) / tilt) / (1 - tilt / (2 * n))


def _hoeffding(n, epsilon):
    return _two_steps(0.25 / n, 0.0, 1 / (n * epsilon), 0.05)


def _learned(s_V, n, epsilon, v):
    bound = _bound(v, n, 1 / (n * s_V * epsilon), 0.005)
    return _two_steps(bound / n, 1 / (3 * n), 1 / (n * (1 - s_V) * epsilon), 0.045) / _hoeffding(n, epsilon)


def _known(n, epsilon, v):
    return _two_steps(v / n, 1 / (3 * n), 1 / (n * epsilon), 0.05) / _hoeffding(n, epsilon)


REFERENCES = {
    "hdp-interval-width": {
        "a share of": _split,
        "one exponential": _width,
        "noise alone": _noise,
        "normal": lambda beta: stats.norm.isf(beta / 2),
    },
    "hdp-interval-variance": {
        "variance learned": _learned,
        "variance known": _known,
        "variance not used": 1.0,
        "error of sampling": lambda n, epsilon: epsilon * math.sqrt(n) / 2,
    },
}
