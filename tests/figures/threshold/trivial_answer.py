"""Two groups at the worst budgets: the solver, and noise alone."""

import numpy as np

from tests.figures.lemma import of_groups


def capped(m_top, n):
    """1/(4 R) of the affine estimator, where each threshold would err exactly 1/4."""
    if not 1 < m_top < n:
        return np.nan
    counts = np.array([m_top, n])
    return 0.25 / of_groups(np.array([m_top, n - m_top]), np.sqrt(8 / (counts * (counts - 1))))[1]


def noise_only(m_top, n):
    """Weights proportional to budgets with N_j e_j = 1."""
    return (m_top / m_top + (n - m_top) / n) ** 2 if m_top < n else np.nan


REFERENCES = {
    "cz-trivial-answer": {
        "trivial answer": capped,
        "not admitted": noise_only,
        "top: ": lambda n: np.sqrt(n / 2),
        "height of the top": lambda n: 4 - 4 / np.sqrt(n / 2),
        "place of the top": lambda n: np.sqrt(n / 2),
    }
}
