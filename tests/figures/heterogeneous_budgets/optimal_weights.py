"""Isocurves by root finding, and the optimum of the solver."""

from functools import partial

import numpy as np
from scipy.optimize import brentq

from hdp import adpm
from tests.figures.heterogeneous_budgets.groups import items, optimum

SAMPLE = 2 / 401  # between samples: one beyond its end an isocurve is drawn on the axis


def isocurve(step, a, epsilon_1, epsilon_2, n, f):
    """Relative weight of group 2 at which the error is `step` times the best one."""
    target = step * optimum(epsilon_1, epsilon_2, n, f)[1]
    variance, cost = items(epsilon_1, epsilon_2, n, f)

    def excess(b, a):
        w = np.array([f * a, (1 - f) * b])
        return (np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2) / target - 1

    if excess(0, a) < 0:
        return brentq(excess, 0, 1e4, args=(a,), xtol=1e-14)
    return 0.0 if excess(0, a - SAMPLE) < 0 else np.nan


REFERENCES = {
    "cc-figure-2": {
        "isocurves of the error": [partial(isocurve, step) for step in (0.45, 0.7, 1.4, 1.9)],
        "isocurve of the best error": partial(isocurve, 1),
        "constraint": lambda a, f: (1 - f * a) / (1 - f),
        "weights as the budgets": lambda a, epsilon_1, epsilon_2: epsilon_2 / epsilon_1 * a,
        "weights at saturation": lambda a, epsilon_1, n, f: adpm.saturation_ratio(epsilon_1, n, f) * a,
        "optimum": lambda f, **at: optimum(f=f, **at)[0] / [f, 1 - f],
        "saturation ratio R": adpm.saturation_ratio,
        "ratio of the budgets": lambda epsilon_1, epsilon_2: epsilon_2 / epsilon_1,
    }
}
