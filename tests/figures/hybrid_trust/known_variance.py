"""Beta laws by scipy, errors by `hdp.hybrid`, ties of the baselines by root finding."""

from functools import cache

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from hdp import hybrid, salaries

# -- What the pages share: equal groups on [0, 1], the ratios of their errors, and the four lines of a figure.


def setting(n, c, epsilon, sigma):
    return hybrid.Setting(n=n, c=c, m=1, epsilon=epsilon, sigma_t=sigma)


def improvement(mse, over=hybrid.relative_improvement):
    """R of an estimator: the better baseline's error over its own."""

    def ratio(n, c, epsilon, sigma):
        s = setting(n, c, epsilon, sigma)
        return over(s, mse(s))

    return ratio


def weighed(s, weight):
    """R of the hybrid estimator with a weight of the library."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, weight(s)))


def somebody(function):
    """Nothing is drawn where less than one user trusts the curator."""
    return lambda n, c, **rest: function(n, c, **rest) if c * n >= 1 else np.nan


def of_each(function, **fixed):
    """For each fraction and budget of the sliders c_1, c_2, e_1 and e_2, a function of c, epsilon and the others."""

    def line(i, j):
        def at(c_1, c_2, e_1, e_2, **rest):
            return function(c=(c_1, c_2)[i], epsilon=(e_1, e_2)[j], **fixed, **rest)

        return at

    return [line(i, j) for i in (0, 1) for j in (0, 1)]


def labelled(form, functions):
    """Four functions under the labels of the four."""
    few, more, small, large = "few trust (c₁)", "more trust (c₂)", "small budget (ε₁)", "large budget (ε₂)"
    kinds = (f"{few}, {small}", f"{few}, {large}", f"{more}, {small}", f"{more}, {large}")
    return {form.format(kind): function for kind, function in zip(kinds, functions, strict=True)}


def surplus(n, c, epsilon, sigma):
    """Of TCM-Only's error over Full-LM's."""
    s = setting(n, c, epsilon, sigma)
    return hybrid.mse_tcm(s) / hybrid.mse_full_lm(s) - 1


def envelope(n, c):
    """R at the budget that makes the baselines equal, for coins."""
    if c**2 * n <= 1 + 1e-9:
        return 1.0 if c**2 * n >= 1 - 1e-9 else np.nan
    budget = np.exp(brentq(lambda log: surplus(n, c, np.exp(log), 0.5), -30, 15, xtol=1e-15))
    return over(hybrid.mse_full_lm)(c, budget, 0.5, c * n)


def over(baseline):
    """Ratio of its error to KVH's, where t users trust."""

    def ratio(c, epsilon, sigma, t):
        s = setting(t / c, c, epsilon, sigma)
        return baseline(s) / hybrid.mse_kvh(s)

    return ratio


def largest(epsilon, sigma, t):
    """Fraction at which the baselines are equal, and R there."""
    ends = 1e-9, min(1 - 1e-12, t / 2)
    c = brentq(lambda c: surplus(t / c, c, epsilon, sigma), *ends, xtol=1e-16, rtol=1e-15)
    return c, over(hybrid.mse_full_lm)(c, epsilon, sigma, t)


def n_crit(c, epsilon, sigma):
    return hybrid.laplace_n_crit(setting(1e6, c, epsilon, sigma))


REFERENCES = {
    "adk-figure-1a": {
        **{f"Beta({a:g}, {a:g})": lambda x, a=a: stats.beta.pdf(x, a, a) for a in (0.1, 1.0, 10.0)},
        "yours": lambda x, alpha: stats.beta.pdf(x, alpha, alpha),
        "mean + σ": lambda alpha: 0.5 + stats.beta.std(alpha, alpha),
        "σ of yours": lambda alpha: stats.beta.std(alpha, alpha),
    },
    "adk-figure-1": {
        **labelled("{}", of_each(somebody(improvement(hybrid.mse_kvh)))),
        "most that any σ and ε give with c₁": lambda n, c_1: envelope(n, c_1),
        "most that any σ and ε give with c₂": lambda n, c_2: envelope(n, c_2),
        "the paper starts here": 1000.0,
        **labelled("users from which TCM-Only is better: {}", of_each(n_crit)),
    },
    "adk-corollary-4-4": {
        "over Full-LM": over(hybrid.mse_full_lm),
        "over TCM-Only": over(hybrid.mse_tcm),
        "bound in Appendix B": lambda c, epsilon, sigma: 2 * (2 - c) / (2 - (1 - c) * (epsilon * sigma) ** 2),
        "printed bound": 16 / 7,
        "largest R": [largest, lambda **at: largest(**at)[1]],
        "supremum": hybrid.best_improvement,
    },
}


# -- The population itself, scipy's log-normal law, and ties of the baselines by root finding.

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


def largest_gain_largest(epsilon, n, sigma):
    return improvement(hybrid.mse_kvh)(n, tie(epsilon, n, sigma), epsilon, sigma)


def passes(n, sigma):
    """Budget and c at which the largest R is 2."""
    budget = np.exp(brentq(lambda log: largest_gain_largest(np.exp(log), n, sigma) - 2, -7, 7, xtol=1e-14))
    return budget, tie(budget, n, sigma)


REFERENCES |= {
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
        "largest R for ε ≤ 1": lambda n, sigma: largest_gain_largest(1.0, n, sigma),
        "largest R for ε ≤ 10": lambda n, sigma: largest_gain_largest(10.0, n, sigma),
        "smallest ε": lambda n, sigma: passes(n, sigma)[0],
    },
    "adk-figure-2-ridge": {
        "largest R of all c": largest_gain_largest,
        "its limit": lambda epsilon, sigma: hybrid.best_improvement(2 * sigma * epsilon),
        "twice as good": 2.0,
        "high privacy": 1.0,
        "R reaches 2": lambda n, sigma: (passes(n, sigma)[0], 2.0),
    },
}
