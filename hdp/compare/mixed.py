r"""The best linear release for mixed trust: unequal budgets, unequal variances, a curator for some of the users.

User i of the group L sends a private report of :math:`x_i`; the curator adds the weighted values of the group C and one
Laplace noise of scale :math:`\max_C w_i/\epsilon_i`.  The best weights are those of the one lemma, with the variance of
the report and no further noise in L.  Page `synthesis/mixed-trust` derives it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate, affine
from hdp._types import Floats, Rng, _plain
from hdp.affine import Affine
from hdp.clipping import optimal_weights
from hdp.compare.local_reports import LOCAL_REPORTS, flip_probability, local_report, variance_of
from hdp.estimator import variance_vector
from hdp.users import Users

REPORTS = {"simple": ("laplace", "one-bit"), "laplace": ("laplace",), "best": LOCAL_REPORTS}
NONE = -1  # stands where no report is made: a value for the curator, a public one, or nothing


@dataclass(frozen=True, eq=False)
class MixedRelease:
    """Weights and noise of a linear release, in the order of the users; all of it public.  `mixed_release` makes it.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        How much each value counts.
    curator_scale : float
        Scale of the curator's one noise.
    report_budgets : numpy.ndarray, shape (n,)
        Budget of each user's report, 0 for those who make none.
    kinds : numpy.ndarray of int, shape (n,)
        Where each report's name stands in `LOCAL_REPORTS`; -1 for those who make none.
    variance : numpy.ndarray, shape (n,)
        What the weights are best for.

    Examples
    --------
    >>> from hdp.compare import mixed_release
    >>> from hdp.users import Users
    >>> plan = mixed_release(Users([0.5] * 100, ["curator", "local"] * 50))
    >>> round(plan.mse(), 5), round(plan.mse(0.1), 5)
    (0.00747, 0.00498)
    """

    weights: Floats
    curator_scale: float
    report_budgets: Floats
    kinds: NDArray[np.int8]  # not names, which take thirty times the memory
    variance: Floats

    @property
    def reports(self) -> NDArray[np.str_]:
        """What each report is, one of `LOCAL_REPORTS`, shape (n,); empty for those who make none."""
        return np.array((*LOCAL_REPORTS, ""))[self.kinds]

    @property
    def users(self) -> int:
        """How many users have weight."""
        return int(np.count_nonzero(self.weights))

    def mse(self, variance: ArrayLike | None = None, mean: float | None = None) -> float:
        """Expected squared error before clamping, by default at the variances that the weights are best for.

        The answer is unbiased, so it is all variance.  For reports of one bit and piecewise ones that depends on
        `mean`, in [0, 1], that of the values; by default each varies as it does where it varies most.
        """
        v = self.variance if variance is None else variance_vector(variance, self.weights.size)
        mean = None if mean is None else _validate.scalar("mean", mean, 0, 1)
        sent = v.copy()
        for kind, name in enumerate(LOCAL_REPORTS):
            chosen = self.kinds == kind
            sent[chosen] = variance_of(name, self.report_budgets[chosen], v[chosen], mean)
        with np.errstate(under="ignore"):
            return float(np.sum(sent * self.weights**2)) + 2.0 * self.curator_scale * self.curator_scale

    @property
    def loss(self) -> Floats:
        """Loss of every user, in nats, shape (n,): towards everybody for a local user, else towards the public."""
        loss = affine.loss(self.weights, self.curator_scale)
        sends, bits = self.kinds != NONE, self.kinds == LOCAL_REPORTS.index("one-bit")
        loss[sends] = self.report_budgets[sends]
        lie = flip_probability(self.report_budgets[bits])
        loss[bits] = np.log1p(-lie) - np.log(lie)
        return loss

    def estimate(self, x: ArrayLike, rng: Rng, *, clamp: bool = True) -> float | Floats:
        """Draw the answer for values `x` of shape (..., n) in [0, 1] with `rng`, local reports included.

        It is clamped to [0, 1], which costs no privacy and never takes it further from a mean in [0, 1];
        without `clamp` it is unbiased.  Values outside [0, 1] or of another number are refused (ValueError).
        """
        x = _validate.data(x, self.weights.size, 0, 1)
        rng, noisy = _validate.generator(rng), self.kinds == LOCAL_REPORTS.index("laplace")
        drawn = (self.kinds != NONE) & ~noisy
        x = x.copy()  # in the order of a file, whatever order the caller has: a sum may depend on it
        if drawn.any():
            x[..., drawn] = local_report(x[..., drawn], self.report_budgets[drawn], self.reports[drawn], rng)
        scales = np.append(self.weights[noisy] / self.report_budgets[noisy], self.curator_scale)
        found = Affine(self.weights, scales).draw(x.reshape(-1, x.shape[-1]), rng).reshape(x.shape[:-1])
        return clamped(found, clamp)


def clamped(answer, clamp):
    """Answers as an array, or a float for a single one, clamped to [0, 1] on demand."""
    return _plain(np.clip(answer, 0, 1) if _validate.flag("clamp", clamp) else answer)


def mixed_release(population: Users, variance: ArrayLike = 0.25, reports: str = "simple") -> MixedRelease:
    r"""The best unbiased linear release with the curator's Laplace noise, whatever the trust, budgets and variances.

    .. math:: \min_w \sum_{i \in C} v_i w_i^2 + 2\max_{i \in C}(w_i/\epsilon_i)^2 + \sum_{i \in L} r_i w_i^2,
       \qquad r_i = \min\Big(v_i + \frac2{\epsilon_i^2},\ \frac14\coth^2\frac{\epsilon_i}2\Big)

    Parameters
    ----------
    population : Users
        What is public about the users.
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in (0, 1/4], or a public upper bound of it, which must not be taken from the same
        data; 1/4, the worst case, unless given.
    reports : str
        What local users send: "simple", her value with Laplace noise or one bit, whichever varies less; "laplace"; or
        "best", whichever of `LOCAL_REPORTS` varies least, whatever the mean.

    Returns
    -------
    MixedRelease
        Weights, noise, `mse()`, `loss` and `estimate(x, rng)`.

    Notes
    -----
    Neighbours differ in one user's value; n, budgets, trust, variances and hence weights are public, and so are the
    reports.  Every user loses at most her budget, towards all who see the answer and the reports, and a local user
    also towards the curator.  An upper bound of the variances gives an upper bound of the error.

    The release is the best among Laplace noises of the curator and these reports.  Very few users who trust the
    curator do better to send reports all the same: see the page.  `hdp.release` makes the simple reports only.

    Examples
    --------
    >>> from hdp.compare import mixed_release
    >>> from hdp.users import Users
    >>> plan = mixed_release(Users([1.0, 1.0, float("inf")], ["local", "curator", "curator"]))
    >>> plan.weights.round(3), round(plan.mse(), 4), plan.loss.round(12).tolist()
    (array([0.161, 0.084, 0.755]), 0.1887, [1.0, 1.0, 9.0])
    """
    _validate.instance("population", population, Users)
    reports = _validate.choice("reports", reports, REPORTS)
    epsilon, local = population.epsilon, population.local
    v = variance_vector(variance, population.size)
    v = v.copy() if v.strides[0] else v  # one that is the same for all takes no memory
    reporting = local & (epsilon > 0)
    sent, kinds = v.copy(), np.full(v.size, NONE, np.int8)
    sent[reporting], kinds[reporting] = _least(epsilon[reporting], v[reporting], REPORTS[reports])
    with np.errstate(divide="ignore"):
        costs = np.where(reporting, 0.0, 1 / epsilon)
    weights = optimal_weights(sent, costs, 2.0)
    scale = affine.least_scale(weights * ~local, epsilon)
    return MixedRelease(weights, scale, np.where(reporting, epsilon, 0.0), kinds, v)


def _least(epsilon, v, among):
    """Variance and kind of the report that varies least, whatever the mean; the first of those that vary alike."""
    least, kinds = np.full(v.shape, np.inf), np.zeros(v.shape, np.int8)
    for name in among:
        found = variance_of(name, epsilon, v, None)
        less = found < least
        least[less], kinds[less] = found[less], LOCAL_REPORTS.index(name)
    return least, kinds
