"""What an answer tells about one person: the statements against the mechanisms of `hdp.noise`."""

import numpy as np
import pytest
from scipy import stats

from hdp import ADPM, Threshold, baselines
from hdp.compare.local_reports import flip_probability, one_bit_variance
from hdp.explore.evaluate import draw_values, expression_values
from hdp.explore.layers import Draws
from hdp.figures.foundations.what_epsilon_feels_like import vessels as FIGURE
from hdp.noise import Laplace, RandomizedResponse
from hdp.sym.foundations import what_epsilon_feels_like as sym
from hdp.sym.foundations.what_epsilon_feels_like import NAMES
from hdp.sym.symbols import epsilon
from tests.figures.captions import says

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
def test_no_belief_passes_an_end_whatever_the_others_count(budget, others):
    """Chances of four others' counts, the same for both answers of hers: no belief passes an end."""
    answers, at = np.linspace(-30, 30, 1201), {epsilon: budget, sym.p: 0.5}
    least, most = float(sym.least.subs(at)), float(sym.most.subs(at))
    seen = np.array([[Laplace(1 / budget).density(answers - her - n) for n in range(5)] for her in (0, 1)])
    no, yes = np.asarray(others) @ seen
    beliefs = yes / (yes + no)
    assert least * (1 - 1e-9) <= beliefs.min() and beliefs.max() <= most * (1 + 1e-9)


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
    best = Threshold(budgets).tau
    over = np.tanh(budgets / 2)  # what undoes the lies divides by it
    chance = flip_probability(budgets)
    lies = np.sum(over**2 * chance * (1 - chance)) / np.sum(over**2) ** 2
    return [
        stats.laplace(scale=1 / np.sum(np.minimum(budgets, ADPM(budgets).level))),
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


# -- What the figures draw, by the library.


def around(count):
    """Density of a noisy count."""
    return lambda s, epsilon: Laplace(1 / epsilon).density(s - count)


def odds(epsilon):
    truth = RandomizedResponse(epsilon).truth_probability
    return truth / (1 - truth)


def believed(prior, ratio):
    """Bayes' rule for an answer of this likelihood ratio."""
    return prior * ratio / (prior * ratio + 1 - prior)


def most(p_prior, epsilon):
    return believed(p_prior, odds(epsilon))


def least(p_prior, epsilon):
    return believed(p_prior, 1 / odds(epsilon))


REFERENCES = {
    "two-answers": {
        "if she said yes": around(3),
        "if she said no": around(2),
        "scale of the noise": lambda epsilon: 1 / epsilon,
        "an answer changes": odds,
    },
    "what-an-attacker-concludes": {
        "at most": most,
        "at least": least,
        "nothing learnt": lambda p_prior: p_prior,
        "the belief of": lambda q_prior, epsilon: (q_prior, most(q_prior, epsilon)),
        "after the answer": lambda q_prior, epsilon: most(q_prior, epsilon),
        "and at least": lambda q_prior, epsilon: least(q_prior, epsilon),
    },
}


# -- Groups of people by the library: one user after the other, as `hdp` wants them.

TRIVIAL, TOP, LINE = 0.25, 2.1, 0.09
WIDTH = 0.43  # of the picture, all vessels together; it begins at -0.25


def people(at):
    """Budgets and sizes of the groups that are there; who is public has no limit."""
    there = range(1, int(at["groups"]) + 1)
    budgets = np.array([np.inf if i == at["public_group"] else at[f"allows_{i}"] for i in there])
    return budgets, np.array([at[f"members_{i}"] for i in there])


def users(at):
    """The budget of every user."""
    e, m = people(at)
    return np.repeat(e, m.astype(int))


def squared(at):
    """What each way errs by; each at most what the middle of the interval errs by."""
    budgets = users(at)
    local = 1 / np.sum(1 / one_bit_variance(budgets))
    one = baselines.expected_mse("uni", budgets, 0.25)
    found = [ADPM(budgets).mse(), Threshold(budgets).mse(), local, one]
    return np.minimum(found, TRIVIAL)


def lost(at):
    """What a user of each group loses, in the way that is chosen."""
    e, budgets, way = people(at)[0], users(at), int(at["way"])
    if squared(at)[way] == TRIVIAL:
        return np.zeros(e.size)
    if way == 1:
        best = Threshold(budgets).tau
        return np.where(e >= best, best, 0.0)
    return np.minimum(e, ADPM(budgets).level) if way == 0 else e


def level(**at):
    budgets = users(at)
    return [ADPM(budgets).level, Threshold(budgets).tau, np.nan][int(at["way"])]


def told(at):
    """The group whose story is told, from 0."""
    return int(min(at["story"], at["groups"])) - 1


def sides(i, at):
    """Left and right of a vessel: those that are there share the width, with gaps of a seventh at each side."""
    share = WIDTH / at["groups"]
    left = -0.25 + share * i
    return left + share / 7, left + share * 6 / 7


def box(i, kind):
    def corners(**at):
        if i >= at["groups"]:
            return 4 * (np.nan,)
        (left, right), e, loss = sides(i, at), people(at)[0][i], min(lost(at)[i], TOP)
        low, high = {
            "lose": (0, loss),
            "keep": (loss, min(e, TOP)),
            "private": (0, e if e < np.inf else np.nan),
            "public": (0, TOP if e == np.inf else np.nan),
            "told": (-0.2, -0.18 if told(at) == i else np.nan),
        }[kind]
        return left, low, right, high

    return corners


def clear(e, line):
    """Words above a vessel, which stand above the line of the level instead if it would cross them."""
    return line + LINE if e - LINE / 9 < line < e + 2 * LINE else e + LINE


def words(i, kind):
    def place(**at):
        if i >= at["groups"]:
            return 3 * (np.nan,)
        middle, e, m, loss = np.mean(sides(i, at)), people(at)[0][i], people(at)[1][i], lost(at)[i]
        private = e if e < np.inf else np.nan
        return {
            "allows": (middle, clear(private, level(**at)), private),
            "no limit": (middle, np.nan if e < np.inf else TOP - 2 * LINE, 0),
            "keeps": (middle, (e + loss) / 2 if private - loss > 2 * LINE else np.nan, private - loss),
            "name": (middle, -0.1, 0),
            "how many": (middle, -0.29 if m > 1 else np.nan, m),
        }[kind]

    return place


def answers(k):
    return lambda **at: (-0.245, -0.75 - k / 3, np.sqrt(squared(at)[k]))


def told_keeps(**at):
    e, loss = people(at)[0][told(at)], lost(at)[told(at)]
    return 0.0 if e == loss else e - loss


ALL = range(len(NAMES))
REFERENCES |= {
    "vessels": {
        "privacy you lose": [box(i, "lose") for i in ALL],
        "privacy you keep": [box(i, "keep") for i in ALL],
        "what you allow": [box(i, kind) for i in ALL for kind in ("private", "public")],
        "whose story is told": [box(i, "told") for i in ALL],
        "What each person": lambda **_: (-0.245, 2.3, 0),
        "The noise of such": lambda **_: (-0.245, -0.52, 0),
        "allows {}": [words(i, "allows") for i in ALL],
        "no limit": [words(i, "no limit") for i in ALL],
        "keeps {}": [words(i, "keeps") for i in ALL],
        **{name: words(i, "name") for i, name in enumerate(NAMES)},
        "{} alike": [words(i, "how many") for i in ALL],
        "level": level,
        "a budget each": answers(0),
        "one threshold": answers(1),
        "local reports": answers(2),
        "one budget for all": answers(3),
        "whose story": lambda **at: told(at) + 1,
        "what is allowed": lambda **at: people(at)[0][told(at)],
        "what is lost": lambda **at: lost(at)[told(at)],
        "what is kept": told_keeps,
        "the answer errs": lambda **at: np.sqrt(squared(at)[int(at["way"])]),
        "with one budget": lambda **at: np.sqrt(squared(at)[3]),
    },
}


# -- What the captions say.


@says("vessels", "the first three are full, of the last one most stays empty")
def test_three_vessels_are_full(figure):
    """As high as the water are the boxes of what is lost, and as high as the vessel those of what is allowed."""
    values = figure.paper_values
    tops = [
        [float(expression_values(figure, box.y2, values)) for box in figure.layers if box.label == name][:5]
        for name in ("privacy you lose", "privacy you keep")
    ]
    assert np.equal(*tops).tolist() == [True] * 3 + [False] * 2 and tops[0][-1] < tops[1][-1] / 2
