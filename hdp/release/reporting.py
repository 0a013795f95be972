"""What a local user does by herself: her value becomes a report, on her own machine, and only that is handed over."""

import math
import secrets
from os import PathLike

import numpy as np

from hdp import _validate
from hdp.release import spending
from hdp.release.kinds import chance_of_a_lie
from hdp.release.measuring import integers, opendp
from hdp.release.plans import Plan, ends


def report(
    plan: Plan, epsilon: float, value: float, records: int = 1, ledger: str | PathLike[str] | None = None
) -> float:
    r"""The report of one local user: private towards everybody, and unbiased but for rounding.

    Parameters
    ----------
    plan : Plan
        The plan, which says what is reported, and how exactly.
    epsilon : float
        Her budget, by which the plan knows her.
    value : float
        Her value; what lies outside the interval of the plan is taken to its nearer end.
    records : int
        Her number of records, likewise.
    ledger : str or pathlib.Path, optional
        Her own file, on her own machine, in which `spend` enters what the report costs before it is made.  Without it
        nobody counts.

    Returns
    -------
    float
        Her integer and discrete noise of scale c, over her share; or, where the plan has bits, one of two
        numbers around the centre of the interval: the value rounded at random to one of its ends, and told by
        OpenDP's randomised response.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the value is not finite, if the plan wants no report from such a user, or if her ledger has no budget left.

    Notes
    -----
    A second report of the same value costs the same again.  A report that is handed over twice costs nothing more.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, report
    >>> made = plan(Population([1.0] * 9 + [2.0], "local"), "mixed")
    >>> report(made, 3.0, 0.3)
    Traceback (most recent call last):
    ValueError: epsilon must be that of local users who report, got 3.0 with 1 records
    """
    x = _validate.scalar("value", value, -np.inf, np.inf, open_low=True, open_high=True)
    row, kinds = spending.row_of(plan, epsilon, records), plan.kinds
    dp = opendp()
    lower, upper = (float(end) for end in ends(plan, row))
    if ledger is not None:
        spending.spend(plan, epsilon, ledger, records)
    if kinds.bit[row]:
        return lower + (upper - lower) * _bit(dp, (x - lower) / (upper - lower), float(plan.part[row]), plan.noise)
    share = kinds.share[row : row + 1]
    make = dp.m.make_laplace if plan.noise == "laplace" else dp.m.make_gaussian
    noise = make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=2.0**plan.bits)
    _refuse_if_dearer(noise.map(int(share[0])), plan.part[row])
    whole = int(integers(np.array([x]), share, lower, upper)[0])
    return lower + (upper - lower) * (noise(whole) / int(share[0]))


def _bit(dp, unit, allowed, noise):
    """One bit about a value in [0, 1], told with a chance of a lie, on the scale of the values."""
    lie = float(chance_of_a_lie(allowed, noise))
    tell = dp.m.make_randomized_response_bool(prob=1 - lie)
    cost = tell.map(1)
    _refuse_if_dearer(cost if noise == "laplace" else cost * math.tanh(cost / 2), allowed)
    one = secrets.randbits(53) < min(max(unit, 0.0), 1.0) * 2.0**53
    return 0.5 + (0.5 if tell(one) else -0.5) / (1 - 2 * lie)


def _refuse_if_dearer(cost, allowed):
    if not cost <= allowed:
        raise ValueError(f"plan must cost at most {allowed!r}, got {cost!r} from OpenDP")
