"""One row of the ranking: what an estimator errs by, what it promises to whom, what it must know, how it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from hdp._types import Floats


@dataclass(frozen=True, eq=False)
class Candidate:
    """An estimator beside one population, as `ranking` returns it.

    Errors are of answers before clamping, which never raises them.  Some are less exact: that of SM is a bound where
    variances differ, those of the estimators that truncate leave out the bias that this may cause, that of Algorithm 2
    is what it would be if its first estimates were exactly what they aim at, and reports of one bit err as much as this
    says if the mean is 1/2, and else by less.

    Parameters
    ----------
    name : str
        What the book calls it.
    error : float
        Largest expected squared error over all distributions whose variances are at most those that `ranking` was
        given; inf where it does not apply.
    worst_case : float
        The same over all distributions on [0, 1], where the estimator was told the same; inf also where none of the
        book's results bounds it.
    users : int
        How many values it uses.
    guarantee : str
        What a user gives up at the most.
    needs : str
        What it must know beside the public numbers.
    estimate : callable or None
        ``estimate(x, rng)`` runs it on values of shape (..., n) in [0, 1], raises ValueError for others, and clamps the
        answer to [0, 1], which costs no privacy; ``estimate(x, rng, clamp=False)`` does not.
    obstacle : str
        Why it does not apply; empty where it does.

    Examples
    --------
    >>> from hdp.compare import ranking
    >>> from hdp.users import Users
    >>> best, *others = ranking(Users([1.0] * 50 + [float("inf")] * 50))
    >>> best.name, best.users, best.obstacle
    ('mixed', 100, '')
    >>> bool(abs(best.estimate([0.5] * 100, rng=1) - 0.5) < 0.2)
    True
    """

    name: str
    error: float
    worst_case: float
    users: int
    guarantee: str
    needs: str
    estimate: Callable[..., float | Floats] | None
    obstacle: str = ""

    @classmethod
    def refused(cls, name: str, obstacle: str) -> Self:
        """An estimator of this ``name`` that does not apply, and the ``obstacle``, the reason why."""
        return cls(name, np.inf, np.inf, 0, "none", "nothing", None, obstacle)
