"""Two groups with wrong variances, user by user groups as items through the solver."""

import numpy as np

from hdp import clipping
from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances
from tests.figures.lemma import of_groups

VARIANCE = 1 / 64


def items(N_1, N_2, epsilon_1, epsilon_2):
    users = np.array([N_1, N_2])
    return VARIANCE / users, 1 / (users * np.array([epsilon_1, epsilon_2]))


def loss(rho_1, rho_2, **groups):
    v, s = items(**groups)
    return loss_of_wrong_variances(v, v * [rho_1, rho_2], s, 2.0)


def ends(rho_1, rho_2):
    return min(1, rho_1, rho_2), max(1, rho_1, rho_2)


def cut(rho_1, **groups):
    """The level of the believed problem, over the believed variance of one user."""
    v, s = items(**groups)
    return clipping.water_level(rho_1 * v / s, 1 / s, 2.0) / (rho_1 * VARIANCE)


def standard_error(N_1, N_2, epsilon_1, epsilon_2):
    return of_groups(np.array([N_1, N_2]), np.array([epsilon_1, epsilon_2]), VARIANCE)[1] ** 0.5


REFERENCES = {
    "hdp-wrong-variances": {
        "term by term": lambda rho_1, rho_2: max(1, rho_1, rho_2) / min(1, rho_1, rho_2),
        "the most": lambda rho_1, rho_2: price_of_wrong_variances(*ends(rho_1, rho_2)),
        "what it costs": loss,
        "true": 1.0,
        "standard error": standard_error,
    },
    "hdp-wrong-variances-level": {
        "believed level": cut,
        "level for": lambda **groups: cut(rho_1=1.0, **groups),
        "budget ε₁": lambda epsilon_1: epsilon_1,
        "budget ε₂": lambda epsilon_2: epsilon_2,
        "error / least error where 16": lambda **groups: loss(16.0, 16.0, **groups),
        "error / least error where a": lambda **groups: loss(1 / 16, 1 / 16, **groups),
    },
}
