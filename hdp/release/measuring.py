r"""The release itself: integers in, one integer of noise from OpenDP, an answer and what is published beside it.

OpenDP (`opendp.org`) draws the noise exactly and says what it costs, rounded up; what we tell it is how far the sum of
integers moves when user i's value changes: by her share.  That one statement OpenDP cannot check, so it calls our
transformation *honest-but-curious*; page :doc:`/book/use/real-release` proves it.
"""

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from os import PathLike
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate
from hdp.compare import Population
from hdp.release import arithmetic
from hdp.release.plans import Plan, ends
from hdp.release.receipts import charge


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
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))


def measurement(plan: Plan, population: Population) -> Any:
    """The curator's part as a measurement of OpenDP: values of all users in, the noisy sum of their integers out.

    Parameters
    ----------
    plan : Plan
        The plan.
    population : Population
        Its users.

    Returns
    -------
    opendp.Measurement
        Call it with values of shape (n,); its ``map(i)`` is what user i loses at the most, i from 0, in nats; with
        Gaussian noise it is rho.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the population is not the plan's.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import measurement, plan
    >>> measurement(plan([0.5, 1.0] * 100), Population([0.5, 1.0]))
    Traceback (most recent call last):
    ValueError: population must be the one of the plan, ...
    """
    kind = _validate.instance("plan", plan, Plan).kind_of(population)
    counted = np.where(plan.kinds.counted, plan.kinds.share, 0)[kind]
    interval, dp = ends(plan, kind), opendp()

    def total(x):
        return int(integers(x, counted, *interval).sum())

    sums = dp.t.make_user_transformation(
        dp.user_domain(f"values of the users of plan {plan.digest}", lambda x: fits(x, counted > 0)),
        dp.user_distance("i: two populations that differ in nothing but the value of user i"),
        dp.atom_domain(T="i64"),
        dp.absolute_distance(T="i64"),
        total,
        lambda i: int(counted[i]),
    )
    then = dp.m.then_laplace if plan.noise == "laplace" else dp.m.then_gaussian
    return sums >> then(scale=float(plan.scale))


def release(
    plan: Plan, population: Population, values: ArrayLike, ledger: str | PathLike[str] | None = None
) -> Release:
    """Make one release, after it has been entered in the ledger.

    Parameters
    ----------
    plan : Plan
        The plan.
    population : Population
        Its users.
    values : array_like, shape (n,)
        Value of every user who trusts the curator, or is public; of a local user her `report`.  What the plan does not
        use is not read, and may be NaN.
    ledger : str or pathlib.Path, optional
        File that counts the releases of values of these users: see `charge`.  Without it nobody counts.

    Returns
    -------
    Release
        The answer, and what belongs to it.

    Raises
    ------
    ImportError
        Without OpenDP, unless the answer is constant.
    ValueError
        If the population is not the plan's, if a value that is used is not finite, or if the ledger has no budget
        left; nothing is published then.

    Notes
    -----
    That a value is refused says something about it: whoever holds the values may see the message, nobody else.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, release
    >>> people = Population([0.1, 0.1])
    >>> release(plan(people), people, [0.2, 0.9]).answer  # too few users with such budgets
    0.5
    """
    x = _validate.with_gaps("values", values)
    kind = _validate.instance("plan", plan, Plan).kind_of(population)
    used = (plan.kinds.counted | (plan.kinds.weight > 0))[kind]
    if not fits(x, used):
        wanted, got = f"finite where the plan uses them, of shape ({used.size},)", f"shape {x.shape}"
        if x.shape == used.shape:  # says which, but no value
            got = f"another one of user {np.flatnonzero(~np.isfinite(x) & used)[0]}"
        raise ValueError(f"values must be {wanted}, got {got}")
    measure = measurement(plan, population) if plan.kinds.counted.any() else None
    if ledger is not None:
        charge(plan, ledger)
    noisy = int(measure(x)) if measure else 0
    found = _answer(plan, noisy, np.bincount(kind[used], x[used], plan.kinds.users.size))
    clamped = min(max(found, plan.lower), plan.upper)
    return Release(plan.digest, clamped, found, noisy, f"OpenDP {version('opendp')}" if measure else "none")


def integers(x, share, lower, upper):
    """The integer, between 0 and her share, that stands for each value; whatever floats do, it is no other."""
    unit = np.clip((x - lower) / (upper - lower), 0, 1, where=share > 0, out=np.zeros(x.size))
    return np.clip(np.rint(unit * share).astype(np.int64), 0, share)


def fits(x, used):
    """Whether there is one value for each user, and a finite one where it is used."""
    return isinstance(x, np.ndarray) and x.shape == used.shape and bool(np.isfinite(x[used]).all())


def _answer(plan, noisy, sums):
    """The curator's mean and the sums of reports, weighed."""
    if plan.constant:
        return (plan.lower + plan.upper) / 2
    own, kinds, mean = plan.curator_weight, plan.kinds, 0.0
    if own:
        total = arithmetic.total(kinds.users, kinds.units)
        first = arithmetic.total(kinds.users, kinds.units * kinds.low)
        mean = plan.lower + (plan.upper - plan.lower) * ((first + noisy) / total)
    return float(own * mean + plan.kinds.weight @ sums)


def opendp() -> ModuleType:
    """OpenDP with the features that a transformation of our own needs."""
    with _extras.needed("hdp.release", "opendp", "opendp"):
        import opendp.prelude as dp
    dp.enable_features("contrib", "honest-but-curious")
    return dp
