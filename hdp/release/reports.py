r"""What a local user hands over, as a text that nothing else can be taken for, and what the curator makes of it.

It is ``report:PLAN:WHOLE/SHARE``: the beginning of the plan's SHA-256, and a whole number over her share, which is her
integer and its noise, or 0/1 or 1/1, which is one bit.  A value of hers is no such text, nor is a report for another
plan, so neither can stand where a report belongs; and a whole number that noise of this scale has no business to reach
is refused, so that nobody decides the answer alone.
"""

import math
import re

import numpy as np

from hdp.release import kinds as _kinds
from hdp.release.plans import ends

_TEXT = re.compile(r"report:([0-9a-f]{16}):(-?[0-9]{1,19})/([0-9]{1,19})")
_NAME = 16  # digits of the plan's SHA-256
# Noise is further out than so many scales with a chance of less than 2^-128 for every report.
_FURTHEST = {"laplace": 90, "gaussian": 14}


def written(plan, row, whole):
    """The text of a report of this kind."""
    return f"report:{plan.digest[:_NAME]}:{whole}/{_share(plan, row)}"


def sums(plan, kind, handed, names=None):
    """For each kind the sum of what its users' reports stand for, or ValueError, which says whose report is none."""
    wanted, totals = plan.kinds.weight > 0, [0] * plan.kinds.users.size
    if wanted.any():
        handed = _checked(handed, kind)
        read = _Reader(plan)
        for i in np.flatnonzero(wanted[kind]).tolist():
            totals[kind[i]] += read(handed[i], int(kind[i]), i if names is None else repr(names[i]))
    rows = enumerate(zip(totals, plan.kinds.users.tolist(), strict=True))
    return [_stands_for(plan, row, total, users) if wanted[row] else 0.0 for row, (total, users) in rows]


def stands_for(plan, row, text):
    """The number that a report of this kind stands for, in the unit of the values."""
    return _stands_for(plan, row, _Reader(plan)(text, row, "who reports"), 1)


def _checked(handed, kind):
    listed = None if handed is None or isinstance(handed, str | bytes) else list(handed)
    if listed is None or len(listed) != kind.size:
        got = "none" if handed is None else "another number of them"
        raise ValueError(f"reports must hold one text, or None, for each of {kind.size} users, got {got}")
    return listed


class _Reader:
    """Reads reports for one plan."""

    def __init__(self, plan):
        self.name, self.kinds = plan.digest[:_NAME], range(plan.kinds.users.size)
        self.shares = [_share(plan, row) for row in self.kinds]
        furthest = _FURTHEST[plan.noise] * 2**plan.bits
        self.most = [0 if bit else furthest for bit in plan.kinds.bit.tolist()]

    def __call__(self, text, row, user):
        """The whole number of a report."""
        found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        share, most = self.shares[row], self.most[row]
        if not found or found[1] != self.name or int(found[3]) != share or not -most <= int(found[2]) <= share + most:
            wanted = f"report:{self.name}:WHOLE/{share}, with a whole number from {-most} to {share + most}"
            raise ValueError(f"reports must be as `report` made them for this plan, {wanted}, got none of user {user}")
        return int(found[2])


def _share(plan, row):
    return 1 if plan.kinds.bit[row] else int(plan.kinds.share[row])


def _stands_for(plan, row, total, users):
    """The sum of the reports of so many users whose whole numbers sum to the total."""
    lower, upper = (float(end) for end in ends(plan, row))
    if plan.kinds.bit[row]:  # a bit that lies now and then is stretched, so that its mean is the value
        lie = float(_kinds.chance_of_a_lie(plan.part[row], plan.noise))
        return users * (lower + upper) / 2 + (upper - lower) * (total - users / 2) / (1 - 2 * lie)
    return math.fsum([users * lower, (upper - lower) * (total / _share(plan, row))])
