"""What each user allowed, what a release spends of it at the most, and what she keeps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.compare import Population
from hdp.release.buckets import BoundsPlan
from hdp.release.plans import Plan

PLANS = (Plan, BoundsPlan)  # what a ledger counts
_MOST_OF_A_BIT = np.nextafter(53 * np.log(2), np.inf)  # no lie is drawn more rarely than 2^-53


@dataclass(frozen=True, eq=False)
class Receipts:
    """One receipt a row, of one user or of all users who are alike.

    Parameters
    ----------
    plan : str
        SHA-256 of the plan.
    allowed : numpy.ndarray, shape (m,)
        Budgets, in nats or rho.
    spent : numpy.ndarray, shape (m,)
        Upper bounds on the loss, in nats, or rho if the noise is Gaussian; with Laplace noise exact below 2^53/c.  A
        report of one bit lies a little more often than it must, and costs a little less.
    kept : numpy.ndarray, shape (m,)
        The difference, rounded down; 0 where a public value is released as it is.
    users : numpy.ndarray of int, shape (m,)
        How many users each row is for.

    Examples
    --------
    >>> from hdp.release import plan, receipts
    >>> found = receipts(plan([0.5, 1.0, float("inf")] * 100, bits=10))
    >>> found.allowed.tolist(), found.spent.tolist(), found.users.tolist()
    ([0.5, 1.0, inf], [0.5, 0.6591796875, 0.6591796875], [100, 100, 100])
    >>> found[1]["kept"]
    0.3408203125
    """

    plan: str
    allowed: Floats
    spent: Floats
    kept: Floats
    users: NDArray[np.int64]

    def __len__(self) -> int:
        return self.allowed.size

    def __getitem__(self, row: int) -> dict[str, str | float | int]:
        """The receipt in this row, in plain numbers."""
        columns = {name: getattr(self, name)[row].item() for name in ("allowed", "spent", "kept", "users")}
        return {"plan": self.plan, **columns}


def receipts(plan: Plan | BoundsPlan, population: Population | None = None) -> Receipts:
    r"""What a release by this plan takes from everybody.

    Parameters
    ----------
    plan : Plan or BoundsPlan
        The plan.
    population : Population, optional
        With it there is one row for each user, in its order; else one for each kind of user, in that of the plan.

    Returns
    -------
    Receipts
        For a user whose value the curator counts, `spent` is :math:`\text{share}/c`, and so it is for a report with
        noise; for a report of one bit it is her budget, up to :math:`53\log 2`.  With Gaussian noise it is
        :math:`(\text{share}/c)^2/2`, and no nats but :math:`\rho`.

    Raises
    ------
    ValueError
        If the population is not the plan's.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, receipts
    >>> people = Population([1.0, 0.5] * 100)
    >>> receipts(plan(people), people)[1]["spent"]
    0.5
    """
    kinds = _validate.instance("plan", plan, PLANS).kinds
    spent = spent_by(plan)
    kept = less(kinds.epsilon, spent)
    if population is None:
        return Receipts(plan.digest, kinds.epsilon, spent, kept, kinds.users)
    kind = plan.kind_of(population)
    return Receipts(plan.digest, kinds.epsilon[kind], spent[kind], kept[kind], np.ones(kind.size, dtype=np.int64))


def less(allowed, spent):
    """The difference, rounded down, by the error that a floating-point difference is known to have; inf - inf is 0."""
    with np.errstate(invalid="ignore"):
        left = allowed - spent
        back = left - allowed
        missing = (allowed - (left - back)) - (spent + back)
    left = np.where(missing < 0, np.nextafter(left, 0), left)
    return np.where(np.isinf(spent), 0.0, left)


def spent_by(plan):
    """Upper bound on the loss of a user of each kind, never above her budget."""
    if isinstance(plan, BoundsPlan):
        return plan.spent
    kinds = plan.kinds
    rounded = kinds.share.astype(float)
    low = np.array([int(a) < b for a, b in zip(rounded.tolist(), kinds.share.tolist(), strict=True)], dtype=bool)
    spent = np.ldexp(np.where(low, np.nextafter(rounded, np.inf), rounded), -plan.bits)
    if plan.noise == "gaussian":
        spent = np.where(spent > 0, np.nextafter(np.square(spent) / 2, np.inf), 0.0)
    spent[kinds.bit] = np.minimum(plan.part[kinds.bit], _MOST_OF_A_BIT)
    if plan.noiseless:
        spent[kinds.counted] = np.inf
    return spent
