"""Algorithm 1 of hybrid K-means, user by user, as a reading of its lines says."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.kmeans.setting import CORRECTED, Draws, Reading, Setting
from hdp.noise import blind_probability

VARIANTS = ("tcm", "lm", "hybrid")


def nearest(x: ArrayLike, centres: ArrayLike) -> NDArray[np.int64]:
    """Index of the centre nearest to each point, the first of them at a tie.

    Parameters
    ----------
    x : array_like, shape (n, d)
        Points, in [-1e50, 1e50].
    centres : array_like, shape (K, d)
        Centres, in [-1e50, 1e50], at least one.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Indices in 0..K-1.

    Examples
    --------
    >>> from hdp import kmeans
    >>> kmeans.nearest([[0.1], [0.9]], [[0.0], [1.0]]), kmeans.wcss([[0.5], [2.0]], [[0.0], [1.0]])
    (array([0, 1]), 1.25)
    """
    x, centres = _points(x, centres)
    apart = (x - centre for centre in centres)  # squares of x and of centres would lose digits away from the origin
    return np.argmin([np.einsum("ij,ij->i", d, d) for d in apart], axis=0)


def wcss(x: ArrayLike, centres: ArrayLike) -> float:
    """Within-cluster sum of squares: squared distances of the points to their nearest centres, summed.

    Parameters
    ----------
    x : array_like, shape (n, d)
        Points, in [-1e50, 1e50].
    centres : array_like, shape (K, d)
        Centres, in [-1e50, 1e50], at least one.

    Returns
    -------
    float
        In squared units of the data.

    Examples
    --------
    >>> from hdp import kmeans
    >>> kmeans.nearest([[0.1], [0.9]], [[0.0], [1.0]]), kmeans.wcss([[0.5], [2.0]], [[0.0], [1.0]])
    (array([0, 1]), 1.25)
    """
    x, centres = _points(x, centres)
    return float(np.sum((x - centres[nearest(x, centres)]) ** 2))


def run(
    x: ArrayLike,
    tcm: ArrayLike,
    initial: ArrayLike,
    setting: Setting,
    draws: Draws,
    variant: str = "hybrid",
    reading: Reading = CORRECTED,
) -> Floats:
    """Centres after each iteration of Algorithm 1.

    Parameters
    ----------
    x : array_like, shape (n, d)
        Data in the box of the setting.
    tcm : array_like of bool, shape (n,)
        Who is in the TCM group.  The variant "tcm" uses only them, "lm" takes everybody as an LM user.
    initial : array_like, shape (K, d)
        Initial centres; they must not depend on the data.
    setting : Setting
        Budget, iterations, clusters and box.
    draws : Draws
        Randomness for these n users, for at least as many iterations as the setting has.
    variant : {"tcm", "lm", "hybrid"}
        Whose releases the centres are computed from.
    reading : Reading
        Which lines are corrected; by default all.

    Returns
    -------
    ndarray, shape (tau + 1, K, d)
        The initial centres and those after each iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp import kmeans
    >>> s = kmeans.Setting(iterations=2, epsilon=7.0, clusters=2, dimension=1)
    >>> x = np.repeat([[-0.3], [0.3]], 5000, axis=0)
    >>> d = kmeans.Draws.sample(1, 10_000, s)
    >>> kmeans.run(x, np.arange(10_000) % 2 == 0, [[-0.1], [0.1]], s, d).shape
    (3, 2, 1)
    """
    setting, draws = _validate.instance("setting", setting, Setting), _validate.instance("draws", draws, Draws)
    variant, reading = _validate.choice("variant", variant, VARIANTS), _validate.instance("reading", reading, Reading)
    x = _validate.number("x", x, setting.low, setting.low + setting.m, secret=True)
    tcm = _validate.flags("tcm", tcm)
    if x.ndim != 2 or x.shape[1] != setting.dimension or tcm.shape != x.shape[:1]:
        raise ValueError(f"x must have shape (n, {setting.dimension}) and tcm (n,), got {x.shape} and {tcm.shape}")
    _check_draws(draws, len(x), setting)
    local = np.ones_like(tcm) if variant == "lm" else ~tcm
    reports = (x + setting.lm_scale * draws.report)[local]
    blind = blind_probability(setting.response.epsilon, setting.clusters)
    seen = (x if reading.own_value else x + setting.lm_scale * draws.report)[local]

    def answers(t, centres):
        truth = draws.uniform[t][local] < 1 - blind  # which is keep, but for rounding, and never costs more
        labels = np.where(truth, nearest(seen, centres), draws.other[t][local])
        return _totals(labels, reports, setting.clusters)

    return follow(initial, setting, draws.central, variant, reading, x[tcm], answers)


def follow(initial, setting, central, variant, reading, x_tcm, answers):
    """Iterate; `answers(t, centres)` gives the LM group's counts (K,) and sums of reports (K, d)."""
    path = [_validate.number("initial", initial, setting.low, setting.low + setting.m, secret=True)]
    if path[0].shape != (setting.clusters, setting.dimension):
        raise ValueError(f"initial must have shape ({setting.clusters}, {setting.dimension}), got {path[0].shape}")
    for t in range(setting.iterations):
        groups = []
        if variant != "lm":
            totals = _totals(nearest(x_tcm, path[-1]), x_tcm, setting.clusters)
            groups.append(tcm_means(*tcm_release(*totals, central[t], setting, reading), setting, reading))
        if variant != "tcm":
            groups.append(lm_means(*answers(t, path[-1]), setting, reading))
        path.append(groups[0][0] if len(groups) == 1 else combine(*groups))
    return np.array(path)


def tcm_release(counts, sums, noise, setting, reading=CORRECTED):
    """All that the TCM group publishes in an iteration: noisy counts (..., K) and noisy sums (..., K, d)."""
    b = setting.tcm_scale if reading.scale else setting.printed_tcm_scale
    sums = sums if reading.own_sums else sums.sum(axis=-2, keepdims=True)
    return counts + b * noise[..., 0], sums + b * noise[..., 1:]


def tcm_means(counts, sums, setting, reading=CORRECTED):
    """Means from what the TCM group published, and the variances of their noise: lines 10 and 13."""
    b = setting.tcm_scale if reading.scale else setting.printed_tcm_scale
    if reading.floor:
        counts = np.maximum(counts, 1.0)
    variance = 2 * b**2 / counts**2 if reading.mean_noise else np.full_like(counts, 2 * b**2)
    return _clamp(sums / counts[:, None], setting, reading), variance


def lm_means(counts, sums, setting, reading=CORRECTED):
    """Means of the LM group's reports by answer and the variances of their noise: lines 11 to 13.

    With `reading.unbiased` counts and sums are first freed of the random answers, which makes the noise larger.
    """
    n, weights = counts.sum(), counts
    if reading.unbiased:
        random = (1 - setting.keep) / setting.clusters
        weights = (counts * (1 - 2 * random) + n * random**2) / setting.keep**2
        counts = (counts - random * n) / setting.keep
        sums = (sums - random * sums.sum(axis=0)) / setting.keep
    counts = np.maximum(counts, 1.0)
    sums = sums if reading.own_sums else sums.sum(axis=0)
    means = _clamp(sums / counts[:, None], setting, reading)
    return means, 2 * setting.lm_scale**2 * np.maximum(weights, 1.0) / counts**2


def combine(central, local):
    """Centres with the privacy-weighted hybrid weights (Definition 5.3): inverse to the variance of the noise."""
    (mean_t, variance_t), (mean_l, variance_l) = central, local
    w = (variance_l / (variance_l + variance_t))[:, None]
    return w * mean_t + (1 - w) * mean_l


def _points(x, centres):
    """Both as float arrays of one dimension d."""
    ends = -_validate.LARGE, _validate.LARGE
    x, centres = (_validate.number(*pair, *ends, secret=True) for pair in (("x", x), ("centres", centres)))
    if x.ndim != 2 or centres.ndim != 2 or x.shape[1] != centres.shape[1] or not len(centres):
        wanted = "shapes (n, d) and (K, d), K at least 1"
        raise ValueError(f"x and centres must have {wanted}, got {x.shape}, {centres.shape}")
    return x, centres


def _check_draws(draws, n, setting):
    tau, k, d = setting.iterations, setting.clusters, setting.dimension
    rounds = (draws.uniform, (n,)), (draws.other, (n,)), (draws.central, (k, 1 + d))
    if draws.report.shape != (n, d) or any(len(a) < tau or a.shape[1:] != shape for a, shape in rounds):
        shapes = [a.shape for a in (draws.report, draws.uniform, draws.other, draws.central)]
        raise ValueError(f"draws must be for {n} users, {k} clusters and {tau} iterations or more, got shapes {shapes}")
    if (draws.other[:tau] >= k).any():
        raise ValueError(f"draws must hold answers of {k} clusters, got {int(draws.other.max())}")


def _totals(labels, values, clusters):
    counts = np.bincount(labels, minlength=clusters).astype(float)
    return counts, np.array([np.bincount(labels, column, clusters) for column in values.T]).T


def _clamp(means, setting, reading):
    return np.clip(means, setting.low, setting.low + setting.m) if reading.floor else means
