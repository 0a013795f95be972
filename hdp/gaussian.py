"""Gaussian noise for (epsilon, delta)-privacy and back: the classic formula, and the exact one of Balle & Wang."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.noise import Gaussian, log_delta

__all__ = ["classic_epsilon", "classic_scale", "exact_epsilon", "exact_scale"]


LEAST_DELTA = 1e-300
_MOST_RATIO = 1e6  # of sensitivity to noise, beyond which rounding hides delta


def classic_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    r"""Noise of the classic Gaussian mechanism, :math:`\sqrt{2\log(1.25/\delta)}\,\Delta/\epsilon`.

    Dwork & Roth (2014, Theorem A.1) prove it for epsilon in (0, 1); beyond that it is refused where it fails.

    Parameters
    ----------
    sensitivity : float
        Largest change :math:`\Delta` of the answer, in [1e-50, 1e50], in the unit of the noise.
    epsilon : float
        The :math:`\epsilon` of the guarantee, in [1e-50, 1e50]; `exact_scale` takes all of [0, 1e50].
    delta : float
        The :math:`\delta` of the guarantee, in [1e-300, 1).

    Returns
    -------
    float
        Standard deviation of the noise, in the unit of the sensitivity.

    Raises
    ------
    ValueError
        If an argument lies outside its range; of the classic functions, also if the noise is not
        :math:`(\epsilon, \delta)`-private.

    Examples
    --------
    >>> from hdp import amplification
    >>> round(amplification.classic_scale(1.0, 1.0, 1e-7), 4)
    5.7169
    """
    epsilon = _validate.size("epsilon", epsilon)
    delta = check_delta(delta)
    scale = float(factor(delta)) * _validate.size("sensitivity", sensitivity) / epsilon
    refuse_if_not_private(scale, sensitivity, epsilon, delta)
    return scale


def classic_epsilon(scale: ArrayLike, sensitivity: ArrayLike, delta: float) -> float | Floats:
    r"""Solve `classic_scale` for epsilon, :math:`\sqrt{2\log(1.25/\delta)}\,\Delta/s`, with the same refusal.

    Parameters
    ----------
    scale, sensitivity : array_like
        Standard deviation :math:`s` of the noise and sensitivity :math:`\Delta`, 0 or in [1e-50, 1e50].
    delta : float
        The :math:`\delta` of the guarantee, in [1e-300, 1).

    Returns
    -------
    float or numpy.ndarray
        In [0, inf]; 0 where the sensitivity is 0, else inf without noise.

    Raises
    ------
    ValueError
        If an argument lies outside its range; of the classic functions, also if the noise is not
        :math:`(\epsilon, \delta)`-private.

    Examples
    --------
    >>> from hdp import amplification
    >>> round(amplification.classic_epsilon(5.7169, 1.0, 1e-7), 4)
    1.0
    """
    delta = check_delta(delta)
    scale = _scales("scale", scale)
    sensitivity = _scales("sensitivity", sensitivity)
    _validate.same_shapes(scale=scale, sensitivity=sensitivity)
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilon = np.where(sensitivity == 0, 0.0, factor(delta) * sensitivity / scale)
    if np.any(np.isfinite(epsilon) & (epsilon > 0)):
        worst = float(epsilon[np.isfinite(epsilon)].max())  # what is lost depends on epsilon and delta alone
        refuse_if_not_private(factor(delta) / worst, 1.0, worst, delta)
    return _plain(epsilon)


def exact_epsilon(scale: float, sensitivity: float, delta: float) -> float:
    r"""Smallest epsilon for which Gaussian noise of this scale is :math:`(\epsilon, \delta)`-private (Balle & Wang).

    Parameters
    ----------
    scale : float
        Standard deviation :math:`s` of the noise, 0 or in [1e-50, 1e50].
    sensitivity : float
        Largest change of the answer, 0 or in [1e-50, 1e50], at most 1e6 times the scale.
    delta : float
        The :math:`\delta` of the guarantee, in [1e-300, 1).

    Returns
    -------
    float
        In [0, inf]; inf without noise.

    Raises
    ------
    ValueError
        If an argument lies outside its range; of the classic functions, also if the noise is not
        :math:`(\epsilon, \delta)`-private.

    Examples
    --------
    >>> from hdp import amplification
    >>> round(amplification.exact_epsilon(5.7169, 1.0, 1e-7), 4)
    0.8082
    """
    delta = check_delta(delta)
    scale = float(_scales("scale", _validate.scalar("scale", scale)))
    sensitivity = float(_scales("sensitivity", _validate.scalar("sensitivity", sensitivity)))
    if sensitivity == 0:
        return 0.0
    if scale == 0:
        return np.inf
    ratio = sensitivity / scale
    if ratio > _MOST_RATIO:
        raise ValueError(f"sensitivity must be at most {_MOST_RATIO:g} times the scale, got {ratio:.3g} times")
    return epsilon_of(ratio, delta)


def exact_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    r"""Smallest Gaussian noise that is :math:`(\epsilon, \delta)`-private, for any epsilon (Balle & Wang).

    The scale is exact to rounding, which moves delta by a tenth of itself for epsilon about 1e28, and more beyond.

    Parameters
    ----------
    sensitivity : float
        Largest change :math:`\Delta` of the answer, in [1e-50, 1e50], in the unit of the noise.
    epsilon : float
        The :math:`\epsilon` of the guarantee, in [1e-50, 1e50]; `exact_scale` takes all of [0, 1e50].
    delta : float
        The :math:`\delta` of the guarantee, in [1e-300, 1).

    Returns
    -------
    float
        Standard deviation of the noise, in the unit of the sensitivity.

    Raises
    ------
    ValueError
        If an argument lies outside its range; of the classic functions, also if the noise is not
        :math:`(\epsilon, \delta)`-private.

    Examples
    --------
    >>> from hdp import amplification
    >>> round(amplification.exact_scale(1.0, 1.0, 1e-7), 4)
    4.6787
    """
    epsilon = _validate.scalar("epsilon", epsilon, 0, _validate.LARGE)
    return _validate.size("sensitivity", sensitivity) / ratio_of(epsilon, check_delta(delta))


def epsilon_of(ratio, delta):
    """Least epsilon, in [0, inf), for this ratio of sensitivity to scale in [0, 1e6]."""
    if Gaussian(1.0).delta(0.0, ratio) <= delta:
        return 0.0
    most = ratio / 2 + scipy.stats.norm.isf(delta / 2)  # here the first of the two terms alone is delta / 2

    def excess(quotient):  # of epsilon and ratio
        return log_delta(quotient - ratio / 2, ratio) - np.log(delta)

    return ratio * float(scipy.optimize.brentq(excess, 0.0, most, xtol=1e-16))


def ratio_of(epsilon, delta):
    r"""Largest ratio of sensitivity to scale for this epsilon in [0, 1e50].

    It is :math:`r = \sqrt{2\epsilon}\,e^u`, and :math:`\epsilon/r - r/2 = -\sqrt{2\epsilon}\,\sinh u` has all digits.
    """
    if epsilon < 1e-300:  # nothing beside the least delta
        return float(2 * np.sqrt(2) * scipy.special.erfinv(delta))
    middle = np.sqrt(2 * epsilon)

    def excess(u):
        return log_delta(-middle * np.sinh(u), middle * np.exp(u)) - np.log(delta)

    far = np.arcsinh(39 / middle)  # delta is below 1e-330 at -far, and rounds to 1 at far
    return float(middle * np.exp(scipy.optimize.brentq(excess, -far, far, xtol=1e-16 / (1 + middle))))


def factor(delta):
    """Scale of the classic Gaussian mechanism for each unit of sensitivity over epsilon."""
    return np.sqrt(2 * (np.log(1.25) - np.log(delta)))  # the quotient may be no float


def refuse_if_not_private(scale, sensitivity, epsilon, delta):
    """Raise ValueError if the exact delta is larger, as it is for large epsilon."""
    true = Gaussian(scale).delta(epsilon, sensitivity)
    if true > delta:
        given = f"epsilon = {epsilon:.4g} is too large for delta = {delta:.4g}"
        raise ValueError(f"{given}: the classic noise only gives {true:.3g}")


def check_delta(delta):
    """Return delta as a float in [1e-300, 1), or raise ValueError."""
    return _validate.chance("delta", delta, LEAST_DELTA)


def _scales(name, value):
    """Return 0 or what lies in [1e-50, 1e50] as floats, or raise ValueError."""
    found = _validate.number(name, value, 0, _validate.LARGE)
    if np.any((found > 0) & (found < _validate.SMALL)):
        raise ValueError(f"{name} must be 0 or lie in [1e-50, 1e+50], got {float(found[found > 0].min())!r}")
    return found
