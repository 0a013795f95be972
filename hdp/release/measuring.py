r"""The release itself: integers in, one integer of noise from OpenDP, an answer and what is published beside it.

OpenDP (`opendp.org`) draws the noise exactly and says what it costs, rounded up; what we tell it is how far the sum of
integers moves when user i's value changes: by her share.  That one statement OpenDP cannot check, so it calls our
transformation *honest-but-curious*; page :doc:`/book/use/real-release` proves it.
"""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from importlib.metadata import version
from os import PathLike
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate
from hdp.compare import Population
from hdp.release import ledgers
from hdp.release import reports as _reports
from hdp.release.answers import Release, answered
from hdp.release.charging import charged
from hdp.release.plans import Plan, ends

_BLOCK = 2**14  # users at a time, so that what is computed of them takes no memory to speak of


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
        Call it with values of shape (n,), as `release` takes them; its ``map(i)`` is what user i loses at the most, i
        from 0, in nats; with Gaussian noise it is rho.

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
    total, counted, dp = summed(plan, kind), plan.kinds.counted[kind], opendp()
    moved = np.where(plan.kinds.counted, plan.kinds.share, 0)
    sums = dp.t.make_user_transformation(
        dp.user_domain(f"values of the users of plan {plan.digest}", lambda x: fault(x, counted) is None),
        dp.user_distance("i: two populations that differ in nothing but the value of user i"),
        dp.atom_domain(T="i64"),
        dp.absolute_distance(T="i64"),
        total,
        lambda i: int(moved[kind[i]]),
    )
    then = dp.m.then_laplace if plan.noise == "laplace" else dp.m.then_gaussian
    return sums >> then(scale=float(plan.scale))


def release(
    plan: Plan,
    population: Population,
    values: ArrayLike,
    ledger: str | PathLike[str] | None = None,
    *,
    reports: Sequence[str | None] | None = None,
    names: Sequence[str] | None = None,
) -> Release:
    """Make one release, after it has been entered in the ledger, and keep it there.

    Parameters
    ----------
    plan : Plan
        The plan.
    population : Population
        Its users.
    values : array_like, shape (n,)
        Value of every user who trusts the curator, or is public.  What the plan does not use, and whatever stands
        there for a local user, is not read, and may be NaN.
    ledger : str or pathlib.Path, optional
        File that counts the releases of values of these users, which `new_ledger` has made, and keeps the answers: see
        `charge` and `published`.  From the first release on it is for these users only, each with her budget, trust
        and records, known by their names or, without, by their order.  Without it nobody counts.
    reports : sequence of str or None, shape (n,), optional
        What each local user handed over, as `report` gave it, and None, or an empty text, for all others.  It must be
        there if the plan gives reports a weight.
    names : sequence of str, shape (n,), optional
        What the users are called, in messages their numbers, from 0, unless given; case, outer spaces and invisible
        characters do not count.

    Returns
    -------
    Release
        The answer, and what belongs to it.

    Raises
    ------
    ImportError
        Without OpenDP, unless nobody's value is counted.
    ValueError
        If the population is not the plan's, if a value that is used is not finite, if a report is missing or none that
        this plan can bring about, or if the ledger is for others or has no budget left; nothing is published then.

    Notes
    -----
    That a value is refused says something about it: whoever holds the values may see the message, nobody else.  What it
    was no message says.  An answer that the ledger cannot keep, on a disk that has filled meanwhile, is returned all
    the same, and `published` then has None in its place.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, release
    >>> people = Population([0.1, 0.1])
    >>> release(plan(people), people, [0.2, 0.9]).answer  # too few users with such budgets
    0.5
    """
    told = None if reports is None else [reports]
    return release_together([plan], population, [values], ledger, reports=told, names=names)[0]


def release_together(
    plans: Sequence[Plan],
    population: Population,
    values: Sequence[ArrayLike],
    ledger: str | PathLike[str] | None = None,
    *,
    reports: Sequence[Sequence[str | None] | None] | None = None,
    names: Sequence[str] | None = None,
) -> list[Release]:
    """Make a release of each of several columns of values, or of none of them.

    Everything that can be refused is checked, and then all of them are entered in the ledger, before any noise is
    drawn; so either every plan is within what everybody has left together with the others, or nobody is charged.

    Parameters
    ----------
    plans : sequence of Plan
        A plan for each column, with its own interval; for the same users and with the same noise.
    population : Population
        Their users.
    values : sequence of array_like, each of shape (n,)
        The columns, each as `release` takes it.
    ledger : str or pathlib.Path, optional
        As for `release`.
    reports : sequence, optional
        For each column the reports of local users, as `release` takes them, or None.
    names : sequence of str, shape (n,), optional
        As for `release`.

    Returns
    -------
    list of Release
        One for each column.

    Raises
    ------
    ImportError
        Without OpenDP, unless nobody's value is counted.
    ValueError
        If there are not as many columns as plans, or where `release` would refuse one of them; nothing is published or
        entered then.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, release_together
    >>> people = Population([0.1, 0.1])
    >>> salary, age = plan(people, spend=0.75, upper=90000.0), plan(people, spend=0.25, lower=16.0, upper=100.0)
    >>> [made.answer for made in release_together([salary, age], people, [[2e4, 3e4], [33, 44]])]  # too few users
    [45000.0, 58.0]
    """
    plans, values = _listed("plans", plans), _listed("values", values)
    told = [None] * len(plans) if reports is None else _listed("reports", reports)
    if not len(plans) == len(values) == len(told) > 0:
        raise ValueError(f"values and reports must be one each for {len(plans)} plans, at least 1, got another number")
    asked = [ready(one, population, x, handed, names) for one, x, handed in zip(plans, values, told, strict=True)]
    entry = nullcontext((None, None))
    if ledger is not None:
        entry = charged(plans, ledgers.file_of(ledger), population, names)
    with entry as (_, keep):
        made = [_drawn(plan, *one) for plan, one in zip(plans, asked, strict=True)]
        if keep:
            with suppress(OSError):  # it is drawn and paid for: who called has it, if not the ledger
                keep(made)
    return made


def _listed(name, columns):
    """What there is for each column, or an error that shows nothing of it."""
    if isinstance(columns, str | bytes) or not hasattr(columns, "__len__"):
        raise TypeError(f"{name} must be a sequence, with one for each column, got an object of another type")
    return list(columns)


def _drawn(plan, x, sums, measure):
    """The release of a column that is ready."""
    noisy = int(measure(x)) if measure else 0
    return answered(plan, noisy, sums, f"OpenDP {version('opendp')}" if measure else "none")


def ready(plan, population, values, reports=None, names=None):
    """Values, sums of reports and measurement of a release, or whatever error there is before anything is charged."""
    kind = _validate.instance("plan", plan, Plan).kind_of(population)
    if names is not None and len(names) != kind.size:
        raise ValueError(f"names must be one for each of {kind.size} users, got {len(names)}")
    x, sums = checked(values, plan.kinds.counted[kind], names), _reports.sums(plan, kind, reports, names)
    return x, sums, measurement(plan, population) if plan.kinds.counted.any() else None


def summed(plan, kind):
    """The sum of integers as a function of values, for users of these kinds: one of them moves it by her share."""
    counted, share = plan.kinds.counted[kind], np.where(plan.kinds.counted, plan.kinds.share, 0)
    lower, upper = ends(plan, slice(None))

    def total(values):
        x, found = checked(values, counted), 0
        for first in range(0, kind.size, _BLOCK):
            part = slice(first, first + _BLOCK)
            found += int(integers(x[part], *(column[kind[part]] for column in (share, lower, upper))).sum())
        return found

    return total


def checked(values, used, names=None):
    """Values as floats, of which nothing but those that are used is read, or ValueError, which names no value."""
    found = fault(values, used, names)
    if found:
        raise ValueError(f"values must be finite where the plan uses them, of shape ({used.size},), got {found}")
    return _floats(values, used)


def fault(values, used, names=None):
    """What is wrong with them, in words, or None."""
    shape = getattr(values, "shape", None) or (len(values) if hasattr(values, "__len__") else 0,)
    if isinstance(values, str | bytes) or shape != used.shape:
        return f"shape {tuple(shape)}"
    x = _floats(values, used)
    if x is None:
        return "what are no numbers"
    wrong = np.flatnonzero(~np.isfinite(x))
    return f"another one, or none, of user {who(wrong[0], names)}" if wrong.size else None


def _floats(values, used):
    """Values as floats where they are used, and 0 elsewhere, where they are not even converted."""
    picked = (
        values[used] if isinstance(values, np.ndarray) else [x for x, read in zip(values, used, strict=True) if read]
    )
    found = np.zeros(used.shape)
    try:
        with np.errstate(all="ignore"):
            found[used] = _validate.with_gaps("values", picked, secret=True)
    except (ValueError, TypeError):
        return None
    return found


def integers(x, share, lower, upper):
    """The integer, between 0 and her share, that stands for each value; whatever floats do, it is no other.

    A value is taken to the interval before anything is computed with it, and where the share is 0 it is not looked at:
    a float that overflows or vanishes would otherwise tell, by a NaN or a warning, of one user for certain.
    """
    with np.errstate(all="ignore"):
        inside = np.clip(np.where(share > 0, x, lower), lower, upper)
        unit = (inside - lower) / (upper - lower)
        return np.clip(np.rint(unit * share).astype(np.int64), 0, share)


def who(i, names):
    """What a message calls user i."""
    return int(i) if names is None else repr(names[i])


def opendp() -> ModuleType:
    """OpenDP with the features that a transformation of our own needs."""
    with _extras.needed("hdp.release", "opendp", "opendp"):
        import opendp.prelude as dp
    dp.enable_features("contrib", "honest-but-curious")
    return dp
