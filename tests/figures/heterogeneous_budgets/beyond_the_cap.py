"""Both bounds from the error of the average, user by user."""

import numpy as np
from scipy.optimize import brentq

from hdp import baselines


def before_the_cap(epsilon, n):
    """Error of the average of n users."""
    return baselines.expected_mse("uni", np.full(round(n), epsilon))


REFERENCES = {
    "cc-shrinkage": {
        "switch to 0": lambda epsilon, n: min(before_the_cap(epsilon, n), 0.25),
        "shrink": lambda epsilon, n: 1 / (1 / before_the_cap(epsilon, n) + 4),
        "switch": lambda n: brentq(lambda e: before_the_cap(e, n) - 0.25, 1e-4, 1e4, xtol=1e-15),
    }
}
