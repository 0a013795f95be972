"""The statements on intervals against the library and against the laws themselves."""

import itertools
import math
import re

import numpy as np
import pytest
import sympy as sp
from scipy import optimize, stats

from hdp import ADPM, affine, intervals
from hdp.sym.symbols import epsilon, eta, n
from hdp.sym.use import intervals as sym
from hdp.sym.use.intervals import beta, proxy
from tests.figures.captions import line, says
from tests.files import ROOT

USERS = [(1, 0.005), (100, 0.05), (1000, 0.1), (1000, 1.0), (10**5, 0.7)]


@pytest.mark.settles("hdp-interval-radius")
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


@pytest.mark.settles("hdp-interval-split")
@pytest.mark.parametrize("beta", [0.2, 0.05, 0.001])
@pytest.mark.parametrize(("users", "budget"), USERS)
def test_the_best_split_is_the_fixed_point(users, budget, beta):
    sigma, scale = 0.5 / math.sqrt(users), 1 / (users * budget)
    b = intervals.best_split(sigma, scale, beta)
    given = {sym.proxy: sigma**2, eta: scale, sym.beta: beta, sym.split: b}
    assert float(sym.best_split.subs(given)) == pytest.approx(b, rel=1e-10)
    w = np.full(users, 1 / users)
    assert float(sym.union.subs(given)) == pytest.approx(intervals.split_radius(w, scale, beta), rel=1e-10)


@pytest.mark.settles("hdp-interval-noise")
def test_noise_radius_is_the_statement():
    assert float(sym.noise_radius.subs({eta: 0.3, sym.beta: 0.01})) == pytest.approx(intervals.noise_radius(0.3, 0.01))


@pytest.mark.settles("hdp-interval-more-noise")
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
    at_turn = {sym.proxy: v, eta: turn, sym.beta: beta, sym.excess: 0, sym.theta: 1}
    for stated in (sym.at_one, sym.at_rate):
        assert float(stated.subs(at_turn)) == pytest.approx(found[6], rel=1e-9)
    for scale, sign in ((0.99, 1), (1.01, -1)):  # with less noise the best rate is below 1, with more it is 1
        rising, falling = (float(side.subs(at_turn | {eta: scale * turn})) for side in sym.stationary)
        assert sign * (rising - falling) > 0


# -- The statements on what a variance is worth, against the library.

NOISY = [[0.05] * 100, [0.1] * 1000, [0.1] * 700 + [1.0] * 300, [0.02] * 50 + [5.0]]


@pytest.mark.settles("hdp-interval-price")
@pytest.mark.parametrize("chances", [(0.05, 0.005), (0.01, 0.004), (0.2, 0.001)])
@pytest.mark.parametrize("budgets", NOISY, ids=lambda budgets: f"{len(budgets)} users")
def test_no_variance_is_worth_more_than_the_stated_share(budgets, chances):
    """Not even the variance 0; with that, and where the rate 1 is the best one, every smaller share gains."""
    w = ADPM(budgets).weights
    scale, squares = affine.noise_scale(w, budgets), float(w @ w) / 4
    given = {beta: chances[0], sym.part: chances[1], proxy: squares, eta: scale}
    most = float(sym.most_share.subs(given))
    plain = intervals.population_radius(w, scale, chances[0])

    def after(share, variance=0.0):
        return intervals.population_radius(w, scale / (1 - share), chances[0] - chances[1], variance)

    for share in np.linspace(max(most, 0.0) + 1e-9, 0.99, 9):
        stated = float(sym.paid_radius.subs(given | {sym.share: share}))
        assert after(share) == pytest.approx(stated, rel=1e-12)
        assert all(after(share, v) >= plain * (1 - 1e-9) for v in (0.0, 0.01, 0.1, 0.25))
    if squares / (2 * scale**2) <= math.log(1 / chances[0]) and most > 0:
        assert after(most) == pytest.approx(plain, rel=1e-9)


@pytest.mark.settles("hdp-interval-price")
def test_where_noise_rules_no_share_is_worth_its_price():
    """The stated share is 0 just where V over twice the squared scale is the stated logarithm."""
    given = {beta: 0.05, sym.part: 0.005, eta: 1.0}
    for factor, sign in ((0.999, -1), (1.001, 1)):
        squares = factor * 2 * math.log(0.05 / 0.045)
        assert sign * float(sym.most_share.subs(given | {proxy: squares})) > 0


@pytest.mark.settles("hdp-interval-price")
@pytest.mark.parametrize("v", [0.001, 0.02, 0.2])
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_where_sampling_rules_the_ratio_tends_to_the_stated_one(share, v):
    """By the library for as many users as an array holds, and by what is drawn for more."""
    stated = float(sym.limit.subs({beta: 0.05, sym.part: 0.005, sym.variance: v}))
    distances = []
    for users in (10_000, 1_000_000):
        w, scale = np.full(users, 1 / users), 1 / users
        bound = intervals.variance_bound(v, np.full(users, share), 0.005)
        paid = intervals.population_radius(w, scale / (1 - share), 0.045, variance=bound)
        distances.append(abs(paid / intervals.population_radius(w, scale, 0.05) / stated - 1))
    assert distances[1] < min(0.3 * distances[0], 0.12)
    drawn = sp.lambdify([n, epsilon, beta, sym.share, sym.variance], sym.learned)
    assert drawn(1e14, 1.0, 0.05, share, v) == pytest.approx(stated, rel=1e-4)


@pytest.mark.settles("hdp-interval-worth")
def test_the_drawn_ratio_is_within_a_thousandth_of_that_at_the_best_rates():
    """All over the ranges of the sliders; the bound by trying 4,000 rates, and not cut to 1/4."""
    drawn = sp.lambdify([n, epsilon, beta, sym.share, sym.variance], sym.learned)
    ranges = (100, 1000, 10**4, 10**6), (0.01, 0.1, 0.9, 2.0), (1e-4, 0.01, 0.1, 0.25), (0.005, 0.02, 0.1, 0.6, 0.9)
    for users, budget, v, share in itertools.product(*ranges):
        eta, rest = 1 / (users * share * budget), 1 / (users * (1 - share) * budget)
        rate = min(1 / eta, 2 * users * (1 - 1e-9)) * np.geomspace(1e-7, 1, 4000)
        a = np.minimum(rate * eta, 1)
        log = a * np.log(2 * a / (1 + a)) - np.log1p(a) - math.log(0.005)
        bound = np.min((v + log / rate) / (1 - rate / (2 * users)))
        best = intervals.tilted(bound / users, 1 / (3 * users), rest, 0.045)
        best /= intervals.tilted(0.25 / users, 0.0, 1 / (users * budget), 0.05)
        assert drawn(users, budget, 0.05, share, v) == pytest.approx(best, rel=1e-3)


def test_the_budgets_of_the_exercise_are_rounded_down():
    """Of 400 users with the stated budget none gains by a share, and with the next one of three digits some do."""
    page = (ROOT / "book/use/learned-variance.md").read_text(encoding="utf-8")
    stated = float(re.search(r"that is \$\\epsilon \\le ([\d.]+)\$", page)[1])
    most = sp.lambdify(epsilon, sym.own_most_share.subs({n: 400, beta: 0.05}))
    assert most(stated) <= 0 < most(stated + 1e-4)


# -- What the figures draw, by the library.


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
def test_the_interval_is_all_but_exact(figure):
    """The noise alone needs 0.4 % less for ten users, and 4 % less for a hundred."""
    ratio = line(figure, "one exponential", [10, 100]) / line(figure, "noise alone", [10, 100])
    assert ratio == pytest.approx([1.0042, 1.0417], abs=1e-3)
