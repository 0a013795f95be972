"""Bounds by the library, and eqs. (37) to (39) at the paper's delta."""

import numpy as np
from scipy.optimize import minimize_scalar

from hdp import adpm, minimax
from tests.figures.heterogeneous_budgets.smaller_gap import top_of_hill
from tests.figures.heterogeneous_budgets.upper_bound import in_order, saturation


def paper_bound(k, epsilon_1, epsilon_2, n, f):
    """delta^2/16 for nobody's privacy, that of group 1, and that of all."""
    private = np.cumsum([0, 2 * n * f * epsilon_1, 2 * n * (1 - f) * epsilon_2])
    slopes = private + np.array([np.sqrt(1.5 * n), np.sqrt(32 * n * (1 - f)), 0.0])
    return min(0.5 / slopes[k], 0.5) ** 2 / 16


REFERENCES = {
    "cc-lower-bounds": {
        "Theorem 1": in_order(adpm.two_group_bound),
        "(37)": in_order(lambda *point: paper_bound(0, *point)),
        "(38)": in_order(lambda *point: paper_bound(1, *point)),
        "(39)": in_order(lambda *point: paper_bound(2, *point)),
        "Theorem 2": in_order(minimax.lower_bound),
        "saturation": saturation,
    }
}


# -- What one bias proves, by arithmetic; the best bias as root of a polynomial; the algorithm's error by the library.


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


REFERENCES |= {
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


# -- The upper bound over each lower one; that with the best constants by search.


def best_constants(epsilon_1, epsilon_2, n, f):
    """Maximise the bound over delta and over the three k."""
    influence = np.array([n * f, n * (1 - f)]) * np.tanh([epsilon_1 / 2, epsilon_2 / 2])
    private, others = np.cumsum([0, *influence]), np.array([n, n * (1 - f)])
    slopes = private + np.append(np.sqrt(2 / np.pi * (others + 1)), 0.0)
    found = [
        minimize_scalar(
            lambda d, a=a: -(d**2) / 4 * (1 - a * d), (0, min(1, 1 / a)), bounds=(0, 1), options={"xatol": 1e-9 / a}
        )
        for a in slopes
    ]
    return max(*(-s.fun for s in found), *((1 - slopes) / 4))  # delta = 1 is an end of the range


def over(bound):
    """The upper bound divided by this one."""
    return in_order(lambda *point: adpm.two_group_bound(*point) / bound(*point))


REFERENCES |= {
    "cc-lower-gap": {
        "Theorem 2": over(minimax.lower_bound),
        "Lemma 4": over(lambda *point: max(paper_bound(k, *point) for k in range(3))),
        "closed form": over(best_constants),
        "40": 40.0,
        "saturation": saturation,
    }
}
