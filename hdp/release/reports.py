r"""What a local user hands over, as a text that nothing else can be taken for, and what the curator makes of it.

It is ``report:PLAN:KIND:WHOLE/SHARE``: the beginning of the plan's SHA-256, the row of her kind in it, and a whole
number over her share, which is her integer and its noise, or 0/1 or 1/1, which is one bit.  A value of hers is no such
text, nor is a report for another plan or by a user of another kind, so none of them can stand where a report belongs.
A whole number that noise of this scale has no business to reach is refused: with k scales of noise one report moves the
answer by no more than her weight times 1 + k c/share, in units of the interval.
"""

import math
import re
import secrets

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp.release import bits as _bits
from hdp.release.plans import Plan, ends

_TEXT = re.compile(r"report:([0-9a-f]{16}:[0-9]{1,9}):(-?[0-9]{1,19})/([0-9]{1,19})")
_NAME = 16  # digits of the plan's SHA-256
# Noise is further out than so many scales with a chance of less than 2^-128 for every report.
_FURTHEST = {"laplace": 90, "gaussian": 14}


def report(plan: Plan, epsilon: float, value: ArrayLike, records: int = 1) -> str:
    r"""The report of one local user, made on her own machine, that nobody counts; `Ledger.report` counts and keeps it.

    Parameters
    ----------
    plan : Plan
        The plan of the report, which says what is reported, and how exactly.
    epsilon : float
        Her budget for all her reports together, by which the plan knows her; rho, if the noise is Gaussian.
    value : float
        Her value; what lies outside the interval of the plan is taken to its nearer end.
    records : int
        Her number of records, by which the plan knows her too.

    Returns
    -------
    str
        What she hands over, and nothing else, private towards everybody, and unbiased but for rounding: her integer and
        discrete noise of scale c, over her share; or, where the plan has bits, 0/1 or 1/1: the value rounded at random
        to one of the ends of the interval, and told by OpenDP's randomised response.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import plan, report
    >>> made = plan(hdp.Users([1.0] * 9 + [2.0], "local"), "mixed")
    >>> report(made, 3.0, 0.3)
    Traceback (most recent call last):
    ValueError: epsilon must be that of local users who report, got 3.0 with 1 records
    """
    return prepared(plan, epsilon, value, records)[1]()


def prepared(plan, epsilon, value, records):
    """The row of her kind, and a function that draws her report, once all that can be refused is checked."""
    from hdp.release.measuring import checked, integers, opendp

    row, kinds = row_of(plan, epsilon, records), plan.kinds
    try:
        x = checked([value], np.ones(1, dtype=bool))
    except ValueError:
        raise ValueError("value must be a finite number, got another one") from None
    dp, (lower, upper) = opendp(), (float(end) for end in ends(plan, row))
    allowed, share = float(plan.allowance[row]), int(kinds.share[row])
    unit = (min(max(float(x[0]), lower), upper) - lower) / (upper - lower)
    whole = int(integers(x, kinds.share[row : row + 1], lower, upper)[0])
    if kinds.bit[row]:
        told = dp.m.make_randomized_response_bool(prob=1 - float(_bits.chance_of_a_lie(allowed, plan.noise)))
        cost = told.map(1)
        cost = cost if plan.noise == "laplace" else cost * math.tanh(cost / 2)
        draw = lambda: int(told(secrets.randbits(53) < unit * 2.0**53))  # noqa: E731
    else:
        make = dp.m.make_laplace if plan.noise == "laplace" else dp.m.make_gaussian
        noise = make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=2.0**plan.bits)
        cost, draw = noise.map(share), lambda: noise(whole)
    if not cost <= allowed:
        raise ValueError(f"plan must cost at most {allowed!r}, got {cost!r} from OpenDP")
    return row, lambda: f"report:{plan.digest[:_NAME]}:{row}:{draw()}/{_shares(plan)[row]}"


def report_value(plan: Plan, epsilon: float, report: str, records: int = 1) -> float:
    r"""What a report stands for: a number whose mean is her value, but for rounding.

    Parameters
    ----------
    plan : Plan
        The plan of the report.
    epsilon : float
        Her budget.
    report : str
        What `report` gave.
    records : int
        Her number of records.

    Returns
    -------
    float
        With noise the whole number over her share, in the interval's unit; one of the two numbers
        :math:`\frac12 \pm \frac1{2(1-2q)}` for one bit, which lies with the chance q.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import plan, report_value
    >>> made = plan(hdp.Users([2.0] * 900, "local"), "mixed")
    >>> round(report_value(made, 2.0, f"report:{made.digest[:16]}:0:1/1"), 3)
    1.157
    """
    row, here = row_of(plan, epsilon, records), range(plan.kinds.users.size)
    whole = _Reader(plan)(report, row, "who reports")
    return _stand_for(plan, [whole if i == row else 0 for i in here], [int(i == row) for i in here])[row]


def row_of(plan, epsilon, records):
    """Row of the kind of local users to which she belongs, or ValueError if these report nothing."""
    kinds = _validate.instance("plan", plan, Plan).kinds
    epsilon, records = _validate.scalar("epsilon", epsilon, 0), _validate.whole("records", records, 1)
    rows = np.flatnonzero((kinds.epsilon == epsilon) & kinds.local & (kinds.records == records) & (kinds.weight > 0))
    if not rows.size:
        raise ValueError(f"epsilon must be that of local users who report, got {epsilon!r} with {records!r} records")
    return int(rows[0])


def sums(plan, kind, users):
    """For each kind the sum of what its users' reports stand for, or ValueError, which says whose report is none."""
    wanted, totals = plan.kinds.weight > 0, [0] * plan.kinds.users.size
    if wanted.any():
        if users.reports is None:
            raise ValueError(f"reports must hold one text, or None, for each of {kind.size} users, got none")
        read, handed, names = _Reader(plan), list(users.reports), users.names
        for i in np.flatnonzero(wanted[kind]).tolist():
            totals[kind[i]] += read(handed[i], int(kind[i]), i if names is None else repr(names[i]))
    return _stand_for(plan, totals, plan.kinds.users.tolist())


class _Reader:
    """Reads reports for one plan."""

    def __init__(self, plan):
        self.name, self.shares = plan.digest[:_NAME], _shares(plan)
        furthest = _FURTHEST[plan.noise] * 2**plan.bits
        self.most = [0 if bit else furthest for bit in plan.kinds.bit.tolist()]

    def __call__(self, text, row, user):
        """The whole number of a report, which may stand beside those for other plans."""
        share, most, name = self.shares[row], self.most[row], f"{self.name}:{row}"
        told = [_TEXT.fullmatch(word) for word in text.split()] if isinstance(text, str) else []
        here = [one for one in told if one and one[1].startswith(self.name)]
        found = here[0] if len(here) == 1 and all(told) else None
        if not found or found[1] != name or int(found[3]) != share or not -most <= int(found[2]) <= share + most:
            wanted = f"report:{name}:WHOLE/{share}, with a whole number from {-most} to {share + most}"
            raise ValueError(f"reports must be as `report` made them for this plan, {wanted}, got none of user {user}")
        return int(found[2])


def _shares(plan):
    """What the whole number of a report is over, for each kind."""
    return np.where(plan.kinds.bit, 1, plan.kinds.share).tolist()


def _stand_for(plan, totals, users):
    """For each kind the sum of what so many reports stand for whose whole numbers sum to the totals; 0 without any.

    A bit lies now and then, and is stretched about the centre of the interval, so that its mean is the value.
    """
    lower, upper = ends(plan, slice(None))
    width, bit = upper - lower, plan.kinds.bit & (plan.kinds.weight > 0)
    lie = np.where(bit, _bits.chance_of_a_lie(plan.allowance, plan.noise), 0.0)
    each = zip(lower.tolist(), width.tolist(), bit.tolist(), lie.tolist(), _shares(plan), totals, users, strict=True)
    return [
        n * low + d * (n / 2 + (total - n / 2) / (1 - 2 * q)) if told else n * low + d * (total / max(share, 1))
        for low, d, told, q, share, total, n in each
    ]
