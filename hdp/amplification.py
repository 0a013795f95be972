r"""Privacy amplification in the hybrid model (Avent, Dubey & Korolova, PoPETs 2020, section 8 and appendix D).

Neighbours differ in the value of one user, in [0, m]; who is in which group is public, and so are n, c, w and the
noise's distribution.  The adversary sees the released mean and knows the values and the noise of a coalition of local
users; the guarantee is for users outside it, against that adversary, not against the curator.
Every function is about one release.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.gaussian import check_delta, classic_epsilon, classic_scale, exact_epsilon, exact_scale, factor
from hdp.hybrid.setting import Setting

__all__ = [
    "amplified_epsilon", "classic_epsilon", "classic_scale", "exact_epsilon", "exact_scale", "group_epsilons",
    "joint_deviation", "printed_epsilon",
]  # fmt: skip


_LEAST = 1e-18  # a weight so small is none


def group_epsilons(
    s: Setting, w: ArrayLike, delta: float, adversarial: ArrayLike = 0.0, exact: bool = False
) -> tuple[float | Floats, float | Floats]:
    r"""Loss of a user of each group: :math:`\epsilon_T', \epsilon_L'` at the given delta.

    .. math:: \epsilon_T' = \frac{g\,m}{s'}\,\frac{w}{cn}, \qquad \epsilon_L' = \frac{g\,m}{s'}\,\frac{1-w}{(1-c)n},
       \qquad g = \sqrt{2\log(1.25/\delta)}

    Parameters
    ----------
    s : hdp.hybrid.Setting
        Any setting, its numbers scalars or arrays that broadcast.  The noise is Gaussian: of the variances `s_t2`
        and `s_l2` if given, else the classic calibration for `s.epsilon` and `s.delta` (`delta` if that is 0).
    w : array_like
        Weight of the TCM group's mean, in [0, 1]; for a loss 0 or in [1e-18, 1].
    delta : float
        The delta of the guarantee, in [1e-300, 1).
    adversarial : array_like
        Fraction of the LM users whose noise the adversary knows, in [0, 1].  At 1 nobody of them is left to protect:
        `lm` is then what one loses whose own noise is known but whose value is not.
    exact : bool
        Convert the noise by its exact :math:`\delta(\epsilon)` (Balle & Wang 2018; scalars only), not by the classic
        formula, which is proved for results below 1.

    Returns
    -------
    tcm, lm : float or numpy.ndarray
        In [0, inf]; where no noise is left inf for whoever counts, and 0 for a group that does not.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a classic value is not a guarantee: then use `exact`.
    TypeError
        If `s` is no `hdp.hybrid.Setting`.

    Examples
    --------
    >>> from hdp import amplification, hybrid
    >>> s = hybrid.Setting(n=252540, c=0.01, m=2349033, epsilon=1, sigma_t=53254, delta=1e-7)
    >>> tcm, lm = amplification.group_epsilons(s, hybrid.kvh_weight(s), 1e-7)
    >>> round(tcm, 4), round(lm, 6)
    (0.9795, 0.000403)
    """
    s, w, delta = _checked(s, w, delta)
    if _validate.flag("exact", exact):
        w, adversarial = _validate.scalar("w", w), _validate.scalar("adversarial", adversarial, 0, 1)
    deviation = np.asarray(joint_deviation(s, w, adversarial))
    convert: Callable[..., float | Floats] = exact_epsilon if exact else classic_epsilon
    shares = w / s.tcm_users, (1 - w) / s.lm_users
    tcm, lm = (convert(deviation, s.m * share, delta) for share in shares)
    return tcm, lm


def amplified_epsilon(
    s: Setting, w: ArrayLike, delta: float, adversarial: ArrayLike = 0.0, exact: bool = False
) -> float | Floats:
    r"""The guarantee that holds for everybody: Theorem 8.1 with the larger of the two sensitivities.

    .. math:: \epsilon' = \frac{\sqrt{2\log(1.25/\delta)}\,m}{n\,s'}\max\Big\{\frac{w}{c}, \frac{1-w}{1-c}\Big\}

    Parameters
    ----------
    s : hdp.hybrid.Setting
        Any setting, its numbers scalars or arrays that broadcast.  The noise is Gaussian: of the variances `s_t2`
        and `s_l2` if given, else the classic calibration for `s.epsilon` and `s.delta` (`delta` if that is 0).
    w : array_like
        Weight of the TCM group's mean, in [0, 1]; for a loss 0 or in [1e-18, 1].
    delta : float
        The delta of the guarantee, in [1e-300, 1).
    adversarial : array_like
        Fraction of the LM users whose noise the adversary knows, in [0, 1].  At 1 nobody of them is left to protect:
        `lm` is then what one loses whose own noise is known but whose value is not.
    exact : bool
        Convert the noise by its exact :math:`\delta(\epsilon)` (Balle & Wang 2018; scalars only), not by the classic
        formula, which is proved for results below 1.

    Returns
    -------
    float or numpy.ndarray
        The release is :math:`(\epsilon', \delta)`-private for every user outside the coalition.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a classic value is not a guarantee: then use `exact`.
    TypeError
        If `s` is no `hdp.hybrid.Setting`.

    Examples
    --------
    >>> from hdp import amplification, hybrid
    >>> s = hybrid.Setting(n=252540, c=0.001, m=2349033, epsilon=1, sigma_t=53254, delta=1e-7)
    >>> round(amplification.amplified_epsilon(s, hybrid.kvh_weight(s), 1e-7, adversarial=0.5), 3)
    0.578
    """
    return _plain(np.maximum(*group_epsilons(s, w, delta, adversarial, exact)))


def printed_epsilon(s: Setting, w: ArrayLike, delta: float, adversarial: ArrayLike = 0.0) -> float | Floats:
    r"""Theorem 8.1 as the paper prints it, with the smaller of the two sensitivities.  No guarantee: see the errata.

    .. math:: \epsilon' = \frac{\sqrt{2\log(1.25/\delta)}\,m}{n\,s'}\cdot
       \begin{cases}w/c,& w\le c\\(1-w)/(1-c),&\text{otherwise}\end{cases}

    Parameters
    ----------
    s : hdp.hybrid.Setting
        Any setting, its numbers scalars or arrays that broadcast.  The noise is Gaussian: of the variances `s_t2`
        and `s_l2` if given, else the classic calibration for `s.epsilon` and `s.delta` (`delta` if that is 0).
    w : array_like
        Weight of the TCM group's mean, in [0, 1]; for a loss 0 or in [1e-18, 1].
    delta : float
        The delta of the guarantee, in [1e-300, 1).
    adversarial : array_like
        Fraction of the LM users whose noise the adversary knows, in [0, 1].  At 1 nobody of them is left to protect:
        `lm` is then what one loses whose own noise is known but whose value is not.

    Returns
    -------
    float or numpy.ndarray
        What the paper promises; where no noise is left inf, or nan for w = 0.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a classic value is not a guarantee: then use `exact`.
    TypeError
        If `s` is no `hdp.hybrid.Setting`.

    Examples
    --------
    >>> from hdp import amplification, hybrid
    >>> s = hybrid.Setting(n=252540, c=0.01, m=2349033, epsilon=1, sigma_t=53254, delta=1e-7)
    >>> round(amplification.printed_epsilon(s, hybrid.kvh_weight(s), 1e-7), 6)
    0.000403
    """
    s, w, delta = _checked(s, w, delta)
    case = np.where(w <= s.c, w / s.c, (1 - w) / (1 - np.asarray(s.c)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _plain(factor(delta) * s.m / (s.n * np.asarray(joint_deviation(s, w, adversarial))) * case)


def joint_deviation(s: Setting, w: ArrayLike, adversarial: ArrayLike = 0.0) -> float | Floats:
    r"""Standard deviation :math:`s'` of the noise that a coalition does not know (Theorem 8.1).

    .. math:: s'^2 = w^2 s_T^2 + \Big(\frac{1-w}{(1-c)n}\Big)^2 |L\setminus A|\, s_L^2, \qquad
       |L\setminus A| = (1-\mathtt{adversarial})(1-c)n

    Parameters
    ----------
    s : hdp.hybrid.Setting
        Any setting, its numbers scalars or arrays that broadcast.  The noise is Gaussian: of the variances `s_t2`
        and `s_l2` if given, else the classic calibration for `s.epsilon` and `s.delta` (`delta` if that is 0).
    w : array_like
        Weight of the TCM group's mean, in [0, 1]; for a loss 0 or in [1e-18, 1].
    adversarial : array_like
        Fraction of the LM users whose noise the adversary knows, in [0, 1].  At 1 nobody of them is left to protect:
        `lm` is then what one loses whose own noise is known but whose value is not.

    Returns
    -------
    float or numpy.ndarray
        In units of the data.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or a classic value is not a guarantee: then use `exact`.
    TypeError
        If `s` is no `hdp.hybrid.Setting`.

    Examples
    --------
    >>> from hdp import amplification, hybrid
    >>> s = hybrid.Setting(n=4, c=0.5, m=1, epsilon=1, sigma_t=0.5, s_t2=1.0, s_l2=4.0)
    >>> amplification.joint_deviation(s, 0.0), amplification.joint_deviation(s, 1.0)
    (1.4142135623730951, 1.0)
    """
    _validate.instance("s", s, Setting)
    w = _validate.number("w", w, 0, 1)
    adversarial = _validate.number("adversarial", adversarial, 0, 1)
    honest = (1 - adversarial) * s.lm_users
    return _plain(np.sqrt(w**2 * s.noise_t + ((1 - w) / s.lm_users) ** 2 * honest * s.noise_l))


def _checked(s, w, delta):
    """The setting with Gaussian noise, the weight and delta."""
    _validate.instance("s", s, Setting)
    delta = check_delta(delta)
    if s.s_t2 is None and not s.delta:
        s = replace(s, delta=delta)
    w = _validate.number("w", w, 0, 1)
    if np.any((w > 0) & (w < _LEAST)):
        raise ValueError(f"w must be 0 or lie in [{_LEAST:g}, 1], got {float(w[w > 0].min())!r}")
    return s, w, delta
