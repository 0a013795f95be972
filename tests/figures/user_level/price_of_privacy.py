"""Example 1 with scipy's digamma and zeta functions."""

from scipy import special

from hdp import user_level
from tests.figures.user_level.private import BETA


def sampling(n, m):
    slope = 0.25 - 1 / n  # of the variances times n
    total = 1 + special.digamma(n + 1) - special.digamma(m + 1)
    squares = special.zeta(2.0, m + 1) - special.zeta(2.0, n + 1)
    return total, ((slope * (m + 1) / 2 + 1) / m + slope * (total - 1) + squares) / (n * total**2)


def private(n, epsilon, m_cut):
    total, error = sampling(n, m_cut)
    width = 2 * user_level.half_width(n / m_cut, 1, 1 / n, BETA / n)  # as for n users, who here need not be whole
    return error + 2 * (width / (m_cut * total * epsilon)) ** 2


def naive(n, epsilon):
    total, error = sampling(n, 1)
    return error + 2 / (epsilon * total) ** 2


def ideal(n):
    slope = 0.25 - 1 / n
    return slope / (n * (special.digamma(n + 1 + 1 / slope) - special.digamma(1 + 1 / slope)))


REFERENCES = {
    "cfmt-example-1-error": {
        "naive": naive,
        "data truncated only": lambda n, epsilon: private(n, epsilon, 1),
        "data truncated, m weights cut": private,
        "equal weights": lambda n: ((0.25 - 1 / n) * (n + 1) / 2 + 1) / n**2,
        "best without privacy": ideal,
    }
}
