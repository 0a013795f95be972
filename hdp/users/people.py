"""Who the users are: what is public of them, and, where a release needs it, their values, of which nothing is shown."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats

TRUST = ("curator", "local")
LEAST = 1e-100  # budget that is not 0: the variance of the noise for a smaller budget overflows
BUDGET = f"must be 0 or lie in [{LEAST:g}, inf]"


@dataclass(frozen=True, eq=False, init=False)
class Users:
    r"""The n users of a table, or of arrays.  Neighbours differ in the value of one user, that is in all her records.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Privacy budgets, 0 or in [1e-100, inf], not all 0: 0 is an unusable value, inf a public one.
    trust : array_like of str, shape (n,), or str
        "curator": she hands her value to the curator; "local": she hands over a private report only.
    records : array_like, shape (n,), or scalar
        Whole numbers of records, in [1, 2^53), of which each user's value is the mean; 1 unless given.
    values : array_like, shape (n,), or mapping of str to array_like, optional
        Values in their unit, one column or several by their names (of one alone it is "value").  What a release does
        not use may be anything: it is not even converted.
    reports : sequence of str or None, shape (n,), optional
        What each local user handed over, as `hdp.release.report` gave it; of several, with spaces between them.
    names : sequence of str, shape (n,), optional
        What the users are called, in messages and by a ledger; their numbers, from 0, unless given.
    reading : mapping, optional
        How their table was read, which `read_users` keeps here for a plan.

    Examples
    --------
    >>> import hdp
    >>> people = hdp.Users([0.1, 0.5, float("inf")], ["local", "curator", "curator"], values=[7, 8, 9])
    >>> people.size, people.local.tolist(), people.records.tolist()
    (3, [True, False, False], [1.0, 1.0, 1.0])
    >>> people
    Users(epsilon=array([0.1, 0.5, inf]), told_local=array([ True, False, False]), records=array([1., 1., 1.]))
    """

    epsilon: Floats
    told_local: NDArray[np.bool_]  # by the column trust, of whose words millions take much memory
    records: Floats
    values: Mapping[str, Any] = field(repr=False)
    reports: Sequence[str | None] | None = field(repr=False)
    names: Sequence[str] | None = field(repr=False)
    reading: Mapping[str, Any] | None = field(repr=False)  # how their table was read

    def __init__(
        self,
        epsilon: ArrayLike,
        trust: ArrayLike = "curator",
        records: ArrayLike = 1.0,
        *,
        values: Any = None,
        reports: Sequence[str | None] | None = None,
        names: Sequence[str] | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
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
        self._keep(values=values, reports=reports, names=names, reading=reading)

    def _keep(self, **told):
        values = told["values"]
        told["values"] = dict(values) if isinstance(values, Mapping) else {} if values is None else {"value": values}
        columns = {f"values of {name}": column for name, column in told["values"].items()}
        for name, column in (columns | {"reports": told["reports"], "names": told["names"]}).items():
            if column is not None and _shape(column) != (self.size,):
                raise ValueError(f"{name} must be one for each of {self.size} users, got shape {_shape(column)}")
        for name, column in told.items():
            object.__setattr__(self, name, column)

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

    def having(self, values: Any = None, *, reports: Any = None, names: Any = None) -> Self:
        """The same users with other ``values``, ``reports`` or ``names``, where they are given."""
        found, told = copy(self), {"values": values, "reports": reports, "names": names}
        found._keep(
            reading=self.reading, **{name: getattr(self, name) if new is None else new for name, new in told.items()}
        )
        return found

    def where(self, mask: ArrayLike) -> "Users":
        """What is public of the users whom a boolean mask of shape (n,) selects."""
        mask = _validate.flags("mask", mask)
        if mask.shape != self.epsilon.shape or not (mask & (self.epsilon > 0)).any():
            raise ValueError(f"mask must select usable ones of {self.size} users, got {_validate.show(mask)}")
        return Users(self.epsilon[mask], self.trust[mask], self.records[mask])


def _shape(column):
    """Of something that may be no sequence."""
    if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
        return ()
    return column.shape if hasattr(column, "shape") else (len(column),)


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
