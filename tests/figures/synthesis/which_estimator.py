"""The synthetic users of the page, group by group, through the estimators between which their curator chooses."""

import numpy as np

from hdp import hybrid
from tests.figures.lemma import average, of_groups, optimum

BUDGETS, SHARES = np.array([0.1, 0.5, 2.0]), np.array([10, 6, 3]) / 19  # of the file's private users


def groups(budget_factor, theta_C, q_public, n):
    """Budgets and sizes: of those who trust the curator, the public ones last, and of the others."""
    epsilon, users = budget_factor * BUDGETS, n * (1 - q_public) * SHARES
    return np.append(epsilon, np.inf), np.append(theta_C * users, n * q_public), epsilon, (1 - theta_C) * users


def mixed(**file):
    """The lemma's weights for groups: a group of m equal users is one with variance v/m and noise cost s/m."""
    trusting, curated, local, reported = groups(**file)
    v = np.concatenate([0.25 / curated, 0.25 / np.tanh(local / 2) ** 2 / reported])
    return optimum(v, np.concatenate([1 / (curated * trusting), np.zeros(local.size)]))[1]


def adpm(**file):
    epsilon, users, *_ = groups(**file)
    return min(of_groups(users, epsilon)[1], 0.25)


def threshold(**file):
    epsilon, users, *_ = groups(**file)
    return min(average(users[i:].sum(), budget) for i, budget in enumerate(epsilon))


def uniform(**file):
    epsilon, users, *_ = groups(**file)
    return average(users.sum(), epsilon[0])


def reports(precision):
    def error(**file):
        epsilon, users, *_ = groups(**file | {"theta_C": 1})
        return 1 / np.sum(users * precision(epsilon))

    return error


def kvh(budget_factor, theta_C, q_public, n):
    s = hybrid.Setting(n=n, c=theta_C * (1 - q_public) + q_public, m=1, epsilon=budget_factor * BUDGETS[0], sigma_t=0.5)
    return hybrid.true_mean_mse(s, hybrid.kvh_weight(s))


def over_mixed(error):
    return lambda **file: error(**file) / mixed(**file)


REFERENCES = {
    "hdp-which-estimator": {
        "LDPE": over_mixed(reports(lambda epsilon: 1 / (0.25 + 2 / epsilon**2))),
        "one bit": over_mixed(reports(lambda epsilon: 4 * np.tanh(epsilon / 2) ** 2)),
        "KVH": over_mixed(kvh),
        "TCM-only": over_mixed(uniform),
        "best threshold": over_mixed(threshold),
        "ADPM": over_mixed(adpm),
        "mixed release": 1.0,
        "the file": 1.0,
        "standard error": lambda **file: np.sqrt(mixed(budget_factor=1.0, **file)),
        "error of ADPM": lambda **file: over_mixed(adpm)(budget_factor=1.0, **file),
    }
}
