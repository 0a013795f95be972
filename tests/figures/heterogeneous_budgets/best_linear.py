"""Both errors from their definitions, with a level found by search: groups may have any size, whole or not."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from hdp.explore.evaluate import cell_values
from tests.figures.captions import line, number, positions, says

TRIVIAL = 0.25


def clipped_sums(epsilon_1, r, n, f, level):
    """Sum and sum of squares of the clipped budgets."""
    budgets, sizes = np.array([epsilon_1, r * epsilon_1]), n * np.array([f, 1 - f])
    clipped = np.minimum(budgets, level)
    return sizes @ clipped, sizes @ clipped**2


def least_for(level, *groups):
    """Least worst-case error of multiples of these weights: at the crossing of the two worst cases, or before it."""
    total, squares = clipped_sums(*groups, level)
    few = total / (total**2 + 8)
    c = min(few, 1 / (total + squares**0.5))
    return max(c**2 * squares, (1 - c * total) ** 2) / 4 + 2 * c**2


def error(epsilon_1, r, n, f):
    """Searched over the levels between the two budgets; the error has one valley."""
    groups = (epsilon_1, r, n, f)
    low, high = np.log(epsilon_1), np.log(r * epsilon_1)
    inside = minimize_scalar(
        lambda t: least_for(np.exp(t), *groups), bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    return min(inside.fun, least_for(epsilon_1, *groups), least_for(r * epsilon_1, *groups))


def switched(epsilon_1, r, n, f):
    """Algorithm 1: weights with the sum 1, clipped where that helps, and its cap."""

    def affine(level):
        total, squares = clipped_sums(epsilon_1, r, n, f, level)
        return (squares + 8) / (4 * total**2)

    level = brentq(lambda t: n * f * epsilon_1 * (t - epsilon_1) - 8, epsilon_1, epsilon_1 + 1e12)
    return min(affine(min(level, r * epsilon_1)), TRIVIAL)


def saturation(epsilon_1, n, f):
    """Where the excess over the level equation, with group 2 at the level, is 0."""

    def excess(t):
        level = epsilon_1 * np.exp(t)
        norm = (n * f * epsilon_1**2 + n * (1 - f) * level**2) ** 0.5
        return n * f * epsilon_1 * (1 - epsilon_1 / level) - 8 / level - 8 / norm

    return np.exp(brentq(excess, 0, 50, xtol=1e-14))


def gain(epsilon_1, r, n, f):
    return switched(epsilon_1, r, n, f) / error(epsilon_1, r, n, f)


def at_point(function):
    """At the reader's point."""
    return lambda epsilon_0, r_0, n, f: function(epsilon_0, r_0, n, f)


REFERENCES = {
    "cc-best-linear": {
        "error of Algorithm 1 over": gain,
        "the best release clips": saturation,
        "Algorithm 1 clips": lambda epsilon_1, n, f: 1 + 8 / (n * f * epsilon_1**2),
        "your point": lambda epsilon_0, r_0: (epsilon_0, r_0),
        "error of Algorithm 1 at": at_point(switched),
        "error of the best": at_point(error),
        "so many times": at_point(gain),
    }
}


# -- The levels of two groups, by the solvers of the library and by root finding.


def drawn(n, epsilon_1, f):
    """Where the sum of epsilon (tau - epsilon)_+ is 8, the other group above."""
    strict = n * f
    return brentq(lambda tau: strict * epsilon_1 * (tau - epsilon_1) - 8, epsilon_1, 1e9, xtol=1e-15, rtol=1e-14)


def given(n, epsilon_1, f):
    """One over n t, at the t where the slope of the error in t changes its sign."""
    strict = n * f

    def slope(t):
        return 4 * t - (strict / n - t * strict * epsilon_1) * strict * epsilon_1 / 2

    return 1 / (n * brentq(slope, 0, 1 / (n * epsilon_1), xtol=1e-18, rtol=1e-14))


REFERENCES |= {
    "cc-given-data": {
        "data drawn": drawn,
        "given data": given,
        "what the strict": lambda epsilon_1: epsilon_1,
        "n at which": lambda epsilon_1, f: brentq(
            lambda n: drawn(n, epsilon_1, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9
        ),
        "the same": lambda epsilon_1, f: brentq(lambda n: given(n, epsilon_1, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9),
    }
}


# -- What the captions say.


@says("cc-given-data", r"Lower \(\epsilon_1\): both levels come down to the strict group's line later")
def levels_come_down_later_for_smaller_budgets(figure):
    """They do not rise everywhere: with 10,000 users the level for drawn data falls from 0.116 to 0.082."""
    at = [float(line(figure, "data drawn", 1e4, epsilon_1=e)) for e in (0.1, 0.05)]
    assert at == pytest.approx([0.116, 0.082])
    for f in positions(figure, "f"):
        both = [
            [number(figure, start, epsilon_1=e, f=f) for e in positions(figure, "epsilon_1")]
            for start in ("n at which", "the same, given data")
        ]
        assert (np.diff(both) < 0).all() and (np.divide(*both) > 5).all()


@says(
    "cc-best-linear",
    "With one generous user it is brightest at the top, where she is nearly all there is: 4 is the limit",
)
def one_generous_user_makes_the_top_brightest(figure):
    """With 50 or 90 of 100 users strict, the top is darker than what lies below it."""
    for n, f, at_the_top in ((10, 0.9, True), (100, 0.5, False), (100, 0.9, False)):
        values = figure.values(n=n, f=f)
        *_, cells = cell_values(figure, values)
        assert (cells[-1].max() >= cells.max() * 0.99) == at_the_top and cells.max() < 4
