"""Errors by `hdp.hybrid`, and up to which n one is better by root finding."""

from functools import partial

import numpy as np
from scipy.optimize import brentq

from hdp import hybrid
from tests.figures.hybrid_trust.known_variance import improvement, labelled, n_crit, of_each, setting, somebody, tie


def last(mse):
    """n up to which PWH is better than another estimator that does not know the variance; 0: never."""

    def number(c, epsilon, sigma):
        def gain(log_n):
            s = setting(np.exp(log_n), c, epsilon, sigma)
            return (mse(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t) * s.n

        low, high = np.log(1.0001 / c), 40.0
        if gain(low) < 0:
            return 0.0
        return np.exp(brentq(gain, low, high, xtol=1e-14)) if gain(high) < 0 else np.inf

    return number


def noise_only(n, c):
    """Full-LM over PWH for constant data, from the weight that minimises the noise."""
    s = setting(n, c, 1, 0)
    return hybrid.mse_full_lm(s) / hybrid.mse_pwh(s)


def cautious(s):
    return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, 0.25))


def naive(s):
    return hybrid.mse_hybrid(s, hybrid.naive_weight(s))


BEST, WORST = improvement(hybrid.mse_pwh), improvement(hybrid.mse_pwh, hybrid.improvement_over_worst)
REFERENCES = {
    "adk-figure-3-best": {
        **labelled("{}", of_each(somebody(BEST))),
        "better baseline": 1.0,
        "the paper starts here": 1000.0,
        **labelled("users up to which PWH gains (R > 1): {}", of_each(last(hybrid.mse_full_lm))),
    },
    "adk-figure-3-worst": {
        **labelled("{}", of_each(somebody(WORST))),
        "1 − c + c²n with c₁": lambda n, c_1: somebody(noise_only)(n, c_1),
        "1 − c + c²n with c₂": lambda n, c_2: somebody(noise_only)(n, c_2),
        "the paper starts here": 1000.0,
        **labelled("improvement r for 100,000 users: {}", of_each(WORST, n=1e5)),
    },
    "adk-pwh-weights": {
        "KVH": improvement(hybrid.mse_kvh),
        "PWH": BEST,
        "naive": improvement(naive),
        "cautious": improvement(cautious),
        "better baseline": 1.0,
        "R(PWH) < 1": last(hybrid.mse_full_lm),
        "TCM-Only better from": n_crit,
        "PWH better than naive": last(naive),
    },
}


# -- The maps by `hdp.hybrid`, and the border of R < 1 by root finding.

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


REFERENCES |= {
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
