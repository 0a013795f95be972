r"""Wrong variances: what the weights of the one lemma cost if they were made for variances that are not the true ones.

The weights minimise :math:`F(w) = \sum_i v_i w_i^2 + \kappa \max_i (s_i w_i)^2` for believed variances
:math:`\hat v_i` in place of :math:`v_i`; everybody's privacy is kept all the same, only the error grows.
Page :doc:`/book/synthesis/wrong-variances` derives by how much.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, clipping
from hdp._types import Floats, _plain

__all__ = ["loss_of_wrong_variances", "price_of_wrong_variances", "variance_guess"]


def price_of_wrong_variances(low: float, high: float) -> float:
    r"""Largest factor by which the error can exceed the least one, if beliefs are off by factors in an interval.

    .. math:: \frac{(a + b)^2}{4ab}, \qquad a = \min(m, 1),\quad b = \max(M, 1)

    Parameters
    ----------
    low : float
        Least ratio m of a believed to a true variance, in [1e-50, 1e50].
    high : float
        Largest such ratio M, in [low, 1e50].

    Returns
    -------
    float
        The factor, at least 1; no smaller one holds for all items, noise costs and penalties.

    Examples
    --------
    Two public users of the variances 1 and 4 are believed to have 2; then 1/4 is believed where 1/64 is true:

    >>> from hdp.robust import price_of_wrong_variances
    >>> price_of_wrong_variances(0.5, 2.0)
    1.5625
    >>> price_of_wrong_variances(16.0, 16.0)
    4.515625
    """
    low, high = _validate.size("low", low), _validate.size("high", high)
    if high < low:
        raise ValueError(f"high must lie in [low, 1e+50] = [{low:g}, 1e+50], got {high!r}")
    spread = max(high, 1.0) / min(low, 1.0)
    return (spread + 2 + 1 / spread) / 4


def loss_of_wrong_variances(variance: ArrayLike, believed: ArrayLike, noise_cost: ArrayLike, penalty: float) -> float:
    r"""Factor :math:`F(\hat w) / F(w^*)` by which the weights for believed variances err more than the best weights.

    Parameters
    ----------
    variance : array_like, shape (n,) or scalar
        True variance of each item, in [1e-50, 1e50].
    believed : array_like, shape (n,) or scalar
        Variance for which the weights are chosen, in [1e-50, 1e50].
    noise_cost : array_like, shape (n,)
        Noise per unit of weight, in [0, 1e50] or inf; 0 is a public item, inf an unusable one; not all inf.
    penalty : float
        Weight of the noise in the objective, in [1e-50, 1e50].

    Returns
    -------
    float
        The factor, at least 1 up to rounding, and at most `price_of_wrong_variances` of the ratios.

    Examples
    --------
    >>> from hdp.robust import loss_of_wrong_variances
    >>> round(loss_of_wrong_variances([1.0, 4.0], 2.0, [0.0, 0.0], 2.0), 12)
    1.5625
    """
    s = _validate.vector("noise_cost", noise_cost, 0)
    if np.any((s > _validate.LARGE) & np.isfinite(s)):
        raise ValueError(f"noise_cost must lie in [0, 1e+50] or be inf, got {float(s[np.isfinite(s)].max())!r}")
    v, belief = (np.asarray(_validate.sizes(*given)) for given in (("variance", variance), ("believed", believed)))
    for name, given in (("variance", v), ("believed", belief)):
        if given.shape not in ((), s.shape):
            raise ValueError(f"{name} must be a scalar or of shape {s.shape}, got {given.shape}")
    kappa = _validate.size("penalty", penalty)
    chosen, best = (_objective(clipping.optimal_weights(x, s, kappa), v, s, kappa) for x in (belief, v))
    return chosen / best


def variance_guess(lower: ArrayLike, upper: ArrayLike) -> float | Floats:
    r"""Variance to believe in when only an interval is known: :math:`\sqrt{\ell u}`.

    If all variances are the same unknown multiple of known ones, no other guess costs so little in the worst case.

    Parameters
    ----------
    lower : array_like, shape (n,) or scalar
        Lower end of the interval, in [1e-50, 1e50].
    upper : array_like, shape (n,) or scalar
        Upper end, at least the lower one and at most 1e50.

    Returns
    -------
    numpy.ndarray, shape (n,), or float
        The guess.

    Examples
    --------
    >>> from hdp.robust import variance_guess
    >>> variance_guess(1 / 64, 1 / 4)
    0.0625
    """
    lower, upper = _validate.sizes("lower", lower), _validate.sizes("upper", upper)
    _validate.same_shapes(lower=lower, upper=upper)
    if np.any(upper < lower):
        raise ValueError("upper must lie in [lower, 1e+50], got a smaller value")
    return _plain(np.sqrt(lower) * np.sqrt(upper))


def _objective(w, v, s, kappa):
    """Variance plus the largest noise; an unusable item has neither weight nor noise."""
    with np.errstate(under="ignore"):
        noise = np.max(w * np.where(np.isinf(s), 0.0, s))
        return float(np.sum(v * w**2) + kappa * noise**2)
