"""Hybrid K-means: Algorithm 1 against a loop over users, the budgets, the findings, and the fast route."""

import itertools
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy import stats

from hdp import hybrid, kmeans
from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from hdp.figures.hybrid_trust.k_means_grid import Grid
from hdp.kmeans import AS_PRINTED, CORRECTED, Draws, Setting
from hdp.noise import blind_probability
from hdp.proof import assert_identity
from hdp.sym.hybrid_trust import k_means as sym

CENTRES = np.array([[-0.3, -0.25], [0.3, -0.3], [-0.1, 0.15], [0.3, 0.3]])


def small(seed=1, n=600, iterations=3, **options):
    """Data, groups, initial centres, setting and draws of a small run."""
    rng = np.random.default_rng(seed)
    setting = Setting(iterations=iterations, epsilon=20.0, **options)
    x = setting.low + 0.5 + np.clip(CENTRES[rng.integers(0, 4, n)] + 0.05 * rng.normal(size=(n, 2)), -0.5, 0.5)
    initial = setting.low + rng.uniform(0, 1, (4, 2))
    return x, rng.random(n) < 0.3, initial, setting, Draws.sample(rng, n, setting)


def by_hand(x, tcm, centres, s, draws, printed, variant="hybrid"):
    """Algorithm 1 line by line, one user after the other; `printed` takes every line literally."""
    tcm = tcm & (variant != "lm")
    b_t = (s.m * s.dimension + (1 if printed else 2)) * s.iterations / s.epsilon
    b_l = s.m * s.dimension * (s.iterations + 1) / s.epsilon
    odds = np.exp(s.epsilon / (s.iterations + 1))
    p = (odds - 1) / (len(centres) + odds - 1)
    for t in range(s.iterations):
        count_t, count_l, sum_t, sum_l = np.zeros(4), np.zeros(4), np.zeros((4, 2)), np.zeros((4, 2))
        for i, point in enumerate(x):
            report = point + b_l * draws.report[i]
            seen = report if printed and not tcm[i] else point
            label = int(np.argmin([np.sum((seen - c) ** 2) for c in centres]))
            if tcm[i]:  # the variant "tcm" has no use for the others
                count_t[label] += 1
                sum_t[slice(None) if printed else label] += point
            else:
                label = label if draws.uniform[t][i] < p else draws.other[t][i]
                count_l[label] += 1
                sum_l[slice(None) if printed else label] += report
        new = []
        for k in range(4):
            n_t, total = count_t[k] + b_t * draws.central[t][k, 0], sum_t[k] + b_t * draws.central[t][k, 1:]
            mean_t, mean_l = total / (n_t if printed else max(n_t, 1)), sum_l[k] / max(count_l[k], 1)
            if not printed:
                mean_t, mean_l = np.clip(mean_t, -0.5, 0.5), np.clip(mean_l, -0.5, 0.5)
            s_t2 = 2 * b_t**2 if printed else 2 * b_t**2 / max(n_t, 1) ** 2
            c, n = n_t / (n_t + count_l[k]), n_t + count_l[k]  # line 13, into Definition 5.3
            w = 2 * b_l**2 / (2 * b_l**2 + (1 - c) * n * s_t2)
            new.append({"tcm": mean_t, "lm": mean_l, "hybrid": w * mean_t + (1 - w) * mean_l}[variant])
        centres = np.array(new)
    return centres


@pytest.mark.settles("adk-algorithm-1", "adk-kmeans-line-7", "adk-kmeans-bias-claim")
@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("variant", kmeans.VARIANTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_algorithm_agrees_with_a_loop_over_users(seed, variant, printed):
    """All three variants in both readings; as printed on the paper's box [0, 1]^2."""
    x, tcm, initial, s, draws = small(seed, low=0.0 if printed else -0.5)
    found = kmeans.run(x, tcm, initial, s, draws, variant, AS_PRINTED if printed else CORRECTED)[-1]
    np.testing.assert_allclose(found, by_hand(x, tcm, initial, s, draws, printed, variant), rtol=1e-9)


@pytest.mark.settles("adk-algorithm-1", "adk-kmeans-tcm-budget")
@pytest.mark.parametrize(
    ("dimension", "m", "corner", "expected"),
    [
        (2, 1.0, -0.5, 4.0),
        (2, 1.0, 0.0, 6.0),
        (2, 1.0, -0.25, 5.0),
        (2, 1.0, -0.75, 5.0),
        (1, 3.0, -0.5, 5.0),
        (1, 3.0, 0.0, 8.0),
    ],
)
def test_sensitivity_of_the_tcm_group_is_attained_and_not_exceeded(dimension, m, corner, expected):
    """Brute force over pairs of points of a lattice and centres; over all iterations a user loses epsilon."""
    low, rng = corner * m, np.random.default_rng(4)
    s = Setting(iterations=3, epsilon=0.7, dimension=dimension, m=m, low=low)
    assert s.tcm_sensitivity == expected == {-0.5: m * dimension + 2, 0.0: 2 * (m * dimension + 1)}.get(corner, 5.0)
    tiny = 1e-9
    steps = [0, tiny, *np.linspace(0.025, 0.975, 39), 1 - tiny, 1]
    lattice = low + m * np.stack(np.meshgrid(*[steps] * dimension), axis=-1).reshape(-1, dimension)
    largest = m * dimension  # within one cluster
    ends = np.outer([1 - tiny, 1.0, 0.0, tiny], np.ones(dimension))  # two clusters meet near each far corner
    for centres in [low + m * ends, *(low + m * rng.random((20, 4, dimension)))]:
        labels = kmeans.nearest(lattice, centres)
        norms = np.abs(lattice).sum(axis=1)
        across = max(
            (norms[labels == j].max() + norms[labels == k].max() + 2)
            for j in set(labels) for k in set(labels) - {j}
        )  # fmt: skip
        largest = max(largest, across)
    assert (1 - 1e-8) * s.epsilon <= s.iterations * largest / s.tcm_scale <= s.epsilon * (1 + 1e-12)
    released = kmeans.tcm_release(np.zeros(4), np.zeros((4, dimension)), np.ones((4, 1 + dimension)), s)
    assert all((noise == s.tcm_scale).all() for noise in released)  # that of every count and coordinate


@pytest.mark.parametrize(("low", "enough"), [(-0.75, True), (-0.5, True), (0.0, True), (0.25, False), (-1.5, False)])
def test_printed_noise_is_enough_for_who_joins_only_near_the_origin(low, enough):
    """She changes one count by 1 and one sum by her point, whose coordinates are largest at a corner of the box."""
    s = Setting(iterations=3, epsilon=0.7, dimension=2, low=low)
    corners = itertools.product((s.low, s.low + s.m), repeat=2)
    largest = max(1 + sum(map(abs, corner)) for corner in corners)
    assert (s.iterations * largest / s.printed_tcm_scale <= s.epsilon * (1 + 1e-12)) == enough


@pytest.mark.settles("adk-algorithm-1", "adk-kmeans-lm-budget", "adk-kmeans-response")
@pytest.mark.parametrize("clusters", [2, 4, 9])
def test_budget_of_an_lm_user_is_spent_exactly(clusters):
    """Report and answers together, from the densities; line 7 is K-ary randomised response."""
    s = Setting(iterations=4, epsilon=1.3, clusters=clusters, dimension=3, m=2.0)
    report = s.dimension * s.m / s.lm_scale
    true, other = s.keep + (1 - s.keep) / clusters, (1 - s.keep) / clusters
    assert np.isclose(true, s.response.truth_probability, rtol=1e-12)
    assert np.isclose(1 - s.keep, blind_probability(s.epsilon / 5, clusters), rtol=1e-12)  # with which a run draws
    assert np.isclose(report + s.iterations * np.log(true / other), s.epsilon, rtol=1e-12)
    labels, draws = np.zeros(200_000, dtype=int), Draws.sample(np.random.default_rng(3), 200_000, s)
    answers = np.where(draws.uniform[0] < s.keep, labels, draws.other[0])
    assert abs(np.mean(answers == 0) - true) < 4 * np.sqrt(true * (1 - true) / 200_000)


@pytest.mark.settles("adk-kmeans-lm-budget")
def test_a_run_draws_reports_and_answers_at_those_prices():
    """Two users on either side of the chance of a free answer, in each of four iterations; all reports move alike."""
    s, price = Setting(iterations=4, epsilon=1.3, clusters=2, dimension=1, m=2.0, low=-1.0), 1.3 / 5
    keep, moved = np.expm1(price) / (2 + np.expm1(price)), 0.05
    uniform = np.tile(keep * (1 + np.array([-1e-9, 1e-9])), (4, 1))
    drawn = np.repeat([[1], [0], [1], [0]], 2, axis=1)  # the answer that is not the first user's own
    draws = Draws(np.full((2, 1), moved * price / 2.0), uniform, drawn, np.zeros((4, 2, 2)))
    path = kmeans.run([[-0.9], [-0.8]], [False, False], [[-0.5], [0.5]], s, draws, "lm")
    apart = (-0.9 + moved, -0.8 + moved)
    by_hand = [(-0.5, 0.5), apart, (-0.85 + moved, 0.0), apart, (-0.85 + moved, 0.0)]
    np.testing.assert_allclose(path[..., 0], by_hand, atol=1e-12)


@pytest.mark.parametrize(("low", "m"), [(1e16, 3.0), (-1e17, 9.0), (1e49, 1.2e33), (0.1, 0.2), (-0.5, 1.0)])
def test_noise_is_for_the_box_that_floats_have(low, m):
    """In fractions: of two points of the box, whose upper end is a rounded sum."""
    s = Setting(iterations=3, epsilon=0.7, dimension=2, low=low, m=m)
    ends = np.array([[low] * 2, [low + m] * 2, [low] * 2])
    draws = Draws.sample(1, 3, s)
    assert kmeans.run(ends, np.array([True, False, True]), np.full((4, 2), low), s, draws).shape == (4, 4, 2)
    moved = 2 * (Fraction(low + m) - Fraction(low))
    budget = Fraction(s.epsilon) * (1 + Fraction(1, 10**12))
    assert moved * (s.iterations + 1) <= budget * Fraction(s.lm_scale)
    assert moved * s.iterations <= budget * Fraction(s.tcm_scale)


def test_an_answer_is_drawn_at_random_however_large_the_budget():
    """Once in 2^53 times at the least: an answer that is never wrong would have no bound on its loss."""
    s = Setting(iterations=1, epsilon=1e3, clusters=2, dimension=1)
    x, nothing = np.array([[-0.4], [-0.4], [0.4], [0.4]]), np.zeros((1, 2, 2))
    for uniform, centres in ((1 - 2.0**-53, [0.0, 0.0]), (1 - 2.0**-52, [-0.4, 0.4])):
        draws = Draws(np.zeros((4, 1)), np.full((1, 4), uniform), np.zeros((1, 4), dtype=int), nothing)
        found = kmeans.run(x, np.zeros(4, dtype=bool), [[-0.1], [0.1]], s, draws, "lm")
        np.testing.assert_allclose(found[1].ravel(), centres, atol=1e-12)


@pytest.mark.parametrize("origin", [1.0, 1e9, -1e15, 1e49])
def test_the_nearest_centre_is_that_of_fractions_wherever_the_data_lie(origin):
    """Floats apart by a few units of the last digit, in two dimensions, and a centre far from all of them."""
    rng, unit = np.random.default_rng(6), np.spacing(abs(origin))
    x, centres = (origin + unit * rng.integers(0, 40, shape) for shape in ((100, 2), (5, 2)))
    centres[3] = -origin
    exact = [[sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(p, c, strict=True)) for c in centres] for p in x]
    assert kmeans.nearest(x, centres).tolist() == [row.index(min(row)) for row in exact]
    assert kmeans.wcss(x, centres) == pytest.approx(float(sum(map(min, exact))), rel=1e-12, abs=0)


@pytest.mark.parametrize("variant", ["tcm", "lm"])
def test_a_box_far_from_the_origin_gives_the_centres_moved(variant):
    """But for the rounding of the data: the same box at 0 with data that are multiples of it, and as little noise."""
    rng, n, far = np.random.default_rng(7), 400, 1e9
    at_zero = Setting(iterations=2, epsilon=1e30, clusters=2, dimension=1, low=0.0)
    x, tcm = rng.integers(0, 2**20, (n, 1)) / 2**20, rng.random(n) < 0.5
    initial, draws = np.array([[0.0], [1.0]]), Draws.sample(rng, n, at_zero)
    near = kmeans.run(x, tcm, initial, at_zero, draws, variant)
    moved = kmeans.run(far + x, tcm, far + initial, replace(at_zero, low=far), draws, variant)
    np.testing.assert_allclose(moved - far, near, rtol=0, atol=1e-4)
    assert kmeans.wcss(far + x, moved[-1]) == pytest.approx(kmeans.wcss(x, near[-1]), rel=1e-3)


def mean_of_reports_nearest(centre, scale):
    """Mean report among the reports nearest to each centre, by midpoints: x at the true centres, Laplace noise."""
    side = np.linspace(-30, 30, 1001)[:-1] + 0.03
    law = np.exp(-np.abs(side - centre[:, :, None]) / scale)  # of each coordinate, about each centre
    law /= law.sum(axis=2, keepdims=True)
    joint = np.einsum("ka,kb->ab", law[:, 0], law[:, 1]).ravel()
    at = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    labels = kmeans.nearest(at, centre)
    weight = np.bincount(labels, joint, len(centre))
    return np.array([np.bincount(labels, joint * column, len(centre)) for column in at.T]).T / weight[:, None]


@pytest.mark.settles("adk-kmeans-bias-claim")
def test_asking_is_less_biased_than_looking_at_the_reports():
    """Section 7: at the true centres asking draws a mean to the middle, looking at the reports throws it far out."""
    s, grid = Setting(iterations=5, epsilon=7.0), trials.data()
    draws = Draws.sample(np.random.default_rng(6), len(grid.x), s)
    one = replace(s, iterations=1, epsilon=7.0 / 3)  # the first of five iterations, with the noise of all five
    assert np.isclose(one.lm_scale, s.lm_scale) and np.isclose(one.keep, s.keep)
    none = np.zeros(len(grid.x), dtype=bool)
    asked = kmeans.run(grid.x, none, trials.CLUSTERS, one, draws, "lm")[-1]
    reports, error = grid.x + s.lm_scale * draws.report, 4 * np.sqrt(2.2 * s.lm_scale**2 / 40_000)
    labels = kmeans.nearest(reports, trials.CLUSTERS)
    looked = np.array([reports[labels == k].mean(axis=0) for k in range(4)])
    share = (np.exp(7 / 6) - 1) / (4 + np.exp(7 / 6) - 1)  # of the answers that are not drawn at random
    expected = share * trials.CLUSTERS + (1 - share) * trials.CLUSTERS.mean(axis=0)
    assert np.abs(asked - expected).max() < error
    assert np.abs(looked - mean_of_reports_nearest(trials.CLUSTERS, 12 / 7)).max() < error
    bias = [np.linalg.norm(mean - trials.CLUSTERS, axis=1).max() for mean in (asked, looked)]
    assert bias[1] > 4 * bias[0]
    whole = grid.x + 2 / 7 * draws.report  # no budget is left for answers
    labels = kmeans.nearest(whole, trials.CLUSTERS)
    looked = np.array([whole[labels == k].mean(axis=0) for k in range(4)])
    assert np.linalg.norm(looked - trials.CLUSTERS, axis=1).max() < 0.8 * bias[0]


@pytest.mark.settles("adk-kmeans-noisy-count")
def test_noisy_counts_below_one_occur_as_computed_and_break_the_printed_mean():
    """P(count < 1) = exp(-(N - 1)/b)/2; its density at 0 is positive; the floor bounds the mean."""
    s, rng = Setting(iterations=5, epsilon=7.0), np.random.default_rng(8)
    noise = rng.laplace(size=(1_000_000, 1, 3))
    counts, _ = kmeans.tcm_release(np.array([5.0]), np.zeros((1, 2)), noise, s)
    probability = np.exp(-4 / s.tcm_scale) / 2
    assert abs(np.mean(counts < 1) - probability) < 4 * np.sqrt(probability / 1e6)
    density = np.exp(-5 / s.tcm_scale) / (2 * s.tcm_scale)  # at 0
    assert abs(np.mean(np.abs(counts) < 0.05) / 0.1 - density) < 4 * np.sqrt(density / 0.1 / 1e6)
    for sums, clamped in ((9.0, [0.5, 0.5, 0.5, 0.18]), (-9.0, [-0.5, -0.5, -0.5, -0.18])):
        means, variance = kmeans.tcm_means(np.array([-3.0, 1e-9, 2.0, 50.0]), np.full((4, 2), sums), s)
        np.testing.assert_allclose(means.T, [clamped] * 2, rtol=1e-12)
        np.testing.assert_allclose(variance, 2 * s.tcm_scale**2 / np.square([1, 1, 2, 50]), rtol=1e-12)


@pytest.mark.settles("adk-kmeans-lines-10-12")
def test_sums_over_the_group_put_centres_outside_the_box():
    """Lines 10 and 12 as printed: four equal clusters about (1/2, 1/2), and every centre of either group is (2, 2)."""
    s, printed = Setting(iterations=1, epsilon=7.0, low=0.0), replace(CORRECTED, own_sums=False, floor=False)
    corners = np.array([[0.2, 0.2], [0.2, 0.8], [0.8, 0.2], [0.8, 0.8]])
    for reading, expected in ((printed, np.full((4, 2), 2.0)), (CORRECTED, corners)):
        released = kmeans.tcm_release(np.full(4, 100.0), 100 * corners, np.zeros((4, 3)), s, reading)
        local = kmeans.lm_means(np.full(4, 100.0), 100 * corners, s, reading)
        for means, _ in (kmeans.tcm_means(*released, s, reading), local):
            np.testing.assert_allclose(means, expected, rtol=1e-12)


@pytest.mark.settles("adk-kmeans-shrinking")
def test_lm_means_shrink_towards_the_middle_and_undoing_mends_it():
    """Over many draws at the true centres: p mu + (1 - p) middle, and mu; the noise within 3 standard errors.

    The noise of the reports with one answer is the difference of two Gamma variables of their number.
    """
    s, each, rng, runs = Setting(iterations=5, epsilon=7.0), 1_000_000, np.random.default_rng(10), 40_000
    odds = np.exp(7 / 6)  # of the nearest centre against any other
    law = np.where(np.eye(4, dtype=bool), odds, 1) / (odds + 3)  # rows: whose centre; columns: the answer
    answers = np.stack([rng.multinomial(each, row, runs) for row in law], axis=1)
    counts = answers.sum(axis=1)
    noise = np.subtract(*rng.standard_gamma(counts[..., None], (2, runs, 4, 2))) * 12 / 7
    totals = [*zip(counts.astype(float), np.einsum("rka,kd->rad", answers, CENTRES) + noise, strict=True)]
    found = [kmeans.lm_means(*total, s)[0] for total in totals]
    undone = [kmeans.lm_means(*total, s, replace(CORRECTED, unbiased=True))[0] for total in totals]
    keep = (odds - 1) / (odds + 3)
    for sample, expected in ((found, keep * CENTRES + (1 - keep) * CENTRES.mean(axis=0)), (undone, CENTRES)):
        z = (np.mean(sample, axis=0) - expected) / (np.std(sample, axis=0) / np.sqrt(runs))
        assert np.abs(z).max() < 4
    undo = np.linalg.inv(law)  # what a report with an answer counts for each centre
    for size in np.array([[1, 2, 3, 4], [1, 1, 1, 1]]) * each:
        _, variance = kmeans.lm_means(size @ law, np.zeros((4, 2)), s, replace(CORRECTED, unbiased=True))
        np.testing.assert_allclose(variance, 2 * (12 / 7) ** 2 * (size @ law @ undo**2) / size**2, rtol=1e-12)


@pytest.mark.settles("adk-kmeans-line-13")
def test_the_weight_is_that_of_the_hybrid_estimator():
    """Against `hdp.hybrid.pwh_weight` for one cluster: noise of the mean, not of the sum as in line 13."""
    s, n_t, n_l = Setting(iterations=5, epsilon=7.0), 400, 39_600
    group = hybrid.Setting(
        n=n_t + n_l, c=n_t / (n_t + n_l), m=1.0, epsilon=1.0, sigma_t=0.1,
        s_t2=2 * s.tcm_scale**2 / n_t**2, s_l2=2 * s.lm_scale**2,
    )  # fmt: skip
    central = kmeans.tcm_means(np.array([n_t]), np.array([[n_t * 0.4, 0.0]]), s)
    local = kmeans.lm_means(np.array([n_l]), np.zeros((1, 2)), s)
    w = kmeans.combine(central, local)[0, 0] / 0.4
    assert np.isclose(w, hybrid.pwh_weight(group), rtol=1e-12)
    literally = replace(CORRECTED, mean_noise=False)
    as_printed = kmeans.tcm_means(np.array([n_t]), np.array([[n_t * 0.4, 0.0]]), s, literally)
    at = {sym.b_T: s.tcm_scale, sym.b_L: s.lm_scale, sym.N_T: n_t, sym.N_L: n_l}
    assert np.isclose(w, float(sym.pwh_weight.subs(at)), rtol=1e-12)
    w_printed = kmeans.combine(as_printed, local)[0, 0] / 0.4
    assert np.isclose(w_printed, float(sym.printed_weight.subs(at)), rtol=1e-12)


@pytest.mark.settles("hdp-kmeans-noise-law")
def test_the_sum_of_laplace_noise_is_a_difference_of_gammas_once_but_not_twice():
    """By characteristic functions and moments; then the reports that the library draws, n = 30 and two iterations."""
    y, t = sp.symbols("y t", positive=True)
    transform = sp.integrate(sp.exp(-y / sym.b_L) / sym.b_L * sp.cos(t * y), (y, 0, sp.oo))  # of one report's noise
    assert_identity(transform**30, sym.noise_transform.subs({sym.frequency: t, sym.N_L: 30}))
    gamma = (1 - sp.I * sym.b_L * t) ** -30  # of b_L times a Gamma variable of shape 30
    assert_identity(transform**30, gamma * sp.conjugate(gamma))
    q = sp.Symbol("q", positive=True)  # in both iterations independently: the noise enters both sums with chance q^2
    second = 2 * sym.b_L**2
    assert_identity(q**2 * second / (q * second), sym.repeat_correlation.subs(sym.answer_share, q))
    s, rng, answers = Setting(iterations=2, epsilon=1.0), np.random.default_rng(11), 0.4
    draws = Draws.sample(rng, 20_000 * 30, s).report[:, 0].reshape(20_000, 30)
    gammas = rng.gamma(30, size=(2, 20_000))
    assert stats.ks_2samp(draws.sum(axis=1), gammas[0] - gammas[1]).pvalue > 1e-3
    chosen = rng.random((2, 20_000, 30)) < answers
    correlation = float(sym.repeat_correlation.subs(sym.answer_share, sp.Rational(2, 5)))
    assert abs(np.corrcoef((draws * chosen).sum(axis=2))[0, 1] - correlation) < 4 / np.sqrt(20_000)


@pytest.mark.settles("adk-kmeans-objective")
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_grid_assigns_every_point_as_the_plain_route(dimension):
    """Random centres, some outside the box, some twice; ties go to the first in both."""
    rng = np.random.default_rng(dimension)
    grid = Grid.of(rng.uniform(-0.5, 0.5, (20_000, dimension)), bins=16)
    assert np.array_equal(grid.points_of(np.array([0, 3])), np.flatnonzero(np.isin(grid.cell, [0, 3])))
    for _ in range(20):
        centres = rng.uniform(-0.7, 0.7, (4, dimension))
        centres[3] = centres[rng.integers(0, 4)]
        assert np.array_equal(grid.nearest(centres), kmeans.nearest(grid.x, centres))
        assert np.isclose(grid.wcss(centres), kmeans.wcss(grid.x, centres), rtol=1e-10)
        assert np.isclose(kmeans.wcss(grid.x, centres), ((grid.x[:, None] - centres) ** 2).sum(2).min(1).sum())


@pytest.mark.parametrize("name", [name for name in trials.SERIES if name != "no noise"])
def test_the_fast_route_is_the_plain_one(name):
    """All series on all 160 000 users, with the same draws."""
    seed = np.random.SeedSequence(12)
    initial, draws, group = trials.inputs(seed)
    variant, reading, fraction = trials.SERIES[name]
    tcm = np.zeros(len(trials.data().x), dtype=bool)
    tcm[group[: round(len(tcm) * (fraction or 0))]] = True
    s = Setting(2, trials.EPSILON)
    plain = kmeans.run(trials.data().x, tcm, initial, s, draws, variant, trials.READINGS[reading])
    np.testing.assert_allclose(trials.paths(seed, 2, (name,))[name], plain, rtol=0, atol=1e-11)


def test_trials_do_not_depend_on_the_number_of_workers():
    """To the bit."""
    one, two = (trials.simulate(3, iterations=(1, 2), seed=5, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.settles("adk-kmeans-on-par", "adk-figure-6")
def test_the_data_file_is_what_the_code_computes():
    """Settings, and the first two of its trials, from one to ten iterations."""
    found = json.loads(k_means_data.FILE.read_text(encoding="utf-8"))
    assert found["settings"] == k_means_data.settings() and found["provenance"]["trials"] == trials.TRIALS
    assert k_means_data.text(found) == k_means_data.FILE.read_text(encoding="utf-8")
    seeds = np.random.SeedSequence(trials.SEED).spawn(2)
    np.testing.assert_allclose(found["first trials"], [trials.trial(seed) for seed in seeds], rtol=1e-6)


def test_data_that_are_missing_or_for_other_settings_are_refused(monkeypatch, tmp_path):
    """Nothing is simulated in their place; the message says what computes them, and that needs no figure."""
    load = k_means_data.load.__wrapped__
    monkeypatch.setattr(trials, "simulate", None)
    monkeypatch.setattr(trials, "SPREAD", 0.03)
    monkeypatch.setattr(k_means_data, "SHOWN", 8)
    with pytest.raises(RuntimeError, match="another spread, iterations of the run: run `make figures-full`"):
        load()
    monkeypatch.setattr(k_means_data, "FILE", tmp_path / "k_means.json")
    with pytest.raises(RuntimeError, match="missing: run `make figures-full`"):
        load()
    code = "import sys, hdp.figures.hybrid_trust.k_means_data; print('hdp.figures.hybrid_trust.k_means' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.settles("adk-figure-6a")
def test_the_data_are_four_round_clusters_at_the_stated_places():
    """Figure 6(a): 40 000 points each, of standard deviation 0.028 in both coordinates, which do not correlate."""
    x = trials.data().x
    labels = kmeans.nearest(x, trials.CLUSTERS)
    assert np.array_equal(np.bincount(labels), [40_000] * 4)
    for k, centre in enumerate(trials.CLUSTERS):
        cluster = x[labels == k]
        assert np.abs(cluster.mean(axis=0) - centre).max() < 4 * 0.028 / np.sqrt(40_000)
        assert np.abs(cluster.std(axis=0) / 0.028 - 1).max() < 4 / np.sqrt(80_000)
        assert abs(np.corrcoef(cluster.T)[0, 1]) < 4 / np.sqrt(40_000)
        assert min(stats.kstest((cluster - centre) / 0.028, "norm", axis=0).pvalue) > 1e-3
    found = json.loads(k_means_data.FILE.read_text(encoding="utf-8"))
    seed = np.random.SeedSequence(trials.SEED).spawn(1)[0]
    for name, path in trials.paths(seed, k_means_data.SHOWN, k_means_data.RUN_SERIES).items():
        np.testing.assert_allclose(found["run"][name], path, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found["run wcss"][name], [trials.sum_of_squares(c) for c in path], rtol=1e-6)


def test_without_noise_an_empty_cluster_keeps_its_centre():
    """A centre that stands twice: no point is nearer to the second than to the first."""
    places = trials.CLUSTERS
    path = trials._without_noise(places[[0, 0, 1, 2]], 2)
    assert np.array_equal(path[1][1], places[0]) and not np.array_equal(path[1][0], places[0])
    x = trials.data().x
    for before, after in itertools.pairwise(path):
        labels = kmeans.nearest(x, before)
        for k in set(labels):
            np.testing.assert_allclose(after[k], x[labels == k].mean(axis=0), rtol=1e-12)


@pytest.mark.settles("adk-figure-6")
def test_medians_agree_with_the_first_order_prediction():
    """Where few trials end in a local optimum (three to five iterations), within 3.5 %, and 2 % on average."""
    from tests.chapters.hybrid_trust.test_k_means import NAMES, predicted_wcss

    found, apart = json.loads(k_means_data.FILE.read_text(encoding="utf-8")), []
    for name in NAMES:
        for c in trials.FRACTIONS:
            series = name.replace("undone", "answers undone") + ("" if name.startswith("lm") else f" {c}")
            for j in (3, 4, 5):
                expected = predicted_wcss(name, trials.CLUSTERS, trials.SIZE, trials.SPREAD, j, trials.EPSILON, c)
                apart.append(found["median"][series][j - 1] / expected - 1)
                assert abs(apart[-1]) < 0.035, (name, c, j)
    assert np.mean(np.abs(apart)) < 0.015 and abs(np.mean(apart)) < 0.01
    for name in ("lm", "hybrid 0.001"):  # of whom hardly a trial is far off from seven iterations on
        np.testing.assert_allclose(found["mean"][name][6:], found["median"][name][6:], rtol=0.01)
