"""The library's error over each bound, from its inequality, with the bias that is best for this error."""

import numpy as np
from numpy.polynomial import Polynomial
from scipy.optimize import brentq, minimize_scalar

from hdp import adpm

# -- The library's error for two groups, one of them public, over the best of three counts with its best bias.


def top_of_hill(slope):
    """The most that a bias in [0, 1] proves, and this bias: at the top of the hill, or at the end."""
    hill = Polynomial([0, 0, 1, -slope]) / 4
    top = min(max(hill.deriv().roots()), 1.0)
    return hill(top), top


def left(epsilon, n, public_users):
    """Error over the best bound."""
    influence = (n - public_users) * np.tanh(epsilon / 2)
    by_data, by_both = np.sqrt(2 / np.pi * (np.array([n, public_users]) + 1)) + np.array([0, influence])
    bound, _ = max(map(top_of_hill, (by_data, by_both, influence + public_users)))
    return adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n) / bound


def limit(epsilon, n, public_users):
    """Noise alone, up to the cap, over what a slope of half the total budget proves."""
    total = n * epsilon
    return min(2 / total**2, 0.25) / top_of_hill(total / 2)[0] if public_users == 0 else np.nan


REFERENCES = {
    "cc-what-is-left": {
        "left to gain": left,
        "limit for very": limit,
        "limit 27/2": 13.5,
        "1: nothing": 1.0,
    }
}


def by_scores(error, strict, public, t):
    """The least norm over the one share of the strict users; that of the public ones is 1."""
    d = np.sin(np.arctan((2 * np.sqrt(error / 3)) ** (1 / 3)))  # best for sqrt(3)/cos + 2 sqrt(U)/sin
    cost, average = 2 * t / np.sqrt(1 - d * t), np.log((1 + d) / (1 - d)) / (2 * d)

    def norm(u):
        return strict * (1 - u) * cost + 2 * np.sqrt(average * (strict * u * u + public))

    u = 1.0
    if public:  # where the derivative is zero
        slope = lambda u: 2 * np.sqrt(average) * u / np.sqrt(strict * u * u + public) - cost  # noqa: E731
        u = brentq(slope, 0, 1, xtol=1e-16, rtol=1e-15) if slope(1) > 0 else 1.0
    return (min(norm(u), norm(1.0), np.inf if public else norm(0.0)) + 2 / d) ** -2


def by_signs(n, epsilon):
    """Positive root of the quadratic at delta = 1, by the formula that does not cancel."""
    total = n * (np.exp(epsilon) - 1)
    a, b = total * (total + 2) / 2, 2
    return (2 / (b + np.sqrt(b * b + 4 * a))) ** 2


def scores(epsilon, n, public_users):
    """Error over the first bound."""
    error = adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n)
    return error / by_scores(error, n - public_users, public_users, np.tanh(epsilon / 2))


def promise(epsilon, n, public_users):
    """The least over the angle whose sine is delta of (sqrt(3)/cos + 2 sqrt(U)/sin)^2."""
    error = adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n)
    root = lambda angle: np.sqrt(3) / np.cos(angle) + 2 * np.sqrt(error) / np.sin(angle)  # noqa: E731
    return minimize_scalar(root, bounds=(0, np.pi / 2), method="bounded", options={"xatol": 1e-10}).fun ** 2


REFERENCES |= {
    "cc-smaller-gap": {"two coins": left, "scores": scores, "promise": promise, "3:": 3.0},
    "cc-no-gap": {
        "scores shared": lambda epsilon, n: scores(epsilon, n, 0),
        "errors by sign": lambda epsilon, n: adpm.two_group_bound(epsilon, epsilon, n, 0.5) / by_signs(n, epsilon),
        "3.6:": (1 + np.sqrt(5 + np.sqrt(8))) ** 2 / 4,
    },
}
