"""The library's error over each bound, from its inequality, with the bias that is best for this error."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.optimize import brentq, minimize_scalar

from hdp import adpm
from tests.figures.captions import line, number, says

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


# -- What the captions say.


@says(
    "cc-smaller-gap",
    "three or more: the peak sinks and the dip rises; the hump between strict and generous is there without",
)
def public_users_leave_the_hump_as_it_is(figure):
    """One of them raises the peak."""
    peak, dip, hump = np.geomspace(1e-7, 1e-4, 200), np.geomspace(1e-4, 1e-3), np.geomspace(1e-3, 4e-3, 200)
    number_of = (0, 1, 3, 10, 100, 1000)
    lines = {p: [line(figure, "scores", x, public_users=p) for x in (peak, dip, hump)] for p in number_of}
    tops, bottoms, humps = zip(*((a.max(), b.min(), c.max()) for a, b, c in lines.values()), strict=True)
    assert tops[1] > tops[0] and (np.diff(tops[1:]) < 0).all() and tops[2] < tops[0]
    assert (np.diff(bottoms) > 0).all() and humps == pytest.approx(np.full(6, 3.06), abs=0.01)


@says("cc-no-gap", "the dashed one has a peak of 8.9 there, falls to 2, has a hump of 3, and falls to 1")
def the_dashed_line_has_a_peak(figure):
    """In this order from left to right."""
    parts = [(1e-7, 1e-4, 8.86, max), (1e-4, 1e-3, 2.17, min), (1e-3, 1e-2, 3.06, max), (1e-2, 10, 1.03, min)]
    for low, high, expected, extreme in parts:
        found = extreme(line(figure, "scores shared", np.geomspace(low, high, 400)))
        assert found == pytest.approx(expected, abs=0.02)


@says("cc-what-is-left", "Add a few public users: the plateau rises above the limit for strict users")
def a_few_public_users_raise_the_plateau(figure):
    """Where every second user is public, nothing rises above it."""
    x = np.geomspace(1e-7, 10, 400)
    for public in (1, 10, 100):
        assert line(figure, "left to gain", x, public_users=public).max() > 18
    assert line(figure, "left to gain", x, public_users=1000, n=2000).max() < 13.5


@says("cc-no-gap", "draw together and rise, the peak just above the rule")
def the_parts_rise_for_fewer_people(figure):
    """For a hundred the line neither falls to 1 nor is near 2 where the lines cross."""
    for k, peak, dip in ((1e6, 3.61, 1.03), (100, 3.68, 1.89)):
        x = np.geomspace(1 / k, 2000 / k if k > 1e3 else 15 / k, 4000)
        y = line(figure, "errors by", x, n=k)
        top = y[x * k < 5].max()
        assert top == pytest.approx(peak, abs=0.01) and y[x * k > 3].min() == pytest.approx(dip, abs=0.05)
    assert top > number(figure, "3.6")
