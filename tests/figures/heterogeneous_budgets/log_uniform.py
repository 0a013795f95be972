"""Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors, by quadrature."""

from functools import cache, partial
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


def total(function, a, b, n, *kinks):
    """Sum of a function of the budget over all users, read as an integral, piece by piece between its kinks."""
    ends = [a, *(k for k in sorted(kinks) if a < k < b), b]
    pieces = [quad(lambda e: function(e) / e, *piece, epsabs=0, epsrel=1e-13)[0] for piece in pairwise(ends)]
    return n / np.log(b / a) * sum(pieces)


@cache
def level(a, b, n):
    """Level of ADPM, by root finding."""

    def excess(tau):
        return total(lambda e: e * max(tau - e, 0), a, b, n, tau) - 8

    return brentq(excess, a * (1 + 1e-12), 1e5, xtol=1e-15, rtol=1e-14)


@cache
def fme_level(a, b, n):
    """Where eps > 1/sqrt(users with eps or more) first holds; on the left is what rises to b/sqrt(e) and then falls."""

    def excess(e):
        return e**2 * n * np.log(b / e) / np.log(b / a) - 1

    if excess(a) > 0:
        return n**-0.5
    peak = max(a, b / np.exp(0.5))
    return brentq(excess, a, peak, xtol=1e-16, rtol=1e-14) if excess(peak) > 0 else b


def precision(e, _=None):
    """One over the variance of a report."""
    return 1 / (1 / 4 + 2 / e**2)


# What weights are proportional to, for each estimator: a function of the budget and a level, and where the level is
RULES = {
    "UNI": (lambda e, low: low, lambda a, b, n: a),
    "LDPE": (precision, lambda a, b, n: b),
    "FME": (min, fme_level),
    "ADPM": (min, level),
    "PropDPM": (lambda e, _: e, lambda a, b, n: b),
}


@cache
def sums(name, a, b, n):
    """Level, and the sums of what the weights are proportional to and of its square."""
    proportion, rule = RULES[name]
    at = rule(a, b, n)
    first = total(lambda e: proportion(e, at), a, b, n, at)
    return at, first, total(lambda e: proportion(e, at) ** 2, a, b, n, at)


def present(function):
    """Nothing is drawn where there are no users."""
    return lambda epsilon, a, b, n: function(epsilon, a, b, n) if a <= epsilon <= b else np.nan


def weight(name):
    def weighed(epsilon, a, b, n):
        at, first, _ = sums(name, a, b, n)
        return n * RULES[name][0](epsilon, at) / first

    return present(weighed)


def error(name, a, b, n):
    """Error of weights proportional to clipped budgets and noise 1 over their sum; ADPM may answer 0."""
    _, first, second = sums(name, a, b, n)
    return min((second / 4 + 2) / first**2, 0.25 if name == "ADPM" else np.inf)


def sampling_lower(a, b, n):
    """Of SM, at the mean size of its sample."""
    size = total(np.expm1, a, b, n) / np.expm1(b)
    return 1 / (4 * size) + 2 / (size * b) ** 2


def relative(function):
    return lambda a, b, n: 4 * n * function(a, b, n)


REFERENCES = {
    "cc-general-log-uniform": {
        "PropDPM": lambda epsilon: epsilon,
        "UNI": lambda a: a,
        "FME": present(lambda epsilon, *shape: min(epsilon, fme_level(*shape))),
        "ADPM": present(lambda epsilon, *shape: min(epsilon, level(*shape))),
        "level τ": level,
        "share": lambda a, b, n: np.log(b / min(level(a, b, n), b)) / np.log(b / a),
        "error of ADPM": lambda a, b, n: 1e4 * error("ADPM", a, b, n),
    },
    "cc-log-uniform-weights": {"UNI": 1.0, "level τ": level}
    | {name: weight(name) for name in ("LDPE", "FME", "ADPM", "PropDPM")},
    "cc-log-uniform-error": {name: relative(partial(error, name)) for name in ("UNI", "FME", "ADPM", "PropDPM")}
    | {"SM": relative(sampling_lower), "LDPE": relative(lambda a, b, n: 1 / sums("LDPE", a, b, n)[1])},
}
