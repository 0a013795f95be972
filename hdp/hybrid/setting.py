r"""The setting of Avent, Dubey & Korolova: two groups of users, one budget, and the noise each trust model needs."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, gaussian
from hdp._types import Floats, _plain
from hdp.noise import Gaussian, Laplace

MOST = 1e30  # of what has a unit, so that fourth powers are floats
_SLACK = 1e-9  # c n is rounded: 49 * (1 / 49) < 1


@dataclass(frozen=True, eq=False)
class Setting:
    r"""Two groups with values in [0, m]: c n users trust the curator (TCM), the other (1-c) n nobody (LM).

    All have the same budget.  Numeric fields may be arrays that broadcast, and then so are the results.

    Parameters
    ----------
    n : array_like
        Number of users, in [2, 1e60].  It and c n need not be whole but for a simulation.
    c : array_like
        Fraction of users in the TCM group, in (0, 1), with c n >= 1.
    m : array_like
        Width of the interval that holds the data, in [1e-30, 1e30], in units of the data.
    epsilon : array_like
        Privacy budget of every user, in [1e-30, 1e30].
    sigma_t, sigma_l : array_like
        Standard deviations of the groups, in [0, m/2] (Popoviciu); ``sigma_l`` is that of the TCM group unless given.
    mu_t, mu_l : array_like
        Means of the groups, in [0, m]; ``mu_l`` is that of the TCM group unless given.  Only their difference matters,
        and it is at most :math:`\sqrt{m^2/4-\sigma_T^2}+\sqrt{m^2/4-\sigma_L^2}` for any data in [0, m].
    s_t2, s_l2 : array_like, optional
        Variances :math:`s_T^2 \ge 0` of the curator's noise and :math:`s_L^2 > 0` of a local report, both or none.
        Their guarantee is then the caller's business.
    delta : float
        0 for Laplace noise; in (0, 1) for Gaussian noise of scale
        :math:`\sqrt{2\log(1.25/\delta)}\,\Delta/\epsilon` (section 2.1), for scalar epsilon.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the Gaussian noise is not :math:`(\epsilon, \delta)`-private.

    Notes
    -----
    Neighbours differ in the value of one user, not in her group.  Public: n, c, m, epsilon, delta, who is in which
    group, and whatever else of the setting a weight is computed from (KVH: variances and the gap of the means).
    Sensitivities: m/(c n) of the TCM group's mean, m of one local report.

    Examples
    --------
    >>> from hdp.hybrid import Setting
    >>> s = Setting(n=1000, c=0.05, m=1, epsilon=1, sigma_t=0.25)
    >>> round(s.noise_t, 6), s.noise_l
    (0.0008, 2.0)
    """

    n: float | Floats
    c: float | Floats
    m: float | Floats
    epsilon: float | Floats
    sigma_t: float | Floats
    sigma_l: float | Floats | None = None
    mu_t: float | Floats = 0.0
    mu_l: float | Floats | None = None
    s_t2: float | Floats | None = None
    s_l2: float | Floats | None = None
    delta: float = 0.0

    if TYPE_CHECKING:  # what may be given; above is what it becomes

        def __init__(
            self, n: ArrayLike, c: ArrayLike, m: ArrayLike, epsilon: ArrayLike, sigma_t: ArrayLike,
            sigma_l: ArrayLike | None = None, mu_t: ArrayLike = 0.0, mu_l: ArrayLike | None = None,
            s_t2: ArrayLike | None = None, s_l2: ArrayLike | None = None, delta: float = 0.0,
        ) -> None: ...  # fmt: skip

    def __post_init__(self):
        for name, low, high, ends in (
            ("n", 2, MOST**2, {}),
            ("c", 0, 1, {"open_low": True, "open_high": True}),
            ("m", 1 / MOST, MOST, {}),
            ("epsilon", 1 / MOST, MOST, {}),
            ("sigma_t", 0, MOST, {}),
            ("sigma_l", 0, MOST, {}),
            ("mu_t", 0, MOST, {}),
            ("mu_l", 0, MOST, {}),
            ("s_t2", 0, MOST**2, {}),
            ("s_l2", MOST**-2, MOST**2, {}),
            ("delta", 0, 1, {"open_high": True}),
        ):
            if getattr(self, name) is not None or name not in ("sigma_l", "mu_l", "s_t2", "s_l2"):
                checked = _validate.number(name, getattr(self, name), low, high, **ends)
                object.__setattr__(self, name, _plain(checked))
        given = {f.name: np.asarray(getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) is not None}
        _validate.same_shapes(**given)
        _refuse_unless(self.tcm_users >= 1 - _SLACK, "c n", self.tcm_users, "at least 1: the TCM group needs a user")
        self._check_distributions()
        if (self.s_t2 is None) != (self.s_l2 is None):
            raise ValueError(f"s_t2 and s_l2 must be given together, got {self.s_t2!r} and {self.s_l2!r}")
        if np.any(self.delta) and self.s_t2 is None:
            epsilon, delta = (_validate.scalar(name, getattr(self, name)) for name in ("epsilon", "delta"))
            gaussian.refuse_if_not_private(self._scale, 1.0, epsilon, delta)

    def _check_distributions(self):
        half = np.asarray(self.m) / 2
        room = 0.0
        for group in ("t", "l"):
            deviation, mean = getattr(self, f"sigma_{group}"), getattr(self, f"mu_{group}")
            if deviation is not None:
                _refuse_unless(deviation <= half * (1 + _SLACK), f"sigma_{group}", deviation, "at most m/2")
            if mean is not None:
                _refuse_unless(mean <= self.m, f"mu_{group}", mean, "in [0, m]")
        for variance in (self.variance_t, self.variance_l):
            room = room + np.sqrt(np.maximum(half**2 - variance, 0))
        allowed = "at most sqrt(m^2/4 - sigma_t^2) + sqrt(m^2/4 - sigma_l^2) in size"
        _refuse_unless(np.abs(self.gap) <= room + _SLACK * half, "mu_l - mu_t", self.gap, allowed)

    def __eq__(self, other):
        """Whether all fields are equal, arrays entry by entry."""
        if not isinstance(other, Setting):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self):
        """Of settings of scalars."""
        return hash(tuple(getattr(self, f.name) for f in fields(self)))

    @property
    def _scale(self):
        """Scale of the noise for each unit of sensitivity."""
        return (gaussian.factor(self.delta) if np.any(self.delta) else 1.0) / self.epsilon

    @property
    def _unit_variance(self):
        return (1.0 if np.any(self.delta) else 2.0) * self._scale**2

    @property
    def tcm_users(self) -> float | Floats:
        """Number c n of users in the TCM group."""
        return self.c * self.n

    @property
    def lm_users(self) -> float | Floats:
        """Number (1-c) n of users in the LM group."""
        return (1 - self.c) * self.n

    @property
    def noise_t(self) -> float | Floats:
        r"""Variance :math:`s_T^2` of the curator's noise: :math:`2m^2/(cn\epsilon)^2` for Laplace noise."""
        return (self.m / self.tcm_users) ** 2 * self._unit_variance if self.s_t2 is None else self.s_t2

    @property
    def noise_l(self) -> float | Floats:
        r"""Variance :math:`s_L^2` of the noise in one local report: :math:`2m^2/\epsilon^2` for Laplace noise."""
        return self.m**2 * self._unit_variance if self.s_l2 is None else self.s_l2

    @property
    def variance_t(self) -> float | Floats:
        r"""Variance :math:`\sigma_T^2` of the TCM group's data."""
        return self.sigma_t**2

    @property
    def variance_l(self) -> float | Floats:
        r"""Variance :math:`\sigma_L^2` of the LM group's data."""
        return (self.sigma_t if self.sigma_l is None else self.sigma_l) ** 2

    @property
    def gap(self) -> float | Floats:
        r"""Difference :math:`\mu_L - \mu_T` of the groups' means."""
        return 0.0 * self.mu_t if self.mu_l is None else self.mu_l - self.mu_t

    @property
    def mean(self) -> float | Floats:
        r"""Mean :math:`\mu = c\mu_T + (1-c)\mu_L` of the mixture."""
        return self.mu_t + (1 - self.c) * self.gap

    @property
    def mixture_variance(self) -> float | Floats:
        r"""Variance :math:`c\sigma_T^2 + (1-c)\sigma_L^2 + c(1-c)(\mu_L-\mu_T)^2` of the mixture.

        Section 2.2 forgets to subtract :math:`\mu^2`.
        """
        return self.c * self.variance_t + (1 - self.c) * (self.variance_l + self.c * self.gap**2)

    @property
    def effective_variance(self) -> float | Floats:
        r"""One variance :math:`(1-c)\sigma_T^2 + c\sigma_L^2 + c(1-c)n(\mu_L-\mu_T)^2` for two diverging groups.

        Every error against the empirical mean is that of two equal groups with this variance, which may exceed m^2/4.
        """
        return (1 - self.c) * (self.variance_t + self.c * self.n * self.gap**2) + self.c * self.variance_l

    def noise(self, variance: float | Floats) -> Gaussian | Laplace:
        """The distribution of a noise of this variance, as an object of `hdp.noise`."""
        variance = _validate.scalar("variance", variance, 0, _validate.LARGE**2)
        if np.any(self.delta) and variance == 0:
            raise ValueError("variance must lie in (0, 1e100] for Gaussian noise, got 0.0")
        return Gaussian(np.sqrt(variance)) if np.any(self.delta) else Laplace(np.sqrt(variance / 2))


def _refuse_unless(holds, name, value, allowed):
    if not np.all(holds):
        bad = np.broadcast_to(value, np.shape(holds))[~np.asarray(holds)].flat[0]
        raise ValueError(f"{name} must be {allowed}, got {float(bad)!r}")
