r"""A synthetic stand-in for the salaries on which Avent, Dubey & Korolova (2020) evaluate their estimators.

The paper's data (University of California, 2010) are not part of this book; three of their figures are in its text.
The estimators' errors depend on the data through these three only, so a population that has them is as good.
"""

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Rng

__all__ = ["DEVIATION", "MAXIMUM", "USERS", "population"]

USERS, MAXIMUM, DEVIATION = 252_540, 2_349_033, 53_254  # section 4; the last two in dollars, rounded there


def population(rng: Rng) -> NDArray[np.int64]:
    r"""Draw a population with exactly the published size, largest salary and standard deviation.

    The salaries are :math:`m\,e^{s(z_i-\max z)}` with normal :math:`z_i`, which is a log-normal sample scaled to its
    maximum, and :math:`s` such that the standard deviation (with divisor n) is right.  They are cut to whole dollars;
    then a few pairs exchange dollars until :math:`n\sum x_i^2-(\sum x_i)^2=(n\sigma)^2` holds in integers.

    Parameters
    ----------
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (252540,), int64
        Salaries in dollars, in [0, 2349033].  Mean, median and shape are ours, not those of the real data.

    Raises
    ------
    ValueError
        If `rng` is neither a generator nor a seed.

    Examples
    --------
    >>> from hdp import salaries
    >>> x = salaries.population(2010)
    >>> len(x), int(x.max()), round(float(x.std()), 6)
    (252540, 2349033, 53254.0)
    """
    z = np.sort(_validate.generator(rng).standard_normal(USERS))
    z -= z[-1]
    aim = DEVIATION - 0.1  # a little less: what is missing is added below, and cannot be taken away there
    spread = scipy.optimize.brentq(lambda s: np.std(MAXIMUM * np.exp(s * z)) - aim, 0.3, 3.0, xtol=1e-9)
    x = np.floor(MAXIMUM * np.exp(spread * z)).astype(np.int64)
    mean, excess = divmod(int(x.sum()), USERS)
    x[USERS - 1 - excess : USERS - 1] -= 1  # now the mean is whole
    missing = (USERS * (DEVIATION**2 + mean**2) - int((x**2).sum())) // 2
    pair = USERS - USERS // 100  # rich enough to give, and with near neighbours
    while missing > 0:
        gap = int(x[pair + 1] - x[pair])
        dollars = (math.isqrt(gap**2 + 4 * missing) - gap) // 2  # the most for which the next line stays at least 0
        missing -= dollars * (gap + dollars)
        x[pair] -= dollars
        x[pair + 1] += dollars
        pair -= 2
    return x
