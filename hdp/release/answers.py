"""What is published, and how it follows from the noisy sum and the reports: nothing here knows a value."""

import json
import math
from dataclasses import asdict, dataclass

from hdp.release import arithmetic


@dataclass(frozen=True)
class Release:
    """What is published: `release` makes it.

    Parameters
    ----------
    plan : str
        SHA-256 of the plan.
    answer : float
        The estimate, taken to the interval of the plan, which costs no privacy.
    unclamped : float
        The same before: unbiased, but for the rounding that the plan bounds.
    noisy_sum : int
        The sum of integers with its noise, from which the answer follows; 0 where nobody's value is counted.
    sampler : str
        What drew the noise.

    Examples
    --------
    >>> from hdp.release import Release
    >>> Release("00", 0.5, 0.5, 12, "OpenDP 0.16.0").to_json()
    '{"answer":0.5,"noisy_sum":12,"plan":"00","sampler":"OpenDP 0.16.0","unclamped":0.5}'
    """

    plan: str
    answer: float
    unclamped: float
    noisy_sum: int
    sampler: str

    def to_json(self) -> str:
        """All of it as canonical text."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Bounds:
    """An interval for values of which nobody knew one: a release by a `BoundsPlan` makes it.

    Parameters
    ----------
    plan : str
        SHA-256 of the plan of these bounds.
    lower, upper : float or None
        Ends of the interval, powers of two with either sign; None where the counts do not tell of any.
    outside : float
        Part of the weight, by shares, that it leaves out at the most.
    probability : float
        With at least this probability, of the noise, no interval is given that leaves out more.
    counts : tuple of int
        The noisy counts, from which the interval follows.
    sampler : str
        What drew the noise.

    Examples
    --------
    >>> from hdp.release import Bounds
    >>> Bounds("00", -2.0, 8.0, 0.05, 0.95, [7, -1], "OpenDP 0.16.0").counts
    (7, -1)
    """

    plan: str
    lower: float | None
    upper: float | None
    outside: float
    probability: float
    counts: tuple[int, ...]
    sampler: str

    def __post_init__(self):
        object.__setattr__(self, "counts", tuple(self.counts))

    def to_json(self) -> str:
        """All of it as canonical text."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), allow_nan=False)


_NUMBERS, _ENDS = {float, int}, {float, int, type(None)}
_TYPES = {"plan": {str}, "sampler": {str}, "noisy_sum": {int}, "counts": {list}, "lower": _ENDS, "upper": _ENDS}


def kept(entry):
    """What `to_json` of either wrote, read from a ledger; TypeError if it is neither."""
    made = (Bounds if "counts" in entry else Release)(**entry)
    right = all(type(told) in _TYPES.get(name, _NUMBERS) for name, told in entry.items())
    numbers = [told for told in entry.values() if type(told) is float]
    if not (right and all(map(math.isfinite, numbers)) and set(map(type, entry.get("counts", ()))) <= {int}):
        raise TypeError("entry must be one of Release or Bounds")
    return made


def answered(plan, noisy, sums, sampler):
    """The release that follows from the curator's noisy sum and, for each kind, the sum of what its reports stand for.

    Both are private already: the first by its noise, the second because every report is, so all that comes of them is.
    """
    found = (plan.lower + plan.upper) / 2 if plan.constant else _mean(plan, noisy, sums)
    return Release(plan.digest, min(max(found, plan.lower), plan.upper), found, noisy, sampler)


def _mean(plan, noisy, sums):
    """The curator's mean and the reports, weighed."""
    own, kinds, mean = plan.curator_weight, plan.kinds, 0.0
    if own:
        total = arithmetic.total(kinds.users, kinds.units)
        first = arithmetic.total(kinds.users, kinds.units * kinds.low)
        mean = plan.lower + (plan.upper - plan.lower) * ((first + noisy) / total)
    return math.fsum([own * mean, *(weight * part for weight, part in zip(kinds.weight.tolist(), sums, strict=True))])
