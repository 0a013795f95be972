"""What one bias proves, by arithmetic; the best bias as root of a polynomial; the algorithm's error by the library."""

import numpy as np

from hdp import adpm
from tests.figures.heterogeneous_budgets.what_is_left import top_of_hill


def proves(slope, factor=4):
    """An error of delta^2/4 for coins that cannot be told apart; less the better they can."""

    def error(delta_coin, epsilon, n):
        found = delta_coin**2 / factor * (1 - slope(delta_coin, epsilon, n))
        return found if found > 0 else np.nan

    return error


def by_privacy(x, epsilon, n):
    """Randomised response: the most that one user's coin can change the probability of an event."""
    return x * n * (2 / (1 + np.exp(-epsilon)) - 1)


def by_data(x, epsilon, n):
    return x * np.sqrt(n)


def by_data_in_the_paper(x, epsilon, n):
    """Pinsker's inequality for n tosses: each has the relative entropy of one."""
    heads = np.array([(1 + x) / 2, (1 - x) / 2])
    entropy = np.sum(heads * np.log(heads / heads[::-1]))
    return np.sqrt(n * entropy / 2)


def best(epsilon, n):
    """What it proves, and the bias: of either way the top of its hill, or the end of the range."""
    return max(top_of_hill(slope(1.0, epsilon, n)) for slope in (by_privacy, by_data))


def upper(epsilon, n):
    return adpm.worst_case_mse(np.full(int(n), epsilon))


REFERENCES = {
    "cc-two-coins": {
        "everybody's privacy counts": proves(by_privacy),
        "everybody's data count": proves(by_data),
        "privacy, with": proves(lambda x, epsilon, n: 2 * x * n * (1 - np.exp(-epsilon)), 8),
        "data, with": proves(by_data_in_the_paper, 8),
        "error of the paper's": upper,
        "the best bias": lambda epsilon, n: best(epsilon, n)[::-1],
        "bias that proves most": lambda epsilon, n: best(epsilon, n)[1],
        "it proves": lambda epsilon, n: best(epsilon, n)[0],
        "the algorithm errs": upper,
    }
}
