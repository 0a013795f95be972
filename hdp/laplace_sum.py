r"""The sum of n independent Laplace variables of one scale: density, tail, and the privacy it gives to one summand.

The density is symmetric and log-concave (Laplace is, and convolution keeps it), so the privacy loss grows with the
noise.  Avent, Dubey & Korolova (PoPETs 2020, appendix D) treat its limit only.  ``LaplaceMixture`` draws sums of any
scales, fast.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.noise import further

__all__ = ["LaplaceSum"]

_MOST = 10**5  # summands
_FEW = 8  # so many noises are simply drawn and added
# For a thousand log-normal scales, a ratio of 2 means 19 tables, and draws take five times as long as with 128; with
# 512 one table is too long to be made, and they take eighteen times as long.
_BUCKET = 128.0  # largest ratio of squared scales that share a table
_TABLE = 2**25  # most arithmetic operations that a table may cost


@dataclass(frozen=True)
class LaplaceSum:
    r"""Noise of n users, each with Laplace noise of the same scale.

    .. math:: p(x) = \frac{e^{-z}}{b}\sum_{j<n}\binom{n-1}{j}\frac{(n-1+j)!}{2^{n+j}\,(n-1)!^2}\,z^{n-1-j},
       \qquad z = |x|/b

    Parameters
    ----------
    count : int
        Number n of summands, in [1, 10^5]; the time of every method grows with it.
    scale : float
        Scale b of each, in [1e-50, 1e50].

    Examples
    --------
    >>> from hdp.laplace_sum import LaplaceSum
    >>> LaplaceSum(1, 2.0).density(0.0), LaplaceSum(3, 1.0).variance
    (0.25, 6.0)
    """

    count: int
    scale: float

    def __post_init__(self):
        _validate.field(self, "count", _validate.whole, 1, _MOST)
        _validate.field(self, "scale", _validate.size)

    @property
    def variance(self) -> float:
        """Variance, n times that of one summand."""
        return 2.0 * self.count * self.scale**2

    def log_density(self, x: ArrayLike) -> float | Floats:
        """Logarithm of the probability density at `x` in [-1e50, 1e50]; stable for any n and any `x`."""
        return _plain(self._log_shape(np.abs(self._points("x", x)) / self.scale) - np.log(self.scale))

    def density(self, x: ArrayLike) -> float | Floats:
        """Probability density at `x`, per unit of `x`."""
        return _plain(np.exp(self.log_density(x)))

    def survival(self, x: ArrayLike) -> float | Floats:
        """Probability that the noise exceeds `x`."""
        return _plain(self._survival(self._points("x", x) / self.scale))

    def privacy_loss(self, noise: ArrayLike, shift: ArrayLike) -> float | Floats:
        """Log-density ratio, in nats, of an output at `noise` from the true answer when the other lies `shift` below.

        Between -shift/scale and shift/scale, and as `noise` grows it goes from the one to the other without turning
        back: it rises if the shift is positive.  For n > 1 it reaches neither, but for rounding.
        """
        noise, shift = self._points("noise", noise), self._points("shift", shift)
        _validate.same_shapes(noise=noise, shift=shift)
        moved, most = self._points("noise + shift", noise + shift), np.abs(shift) / self.scale
        farther = further(noise, -shift) / self.scale  # no difference of two large numbers
        powers = [self._log_polynomial(np.abs(x) / self.scale) for x in (noise, moved)]
        return _plain(np.clip(powers[0] - powers[1] + farther, -most, most))

    def epsilon(self, delta: float, sensitivity: float) -> float:
        r"""Smallest epsilon for which this noise makes a query :math:`(\epsilon, \delta)`-private.

        The worst event is {noise > t}, by monotonicity; t solves
        :math:`P(Y > t) - e^{\ell(t)} P(Y > t + \Delta) = \delta`, where :math:`\ell` is the loss; it is
        :math:`\max(0, \Delta/b + 2\log(1 - \delta))` for one summand.

        Parameters
        ----------
        delta : float
            In [0, 1); 0 is pure privacy, where the answer is sensitivity / scale whatever n is.
        sensitivity : float
            Largest change of the answer, in [1e-50, 1e49].

        Returns
        -------
        float
            In [0, sensitivity / scale].

        Examples
        --------
        >>> from hdp.laplace_sum import LaplaceSum
        >>> noise = LaplaceSum(1000, 1.0)
        >>> noise.epsilon(0.0, 1.0), round(noise.epsilon(1e-7, 1.0), 3)
        (1.0, 0.091)
        """
        delta = _validate.scalar("delta", delta, 0, 1, open_high=True)
        sensitivity = _validate.scalar("sensitivity", sensitivity, _validate.SMALL, _validate.LARGE / 10)
        ratio = sensitivity / self.scale
        if delta == 0:
            return ratio
        if self.count == 1:
            return max(0.0, ratio + 2 * float(np.log1p(-delta)))
        law = self._near if ratio < 1 else self._apart

        def excess(t):
            return law(t, ratio)[0] - delta

        middle = -ratio / 2  # the loss is 0 here
        if excess(middle) <= 0:
            return 0.0
        far = 2 * (self.count - np.log(delta))  # P(Y > far b) < delta, as E exp(Y/(2b)) = (4/3)^n
        root = scipy.optimize.brentq(excess, middle, far, xtol=1e-15 * far, maxiter=1000)
        return min(ratio, float(law(root, ratio)[1]))

    def _apart(self, t, shift):
        """The delta of {noise > t} and its loss, in units of the scale."""
        loss = self._log_shape(np.abs(t)) - self._log_shape(t + shift)
        # Added as logarithms: e^loss may overflow where the tail has vanished.
        return self._survival(t) - np.exp(loss + self._log_upper_tail(t + shift)), loss

    def _near(self, t, shift):
        r"""The same without differences of what is nearly equal, for a shift below 1 and more than one summand.

        With the density's integral A over [t, t + shift], delta is :math:`e^\ell A - (e^\ell - 1)\,P(Y > t)`.
        """
        area, loss = self._integrals(abs(t), shift + min(2 * t, 0.0))  # of the odd slope, what is around 0 cancels
        if t < 0:
            area += 2 * self._integrals(0.0, -t)[0]
        return np.exp(loss) * area - np.expm1(loss) * self._survival(t), loss

    def _integrals(self, start, width):
        """Integrals, from start >= 0, of the density and of -p'/p = z p_{n-1}/(2 (n-1) p)."""
        nodes, weights = np.polynomial.legendre.leggauss(10)  # for a width of at most 1, exact to rounding
        z = start + width * (nodes + 1) / 2
        log_density = self._log_shape(z)
        fewer = LaplaceSum(self.count - 1, self.scale)._log_shape(z)
        slope = z * np.exp(fewer - log_density) / (2 * self.count - 2)
        return width / 2 * (weights @ np.exp(log_density)), width / 2 * (weights @ slope)

    def _log_shape(self, z):
        """Logarithm of the density at z >= 0, in units of the scale."""
        return self._log_polynomial(z) - z

    def _log_polynomial(self, z):
        """Logarithm of the polynomial that stands before e^-z in it."""
        powers = self.count - 1 - self._terms
        terms = self._log_coefficients + scipy.special.xlogy(powers, np.asarray(z)[..., None])
        return scipy.special.logsumexp(terms, axis=-1)

    def _survival(self, z):
        """Probability that the noise exceeds z, in units of the scale."""
        powers = self.count - self._terms
        tail = scipy.special.gammaincc(powers, np.asarray(np.abs(z))[..., None])
        above = (np.exp(self._log_coefficients + scipy.special.gammaln(powers)) * tail).sum(axis=-1)
        return np.where(z >= 0, above, 1 - above)

    def _log_upper_tail(self, z):
        """Logarithm of the probability that the noise exceeds z >= 0 scales: e^-z times a polynomial in z."""
        powers = self._terms
        sums = np.logaddexp.accumulate(self._log_coefficients + scipy.special.gammaln(self.count - powers))[::-1]
        return scipy.special.logsumexp(scipy.special.xlogy(powers, z) - scipy.special.gammaln(powers + 1) + sums) - z

    def _points(self, name, x):
        """Points as floats in [-1e50, 1e50], not more than fit into memory."""
        x = _validate.number(name, x, -_validate.LARGE, _validate.LARGE)
        _validate.affordable(name, x.size, self.count)
        return x

    @property
    def _terms(self):
        return np.arange(self.count)

    @property
    def _log_coefficients(self):
        n, j = self.count, self._terms
        binomial = scipy.special.gammaln(n) - scipy.special.gammaln(j + 1) - scipy.special.gammaln(n - j)
        return binomial + scipy.special.gammaln(n + j) - 2 * scipy.special.gammaln(n) - (n + j) * np.log(2)


class LaplaceMixture:
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
            # The square of a scale below 1e-162 times the largest vanishes; beside that one such a noise is nothing.
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
                mixture += unit * rng.standard_gamma(shape + first + _places(law, rng.random(size)))
        return self.scales[-1] * np.sqrt(2 * mixture) * rng.standard_normal(size)


def _places(law, uniform):
    """Where each of these numbers falls in the law; looked up in ascending order, which takes half the time."""
    order, found = np.argsort(uniform), np.empty(uniform.size, dtype=np.intp)
    found[order] = np.searchsorted(law, uniform[order], side="right")
    return found


def _geometric_sum(success):
    """Cumulative law of a sum of independent geometric variables, and where it begins; None if that takes too long.

    The transform of the law is the product of p/(1 - (1-p) z) on the unit circle; its inverse is good to 1e-15.
    """
    failure = 1 - success
    spread = np.sqrt(np.sum(failure / success**2))
    # The transform is cyclic: what lay beyond the length would come back at the beginning.  In 50/p steps the slowest
    # of the geometric laws falls to e^-50.
    length = int(np.sum(failure / success) + 12 * spread + 50 / success.min()) + 64
    if length * success.size > _TABLE:
        return None
    circle = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length)
    transform = np.ones(circle.size, dtype=complex)
    for p in success[success < 1]:
        transform *= p / (1 - (1 - p) * circle)
    # Rounding leaves some entries a little below 0, but what is searched must not fall.
    table = np.cumsum(np.maximum(np.fft.irfft(transform, length), 0))
    table /= table[-1]
    first, last = np.searchsorted(table, [1e-15, 1 - 1e-15])
    return int(first), table[first : last + 1] / table[last]


def _exponentials(rng, size, means):
    """Sum of independent exponentials of these means, in blocks of 2^20 draws."""
    rows = max(1, 2**20 // means.size)
    parts = [rng.standard_exponential((min(rows, size - i), means.size)) @ means for i in range(0, size, rows)]
    return np.concatenate(parts or [np.empty(0)])
