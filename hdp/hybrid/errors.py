r"""Weights and exact errors of the hybrid estimators, from what each of them is: a sum of independent parts.

The error of :math:`a\,\bar x_T + (1-a)\,\bar x_L` plus noise, against :math:`b\,\bar x_T + (1-b)\,\bar x_L`, is
:math:`(a-b)^2` times :math:`\sigma_T^2/(cn) + \sigma_L^2/((1-c)n) + (\mu_L-\mu_T)^2`, plus the variance of the noise.
"""

from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.hybrid.setting import Setting


def mse_tcm(s: Setting) -> float | Floats:
    r"""Error of TCM-Only (Lemma 3.2).

    .. math:: \frac{(1-c)^2}{cn}\sigma_T^2+\frac{1-c}{n}\sigma_L^2+s_T^2+(\mu_T-\mu)^2

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean of all n users (Definition 2.2), in squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_tcm(s), hybrid.mse_full_lm(s), hybrid.mse_lm(s))]
    [0.001988, 0.002, 0.002109]
    """
    _validate.instance("s", s, Setting)
    return _plain((1 - s.c) ** 2 * _disagreement(s) + s.noise_t)


def mse_full_lm(s: Setting) -> float | Floats:
    r"""Error of Full-LM (Lemma 3.4), :math:`s_L^2/n`.

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean of all n users (Definition 2.2), in squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_tcm(s), hybrid.mse_full_lm(s), hybrid.mse_lm(s))]
    [0.001988, 0.002, 0.002109]
    """
    _validate.instance("s", s, Setting)
    return _plain(s.c**2 * s.noise_l / s.tcm_users + (1 - s.c) ** 2 * _lm_noise(s))


def mse_lm(s: Setting) -> float | Floats:
    r"""Error of LM-Only (Lemma 3.11), always above Full-LM's.

    .. math:: \frac{c^2}{(1-c)n}\sigma_L^2+\frac{c}{n}\sigma_T^2+\frac{s_L^2}{(1-c)n}+(\mu_L-\mu)^2

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean of all n users (Definition 2.2), in squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_tcm(s), hybrid.mse_full_lm(s), hybrid.mse_lm(s))]
    [0.001988, 0.002, 0.002109]
    """
    _validate.instance("s", s, Setting)
    return _plain(s.c**2 * _disagreement(s) + _lm_noise(s))


def mse_hybrid(s: Setting, w: ArrayLike) -> float | Floats:
    r"""Error of the hybrid estimator with weight w of the TCM group (Lemma 3.13).

    .. math:: \frac{(w-c)^2}{cn}\sigma_T^2+\frac{(w-c)^2}{(1-c)n}\sigma_L^2+w^2s_T^2+\frac{(1-w)^2}{(1-c)n}s_L^2
       +(w\mu_T+(1-w)\mu_L-\mu)^2

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.
    w : array_like
        Weight of the TCM group's mean, in [0, 1].

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean of all n users (Definition 2.2), in squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_kvh(s), hybrid.mse_pwh(s), hybrid.mse_hybrid(s, 0.5))]
    [0.000992, 0.001179, 0.000993]
    >>> round(hybrid.true_mean_mse(s, 0.75) - hybrid.mse_hybrid(s, 0.75), 12) == 0.25**2 / 1000
    True
    """
    _validate.instance("s", s, Setting)
    w = _validate.number("w", w, 0, 1)
    return _plain((w - s.c) ** 2 * _disagreement(s) + w**2 * s.noise_t + (1 - w) ** 2 * _lm_noise(s))


def true_mean_mse(s: Setting, w: ArrayLike) -> float | Floats:
    r"""Error of the hybrid estimator against the mean of the mixture, :math:`E[(\tilde\mu_H(w)-\mu)^2]`.

    .. math:: w^2\Big(\frac{\sigma_T^2}{cn}+s_T^2\Big)+(1-w)^2\frac{\sigma_L^2+s_L^2}{(1-c)n}+(w-c)^2(\mu_L-\mu_T)^2

    For groups of equal variance it exceeds `mse_hybrid` by :math:`\sigma^2/n` whatever the weight.

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.
    w : array_like
        Weight of the TCM group's mean, in [0, 1].

    Returns
    -------
    float or numpy.ndarray
        In squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(hybrid.true_mean_mse(s, 0.75) - hybrid.mse_hybrid(s, 0.75), 12) == 0.25**2 / 1000
    True
    """
    _validate.instance("s", s, Setting)
    return _plain(against_the_mean(s, _validate.number("w", w, 0, 1), s.variance_t, s.variance_l))


def against_the_mean(s, w, v_t, v_l):
    """The same for a weight that is known to be right, with these variances of the groups; none is Full-LM."""
    if w is None:
        return mse_full_lm(s) + (s.c * v_t + (1 - s.c) * (v_l + s.c * s.gap**2)) / s.n
    curated = v_t / s.tcm_users + s.noise_t
    local = v_l / s.lm_users + _lm_noise(s)
    return w**2 * curated + (1 - w) ** 2 * local + ((w - s.c) * s.gap) ** 2


def kvh_weight(s: Setting) -> float | Floats:
    r"""Weight that minimises the error (Definition 6.1; Definition 4.1 for equal groups).

    It needs the variances and the gap of the means, which must then be public.

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Weight of the TCM group's mean, in (0, 1].

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(hybrid.kvh_weight(s), 6), round(hybrid.pwh_weight(s), 6), hybrid.naive_weight(s)
    (0.514339, 0.724638, 0.05)
    >>> apart = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25, mu_l=0.5)
    >>> hybrid.homogeneous_weight(apart) == hybrid.kvh_weight(s) > hybrid.kvh_weight(apart)
    True
    """
    _validate.instance("s", s, Setting)
    sampling, local = _disagreement(s), _lm_noise(s)
    return _plain((s.c * sampling + local) / (sampling + s.noise_t + local))


def homogeneous_weight(s: Setting, variance: ArrayLike | None = None) -> float | Floats:
    r"""KVH weight of a curator who believes that the groups are equal (Definition 4.1, used in Figure 5).

    The means and the LM group's variance are not used.

    .. math:: \frac{c(\sigma^2+s_L^2)}{\sigma^2+c(n s_T^2(1-c)+s_L^2)}

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.
    variance : array_like, optional
        What she takes for :math:`\sigma^2`, in [0, 1e50]; the TCM group's variance unless given.

    Returns
    -------
    float or numpy.ndarray
        Weight of the TCM group's mean, in (0, 1].

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> apart = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25, mu_l=0.5)
    >>> hybrid.homogeneous_weight(apart) == hybrid.kvh_weight(s) > hybrid.kvh_weight(apart)
    True
    """
    _validate.instance("s", s, Setting)
    v = s.variance_t if variance is None else _validate.number("variance", variance, 0, _validate.LARGE)
    sampling, local = v / s.tcm_users + v / s.lm_users, _lm_noise(s)
    return _plain((s.c * sampling + local) / (sampling + s.noise_t + local))


def pwh_weight(s: Setting) -> float | Floats:
    r"""Weight that minimises the noise alone, :math:`s_L^2/(s_L^2+(1-c)n s_T^2)` (Definition 5.3).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Weight of the TCM group's mean, in (0, 1].

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(hybrid.kvh_weight(s), 6), round(hybrid.pwh_weight(s), 6), hybrid.naive_weight(s)
    (0.514339, 0.724638, 0.05)
    """
    _validate.instance("s", s, Setting)
    return _plain(_lm_noise(s) / (s.noise_t + _lm_noise(s)))


def naive_weight(s: Setting) -> float | Floats:
    """Weight c, which treats all users alike (section 5).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Weight of the TCM group's mean, in (0, 1].

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(hybrid.kvh_weight(s), 6), round(hybrid.pwh_weight(s), 6), hybrid.naive_weight(s)
    (0.514339, 0.724638, 0.05)
    """
    _validate.instance("s", s, Setting)
    return _plain(s.c)


def mse_kvh(s: Setting) -> float | Floats:
    """Error of KVH: `mse_hybrid` at `kvh_weight` (Lemma 4.2 for equal groups).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean; no weight gives less.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_kvh(s), hybrid.mse_pwh(s), hybrid.mse_hybrid(s, 0.5))]
    [0.000992, 0.001179, 0.000993]
    """
    return mse_hybrid(s, kvh_weight(s))


def mse_pwh(s: Setting) -> float | Floats:
    """Error of PWH: `mse_hybrid` at `pwh_weight` (Lemma 5.4 for equal groups).

    Parameters
    ----------
    s : Setting
        Any setting; arrays in it broadcast with the other arguments.

    Returns
    -------
    float or numpy.ndarray
        Mean squared error against the empirical mean of all n users (Definition 2.2), in squared units of the data.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> [round(mse, 6) for mse in (hybrid.mse_kvh(s), hybrid.mse_pwh(s), hybrid.mse_hybrid(s, 0.5))]
    [0.000992, 0.001179, 0.000993]
    """
    return mse_hybrid(s, pwh_weight(s))


def _disagreement(s):
    """Mean square of the difference of the groups' empirical means."""
    return s.variance_t / s.tcm_users + s.variance_l / s.lm_users + s.gap**2


def _lm_noise(s):
    """Variance of the mean of the local reports' noise."""
    return s.noise_l / s.lm_users
