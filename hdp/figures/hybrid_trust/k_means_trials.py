"""Trials of hybrid K-means at the scale of Figure 6 of Avent, Dubey & Korolova (2020): 160,000 users, all variants.

The paper gives the size of the clusters and their spread, not their places nor the initial centres.  Ours are below.
The data are drawn once; each trial has new initial centres, groups and noise, which its variants, numbers of
iterations and fractions share (each is distributed as if alone; differences between them are less noisy).
Trial j draws from child j of the seed, so the result does not depend on the number of workers.
"""

from dataclasses import replace
from functools import cache

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from hdp.figures.hybrid_trust.k_means_grid import Answers, Grid
from hdp.kmeans import CORRECTED, Draws, Setting, follow

CLUSTERS = np.array([[-0.30, -0.26], [0.28, -0.32], [-0.14, 0.12], [0.33, 0.27]])
SPREAD = 0.028
SIZE = 40_000
EPSILON = 7.0
ITERATIONS = tuple(range(1, 11))
FRACTIONS = (0.001, 0.01)
TRIALS = 364
SEPARATION = 0.5  # initial centres are uniform in the box, drawn again until no two are nearer than this
DATA_SEED, SEED = 202011, 202064

READINGS = {
    "": CORRECTED,
    "line 13 as printed": replace(CORRECTED, mean_noise=False),
    "answers undone": replace(CORRECTED, unbiased=True),
}
# Name of a series: (variant, reading, fraction of TCM users or None)
SERIES = {f"lm {r}".strip(): ("lm", r, None) for r in ("", "answers undone")}
for _c in FRACTIONS:
    SERIES[f"tcm {_c}"] = ("tcm", "", _c)
    SERIES |= {f"hybrid {r} {_c}".replace("  ", " "): ("hybrid", r, _c) for r in READINGS}
SERIES["no noise"] = None


@cache
def data():
    """Data set, shape (160000, 2), in the centred box of side 1, and its grid; points outside are moved to the edge."""
    noise = SPREAD * np.random.default_rng(DATA_SEED).normal(size=(len(CLUSTERS) * SIZE, 2))
    return Grid.of(np.clip(np.repeat(CLUSTERS, SIZE, axis=0) + noise, -0.5, 0.5))


def initial_centres(rng):
    """Centres that do not depend on the data: uniform in the box, no two nearer to each other than `SEPARATION`."""
    while True:
        centres = rng.uniform(-0.5, 0.5, CLUSTERS.shape)
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        if apart[np.triu_indices(len(centres), 1)].min() >= SEPARATION:
            return centres


def inputs(seed, iterations=ITERATIONS[-1]):
    """Initial centres, draws, and the indices of the TCM users (the first 0.1 % of n are those of the small group)."""
    rng = np.random.Generator(np.random.SFC64(seed))
    n = len(data().x)
    group = rng.choice(n, round(n * max(FRACTIONS)), replace=False)
    return initial_centres(rng), Draws.sample(rng, n, Setting(iterations, EPSILON)), group


def paths(seed, tau, names=tuple(SERIES)):
    """Centres after each iteration for each series, {name: (tau + 1, K, 2)}, in a trial of tau iterations."""
    return _paths(*inputs(seed), tau, names)


def _paths(initial, draws, group, tau, names):
    setting, grid = Setting(tau, EPSILON), data()
    reports = grid.x + setting.lm_scale * draws.report
    passes = [Answers(grid, reports, draws.uniform[t] < setting.keep, draws.other[t], 4) for t in range(tau)]
    found = {}
    for name in names:
        if SERIES[name] is None:
            found[name] = _without_noise(initial, tau)
            continue
        variant, reading, fraction = SERIES[name]
        tcm = group[: round(len(grid.x) * (fraction or 0))]

        def answers(t, centres, tcm=tcm):
            return passes[t].totals(centres, tcm)

        found[name] = follow(initial, setting, draws.central, variant, READINGS[reading], grid.x[tcm], answers)
    return found


def _without_noise(initial, tau):
    """Lloyd's algorithm; an empty cluster keeps its centre."""
    path = [initial]
    for _ in range(tau):
        counts, sums, _ = np.split(data().moments(path[-1]), [1, -1], axis=1)
        path.append(np.where(counts > 0, sums / np.maximum(counts, 1), path[-1]))
    return np.array(path)


def sum_of_squares(centres):
    """WCSS of the data set for these centres."""
    return data().wcss(centres)


def trial(seed, iterations=ITERATIONS):
    """WCSS of the last centres, shape (len(iterations), len(SERIES))."""
    shared = inputs(seed, max(iterations))
    with threadpool_limits(1, "blas"):
        found = [_paths(*shared, tau, tuple(SERIES)) for tau in iterations]
        return np.array([[sum_of_squares(path[-1]) for path in f.values()] for f in found])


def simulate(trials, iterations=ITERATIONS, seed=SEED, n_jobs=1):
    """WCSS of the trials, shape (trials, len(iterations), len(SERIES)): the same for any number of workers."""
    children = np.random.SeedSequence(seed).spawn(trials)
    return np.array(Parallel(n_jobs)(delayed(trial)(child, iterations) for child in children))
