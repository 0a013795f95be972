"""Budgets as groups: each once, with the number of its users."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.at_scale.grids import round_down
from hdp.at_scale.sums import EMPTY, Tally, units


@dataclass(frozen=True, eq=False)
class Groups:
    """How many users have each budget.  `Groups.of` counts them.

    Parameters
    ----------
    epsilon : numpy.ndarray, shape (m,)
        Budgets in [0, inf], ascending, each once.
    users : numpy.ndarray of int, shape (m,)
        How many users have each, at least 1, at most 2^53 altogether.

    Raises
    ------
    ValueError
        If budgets do not ascend, a group is empty, or the columns differ in length.

    Examples
    --------
    >>> from hdp.at_scale import Groups, weigh
    >>> menu = Groups([0.1, 1.0, float("inf")], [6_000_000, 3_900_000, 100_000])
    >>> weigh(menu).users, weigh(menu).loss([0.1, 1.0]).round(4)
    (10000000, array([0.1, 0.1]))
    """

    epsilon: Floats
    users: NDArray[np.int64]

    def __post_init__(self):
        object.__setattr__(self, "epsilon", _validate.budgets(self.epsilon))
        users = _validate.vector("users", self.users, 1, _validate.EXACT)
        _validate.alike(epsilon=self.epsilon, users=users)
        if np.any(users != np.floor(users)) or users.sum() > _validate.EXACT:
            raise ValueError(
                f"users must be whole numbers of less than 2^53 together, got {_validate.show(self.users)}"
            )
        if np.any(self.epsilon[1:] <= self.epsilon[:-1]):
            raise ValueError(f"epsilon must ascend, each budget once, got {_validate.show(self.epsilon)}")
        object.__setattr__(self, "users", users.astype(np.int64))

    @classmethod
    def of(cls, epsilon: ArrayLike) -> Self:
        """Count users with each of the budgets ``epsilon``, an array of shape (n,)."""
        return cls(*np.unique(_validate.budgets(epsilon), return_counts=True))

    def rounded(self, bits: int | None) -> Self:
        """The groups that are left when all budgets are rounded down to so many ``bits``, as `round_down` does."""
        if bits is None:
            return self
        epsilon, places = np.unique(round_down(self.epsilon, bits), return_inverse=True)
        users = np.zeros(epsilon.size, np.int64)
        np.add.at(users, places, self.users)
        return type(self)(epsilon, users)

    def _tally(self):
        """What `hdp.at_scale.sums.tally` counts, in a single bin."""
        public, usable = (int(self.users[which].sum()) for which in (np.isinf(self.epsilon), self._finite))
        return Tally(int(self.users.sum()), public, 0, EMPTY.keys, np.array([[usable] + [0] * 9]))

    def _bins(self):
        """Of each budget that is positive and finite, as a bin of its own, what `Tally.bins` says."""
        for budget, users in zip(self.epsilon[self._finite].tolist(), self.users[self._finite].tolist(), strict=True):
            unit = units(budget)
            yield unit, unit + 1, users, users * unit, users * unit**2

    @property
    def _finite(self):
        return (self.epsilon > 0) & np.isfinite(self.epsilon)
