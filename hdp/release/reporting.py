"""What a local user does by herself: her value becomes a report, on her own machine, and only that is handed over."""

import secrets

import numpy as np

from hdp import _validate
from hdp.release.kinds import chance_of_a_lie
from hdp.release.measuring import integers, opendp
from hdp.release.plans import Plan


def report(plan: Plan, epsilon: float, value: float, records: int = 1) -> float:
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

    Returns
    -------
    float
        Her integer and discrete Laplace noise of scale c, over her share; or, where the plan has bits, one of two
        numbers around the centre of the interval: the value rounded at random to one of its ends, and told by
        OpenDP's randomised response.

    Raises
    ------
    ImportError
        Without OpenDP.
    ValueError
        If the value is not finite, or the plan wants no report from such a user.

    Notes
    -----
    A second report of the same value costs the same again.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan, report
    >>> made = plan(Population([1.0] * 9 + [2.0], "local"), "mixed")
    >>> report(made, 3.0, 0.3)
    Traceback (most recent call last):
    ValueError: epsilon must be that of local users who report, got 3.0 with 1 records
    """
    kinds = plan.kinds
    x = _validate.scalar("value", value, -np.inf, np.inf, open_low=True, open_high=True)
    rows = np.flatnonzero((kinds.epsilon == epsilon) & kinds.local & (kinds.records == records) & (kinds.weight > 0))
    if not rows.size:
        raise ValueError(f"epsilon must be that of local users who report, got {epsilon!r} with {records!r} records")
    dp, row, width = opendp(), rows[0], plan.upper - plan.lower
    if kinds.bit[row]:
        return float(plan.lower + width * _bit(dp, (x - plan.lower) / width, plan.part[row]))
    share = kinds.share[row : row + 1]
    noise = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=2.0**plan.bits)
    _refuse_if_dearer(noise.map(int(share[0])), plan.part[row])
    whole = int(integers(np.array([x]), share, plan)[0])
    return float(plan.lower + width * (noise(whole) / int(share[0])))


def _bit(dp, unit, allowed):
    """One bit about a value in [0, 1], told with a chance of a lie, on the scale of the values."""
    lie = float(chance_of_a_lie(allowed))
    tell = dp.m.make_randomized_response_bool(prob=1 - lie)
    _refuse_if_dearer(tell.map(1), allowed)
    one = secrets.randbits(53) < min(max(unit, 0.0), 1.0) * 2.0**53
    return 0.5 + (0.5 if tell(one) else -0.5) / (1 - 2 * lie)


def _refuse_if_dearer(cost, allowed):
    if not cost <= allowed:
        raise ValueError(f"plan must cost at most {allowed!r}, got {cost!r} from OpenDP")
