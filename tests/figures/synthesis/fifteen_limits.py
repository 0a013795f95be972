"""Six arrows of the map user by user, or group by group, with the library alone."""

import numpy as np

from hdp import adpm, hybrid, user_level
from tests.figures.lemma import average, of_groups


def halves(n, *budgets):
    """Least error of one release for two groups of equal size."""
    return of_groups(np.array([n / 2, n / 2]), np.array(budgets))[1]


def kvh(n, epsilon_1, share, scale=1.0):
    """Fair coins, so many of whom trust; the best weight against the true mean."""
    noise = {"s_t2": 2 / (share * n * epsilon_1) ** 2, "s_l2": 2 * (scale / epsilon_1) ** 2}
    s = hybrid.Setting(n=n, c=share, m=1, epsilon=epsilon_1, sigma_t=0.5, **noise)
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    return hybrid.true_mean_mse(s, ends[0] / ends.sum())


def public(t_step, n, epsilon_1):
    return halves(n, epsilon_1, t_step * epsilon_1) / halves(n, epsilon_1, np.inf)


def arrival(n, epsilon_1):
    return adpm.saturation_ratio(epsilon_1, n, 0.5)


def spread(t_step, K):
    """Means of K samples and single ones with the best weights, over all samples alike without a spread."""
    records = np.array([K, 1.0])
    varied, even = (user_level.sample_mean_variance(0.5, s, records) for s in (0.2 / t_step, 0.0))
    w = records / records.sum()
    return 1 / np.sum(1 / varied) / np.sum(w**2 * even)


REFERENCES = {
    "synthesis-steps": {
        "3:": public,
        "4:": lambda t_step, n, epsilon_1: halves(n, epsilon_1, (1 + 9 / t_step) * epsilon_1) / average(n, epsilon_1),
        "8:": lambda t_step, n, epsilon_1: kvh(n, epsilon_1, 0.5, 1 / t_step) / halves(n, epsilon_1, np.inf),
        "9:": lambda t_step, n, epsilon_1: kvh(n, epsilon_1, 1 - 0.5 / t_step) / average(n, epsilon_1),
        "13:": spread,
        "15:": lambda t_step, n, epsilon_1: average(n, t_step * epsilon_1) / (0.25 / n),
        "3 arrives": arrival,
        "R, the step": arrival,
        "error with equal budgets": lambda n, epsilon_1: public(1, n, epsilon_1),
    },
}
