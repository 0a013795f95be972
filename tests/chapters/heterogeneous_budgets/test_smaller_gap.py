"""The lower bound from scores: its steps against brute force, and the bound against linear programs and searches."""

from itertools import permutations, product

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial
from scipy import integrate
from scipy.optimize import brentq, linprog, minimize, minimize_scalar

from hdp import ADPM, adpm, minimax
from hdp.minimax import scores
from hdp.sym.heterogeneous_budgets import smaller_gap as sym
from tests.figures.captions import line, says
from tests.figures.lemma import of_groups
from tests.oracles import budgets, inf, thorough

SLACK = 1 + 1e-12
FACTOR = sp.lambdify(sym.error, sym.factor)


def chances(users, mu):
    """Probability of every data set of `users` tosses with mean mu, 1 for heads."""
    heads = np.array([sum(x) for x in product((1, 0), repeat=users)])
    return (0.5 + mu) ** heads * (0.5 - mu) ** (users - heads)


def best_mechanism(epsilon, outputs=41, means=33):
    """A private mechanism on a grid of outputs with the least worst error over a grid of means: a linear program.

    Returns its probabilities, data sets by outputs; its error over all means is above the minimax error.
    """
    answers, grid = (np.linspace(-0.5, 0.5, size) for size in (outputs, means))
    data = list(product((1, 0), repeat=len(epsilon)))
    rows = [[*np.outer(chances(len(epsilon), mu), (answers - mu) ** 2).ravel(), -1] for mu in grid]
    for (x, one), (z, other) in permutations(zip(data, np.eye(len(data)), strict=True), 2):
        differ = [e for e, c, d in zip(epsilon, x, z, strict=True) if c != d]
        if len(differ) == 1 and differ[0] < inf:
            private = np.kron(one - np.exp(differ[0]) * other, np.eye(outputs))
            rows.extend(np.hstack([private, np.zeros((outputs, 1))]))
    whole = np.hstack([np.kron(np.eye(len(data)), np.ones(outputs)), np.zeros((len(data), 1))])
    worst = np.append(np.zeros(len(data) * outputs), 1)
    solved = linprog(worst, rows, np.zeros(len(rows)), whole, np.ones(len(data)))
    assert solved.status == 0
    return answers, solved.x[:-1].reshape(len(data), outputs)


def worst_error(answers, mechanism):
    """The largest error over the means."""
    users = int(np.log2(len(mechanism)))
    errors = [chances(users, mu) @ mechanism @ (answers - mu) ** 2 for mu in np.linspace(-0.5, 0.5, 1001)]
    return max(errors)


SMALL = [[1.0], [inf], [0.3, 0.3], [0.5, inf], [inf] * 3, [1.0] * 3, [0.2, 2.0, inf], [3.0, 3.0, 4.0], [1.0] * 4]


@pytest.mark.settles("hdp-signs-bound", "hdp-few-users")
@pytest.mark.parametrize("epsilon", SMALL, ids=str)
def test_no_mechanism_errs_less_than_the_bound(epsilon):
    """The best mechanism on a grid exists, so the bound stays below its error; the program can find small errors."""
    found = worst_error(*best_mechanism(epsilon))
    assert max(minimax.le_cam(epsilon), minimax.van_trees(epsilon)) <= found <= ADPM(epsilon).mse() * 1.01
    if min(epsilon) == inf:
        assert found == pytest.approx(1 / (4 * (1 + np.sqrt(len(epsilon))) ** 2), rel=0.01)


# The steps


@pytest.mark.settles("hdp-posterior-score")
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0, inf])
@pytest.mark.parametrize("place", [-0.4, 0.0, 0.4, 0.9])
def test_the_largest_score_that_privacy_lets_through(epsilon, place):
    """Given an output whose probabilities differ by e^eps, the expected score; the worst ratio is at an end."""
    ratios = np.exp(np.linspace(-min(epsilon, 40), min(epsilon, 40), 4001))
    heads, tails = (1 + place) / 2 * ratios, (1 - place) / 2
    expected = (heads * 2 / (1 + place) - tails * 2 / (1 - place)) / (heads + tails)
    stated = float(sym.posterior_score.subs({sym.influence: np.tanh(epsilon / 2), sym.place: abs(place)}))
    assert np.abs(expected).max() == pytest.approx(stated, rel=1e-9)


@pytest.mark.settles("hdp-scores")
@pytest.mark.parametrize("t, delta", [(0.1, 0.3), (0.7, 0.9), (1.0, 0.5)])
def test_averages_over_the_means(t, delta):
    """Mean squares of the score and of the information, by quadrature."""
    at = {sym.influence: t, sym.delta: delta}
    score = sp.lambdify(sym.place, sym.posterior_score.subs(at))
    mean = integrate.quad(lambda y: score(y) ** 2, 0, delta)[0] / delta
    assert float(sym.score_norm.subs(at)) ** 2 == pytest.approx(mean, rel=1e-12)
    mean = integrate.quad(lambda y: 4 / (1 - y * y), 0, delta)[0] / delta
    assert float(sym.average_information.subs(at)) == pytest.approx(mean, rel=1e-12)
    cube = integrate.quad(lambda y: ((1 + y * y) / (1 - y * y)) ** 2, 0, delta)[0] / delta  # of the normal limit's rest
    assert 2 / (1 - delta**2) - 2 * np.arctanh(delta) / delta + 1 == pytest.approx(cube, rel=1e-12)


@pytest.mark.settles("hdp-scores", "hdp-noise-alone", "hdp-signs-bound")
@pytest.mark.parametrize("epsilon", [[0.0], [0.5, inf], [0.2, 2.0, inf], [1.0] * 3], ids=str)
def test_the_inequalities_hold_for_the_best_mechanisms(epsilon):
    """Both, with the error of a mechanism in place of the minimax error, for every delta and random shares, or none.

    At budget 0 and without shares both are attained as delta tends to 1.
    """
    answers, mechanism = best_mechanism(epsilon, 21, 17)
    L, t, rng = worst_error(answers, mechanism), np.tanh(np.array(epsilon) / 2), np.random.default_rng(1)
    for delta in (0.2, 0.5, 0.9, 0.99):
        at = {sym.delta: delta}
        cost = [float(sym.score_norm.subs(at | {sym.influence: x})) for x in t]
        shares = np.vstack([np.zeros(t.size), rng.random((50, t.size))])
        norms = (1 - shares) @ cost + np.sqrt(float(sym.average_information.subs(at)) * np.sum(shares**2, axis=1))
        assert np.all(np.sqrt(L) * (norms + 2 / delta) >= 1)
        total = sum(2 * t / (1 - delta * t))
        assert np.sqrt(L) >= float(sym.sign_root.subs(at | {sym.strength: total}))
        average = float(sym.average_information.subs(at))
        for above in product((False, True), repeat=t.size):  # whose scores count for the data
            low = t[~np.array(above)]
            shared = {
                sym.strength: np.sum(2 * low / (1 - delta * low)),
                sym.data_strength: (average * sum(above)) ** 0.5,
            }
            assert np.sqrt(L) >= float(sym.shared_sign_root.subs(at | shared))


# The bound


def searched(epsilon, users=1):
    """Both bounds for every share, not only of the best form, and every delta, by general optimisers."""
    t, users = np.tanh(np.array(epsilon) / 2), np.broadcast_to(users, len(epsilon))

    def norm(x, delta, normal):
        u, average = np.clip(x, 0, 1), np.arctanh(delta) / delta
        s, second = users @ ((1 - u) * 2 * t / np.sqrt(1 - delta * t)), users @ u**2
        y, extra = 2 * np.sqrt(average * second), 2 / (1 - delta**2) - 2 * average + 1
        z = np.sqrt(2 / np.pi) * y + 2 * (users @ u**3) / max(second, 1e-300) * np.sqrt(extra)
        return np.sqrt(s**2 + 2 * s * (min(y, z) if normal else y) + y**2)

    found = []
    for delta in np.linspace(0.04, 0.96, 24):
        for normal, start in product((False, True), (0.2, 0.8)):
            inner = minimize(norm, np.full(t.size, start), (delta, normal), bounds=[(0, 1)] * t.size)
            found.append((inner.fun + 2 / delta) ** -2)
    for delta in np.linspace(0.01, 1, 400):
        if delta * t.max() < 1:
            S, w = users @ (2 * t / (1 - delta * t)), 2 / delta
            roots = np.roots([S * (S + w) / 2, w, -1])
            found.append(max(roots) ** 2)
    return max(found)


@pytest.mark.settles("hdp-scores", "hdp-signs-bound")
@pytest.mark.parametrize(
    ("epsilon", "users"),
    [
        *(([0.4], 1), ([inf], 1), ([0.01] * 30, 1), ([inf, 0.05], (2, 6)), (list(np.geomspace(0.01, 3, 8)), 1)),
        *(([0.0, 1.0, inf], (2, 1, 1)), ([0.1, 0.25, 0.5, 1.5], (20, 14, 19, 4))),
        *(([0.05, 0.5, inf], many) for many in [(3000, 50, 100), (400, 400, 30), (10**5, 10, 1000)]),  # nearly normal
    ],
    ids=str,
)
def test_the_search_loses_next_to_nothing(epsilon, users):
    """Nothing above it is found by more than a thousandth."""
    found, best = minimax.van_trees(np.repeat(epsilon, users)), searched(epsilon, users)
    assert best / 1.002 <= found <= best * 1.002


@pytest.mark.settles("hdp-smaller-factor")
@thorough
@given(budgets(max_size=60))
def test_the_algorithm_is_within_the_factor_for_any_budgets(epsilon):
    """U <= (3^(1/3) + (4U)^(1/3))^3 L, so 14.6 L; and never below L."""
    bound, U = minimax.van_trees(epsilon), ADPM(epsilon).mse()
    assert 0 < bound <= U * SLACK
    assert U <= FACTOR(U) * bound * 1.001 and FACTOR(U) <= float(sym.any_budgets_factor) * SLACK < 14.6


@pytest.mark.settles("hdp-smaller-factor")
def test_the_factor_is_the_best_of_its_kind():
    """The least over delta of (sqrt(3/(1 - delta^2)) + 2 sqrt(U)/delta)^2; the larger U, the larger it is."""
    for U in (1e-8, 1e-4, 0.01, 0.25):
        best = minimize_scalar(
            lambda d, U=U: (np.sqrt(3 / (1 - d**2)) + 2 * np.sqrt(U) / d) ** 2,
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert best.fun == pytest.approx(FACTOR(U), rel=1e-9)
    assert sp.simplify(sym.factor.subs(sym.error, sp.Rational(1, 4)) - sym.any_budgets_factor) == 0
    assert sp.limit(sym.factor, sym.error, 0) == 3


@pytest.mark.settles("hdp-limit-factor")
def test_the_limit_of_the_factor_is_the_largest_over_splits():
    """Over all q = |w|_2 and splits x the least over q of the largest ratio, with the normal limit; it is attained."""
    rho = float(sym.normal)
    assert scores.NORMAL == pytest.approx(rho, rel=1e-15)
    angle = np.linspace(0, np.pi / 2, 20001)
    a, b = np.cos(angle), np.sin(angle)
    dual = a**2 + b**2 - 2 * rho * a * b  # scaled to 1 - rho^2 where a >= rho b and b >= rho a
    value = (2 * a**2 + b**2) * (1 - rho**2) / dual
    inside = (a >= rho * b) & (b >= rho * a)
    assert value[inside].max() == pytest.approx(float(sym.limit_factor), rel=1e-7)
    assert value[inside].argmax() not in (0, inside.sum() - 1)
    assert 2.73 < value[inside].max() < 2.74
    x = np.geomspace(0.1, 10, 20001)  # a strict group beside public users: noise over sampling
    assert ((x**2 + 2 * rho * x + 1) / (x**2 / 2 + 1)).max() == pytest.approx(float(sym.limit_factor), rel=1e-7)


@pytest.mark.settles("hdp-limit-factor", "hdp-smaller-factor")
@settings(thorough, max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 14), st.one_of(st.floats(-9, 1), st.just(inf))), min_size=1, max_size=4))
@example([(15, -7.8386), (13, inf)])
@example([(2.25, -6.875)])  # where shares between 0 and 1, over which nothing searches, would be best of the first
def test_groups_of_any_sizes_keep_the_factor_and_come_down_to_its_limit(groups):
    """Powers of ten of users and of their budgets, and ever more users."""
    users, epsilon = 10.0 ** np.array(sorted(groups, key=lambda group: group[1])).T
    U = 1.0
    while U > 1e-13:
        U = min(of_groups(users, epsilon)[1], 0.25)
        biases = (4 * U / 3) ** (1 / 6) * np.geomspace(0.5, 10, 61)
        influence = np.tanh(epsilon / 2)
        found = [f(delta, influence, users) for f in (scores._split, scores._signs) for delta in biases if delta < 1]
        ratio = U / max(found)
        assert ratio <= FACTOR(U) * 1.001
        users = 100 * users
    assert ratio <= float(sym.limit_factor) * 1.001


@pytest.mark.settles("hdp-signs-bound", "hdp-strict-users-scores")
@pytest.mark.parametrize("total", [0.01, 0.5, 2 * np.sqrt(2), 10.0, 300.0])
def test_the_gap_of_strict_users(total):
    """A million users of one budget against the limit; its largest value is at the cap; and the search ends at 1."""
    gap = sp.lambdify(sym.strength, sym.strict_gap)
    strict = np.full(10**6, total / 10**6)
    at_one = sym.sign_root.subs({sym.delta: 1, sym.strength: 1e6 * np.expm1(total / 1e6)}) ** 2
    assert minimax.van_trees(strict) >= float(at_one) / SLACK
    assert ADPM(strict).mse() / minimax.van_trees(strict) == pytest.approx(gap(total), rel=0.02)
    assert gap(total) <= gap(2 * np.sqrt(2)) == pytest.approx(float(sym.strict_worst), rel=1e-12)
    assert gap(1e-9) == pytest.approx(1, abs=1e-6) and gap(1e9) == pytest.approx(1, abs=1e-6)


@pytest.mark.settles("hdp-noise-alone")
@pytest.mark.parametrize("q, slack", [(1e-4, 1.2), (1e-6, 1.02), (1e-8, 1.002)])
def test_nothing_is_left_where_noise_is_all(q, slack):
    """Of the clipped budgets the sum is S and the norm about q; half its square are public users', or nobody is."""
    S = q**-2
    public, strict = (q * S / 8) ** 2 / 2, 2 * (S / q) ** 2  # numbers of users, of which the latter share S
    U = (q**2 / 4 + 2) / S**2
    delta, budget = 1 / (S * np.sqrt(q)), S / strict
    t = budget / 2  # tanh of it, to the last digit
    at = {sym.delta: delta, sym.strength: strict * 2 * t / (1 - delta * t), sym.data_strength: 2 * np.sqrt(public)}
    assert 1 <= U / float(sym.shared_sign_root.subs(at)) ** 2 <= slack
    at[sym.strength] = S / (1 - delta * budget)  # all are strict: half as many, of twice the budget
    assert 1 <= U / float(sym.sign_root.subs(at)) ** 2 <= slack


@pytest.mark.settles("hdp-strict-users-scores")
@pytest.mark.parametrize("total", [0.01, 0.5, 2 * np.sqrt(2), 10.0, 300.0])
def test_the_gap_of_strict_users_of_different_budgets(total):
    """What counts is that their norm is small."""
    strict = np.random.default_rng(3).pareto(3, 10**6)
    strict *= total / strict.sum()
    found = ADPM(strict).mse() / minimax.van_trees(strict)
    assert 1 <= found * SLACK and found <= sp.lambdify(sym.strength, sym.strict_gap)(total) * 1.05


# -- What the figures draw, by the library.


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


def scores_gap(epsilon, n, public_users):
    """Error over the first bound."""
    error = adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n)
    return error / by_scores(error, n - public_users, public_users, np.tanh(epsilon / 2))


def promise(epsilon, n, public_users):
    """The least over the angle whose sine is delta of (sqrt(3)/cos + 2 sqrt(U)/sin)^2."""
    error = adpm.two_group_bound(epsilon, np.inf, n, 1 - public_users / n)
    root = lambda angle: np.sqrt(3) / np.cos(angle) + 2 * np.sqrt(error) / np.sin(angle)  # noqa: E731
    return minimize_scalar(root, bounds=(0, np.pi / 2), method="bounded", options={"xatol": 1e-10}).fun ** 2


REFERENCES |= {
    "cc-smaller-gap": {"two coins": left, "scores": scores_gap, "promise": promise, "3:": 3.0},
    "cc-no-gap": {
        "scores shared": lambda epsilon, n: scores_gap(epsilon, n, 0),
        "errors by sign": lambda epsilon, n: adpm.two_group_bound(epsilon, epsilon, n, 0.5) / by_signs(n, epsilon),
        "3.6:": (1 + np.sqrt(5 + np.sqrt(8))) ** 2 / 4,
    },
}


# -- What the captions say.


@says(
    "cc-smaller-gap",
    "three or more: the peak sinks and the dip rises; the hump between strict and generous is there without",
)
def test_public_users_leave_the_hump_as_it_is(figure):
    """One of them raises the peak."""
    peak, dip, hump = np.geomspace(1e-7, 1e-4, 200), np.geomspace(1e-4, 1e-3), np.geomspace(1e-3, 4e-3, 200)
    number_of = (0, 1, 3, 10, 100, 1000)
    lines = {p: [line(figure, "scores", x, public_users=p) for x in (peak, dip, hump)] for p in number_of}
    tops, bottoms, humps = zip(*((a.max(), b.min(), c.max()) for a, b, c in lines.values()), strict=True)
    assert tops[1] > tops[0] and (np.diff(tops[1:]) < 0).all() and tops[2] < tops[0]
    assert (np.diff(bottoms) > 0).all() and humps == pytest.approx(np.full(6, 3.06), abs=0.01)


@says("cc-no-gap", "the dashed one has a peak of 8.9 there, falls to 2, has a hump of 3, and falls to 1")
def test_the_dashed_line_has_a_peak(figure):
    """In this order from left to right."""
    parts = [(1e-7, 1e-4, 8.86, max), (1e-4, 1e-3, 2.17, min), (1e-3, 1e-2, 3.06, max), (1e-2, 10, 1.03, min)]
    for low, high, expected, extreme in parts:
        found = extreme(line(figure, "scores shared", np.geomspace(low, high, 400)))
        assert found == pytest.approx(expected, abs=0.02)
