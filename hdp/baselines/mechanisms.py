"""What each baseline does with a vector of positive budgets: it becomes an `Affine` or a `Sampling` mechanism."""

import numpy as np

from hdp import adpm as _adpm
from hdp import affine
from hdp.affine import Affine
from hdp.baselines.sampling import Sampling, inclusion
from hdp.clipping import _normalise

_NO_NOISE = np.empty(0)


def _with_one_noise(weights, epsilon):
    return Affine(weights, np.atleast_1d(affine.noise_scale(weights, epsilon)))


def adpm(epsilon):
    """Algorithm 1, with its `return 0` branch as zero weights and no noise."""
    weights = _adpm.weights(epsilon)
    scale = affine.noise_scale(weights, epsilon)
    if affine.mean_squared_error(weights, scale) > _adpm.TRIVIAL_MSE:
        return Affine(np.zeros(epsilon.size), _NO_NOISE)
    return Affine(weights, np.atleast_1d(scale))


def proportional(epsilon):
    """Weights proportional to the budgets; if somebody is public, the mean of the public values."""
    return _with_one_noise(_normalise(epsilon.copy()), epsilon)


def uniform(epsilon):
    """The mean of all, with the noise of the smallest budget."""
    return _with_one_noise(np.full(epsilon.size, 1 / epsilon.size), epsilon)


def local_by_budget(epsilon):
    """LDPE with one group for each distinct budget, as in the two-group figures."""
    levels, group, counts = np.unique(epsilon, return_inverse=True, return_counts=True)
    shares, scales = _inverse_variance(levels, counts)
    return Affine((shares / counts)[group], scales)


def local_by_user(epsilon):
    """LDPE with every user in a group of her own: local noise, as in Table II."""
    return Affine(*_inverse_variance(epsilon, np.ones(epsilon.size)))


def _inverse_variance(level, count):
    """Shares of the groups, proportional to 1 / (1/(4 n_g) + 2/(n_g eps_g)^2), and the noise scale of each."""
    top = min(level.max(), 1.0)  # scale first: squares of very small budgets would vanish
    precision = count / (top**2 + 8 / (count * (level / top) ** 2))
    shares = _normalise(precision)
    return shares, shares / count / level


def fme_level(epsilon):
    """FME's common level for the generous users, and who they are.

    Sorted ascending, k is the smallest index with eps_(k+1) > 1/sqrt(n - k); without one nobody is clipped.
    """
    ascending = np.sort(epsilon)
    level = 1 / np.sqrt(np.arange(epsilon.size, 0, -1))  # 1/sqrt(n - k) for k = 0, 1, ..., n - 1
    above = np.flatnonzero(ascending > level)
    return level[above[0]] if above.size else np.inf


def fme(epsilon):
    """Fallah et al., reconstructed: weights proportional to the clipped budgets, noise 1 / their sum."""
    clipped = np.minimum(epsilon, fme_level(epsilon))
    return _with_one_noise(_normalise(clipped.copy()), clipped)


def sampling(epsilon):
    """SM; where nobody's inclusion is random it is the noisy mean of those kept."""
    kept, dropped = inclusion(epsilon)
    if ((kept == 0) | (kept == 1)).all():
        return _with_one_noise(kept / kept.sum(), epsilon)
    return Sampling(kept, dropped, float(epsilon.max()))


def stretching(epsilon):
    """Scale value i by eps_i / max eps, then average with the noise of the largest budget: biased."""
    t, n = epsilon.max(), epsilon.size
    ratio = np.isinf(epsilon).astype(float) if np.isinf(t) else epsilon / t
    return Affine(ratio / n, np.atleast_1d(1 / t / n))
