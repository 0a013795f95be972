"""Hybrid k-means: what its lines do to the centres, and what they cost."""

from dataclasses import replace

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import kmeans
from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from hdp.kmeans import AS_PRINTED, CORRECTED, Setting
from hdp.noise import Laplace
from tests.populations import thorough

BUDGET, ROUNDS, SIDES = st.floats(0.1, 30), st.integers(1, 10), st.integers(1, 4)
USERS = st.integers(1, 10**6)


def totals(x, centres):
    """Counts and sums of the clusters, for one user."""
    own = np.arange(len(centres)) == kmeans.nearest(x[None], centres)[0]
    return np.append(own, own[:, None] * x)


def test_in_the_experiment_it_keeps_up_only_if_answers_are_undone():
    """At every number of iterations and both fractions."""
    mean = {name: np.array(values) for name, values in k_means_data.load()["mean"].items()}
    for c in trials.FRACTIONS:
        left_in = mean[f"hybrid {c}"] / np.minimum(mean["lm"], mean[f"tcm {c}"])
        undone = mean[f"hybrid answers undone {c}"] / np.minimum(mean["lm answers undone"], mean[f"tcm {c}"])
        assert left_in.min() > 1.02 and undone.max() < 1 and np.median(left_in) > 1.5


def test_users_must_be_asked():
    """For one run of the experiment: how far the means of the reports are from the worst cluster."""
    s, x = Setting(5, trials.EPSILON), trials.data().x
    draws = kmeans.Draws.sample(3, len(x), s)
    reports, truth = x + s.lm_scale * draws.report, kmeans.nearest(x, trials.CLUSTERS)
    asked = np.where(draws.uniform[0] < s.keep, truth, draws.other[0])
    bias = []
    for labels in (kmeans.nearest(reports, trials.CLUSTERS), asked):
        means = np.array([reports[labels == k].mean(axis=0) for k in range(4)])
        bias.append(np.linalg.norm(means - trials.CLUSTERS, axis=1).max())
    assert bias[0] > 4 * bias[1]


@thorough
@given(st.integers(0, 1000), BUDGET, ROUNDS)
@example(400, 7.0, 5)
def test_dividing_by_a_noisy_count_can_make_the_error_infinite(users, epsilon, rounds):
    """A count of t makes the mean 1/t, and has a chance in proportion to t: the expectation diverges."""
    s = Setting(rounds, epsilon)
    density = Laplace(s.tcm_scale).density(np.linspace(-users - 1e-3, -users + 1e-3, 3)).min()
    assert density > 0 or users > 700 * s.tcm_scale  # else it is below the least float
    for t in (1e-3, 1e-9):
        mean, _ = kmeans.algorithm.tcm_means(np.full(4, t), np.ones((4, 2)), s, AS_PRINTED)
        assert np.allclose(mean * t, 1)


@thorough
@given(st.lists(st.integers(100, 10**6), min_size=2, max_size=6), st.integers(0, 99), BUDGET, ROUNDS)
@example([100, 100], 0, 7.0, 5)
def test_random_answers_pull_the_centres_to_the_middle(sizes, seed, epsilon, rounds):
    """Expected sums and counts of clusters of any sizes."""
    s, size = Setting(rounds, epsilon, clusters=len(sizes)), np.array(sizes, dtype=float)
    mu = np.random.default_rng(seed).uniform(-0.5, 0.5, (len(sizes), 2))
    middle, random = size @ mu / size.sum(), (1 - s.keep) / len(sizes)
    counts, sums = (s.keep * v + random * v.sum(axis=0) for v in (size, size[:, None] * mu))
    pulled = (kmeans.algorithm.lm_means(counts, sums, s)[0] - middle) / (mu - middle)
    assert (pulled > -1e-9).all() and (pulled < 1).all() and np.allclose(pulled[:, 0], pulled[:, 1])
    undone = kmeans.algorithm.lm_means(counts, sums, s, replace(CORRECTED, unbiased=True))[0]
    assert np.allclose(undone, mu, atol=1e-6)


@thorough
@given(st.integers(2, 10**6), USERS, BUDGET, ROUNDS)
@example(400, 39_600, 7.0, 5)
def test_the_weight_must_see_the_noise_of_the_mean(trusting, local, epsilon, rounds):
    s, weights, ones = Setting(rounds, epsilon), [], np.ones((1, 2))
    for reading in (CORRECTED, replace(CORRECTED, mean_noise=False)):  # means of 1/2 and 0 show the weight
        first = kmeans.algorithm.tcm_means(np.array([trusting]), 0.5 * trusting * ones, s, reading)
        second = kmeans.algorithm.lm_means(np.array([local]), 0 * ones, s)
        weights.append(2 * kmeans.algorithm.combine(first, second)[0, 0])
    others = np.append(np.linspace(0, 1, 1001), weights)
    noise = (others * s.tcm_scale / trusting) ** 2 + (1 - others) ** 2 * s.lm_scale**2 / local
    assert noise[-2] <= noise.min() * (1 + 1e-9)


@thorough
@given(st.integers(0, 10**6), SIDES, st.sampled_from([0.5, 1.0, 3.0]), BUDGET, ROUNDS)
@example(0, 2, 1.0, 7.0, 5)
def test_the_printed_noise_costs_up_to_twice_the_budget(seed, sides, m, epsilon, rounds):
    """For two points and two centres in the box, and for a user who joins; one example shows nearly twice."""
    rng = np.random.default_rng(seed)
    s = Setting(rounds, epsilon, 2, sides, m, 0.0)
    before, after, *centres = m * rng.beta(0.2, 0.2, (4, sides))
    first, second = (totals(x, np.array(centres)) for x in (before, after))
    loss = rounds * np.abs(first - second).sum()
    assert loss / s.printed_tcm_scale <= 2 * epsilon * (1 + 1e-12) and loss / s.tcm_scale <= epsilon * (1 + 1e-12)
    assert rounds * np.abs(first).sum() / s.printed_tcm_scale <= epsilon * (1 + 1e-12)
    line, ends = Setting(rounds, epsilon, 2, 1, m, 0.0), m * np.array([[0.9], [1.0]])
    moved = rounds * np.abs(totals(ends[1], ends) - totals(0.9499 * m * np.ones(1), ends)).sum()
    assert moved / line.printed_tcm_scale > 1.9 * epsilon


@thorough
@given(SIDES, st.integers(2, 9), BUDGET, ROUNDS)
@example(2, 4, 7.0, 5)
def test_the_local_users_lose_their_budget_and_no_more(sides, clusters, epsilon, rounds):
    s = Setting(rounds, epsilon, clusters, sides)
    report = sides * Laplace(s.lm_scale).privacy_loss(np.linspace(-9, 9, 99) * s.lm_scale, s.m).max()
    random = (1 - s.keep) / clusters
    assert np.isclose(report + rounds * np.log((s.keep + random) / random), epsilon)


@thorough
@given(SIDES, st.floats(0.1, 1e4), BUDGET, ROUNDS)
@example(2, 1.0, 7.0, 5)
def test_in_a_centred_box_this_noise_is_needed(sides, m, epsilon, rounds):
    s = Setting(rounds, epsilon, 2, sides, m, -m / 2)
    corners = np.array([-m / 2 * np.ones(sides), m / 2 * np.ones(sides)])
    loss = rounds * np.abs(totals(corners[0], corners) - totals(corners[1], corners)).sum()
    needed = loss / epsilon / s.printed_tcm_scale
    assert np.isclose(needed, (m * sides + 2) / (m * sides + 1)) and np.isclose(loss / s.tcm_scale, epsilon)
    assert np.isclose(needed, 4 / 3) if m * sides == 2 else m * sides < 99 or needed < 1.01
