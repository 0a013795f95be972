"""The estimators of Avent, Dubey & Korolova as they are run: each local report is drawn with its own noise."""

from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, Rng, _plain
from hdp.hybrid.errors import homogeneous_weight, kvh_weight, naive_weight, pwh_weight
from hdp.hybrid.setting import Setting

_WEIGHTS = {
    "tcm": lambda s: 1.0,
    "lm": lambda s: 0.0,
    "kvh": kvh_weight,
    "pwh": pwh_weight,
    "naive": naive_weight,
    "homogeneous": homogeneous_weight,
}
NAMES = ("full-lm", *_WEIGHTS)


def estimate(name: str, x_t: ArrayLike, x_l: ArrayLike, s: Setting, rng: Rng) -> float | Floats:
    r"""Run one of the paper's estimators on each data set.

    The curator releases :math:`\tilde\mu_T = \bar x_T + Y_T`; user i of the LM group sends :math:`x_i + Y_{L,i}`, and
    :math:`\tilde\mu_L` is the mean of these reports; the answer is :math:`w\tilde\mu_T + (1-w)\tilde\mu_L`
    (Definitions 3.1, 3.10, 3.12).  With "full-lm" every user sends a report (Definition 3.3).

    Parameters
    ----------
    name : str
        "tcm" (w = 1), "lm" (w = 0), "kvh", "pwh", "naive" (w = c), "homogeneous" (the weight of a curator who
        believes that the groups are equal) or "full-lm".
    x_t : array_like, shape (..., c n)
        Data of the TCM group, in [0, m]; the last axis runs over users.
    x_l : array_like, shape (..., (1-c) n)
        Data of the LM group.
    s : Setting
        Of scalars, with whole group sizes.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One estimate for each data set, not clamped to [0, m].

    Raises
    ------
    ValueError
        If the name is unknown, a group size is not whole or the data do not fit the setting.
    TypeError
        If `s` is no `Setting`.

    Notes
    -----
    With the setting's own noise the answer is epsilon-private (or (epsilon, delta)-private) for every user: her value
    enters one release only, the TCM mean of sensitivity m/(c n) or her own report of sensitivity m.  A user of the LM
    group is protected from the curator too.  The budget is spent once, and the weight uses public numbers only.

    Examples
    --------
    >>> from hdp import hybrid
    >>> s = hybrid.Setting(n=4, c=0.5, m=1, epsilon=1e9, sigma_t=0.5)
    >>> round(hybrid.estimate("naive", [0, 1], [1, 1], s, rng=1), 6)
    0.75
    """
    _validate.instance("s", s, Setting)
    _validate.choice("name", name, NAMES)
    t, ell = _sizes(s)
    x_t, x_l = _validate.data(x_t, t, 0, s.m, "x_t"), _validate.data(x_l, ell, 0, s.m, "x_l")
    if x_t.shape[:-1] != x_l.shape[:-1]:
        raise ValueError(f"x_t and x_l must hold as many data sets, got the shapes {x_t.shape} and {x_l.shape}")
    rng = _validate.generator(rng)
    local = s.noise(s.noise_l)
    sent = (x_l + local.sample(rng, x_l.shape)).sum(axis=-1)
    if name == "full-lm":
        answer = (sent + (x_t + local.sample(rng, x_t.shape)).sum(axis=-1)) / (t + ell)
    else:
        curated = x_t.mean(axis=-1) + (s.noise(s.noise_t).sample(rng, x_t.shape[:-1]) if s.noise_t > 0 else 0.0)
        w = _WEIGHTS[name](s)
        answer = w * curated + (1 - w) * sent / ell
    return _plain(answer)


def deviation(name: str, x: ArrayLike, s: Setting, rng: Rng) -> float | Floats:
    r"""Estimate minus empirical mean, :math:`\tilde\mu - \hat\mu`, whose mean square is the paper's error.

    Parameters
    ----------
    name : str
        "tcm" (w = 1), "lm" (w = 0), "kvh", "pwh", "naive" (w = c), "homogeneous" (the weight of a curator who
        believes that the groups are equal) or "full-lm".
    x : array_like, shape (..., n)
        Data in [0, m]; the first c n columns are the TCM group.
    s : Setting
        Of scalars, with whole group sizes.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One deviation for each data set.

    Raises
    ------
    ValueError
        If the name is unknown, a group size is not whole or the data do not fit the setting.
    TypeError
        If `s` is no `Setting`.

    Examples
    --------
    >>> from hdp import hybrid
    >>> import numpy as np
    >>> s = hybrid.Setting(n=20, c=0.25, m=1, epsilon=2, sigma_t=0.5)
    >>> coins = np.random.default_rng(1).integers(0, 2, (4000, 20))
    >>> squares = hybrid.deviation("kvh", coins, s, rng=2) ** 2
    >>> bool(abs(squares.mean() - hybrid.mse_kvh(s)) < 4 * squares.std() / 4000**0.5)
    True
    """
    _validate.instance("s", s, Setting)
    t, ell = _sizes(s)
    x = _validate.data(x, t + ell, 0, s.m)
    return estimate(name, x[..., :t], x[..., t:], s, rng) - x.mean(axis=-1)


def _sizes(s):
    """Whole numbers of users in the two groups."""
    sizes = []
    for label, size, off in (("c n", s.tcm_users, _validate.ROUNDING * s.tcm_users), ("(1-c) n", s.lm_users, 1e-6)):
        size = _validate.scalar(label, size)
        if abs(size - round(size)) > off or round(size) < 1:  # the curator's noise is for a mean of c n, no fewer
            raise ValueError(f"{label} must be a whole number of users, at least 1, got {size!r}")
        sizes.append(round(size))
    return sizes
