r"""Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022) where every user has a budget of her own.

The numbers k_i of samples and the budgets are public, and they alone decide who is in which of three disjoint groups.
The head (most data, among those who allow its common budget) gives a first variance, the tail (least data) a first mean
with the weights of `hdp.adpm`, the middle the answer with those of the one lemma for estimated variances, intervals and
budgets.  So each user's data enter one release, which costs her at most her own budget when all of them are replaced.
Page `user-level/personal-budgets` proves it, and how good the answer is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate, adpm, affine
from hdp._types import Floats, Rng
from hdp.user_level.algorithm_2 import (
    UserRelease,
    accuracy,
    answers,
    first_variance,
    grid,
    head_size,
)
from hdp.user_level.model import BETA

_CANDIDATES = 64  # quantiles of the budgets of which one becomes that of the head


class PersonalGroups(NamedTuple):
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
    >>> parts = user_level.personal_groups([9, 9, 5, 4, 3, 2, 1, 1], [1.0] * 7 + [2.0], head=2, tail=1)
    >>> parts.head.tolist(), parts.tail.tolist(), parts.head_budget
    ([0, 1], [7], 1.0)
    """

    head: NDArray[np.int64]
    middle: NDArray[np.int64]
    tail: NDArray[np.int64]
    head_budget: float


def personal_groups(
    k: ArrayLike, epsilon: ArrayLike, beta: float = BETA, head: int | None = None, tail: int | None = None
) -> PersonalGroups:
    r"""Split the users by their public numbers of samples and budgets.

    The head's budget is one of the budgets (a quantile, if they are many): the one for which a head of the default
    size is the smallest part of those who allow it, whatever size is asked for.  Of these, the head has most data.

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-50, 1e50], public.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    head, tail : int, optional
        Users for the first variance (even, at least 2) and for the first mean.  By default the head is as large as
        in `user_groups` for its common budget, and the tail n // 10.

    Returns
    -------
    PersonalGroups
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
    >>> parts = user_level.personal_groups(k, epsilon)
    >>> [len(group) for group in parts[:3]], parts.head_budget
    ([232, 8768, 1000], 1.0)
    """
    k, eps = _users(k, epsilon)
    return split(k, eps, _validate.chance("beta", beta), head, tail)


def split(k, eps, beta, head, tail):
    """The same where all but the sizes of head and tail are known to be right."""
    tail = _validate.whole("tail", k.size // 10 if tail is None else tail, 1)
    order = np.argsort(-k, kind="stable")
    size, budget = _head(k, eps, beta, head, k.size // 2 - tail)
    asked = np.flatnonzero(eps[order] >= budget)[:size]
    rest = np.delete(order, asked)
    return PersonalGroups(order[asked], rest[: rest.size - tail], rest[rest.size - tail :], budget)


def least_share(k: ArrayLike, epsilon: ArrayLike, middle: ArrayLike) -> float:
    r"""What share of all weight the middle has at least, whatever the population is like.

    .. math:: \omega = \Big(1 + \sum_{i \text{ not in the middle}} \frac1{N_i}\Big)^{-1}, \qquad
              N_i = \sum_{j \text{ in the middle}} \min\Big(1, \frac{k_j}{k_i}\Big)
                    \min\Big(1, \frac{\epsilon_j}{\epsilon_i}\Big)

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-50, 1e50], public.
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
    >>> parts = user_level.personal_groups(k, epsilon)
    >>> round(user_level.least_share(k, epsilon, parts.middle), 3)
    0.724
    """
    k, eps = _users(k, epsilon)
    middle = _validate.positions("middle", middle, k.size - 1)
    inside = np.zeros(k.size, dtype=bool)
    inside[middle] = True
    if not middle.size or np.count_nonzero(inside) != middle.size:
        raise ValueError(f"middle must hold positions of users, each once, got {_validate.show(middle)}")
    kinds, count = np.unique(np.stack([k[inside], eps[inside]]), axis=1, return_counts=True)
    outside, number = np.unique(np.stack([k[~inside], eps[~inside]]), axis=1, return_counts=True)
    equals = [np.sum(np.minimum(1, kinds[0] / m) * np.minimum(1, kinds[1] / e) * count) for m, e in outside.T]
    return float(1 / (1 + np.sum(number / np.array(equals))))


def personal_mean(values: ArrayLike, epsilon: ArrayLike, beta: float, rng: Rng) -> tuple[Floats, float]:
    r"""A first mean with the weights of `hdp.adpm`, and its accuracy alpha.

    .. math:: \alpha = \eta\log\frac2\beta + \|w\|_2\sqrt{\frac12\log\frac4\beta}, \qquad
              \eta = \max_i \frac{w_i}{\epsilon_i}

    Parameters
    ----------
    values : array_like, shape (..., n)
        One number in [0, 1] from each user.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-50, 1e50], public.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    mean : numpy.ndarray, shape (...)
        Clipped to [1/(2n), 1 - 1/(2n)], which costs no privacy.
    alpha : float
        From a Laplace and a Hoeffding tail of probability beta / 2 each.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> k, epsilon = np.repeat([400, 20], [2000, 8000]), np.tile([0.1, 1.0], 5000)
    >>> mean, alpha = user_level.personal_mean(np.repeat([0.0, 1.0], 500), epsilon[:1000], beta=0.05, rng=1)
    >>> bool(abs(mean - 0.5) < alpha), round(alpha, 4)
    (True, 0.0717)
    """
    eps = _validate.vector("epsilon", epsilon, _validate.SMALL, _validate.LARGE)
    x = _validate.data(values, eps.size, 0, 1, name="values")
    return first_mean(x, eps, _validate.chance("beta", beta), _validate.generator(rng))


def first_mean(x, eps, beta, rng):
    """The same for arguments that are known to be right."""
    w = adpm.ADPM(eps).weights
    scale, least = affine.least_scale(w, eps), 1 / (2 * eps.size)
    noisy = x @ w + rng.laplace(0.0, scale, x.shape[:-1])
    return np.clip(noisy, least, 1 - least), first_accuracy(w, scale, beta)


def first_accuracy(w, scale, beta):
    """What the error of `personal_mean` exceeds with probability beta at most."""
    return accuracy(scale, np.linalg.norm(w), beta)


def personal_estimate(
    means: ArrayLike,
    k: ArrayLike,
    epsilon: ArrayLike,
    rng: Rng,
    beta: float = BETA,
    head: int | None = None,
    tail: int | None = None,
) -> UserRelease:
    r"""Algorithm 2 with personal budgets: estimate p without knowing p or sigma_p.

    Parameters
    ----------
    means : array_like, shape (..., n)
        User means in [0, 1]; leading axes are independent runs.
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-50, 1e50], public.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    head, tail : int, optional
        Users for the first variance (even, at least 2) and for the first mean.  By default the head is as large as
        in `user_groups` for its common budget, and the tail n // 10.

    Returns
    -------
    UserRelease
        First mean, first variance, estimate.  When all data of one user are replaced, she loses at most her entry of
        epsilon by all three.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or head and tail leave less than half of the users.

    Notes
    -----
    With equal budgets it is `private_estimate`.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> k, epsilon = np.repeat([400, 20], [2000, 8000]), np.tile([0.1, 1.0], 5000)
    >>> rng = np.random.default_rng(1)
    >>> means = rng.binomial(k, rng.beta(12, 12, 10_000)) / k
    >>> bool(abs(user_level.personal_estimate(means, k, epsilon, rng).estimate - 0.5) < 0.02)
    True
    """
    k, eps = _users(k, epsilon)
    x = _validate.data(means, k.size, 0, 1, name="means")
    beta = _validate.chance("beta", beta)
    parts, rng = split(k, eps, beta, head, tail), _validate.generator(rng)
    mean, alpha = first_mean(x[..., parts.tail], eps[parts.tail], beta, rng)
    variance = np.asarray(first_variance(x[..., parts.head], grid(k), parts.head_budget, rng))
    data, samples = x[..., parts.middle], k[parts.middle]
    found = answers(data, samples, k.size, mean, variance, alpha, eps[parts.middle], beta, rng)
    return UserRelease(mean, variance, found)


def _users(k, epsilon):
    k = _validate.vector("k", k, 1, _validate.LARGE)
    eps = _validate.vector("epsilon", epsilon, _validate.SMALL, _validate.LARGE)
    _validate.alike(k=k, epsilon=eps)
    return k, eps


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
