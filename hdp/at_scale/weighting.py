"""What the level and the total say of every user: her weight, her loss; and of the answer: its noise, its error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp._types import Floats
from hdp.at_scale.grids import Rules


@dataclass(frozen=True)
class Weights:
    r"""The optimal weights of any number of users, :math:`w_i = \min(\epsilon_i, \tau)/S`.  `weigh` finds them.

    Parameters
    ----------
    level : float
        The level :math:`\tau`, in (0, inf]: the float nearest to the solution of
        :math:`\sum_i \epsilon_i(\tau - \epsilon_i)_+ = 8`.
    total : float
        The float nearest to :math:`S = \sum_i \min(\epsilon_i, \tau)` for the level as it was rounded; the number of
        public users where the level is inf and there are any.
    users : int
        How many users there are, at least 1.
    public : int
        How many of them have the budget inf.
    lacking : int
        How many had no budget.
    missing : float, optional
        The budget that counts for these.
    bits : int, optional
        To how many binary digits after the first budgets are rounded down; None: they are not.

    Examples
    --------
    >>> from hdp.at_scale import weigh
    >>> found = weigh([[1.0, 4.0], [float("inf")]])
    >>> found.level, found.total, found.of([1.0, 4.0, float("inf")])
    (5.0, 10.0, array([0.1, 0.4, 0.5]))
    """

    level: float
    total: float
    users: int
    public: int = 0
    lacking: int = 0
    missing: float | None = None
    bits: int | None = None

    def __post_init__(self):
        for name in ("level", "total"):
            _validate.field(self, name, _validate.scalar, 0, open_low=True)
        _validate.field(self, "users", _validate.whole, 1)
        for name in ("public", "lacking"):
            _validate.field(self, name, _validate.whole, 0, self.users)
        Rules(self.missing, self.bits)

    @property
    def free(self) -> bool:
        """Whether only public values are used, which need no noise."""
        return bool(np.isinf(self.level)) and self.public > 0

    @property
    def noise_scale(self) -> float:
        """Scale of the Laplace noise, one over the total, in units of the interval."""
        return 0.0 if self.free else 1 / self.total

    @property
    def mse(self) -> float:
        r"""Worst-case squared error of the weighted mean, :math:`\tau/(4S)`, and at most that of the answer 0, 1/4."""
        return min((1.0 if self.free else self.level) / self.total / 4, adpm.TRIVIAL_MSE)

    @property
    def answers_zero(self) -> bool:
        """Whether the answer is 0, because the weighted mean would err by more."""
        return (1.0 if self.free else self.level) / self.total > 4 * adpm.TRIVIAL_MSE

    def loss(self, epsilon: ArrayLike) -> Floats:
        """What each user of a part loses whose budgets are ``epsilon``, in nats, shape (n,)."""
        return np.minimum(self._read(epsilon), self.level)

    def of(self, epsilon: ArrayLike) -> Floats:
        """The weights of the users of a part whose budgets are ``epsilon``, shape (n,); 0 for one below 2.2e-308.

        Such a number lacks digits, and rounded up would cost her more than her budget.
        """
        epsilon = self._read(epsilon)
        with np.errstate(over="ignore", under="ignore"):
            w = (np.isinf(epsilon) if self.free else np.minimum(epsilon, self.level)) / self.total
        return np.where(w < _validate.TINY, 0.0, w)

    def _read(self, epsilon):
        epsilon, missing = Rules(self.missing, self.bits).read(epsilon)
        if missing and self.missing is None:
            raise ValueError(f"epsilon must not be missing, got {missing} missing budgets")
        return epsilon
