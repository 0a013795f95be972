r"""Noise: scale, variance, sampling and privacy loss of the Laplace, Gaussian and randomised-response mechanisms.

Each distribution is a frozen dataclass.  `privacy_loss(output, shift)` is the log-ratio of the densities of an
output under two neighbouring data sets whose noiseless answers are 0 and `shift`.
The samples are floating-point numbers: good for research, not safe for a real release (Mironov, CCS 2012), for which
there is `hdp.release`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, Rng

__all__ = ["Gaussian", "Laplace", "RandomizedResponse"]

_UPWARDS = 1 + 2.0**-50  # more than the rounding of a chance
_RESOLUTION = 2.0**-53  # of the generator's uniform numbers
_FAR = 40.0  # standard deviations, beyond which no float holds a tail


@dataclass(frozen=True)
class Laplace:
    r"""Laplace noise, density :math:`e^{-|y|/b} / (2b)`, variance :math:`2b^2`.

    A query of sensitivity :math:`\Delta` plus this noise is :math:`\Delta/b`-differentially private.

    Parameters
    ----------
    scale : float
        The scale :math:`b`, in [0, inf]; 0 is no noise.

    Examples
    --------
    >>> from hdp.noise import Laplace
    >>> Laplace(0.5).variance
    0.5
    >>> Laplace(0.5).privacy_loss([-3.0, 0.5, 3.0], shift=1.0)
    array([ 2.,  0., -2.])
    """

    scale: float

    def __post_init__(self):
        _validate.field(self, "scale", _validate.scalar, 0)

    @classmethod
    def calibrated(cls, sensitivity: float, epsilon: float) -> Self:
        """The noise that makes a query of this sensitivity in [0, inf) exactly epsilon-private, epsilon > 0.

        Its scale is at least 2.2e-308, unless there is nothing to hide: smaller ones lack digits, or vanish.
        """
        sensitivity = _validate.scalar("sensitivity", sensitivity, 0, np.inf, open_high=True)
        epsilon = _validate.scalar("epsilon", epsilon, 0, open_low=True)
        return cls(max(sensitivity / epsilon, _validate.TINY if sensitivity and epsilon < np.inf else 0.0))

    @property
    def variance(self) -> float:
        """Variance, twice the square of the scale."""
        return 2.0 * self.scale * self.scale

    def density(self, y: ArrayLike) -> float | Floats:
        """Probability density at `y`, per unit of the output."""
        y, scale = _point("y", y), _spread(self)
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-np.abs(y) / scale) / (2 * scale)

    def privacy_loss(self, output: ArrayLike, shift: ArrayLike) -> float | Floats:
        """Log-density ratio of `output` under the answers 0 and `shift`, in nats; at most `|shift| / scale`."""
        y, shift, scale = _point("output", output), _point("shift", shift), _spread(self)
        _validate.same_shapes(output=y, shift=shift)
        with np.errstate(over="ignore", under="ignore"):
            return further(y, shift) / scale

    def sample(self, rng: Rng, size: int | Sequence[int] | None = None) -> float | Floats:
        """Draw with `rng`, a `numpy.random.Generator` or a seed; the shape is `size`, of at most 2^30 numbers."""
        if np.isinf(self.scale):
            raise ValueError("scale must lie in [0, inf) for a draw, got inf")
        return _validate.generator(rng).laplace(0.0, self.scale, _size(size))


@dataclass(frozen=True)
class Gaussian:
    r"""Gaussian noise of standard deviation :math:`\sigma`; its guarantee is :math:`(\epsilon, \delta)`, never pure.

    Parameters
    ----------
    scale : float
        The standard deviation, in [1e-100, inf).

    Examples
    --------
    >>> from hdp.noise import Gaussian
    >>> round(Gaussian(2.0).delta(1.0, sensitivity=1.0), 6)
    0.00683
    """

    scale: float

    def __post_init__(self):
        _validate.field(self, "scale", _validate.scalar, 1e-100, open_high=True)

    @property
    def variance(self) -> float:
        """Variance, the square of the scale."""
        return self.scale * self.scale

    def privacy_loss(self, output: ArrayLike, shift: ArrayLike) -> float | Floats:
        """Log-density ratio of `output` under the answers 0 and `shift`, in nats; unbounded."""
        y, shift = _point("output", output), _point("shift", shift)
        _validate.same_shapes(output=y, shift=shift)
        return shift * (shift - 2 * y) / 2 / self.variance

    def delta(self, epsilon: float, sensitivity: float) -> float:
        r"""Exact :math:`\delta(\epsilon)` for a query of this sensitivity (Balle & Wang, ICML 2018, Theorem 8)."""
        eps = _validate.scalar("epsilon", epsilon, 0)
        ratio = _validate.scalar("sensitivity", sensitivity, 0, np.inf, open_low=True, open_high=True) / self.scale
        if np.isinf(eps) or ratio == 0:
            return 0.0
        start = min(max(eps / ratio - ratio / 2, -_FAR), _FAR)
        return float(np.exp(log_delta(start, ratio)))

    def sample(self, rng: Rng, size: int | Sequence[int] | None = None) -> float | Floats:
        """Draw with `rng`, a `numpy.random.Generator` or a seed; the shape is `size`, of at most 2^30 numbers."""
        return _validate.generator(rng).normal(0.0, self.scale, _size(size))


@dataclass(frozen=True)
class RandomizedResponse:
    r"""K-ary randomised response: tell the truth with probability :math:`e^\epsilon/(e^\epsilon+K-1)`.

    Otherwise answer one of the other :math:`K-1` categories uniformly.
    Each user's answer is epsilon-private on its own.  It is drawn without a look at the truth no more rarely than with
    probability :math:`2^{-53}`, so a budget above :math:`53\log2 + \log K` is not spent to the end.

    Parameters
    ----------
    epsilon : float
        Budget of one answer, in [0, inf).
    categories : int
        Number :math:`K` of categories, at least 2.

    Examples
    --------
    >>> import math
    >>> from hdp.noise import RandomizedResponse
    >>> round(RandomizedResponse(math.log(3), categories=2).truth_probability, 12)
    0.75
    """

    epsilon: float
    categories: int = 2

    def __post_init__(self):
        _validate.field(self, "epsilon", _validate.scalar, 0, open_high=True)
        _validate.field(self, "categories", _validate.whole, 2)

    @property
    def truth_probability(self) -> float:
        """Probability of the true category."""
        return 1.0 / (1.0 + (self.categories - 1) * float(np.exp(-self.epsilon)))

    def privacy_loss(self, output: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
        """Log-probability ratio of `output` when the truth is `first` rather than `second`, in nats."""
        output, first, second = (
            _validate.positions(name, value, self.categories - 1)
            for name, value in (("output", output), ("first", first), ("second", second))
        )
        _validate.same_shapes(output=output, first=first, second=second)
        return self.epsilon * (np.equal(output, first).astype(float) - np.equal(output, second))

    def sample(self, rng: Rng, truth: ArrayLike) -> NDArray[np.int64]:
        """Answer for each true category in 0..K-1, drawn with `rng` or a seed; the shape is that of `truth`."""
        rng = _validate.generator(rng)
        truth = _validate.positions("truth", truth, self.categories - 1, secret=True)
        blind = rng.random(truth.shape) < blind_probability(self.epsilon, self.categories)
        truth = truth.astype(np.int64)  # beside unsigned integers of 64 bits the answers would be floats
        return np.where(blind, rng.integers(0, self.categories, truth.shape), truth)


def blind_probability(epsilon, categories):
    r"""Chance :math:`K/(e^\epsilon + K - 1)` of an answer that is drawn from all, so that it may be true, rounded up.

    It is a multiple of 2^-53, as the uniform numbers are with which it is compared: what is drawn has this chance.
    """
    odds = float(np.exp(-epsilon))
    chance = categories * odds / (1 + (categories - 1) * odds) * _UPWARDS
    return min(max(float(np.ceil(chance / _RESOLUTION)) * _RESOLUTION, _RESOLUTION), 1.0)


def further(y, shift):
    """How much further y is from the shift than from 0, also where y - shift has lost the shift's digits."""
    size = np.abs(shift)
    return np.clip(np.sign(shift) * (shift - 2 * y), -size, size)


def log_delta(start, ratio):
    r"""Logarithm of the delta of Gaussian noise, at :math:`a = \epsilon/r - r/2`; r is the ratio of shift to noise.

    As :math:`e^\epsilon\varphi(a + r) = \varphi(a)`, it is :math:`\varphi(a)\,[M(a) - M(a + r)]`, with Mills' ratio
    :math:`M = (1-\Phi)/\varphi`; where the two are nearly equal, :math:`-M'(x) = 1 - x\,M(x)` is integrated.
    """
    log_density = -start * start / 2 - np.log(2 * np.pi) / 2
    if ratio > 1 and start < 0:  # here M(a) may overflow
        return np.log(scipy.special.ndtr(-start) - np.exp(log_density) * _mills(start + ratio))
    if ratio > 1:
        return log_density + np.log(_mills(start) - _mills(start + ratio))
    nodes, weights = np.polynomial.legendre.leggauss(10)  # on an interval of length 1, exact to rounding
    x = start + ratio * (nodes + 1) / 2
    return log_density + np.log(ratio) + np.log(weights @ (1 - x * _mills(x)) / 2)


def _mills(x):
    return np.sqrt(np.pi / 2) * scipy.special.erfcx(x / np.sqrt(2))


def _point(name, value):
    return _validate.number(name, value, -_validate.LARGE, _validate.LARGE)


def _spread(noise):
    if noise.scale == 0:
        raise ValueError("scale must lie in (0, inf] for a density, got 0.0")
    return noise.scale


def _size(size):
    return None if size is None else _validate.shape(size)
