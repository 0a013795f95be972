"""What the lemma gives for later works: solvers, searches and draws instead of its formulas."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

from hdp import ADPM, GivenData, clipping
from hdp.baselines import BASELINES
from hdp.sym.foundations.notions import d, ratio_penalty, reach_1
from hdp.sym.foundations.notions import m as ratio_mean
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.symbols import epsilon_1, f, n
from hdp.sym.synthesis import later_weights as sym
from tests.chapters.heterogeneous_budgets.test_best_linear import given
from tests.figures.captions import positions, says
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
        "drawn": ADPM(budgets).weights,
        "given": GivenData(budgets).weights,
        "gaussian": clipping.optimal_weights(v, width / budgets, 2.0),
        "steps": ADPM(budgets / np.sqrt(12), measure="gdp", dimension=30).weights,
        "local": 1 / (0.25 + 2 / budgets**2),
    }


@pytest.mark.settles("hdp-later-caps")
@pytest.mark.parametrize(("strict", "generous", "budget"), [(5, 5, 0.3), (40, 2, 0.1), (3, 600, 1.0)])
def test_the_caps_are_the_ratios_of_the_weights(strict, generous, budget):
    """Of a public user and a strict one."""
    size = strict + generous
    at = {n: size, f: sp.Rational(strict, size), epsilon_1: budget, reach_1: budget, d: 30, sym.steps: 12}
    stated = {name: float(cap.subs(at)) for name, cap in sym.caps.items()}
    found = ratios(np.repeat([budget, np.inf], [strict, generous]))
    for name, w in found.items():
        assert w.max() / w.min() == pytest.approx(stated[name], rel=1e-9), name
    v, s, weight = 0.1, 3.0, 0.7
    costs = np.repeat([s, 0.0], [strict, generous])
    w = clipping.optimal_weights(v, costs, weight)
    general = float(sym.cap.subs(at | {sym.v: v, sym.s_1: s, kappa: weight}))
    assert w[-1] / w[0] == pytest.approx(general, rel=1e-9)


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
    """Random budgets, levels on both sides, of which the higher costs less; and budgets for which it costs that."""
    rng = np.random.default_rng(2)
    for _ in range(400):
        budgets = 10 ** rng.uniform(-2, 1.5, int(rng.integers(1, 60)))
        weight = 10 ** rng.uniform(-1, 1.5)
        level = 4 * clipping.water_level(budgets / 4, budgets, weight)
        best = fixed(budgets, level, weight)
        for g in (1.2, 2.0, 7.0):
            for wrong, most in ((level * g, (1 + g) ** 2 / (4 * g)), (level / g, sym.most_lost(g))):
                clipped = np.minimum(budgets, wrong)
                drawn = {sym.total: clipped.sum(), sym.squares: np.sum(clipped**2), kappa: weight}
                error = float(sym.fixed_error.subs(drawn))
                assert fixed(budgets, wrong, weight) <= error * (1 + 1e-12)
                assert error <= most * best * (1 + 1e-12) <= sym.most_lost(g) * best * (1 + 1e-11)
    alike = np.full(10, 1e-4)
    lemmas = ADPM(alike).level  # far above the budget, where the best levels begin
    assert lemmas / 3 > 1e-4 and fixed(alike, lemmas, 2.0) == pytest.approx(fixed(alike, 1e-4, 2.0))
    below = {sym.total: alike.sum() / 3, sym.squares: np.sum((alike / 3) ** 2), kappa: 2}
    assert float(sym.fixed_error.subs(below)) == pytest.approx(sym.most_lost(3) * fixed(alike, 1e-4, 2.0), rel=1e-6)


def test_a_level_that_is_too_high_costs_a_quarter_of_its_factor():
    """The factor of Kantorovich, which two budgets come near."""
    level, b = 2**-0.5, 1e-6  # level squared is 8 u with u = 1/16
    budgets = np.append(np.full(round(8 / (b * level)), b), 100.0)
    level = ADPM(budgets).level
    losses = [fixed(budgets, x, 2.0) / fixed(budgets, level, 2.0) for x in (16 * level, 4 * level)]
    assert losses[0] == pytest.approx(17**2 / 64, rel=1e-3) and losses[1] < losses[0]


def test_of_a_range_of_levels_neither_its_end_nor_its_middle_costs_least():
    """What is fixed where the best level lies between a and 16 a: both bounds, which are attained, agree at 9.4 a."""
    most = {c: max(sym.most_lost(16 / c), (1 + c) ** 2 / (4 * c)) for c in (4, 9.3, 9.4, 9.5, 16)}
    assert min(most, key=most.get) == 9.4 and 2.88 < most[9.4] < 2.9 and most[16] > 4.5 and most[4] == 16


@pytest.mark.settles("hdp-fixed-level")
def test_it_bounds_the_ratio_of_two_sums_wherever_the_mean_lies():
    """The error of neighbours that lack a user, which draws of the two sums have: an end or the middle is worst."""
    omega = np.random.default_rng(3).uniform(0.1, 0.8, 400)
    mean = np.linspace(-0.5, 0.5, 101)
    at = {sym.total: omega.sum(), sym.squares: omega @ omega}
    for weight in (0.0, 2.0, 1e3):
        noise = weight / 2 * sp.lambdify(ratio_mean, ratio_penalty)(mean)
        errors = ((0.25 - mean**2) * (omega @ omega) + noise) / omega.sum() ** 2
        assert errors.max() <= float(sym.fixed_error.subs(at | {kappa: weight})) * (1 + 1e-12)


@pytest.mark.settles("hdp-equal-steps")
@pytest.mark.parametrize("steps", [1, 3, 50])
@pytest.mark.parametrize("dimension", [1, 40])
def test_steps_with_equal_shares_weigh_like_dimensions(steps, dimension):
    rng = np.random.default_rng(4)
    budgets = 10 ** rng.uniform(-1.5, 1.5, 300)
    share = budgets / np.sqrt(steps)
    one = ADPM(share, measure="gdp", dimension=dimension).weights
    np.testing.assert_allclose(one, ADPM(budgets, measure="gdp", dimension=dimension * steps).weights, rtol=1e-10)
    two = np.repeat([0.2, np.inf], [70, 30]) / np.sqrt(steps)
    w = ADPM(two, measure="gdp", dimension=dimension).weights
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
    """By the library's weights of local reports."""

    def counts(strict, generous):
        weights = BASELINES["ldpe-users"].mechanism([strict, generous]).weights
        return weights[1] / weights[0]

    for first in positions(figure, "epsilon_1"):
        assert all(counts(first, first * ratio) > ratio for ratio in ((2, 5) if first < 0.1 else (1.5,)))
    assert counts(0.01, 0.02) == pytest.approx(4, rel=1e-3)
