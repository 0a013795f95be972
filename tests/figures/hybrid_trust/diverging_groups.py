"""Groups that differ, by `hdp.hybrid`."""

from functools import partial

from scipy import stats

from hdp import hybrid
from tests.figures.hybrid_trust.groups import labelled, of_each, weighed

MEDIUM = 12**-0.5  # standard deviation of the uniform law


def skewed(n, c, epsilon, sigma_T, sigma_L):
    return weighed(hybrid.Setting(n, c, 1, epsilon, sigma_T, sigma_L), hybrid.kvh_weight)


def alike(n, c, epsilon, sigma_T, sigma_L):
    return skewed(n, c, epsilon, sigma_T, sigma_T)


def shifted(weight, n, c, epsilon, t):
    """R with this weight where the means differ by 2 t."""
    return weighed(hybrid.Setting(n, c, 2, epsilon, MEDIUM, mu_t=1 - t, mu_l=1 + t), weight)


def spread(c, sigma_T, sigma_L):
    """Standard deviation of equal groups with the same errors."""
    return hybrid.Setting(1e5, c, 1, 1, sigma_T, sigma_L).effective_variance ** 0.5


REFERENCES = {
    "adk-figure-4": {
        **labelled("{}", of_each(skewed)),
        "everybody's data": of_each(alike),
        "the paper starts here": 1000.0,
        "σ of equal groups": [
            lambda c_1, sigma_T, sigma_L: spread(c_1, sigma_T, sigma_L),
            lambda c_2, sigma_T, sigma_L: spread(c_2, sigma_T, sigma_L),
        ],
    },
    "adk-figure-5-densities": {
        "LM group": lambda x, t: stats.uniform.pdf(x, 0.5 + t, 1),
        "TCM group": lambda x, t: stats.uniform.pdf(x, 0.5 - t, 1),
        "gap of the means": lambda t: hybrid.Setting(9, 0.5, 2, 1, 0, 0, 1 - t, 1 + t).gap,
    },
    "adk-figure-5": {
        **labelled("{}", of_each(partial(shifted, hybrid.homogeneous_weight))),
        "the same": of_each(partial(shifted, hybrid.kvh_weight)),
        "no gain": 1.0,
        "the paper starts here": 1000.0,
    },
}
