"""Ratios of the weights of two users, from the mechanisms."""

import numpy as np

from hdp import adpm, baselines
from tests.figures.heterogeneous_budgets import upper_bound
from tests.figures.heterogeneous_budgets.upper_bound import budgets, in_order, saturation
from tests.figures.lemma import average


@in_order
def fme_ratio(*point):
    w = baselines.BASELINES["fme"].mechanism(budgets(*point)).weights
    return w[-1] / w[0]


REFERENCES = {
    "cc-figure-4": {
        "ADPM": in_order(lambda e_1, e_2, n, f: min(e_2, saturation(e_1, n, f)) / e_1),
        "FME": fme_ratio,
        "saturation, ": saturation,
        "saturation ratio": adpm.saturation_ratio,
    }
}


# -- Errors of two groups of any sizes, from a population of 100 with the same shares.


def error(name, epsilon_1, epsilon_2, n, f):
    """For uniform data; n users with budgets e have 100/n times the error of 100 users with e sqrt(n/100)."""
    if name == "sm":
        return average(n * (1 - f + f * np.expm1(epsilon_1) / np.expm1(epsilon_2)), epsilon_2, 1 / 12)
    budgets = np.repeat([epsilon_1, epsilon_2], [round(100 * f), 100 - round(100 * f)])
    return baselines.expected_mse(name, budgets * np.sqrt(n / 100), 1 / 12) * 100 / n


def excess(name, power):
    """What privacy costs, times a power of n."""
    return lambda epsilon_1, epsilon_2, n, f: (error(name, epsilon_1, epsilon_2, n, f) - 1 / (12 * n)) * n**power


def tenth(function):
    return lambda epsilon_1, epsilon_2, n, f: function(epsilon_1, epsilon_2, n, f) / 10


FME_A, FME_B = excess("fme", 1), upper_bound.baseline("fme")
REFERENCES |= {
    "cc-figure-1a": {name.upper(): excess(name, 2) for name in ("uni", "ldpe", "sm", "adpm")},
    "cc-figure-3a": {name.upper(): excess(name, 1) for name in ("uni", "ldpe", "sm", "adpm")}
    | {"FME": FME_A, "a tenth of FME": tenth(FME_A)},
    "cc-figure-3b": upper_bound.FIGURE_1B | {"FME": FME_B, "a tenth of FME": tenth(FME_B)},
}
