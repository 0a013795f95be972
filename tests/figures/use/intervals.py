"""Half-widths by the library, for users of equal budgets."""

import math

import pytest
from scipy import stats

from hdp import intervals
from tests.figures.captions import line, says


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


# -- Half-widths with a variance that is paid for, by hand, for users of equal budgets.


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


def _most(n, epsilon):
    """The share that leaves the noise's own radius, at the rest of beta, that of Hoeffding at the rate 1."""
    eta = 1 / (n * epsilon)
    return 1 - eta * math.log(1 / 0.045) / (eta * math.log(20) + 0.25 / n / (2 * eta))


REFERENCES |= {
    "hdp-interval-variance": {
        "variance learned": _learned,
        "variance known": lambda n, epsilon, v: (
            _two_steps(v / n, 1 / (3 * n), 1 / (n * epsilon), 0.05) / _hoeffding(n, epsilon)
        ),
        "variance not used": 1.0,
        "from here on": lambda n, epsilon: max(_most(n, epsilon), 0.001),
        "error of sampling": lambda n, epsilon: epsilon * math.sqrt(n) / 2,
    },
}


# -- What the captions say.


@says("hdp-interval-width", "Where the noise rules, at few users, it is all but exact")
def the_interval_is_all_but_exact(figure):
    """The noise alone needs 0.4 % less for ten users, and 4 % less for a hundred."""
    ratio = line(figure, "one exponential", [10, 100]) / line(figure, "noise alone", [10, 100])
    assert ratio == pytest.approx([1.0042, 1.0417], abs=1e-3)
