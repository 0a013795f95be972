"""The one lemma for three items of variance 1/4, by the solver."""

import numpy as np

from hdp import clipping


def parts(T, kappa, s_1, s_2, s_3):
    """Variance and noise of the weights clipped at T."""
    s = np.array([s_1, s_2, s_3])
    w = np.minimum(4.0, T / s)
    w /= w.sum()
    return 0.25 * np.sum(w**2), kappa * np.max(s * w) ** 2


def optimum(kappa, s_1, s_2, s_3):
    """Clip and value there."""
    s = np.array([s_1, s_2, s_3])
    w = clipping.optimal_weights(0.25, s, kappa)
    return 1 / clipping.water_level(0.25 / s, 1 / s, kappa), 0.25 * np.sum(w**2) + kappa * np.max(s * w) ** 2


REFERENCES = {
    "one-lemma": {
        "sum F": lambda **at: sum(parts(**at)),
        "variance of the data": lambda **at: parts(**at)[0],
        "noise of the worst item": lambda **at: parts(**at)[1],
        "optimum": optimum,
        "optimal clip T": lambda **at: optimum(**at)[0],
    }
}
