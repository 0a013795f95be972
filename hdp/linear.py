r"""The best linear release: weights that need not sum to 1, so that a noisy answer is shrunk as much as it should be.

Setting of `hdp.adpm`: data in [-1/2, 1/2], a budget for each user, the release :math:`\langle a, x\rangle` plus
Laplace noise of scale :math:`\max_i a_i/\epsilon_i`.  Of all such releases, with any weights and any constant added,
this one has the least worst-case error.
One number settles everything: the level :math:`\tau` with
:math:`S - Q^2/\tau = 8/\tau + 8/Q`, where S and Q are the sum and the Euclidean norm of the clipped budgets
:math:`\min(\epsilon_i, \tau)`.
Page :doc:`/book/heterogeneous-budgets/best-linear` derives it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.affine import WeightedMean
from hdp.clipping import _BLOCK

__all__ = ["Linear"]

_FEW = 2**12  # so many are sorted at once
_STEP = 64  # of more, every so-many-th says roughly where the level is
_SPREAD = 1  # how far around that it is looked for, in roots of the number of those asked: ten standard deviations
_STEPS = 100  # of Newton's iteration at most; it needs about six
_HIGHEST = 1e300  # times which a budget is nothing


@dataclass(frozen=True, eq=False)
class Linear(WeightedMean):
    r"""The linear release of the least worst-case error; its weights sum to less than 1.

    .. math:: a_i = \frac{\min(\epsilon_i, \tau)}{S + \max(Q, 8/S)}, \qquad
              \sum_i \epsilon_i\,(\tau - \epsilon_i)_+ = 8\Big(1 + \frac{\tau}{Q}\Big)

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    lower, upper : float
        Public interval that holds every value, in their unit.

    Notes
    -----
    On an interval of width 1 the error is, with :math:`D = \max\{Q, 8/S\}`,

    .. math::
        \min_a\ \tfrac14\max\Big\{\|a\|_2^2,\ \Big(1 - \sum_i a_i\Big)^2\Big\}
        + 2\max_i\Big(\frac{a_i}{\epsilon_i}\Big)^2 = \frac{D^2 + 8}{4\,(S + D)^2},

    attained by a point mass on an end and, if :math:`Q \ge 8/S`, by a fair coin on the ends, too.  Where
    :math:`\|\epsilon\|_1\|\epsilon\|_2 \le 8` it is :math:`2/(\|\epsilon\|_1^2 + 8)`; for n public users
    :math:`1/(4(1+\sqrt n)^2)`, which is minimax among all estimators (Hodges & Lehmann, 1950).

    Examples
    --------
    >>> from hdp import Linear
    >>> made = Linear([1.0, 1.0, 1.0, 1.0, 9.0])
    >>> round(made.level, 4), made.loss.round(4), round(made.mse(), 4)
    (4.8489, array([1.    , 1.    , 1.    , 1.    , 4.8489]), 0.0447)
    >>> Linear([float("inf")] * 4).weights.round(4)
    array([0.1667, 0.1667, 0.1667, 0.1667])
    """

    @cached_property
    def level(self) -> float:
        r"""Budget :math:`\tau` above which nobody's data is used any more loosely; never below that of `hdp.adpm.ADPM`.

        It is inf, so that nobody is clipped, where :math:`\|\epsilon\|_1\,\|\epsilon\|_2 \le 8`, or when every
        usable value is public.
        """
        return _level(_finite(self.epsilon))

    @cached_property
    def weights(self) -> Floats:
        """Weights in [0, 1), shape (n,), in O(n) operations, or one sort if the order of the budgets conspires."""
        level, total, rest = _solved(_finite(self.epsilon))
        clipped = np.minimum(self.epsilon, level)
        with np.errstate(under="ignore"):
            clipped /= total + rest
        return clipped

    @property
    def loss(self) -> Floats:
        r"""What each user gives up, shape (n,): :math:`\min(\epsilon_i, \tau)`, never less than in `hdp.adpm.ADPM`."""
        return np.minimum(self.epsilon, self.level)


def _finite(eps):
    """The budgets up to `_validate.FREE`."""
    return eps if eps.max() <= _validate.FREE else np.minimum(eps, _validate.FREE)


def _solved(eps):
    """The level, the sum S of the clipped budgets, and D = max(Q, 8/S), which is to 1 - sum a as S is to sum a."""
    with np.errstate(over="ignore", under="ignore"):
        level = min(_level(eps), _validate.FREE)
        total, squares = _sums(eps, lambda part: np.minimum(part, level))
        return level, total, min(max(np.sqrt(squares), 8 / total), _HIGHEST)


def _level(eps):
    """The level of budgets up to `_validate.FREE`: the root of `_excess`, inf if nobody is clipped.

    With the users below the level known, that is an equation in one unknown.  They are found among sorted budgets:
    among all, or, if these are many, among those near the level of a sample, unless the level proves to be elsewhere.
    """
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        total, squares = _sums(eps)
        if total * np.sqrt(squares) <= 8 or (total >= _validate.FREE and eps[eps > 0].min() == _validate.FREE):
            return np.inf
        if eps.size > _FEW:
            low, high = _around(np.sort(eps[::_STEP]))
            above, near = np.count_nonzero(eps >= high), np.sort(eps[(eps > low) & (eps < high)])
            below = _sums(eps, lambda part: part * (part <= low))
            both = below + _sums(near)
            if _excess(low, *below, near.size + above) < 0 <= _excess(high, *both, above):
                return _among(near, *below, above)
        return _among(np.sort(eps), 0.0, 0.0, 0)


def _sums(values, part=lambda block: block):
    """Sum and sum of squares of a part of the values, block by block, which stays in the processor's cache."""
    blocks = (part(values[start : start + _BLOCK]) for start in range(0, values.size, _BLOCK))
    return np.array([(block.sum(), (block * block).sum()) for block in blocks]).sum(axis=0)


def _excess(level, total, squares, above):
    """S - (Q^2 + 8)/level - 8/Q, which rises with the level, from what is below it and the number of users above."""
    return total - (squares + 8) / level - 8 / np.sqrt(squares + above * level**2)


def _below(ordered, total, squares, above, copies=1):
    """How many of the sorted budgets, each of so many users, are below the level."""
    sums, sums_of_squares = (np.append(0.0, copies * np.cumsum(part[:-1])) for part in (ordered, ordered**2))
    not_below = above + copies * np.arange(ordered.size, 0, -1)
    dry = _excess(ordered, total + sums, squares + sums_of_squares, not_below) < 0
    return ordered.size if dry.all() else int(np.argmin(dry))


def _around(sample):
    """Two budgets between which the level of all probably is, if the sorted ones are every `_STEP`-th."""
    rank, spread = _below(sample, 0.0, 0.0, 0, _STEP), int(_SPREAD * np.sqrt(sample.size))
    low = sample[rank - spread] if rank >= spread else 0.0
    return low, sample[rank + spread] if rank + spread < sample.size else 2 * _validate.FREE


def _among(ordered, total, squares, above):
    """The level, if it is among the sorted budgets, given sums over those below and the number of those above."""
    first = _below(ordered, total, squares, above)
    below, above = ordered[:first], above + ordered.size - first
    total, squares = np.add((total, squares), _sums(below))
    if not above:  # then Q does not depend on the level
        return float((squares + 8) / max(total - 8 / np.sqrt(squares), 0.0))
    x = 0.0  # one over the level; _excess is convex in it, so Newton's steps from 0 never pass the root
    for _ in range(_STEPS):
        root = np.sqrt(above + squares * x * x)
        step = (total - (squares + 8) * x - 8 * x / root) / (squares + 8 + 8 * above / root**3)
        x += step
        if step <= 1e-16 * x:
            break
    return float(1 / x)
