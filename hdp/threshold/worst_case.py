r"""The worst case of one threshold against full personalisation, exactly, for every number of levels and users.

Let :math:`N_1 < \dots < N_k = n` count the users whose budget is at least the largest, the second largest, ... of k
budgets.  No vector of budgets makes :math:`R_{thr}/R_{aff}` larger than :math:`F(k, n)^2`,

.. math:: F(k, n) = \max_{1 = N_1 < \dots < N_k = n} k - \sum_{j=2}^k \frac{N_{j-1}}{N_j},

and budgets :math:`s/N_j` come as close to it as wanted when s falls.  Page `threshold/worst-case` proves both.
"""

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats

LARGEST = 10**9  # users; beyond, products of counts are no longer exact in floats
BEAM = 32  # prefixes that the search for a good sequence keeps in each layer


def harmonic_bound(k: int, n: int) -> float:
    r"""Upper bound on :math:`R_{thr}/R_{aff}` for at most k different budgets of n users (Theorem 4).

    .. math:: \min(k, H_n)^2, \qquad H_n = \sum_{i=1}^n \frac1i

    Parameters
    ----------
    k, n : int
        Number of different budgets and of users, each in [1, 10^9]; k > n means k = n.

    Returns
    -------
    float
        The bound, at least 1; `worst_case_ratio` is the best one.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.harmonic_bound(2, 100), round(threshold.harmonic_bound(100, 2), 12)
    (4.0, 2.25)
    >>> threshold.worst_case_ratio(5, 10**6) < threshold.harmonic_bound(5, 10**6) == 25.0
    True
    """
    k, n = _counts(k, n)
    return float(min(k, _harmonic(n))) ** 2


def worst_case_ratio(k: int, n: int) -> float:
    r"""Supremum of :math:`R_{thr}/R_{aff}` over all budgets of n users with at most k different values.

    .. math:: F(k, n)^2, \qquad F(n, n) = H_n

    Parameters
    ----------
    k, n : int
        Number of different budgets and of users, each in [1, 10^9]; k > n means k = n.

    Returns
    -------
    float
        The supremum, at least 1; attained only for k = 1 or n = 1.  Exact but for rounding (relative error 1e-12).
        The time is that of `worst_case_sizes`; k >= n takes none.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.worst_case_ratio(2, 100)  # (2 - 1/100)^2
    3.9601
    >>> threshold.worst_case_ratio(5, 10**6) < threshold.harmonic_bound(5, 10**6) == 25.0
    True
    """
    k, n = _counts(k, n)
    return _harmonic(n) ** 2 if k >= n else _gain(worst_case_sizes(k, n)) ** 2


def worst_case_sizes(k: int, n: int) -> NDArray[np.intp]:
    r"""Counts :math:`1 = N_1 < \dots < N_k = n` that attain F(k, n).

    Layer by layer from :math:`N_1 = 1` the gain :math:`\sum (1 - N_{j-1}/N_j)` of the best prefix is computed for all
    counts that can still belong to an optimum: r more steps from N to n gain at most :math:`r - r (N/n)^{1/r}`, and
    together this must reach the gain of a sequence that is already known.  What is dropped is worse for certain.

    Parameters
    ----------
    k, n : int
        Number of different budgets and of users, each in [1, 10^9]; k > n means k = n.

    Returns
    -------
    numpy.ndarray of int, shape (min(k, n),)
        The counts; for k = 1 only n.  Sequences that differ by less than rounding count as equally good.
        For n = 10^6 it takes some milliseconds up to k = 50 and 0.2 s for k = 1000.  Where k exceeds the square root
        of n the bound is loose and the search slow: 1 s for k = 3000 and 12 s for k = 9000 of 10^4 users.  For
        n = 10^9, where very many sequences differ by less than rounding, it takes 0.1 s for k = 50, some seconds for
        k = 200, and minutes from k = 400 on.

    Examples
    --------
    >>> from hdp import threshold
    >>> threshold.worst_case_sizes(4, 1000)
    array([   1,   10,  100, 1000])
    >>> threshold.worst_case_sizes(4, 50)
    array([ 1,  4, 14, 50])
    """
    k, n = _counts(k, n)
    if k >= n:
        return np.arange(1, n + 1)
    if k == 1:
        return np.array([n])
    # What a narrow search finds bounds the exact one, which then looks at few sizes in each layer, not at all of n.
    rounding = 4e-15 * (k + 10)  # a sum of k terms that stays below 22
    sizes = _best_sequence(k, n, _gain(_best_sequence(k, n)) - rounding)
    return sizes.astype(np.intp, copy=False)  # what indexes and repeats, also where that has 32 bits


def worst_case_budgets(k: int, n: int, scale: float) -> Floats:
    r"""Budgets whose ratio :math:`R_{thr}/R_{aff}` approaches `worst_case_ratio` when the scale falls to 0.

    User i gets :math:`s/N_j` for the smallest :math:`N_j \ge i`, so every threshold has the noise of the budget s/n
    for all.  The ratio is at least :math:`F^2 (8 + s^2/n)/(8 + s^2 q)`, :math:`q = \sum_j (N_j - N_{j-1})/N_j^2`.

    Parameters
    ----------
    k, n : int
        Number of different budgets and of users, each in [1, 10^9]; k > n means k = n.
    scale : float
        Budget s of the most generous user, in (0, inf).

    Returns
    -------
    numpy.ndarray, shape (n,)
        Budgets in (0, s], falling; 0 where no float is as small as they are.

    Examples
    --------
    >>> from hdp import threshold
    >>> epsilon = threshold.worst_case_budgets(2, 100, 0.01)
    >>> epsilon[:3]
    array([0.01  , 0.0001, 0.0001])
    """
    s = _validate.scalar("scale", scale, 0, np.inf, open_low=True, open_high=True)
    sizes = worst_case_sizes(k, n)
    return np.repeat(s / sizes, np.diff(sizes, prepend=0))


def saturating_budgets(sizes: ArrayLike, risk: float = 0.25) -> Floats:
    r"""Largest budgets for which no threshold errs less than a given risk.

    .. math:: \epsilon_{(j)} = \frac1{N_j}\sqrt{\frac{2}{r - 1/(4N_j)}}, \quad \infty\ \text{where}\ 4 N_j r \le 1

    With the risk 1/4 of the trivial answer they are the worst case once that answer is admitted.

    Parameters
    ----------
    sizes : array_like of int, shape (k,)
        Whole counts :math:`1 \le N_1 < \dots < N_k \le 10^9`: how many users have at least the j-th largest budget.
    risk : float
        Risk r that every threshold shall have (if it can be so large), in (1/(4 N_k), inf).

    Returns
    -------
    numpy.ndarray, shape (N_k,)
        Budgets in (0, inf], falling.

    Examples
    --------
    >>> from hdp import threshold
    >>> epsilon = threshold.saturating_budgets([1, 9])
    >>> epsilon[:2]
    array([       inf, 0.33333333])
    """
    counts = _validate.vector("sizes", sizes, 1, LARGEST)
    if np.any(np.diff(counts) <= 0) or np.any(counts % 1):
        raise ValueError(f"sizes must be whole numbers that increase strictly, got {sizes!r}")
    r = _validate.scalar("risk", risk, 0.25 / counts[-1], np.inf, open_low=True, open_high=True)
    room = r - 0.25 / counts  # what a threshold may add in noise
    with np.errstate(divide="ignore"):
        levels = np.sqrt(2 / np.maximum(room, 0)) / counts
    return np.repeat(levels, np.diff(counts, prepend=0).astype(int))


def _counts(k, n):
    for name, value in (("k", k), ("n", n)):
        _validate.scalar(name, _validate.whole(name, value, 1), 1, LARGEST)
    return int(k), int(n)


def _harmonic(n):
    return float(scipy.special.digamma(n + 1) + np.euler_gamma) if n > 1 else 1.0


def _gain(sizes):
    """F of one sequence, k - sum N_(j-1)/N_j with every term positive, summed without rounding."""
    return math.fsum(np.diff(sizes, prepend=0) / sizes)


def _most(size, steps, n):
    """Most that so many steps from `size` to n gain if sizes are real: arithmetic against geometric mean."""
    return -steps * np.expm1(np.log(size / n) / steps)


def _best_sequence(k, n, least=None):
    """Best of all sequences that gain at least so much; without `least` a good sequence, by a narrow search."""
    sizes, gain, layers = np.array([1.0]), np.ones(1), []
    for steps in range(k - 1, 1, -1):  # steps that are left; the last one ends in n
        following = _window(sizes, gain, steps, n, least)
        through = gain[:, None] + 1 - sizes[:, None] / following
        through[sizes[:, None] >= following] = -np.inf
        parent = np.argmax(through, axis=0)
        best = through[parent, np.arange(following.size)]
        total = best + _most(following, steps - 1, n)
        kept = np.sort(np.argsort(-total)[:BEAM]) if least is None else np.flatnonzero(total >= least)
        layers.append((sizes, parent[kept]))
        sizes, gain = following[kept], best[kept]
    here = np.argmax(gain - sizes / n)
    sequence = [n, sizes[here]]
    for earlier, parent in reversed(layers):
        here = parent[here]
        sequence.append(earlier[here])
    return np.array(sequence[::-1], dtype=np.int64)


def _window(sizes, gain, steps, n, least):
    """Whole numbers among which the next size lies if the bound on the whole gain is to reach `least`.

    From each size the bound is concave in the logarithm of the next one and largest at the geometric step, so that
    where it falls short beyond all those steps, it does so further on.
    """
    ideal = sizes * (n / sizes) ** (1 / steps)
    ends = []
    for start, stop, sign in (
        (np.floor(ideal.min()), sizes[0] + 1, -1.0),
        (np.ceil(ideal.max()), n - steps + 1.0, 1.0),
    ):
        end, stretch = start + 4 * sign, 4.0
        while least is not None and (stop - end) * sign > 0:
            if np.all(gain + 1 - sizes / end + _most(end, steps - 1, n) < least):
                break
            end, stretch = end + stretch * sign, 2 * stretch
        ends.append(end if (stop - end) * sign > 0 else stop)
    return np.arange(ends[0], ends[1] + 1)
