"""The best few levels: against every choice of levels in fractions, and against the bounds of the page."""

from itertools import combinations

import numpy as np
import pytest
import scipy
import sympy as sp

from hdp import ADPM, threshold
from hdp.explore import Points
from hdp.figures.threshold.few_levels import BUDGETS
from hdp.figures.threshold.few_levels import few_levels as drawn
from hdp.sym.symbols import n as users
from hdp.sym.threshold import few_levels as sym
from tests.oracles import exact_mse, inf

FAMILIES = {
    "log-uniform": lambda rng, n: np.exp(rng.uniform(-4, 2, n)),
    "Pareto": lambda rng, n: 0.01 / rng.random(n),
    "public and strict": lambda rng, n: np.append(np.exp(rng.uniform(-9, -4, n - 3)), [np.inf] * 3),
    "ranks": lambda rng, n: 0.01 / np.arange(1, n + 1),
    "ties": lambda rng, n: rng.choice([0.0, 0.01, 0.02, 0.3, 0.5, 4.0], n) + 0.001,
}


def draws(seed, count, low, high):
    """Budgets of every family, for so many users."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        for family in FAMILIES.values():
            yield family(rng, int(rng.integers(low, high + 1)))


def of_every_choice(budgets, j):
    """The least error of all choices of at most j of the budgets as levels, the best weights for each."""
    choices = combinations({e for e in budgets if e}, j)
    return min(exact_mse([max((x for x in levels if x <= e), default=0) for e in budgets]) for levels in choices)


TRAPS = (  # levels and scale improved in turn end elsewhere, in one case with an error larger by half: a random search
    (1, [0.06, 0.37, 0.37, 0.4, 0.4, 0.96, 1.06, 9.12, 24.81]),
    (1, [0.02, 0.09, 0.49, 0.55, 0.99, 1.29, 4.15, 21.15]),
    (2, [0.97, 1.71, 2.34, 3.14, 4.39, 11.66, 17.34, 17.68]),
    (2, [0.03, 0.03, 0.08, 0.29, 0.75, 1.73, 10.6]),
    (2, [0.25, 0.33, 0.52, 0.55, 1.11, 1.19, 2.24, 2.61]),  # the best scale lies between where the search begins
)


FAR_APART = [([2.41, 8.24e17], 1), ([1.3e6, 1e30], 1), ([1e8] * 5 + [1e30], 1)]


@pytest.mark.parametrize(("eps", "j"), [([2.0] * 2, 1), ([1.0] * 8, 3), ([0.5] * 32, 2), *FAR_APART])
def test_levels_of_budgets_that_are_equal_or_far_apart(eps, j):
    """Where the clipping level is twice the budget, and where it rounds to the largest one."""
    least = of_every_choice(eps, min(j, np.unique(eps).size))
    assert threshold.best_levels(eps, j).mse == pytest.approx(float(least), rel=1e-12)


@pytest.mark.settles("hdp-few-best")
def test_the_best_levels_are_those_of_all_choices():
    """Up to ten users, exact fractions, every subset of the budgets; no local optimum misleads."""
    cases = [*TRAPS]
    for eps in draws(1801, 12, 4, 10):
        different = np.unique(eps).size
        cases += [(min(j, different), eps.tolist()) for j in {1, 2, 3, different - 1, different} - {0}]
    for j, eps in cases:
        least = float(of_every_choice(eps, j))
        assert threshold.best_levels(eps, j).mse == pytest.approx(least, rel=1e-12)


def plain_value(budgets, counts, j, tau):
    """The largest area of j steps at one scale, which is a step too, by the table of all pairs, over tau^2."""
    low, above = budgets <= tau, counts[budgets > tau].max(initial=0)
    budgets, counts = budgets[low], counts[low]
    if above:
        budgets, counts = np.append(tau, budgets), np.append(above, counts)
    heights = budgets * (2 * tau - budgets)
    area, step = counts * heights, np.subtract.outer(counts, counts).T * heights
    for _ in range(j - 1):
        area = np.maximum(area, np.max(np.where(step > 0, area[:, None] + step, -np.inf), axis=0))
    return (area.max() - 8) / tau**2


@pytest.mark.settles("hdp-few-best")
def test_another_route_finds_no_better_levels():
    """The textbook's table of all pairs at hundreds of scales, for some hundred users, tau added as a level."""
    for eps in draws(1802, 1, 150, 200):
        eps = eps[(eps > 0) & np.isfinite(eps)]
        budgets, numbers = np.unique(eps, return_counts=True)
        budgets, counts = budgets[::-1], np.cumsum(numbers[::-1]).astype(float)
        for j in (2, 4):
            found = threshold.best_levels(eps, j)
            at = 4 * found.mse * found.effective_epsilon.sum()
            values = [plain_value(budgets, counts, j, tau) for tau in [*(at * np.geomspace(0.3, 3, 150)), at]]
            assert max(values) <= (1 + 1e-12) / (4 * found.mse)
            assert max(values) == pytest.approx(1 / (4 * found.mse), rel=1e-12)
            even = np.linspace(0.3, 3, 60) * at
            areas = np.array([plain_value(budgets, counts, j, tau) * tau**2 + 8 for tau in even])
            assert np.diff(areas, 2).min() >= -1e-11 * areas.max()  # convex


@pytest.mark.settles("hdp-few-best")
def test_everybody_is_used_at_the_largest_level_that_she_allows():
    """Losses, weights, counts and error belong together."""
    for eps in draws(1804, 3, 5, 60):
        for j in (1, 2, 4):
            found = threshold.best_levels(eps, j)
            assert 1 <= found.levels.size <= j and np.all(np.diff(found.levels) < 0)
            allowed = [found.levels[found.levels <= e].max(initial=0) for e in eps]
            assert np.array_equal(found.effective_epsilon, allowed)
            assert found.users.tolist() == [np.count_nonzero(np.array(allowed) == x) for x in found.levels]
            if np.all(np.isfinite(found.levels)):
                total = np.sum(allowed)
                np.testing.assert_allclose(found.weights, allowed / total, rtol=1e-12)
                error = np.sum(np.square(allowed)) / (4 * total**2) + 2 / total**2
                assert found.mse == pytest.approx(error, rel=1e-12)


def test_a_level_of_public_users_is_the_least_of_their_budgets():
    """Infinite for users without a limit, and else a budget of theirs, however large it is: what each loses."""
    for eps, level in (([1.0, inf, inf], inf), ([1.0, 1e150, inf], 1e150), ([1.0, 1e100, 1e100], 1e100)):
        found = threshold.best_levels(eps, 1)
        assert found.levels.tolist() == [level] and found.effective_epsilon.tolist() == [0.0, level, level]
        assert found.users.tolist() == [2] and found.weights.tolist() == [0.0, 0.5, 0.5] and found.mse == 1 / 8


@pytest.mark.parametrize("unit", [1e-20, 1e-60, 1e-300])
def test_the_best_level_of_hardly_any_budget_is_the_one_with_the_least_noise(unit):
    """1000 users at 3 units add up to more than 1500 at 1, however few all of them would leave to sampling."""
    found = threshold.best_levels(np.repeat([unit, 3 * unit], [500, 1000]), 1)
    assert found.levels.tolist() == [3 * unit] and found.users.tolist() == [1000]


def bound(expression, **values):
    """A stated bound as a number."""
    names = {"j": sym.j, "h": sym.spread, "k": sym.k, "n": users, "eta": sym.dropped}
    return float(expression.subs({names[name]: sp.Float(value, 30) for name, value in values.items()}))


def little_range():
    """Budgets between which lies a factor of little more than 1, few of them large."""
    yield np.repeat(0.001 / np.arange(100, 131), [100, *[1] * 30])
    yield np.linspace(0.001, 0.0012, 500)


@pytest.mark.settles("hdp-few-range")
def test_no_levels_lose_more_than_a_grid():
    """In any place g^2, in the best one g, where j levels or j - 1 steps reach from the least budget to the level."""
    for eps in [*draws(1805, 4, 5, 300), *little_range()]:
        used = np.minimum(eps, ADPM(eps).level)
        spread = used.max() / used.min()
        for j in (1, 2, 3, 5, 8):
            ratio = threshold.best_levels(eps, j).ratio
            assert ratio <= bound(sym.by_any_grid, j=j, h=spread) * (1 + 1e-12)
            if j > 1:
                assert ratio <= bound(sym.by_range, j=j, h=spread) * (1 + 1e-12)


@pytest.mark.settles("hdp-few-range")
def test_little_range_needs_the_powers():
    """For one level no smaller power than h^2 holds, for many none below h^(1/j): as budgets come together."""
    h, n = 1.01, 20000
    falling = 1e-7 / np.arange(n, int(n * h) + 1)
    eps = np.repeat(falling, [n, *[1] * (falling.size - 1)])
    one, most = threshold.best_levels(eps, 1).ratio, bound(sym.by_any_grid, j=1, h=h)
    assert most**0.98 < one <= most
    eps = 1e-6 * np.linspace(1, 1.01, 5000)
    for j in (2, 4):
        ratio = threshold.best_levels(eps, j).ratio
        assert bound(sym.by_range, j=j + 1, h=1.01) ** 0.95 < ratio <= bound(sym.by_range, j=j, h=1.01)


@pytest.mark.settles("hdp-few-any")
def test_however_strict_the_strictest_are():
    """The bound for n users knows nothing of their budgets; without the part that is dropped it would be false."""
    rng = np.random.default_rng(1806)
    for n in (1, 2, 5, 20, 100):
        for eps in (np.exp(rng.uniform(-60, 0, n)), 0.01 / np.arange(1, n + 1) ** 2, 0.01 / np.arange(1, n + 1)):
            for j in (2, 3, 6):
                part = bound(sym.best_dropped, j=j)
                most = bound(sym.by_users_at_best, j=j, n=n)
                assert threshold.best_levels(eps, j).ratio <= most
                assert most == pytest.approx(bound(sym.by_users, j=j, n=n, eta=part), rel=1e-12)
                for other in (0.9 * part, 1.1 * part):
                    assert most < bound(sym.by_users, j=j, n=n, eta=other)


@pytest.mark.settles("hdp-few-worst")
def test_no_budgets_lose_more_than_the_square_of_the_ratio_of_levels():
    """k different budgets, j levels."""
    for eps in draws(1807, 6, 5, 40):
        k = np.unique(eps[eps > 0]).size
        for j in range(1, min(k, 6) + 1):
            ratio = threshold.best_levels(eps, j).ratio
            assert ratio < bound(sym.by_budgets, j=j, k=k) or (j == k and ratio == pytest.approx(1, abs=1e-12))


@pytest.mark.settles("hdp-few-worst")
@pytest.mark.parametrize("case", [(4, 2), (4, 3), (5, 2), (6, 4)], ids=lambda case: f"{case[1]} of {case[0]}")
def test_geometric_budgets_come_near_the_square(case):
    """At least the stated ratio, and that within a few per cent of (k/j)^2."""
    k, j = case
    step = {4: 30, 5: 20, 6: 9}[k]
    counts = step ** np.arange(k)
    eps = np.repeat(1e-3 / counts, np.diff(counts, prepend=0))
    at = {sym.k: k, sym.j: j, sym.B: step, sym.m: 1, sym.s: sp.Rational(1, 1000)}
    stated, ratio = float(sym.geometric_at_least.subs(at)), threshold.best_levels(eps, j).ratio
    assert stated <= ratio * (1 + 1e-12) and ratio < bound(sym.by_budgets, j=j, k=k)
    assert stated > 0.82 * bound(sym.by_budgets, j=j, k=k)
    eps, total = 1000 * eps, 1000 * eps.sum()
    error = np.square(eps).sum() / (4 * total**2) + 2 / total**2
    assert float(sym.geometric_at_least.subs(at | {sym.s: 1})) == pytest.approx(2 / j**2 / error, rel=1e-12)


def hardest_by_programme(sizes, j):
    """Largest sum of falling budgets of which no j levels serve more than 1, by linear programming."""
    k, widths = len(sizes), np.diff(sizes, prepend=0)
    rows = []
    for chosen in combinations(range(k), j):
        row = np.zeros(k)
        row[list(chosen)] = np.diff(np.array(sizes)[list(chosen)], prepend=0)
        rows.append(row)
    falls = np.eye(k - 1, k, 1) - np.eye(k - 1, k)
    limits = np.append(np.ones(len(rows)), np.zeros(k - 1))
    return -scipy.optimize.linprog(-widths, A_ub=np.vstack([*rows, falls]), b_ub=limits).fun


@pytest.mark.settles("hdp-few-one-less")
@pytest.mark.parametrize("sizes", [(1, 2, 3), (1, 3, 8, 20), (1, 2), (2, 3, 7, 8, 30), (5, 6)], ids=str)
def test_one_level_less_costs_what_is_stated(sizes):
    """By linear programming, by the library at the hardest budgets, and never more for others."""
    stated = float(sym.one_less(sizes))
    assert hardest_by_programme(sizes, len(sizes) - 1) ** 2 == pytest.approx(stated, rel=1e-9)
    widths = np.diff(sizes, prepend=0)
    eps = np.repeat([1e-5 * float(c) for c in sym.hardest(sizes)], widths)
    assert threshold.best_levels(eps, len(sizes) - 1).ratio == pytest.approx(stated, rel=1e-7)
    rng = np.random.default_rng(1808)
    for _ in range(100):
        levels = np.sort(np.exp(rng.uniform(-8, 2, len(sizes))))[::-1]
        assert threshold.best_levels(np.repeat(levels, widths), len(sizes) - 1).ratio <= stated * (1 + 1e-12)


@pytest.mark.settles("hdp-few-one-less")
def test_the_worst_budgets_for_one_level_come_near_where_counts_grow_fast():
    counts = np.array([1, 10**3, 10**6])
    eps = np.repeat(1e-8 / counts, np.diff(counts, prepend=0))
    assert 0.999 < threshold.best_levels(eps, 2).ratio / float(sym.one_less((1, 10**3, 10**6))) < 1


@pytest.mark.settles("hdp-few-one-less")
@pytest.mark.parametrize("counts", [(1, 2, 3), (1, 30, 900), (2, 3, 7, 8, 30), (5, 6, 7, 8)], ids=str)
def test_the_worst_budgets_for_one_level_stay_below_whatever_their_size(counts):
    """Without clipping, with the first budgets clipped, and with nearly all of them clipped."""
    for s in (1e-6, 1.0, 10.0, 100.0):
        eps = np.repeat(s / np.array(counts), np.diff(counts, prepend=0))
        assert threshold.best_levels(eps, len(counts) - 1).ratio < 0.999 * float(sym.one_less(counts))


@pytest.mark.settles("hdp-few-figure")
def test_dots_of_the_figure_are_the_best_levels():
    """Their errors by the table of all pairs, at the scale that they have."""
    layers = [layer for layer in drawn.layers if isinstance(layer, Points)]
    assert [layer.label for layer in layers] == [*BUDGETS]
    for layer in layers:
        eps = np.sort(BUDGETS[layer.label])[::-1][:1000]
        for j, height in zip(map(int, layer.x), layer.y, strict=True):
            tau = 4 * threshold.best_levels(eps, j).mse * threshold.best_levels(eps, j).effective_epsilon.sum()
            value = plain_value(eps, np.arange(1.0, 1001), j, tau)
            assert height == pytest.approx(1 / (4 * value) / threshold.affine_mse(eps), rel=1e-11)
