"""Ratios of the weights of two users, from the mechanisms."""

from hdp import adpm, baselines
from tests.figures.heterogeneous_budgets.groups import budgets, in_order, saturation


@in_order
def fme_ratio(*point):
    w = baselines.BASELINES["fme"].mechanism(budgets(*point)).weights
    return w[-1] / w[0]


@in_order
def adpm_ratio(epsilon_1, epsilon_2, n, f):
    return min(epsilon_2, saturation(epsilon_1, n, f)) / epsilon_1


REFERENCES = {
    "cc-figure-4": {
        "ADPM": adpm_ratio,
        "FME": fme_ratio,
        "saturation, ": saturation,
        "saturation ratio": adpm.saturation_ratio,
    }
}
