r"""A report of one bit: a value in [0, 1] is rounded at random to 0 or 1, and the bit is told with a chance of a lie.

The bit is 1 with probability x, so that its mean is right, and it is turned over with probability
:math:`q = 1/(1+e^\epsilon)`.  The two answers stand for :math:`1/2 \pm \coth(\epsilon/2)/2`, which undoes the lies.
Page `synthesis/mixed-trust` derives it.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _docs, _validate
from hdp._types import Floats, Rng

_UPWARDS = 1 + 2.0**-50  # more than the rounding of q, which so never spends privacy
_RESOLUTION = 2.0**-53  # of the generator's uniform numbers: a smaller chance of a lie cannot be drawn


def flip_probability(epsilon):
    """Chance of a lie for each budget in [0, inf], rounded up."""
    return np.clip(scipy.special.expit(-epsilon) * _UPWARDS, _RESOLUTION, 0.5)


def one_bit_variance(epsilon, mean=0.5):
    r"""Variance :math:`\coth(\epsilon/2)^2/4 - (\mu-1/2)^2` of a one-bit report, for every budget in (0, inf].

    It depends on the values by their mean only, and is largest for the mean 1/2.
    """
    with np.errstate(over="ignore"):
        return 0.25 / np.tanh(epsilon / 2) ** 2 - (mean - 0.5) ** 2


@_docs.USERS
def one_bit_report(x: ArrayLike, epsilon: ArrayLike, rng: Rng) -> Floats:
    r"""What every user sends who tells one bit about her value: unbiased, and private towards everybody.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Values in [0, 1]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-150, inf].

    Returns
    -------
    numpy.ndarray, shape (..., n)
        Reports :math:`\tfrac12 \pm \tfrac12\coth(\epsilon_i/2)`, whose means are the values.

    Notes
    -----
    Neighbours differ in one user's value; the budgets are public.  The log-ratio of the probabilities of a report
    for two of her values is largest for 0 and 1, where it is her budget.  Lies are drawn no more rarely than
    :math:`2^{-53}`, so a budget above 36.7 is not spent to the end.

    Examples
    --------
    >>> import math
    >>> from hdp.compare import one_bit_report
    >>> one_bit_report([[0.0, 1.0]] * 3, [math.log(3)] * 2, rng=1).round(12).tolist()
    [[-0.5, 1.5], [-0.5, -0.5], [-0.5, 1.5]]
    """
    budget = _validate.vector("epsilon", epsilon, 1e-150)
    x = _validate.data(x, budget.size, 0, 1)
    rng = _validate.generator(rng)
    bit = rng.random(x.shape) < x
    lie = rng.random(x.shape) < flip_probability(budget)
    return 0.5 + np.where(bit != lie, 0.5, -0.5) / np.tanh(budget / 2)
