r"""What a local user hands over, as a text that nothing else can be taken for, and what the curator makes of it.

It is ``report:PLAN:KIND:WHOLE/SHARE``: the beginning of the plan's SHA-256, the row of her kind in it, and a whole
number over her share, which is her integer and its noise, or 0/1 or 1/1, which is one bit.  A value of hers is no such
text, nor is a report for another plan or by a user of another kind, so none of them can stand where a report belongs.
A whole number that noise of this scale has no business to reach is refused: with k scales of noise one report moves the
answer by no more than her weight times 1 + k c/share, in units of the interval.
"""

import re

import numpy as np

from hdp.release import bits as _bits
from hdp.release.plans import ends

_TEXT = re.compile(r"report:([0-9a-f]{16}:[0-9]{1,9}):(-?[0-9]{1,19})/([0-9]{1,19})")
_NAME = 16  # digits of the plan's SHA-256
# Noise is further out than so many scales with a chance of less than 2^-128 for every report.
_FURTHEST = {"laplace": 90, "gaussian": 14}


def written(plan, row, whole):
    """The text of a report of this kind."""
    return f"report:{plan.digest[:_NAME]}:{row}:{whole}/{_shares(plan)[row]}"


def sums(plan, kind, handed, names=None):
    """For each kind the sum of what its users' reports stand for, or ValueError, which says whose report is none."""
    wanted, totals = plan.kinds.weight > 0, [0] * plan.kinds.users.size
    if wanted.any():
        handed = _checked(handed, kind)
        read = _Reader(plan)
        for i in np.flatnonzero(wanted[kind]).tolist():
            totals[kind[i]] += read(handed[i], int(kind[i]), i if names is None else repr(names[i]))
    return _stand_for(plan, totals, plan.kinds.users.tolist())


def stands_for(plan, row, text):
    """The number that a report of this kind stands for, in the unit of the values."""
    whole = _Reader(plan)(text, row, "who reports")
    here = range(plan.kinds.users.size)
    return _stand_for(plan, [whole if i == row else 0 for i in here], [int(i == row) for i in here])[row]


def _checked(handed, kind):
    listed = None if handed is None or isinstance(handed, str | bytes) else list(handed)
    if listed is None or len(listed) != kind.size:
        got = "none" if handed is None else "another number of them"
        raise ValueError(f"reports must hold one text, or None, for each of {kind.size} users, got {got}")
    return listed


class _Reader:
    """Reads reports for one plan."""

    def __init__(self, plan):
        self.name, self.shares = plan.digest[:_NAME], _shares(plan)
        furthest = _FURTHEST[plan.noise] * 2**plan.bits
        self.most = [0 if bit else furthest for bit in plan.kinds.bit.tolist()]

    def __call__(self, text, row, user):
        """The whole number of a report."""
        found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        share, most, name = self.shares[row], self.most[row], f"{self.name}:{row}"
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
    lie = np.where(bit, _bits.chance_of_a_lie(plan.part, plan.noise), 0.0)
    each = zip(lower.tolist(), width.tolist(), bit.tolist(), lie.tolist(), _shares(plan), totals, users, strict=True)
    return [
        n * low + d * (n / 2 + (total - n / 2) / (1 - 2 * q)) if told else n * low + d * (total / max(share, 1))
        for low, d, told, q, share, total, n in each
    ]
