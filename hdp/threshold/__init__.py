r"""One threshold instead of a budget for each user (Cyffers & Ziani, 2026).

User i holds one value in an interval of width 1 and demands that the output be :math:`\epsilon_i`-private when only
her value changes; n and the budgets are public.  The unique-threshold estimator drops everybody whose budget is below
a threshold :math:`\tau` and averages the others with noise for the budget :math:`\tau`.  The formulas of the paper are
lost in the text as we have it; page :doc:`/book/threshold/one-threshold` derives them again.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp._types import Floats
from hdp.affine import Affine, WeightedMean, with_one_noise
from hdp.threshold.few_levels import Levels, best_levels
from hdp.threshold.worst_case import (
    harmonic_bound,
    saturating_budgets,
    worst_case_budgets,
    worst_case_ratio,
    worst_case_sizes,
)

__all__ = [
    "Levels", "Threshold", "affine_mse", "best_levels", "harmonic_bound", "saturating_budgets",
    "worst_case_budgets", "worst_case_ratio", "worst_case_sizes",
]  # fmt: skip


BLOCK = 1024  # users among whom the search for the best threshold does not look unless it must


@dataclass(frozen=True, eq=False)
class Threshold(WeightedMean):
    r"""The unique-threshold estimator: the average of all whose budget is at least :math:`\tau`, who lose that.

    .. math:: R_{\mathrm{thr}}(\tau) = \frac{1}{4 n_\tau} + \frac{2}{(n_\tau\tau)^2},
              \qquad n_\tau = \#\{i : \epsilon_i \ge \tau\}

    is its worst-case error on an interval of width 1 (Definition 6 and eq. 3), without a cap by the trivial answer.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    lower, upper : float
        Public interval that holds every value, in their unit.
    tau : float, optional
        Threshold in (0, max(epsilon)]; without it the one of the least error, which is one of the budgets; of several
        the smallest, which protects its users most.

    Examples
    --------
    >>> from hdp import Threshold
    >>> made = Threshold([0.1, 1.0, 2.0, 2.0], tau=2.0)
    >>> made.mse(), made.loss, made.weights
    (0.25, array([0., 0., 2., 2.]), array([0. , 0. , 0.5, 0.5]))
    >>> Threshold([0.01, 1.0, 1.0, 2.0]).tau
    1.0
    """

    tau: Any = field(default=None, kw_only=True)

    def __post_init__(self):
        super().__post_init__()
        if self.tau is None:
            tau = _best(self.epsilon)
        else:
            tau, most = _validate.scalar("tau", self.tau, 0, open_low=True), self.epsilon.max()
            if tau > most:
                raise ValueError(f"tau must lie in (0, max(epsilon)] = (0, {most:g}], got {tau!r}")
        self.__dict__["tau"] = tau

    @cached_property
    def weights(self) -> Floats:
        """Weights, shape (n,): equal for all who are kept, else 0; they sum to 1."""
        kept = self.epsilon >= self.tau
        return kept / np.count_nonzero(kept)

    @property
    def loss(self) -> Floats:
        r"""What each user gives up, shape (n,): :math:`\tau` if she is kept, else nothing."""
        return np.where(self.epsilon >= self.tau, self.tau, 0.0)

    @cached_property
    def as_affine(self) -> Affine:
        """The weights and the noise."""
        return with_one_noise(self.weights, np.full(self.epsilon.size, self.tau)).within(self.lower, self.upper)

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Largest expected squared error if no value varies more than `variance`; inf where that is no float."""
        if variance is None:
            kept = np.count_nonzero(self.epsilon >= self.tau)
            return float((self.upper - self.lower) ** 2 * _risk(np.float64(kept), self.tau))
        return self.as_affine.mse(variance)


def affine_mse(epsilon: ArrayLike, tau: float | None = None) -> float:
    r"""Worst-case error of the affine estimator with budgets clipped at a level, at its best or at a given one (eq. 2).

    .. math:: R_{\mathrm{aff}}(\tau) = \frac{\sum_i \min(\epsilon_i,\tau)^2}{4 S^2} + \frac{2}{S^2},
              \qquad S = \sum_i \min(\epsilon_i,\tau)

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    tau : float, optional
        Clipping level in (0, inf); without it a best one, `hdp.adpm.ADPM.level`.  That one alone is best if some
        budget exceeds it; if none does, so is every level from the largest budget on, with the same weights.

    Returns
    -------
    float
        Squared error in (0, inf]; unlike `hdp.adpm.ADPM.mse` without the cap of 1/4.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.affine_mse([1.0, 1.0], 1.0)
    0.625
    >>> threshold.affine_mse([1.0, 4.0, float("inf")])
    0.125
    """
    if tau is None:
        return adpm.ADPM(epsilon).affine_mse
    eps = _validate.budgets(epsilon)
    clipped = np.minimum(eps, _validate.scalar("tau", tau, 0, np.inf, open_low=True, open_high=True))
    with np.errstate(over="ignore", under="ignore"):
        shares, total = clipped / clipped.max(), clipped.sum()  # which may be no float, and the noise is none
        return Affine(shares / shares.sum(), np.array([1 / total])).mean_squared_error(0.25, 0.0)


def _risk(count, tau):
    """Eq. (3); inf where it overflows."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return 0.25 / count + 2 / np.square(count * tau)


def _best(eps):
    """The best threshold."""
    increasing = np.sort(eps)
    # Among equal budgets the first has the right count, and the others count too few, so they are never better.
    # Within a block no risk is below that of its largest count with its largest budget; few blocks survive that.
    first = np.arange(0, eps.size, BLOCK)
    last = np.minimum(first + BLOCK, eps.size) - 1
    counts = eps.size - first.astype(float)
    known = _risk(counts, increasing[first]).min()
    rows = np.flatnonzero(_risk(counts, increasing[last]) <= known)
    index = (first[rows, None] + np.arange(BLOCK)).ravel()
    index = index[index < eps.size]
    count, tau = eps.size - index.astype(float), increasing[index]
    risk = _risk(count, tau)
    best = np.argmin(risk)
    if np.isinf(risk[best]):  # budgets so small that the errors overflow: noise alone decides
        best = np.argmax(count * tau)
    return float(tau[best])
