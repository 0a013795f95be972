"""The estimators of Avent, Dubey & Korolova as they are run: each local report is drawn with its own noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, gaussian
from hdp._types import Floats, Rng, _plain
from hdp.estimator import variance_vector
from hdp.hybrid.errors import against_the_mean, homogeneous_weight, kvh_weight, naive_weight, pwh_weight
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
    made = estimator(name, s)
    x_t, x_l = _validate.data(x_t, made.trusting, 0, s.m, "x_t"), _validate.data(x_l, made.local, 0, s.m, "x_l")
    if x_t.shape[:-1] != x_l.shape[:-1]:
        raise ValueError(f"x_t and x_l must hold as many data sets, got the shapes {x_t.shape} and {x_l.shape}")
    return made.draw(x_t, x_l, _validate.generator(rng))


def estimator(name: str, s: Setting) -> "Hybrid":
    """Make one of the paper's estimators, an `hdp.estimator.Estimator` of values in [0, m], the TCM group's first.

    Parameters
    ----------
    name : str
        "tcm" (w = 1), "lm" (w = 0), "kvh", "pwh", "naive" (w = c), "homogeneous" (the weight of a curator who
        believes that the groups are equal) or "full-lm".
    s : Setting
        Of scalars, with whole group sizes.

    Returns
    -------
    Estimator
        Its `error(variance)` is against the mean of the mixture, by default with the variances of the setting, and
        with its means; `estimate(x, rng)` takes data of shape (..., n).

    Raises
    ------
    ValueError
        If the name is unknown or a group size is not whole.
    TypeError
        If `s` is no `Setting`.

    Examples
    --------
    >>> from hdp import hybrid
    >>> made = hybrid.estimator("tcm", hybrid.Setting(n=4, c=0.5, m=1, epsilon=1.0, sigma_t=0.5))
    >>> round(made.mse(), 12), made.loss.round(12), made.users
    (0.625, array([1., 1., 0., 0.]), 2)
    """
    _validate.instance("s", s, Setting)
    _validate.choice("name", name, NAMES)
    trusting, local = _sizes(s)
    w = None if name == "full-lm" else _WEIGHTS[name](s)
    if isinstance(w, np.ndarray) or np.ndim(s.noise_l):
        raise ValueError("s must be a setting of scalars, got one with arrays")
    return Hybrid(s, trusting, local, w)


@dataclass(frozen=True)
class Hybrid:
    """One of the paper's estimators in one setting."""

    setting: Setting
    trusting: int  # users in the TCM group
    local: int
    weight: float | None  # of the TCM group; none where everybody sends a report

    @property
    def users(self) -> int:
        """How many users the answer depends on."""
        return self.trusting * (self.weight != 0) + self.local * (self.weight != 1)

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Expected squared error against the mean of the mixture if no value varies more than this, in (0, m^2/4]."""
        s = self.setting
        if variance is None:
            return float(against_the_mean(s, self.weight, s.variance_t, s.variance_l))
        v = variance_vector(variance, self.trusting + self.local, s.m)
        # inside a group all count alike; a setting holds deviations, whose squares these are to be, rounded as there
        within = (float(np.sqrt(part.mean())) ** 2 for part in (v[: self.trusting], v[self.trusting :]))
        return float(against_the_mean(s, self.weight, *within))

    @property
    def loss(self) -> Floats:
        """Loss of every user, shape (n,): that of a local user also towards the curator; for delta > 0 beside delta."""
        s, full = self.setting, self.weight is None
        curated = self._loss(s.noise_t, s.m / self.trusting) if not full and self.weight else 0.0
        report = self._loss(s.noise_l, s.m) if self.weight != 1 else 0.0
        return np.repeat([report if full else curated, report], [self.trusting, self.local])

    def _loss(self, variance, sensitivity):
        if variance == 0:
            return np.inf
        noise, delta = self.setting.noise(variance), self.setting.delta
        return gaussian.exact_epsilon(noise.scale, sensitivity, delta) if delta else sensitivity / noise.scale

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set, shape (..., n), in [0, m], the TCM group's first."""
        x = _validate.data(x, self.trusting + self.local, 0, self.setting.m)
        return self.draw(x[..., : self.trusting], x[..., self.trusting :], _validate.generator(rng))

    def draw(self, x_t, x_l, rng):
        """The same for the two groups, whose data are known to be right."""
        s = self.setting
        local = s.noise(s.noise_l)
        sent = (x_l + local.sample(rng, x_l.shape)).sum(axis=-1)
        if self.weight is None:
            return _plain((sent + (x_t + local.sample(rng, x_t.shape)).sum(axis=-1)) / (self.trusting + self.local))
        curated = x_t.mean(axis=-1) + (s.noise(s.noise_t).sample(rng, x_t.shape[:-1]) if s.noise_t > 0 else 0.0)
        w = self.weight
        return _plain(w * curated + (1 - w) * sent / self.local)


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
    made = estimator(name, s)
    x = _validate.data(x, made.trusting + made.local, 0, s.m)
    return made.estimate(x, rng) - x.mean(axis=-1)


def _sizes(s):
    """Whole numbers of users in the two groups."""
    sizes = []
    for label, size, off in (("c n", s.tcm_users, _validate.ROUNDING * s.tcm_users), ("(1-c) n", s.lm_users, 1e-6)):
        size = _validate.scalar(label, size)
        if abs(size - round(size)) > off or round(size) < 1:  # the curator's noise is for a mean of c n, no fewer
            raise ValueError(f"{label} must be a whole number of users, at least 1, got {size!r}")
        sizes.append(round(size))
    return sizes
