r"""The best linear release for mixed trust: unequal budgets, unequal variances, a curator for some of the users.

User i of the group L sends :math:`x_i` plus Laplace noise of scale :math:`1/\epsilon_i`, or one bit, whichever varies
less; the curator adds the weighted values of the group C and one Laplace noise of scale :math:`\max_C w_i/\epsilon_i`.
By the one lemma, with the variance of the report and no further noise in L, the best weights cost a few passes.  Page
`synthesis/mixed-trust` derives it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _docs, _validate, affine
from hdp._types import Floats, Rng, _plain
from hdp.affine import Affine
from hdp.clipping import optimal_weights
from hdp.compare.population import Population
from hdp.compare.reports import flip_probability, one_bit_report, one_bit_variance

_doc = _docs.USERS.but(
    """
    Parameters
    ----------
    population : Population
        What is public about the users.
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in (0, 1/4], or a public upper bound of it, which must not be taken from the same
        data; 1/4, the worst case, unless given.
    """
)

REPORTS = ("best", "laplace")


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
        Scale of the Laplace noise in each user's report, 0 for those who send none such.
    bit_budgets : numpy.ndarray, shape (n,)
        Budget of each user's report of one bit, 0 for those who send none such.
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
    (0.00747, 0.00498)
    """

    weights: Floats
    curator_scale: float
    report_scales: Floats
    bit_budgets: Floats
    variance: Floats

    def error(self, variance: ArrayLike | None = None, mean: float = 0.5) -> float:
        """Expected squared error before clamping, by default at the variances that the weights are best for.

        The answer is unbiased, so it is all variance.  Reports of one bit vary most where the mean of the values is
        1/2, the default; `mean`, in [0, 1], is another one.
        """
        v = self.variance if variance is None else variance_vector(variance, self.weights.size)
        mean = _validate.scalar("mean", mean, 0, 1)
        sent, bits = v + 2 * self.report_scales**2, self.bit_budgets > 0
        sent[bits] = one_bit_variance(self.bit_budgets[bits], mean)
        return affine.mean_squared_error(self.weights, self.curator_scale, sent)

    def privacy_loss(self) -> Floats:
        """Loss of every user, in nats, shape (n,): towards everybody for a local user, else towards the public."""
        loss = affine.privacy_loss(self.weights, self.curator_scale)
        noisy, bits = self.report_scales > 0, self.bit_budgets > 0
        loss[noisy] = 1 / self.report_scales[noisy]
        lie = flip_probability(self.bit_budgets[bits])
        loss[bits] = np.log1p(-lie) - np.log(lie)
        return loss

    def estimate(self, x: ArrayLike, rng: Rng, *, clamp: bool = True) -> float | Floats:
        """Draw the answer for values `x` of shape (..., n) in [0, 1] with `rng`, local reports included.

        It is clamped to [0, 1], which costs no privacy and never takes it further from a mean in [0, 1];
        without `clamp` it is unbiased.
        """
        x = _validate.data(x, self.weights.size, 0, 1)
        rng, bits = _validate.generator(rng), self.bit_budgets > 0
        if bits.any():
            x = x.copy()
            x[..., bits] = one_bit_report(x[..., bits], self.bit_budgets[bits], rng)
        scales = np.append(self.weights * self.report_scales, self.curator_scale)
        found = Affine(self.weights, scales).draw(x.reshape(-1, x.shape[-1]), rng).reshape(x.shape[:-1])
        return clamped(found, clamp)


def clamped(answer, clamp):
    """Answers as an array, or a float for a single one, clamped to [0, 1] on demand."""
    return _plain(np.clip(answer, 0, 1) if _validate.flag("clamp", clamp) else answer)


@_doc
def mixed_release(population: Population, variance: ArrayLike = 0.25, reports: str = "best") -> MixedRelease:
    r"""The best unbiased linear release with the curator's Laplace noise, whatever the trust, budgets and variances.

    .. math:: \min_w \sum_{i \in C} v_i w_i^2 + 2\max_{i \in C}(w_i/\epsilon_i)^2 + \sum_{i \in L} r_i w_i^2,
       \qquad r_i = \min\Big(v_i + \frac2{\epsilon_i^2},\ \frac14\coth^2\frac{\epsilon_i}2\Big)

    Parameters
    ----------
    reports : str
        What local users send: "best", her value with Laplace noise or one bit, whichever varies less; or "laplace".

    Returns
    -------
    MixedRelease
        Weights, noise, `error()`, `privacy_loss()` and `estimate(x, rng)`.

    Notes
    -----
    Neighbours differ in one user's value; n, budgets, trust, variances and hence weights are public, and so are the
    reports.  Every user loses at most her budget, towards all who see the answer and the reports, and a local user
    also towards the curator.  An upper bound of the variances gives an upper bound of the error.

    "Best" is among Laplace noises of the curator and these two reports.  Staircase noise can do with less, and very
    few users who trust the curator do better to send reports all the same: see the page.

    Examples
    --------
    >>> from hdp.compare import Population, mixed_release
    >>> plan = mixed_release(Population([1.0, 1.0, float("inf")], ["local", "curator", "curator"]))
    >>> plan.weights.round(3), round(plan.error(), 4), plan.privacy_loss().round(12).tolist()
    (array([0.161, 0.084, 0.755]), 0.1887, [1.0, 1.0, 9.0])
    """
    _validate.instance("population", population, Population)
    reports = _validate.choice("reports", reports, REPORTS)
    epsilon, local = population.epsilon, population.local
    v = variance_vector(variance, population.size)
    reporting = local & (epsilon > 0)
    with np.errstate(divide="ignore"):
        costs = 1 / epsilon
    scales, sent = np.where(reporting, costs, 0.0), v.copy()
    sent[reporting] += 2 * scales[reporting] ** 2
    bits = np.zeros(v.size)
    if reports == "best":
        bit = reporting & (one_bit_variance(np.where(reporting, epsilon, 1.0)) < sent)
        bits[bit], scales[bit], sent[bit] = epsilon[bit], 0.0, one_bit_variance(epsilon[bit])
    weights = optimal_weights(sent, np.where(reporting, 0.0, costs), 2.0)
    return MixedRelease(weights, affine.noise_scale(weights * ~local, epsilon), scales, bits, v)


def variance_vector(variance, n):
    """Return the variances as a vector in (0, 1/4] of n entries, or raise ValueError."""
    v = _validate.number("variance", variance, 0, 0.25, open_low=True)
    if v.shape not in ((), (n,)):
        raise ValueError(f"variance must be a scalar or of shape ({n},), got {v.shape}")
    return np.broadcast_to(v, (n,))
