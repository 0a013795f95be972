"""Ratios of the weights of two users, from the mechanisms."""

from hdp import adpm, baselines
from tests.figures.heterogeneous_budgets.groups import budgets, in_order, saturation


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
