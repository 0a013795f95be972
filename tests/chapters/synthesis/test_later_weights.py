"""What the lemma gives for later works: solvers, searches and draws instead of its formulas."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

from hdp import adpm, clipping, given_data, notions
from hdp.baselines import BASELINES
from hdp.proof import assert_monte_carlo
from hdp.sym.foundations.notions import d, reach_1
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.symbols import epsilon_1, f, n
from hdp.sym.synthesis import later_weights as sym
from tests.chapters.heterogeneous_budgets.test_best_linear import given
from tests.figures.captions import line, positions, says
from tests.figures.lemma import optimum
from tests.files import read


def test_the_map_has_every_work_of_the_table_at_its_place():
    """The same letters, works and places; the places are models of the map of limits; no work is told without one."""
    page = read("book/synthesis/later-work.md")
    table = re.findall(r"^\| ([a-z]) \| \{cite:t\}`(\w+)` \| ([^|]+) \|", page, re.M)
    root = ElementTree.fromstring(read("book/_static/later-map.svg"))
    marks = [mark.attrib for mark in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert sorted((m["data-letter"], m["data-work"], m["data-place"]) for m in marks) == table
    models = set(re.findall(r'data-(?:start|end)="([^"]+)"', read("book/_static/limits-map.svg")))
    assert {place for *_, place in table} <= models
    told = re.findall(r"\{cite:t\}`(\w+)`", page.split("\n## ", 1)[1])
    others = {"chaudhuri2023mean", "cyffers2026limits"}  # papers of the book
    others |= {"rogers2016odometers", "feldman2021individual"}  # of adding up losses, not of weights
    assert set(told) - others == {work for _, work, _ in table} and len(table) >= 18


def ratios(budgets):
    """Largest weight over the least, by a route for each setting, for two groups of which one is public."""
    v, width = 0.04, 0.2 * 4 * np.sqrt(np.log(budgets.size))
    return {
        "drawn": adpm.weights(budgets),
        "given": given_data.weights(budgets),
        "gaussian": clipping.optimal_weights(v, width / budgets, 2.0),
        "steps": adpm.weights(budgets / np.sqrt(12), notion="gdp", dimension=30),
        "local": 1 / (0.25 + 2 / budgets**2),
    }


@pytest.mark.settles("hdp-later-caps")
@pytest.mark.parametrize(("strict", "generous", "budget"), [(5, 5, 0.3), (40, 2, 0.1), (3, 600, 1.0)])
def test_the_caps_are_the_ratios_of_the_weights(strict, generous, budget):
    """Of a public user and a strict one; and with a budget of half the cap the ratio is that of the budgets."""
    size = strict + generous
    at = {n: size, f: sp.Rational(strict, size), epsilon_1: budget, reach_1: budget, d: 30, sym.steps: 12}
    stated = {name: float(cap.subs(at)) for name, cap in sym.caps.items()}
    found = ratios(np.repeat([budget, np.inf], [strict, generous]))
    for name, w in found.items():
        assert w.max() / w.min() == pytest.approx(stated[name], rel=1e-9), name
        if name != "local":
            ratio = 1 + (stated[name] - 1) / 2
            w = ratios(np.repeat([budget, budget * ratio], [strict, generous]))[name]
            assert w.max() / w.min() == pytest.approx(ratio, rel=1e-9), name
    v, s, weight = 0.1, 3.0, 0.7
    costs = np.repeat([s, 0.0], [strict, generous])
    w = clipping.optimal_weights(v, costs, weight)
    general = float(sym.cap.subs(at | {sym.v: v, sym.s_1: s, kappa: weight}))
    assert w[-1] / w[0] == pytest.approx(general, rel=1e-9)
    w = clipping.optimal_weights(v, np.append(costs, s / 2), weight)  # one more below the level, between the two
    beside = sym.cap.subs(at | {n: size + 1, f: sp.Rational(strict, size + 1), sym.v: v, sym.s_1: s, kappa: weight})
    assert w[strict] / w[0] < general * (1 - 1e-9) and float(beside) == pytest.approx(general)
    assert w[-1] / w[0] == pytest.approx(2, rel=1e-9)


def test_without_a_curator_small_budgets_count_by_their_squares():
    """Weights of reports differ more than budgets while these are small; they stay below the cap."""
    weight = lambda e: 1 / (0.25 + 2 / e**2)  # noqa: E731
    for strict, ratio in ((1e-3, 10.0), (0.1, 10.0), (0.1, 1000.0)):
        cap = float(sym.caps["local"].subs(epsilon_1, strict))
        assert weight(strict * ratio) / weight(strict) < cap
    assert weight(1e-2) / weight(1e-3) == pytest.approx(100, rel=1e-4)
    assert weight(1.0) / weight(0.1) == pytest.approx(89)


@pytest.mark.settles("hdp-later-caps")
def test_gaussian_values_rarely_leave_the_interval():
    """In fewer than one of n samples of n values any is cut, and the interval is no wider than that needs by half."""
    rng = np.random.default_rng(1)
    for size in (10, 100):
        half = float(sym.cut_width.subs({sym.sigma: 1, n: size})) / 2
        assert half == pytest.approx(2 * np.sqrt(np.log(size)))
        outside = np.abs(rng.normal(size=(20_000, size))).max(axis=1) > half
        assert outside.mean() < 1 / size


def fixed(budgets, level, weight):
    """Worst error of the weights that a level gives: a fair coin on two ends."""
    w = np.minimum(budgets, level)
    w = w / w.sum()
    return np.sum(w**2) / 4 + weight * np.max(w / budgets) ** 2


@pytest.mark.settles("hdp-fixed-level")
def test_a_wrong_level_costs_at_most_the_square_of_its_factor():
    """Random budgets, levels on both sides; and budgets for which it costs nearly that."""
    rng, most = np.random.default_rng(2), 0.0
    for _ in range(400):
        budgets = 10 ** rng.uniform(-2, 1.5, int(rng.integers(1, 60)))
        weight = 10 ** rng.uniform(-1, 1.5)
        level = 4 * clipping.water_level(budgets / 4, budgets, weight)
        best = fixed(budgets, level, weight)
        for g in (1.2, 2.0, 7.0):
            for wrong in (level * g, level / g):
                clipped = np.minimum(budgets, wrong)
                drawn = {sym.total: clipped.sum(), sym.squares: np.sum(clipped**2), kappa: weight}
                error = float(sym.fixed_error.subs(drawn))
                assert fixed(budgets, wrong, weight) <= error * (1 + 1e-12)
                assert error <= sym.most_lost(g) * best * (1 + 1e-12)
                most = max(most, np.log(error / best) / np.log(g))
    assert most <= 2
    alike = np.full(10, 1e-4)
    lemmas = adpm.clipping_level(alike)  # far above the budget, where the best levels begin
    assert lemmas / 3 > 1e-4 and fixed(alike, lemmas, 2.0) == pytest.approx(fixed(alike, 1e-4, 2.0))
    below = {sym.total: alike.sum() / 3, sym.squares: np.sum((alike / 3) ** 2), kappa: 2}
    assert float(sym.fixed_error.subs(below)) == pytest.approx(sym.most_lost(3) * fixed(alike, 1e-4, 2.0), rel=1e-6)


def test_a_level_that_is_too_high_costs_a_quarter_of_its_factor():
    """At most the factor of Kantorovich, which two budgets come near; one too low costs more."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        budgets = 10 ** rng.uniform(-2, 1.5, int(rng.integers(1, 60)))
        weight, g = 10 ** rng.uniform(-1, 1.5), 1 + 10 ** rng.uniform(-1, 1.5)
        level = 4 * clipping.water_level(budgets / 4, budgets, weight)
        clipped = np.minimum(budgets, g * level)
        error = float(sym.fixed_error.subs({sym.total: clipped.sum(), sym.squares: clipped @ clipped, kappa: weight}))
        assert error <= (1 + g) ** 2 / (4 * g) * fixed(budgets, level, weight) * (1 + 1e-12)
    level, b = 2**-0.5, 1e-6  # level squared is 8 u with u = 1/16
    budgets = np.append(np.full(round(8 / (b * level)), b), 100.0)
    level = adpm.clipping_level(budgets)
    losses = [fixed(budgets, x, 2.0) / fixed(budgets, level, 2.0) for x in (16 * level, 4 * level)]
    assert losses[0] == pytest.approx(17**2 / 64, rel=1e-3) and losses[1] < losses[0]


def test_of_a_range_of_levels_neither_its_end_nor_its_middle_costs_least():
    """What is fixed where the best level lies between a and 16 a: the two bounds are nearly equal at 9.4 a."""
    most = {c: max(sym.most_lost(16 / c), (1 + c) ** 2 / (4 * c)) for c in (4, 9.3, 9.4, 9.5, 16)}
    assert min(most, key=most.get) == 9.4 and 2.88 < most[9.4] < 2.9 and most[16] > 4.5 and most[4] == 16
    rng, worst = np.random.default_rng(11), 0.0
    for _ in range(300):
        budgets = 10 ** rng.uniform(-4, 1.5, int(rng.integers(1, 60)))
        level = adpm.clipping_level(budgets)
        least = level / 16 ** rng.random()  # the a for which the best level is between a and 16 a
        worst = max(worst, fixed(budgets, 9.4 * least, 2.0) / fixed(budgets, level, 2.0))
    strict = np.append(np.full(round(8 / (1e-6 * 2**-0.5)), 1e-6), 100.0)
    level = adpm.clipping_level(strict)
    ends = [fixed(strict, c * level, 2.0) / fixed(strict, level, 2.0) for c in (9.4, 16)]
    assert 1 < worst <= most[9.4] and 2.7 < ends[0] < 2.9 < 4.5 < ends[1]


@pytest.mark.settles("hdp-fixed-level")
def test_a_level_fixed_beforehand_is_private_and_errs_as_stated():
    """Two noisy sums of whoever is there, by their densities and by draws."""
    rng = np.random.default_rng(3)
    budgets = 10 ** rng.uniform(-1, 0.5, 400)
    omega = np.minimum(budgets, 0.8)
    steps = np.abs(np.linspace(-0.5, 0.5, 21)[:, None] + np.array([0.5, -0.5]))  # of a user, over her weight
    assert np.all(steps.sum(axis=1) <= 1 + 1e-12) and np.all(omega <= budgets)
    stated = float(sym.fixed_error.subs({kappa: 2, sym.total: omega.sum(), sym.squares: 0}))
    noise = rng.laplace(size=(2, 60_000))
    for x, share in ((rng.choice([-0.5, 0.5], 400), 0.5), (np.full(400, 0.5), 1)):  # before it is clamped
        A, B = (omega @ (0.5 + sign * x) + part for sign, part in zip((1, -1), noise, strict=True))
        error = (A - B) / (2 * (A + B)) - omega @ x / omega.sum()
        assert np.mean(error**2) == pytest.approx(share * stated, rel=0.05)
    coins = rng.choice([-0.5, 0.5], (20_000, 400)) @ omega / omega.sum()
    sampling = sym.fixed_error.subs({kappa: 0, sym.total: omega.sum(), sym.squares: np.sum(omega**2)})
    assert_monte_carlo(coins**2, float(sampling))


@pytest.mark.settles("hdp-equal-steps")
@pytest.mark.parametrize("steps", [1, 3, 50])
@pytest.mark.parametrize("dimension", [1, 40])
def test_steps_with_equal_shares_weigh_like_dimensions(steps, dimension):
    """Weights of one step; and all steps together cost every user her budget: Gaussian losses add in squares."""
    rng = np.random.default_rng(4)
    budgets = 10 ** rng.uniform(-1.5, 1.5, 300)
    share = budgets / np.sqrt(steps)
    assert np.allclose(steps * share**2, budgets**2)
    one = adpm.weights(share, notion="gdp", dimension=dimension)
    np.testing.assert_allclose(one, adpm.weights(budgets, notion="gdp", dimension=dimension * steps), rtol=1e-10)
    level = adpm.clipping_level(share, notion="gdp", dimension=dimension) * np.sqrt(steps)
    stated = 4 * float(notions.Notion("gdp").noise_penalty(dimension)) * steps
    assert np.sum(budgets * np.maximum(level - budgets, 0)) == pytest.approx(stated)
    two = np.repeat([0.2, np.inf], [70, 30]) / np.sqrt(steps)
    w = adpm.weights(two, notion="gdp", dimension=dimension)
    at = {n: 100, f: 0.7, reach_1: 0.2, d: dimension, sym.steps: steps}
    assert w[-1] / w[0] == pytest.approx(float(sym.caps["steps"].subs(at)))


@pytest.mark.settles("hdp-noise-shape")
def test_no_shape_of_the_noise_is_shorter():
    """Random shapes, scaled to what privacy allows; the stated one allows no less, and lies between 1 and d."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        sigma = 10 ** rng.uniform(-1, 1, 3)
        values = dict(zip(sym.sigma_j, sigma, strict=True))
        best = np.array([float(x.subs(values)) for x in sym.best_shape])
        assert np.sum(sigma**2 / best**2) == pytest.approx(1)
        assert np.sum(best**2) == pytest.approx(float(sym.least_length.subs(values)))
        assert 1 <= float(sym.shape_volume.subs(values)) <= 3
        shape = best * np.exp(rng.normal(scale=rng.choice([0.01, 1.0]), size=3))
        shape *= np.sqrt(np.sum(sigma**2 / shape**2))
        assert np.sum(shape**2) >= np.sum(best**2) * (1 - 1e-12)


@pytest.mark.settles("hdp-noise-shape")
def test_with_a_shape_the_weights_are_the_lemmas():
    """Weights and shape together, by a search from the stated optimum in random directions."""
    rng = np.random.default_rng(6)
    sigma, reaches = np.array([0.5, 1.0, 3.0]), np.array([0.2, 0.5, 4.0, 9.0])
    values = dict(zip(sym.sigma_j, sigma, strict=True))
    length, v = float(sym.least_length.subs(values)), np.sum(sigma**2)

    def error(w, shape):
        scale = np.max(w / reaches) * np.sqrt(np.sum(sigma**2 / shape**2))
        return v * np.sum(w**2) + scale**2 * np.sum(shape**2)

    (w, least), shape = optimum(v, 1 / reaches, length), np.sqrt(sigma)
    assert error(w, shape) == pytest.approx(least)
    for _ in range(3000):
        size = rng.choice([1e-3, 0.1, 1.0])
        other = w * np.exp(rng.normal(scale=size, size=4))
        assert error(other / other.sum(), shape * np.exp(rng.normal(scale=size, size=3))) >= least * (1 - 1e-12)


# -- What the figures draw, by the library.


def counted(n, f, variance, cost, kappa):
    """Weight of a member of the public group, for one of the strict group; groups are items."""
    sizes = np.array([n * f, n * (1 - f)])
    w = clipping.optimal_weights(variance / sizes, np.array([cost, 0.0]) / sizes, kappa) / sizes
    return w[1] / w[0]


def drawn(n, epsilon_1, f):
    return counted(n, f, 0.25, 1 / epsilon_1, 2.0)


def gaussian(n, epsilon_1, f):
    """Standard deviation 1; the interval has 2 sqrt(log n) of it on either side."""
    return counted(n, f, 1.0, 4 * np.sqrt(np.log(n)) / epsilon_1, 2.0)


def training(n, epsilon_1, f, d_dim):
    return counted(n, f, 0.25, 1 / epsilon_1, d_dim)


REFERENCES = {
    "later-caps": {
        "no curator": lambda epsilon_1: (0.25 + 2 / epsilon_1**2) / 0.25,
        "training": training,
        "Gaussian": gaussian,
        "drawn data": drawn,
        "given data": lambda n, epsilon_1, f: given(n, epsilon_1, f) / epsilon_1,
        "cap with": lambda epsilon_1, f: drawn(1000, epsilon_1, f),
        "the same, given": lambda epsilon_1, f: given(1000, epsilon_1, f) / epsilon_1,
        "the same, training": lambda epsilon_1, f, d_dim: training(1000, epsilon_1, f, d_dim),
    }
}


# -- What the captions say.


@says("later-caps", "without a curator small budgets count nearly by their squares")
def test_small_budgets_count_by_their_squares(figure):
    """By the library's weights of local reports; the cap is what public users reach."""

    def counts(strict, generous):
        weights = BASELINES["ldpe-users"].mechanism([strict, generous]).weights
        return weights[1] / weights[0]

    for first in positions(figure, "epsilon_1"):
        cap = float(line(figure, "no curator", 100, epsilon_1=first))
        assert counts(first, np.inf) == pytest.approx(cap)
        assert all(counts(first, first * ratio) > ratio for ratio in ((2, 5) if first < 0.1 else (1.5,)))
    assert counts(0.01, 0.02) == pytest.approx(4, rel=1e-3)
