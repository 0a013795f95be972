"""Harmonic numbers by the digamma function, and real counts in geometric progression."""

import numpy as np
import pytest
from scipy.special import digamma

from hdp import clipping
from hdp.figures.threshold.worst_case import TOP
from tests.figures.captions import line, number, says
from tests.figures.lemma import average, of_groups


def harmonic(n):
    return digamma(n + 1) + np.euler_gamma


def relaxed(k, n):
    """The square of the gain, term by term of the mean."""
    ratio = np.exp(-np.log(n) / max(k - 1, 1e-12))
    return (1 + (k - 1) * (1 - ratio)) ** 2 if k <= n else np.nan


REFERENCES = {
    "cz-worst-case": {
        "bound": lambda k, n: min(k, harmonic(n)) ** 2,
        "counts relaxed": relaxed,
        "corner": harmonic,
        "limit for many levels": lambda n: harmonic(n) ** 2,
    }
}


# -- Levels with geometric steps: eq. (3) at every level, and the solver for groups.


def population(epsilon_1, q, g, k_levels, n):
    """Budgets, numbers of users with at least each of them, and numbers with each."""
    steps = np.arange(int(k_levels))
    at_least = n * np.power(g, -steps)
    return epsilon_1 * np.power(q, steps), at_least, at_least - np.append(at_least[1:], 0)


def threshold(**shape):
    """Share kept, budget and risk of the best threshold."""
    epsilon, at_least, _ = population(**shape)
    risks = [average(users, budget) for users, budget in zip(at_least, epsilon, strict=True)]
    best = np.argmin(risks)
    return at_least[best] / shape["n"], epsilon[best], risks[best]


def level(**shape):
    """Where the affine estimator clips."""
    epsilon, _, users = population(**shape)
    return clipping.water_level(epsilon, users * epsilon, 8.0)


def affine(**shape):
    epsilon, _, users = population(**shape)
    return of_groups(users[users > 0], epsilon[users > 0])[1]


def allowed(u_user, **shape):
    """Budget of the user with this share: that of the last level whose share is at least as large."""
    epsilon, at_least, _ = population(**shape)
    rank = np.searchsorted(-at_least / shape["n"], -u_user, side="right") - 1
    return epsilon[max(rank, 0)]


def used(u_user, **shape):
    share, budget, _ = threshold(**shape)
    return budget if u_user <= share else np.nan


REFERENCES |= {
    "cz-shape-budgets": {
        "thrown away": lambda u_user, **shape: allowed(u_user, **shape) if u_user > threshold(**shape)[0] else np.nan,
        "allowed": allowed,
        "affine: min": lambda u_user, **shape: min(allowed(u_user, **shape), level(**shape)),
        "best threshold": used,
        "τ": level,
        "All budgets": lambda **shape: allowed(1.0, **shape) > TOP,
        "last user kept": lambda **shape: threshold(**shape)[:2],
        "best threshold errs": lambda **shape: threshold(**shape)[2],
        "affine estimator": affine,
        "ratio": lambda **shape: threshold(**shape)[2] / affine(**shape),
        "bound of Theorem 4": lambda q, g, k_levels: 1 if q == 1 or g == 1 else int(k_levels) ** 2,
        "users thrown away": lambda **shape: 100 * (1 - threshold(**shape)[0]),
    }
}


# -- Two groups at the worst budgets: the solver, and noise alone.


def capped(m_top, n):
    """1/(4 R) of the affine estimator, where each threshold would err exactly 1/4."""
    if not 1 < m_top < n:
        return np.nan
    counts = np.array([m_top, n])
    return 0.25 / of_groups(np.array([m_top, n - m_top]), np.sqrt(8 / (counts * (counts - 1))))[1]


def noise_only(m_top, n):
    """Weights proportional to budgets with N_j e_j = 1."""
    return (m_top / m_top + (n - m_top) / n) ** 2 if m_top < n else np.nan


REFERENCES |= {
    "cz-trivial-answer": {
        "trivial answer": capped,
        "not admitted": noise_only,
        "top: ": lambda n: np.sqrt(n / 2),
        "height of the top": lambda n: 4 - 4 / np.sqrt(n / 2),
        "place of the top": lambda n: np.sqrt(n / 2),
    }
}


# -- What the captions say.


@says("cz-trivial-answer", "comes ever closer to where the two rules cross")
def test_the_top_comes_closer_to_the_rules(figure):
    """For 20 users it stands 0.11 higher."""
    gaps = []
    for n in (20, 100, 1000, 10_000):
        n = min(figure.parameter("n").positions, key=lambda p: abs(p - n))
        m = np.arange(2, n)
        gaps.append(np.nanmax(line(figure, "trivial answer", m, n=n)) - (4 - 4 * np.sqrt(2 / n)))
    assert gaps[0] > 0.11 and (np.diff(gaps) < 0).all() and 0 < gaps[-1] < 1e-3


@says("cz-shape-budgets", "the ratio, if it is not 1, falls")
def test_the_ratio_falls_off_the_progression(figure):
    """Of equal budgets, or of one level, it stays at 1."""
    for q, k, base in ((10, 4, 13.69), (2, 4, 6.25), (1, 4, 1), (10, 1, 1)):
        steps = {abs(g / q - 1) < 1e-3: [] for g in figure.parameter("g").positions}
        for g in figure.parameter("g").positions:
            ratio = number(figure, "ratio of the two", epsilon_1=1e-5, q=q, k_levels=k, g=g)
            steps[abs(g / q - 1) < 1e-3].append(ratio)
        assert min(steps[True]) == pytest.approx(base, rel=0.01)
        assert max(steps[False]) < min(steps[True]) if base > 1 else max(steps[False]) == pytest.approx(1)
