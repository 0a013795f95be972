"""A count with noise, by `hdp.noise`, and beliefs by randomised response, which has the largest odds of a budget."""

import numpy as np

from hdp import adpm, baselines, threshold
from hdp.compare.local_reports import one_bit_variance
from hdp.explore.evaluate import expression_values
from hdp.noise import Laplace, RandomizedResponse
from hdp.sym.foundations.what_epsilon_feels_like import NAMES
from tests.figures.captions import says


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
    found = [adpm.worst_case_mse(budgets), threshold.threshold_mse(budgets), local, one]
    return np.minimum(found, TRIVIAL)


def lost(at):
    """What a user of each group loses, in the way that is chosen."""
    e, budgets, way = people(at)[0], users(at), int(at["way"])
    if squared(at)[way] == TRIVIAL:
        return np.zeros(e.size)
    if way == 1:
        best = threshold.best_threshold(budgets)
        return np.where(e >= best, best, 0.0)
    return np.minimum(e, adpm.clipping_level(budgets)) if way == 0 else e


def level(**at):
    way = int(at["way"])
    return [adpm.clipping_level, threshold.best_threshold, lambda _: np.nan][way](users(at))


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
def three_vessels_are_full(figure):
    """As high as the water are the boxes of what is lost, and as high as the vessel those of what is allowed."""
    values = figure.paper_values
    tops = [
        [float(expression_values(figure, box.y2, values)) for box in figure.layers if box.label == name][:5]
        for name in ("privacy you lose", "privacy you keep")
    ]
    assert np.equal(*tops).tolist() == [True] * 3 + [False] * 2 and tops[0][-1] < tops[1][-1] / 2
