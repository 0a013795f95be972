r"""The best linear release for mixed trust: unequal budgets, unequal variances, a curator for some of the users.

User i of the group L sends :math:`x_i` plus Laplace noise of scale :math:`1/\epsilon_i`; the curator adds the weighted
values of the group C and one Laplace noise of scale :math:`\max_C w_i/\epsilon_i`.  By the one lemma, with
:math:`v_i + 2/\epsilon_i^2` and no further noise in L, the best weights cost one sort.  Page
`synthesis/which-estimator` derives it.
"""

from dataclasses import dataclass

import numpy as np

from hdp import _validate, affine
from hdp._affine_sum import Affine
from hdp._compare_population import Population
from hdp.clipping import optimal_weights

__all__ = ["MixedRelease", "mixed_release", "variance_vector"]


@dataclass(frozen=True, eq=False)
class MixedRelease:
    """Weights and noise of a linear release, in the order of the users; all of it public.  `mixed_release` makes it.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        How much each value counts.
    curator_scale : float
        Scale of the curator's one noise.
    report_scales : numpy.ndarray, shape (n,)
        Scale of the noise in each user's report, 0 for those who trust the curator.
    variance : numpy.ndarray, shape (n,)
        What the weights are best for.

    Raises
    ------
    ValueError
        If `estimate` gets values outside [0, 1] or of another number.

    Examples
    --------
    >>> from hdp.compare import Population, mixed_release
    >>> plan = mixed_release(Population([0.5] * 100, ["curator", "local"] * 50))
    >>> round(plan.error(), 5), round(plan.error(0.1), 5)
    (0.00781, 0.00508)
    """

    weights: np.ndarray
    curator_scale: float
    report_scales: np.ndarray
    variance: np.ndarray

    def error(self, variance=None):
        """Expected squared error, by default at the variances that the weights are best for; it is all variance."""
        v = self.variance if variance is None else variance_vector(variance, self.weights.size)
        return affine.mean_squared_error(self.weights, self.curator_scale, v + 2 * self.report_scales**2)

    def privacy_loss(self):
        """Loss of every user, in nats, shape (n,): towards everybody for a local user, else towards the public."""
        loss = affine.privacy_loss(self.weights, self.curator_scale)
        local = self.report_scales > 0
        return np.where(local, 1 / np.where(local, self.report_scales, 1), loss)

    def estimate(self, x, rng):
        """Draw the answer for values `x` of shape (..., n) in [0, 1] with `rng`; unbiased, not clamped to [0, 1]."""
        x = _validate.number("x", x, 0, 1)
        if x.ndim == 0 or x.shape[-1] != self.weights.size:
            raise ValueError(f"x must have shape (..., {self.weights.size}), one column for each user, got {x.shape}")
        scales = np.append(self.weights * self.report_scales, self.curator_scale)
        found = Affine(self.weights, scales).draw(x.reshape(-1, x.shape[-1]), _validate.generator(rng))
        found = found.reshape(x.shape[:-1])
        return found if found.ndim else float(found)


def mixed_release(population, variance=0.25):
    r"""The best unbiased linear release, whoever trusts whom, whatever the budgets and variances.

    .. math:: \min_w \sum_i v_i w_i^2 + 2\max_{i \in C}(w_i/\epsilon_i)^2 + 2\sum_{i \in L}(w_i/\epsilon_i)^2

    Parameters
    ----------
    population : Population
        Budgets and trust.
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in (0, 1/4], or a public upper bound of it; 1/4 is the worst case.  It must not
        be taken from the same data.

    Returns
    -------
    MixedRelease
        Weights, noise, `error()`, `privacy_loss()` and `estimate(x, rng)`.

    Notes
    -----
    Every user loses at most her budget when her value is replaced, towards all who see the answer and the reports,
    and a local user also towards the curator.  An upper bound of the variances gives an upper bound of the error.

    Examples
    --------
    >>> from hdp.compare import Population, mixed_release
    >>> plan = mixed_release(Population([1.0, 1.0, float("inf")], ["local", "curator", "curator"]))
    >>> plan.weights.round(3), round(plan.error(), 4), plan.privacy_loss().tolist()
    (array([0.091, 0.091, 0.818]), 0.2045, [1.0, 1.0, 9.0])
    """
    _validate.instance("population", population, Population)
    epsilon, local = population.epsilon, population.local
    v = variance_vector(variance, population.size)
    reporting = local & (epsilon > 0)
    with np.errstate(divide="ignore"):
        costs = 1 / epsilon
    reports = np.where(reporting, costs, 0.0)
    weights = optimal_weights(v + 2 * reports**2, np.where(reporting, 0.0, costs), 2.0)
    return MixedRelease(weights, affine.noise_scale(weights * ~local, epsilon), reports, v)


def variance_vector(variance, n):
    """Return the variances as a vector in (0, 1/4] of n entries, or raise ValueError."""
    v = _validate.number("variance", variance, 0, 0.25, open_low=True)
    if v.shape not in ((), (n,)):
        raise ValueError(f"variance must be a scalar or of shape ({n},), got {v.shape}")
    return np.broadcast_to(v, (n,))
