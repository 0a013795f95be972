"""The statements of the best linear release: from the definition in exact numbers, and against the library."""

from math import comb

import numpy as np
import pytest
import sympy as sp
import z3

from hdp import linear
from hdp.sym.heterogeneous_budgets import best_linear as sym
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.symbols import n


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
        assert linear.clipping_level([float(b) for b in budgets]) == pytest.approx(level, rel=1e-14)
    assert statement(sym.least_error, budgets, level) == least
    eta = statement(sym.scale, budgets, level)
    weights = [eta * min(b, level) for b in budgets]
    both = sum(a**2 for a in weights), (1 - sum(weights)) ** 2
    assert max(both) / 4 + 2 * eta**2 == least
    assert linear.worst_case_mse([float(b) for b in budgets]) == pytest.approx(float(least), rel=1e-14)


@pytest.mark.settles("hdp-best-linear")
@pytest.mark.parametrize("budgets", [(1,), (1, 1), (1, 2), (1, 1, 1, 1)])
def test_few_or_strict_users(budgets):
    """The error 2/(S^2 + 8) where sum times norm is at most 8, up to the border, which both cases share."""
    S, q = sum(budgets), sp.sqrt(sum(b**2 for b in budgets))
    assert S * q <= 8
    few = sym.few_error.subs(sym.total, S)
    assert linear.worst_case_mse(budgets) == pytest.approx(float(few), rel=1e-14)
    assert statement(sym.least_error, budgets, max(budgets)) == few
    if S * q == 8:
        assert sym.least_error.subs({sym.rest: q, sym.total: S}) == few


@pytest.mark.settles("hdp-linear-gain", "hdp-linear-public")
def test_the_gain_lies_between_its_bounds():
    """At one public user both Algorithm 1 and the lower end say 4; at no B is the gain over the cap larger."""
    quarter = sp.Rational(1, 4)
    assert quarter / sym.floor.subs(sym.B, quarter) == sym.largest_gain == quarter / sym.public_error.subs(n, 1)
    for size in (1, 4, 9, 100):
        assert sym.floor.subs(sym.B, sp.Rational(1, 4 * size)) == sym.public_error.subs(n, size)
        assert linear.worst_case_mse([np.inf] * size) == pytest.approx(float(sym.public_error.subs(n, size)), rel=1e-12)
    root = sp.Symbol("beta", positive=True)
    for k in range(1, 60):
        b = sp.Rational(k, 20)
        assert min(b, quarter) <= sym.largest_gain * sym.floor.subs(sym.B, b) * (1 + sp.Rational(1, 10**12))
        assert sym.floor.subs(sym.B, b) < sym.ceiling.subs(sym.B, b) == upper.shrunk_bound.subs(sym.B, b)
    assert sp.cancel(sym.floor.subs(sym.B, root**2) - (root / (1 + 2 * root)) ** 2) == 0


@pytest.mark.settles("hdp-linear-gain")
def test_z3_finds_no_release_below_the_lower_end():
    """Any sum s of weights with variance part V and bias part below E, and the mean-sum-1 error B at most V/s^2."""
    s, E, B, e, b = z3.Reals("s E B e b")  # e, b: roots of E, B
    claim = [e > 0, 2 * e < 1, e * e == E, b > 0, b * b == B, (1 - s) * (1 - s) <= 4 * E, B * s * s <= E, s > 0]
    solver = z3.Solver()
    solver.add(*claim, e * (1 + 2 * b) < b)
    assert solver.check() == z3.unsat


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
    a = linear.weights([np.inf] * size)[0]
    for heads in range(size + 1):
        posterior = (heads + size**0.5 / 2) / (size + size**0.5) - 0.5
        assert a * (heads - size / 2) == pytest.approx(posterior, rel=1e-12, abs=1e-15)
    stated = float(sym.public_error.subs(n, size))
    for head in np.linspace(0, 1, 11):
        chances = [comb(size, k) * head**k * (1 - head) ** (size - k) for k in range(size + 1)]
        error = sum(c * (a * (k - size / 2) + 0.5 - head) ** 2 for k, c in enumerate(chances))
        assert error == pytest.approx(stated, rel=1e-12)
