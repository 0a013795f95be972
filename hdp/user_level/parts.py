r"""Who is asked for what by Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022), with personal budgets.

The numbers k_i of samples and the budgets are public, and they alone decide who is in which of three disjoint groups:
the head (most data, among those who allow its common budget) gives a first variance, the tail (least data) a first
mean, the middle the answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.user_level.ideal import budgets
from hdp.user_level.model import BETA

_CANDIDATES = 64  # quantiles of the budgets of which one becomes that of the head
_RANK_SHARE = 0.1  # part of the pairs by which privacy may move the rank of the chosen scale
SAMPLING_SHARE = 0.15  # and by which the sample of pairs may (Hoeffding)


class UserGroups(NamedTuple):
    """Who is asked for what, decided by public numbers.

    Parameters
    ----------
    head, middle, tail : numpy.ndarray
        Positions of the users for the first variance, for the answer, and for the first mean.
    head_budget : float
        The common budget of the head, which each of its users allows.

    Examples
    --------
    >>> from hdp import user_level
    >>> parts = user_level.user_groups([9, 9, 5, 4, 3, 2, 1, 1], [1.0] * 7 + [2.0], head=2, tail=1)
    >>> parts.head.tolist(), parts.tail.tolist(), parts.head_budget
    ([0, 1], [7], 1.0)
    """

    head: NDArray[np.int64]
    middle: NDArray[np.int64]
    tail: NDArray[np.int64]
    head_budget: float


def user_groups(
    k: ArrayLike, epsilon: ArrayLike, beta: float = BETA, head: int | None = None, tail: int | None = None
) -> UserGroups:
    r"""Split the users by their public numbers of samples and budgets.

    The head's budget is one of the budgets (a quantile, if they are many): the one for which a head of the default
    size is the smallest part of those who allow it, whatever size is asked for.  Of these, the head has most data.

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50], public.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    head, tail : int, optional
        Users with most data (even, at least 2), for the variance, and with least data, for the mean.  By default
        :math:`2\lceil \max\{20 \log(G/\beta)/\epsilon,\ 22.2 \log(2/\beta)\} \rceil` for G
        candidate scales and the budget of the head, and n // 10.  The paper's head is log n.

    Returns
    -------
    UserGroups
        Three disjoint groups, in which ties are broken by position, and the budget of the head.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or head and tail leave less than half of the users.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> k, epsilon = np.repeat([400, 20], [2000, 8000]), np.tile([0.1, 1.0], 5000)
    >>> parts = user_level.user_groups(k, epsilon)
    >>> [len(group) for group in parts[:3]], parts.head_budget
    ([232, 8768, 1000], 1.0)
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    return split(k, budgets(epsilon, k.size), _validate.chance("beta", beta), head, tail)


def split(k, eps, beta, head, tail):
    """The same where all but the sizes of head and tail are known to be right."""
    tail = _validate.whole("tail", k.size // 10 if tail is None else tail, 1)
    order = np.argsort(-k, kind="stable")
    size, budget = _head(k, eps, beta, head, k.size // 2 - tail)
    asked = np.flatnonzero(eps[order] >= budget)[:size]
    rest = np.delete(order, asked)
    return UserGroups(order[asked], rest[: rest.size - tail], rest[rest.size - tail :], budget)


def _head(k, eps, beta, size, most):
    """Size of the head and its budget: of those who allow it, a head of the default size is the smallest part."""
    if size is not None and _validate.whole("head", size, 2) % 2:
        raise ValueError(f"head must be even, because its users are paired, got {size}")
    best = np.inf, 0, 0.0
    for budget in np.unique(np.quantile(eps, np.linspace(0, 1, _CANDIDATES + 1), method="lower")):
        needed, willing = head_size(k, budget, beta), np.count_nonzero(eps >= budget)
        asked = needed if size is None else int(size)
        if asked <= min(most, willing):
            best = min(best, (needed / willing, asked, float(budget)))
    if not best[1]:
        raise ValueError(f"k must have at least twice as many users as head and tail together, got n = {k.size}")
    return best[1:]


def head_size(k, epsilon, beta):
    """How many users the first variance takes."""
    for_privacy = 2 * (np.log(grid(k).size) - np.log(beta)) / epsilon / _RANK_SHARE
    return 2 * int(np.ceil(max(for_privacy, (np.log(2) - np.log(beta)) / (2 * SAMPLING_SHARE**2))))


def variance_scales(k: ArrayLike) -> Floats:
    """The public grid on which the variance is looked for: 2^-j / 4, the last at most 1 / (256 max k).

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.

    Returns
    -------
    numpy.ndarray, shape (G,)
        Candidates for `private_variance`, falling from 1/4.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.variance_scales([1, 4])[[0, -1]]
    array([0.25      , 0.00097656])
    """
    return grid(_validate.vector("k", k, 1, _validate.LARGE))


def grid(k):
    """The same for numbers of samples that are known to be right."""
    return np.ldexp(0.25, -np.arange(int(np.ceil(np.log2(k.max()))) + 7))


def least_share(k: ArrayLike, epsilon: ArrayLike, middle: ArrayLike) -> float:
    r"""What share of all weight the middle has at least, whatever the population is like.

    .. math:: \omega = \Big(1 + \sum_{i \text{ not in the middle}} \frac1{N_i}\Big)^{-1}, \qquad
              N_i = \sum_{j \text{ in the middle}} \min\Big(1, \frac{k_j}{k_i}\Big)
                    \min\Big(1, \frac{\epsilon_j}{\epsilon_i}\Big)

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50], public.
    middle : array_like of int
        Positions of the users in the middle, at least one of them, each once.

    Returns
    -------
    float
        In (0, 1]; the time grows like the product of the numbers of different users in the middle and outside it.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> k, epsilon = np.repeat([400, 20], [2000, 8000]), np.tile([0.1, 1.0], 5000)
    >>> parts = user_level.user_groups(k, epsilon)
    >>> round(user_level.least_share(k, epsilon, parts.middle), 3)
    0.724
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    eps = budgets(epsilon, k.size)
    middle = _validate.positions("middle", middle, k.size - 1)
    inside = np.zeros(k.size, dtype=bool)
    inside[middle] = True
    if not middle.size or np.count_nonzero(inside) != middle.size:
        raise ValueError(f"middle must hold positions of users, each once, got {_validate.show(middle)}")
    kinds, count = np.unique(np.stack([k[inside], eps[inside]]), axis=1, return_counts=True)
    outside, number = np.unique(np.stack([k[~inside], eps[~inside]]), axis=1, return_counts=True)
    equals = [np.sum(np.minimum(1, kinds[0] / m) * np.minimum(1, kinds[1] / e) * count) for m, e in outside.T]
    return float(1 / (1 + np.sum(number / np.array(equals))))
