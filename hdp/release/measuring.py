r"""The release itself: integers in, integers with OpenDP's noise out, an answer and what is published beside it.

OpenDP (`opendp.org`) draws the noise exactly and says what it costs, rounded up; what we tell it is how far the sum of
integers moves when user i's value changes: by her share; and a histogram of shares by twice that, or in Euclidean
distance by the root of two times it.  That one statement OpenDP cannot check, so it calls our transformation
*honest-but-curious*; page :doc:`/book/use/real-release` proves it.
"""

import math
from collections.abc import Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np

from hdp import _extras, _validate
from hdp.release import reports
from hdp.release.answers import Bounds, answered
from hdp.release.buckets import BoundsPlan, histogram, shortest
from hdp.release.plans import Plan, Planned, ends
from hdp.users import Users

_BLOCK = 2**14  # users at a time, so that what is computed of them takes no memory to speak of


def measurement(plan: Plan | BoundsPlan, users: Users) -> Any:
    """The curator's part as a measurement of OpenDP: values of all users in, noisy integers out.

    Parameters
    ----------
    plan : Plan or BoundsPlan
        The plan: of a mean, whose sum of integers comes out, or of bounds, with one count for each bucket.
    users : Users
        Its users.

    Returns
    -------
    opendp.Measurement
        Call it with values of shape (n,); its ``map(i)`` is what user i loses at the most, i from 0, in nats; with
        Gaussian noise it is rho.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import measurement, plan
    >>> measurement(plan([0.5, 1.0] * 100), hdp.Users([0.5, 1.0]))
    Traceback (most recent call last):
    ValueError: users must be those of the plan, ...
    """
    kind = _validate.instance("plan", plan, Planned).kind_of(users)
    counted, dp, laplace = plan.kinds.counted[kind], opendp(), plan.noise == "laplace"
    moved = np.where(plan.kinds.counted, plan.kinds.share, 0)
    if isinstance(plan, Plan):
        out, distance = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
        function, apart = summed(plan, kind), int
    else:
        out = dp.vector_domain(dp.atom_domain(T="i64"), plan.edges.size - 1)
        distance = dp.l1_distance(T="i64") if laplace else dp.l2_distance(T="f64")
        function = lambda x: histogram(plan, plan.kinds.share[kind], checked(x, counted))  # noqa: E731
        apart = _twice if laplace else _euclidean
    sums = dp.t.make_user_transformation(
        dp.user_domain(f"values of the users of plan {plan.digest}", lambda x: fault(x, counted) is None),
        dp.user_distance("i: two lists of users that differ in nothing but the value of user i"),
        out, distance, function, lambda i: apart(int(moved[kind[i]])),
    )  # fmt: skip
    return sums >> (dp.m.then_laplace if laplace else dp.m.then_gaussian)(scale=float(plan.scale))


def release(plan: Any, users: Users) -> Any:
    """Make a release that nobody counts; `Ledger.release` makes one that is counted, and kept.

    Parameters
    ----------
    plan : Plan or BoundsPlan, or a sequence of them
        The plan; of several, each has its own column of values.
    users : Users
        Its users, with the plan's column of values: that of every user who trusts the curator, or is public.  What the
        plan does not use, and whatever stands there for a local user, is not read, and may be NaN.  Where the plan
        gives reports a weight, they have these, too.

    Returns
    -------
    Release or Bounds, or a list of them
        The answer, and what belongs to it.

    Notes
    -----
    That a value is refused says something about it: whoever holds the values may see the message, nobody else.  What it
    was no message says.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import plan, release
    >>> people = hdp.Users([0.1, 0.1], values=[0.2, 0.9])
    >>> release(plan(people), people).answer  # too few users with such budgets
    0.5
    """
    plans = list(plan) if isinstance(plan, Sequence) else [plan]
    made = [drawn(one) for one in [ready(one, users) for one in plans]]
    return made if isinstance(plan, Sequence) else made[0]


def ready(plan, users):
    """What of a release can be refused, done: plan, values, sums of reports and measurement."""
    kind = _validate.instance("plan", plan, Planned).kind_of(users)
    counted = plan.kinds.counted[kind]
    x = checked(_column(plan, users), counted, users.names, plan.value) if counted.any() else None
    told = reports.sums(plan, kind, users) if isinstance(plan, Plan) else None
    return plan, x, told, measurement(plan, users) if counted.any() else None


def drawn(asked):
    """The release of what is ready."""
    plan, x, told, measure = asked
    sampler = f"OpenDP {version('opendp')}" if measure else "none"
    if isinstance(plan, Plan):
        return answered(plan, int(measure(x)) if measure else 0, told, sampler)
    counts = measure(x)
    lower, upper = shortest(plan, counts) or (None, None)
    return Bounds(plan.digest, lower, upper, plan.outside, 1 - plan.beta, counts, sampler)


def _column(plan, users):
    if plan.value not in users.values:
        got = ", ".join(users.values) or "none"
        raise ValueError(f"users must have the column of values {plan.value}, which the plan is for, got {got}")
    return users.values[plan.value]


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


def checked(values, used, names=None, column="values"):
    """Values as floats, of which nothing but those that are used is read, or ValueError, which names no value."""
    found = fault(values, used, names)
    if found:
        told = "column " * (column != "values") + column
        raise ValueError(f"{told} must hold a finite number where the plan uses it, got {found}")
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
    if not wrong.size:
        return None
    more = f" and {wrong.size - 1} more" if wrong.size > 1 else ""
    return f"none of user {who(wrong[0], names)}{more}, the first in row {wrong[0] + 1} of {used.size}"


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


def _twice(share):
    return 2 * share


def _euclidean(share):
    """The share times the root of two, which the nearest float is above; and the product is rounded up."""
    return math.nextafter(math.sqrt(2) * share, math.inf) if share else 0.0
