"""WCSS of the variants of hybrid K-means to first order, when every point finds its cluster: NumPy, by matrices."""

import numpy as np

NAMES = ("lm", "lm undone", "tcm", "hybrid", "hybrid undone")


def predicted_wcss(name, centres, size, spread, iterations, epsilon, fraction=None, m=1.0):
    """Sum over the clusters of size times the expected squared distance of a point to the centre found.

    The noise of counts enters linearly, and local optima not at all.  The `centres`, of shape (K, d), lie in the
    centred box of side m; `size` points are in each cluster, with the standard deviation `spread` in each coordinate;
    the number of iterations need not be whole; `fraction`, of TCM users in (0, 1), is not used by "lm".
    "Undone" is the reading that undoes the random answers.
    """
    k, d = centres.shape
    within = d * spread**2
    local_size = size if name.startswith("lm") else (1 - (fraction or 0)) * size
    answer_epsilon = epsilon / (iterations + 1)
    truth = 1 / (1 + (k - 1) * np.exp(-answer_epsilon))
    answer = np.where(np.eye(k, dtype=bool), truth, (1 - truth) / (k - 1))  # columns: nearest centre; rows: answer
    undo = np.linalg.inv(answer) if "undone" in name else np.eye(k)
    counts = undo @ (answer @ np.full(k, local_size))
    found = (undo @ (answer @ (local_size * centres))) / counts[:, None]
    scale = m * d * (iterations + 1) / epsilon
    local_noise = 2 * scale**2 * (undo**2 @ (answer @ np.full(k, local_size))) / counts**2
    if name.startswith("lm"):
        share, central, central_noise = np.zeros(k), np.zeros(k), np.ones(k)
    else:
        central_count = fraction * size
        central_noise = np.full(k, 2 * ((m * d + 2) * iterations / epsilon / central_count) ** 2)
        central = central_noise * (d + (centres**2).sum(axis=1)) + within / central_count
        share = np.ones(k) if name == "tcm" else local_noise / (local_noise + central_noise)
    bias = ((found - centres) ** 2).sum(axis=1)
    return float(np.sum(size * (within + share**2 * central + (1 - share) ** 2 * (d * local_noise + bias))))
