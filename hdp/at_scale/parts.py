"""Parts of budgets, and who works on them: this process, or those of dask."""

import warnings
from collections.abc import Callable, Iterable
from functools import partial, reduce

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate

_TOGETHER = 8  # results that one worker merges at a time

Part = ArrayLike | Callable[[], ArrayLike | Iterable[ArrayLike]]


def chunks(part):
    """The arrays of one part, one after the other."""
    found = part() if callable(part) else part
    return [found] if isinstance(found, np.ndarray | list | tuple) else found


def runner(parts, cluster):
    """A function of what is to be done with each part, and of how a list of results becomes one."""
    cluster = _validate.flag("cluster", cluster)
    if hasattr(parts, "to_delayed"):
        return partial(_on_workers, list(np.ravel(parts.to_delayed())))
    if not (isinstance(parts, list | tuple) and any(callable(part) or np.ndim(part) for part in parts)):
        parts = [_validate.with_gaps("parts", parts, 0)]
    return partial(_on_workers if cluster else _here, list(parts))


def _here(parts, task, merge):
    return reduce(lambda done, part: merge([done, task(part)]), parts[1:], task(parts[0]))


def _on_workers(parts, task, merge):
    """A tree of tasks: no worker holds more than one part, or a few results."""
    with _extras.needed("hdp.at_scale with cluster=True", "cluster", "dask"):
        import dask
    found = [dask.delayed(task)(part) for part in parts]
    while len(found) > 1:
        found = [dask.delayed(merge)(found[i : i + _TOGETHER]) for i in range(0, len(found), _TOGETHER)]
    return dask.compute(found[0])[0]


def account_for(counted, missing):
    """Say how many budgets were missing, or refuse them."""
    if not counted.missing:
        return
    if missing is None:
        why = "must be the budget of those who gave none, in [0, inf]"
        raise ValueError(f"missing {why}, got None for {counted.missing} of {counted.users} users")
    warnings.warn(f"{counted.missing} of {counted.users} budgets are missing and count as {missing:g}", stacklevel=3)
