"""The maps by `hdp.hybrid`, and the border of R < 1 by root finding."""

from functools import partial

import numpy as np
from scipy.optimize import brentq

from hdp import hybrid
from tests.figures.hybrid_trust.groups import setting
from tests.figures.hybrid_trust.largest_gain import tie
from tests.figures.hybrid_trust.unknown_variance import BEST, WORST, noise_only

LEAST = 0.0005  # a line that leaves the map is drawn to here


def even(many, epsilon, n, sigma):
    """Fraction c at which PWH is as good as Full-LM: the larger one, or the smaller."""

    def gain(log_share):
        s = setting(n, np.exp(log_share), epsilon, sigma)
        return (hybrid.mse_full_lm(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t)

    middle, far = -np.log(n) / 2, -1e-9 if many else np.log(max(LEAST, 1.0001 / n))
    if gain(middle) > 0 or gain(far) < 0 or (far < middle) == many:
        return np.nan
    return np.exp(brentq(gain, middle, far, xtol=1e-15, rtol=1e-15))


REFERENCES = {
    "adk-figure-8a": {
        "relative improvement R": BEST,
        "R < 1 below": partial(even, True),
        "and above": partial(even, False),
    },
    "adk-figure-8b": {
        "improvement over the worse": WORST,
        "TCM-Only is better": tie,
        "improvement r at c = 10 %": lambda n, sigma: WORST(n, 0.1, 0.1, sigma),
        "without sampling error": lambda n: noise_only(n, 0.1),
    },
}
