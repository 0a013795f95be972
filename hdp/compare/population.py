"""Who the users are, as far as it is public."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats

TRUST = ("curator", "local")
LEAST = 1e-100  # budget that is not 0: the variance of the noise for a smaller budget overflows
BUDGET = f"must be 0 or lie in [{LEAST:g}, inf]"


@dataclass(frozen=True, eq=False)
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
    trust: NDArray[np.str_] = "curator"  # type: ignore[assignment]
    records: Floats = 1.0  # type: ignore[assignment]

    if TYPE_CHECKING:  # what may be given; above is what it becomes

        def __init__(self, epsilon: ArrayLike, trust: ArrayLike = "curator", records: ArrayLike = 1.0) -> None: ...

    def __post_init__(self):
        epsilon = _validate.budgets(self.epsilon)
        tiny = epsilon[(epsilon > 0) & (epsilon < LEAST)]
        if tiny.size:
            raise ValueError(f"epsilon {BUDGET}, got {float(tiny[0])!r}")
        _validate.refuse_masked("trust", self.trust)
        try:
            trust = np.array(self.trust, dtype=str)
        except ValueError:
            raise ValueError(f"trust must be one of {', '.join(TRUST)} for each user, got lists of lists") from None
        unknown = trust[(trust != TRUST[0]) & (trust != TRUST[1])]
        if unknown.size:
            raise ValueError(f"trust must be one of {', '.join(TRUST)}, got {str(unknown[0])!r}")
        records = _validate.number("records", self.records, 1, _validate.EXACT)
        broken = records[records != np.floor(records)]
        if broken.size:
            raise ValueError(f"records must be whole numbers in [1, 2^53), got {float(broken.flat[0])!r}")
        for name, array in (("epsilon", epsilon), ("trust", trust), ("records", records)):
            if array.shape not in ((), epsilon.shape):
                raise ValueError(f"{name} must have shape {epsilon.shape}, as epsilon has, got {array.shape}")
            object.__setattr__(self, name, np.broadcast_to(array, epsilon.shape))

    @property
    def size(self) -> int:
        """Number n of users."""
        return self.epsilon.size

    @property
    def local(self) -> NDArray[np.bool_]:
        """Who hands over a report of her own only: boolean, shape (n,).  A public value takes no trust."""
        return (self.trust == "local") & np.isfinite(self.epsilon)

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
