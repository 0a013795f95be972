r"""What every estimator of the library is, once it is made.

An **estimator** is one rule for an answer with every public choice made: it is built from budgets, trust, numbers of
records and known variances, which are checked then and never again, and after that it can only say what it errs by,
what it costs each user, and draw.  `hdp.adpm.ADPM`, `hdp.linear.Linear` and the like are such rules, and so is what
functions of `hdp.compare` and `hdp.user_level` return.
The papers call it a mechanism; a *release* is one answer about real people (`hdp.release`), a *plan* says what such a
release is to do.  `hdp.compare.ranking` asks nothing else of an estimator than what stands here.
"""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, Rng

__all__ = ["Estimator"]


@runtime_checkable
class Estimator(Protocol):
    r"""Whatever has these three methods and a number of users; frozen, so that what it says stays true.

    Examples
    --------
    >>> from hdp import ADPM
    >>> from hdp.estimator import Estimator
    >>> made = ADPM([1.0, 4.0, float("inf")])
    >>> isinstance(made, Estimator), made.users, made.mse(), made.loss
    (True, 3, 0.125, array([1., 4., 5.]))
    >>> made.estimate([0.5, 0.5, 0.5], rng=1).__class__
    <class 'float'>
    """

    @property
    def users(self) -> int:
        """How many values the answer depends on; of a random number of them the nearest to what is expected."""

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Largest expected squared error if no value varies more than `variance` says; inf where nothing bounds it.

        The variances, of shape (n,) or one for all, are at most a quarter of the squared width of the interval that
        holds the data; unless given, what the estimator was told when it was made, and the largest if it was not.
        """

    @property
    def loss(self) -> Floats:
        """Most that each user can lose, shape (n,), in nats or the unit of her budget.

        That is at most her budget, but for SM where its privacy is not proved, and for a `hdp.hybrid.Setting` with
        noise of its own: these say more where there may be more.
        """

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set of `x`, shape (..., n), with `rng`, a Generator or a seed.

        Data outside the public interval are refused (ValueError).
        """


def variance_vector(variance, n, width=1.0):
    """Return the variances as a vector in (0, W^2/4] of n entries, or raise ValueError; one that is one is no copy."""
    most = 0.25 * width**2
    plain = type(variance) is np.ndarray and variance.dtype == np.float64 and variance.shape == (n,)
    if plain and 0 < variance.min() and variance.max() <= most:  # as `_validate.data`: no conversion, NaN is refused
        return variance
    v = _validate.number("variance", variance, 0, most, open_low=True)
    if v.shape not in ((), (n,)):
        raise ValueError(f"variance must be a scalar or of shape ({n},), got {v.shape}")
    return np.broadcast_to(v, (n,))
