"""What is drawn otherwise than as one Laplace or Gaussian number for each noise: choices, lies, lengths, and mixtures.

Frequencies and squares of what a reader calls, with the mean that they have for any multiple of the budget: theirs is
within four standard errors of the one for the budget itself, and 1.1 of it, or 0.9 of the noise, would be seen surely.
The other noises are in test_spent_budgets.py.
"""

from functools import partial

import numpy as np
import pytest

from hdp import ADPM, baselines, kmeans, notions, user_level
from hdp.compare import LOCAL_REPORTS, local_report, mixed_release, one_bit_report
from hdp.noise import RandomizedResponse
from hdp.proof import assert_monte_carlo
from hdp.users import Users

RUNS = 40_000
E = np.repeat([0.5, 1.0, 4.0], 4)
MANY = np.geomspace(0.1, 9, 60)


def beyond(name, times):
    """Chance that a report for a budget of 1.2 is beyond the end that she does not hold."""
    g = np.exp(-1.2 * times / 2)
    return {"laplace": g**2 / 2, "staircase": g**2 / 2, "one-bit": g**2 / (1 + g**2), "piecewise": g**2 / (1 + g)}[name]


def reports(name, end, rng):
    """Whether the reports of somebody who holds an end are beyond the other one."""
    sent = local_report(np.full((RUNS, 1), float(end)), [1.2], name, rng)[:, 0]
    return sent < 0 if end else sent > 1


def only_user(kind, rng):
    """The same of the whole release of one local user."""
    plan = mixed_release(Users([1.2], "local"), reports=kind)
    return plan.estimate(np.zeros((RUNS, 1)), rng, clamp=False) > 1


def pure(dimension, shape):
    """`ADPM.estimate` under pure privacy, of data that are all 0: lengths in the norm of the shape, and their mean.

    The length is a gamma variable for d; on a cube one for d + 1, times the largest of d uniform numbers.
    """
    options = dict(measure=notions.Notion("pure"), dimension=dimension, shape=shape)
    x = np.zeros((RUNS // 4, 12, dimension) if dimension > 1 else (RUNS // 4, 12))
    order = np.inf if shape == "cube" else 2
    draw = lambda rng: np.linalg.norm(ADPM(E, **options).estimate(x, rng).reshape(-1, dimension), order, axis=1)  # noqa: E731
    return draw, lambda times: dimension * ADPM(E, **options).weights[0] / (E[0] * times)


def noises(estimate, epsilon, runs=RUNS):
    """Squares of the noise of `baselines`, one of each user, on data that are all 0; and their mean.

    Weights are as one over the variances at 1/4, and the noises have the scales 1/epsilon.
    """
    w = 1 / (1 + 8 / epsilon**2)
    w /= w.sum()
    draw = lambda rng: estimate(np.zeros((runs, epsilon.size)), epsilon, rng) ** 2  # noqa: E731
    return draw, lambda times: 2 * np.sum((w / epsilon / times) ** 2)


def by_users(x, epsilon, rng):
    return baselines.estimator("ldpe-users", epsilon).estimate(x, rng)


def in_panel(x, epsilon, rng):
    return baselines.panel(epsilon, ["ldpe-users"])(x, rng)["ldpe-users"]


def kept(rng):
    """Whether the second user is in the sample of "sm": she alone has a value that is not 0, and noise is none."""
    epsilon, x = np.array([4e4, 4e4 - 0.4]), np.zeros((RUNS, 2))
    x[:, 1] = 0.5
    return baselines.estimator("sm", epsilon).estimate(x, rng) > 0.1


BOX = kmeans.Setting(iterations=2, epsilon=3.0, clusters=3, dimension=2)


def drawn(name, rng):
    """What `kmeans.Draws.sample` draws for everybody, or for the curator's first round, in one long run."""
    many = BOX if name != "central" else kmeans.Setting(iterations=RUNS // 9, epsilon=3.0, clusters=3, dimension=2)
    found = getattr(kmeans.Draws.sample(rng, RUNS if name != "central" else 1, many), name)
    return found.ravel()[:RUNS]


def row(name, draw, mean):
    return dict(id=name, draw=draw, mean=mean)


ROWS = [
    row(
        "randomised response",
        lambda rng: RandomizedResponse(1.2, 5).sample(rng, np.full(RUNS, 2)) == 2,
        lambda times: 1 / (1 + 4 * np.exp(-1.2 * times)),
    ),
    *(
        row(f"{name} of {end}", partial(reports, name, end), partial(beyond, name))
        for name in LOCAL_REPORTS
        for end in (0, 1)
    ),
    row(
        "one-bit report",
        lambda rng: one_bit_report(np.zeros((RUNS, 1)), [1.2], rng)[:, 0] > 1,
        partial(beyond, "one-bit"),
    ),
    row("mixed, simple reports", partial(only_user, "simple"), partial(beyond, "one-bit")),
    row("mixed, best reports", partial(only_user, "best"), partial(beyond, "one-bit")),
    row("mixed, noisy reports", partial(only_user, "laplace"), partial(beyond, "laplace")),
    *(row(f"pure, {d}, {s}", *pure(d, s)) for d in (1, 2) for s in notions.SHAPES),
    row("ldpe-users", *noises(by_users, MANY)),
    row("ldpe-users in a panel", *noises(in_panel, MANY)),
    row("sm", kept, lambda times: np.exp(-0.4 / times)),
    row("k-means, reports", lambda rng: drawn("report", rng) ** 2, lambda times: 2 / times**2),
    row("k-means, curator", lambda rng: drawn("central", rng) ** 2, lambda times: 2 / times**2),
    row("k-means, answers", lambda rng: drawn("uniform", rng), lambda times: 0.5 / times),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_is_drawn_is_what_the_budget_wants(row):
    """As often, as long or as large; and a tenth more of the budget would be seen surely."""
    found, expected = np.asarray(row["draw"](np.random.default_rng(5)), dtype=float), row["mean"](1.0)
    assert_monte_carlo(found, expected)
    assert abs(row["mean"](1.1) - expected) > 8 * found.std() / np.sqrt(found.size), "too few draws"


class Spread(np.random.Generator):
    """Uniform numbers that are spread evenly over the runs, so that a frequency is a probability to one over them."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))

    def random(self, size=None):
        return np.broadcast_to(((np.arange(size[0]) + 0.5) / size[0]).reshape(-1, *[1] * (len(size) - 1)), size)


SPREAD = 400
K = np.repeat([400.0, 30.0, 5.0], [20, 30, 30])
MEANS = np.round(np.random.default_rng(3).beta(4, 4, K.size), 3)
BUDGETS = np.resize([1.5, 3.0], K.size)
PERSONAL = user_level.user_groups(K, BUDGETS, head=20, tail=5)


def choices(x, epsilon):
    """How likely each scale is: by its score, e to half the budget a pair by which it misses the middle of pairs."""
    half = (x[::2] - x[1::2]) ** 2 / 2
    scales = user_level.variance_scales(K)
    misses = np.abs(np.sum(half <= 0.454936423119572 * scales[:, None], axis=1) - half.size / 2)
    return scales, np.exp(-epsilon / 2 * misses) / np.sum(np.exp(-epsilon / 2 * misses))


FIRST_VARIANCES = [
    dict(
        id="private_variance",
        draw=lambda x, rng: user_level.private_variance(x[:, :20], user_level.variance_scales(K), 1.5, rng),
        law=choices(MEANS[:20], 1.5),
    ),
    dict(
        id="Algorithm 2",
        draw=lambda x, rng: user_level.private_estimate(x, K, 1.5, rng, head=20, tail=5).initial_variance,
        law=choices(MEANS[:20], 1.5),
    ),
    dict(
        id="Algorithm 2 with personal budgets",
        draw=lambda x, rng: user_level.private_estimate(x, K, BUDGETS, rng, head=20, tail=5).initial_variance,
        law=choices(MEANS[PERSONAL.head], min(BUDGETS[PERSONAL.head])),
    ),
]


@pytest.mark.parametrize("row", FIRST_VARIANCES, ids=lambda row: row["id"])
def test_the_first_variance_is_chosen_for_the_budget(row):
    """The middle of the factor by which it may be off is sqrt(8)."""
    scales, chances = row["law"]
    found = row["draw"](np.tile(MEANS, (SPREAD, 1)), Spread())
    seen = np.array([np.mean(found < np.sqrt(8) * scale * 1.01) for scale in scales])
    expected, with_more = (np.cumsum((chances**times / np.sum(chances**times))[::-1])[::-1] for times in (1.0, 1.1))
    np.testing.assert_allclose(seen, expected, atol=1.01 / SPREAD)
    assert max(abs(with_more - expected)) > 4 / SPREAD, "too few runs"


def test_answers_and_counts_of_k_means_are_for_the_budget():
    """Who answers at random says 0 here, and reports tell who; the mean of equal values tells the curator's count."""
    n, epsilon = 2000, 1.2
    s = kmeans.Setting(iterations=1, epsilon=2 * epsilon, clusters=2, dimension=1)
    place, nothing = (np.arange(n) + 0.5) / n, np.zeros((1, 2, 2))
    draws = kmeans.Draws((place[:, None] - 1) / s.lm_scale, place[None], np.zeros((1, n), dtype=int), nothing)
    ends, everybody = [[-0.5], [0.5]], np.ones(n, dtype=bool)
    found = kmeans.run(np.full((n, 1), 0.5), ~everybody, ends, s, draws, "lm")[1, 0, 0]
    assert 1 - 2 * found == pytest.approx(2 / (np.exp(epsilon) + 1), abs=1e-3)
    noise = nothing.copy()
    noise[0, 1, 0] = 1.0
    draws = kmeans.Draws(np.zeros((n, 1)), np.zeros((1, n)), np.zeros((1, n), dtype=int), noise)
    found = kmeans.run(np.full((n, 1), 0.25), everybody, ends, s, draws, "tcm")[1, 1, 0]
    assert n * 0.25 / found - n == pytest.approx(3 / (2 * epsilon), rel=1e-9)


def test_as_printed_a_user_answers_by_her_report():
    """With all of its noise: which takes her just over the middle between two centres."""
    s = kmeans.Setting(iterations=1, epsilon=2.4, clusters=2, dimension=1)
    zeros = np.zeros((1, 2), dtype=int)
    draws = kmeans.Draws(np.array([[0.21], [0.19]]) / s.lm_scale, np.zeros((1, 2)), zeros, np.zeros((1, 2, 2)))
    x, nobody, asked = np.full((2, 1), -0.2), np.zeros(2, dtype=bool), kmeans.Reading(own_value=False)
    found = kmeans.run(x, nobody, [[-0.5], [0.5]], s, draws, "lm", asked)[1]
    np.testing.assert_allclose(found, [[-0.01], [0.01]], rtol=1e-9)
