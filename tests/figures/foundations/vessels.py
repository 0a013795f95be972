"""Groups of people by the library: one user after the other, as `hdp` wants them."""

import numpy as np

from hdp import adpm, baselines, threshold
from hdp.compare.reports import one_bit_variance
from hdp.sym.foundations.vessels import NAMES

TRIVIAL = 0.25
WIDTH = 0.45  # of the picture, all vessels together; it begins at -0.25


def people(at):
    """Budgets and sizes of the five groups."""
    return [np.array([at[f"{what}_{i}"] for i in range(1, 6)]) for what in ("allows", "members")]


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
    """What a user of each budget loses, in the way that is chosen."""
    e, budgets, way = people(at)[0], users(at), int(at["way"])
    if squared(at)[way] == TRIVIAL:
        return np.zeros(5)
    if way == 1:
        best = threshold.best_threshold(budgets)
        return np.where(e >= best, best, 0.0)
    return np.minimum(e, adpm.clipping_level(budgets)) if way == 0 else e


def level(**at):
    way = int(at["way"])
    return [adpm.clipping_level, threshold.best_threshold, lambda _: np.nan][way](users(at))


def sides(i, at):
    """Left and right of a vessel: those that are there share the width, with gaps of a seventh at each side."""
    _, m = people(at)
    if not m[i]:
        return np.nan, np.nan
    share = WIDTH / np.count_nonzero(m)
    left = -0.25 + share * np.count_nonzero(m[:i])
    return left + share / 7, left + share * 6 / 7


def box(i, kind):
    def corners(**at):
        (left, right), e, loss = sides(i, at), people(at)[0][i], lost(at)[i]
        low, high = {"lose": (0, loss), "keep": (loss, e), "allow": (0, e)}[kind]
        return left, low, right, high

    return corners


def words(i, kind):
    def place(**at):
        middle, e, m, loss = np.mean(sides(i, at)), people(at)[0][i], people(at)[1][i], lost(at)[i]
        return {
            "allows": (middle, e + 0.08, e),
            "keeps": (middle, (e + loss) / 2 if e - loss > 0.1 else np.nan, e - loss),
            "name": (middle, -0.11, 0),
            "how many": (middle, -0.26, m),
        }[kind]

    return place


def answers(k):
    return lambda **at: (-0.25, -0.5 - k / 3, np.sqrt(squared(at)[k]))


def largest(at):
    """The budget of who allows most, and what she loses."""
    e, m = people(at)
    i = np.argmax(np.where(m > 0, e, -1))
    return e[i], lost(at)[i]


REFERENCES = {
    "vessels": {
        "privacy you lose": [box(i, "lose") for i in range(5)],
        "privacy you keep": [box(i, "keep") for i in range(5)],
        "what you allow": [box(i, "allow") for i in range(5)],
        "allows {}": [words(i, "allows") for i in range(5)],
        "keeps {}": [words(i, "keeps") for i in range(5)],
        **{name: words(i, "name") for i, name in enumerate(NAMES)},
        "{} alike": [words(i, "how many") for i in range(5)],
        "level": level,
        "a budget each": answers(0),
        "one threshold": answers(1),
        "local reports": answers(2),
        "one budget for all": answers(3),
        "the most": lambda **at: largest(at)[0],
        "what is lost": lambda **at: largest(at)[1],
        "what is kept": lambda **at: largest(at)[0] - largest(at)[1],
        "the answer errs": lambda **at: np.sqrt(squared(at)[int(at["way"])]),
        "with one budget": lambda **at: np.sqrt(squared(at)[3]),
    },
}
