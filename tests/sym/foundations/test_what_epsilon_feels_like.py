"""What an answer tells about one person: the statements against the mechanisms of `hdp.noise`."""

import numpy as np
import pytest
from scipy import stats

from hdp import adpm, threshold
from hdp.compare.local_reports import flip_probability
from hdp.explore.evaluate import draw_values
from hdp.explore.layers import Draws
from hdp.figures.foundations.what_epsilon_feels_like import vessels as FIGURE
from hdp.noise import Laplace, RandomizedResponse
from hdp.sym.foundations import what_epsilon_feels_like as sym
from hdp.sym.symbols import epsilon
from tests.figures.foundations.what_epsilon_feels_like import squared, users

BUDGETS = [0.05, 0.3, 1.0, 4.0]
PRIORS = [0.01, 0.3, 0.5, 0.99]


@pytest.mark.settles("hdp-posterior")
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_density_and_its_quantiles_are_those_of_the_noise(budget):
    """Around a count, with scale 1/epsilon."""
    answers, shares = np.linspace(-4, 9, 27), np.linspace(0.01, 0.99, 25)
    stated = [float(sym.density(3).subs({epsilon: budget, sym.s: s})) for s in answers]
    np.testing.assert_allclose(Laplace(1 / budget).density(answers - 3), stated, rtol=1e-13)
    stated = [float(sym.quantile(3).subs({epsilon: budget, sym.u: u})) for u in shares]
    np.testing.assert_allclose(stats.laplace(3, 1 / budget).ppf(shares), stated, rtol=1e-12, atol=1e-12)
    assert stats.laplace(scale=1 / budget).std() == pytest.approx(float(sym.noise_deviation.subs(epsilon, budget)))


@pytest.mark.settles("hdp-posterior")
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_beliefs_end_where_the_statement_says(budget, prior):
    """By Bayes' rule from the densities of many answers, and exactly for randomised response, which has both ends."""
    answers = np.linspace(-200, 200, 4001)
    yes, no = (Laplace(1 / budget).density(answers - count) for count in (3, 2))
    with np.errstate(under="ignore"):
        kept = np.minimum(yes, no) > 1e-290
        beliefs = prior / (prior + (1 - prior) * no[kept] / yes[kept])
    at = {epsilon: budget, sym.p: prior}
    stated = [float(sym.least.subs(at)), float(sym.most.subs(at))]
    np.testing.assert_allclose([beliefs.min(), beliefs.max()], stated, rtol=1e-9)
    truth = RandomizedResponse(budget).truth_probability
    exact = [prior * a / (prior * a + (1 - prior) * b) for a, b in ((1 - truth, truth), (truth, 1 - truth))]
    np.testing.assert_allclose(exact, stated, rtol=1e-13)


@pytest.mark.settles("hdp-posterior")
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("others", [[0, 0, 1, 0, 0], [0.1, 0.2, 0.4, 0.2, 0.1], [0.5, 0, 0, 0, 0.5]])
def test_what_is_thought_of_the_others_matters(budget, others):
    """Chances of four others' counts: the same for both answers of hers, no belief passes an end; alike, it does."""
    answers, at = np.linspace(-30, 30, 1201), {epsilon: budget, sym.p: 0.5}
    least, most = float(sym.least.subs(at)), float(sym.most.subs(at))
    seen = np.array([[Laplace(1 / budget).density(answers - her - n) for n in range(5)] for her in (0, 1)])
    no, yes = np.asarray(others) @ seen
    beliefs = yes / (yes + no)
    assert least * (1 - 1e-9) <= beliefs.min() and beliefs.max() <= most * (1 + 1e-9)
    noisy = answers[np.isclose(beliefs, most, rtol=1e-9)] - 3  # where the end is reached, around her count of 3
    chance = np.exp(-budget * noisy.min()) / 2
    assert (chance == pytest.approx(0.5, rel=1e-9)) == (max(others) == 1)
    alike = seen[1, 4].max() / seen[0, 0][seen[1, 4].argmax()]
    assert np.log(alike) == pytest.approx(5 * budget) and alike / (1 + alike) > most


@pytest.mark.settles("hdp-posterior")
@pytest.mark.parametrize("budget", [0.3, 1.0])
def test_an_end_is_reached_half_of_the_time(budget):
    """If she holds the value that it speaks for: the answer lies beyond her count."""
    noise = Laplace(1 / budget).sample(np.random.default_rng(7), 100_000)
    for step in (1, -1):  # beyond her count, seen from the other one
        other = Laplace(1 / budget).density(noise + step)
        reached = np.log(Laplace(1 / budget).density(noise) / other) > budget * (1 - 1e-9)
        assert abs(reached.mean() - 0.5) < 4 * 0.5 / np.sqrt(reached.size)


# -- The answers that the first page draws are of the law that the library states for each way.

MANY = {f"members_{i}": 1000.0 for i in range(1, 9)}
FEW = {"groups": 2.0, "allows_1": 1.7, "allows_2": 2.0, "members_1": 1.0, "members_2": 1.0}
POPULATIONS = [{}, MANY, FEW]


def laws(at):
    """What each answer's noise is drawn from: Laplace noise, and of local reports what the lies make of their sum."""
    budgets = users(at)
    best = threshold.best_threshold(budgets)
    over = np.tanh(budgets / 2)  # what undoes the lies divides by it
    chance = flip_probability(budgets)
    lies = np.sum(over**2 * chance * (1 - chance)) / np.sum(over**2) ** 2
    return [
        stats.laplace(scale=1 / np.sum(np.minimum(budgets, adpm.clipping_level(budgets)))),
        stats.laplace(scale=1 / (np.count_nonzero(budgets >= best) * best)),
        stats.norm(scale=np.sqrt(lies)),
        stats.laplace(scale=1 / (budgets.size * budgets.min())),
    ]


@pytest.mark.parametrize("changed", POPULATIONS, ids=["of the page", "many", "two"])
def test_the_drawn_answers_are_of_the_stated_law(changed):
    at = FIGURE.values(**changed)
    layers = [layer for layer in FIGURE.layers if isinstance(layer, Draws)]
    for layer, law, error in zip(layers, laws(at), squared(at), strict=True):
        drawn = draw_values(FIGURE, layer, at, 10_000)[0]
        if error < 0.25:
            assert stats.kstest(drawn, law.cdf).pvalue > 0.001, layer.label
        else:  # the middle of the interval needs no noise
            assert not np.any(drawn), layer.label
