"""Beta laws by scipy, errors by `hdp.hybrid`, ties of the baselines by root finding."""

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from hdp import hybrid
from tests.figures.hybrid_trust.groups import improvement, labelled, of_each, setting, somebody


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
