"""The population itself, scipy's log-normal law, and ties of the baselines by root finding."""

from functools import cache

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from hdp import hybrid, salaries
from tests.figures.hybrid_trust.groups import improvement
from tests.figures.hybrid_trust.known_variance import surplus

BIN = 50  # thousands of dollars, like everything drawn


@cache
def population():
    return np.sort(salaries.population(2010)) / 1000


def counted(x):
    """Users in the bin of x; nothing where there is nobody, because the axis is logarithmic."""
    low = x // BIN * BIN
    inside = np.diff(np.searchsorted(population(), [low, low + BIN]))[0]
    return inside if inside else np.nan


def law(a):
    spread = np.sqrt(np.log1p((salaries.DEVIATION / 1000 / a) ** 2))
    return stats.lognorm(spread, scale=a * np.exp(-(spread**2) / 2))


def tie(epsilon, n, sigma):
    ends = -np.log(n), -1e-9
    return np.exp(brentq(lambda log: surplus(n, np.exp(log), epsilon, sigma), *ends, xtol=1e-15, rtol=1e-15))


def largest(epsilon, n, sigma):
    return improvement(hybrid.mse_kvh)(n, tie(epsilon, n, sigma), epsilon, sigma)


def passes(n, sigma):
    """Budget and c at which the largest R is 2."""
    budget = np.exp(brentq(lambda log: largest(np.exp(log), n, sigma) - 2, -7, 7, xtol=1e-14))
    return budget, tie(budget, n, sigma)


REFERENCES = {
    "adk-figure-2a": {
        "synthetic": counted,
        "log-normal": lambda x, a: salaries.USERS * BIN * law(a).pdf(x),
        "width of the data": salaries.MAXIMUM / 1000,
        "median": lambda a: law(a).median(),
        "its standard deviation": lambda a: law(a).std(),
    },
    "adk-figure-2b": {
        "relative improvement R": improvement(hybrid.mse_kvh),
        "TCM-Only is better": tie,
        "R passes 2": passes,
        "largest R for ε ≤ 1": lambda n, sigma: largest(1.0, n, sigma),
        "largest R for ε ≤ 10": lambda n, sigma: largest(10.0, n, sigma),
        "smallest ε": lambda n, sigma: passes(n, sigma)[0],
    },
    "adk-figure-2-ridge": {
        "largest R of all c": largest,
        "its limit": lambda epsilon, sigma: hybrid.best_improvement(2 * sigma * epsilon),
        "twice as good": 2.0,
        "high privacy": 1.0,
        "R reaches 2": lambda n, sigma: (passes(n, sigma)[0], 2.0),
    },
}
