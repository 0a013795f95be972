"""Several answers from the synthetic users of a file: the errors of one answer, with smaller budgets."""

import numpy as np

from tests.figures.synthesis import which_estimator as file


def each(error):
    """Standard error of each of t answers: a t-th of every budget."""
    return lambda t_answers, **users: np.sqrt(error(budget_factor=1 / t_answers, **users))


mixed = each(file.mixed)

REFERENCES = {
    "synthesis-asking": {
        "t times": lambda t_answers, **users: t_answers * mixed(1.0, **users),
        "one bit": each(file.reports(lambda epsilon: 4 * np.tanh(epsilon / 2) ** 2)),
        "mixed release": mixed,
        "sampling error": lambda n: 0.5 / np.sqrt(n),
        "standard error of one": lambda **users: mixed(1.0, **users),
        "of each of two": lambda **users: mixed(2.0, **users),
    }
}
