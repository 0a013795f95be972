"""Who the users are, as far as it is public."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats

TRUST = ("curator", "local")
LEAST = 1e-100  # budget that is not 0: the variance of the noise for a smaller budget overflows
BUDGET = f"must be 0 or lie in [{LEAST:g}, inf]"


@dataclass(frozen=True, eq=False, init=False)
class Population:
    r"""What is public about n users: everything but their values.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Privacy budgets, 0 or in [1e-100, inf], not all 0: 0 is an unusable value, inf a public one.
    trust : array_like of str, shape (n,), or str
        "curator": she hands her value to the curator; "local": she hands over a private report only.
    records : array_like, shape (n,), or scalar
        Whole numbers of records, in [1, 2^53), of which each user's value is the mean; 1 unless given.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Notes
    -----
    Neighbours differ in the value of one user, that is in all her records; not in her budget, trust or number of
    records, which are public, as is n.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> people = Population([0.1, 0.5, float("inf")], ["local", "curator", "curator"])
    >>> people.size, people.local.tolist(), people.records.tolist()
    (3, [True, False, False], [1.0, 1.0, 1.0])
    """

    epsilon: Floats
    told_local: NDArray[np.bool_]  # by the column trust, of whose words millions take much memory
    records: Floats

    def __init__(self, epsilon: ArrayLike, trust: ArrayLike = "curator", records: ArrayLike = 1.0) -> None:
        budgets = _validate.budgets(epsilon)
        tiny = budgets[(budgets > 0) & (budgets < LEAST)]
        if tiny.size:
            raise ValueError(f"epsilon {BUDGET}, got {float(tiny[0])!r}")
        told_local = _told_local(trust)
        numbers = _validate.number("records", records, 1, _validate.EXACT)
        broken = numbers[numbers != np.floor(numbers)]
        if broken.size:
            raise ValueError(f"records must be whole numbers in [1, 2^53), got {float(broken.flat[0])!r}")
        for name, array in (("epsilon", budgets), ("trust", told_local), ("records", numbers)):
            if array.shape not in ((), budgets.shape):
                raise ValueError(f"{name} must have shape {budgets.shape}, as epsilon has, got {array.shape}")
            attribute = "told_local" if name == "trust" else name
            object.__setattr__(self, attribute, np.broadcast_to(array, budgets.shape))

    @property
    def trust(self) -> NDArray[np.str_]:
        """In whom each user trusts, "curator" or "local": array of str, shape (n,)."""
        words = np.array(TRUST)[self.told_local.astype(np.int8)]
        words.flags.writeable = False  # writing to it would change nothing
        return words

    @property
    def size(self) -> int:
        """Number n of users."""
        return self.epsilon.size

    @property
    def local(self) -> NDArray[np.bool_]:
        """Who hands over a report of her own only: boolean, shape (n,).  A public value takes no trust."""
        return self.told_local & np.isfinite(self.epsilon)

    @property
    def trusting(self) -> NDArray[np.bool_]:
        """Who hands a usable value to the curator: boolean, shape (n,); whoever has a public value is among them."""
        return ~self.local & (self.epsilon > 0)

    def where(self, mask: ArrayLike) -> "Population":
        """Return the users whom a boolean mask of shape (n,) selects, as a population."""
        mask = _validate.flags("mask", mask)
        if mask.shape != self.epsilon.shape or not (mask & (self.epsilon > 0)).any():
            raise ValueError(f"mask must select usable ones of {self.size} users, got {_validate.show(mask)}")
        return Population(self.epsilon[mask], self.trust[mask], self.records[mask])


def _told_local(trust):
    """Whose word is "local", of all users or of each; another word than the two is refused."""
    _validate.refuse_masked("trust", trust)
    try:
        words = np.asarray(trust, dtype=str)
    except ValueError:
        raise ValueError(f"trust must be one of {', '.join(TRUST)} for each user, got lists of lists") from None
    local = words == TRUST[1]
    unknown = words[~local & (words != TRUST[0])]
    if unknown.size:
        raise ValueError(f"trust must be one of {', '.join(TRUST)}, got {str(unknown[0])!r}")
    return local
