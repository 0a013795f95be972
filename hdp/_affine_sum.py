r"""Linear estimators with any number of independent Laplace noises, and a fast exact draw of their sum."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Affine", "LaplaceSum"]

_FEW = 8  # so many noises are simply drawn and added
_BUCKET = 128.0  # largest ratio of squared scales that share a table
_TABLE = 2**25  # most arithmetic operations that a table may cost


@dataclass(frozen=True, eq=False)
class Affine:
    """The release <w, x> + sum of independent Laplace noises; the weights need not sum to 1."""

    weights: np.ndarray
    scales: np.ndarray  # of the noises, possibly none

    def mean_squared_error(self, variance, mean):
        """Variance of the data and of the noise, and the squared bias ((1 - sum w) mean)^2."""
        w = self.weights
        with np.errstate(over="ignore", under="ignore"):
            noise = 2 * np.sum(self.scales**2)
            return float(variance * np.sum(w**2) + noise + ((1 - np.sum(w)) * mean) ** 2)

    def draw(self, x, rng):
        """One estimate for each row of x."""
        with np.errstate(under="ignore"):
            return x @ self.weights + self.noise(rng, len(x))

    def noise(self, rng, size):
        """The sum of the noises."""
        return self._noise.sample(rng, size)

    @cached_property
    def _noise(self):
        return LaplaceSum(self.scales)


class LaplaceSum:
    r"""The law of :math:`\sum_g s_g L_g` for independent standard Laplace :math:`L_g`.

    A Laplace variable is a Gaussian of random variance, :math:`s L = Z\sqrt{2 s^2 E}` with E exponential; so the sum
    is :math:`Z\sqrt{2Y}` with :math:`Y = \sum_g c_g E_g,\ c_g = s_g^2`.  An exponential of mean c is a sum of
    :math:`1 + G` exponentials of mean :math:`a \le c`, with G geometric, :math:`P(G = k) = (a/c)(1-a/c)^k`.  So the k
    noises of one bucket, with :math:`a = \min c_g`, give a times one Gamma variable of shape :math:`k + \sum_g G_g`,
    and the law of the integer :math:`\sum_g G_g` is tabulated once, by its Fourier transform.  Drawing a thousand
    noises then costs a handful of random numbers, and the distribution function is exact to 1e-12.

    Parameters
    ----------
    scales : numpy.ndarray, shape (k,)
        Scales in [0, inf).
    """

    def __init__(self, scales):
        self.scales = np.sort(scales[scales > 0])
        self._buckets = []
        if self.scales.size > _FEW:
            with np.errstate(under="ignore"):
                c = (self.scales / self.scales[-1]) ** 2
            c = c[c > 0]
            while c.size:
                size = int(np.searchsorted(c, c[0] * _BUCKET))
                self._buckets.append((c[0], size, _geometric_sum(c[0] / c[:size]), c[:size]))
                c = c[size:]

    def sample(self, rng, size):
        """Draw `size` sums."""
        if self.scales.size <= _FEW:
            total = np.zeros(size)
            for scale in self.scales:
                total += rng.laplace(0.0, scale, size)
            return total
        mixture = np.zeros(size)
        for unit, shape, table, members in self._buckets:
            if table is None:
                mixture += _exponentials(rng, size, members)
            else:
                first, law = table
                drawn = shape + first + np.searchsorted(law, rng.random(size), side="right")
                mixture += unit * rng.standard_gamma(drawn)
        return self.scales[-1] * np.sqrt(2 * mixture) * rng.standard_normal(size)


def _geometric_sum(success):
    """Cumulative law of a sum of independent geometric variables, and where it begins; None if that takes too long.

    The transform of the law is the product of p/(1 - (1-p) z) on the unit circle; its inverse is good to 1e-15.
    """
    failure = 1 - success
    spread = np.sqrt(np.sum(failure / success**2))
    length = int(np.sum(failure / success) + 12 * spread + 50 / success.min()) + 64
    if length * success.size > _TABLE:
        return None
    circle = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length)
    transform = np.ones(circle.size, dtype=complex)
    for p in success[success < 1]:
        transform *= p / (1 - (1 - p) * circle)
    table = np.cumsum(np.maximum(np.fft.irfft(transform, length), 0))
    table /= table[-1]
    first, last = np.searchsorted(table, [1e-15, 1 - 1e-15])
    return int(first), table[first : last + 1] / table[last]


def _exponentials(rng, size, means):
    """Sum of independent exponentials of these means, in blocks of 2^20 draws."""
    rows = max(1, 2**20 // means.size)
    parts = [rng.standard_exponential((min(rows, size - i), means.size)) @ means for i in range(0, size, rows)]
    return np.concatenate(parts or [np.empty(0)])
