"""Which estimator of the hybrid model is better: improvements over the baselines, and where they cross."""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.hybrid.errors import mse_full_lm, mse_tcm
from hdp.hybrid.setting import Setting


def relative_improvement(s: Setting, mse: ArrayLike) -> float | Floats:
    r"""Improvement :math:`R = \min\{\mathcal E_T, \mathcal E_F\}/\mathcal E` over the better baseline (Definition 3.5).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.
    mse : array_like
        Error :math:`\mathcal E` of an estimator in this setting, in [1e-150, 1e150].

    Returns
    -------
    float or numpy.ndarray
        Above 1 where the estimator beats both TCM-Only and Full-LM.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(hybrid.relative_improvement(s, hybrid.mse_kvh(s)), 6)
    2.00374
    """
    return _ratio(np.minimum(mse_tcm(s), mse_full_lm(s)), mse)


def improvement_over_worst(s: Setting, mse: ArrayLike) -> float | Floats:
    r"""Improvement :math:`r = \max\{\mathcal E_T, \mathcal E_F\}/\mathcal E` over the worse baseline (Definition 5.1).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.
    mse : array_like
        Error :math:`\mathcal E` of an estimator in this setting, in [1e-150, 1e150].

    Returns
    -------
    float or numpy.ndarray
        Above 1 where the estimator beats TCM-Only or Full-LM.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> hybrid.improvement_over_worst(s, hybrid.mse_full_lm(s))
    1.0
    """
    return _ratio(np.maximum(mse_tcm(s), mse_full_lm(s)), mse)


def c_crit(s: Setting) -> float | Floats:
    r"""Fraction below which TCM-Only is worse than Full-LM for every n (Lemma 3.6), for given noise variances.

    The root in [0, 1] of :math:`c\,s_L^2 = (1-c)\,[(1-c)\sigma_T^2 + c\,\sigma_L^2]`; neither
    the means nor n, c and :math:`s_T^2` matter.

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        In [0, 1]; 1 only by rounding.

    Examples
    --------
    >>> from hdp import hybrid
    >>> half = hybrid.Setting(n=100, c=0.5, m=1, epsilon=1, sigma_t=0.5)
    >>> hybrid.c_crit(half)
    0.1111111111111111
    """
    _validate.instance("s", s, Setting)
    v_t, v_l, noise = (np.asarray(v, dtype=float) for v in (s.variance_t, s.variance_l, s.noise_l))
    root = np.sqrt((v_l - noise) ** 2 + 4 * noise * v_t)
    linear = 2 * v_t - v_l + noise
    with np.errstate(divide="ignore", invalid="ignore"):  # of the two forms of the root, the one without cancellation
        crossing = np.where(linear >= 0, 2 * v_t / (linear + root), (linear - root) / (2 * (v_t - v_l)))
    return _plain(np.where((linear >= 0) & (linear + root == 0), 0.0, crossing))


def n_crit(s: Setting) -> float | Floats:
    r"""Number of users up to which TCM-Only is at least as good as Full-LM, for given noise variances (Lemma 3.6).

    .. math:: n_{crit} = \frac{c\,s_L^2-(1-c)\,[(1-c)\sigma_T^2+c\,\sigma_L^2]}{c\,[(\mu_T-\mu)^2+s_T^2]}

    The paper prints the opposite sign of :math:`(1-c)^2\sigma_T^2`.  With the setting's own noise :math:`s_T^2` is
    that of its n, and :math:`\mathcal E_T \le \mathcal E_F` is still the same as `s.n <= n_crit(s)`; the n where that
    turns over is `laplace_n_crit`.

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Positive if and only if c > `c_crit`, else TCM-Only is worse for every n; inf (or -inf, or nan if both errors
        are equal for every n) if the curator adds no noise and the means agree.

    Examples
    --------
    >>> from hdp import hybrid
    >>> half = hybrid.Setting(n=100, c=0.5, m=1, epsilon=1, sigma_t=0.5)
    >>> half.n <= hybrid.n_crit(half), hybrid.mse_tcm(half) <= hybrid.mse_full_lm(half)
    (True, True)
    """
    _validate.instance("s", s, Setting)
    c = s.c
    surplus = c * s.noise_l - (1 - c) * ((1 - c) * s.variance_t + c * s.variance_l)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _plain(surplus / np.asarray(c * (((1 - c) * s.gap) ** 2 + s.noise_t)))


def laplace_n_crit(s: Setting) -> float | Floats:
    r"""Number of users from which TCM-Only is at least as good as Full-LM, at fixed c (Lemma 3.8).

    :math:`n_{crit} = 2m^2/(c\,(2cm^2-(1-c)\epsilon^2\sigma^2))` for Laplace noise and equal groups; here also for
    Gaussian noise and unequal variances, where :math:`s_L^2/(c\,[c\,s_L^2 - (1-c)\,((1-c)\sigma_T^2+c\sigma_L^2)])`.

    Parameters
    ----------
    s : Setting
        With its own noise (s_t2 and s_l2 not given) and equal means; its n is not used.

    Returns
    -------
    float or numpy.ndarray
        Above 1/c^2, and equal to it if nobody's values vary; inf where c <= `c_crit`, because TCM-Only is then worse
        for every n.

    Examples
    --------
    >>> from hdp import hybrid
    >>> round(hybrid.laplace_n_crit(hybrid.Setting(n=1000, c=0.05, m=1, epsilon=0.1, sigma_t=84**-0.5)), 2)
    400.45
    """
    _validate.instance("s", s, Setting)
    if s.s_t2 is not None or np.any(s.gap):
        raise ValueError(f"s must have its own noise and equal means, got s_t2 = {s.s_t2!r} and a gap of {s.gap!r}")
    surplus = np.asarray(s.c * s.noise_l - (1 - s.c) * s.effective_variance)
    with np.errstate(divide="ignore"):
        return _plain(np.where(surplus > 0, s.noise_l / (s.c * np.maximum(surplus, 0)), np.inf))


def best_improvement(epsilon: ArrayLike, tcm_users: ArrayLike = np.inf) -> float | Floats:
    r"""Largest :math:`R(\mathcal E_{KVH})` with Laplace noise and equal groups, over c, m and sigma (Corollary 4.4).

    .. math:: \frac{4+y-2u}{2+uy}, \qquad y = \frac{\epsilon^2}{4},\ u = \frac{1}{cn}

    Parameters
    ----------
    epsilon : array_like
        Privacy budget, in [0, 1e50].
    tcm_users : array_like
        Number c n of users in the TCM group, in [1, inf].

    Returns
    -------
    float or numpy.ndarray
        Reached at :math:`\sigma = m/2` and :math:`c = (y+2u)/(y+2)` for every finite number of TCM users above 1 (with
        one, R is never above 1); for inf the supremum :math:`2+\epsilon^2/8`, which is not reached.

    Examples
    --------
    >>> from hdp import hybrid
    >>> hybrid.best_improvement(1), hybrid.best_improvement(1, tcm_users=1)
    (2.125, 1.0)
    """
    y = _validate.number("epsilon", epsilon, 0, _validate.LARGE) ** 2 / 4
    u = 1 / _validate.number("tcm_users", tcm_users, 1)
    _validate.same_shapes(epsilon=y, tcm_users=u)
    return _plain((4 + y - 2 * u) / (2 + u * y))


def _ratio(baseline, mse):
    return _plain(baseline / _validate.number("mse", mse, 1e-150, 1e150))
