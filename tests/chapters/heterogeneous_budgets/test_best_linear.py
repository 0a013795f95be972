"""The statements of the best linear release: from the definition in exact numbers, and against the library."""

from math import comb

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq, minimize_scalar

from hdp import Linear
from hdp.explore.evaluate import cell_values
from hdp.sym.heterogeneous_budgets import best_linear as sym
from hdp.sym.symbols import n
from tests.chapters.heterogeneous_budgets.test_upper_bound import saturation as level_of_algorithm_1
from tests.figures.captions import says
from tests.figures.lemma import of_groups


def statement(expression, budgets, level):
    """A statement at clipped budgets, exactly."""
    clipped = [sp.Min(b, level) for b in budgets]
    total, norm = sum(clipped), sp.sqrt(sum(b**2 for b in clipped))
    return expression.subs(sym.rest, sp.Max(norm, 8 / total)).subs({sym.total: total, sym.norm: norm, sym.level: level})


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize(
    ("budgets", "level", "least"),
    [
        ((1,) * 7 + (5,), 3, sp.Rational(3, 98)),
        ((1,) * 12 + (7, 0), 2, sp.Rational(1, 54)),
        ((8, 6), 20, sp.Rational(3, 64)),
    ],
)
def test_levels_that_are_whole(budgets, level, least):
    """The equation holds exactly where somebody is clipped, and the error is that of the weights, by definition."""
    budgets = [sp.Integer(b) for b in budgets]
    if max(budgets) > level:
        assert statement(sym.level_equation, budgets, level) == 0
        assert Linear([float(b) for b in budgets]).level == pytest.approx(level, rel=1e-14)
    assert statement(sym.least_error, budgets, level) == least
    eta = statement(sym.scale, budgets, level)
    weights = [eta * min(b, level) for b in budgets]
    both = sum(a**2 for a in weights), (1 - sum(weights)) ** 2
    assert max(both) / 4 + 2 * eta**2 == least
    assert Linear([float(b) for b in budgets]).mse() == pytest.approx(float(least), rel=1e-14)


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize("budgets", [(1,), (1, 1), (1, 2), (1, 1, 1, 1)])
def test_few_or_strict_users(budgets):
    """The error 2/(S^2 + 8) where sum times norm is at most 8, up to the border, which both cases share."""
    S, q = sum(budgets), sp.sqrt(sum(b**2 for b in budgets))
    assert S * q <= 8
    few = sym.few_error.subs(sym.total, S)
    assert Linear(budgets).mse() == pytest.approx(float(few), rel=1e-14)
    assert statement(sym.least_error, budgets, max(budgets)) == few


@pytest.mark.settles("hdp-linear-gain", "hdp-linear-public")
def test_the_gain_lies_between_its_bounds():
    """At one public user both Algorithm 1 and the lower end say 4; at no B is the gain over the cap larger."""
    quarter = sp.Rational(1, 4)
    assert quarter / sym.floor.subs(sym.B, quarter) == sym.largest_gain == quarter / sym.public_error.subs(n, 1)
    for size in (1, 4, 9, 100):
        assert sym.floor.subs(sym.B, sp.Rational(1, 4 * size)) == sym.public_error.subs(n, size)
        assert Linear([np.inf] * size).mse() == pytest.approx(float(sym.public_error.subs(n, size)), rel=1e-12)
    for k in range(1, 60):
        b = sp.Rational(k, 20)
        assert min(b, quarter) <= sym.largest_gain * sym.floor.subs(sym.B, b) * (1 + sp.Rational(1, 10**12))
        assert sym.floor.subs(sym.B, b) < sym.ceiling.subs(sym.B, b)


@pytest.mark.settles("hdp-linear-error")
def test_a_constant_never_helps():
    """Worst case with an offset over the mean, by search over means, against the one without; a coin has any mean."""
    means = np.linspace(-0.5, 0.5, 2001)
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b = rng.normal(size=int(rng.integers(1, 5))), rng.normal()
        squares, s = a @ a, a.sum()
        with_it, without = (squares * (0.25 - means**2) + ((s - 1) * means + c) ** 2 for c in (b, 0.0))
        assert without.max() == pytest.approx(max(squares, (1 - s) ** 2) / 4, rel=1e-12)
        assert with_it.max() > without.max()


@pytest.mark.settles("hdp-linear-public")
@pytest.mark.parametrize("size", [1, 2, 5, 16])
def test_the_public_estimator_is_the_posterior_mean(size):
    """For every number of heads, with a Beta prior of both parameters sqrt(n)/2; its error is alike for all coins."""
    a = Linear([np.inf] * size).weights[0]
    for heads in range(size + 1):
        posterior = (heads + size**0.5 / 2) / (size + size**0.5) - 0.5
        assert a * (heads - size / 2) == pytest.approx(posterior, rel=1e-12, abs=1e-15)
    stated = float(sym.public_error.subs(n, size))
    for head in np.linspace(0, 1, 11):
        chances = [comb(size, k) * head**k * (1 - head) ** (size - k) for k in range(size + 1)]
        error = sum(c * (a * (k - size / 2) + 0.5 - head) ** 2 for k, c in enumerate(chances))
        assert error == pytest.approx(stated, rel=1e-12)


# -- What the figures draw, by the library.


def least_for(level, epsilon_1, r, n, f):
    """Least worst-case error of multiples of these weights: at the crossing of the two worst cases, or before it."""
    clipped, sizes = np.minimum([epsilon_1, r * epsilon_1], level), n * np.array([f, 1 - f])
    total, squares = sizes @ clipped, sizes @ clipped**2
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
    """Algorithm 1 and its cap."""
    return min(of_groups(n * np.array([f, 1 - f]), np.array([epsilon_1, r * epsilon_1]))[1], 0.25)


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


# -- The levels of two groups, by the library and by root finding.


def given(n, epsilon_1, f):
    """One over n t, at the t where the slope of the error in t changes its sign."""
    strict = n * f

    def slope(t):
        return 4 * t - (strict / n - t * strict * epsilon_1) * strict * epsilon_1 / 2

    return 1 / (n * brentq(slope, 0, 1 / (n * epsilon_1), xtol=1e-18, rtol=1e-14))


REFERENCES |= {
    "cc-given-data": {
        "data drawn": level_of_algorithm_1,
        "given data": given,
        "what the strict": lambda epsilon_1: epsilon_1,
        "n at which": lambda epsilon_1, f: brentq(
            lambda n: level_of_algorithm_1(epsilon_1, n, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9
        ),
        "the same": lambda epsilon_1, f: brentq(lambda n: given(n, epsilon_1, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9),
    }
}


# -- What the captions say.


@says(
    "cc-best-linear",
    "With one generous user it is brightest at the top, where she is nearly all there is: 4 is the limit",
)
def test_one_generous_user_makes_the_top_brightest(figure):
    *_, cells = cell_values(figure, figure.values(n=10, f=0.9))
    assert cells.max() * 0.99 <= cells[-1].max() and cells.max() < 4
