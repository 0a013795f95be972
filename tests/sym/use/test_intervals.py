"""The statements on intervals against the library and against the laws themselves."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy import optimize, stats

from hdp import intervals
from hdp.sym.symbols import eta
from hdp.sym.use import intervals as sym

USERS = [(100, 0.05), (1000, 0.1), (1000, 1.0), (10**5, 0.7)]


@pytest.mark.parametrize("beta", [0.2, 0.05, 0.001])
@pytest.mark.parametrize(("users", "budget"), USERS)
def test_the_best_rate_is_stationary_and_gives_the_librarys_radius(users, budget, beta):
    """With and without a variance; where the two sides do not cross, the rate is 1."""
    scale = 1 / (users * budget)
    for v, c in ((0.25 / users, 0.0), (0.01 / users, 1 / (3 * users))):
        given = {sym.proxy: v, sym.excess: c, eta: scale, sym.beta: beta}
        rising, falling = (sp.lambdify(sym.theta, side.subs(given)) for side in sym.stationary)
        gap = lambda a, rising=rising, falling=falling: rising(a) - falling(a)  # noqa: E731
        top = min(1.0, scale / c * (1 - 1e-12)) if c else 1.0
        rate = optimize.brentq(gap, 1e-9, top, xtol=1e-15) if gap(top) > 0 else 1.0
        stated = float(sym.at_rate.subs(given | {sym.theta: rate}))
        assert intervals.tilted(v, c, scale, beta) == pytest.approx(stated, rel=1e-9)


@pytest.mark.parametrize("beta", [0.2, 0.05, 0.001])
@pytest.mark.parametrize(("users", "budget"), USERS)
def test_the_best_split_is_the_fixed_point(users, budget, beta):
    sigma, scale = 0.5 / math.sqrt(users), 1 / (users * budget)
    b = intervals.best_split(sigma, scale, beta)
    given = {sym.proxy: sigma**2, eta: scale, sym.beta: beta, sym.split: b}
    assert float(sym.best_split.subs(given)) == pytest.approx(b, rel=1e-10)
    w = np.full(users, 1 / users)
    assert float(sym.union.subs(given)) == pytest.approx(intervals.split_radius(w, scale, beta), rel=1e-10)


def test_noise_radius_is_the_statement():
    radius = float(sym.noise_radius.subs({eta: 0.3, sym.beta: 0.01}))
    assert radius == pytest.approx(intervals.noise_radius(0.3, 0.01))
    assert 2 * stats.laplace(scale=0.3).sf(radius) == pytest.approx(0.01)


@pytest.mark.parametrize("beta", [0.2, 0.05, 0.001])
def test_more_noise_narrows_until_the_rate_is_1(beta):
    """The least radius of all scales is at the stated one, below Hoeffding's without noise."""
    v = 0.3
    turn = math.sqrt(v / (2 * math.log(1 / beta)))
    scales = turn * np.array([1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0, 1.01, 1.5, 4.0])
    found = np.array([intervals.tilted(v, 0.0, scale, beta) for scale in scales])
    assert np.argmin(found) == 6 and np.all(np.diff(found[:7]) < 0)
    assert found[6] == pytest.approx(math.sqrt(2 * v * math.log(1 / beta)), rel=1e-9)
    assert found[0] == pytest.approx(math.sqrt(2 * v * math.log(2 / beta)), rel=1e-4)
    assert float(sym.at_one.subs({sym.proxy: v, eta: turn, sym.beta: beta})) == pytest.approx(found[6], rel=1e-9)
