"""Users who are alike: the same budget, trust and number of records give the same share, so a plan lists them once."""

import hashlib
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.release.bits import MOST
from hdp.users import Users

NARROWEST = 2.0**-31  # interval of a kind, in units of the plan's: what is left of the least radius, and more
COLUMNS = {"local": bool, "bit": bool, "users": np.int64, "share": np.int64}
WHO = ("epsilon", "local", "records", "users")


@dataclass(frozen=True, eq=False)
class Kinds:
    r"""One row for all users who are alike, ascending by budget, trust and number of records.

    Parameters
    ----------
    epsilon, local, records : numpy.ndarray, shape (m,)
        Budget of each of these users, whether they hand over reports only, and the number of records of each.
    users : numpy.ndarray of int, shape (m,)
        How many they are.
    share : numpy.ndarray of int, shape (m,)
        The largest integer that stands for one of their values, at least 0: their loss is at most the share over the
        scale of the noise.
    weight : numpy.ndarray, shape (m,)
        Weight of one report in the answer; 0 where no report is sent.
    bit : numpy.ndarray of bool, shape (m,)
        Whether the report is one bit.
    low, high : numpy.ndarray, shape (m,)
        Ends of the interval to which a value is taken, in [0, 1], the whole interval of the plan.

    Examples
    --------
    >>> from hdp.release import plan
    >>> plan([0.5, 0.5, 1.0, 1.0, 1.0], bits=10).kinds.users.tolist()
    [2, 3]
    """

    epsilon: Floats
    local: NDArray[np.bool_]
    records: Floats
    users: NDArray[np.int64]
    share: NDArray[np.int64]
    weight: Floats
    bit: NDArray[np.bool_]
    low: Floats
    high: Floats

    def __post_init__(self):
        for field in fields(self):
            try:  # a copy: nobody who holds the caller's array changes what was checked
                column = np.array(getattr(self, field.name), dtype=COLUMNS.get(field.name, float))
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"{field.name} must be an array of numbers of its kind") from None
            column.flags.writeable = False
            object.__setattr__(self, field.name, column)
        m = self.epsilon.size
        for field in fields(self):
            if getattr(self, field.name).shape != (m,):
                raise ValueError(f"{field.name} must have shape ({m},), got {getattr(self, field.name).shape}")
        users = Users(self.epsilon, np.where(self.local, "local", "curator"), self.records)
        self._refuse_unless((self.users >= 1) & (self.share >= 0), "users must be positive, and share not negative")
        within = (self.low >= 0) & (self.high - self.low >= NARROWEST) & (self.high <= 1)
        self._refuse_unless(within, "low and high must be ends of an interval in [0, 1]")
        if not np.array_equal(sort(users)[0], np.arange(m)):
            raise ValueError("kinds must ascend by budget, trust and records, and each stand once")
        sends = self.local & ((self.share > 0) | self.bit)
        fits = np.where(sends, (self.weight >= 0) & (self.weight <= 1), self.weight == 0)
        fits &= (self.local | ~self.bit) & ~(self.bit & (self.share > 0))
        self._refuse_unless(fits, "weight must be that of a report")
        if self.total(self.share) > MOST:
            raise ValueError(f"share must sum to at most 2^62 over all users, got more for {self.n} users")

    def _refuse_unless(self, right, why):
        if not right.all():
            raise ValueError(f"{why}, got another one in row {int(np.flatnonzero(~right)[0])}")

    def total(self, shares: NDArray[np.int64]) -> int:
        """Sum over all users of ``shares``, one for each kind."""
        return sum(map(int.__mul__, self.users.tolist(), shares.tolist()))

    @property
    def n(self) -> int:
        """Number of users."""
        return int(self.users.sum())

    @property
    def units(self) -> Floats:
        """What one of the integers is worth in each kind's weight: shares over widths, 0 where none is counted."""
        return np.where(self.counted, self.share / (self.high - self.low), 0.0)

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which kinds hand values to the curator that are used: boolean, shape (m,)."""
        return ~self.local & (self.share > 0)


def users_of(given):
    """Users as they are, or those of budgets, who trust the curator."""
    if isinstance(given, Users):
        return given
    try:
        return Users(_validate.budgets(given))
    except ValueError as wrong:
        raise ValueError(f"users must be Users or budgets: {wrong}") from None


def column_of(users, value):
    """The column of values that a plan is for: the one that is named, or that the users have."""
    if value is None and len(users.values) > 1:
        raise ValueError(f"value must be one of the columns of values, {', '.join(users.values)}, got none")
    return next(iter(users.values), "value") if value is None else value


def sort(users):
    """First user of each kind, the kind of each user, and how many users each kind has."""
    keys = users.epsilon, users.local, users.records
    order = np.lexsort(keys[::-1])
    new = np.ones(order.size, dtype=bool)
    new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in keys], axis=0)
    kind = np.empty(order.size, dtype=np.intp)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind, np.diff(np.append(np.flatnonzero(new), order.size))


def fingerprint(kinds):
    """SHA-256 of how many users there are of each kind, in ascending order: the same for users in another order."""
    digest = hashlib.sha256(b"hdp-budgets/2")
    for name, dtype in zip(WHO, ("<f8", "u1", "<f8", "<i8"), strict=True):
        digest.update(np.ascontiguousarray(getattr(kinds, name), dtype=dtype))
    return digest.hexdigest()


def part_of(epsilon, share):
    """That share of each budget, in (0, 1], rounded down, also from the decimal number that the float was typed as.

    The product is rounded by half a unit of its last digit, and so was the share: two units less are below both, and
    shares that sum to one as they are written never pass a budget together.
    """
    if share == 1:
        return epsilon
    return np.where(np.isinf(epsilon), epsilon, np.nextafter(np.nextafter(epsilon * share, 0), 0))
