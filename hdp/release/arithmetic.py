r"""Floats that come out alike on every machine, so that a plan has one name wherever it is made.

What IEEE 754 rounds correctly is the same everywhere: sums, products, quotients, roots.  A library's exponential, its
logarithm, and the order in which it adds a vector are not.  So here is nothing but the former, `math.fsum`, whose sums
are rounded once, and, for single numbers, `decimal`, which rounds them correctly.
"""

import math
from decimal import Context, Decimal

import numpy as np

from hdp import clipping

_LN_2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # two parts, of which the first has exact multiples
_FACTORIALS = tuple(1 / math.factorial(j) for j in range(16, 0, -1))
_EXACT = Context(prec=60)
FLOAT = 2.0**-50  # more than floats add to what a value stands for, in units of the interval, or of its ends


def exp(x):
    """Exponential of an array in [-inf, 0], to a few units of its last digit; below -200 that of -200."""
    series, k = _reduced(x)
    return np.ldexp(1 + series, k)


def expm1(x):
    r""":math:`e^x - 1` likewise."""
    series, k = _reduced(x)
    power = np.ldexp(1.0, k)
    return power * series + (power - 1)


def _reduced(x):
    """The same of what is left of x beside a multiple k of ln 2, and k."""
    x = np.maximum(x, -200.0)
    k = np.rint(x / (_LN_2[0] + _LN_2[1]))
    r = (x - k * _LN_2[0]) - k * _LN_2[1]
    series = np.zeros_like(r)
    for factor in _FACTORIALS:
        series = (series + factor) * r
    return series, k.astype(np.int32)


def tanh(x):
    """Hyperbolic tangent of an array in [0, inf]."""
    lost = expm1(-2 * x)
    return -lost / (2 + lost)


def log(x):
    """Natural logarithm of a positive float."""
    return float(_EXACT.ln(Decimal(x)))


def noise_variance(bits, noise):
    r"""Variance of the noise of scale c, two to the power of these bits.

    It is :math:`1/(2\sinh^2(1/(2c)))` for discrete Laplace noise, and at most :math:`c^2` for discrete Gaussian noise.
    """
    if noise == "gaussian":
        return math.ldexp(1.0, 2 * bits)
    power = _EXACT.exp(Decimal(2) ** -(bits + 1))
    sinh = _EXACT.divide(_EXACT.subtract(power, _EXACT.divide(1, power)), 2)
    return float(_EXACT.divide(1, _EXACT.multiply(2, _EXACT.multiply(sinh, sinh))))


def total(users, column):
    """Sum over all users of what one user of each kind has, rounded once."""
    return math.fsum((users * column).tolist())


def level(knots, slopes, volume):
    r"""Level at which :math:`\sum_i a_i (h - u_i)_+` reaches the volume, for finite knots u and positive slopes a.

    `hdp.clipping.level` says about where; the items below any height alone would have a level that is never below the
    true one, so the least around it is taken, from sums that are rounded once.  Items that begin together count
    together.
    """
    order = np.argsort(knots, kind="stable")
    knots, slopes = knots[order], slopes[order]
    ends = np.flatnonzero(np.diff(knots, append=np.inf)) + 1
    near = clipping.level(knots, slopes, volume)
    low, high = np.searchsorted(knots[ends - 1], [near * (1 - 2**-40), near * (1 + 2**-40)])
    return min(
        (volume + total(slopes[:m], knots[:m])) / math.fsum(slopes[:m].tolist())
        for m in ends[max(low - 1, 0) : high + 1].tolist()
    )


def beyond(lower, upper):
    """What floats add besides to an answer between ends that are large for their distance, in units of that."""
    return FLOAT * max(0.0, max(abs(lower), abs(upper)) / (upper - lower) - 1)


def less(allowed, spent):
    """The difference, rounded down, by the error that a floating-point difference is known to have; inf - inf is 0."""
    with np.errstate(invalid="ignore"):
        left = allowed - spent
        back = left - allowed
        missing = (allowed - (left - back)) - (spent + back)
    left = np.where(missing < 0, np.nextafter(left, 0), left)
    return np.where(np.isinf(spent), 0.0, left)
