"""Clipped weights by the solver, intervals and weights of users sorted by their number of samples."""

import numpy as np
from scipy import special

from hdp import user_level
from hdp.clipping import optimal_weights
from tests.figures.captions import line, number, says

BETA, USERS = 0.05, 10_000


def variance(k, sigma_p):
    return user_level.sample_mean_variance(0.5, sigma_p, k)


def kinds(n, f, k_1, sigma_p):
    """Numbers of users with k_1 and with 20 samples, and standard deviations of their means."""
    return np.array([f * n, (1 - f) * n]), np.sqrt(variance(np.array([k_1, 20.0]), sigma_p))


def objective(penalty):
    """Of eq. 6, for noise of this variance at scale 1."""

    def value(T, epsilon, r, **users):
        size, sigma = kinds(**users)
        w = np.minimum(1 / sigma**2, T / sigma)
        w /= size @ w
        return size @ (w * sigma) ** 2 + penalty * np.max(r * w * sigma / epsilon) ** 2

    return value


def best_level(penalty):
    """T from the best weights, if the second kind is not clipped."""

    def level(epsilon, r, **users):
        size, sigma = kinds(**users)
        w = optimal_weights(sigma**2 / size, r * sigma / (size * epsilon), penalty) / size
        return min(max(w[0] * sigma[0] / (w[1] * sigma[1] ** 2), 1 / sigma[1]), 1 / sigma[0])

    return level


def deviation(u, sigma_p, s):
    return np.sqrt(variance(u**-s, sigma_p))


def half_width(u, n, beta, sigma_p, s):
    return user_level.half_width(u**-s, n, sigma_p**2, beta)


def clipped(u, T, sigma_p, s):
    sigma = deviation(u, sigma_p, s)
    return min(1 / sigma**2, T / sigma) / min(4, 2 * T)


def clipped_by_width(u, T, sigma_p, s):
    """The same where the length of the interval asks for it; a user with one sample is treated alike."""
    ratio = half_width(1, USERS, BETA, sigma_p, s) / half_width(u, USERS, BETA, sigma_p, s)
    return min(1 / deviation(u, sigma_p, s) ** 2, 2 * T * ratio) / min(4, 2 * T)


REFERENCES = {
    "cfmt-objective": {
        "Laplace variance 2b²": objective(2),
        "Laplace variance b²": objective(1),
        "best T": best_level(2),
        "best T as printed": best_level(1),
        "as printed": best_level(1),
    },
    "cfmt-intervals": {
        "upper end": lambda **at: 0.5 + half_width(**at),
        "one deviation up": lambda u, sigma_p, s: 0.5 + deviation(u, sigma_p, s),
        "one deviation down": lambda u, sigma_p, s: 0.5 - deviation(u, sigma_p, s),
        "lower end": lambda **at: 0.5 - half_width(**at),
        "mean p": 0.5,
    },
    "cfmt-weight-shapes": {
        "1/σ²": lambda u, sigma_p, s: 0.25 / deviation(u, sigma_p, s) ** 2,
        "min(1/σ², T/σ)": clipped,
        "min(1/σ², T′/d)": clipped_by_width,
    },
}


# -- Example 1 with scipy's digamma and zeta functions.


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


REFERENCES |= {
    "cfmt-example-1-error": {
        "naive": naive,
        "data truncated only": lambda n, epsilon: private(n, epsilon, 1),
        "data truncated, m weights cut": private,
        "equal weights": lambda n: ((0.25 - 1 / n) * (n + 1) / 2 + 1) / n**2,
        "best without privacy": ideal,
    }
}


# -- What the captions say.


@says("cfmt-example-1-error", "with a budget of 1 at almost 160 times its height")
def test_truncated_data_alone_are_far_above(figure):
    x = np.geomspace(1e3, 1e7)
    times = line(figure, "data truncated only", x) / line(figure, "best without", x)
    assert ((155 < times) & (times < 160)).all()


@says("cfmt-objective", r"both optima, unless they are at \(1/\sigma_2\) still, move right")
def test_the_optima_move_right_once_they_have_left(figure):
    """Of a hundred users with wide intervals both stay where they are up to a budget of 3."""
    for name in ("best T, T*", "best T as printed, T*"):
        still = [number(figure, name, epsilon=e, n=100, r=20) for e in (0.1, 1)]
        assert still[0] == still[1]
        moving = [number(figure, name, epsilon=e) for e in (1, 3.16, 10)]
        assert moving == sorted(set(moving))


@says("cfmt-weight-shapes", r"The larger \(T\), the fewer are clipped")
def test_fewer_are_clipped_for_a_larger_threshold(figure):
    x = np.geomspace(1e-4, 1, 200)
    free, *cut = (line(figure, "min(1/σ², T/σ)", x, T=T) for T in (1e9, 20, 5, 2))
    counts = [(y < free * (1 - 1e-9)).sum() for y in cut]
    assert counts == sorted(counts) and counts[0] < counts[-1]
