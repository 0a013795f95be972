r"""Who knows no interval: a release of its own, a noisy histogram over powers of two, and the interval it tells of.

Neighbours differ in the value of one user; budgets, trust, records, the number of users and the plan are public.
OpenDP draws the noise and says what it costs; what we tell it is how far the counts move together when user i's value
changes: twice her share, or in Euclidean distance her share times the root of two.
"""

import math
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp.compare import Population
from hdp.release import ledgers
from hdp.release.answers import Bounds
from hdp.release.buckets import BoundsPlan, shortest
from hdp.release.charging import charged
from hdp.release.measuring import checked, fault, opendp


def bounds_measurement(plan: BoundsPlan, population: Population) -> Any:
    """The counts as a measurement of OpenDP: values of all users in, one noisy count for each bucket out.

    Parameters
    ----------
    plan : BoundsPlan
        The plan.
    population : Population
        Its users.

    Returns
    -------
    opendp.Measurement
        Call it with values of shape (n,), as `release_bounds` takes them; its ``map(i)`` is what user i loses at the
        most, i from 0, in nats; with Gaussian noise it is rho.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the population is not the plan's.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import bounds_measurement, plan_bounds
    >>> bounds_measurement(plan_bounds([0.5, 1.0] * 9000, 0.1), Population([0.5, 1.0]))
    Traceback (most recent call last):
    ValueError: population must be the one of the plan, ...
    """
    kind = _validate.instance("plan", plan, BoundsPlan).kind_of(population)
    counted, share, dp = plan.kinds.counted[kind], plan.kinds.share[kind], opendp()
    laplace = plan.noise == "laplace"
    counts = dp.t.make_user_transformation(
        dp.user_domain(f"values of the users of bounds {plan.digest}", lambda x: fault(x, counted) is None),
        dp.user_distance("i: two populations that differ in nothing but the value of user i"),
        dp.vector_domain(dp.atom_domain(T="i64"), plan.edges.size - 1),
        dp.l1_distance(T="i64") if laplace else dp.l2_distance(T="f64"),
        lambda x: histogram(plan, share, checked(x, counted)),
        lambda i: 2 * int(share[i]) if laplace else _euclidean(int(share[i])),
    )
    then = dp.m.then_laplace if laplace else dp.m.then_gaussian
    return counts >> then(scale=float(plan.scale))


def release_bounds(
    plan: BoundsPlan,
    population: Population,
    values: ArrayLike,
    ledger: str | PathLike[str] | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Bounds:
    """Release the interval that holds all but a part of the weight, after it has been entered in the ledger.

    Parameters
    ----------
    plan : BoundsPlan
        The plan.
    population : Population
        Its users.
    values : array_like, shape (n,)
        Value of every user who trusts the curator, or is public.  Whatever stands there for a local user, or for one
        without a share, is not read, and may be NaN.
    ledger : str or pathlib.Path, optional
        The file that counts all releases of values of these users, as for `release`.  Without it nobody counts.
    names : sequence of str, shape (n,), optional
        What the users are called in messages; their numbers, from 0, unless given.

    Returns
    -------
    Bounds
        Its interval is None where the counts tell of none; what it cost is spent all the same.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the population is not the plan's, if a value that is used is not finite, or if the ledger has no budget left;
        nothing is published then.

    Notes
    -----
    The counts, and the interval that follows from them, are private together: both may be published.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan_bounds, release_bounds
    >>> people = Population([1.0] * 20_000)
    >>> made = plan_bounds(people, 0.1)
    >>> release_bounds(made, people, [1000.0] * 19_999)  # of 20,000 it gives the interval from 512 to 1024
    Traceback (most recent call last):
    ValueError: values must be finite where the plan uses them, of shape (20000,), got shape (19999,)
    """
    x, measure = ready(plan, population, values, names)
    entry = nullcontext((None, None))
    if ledger is not None:
        entry = charged([plan], ledgers.file_of(ledger), population, names)
    with entry as (_, keep):
        counts = measure(x)
        lower, upper = shortest(plan, counts) or (None, None)
        sampler = f"OpenDP {version('opendp')}"
        made = Bounds(plan.digest, lower, upper, plan.outside, 1 - plan.beta, counts, sampler)
        if keep:
            with suppress(OSError):  # it is drawn and paid for: who called has it, if not the ledger
                keep([made])
    return made


def ready(plan, population, values, names=None):
    """Values and measurement, or whatever error there is before anything is charged."""
    kind = _validate.instance("plan", plan, BoundsPlan).kind_of(population)
    if names is not None and len(names) != kind.size:
        raise ValueError(f"names must be one for each of {kind.size} users, got {len(names)}")
    return checked(values, plan.kinds.counted[kind], names), bounds_measurement(plan, population)


def histogram(plan, share, x):
    """For each bucket the sum of the shares of those whose value is in it: a list of K integers.

    A float is a fraction in [1/2, 1) times a power of two, which says where it belongs, with no rounding at all.
    """
    power = np.frexp(x)[1] - plan.lowest  # of 2, where the bucket ends
    most = plan.highest - plan.lowest
    away = np.where(x == 0, 0, np.clip(power, 0, most + 1))
    place = most + 1 + np.where(x < 0, -away, away)
    counts = np.zeros(2 * most + 3, dtype=np.int64)  # with both places beyond the last ends, which are not released
    np.add.at(counts, place, share)
    return counts[1:-1].tolist()


def _euclidean(share):
    """The share times the root of two, which the nearest float is above; and the product is rounded up."""
    return math.nextafter(math.sqrt(2) * share, math.inf) if share else 0.0
