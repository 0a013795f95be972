r"""The mean of data that nobody has drawn: the best weights for the worst data (setting of Chaudhuri & Courtade, 2024).

The values are given numbers in [-1/2, 1/2], and what is asked for is their average :math:`\bar x`, not the mean of a
distribution.  The estimator is that of `hdp.adpm`, :math:`\langle w, x\rangle` plus Laplace noise of scale
:math:`\max_i w_i/\epsilon_i`; neighbouring data sets differ in the value of one user, n and the budgets are public.
Its error, at the worst data, is :math:`\tfrac14(\sum_i|w_i - \tfrac1n|)^2 + 2\max_i(w_i/\epsilon_i)^2`.
Page :doc:`/book/heterogeneous-budgets/given-data` derives it, and the weights for which it is least.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hdp._types import Floats
from hdp.affine import WeightedMean

__all__ = ["GivenData"]


@dataclass(frozen=True, eq=False)
class GivenData(WeightedMean):
    r"""The weighted mean that is best for the average of given values, :math:`w_i = \min(\epsilon_i, \tau)/(n\tau)`.

    As in the plain average, but for users below the level, the largest :math:`\tau` with
    :math:`\big(\sum_{\epsilon_i<\tau}\epsilon_i\big)\sum_i(\tau-\epsilon_i)_+ \le 8`; with the averages
    :math:`\bar\epsilon_k` of the k smallest budgets

    .. math:: \tau = \min_k \max\Big\{\bar\epsilon_k + \frac8{k^2\,\bar\epsilon_k},\ \epsilon_{(k)}\Big\}

    Against the common mean of values that are drawn the error is ``mse()``, against the average of given ones
    ``given_mse``.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    lower, upper : float
        Public interval that holds every value, in their unit.

    Examples
    --------
    >>> from hdp import GivenData
    >>> made = GivenData([1.0, 4.0, float("inf")])
    >>> made.weights.round(4), made.level, made.loss, round(made.given_mse, 4)
    (array([0.0833, 0.3333, 0.3333]), 4.0, array([1., 4., 4.]), 0.0295)
    """

    @cached_property
    def level(self) -> float:
        r"""Budget :math:`\tau` above which nobody's data is used any more loosely, or inf; found by one sort."""
        return _level(self.epsilon)

    @cached_property
    def weights(self) -> Floats:
        """Weights in [0, 1/n], shape (n,); they sum to less than 1 where anybody is below the level."""
        eps, tau = self.epsilon, self.level
        with np.errstate(under="ignore"):
            return np.divide(eps, tau, out=np.ones(eps.size), where=eps < tau) / eps.size

    @property
    def loss(self) -> Floats:
        r"""What each user gives up, shape (n,): :math:`\min(\epsilon_i, \tau)`."""
        return np.minimum(self.epsilon, self.level)

    @property
    def given_mse(self) -> float:
        r"""Error for the average of the worst data, :math:`W^2\big(\tfrac14(1 - \sum_i w_i)^2 + 2/(n\tau)^2\big)`."""
        w = self.weights
        with np.errstate(under="ignore"):
            bias = np.sum(1 / w.size - w) * (self.upper - self.lower)
            return float(bias**2 / 4 + 2 * self.scale**2)


def _level(eps):
    finite = np.sort(eps[np.isfinite(eps)])
    k = np.arange(1, finite.size + 1)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        total = np.cumsum(finite)
        return float(np.maximum(total / k + 8 / total / k, finite).min(initial=np.inf))
