r"""Algorithm 1 of Cummings et al. (2022): estimate the population mean without knowing D, and without privacy.

Three disjoint groups: users with most data for the variance of D, users with least data for a first mean, and the rest
for the estimate.  Page `user-level/algorithm-1` says line by line what is printed and what is meant.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, _plain
from hdp.user_level import model

_NONE = 1e-100  # a variance so small is none


class Groups(NamedTuple):
    """Indices of the users with most data, of those between, and of those with least.

    Parameters
    ----------
    top, middle, bottom : numpy.ndarray
        Positions of the users, each in one group.

    Examples
    --------
    >>> from hdp import user_level
    >>> top, middle, bottom = user_level.groups([5, 1, 9, 3, 7])
    >>> top.tolist()
    [2, 4]
    """

    top: NDArray[np.int64]
    middle: NDArray[np.int64]
    bottom: NDArray[np.int64]

    def __eq__(self, other):
        """Whether all three groups are equal."""
        if not isinstance(other, Groups):
            return NotImplemented
        return all(map(np.array_equal, self, other))

    def __ne__(self, other):
        """Whether a group differs."""
        return not self == other


Groups.__hash__ = None  # type: ignore[assignment]  # arrays may change


def groups(k: ArrayLike, top: int | None = None, bottom: int | None = None) -> Groups:
    r"""Split the users by their numbers of samples into three disjoint groups.

    Parameters
    ----------
    k : array_like, shape (n,)
        Numbers of samples, in [1, 1e50], in any order; ties keep the order of the users.
    top : int, optional
        Users with most data, at least 2; the paper's choice is :math:`\lceil\log n\rceil` (no base is named; here e).
    bottom : int, optional
        Users with least data, at least 1; the paper's choice is :math:`\lceil n/10\rceil`.

    Returns
    -------
    Groups
        The three groups, none of them empty.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or the groups leave nobody between them.

    Examples
    --------
    >>> from hdp import user_level
    >>> g = user_level.groups([5, 1, 9, 3, 7])
    >>> g.top.tolist(), g.middle.tolist(), g.bottom.tolist()
    ([2, 4], [0, 3], [1])
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    top = _validate.whole("top", max(2, np.ceil(np.log(k.size))) if top is None else top, 2)
    bottom = _validate.whole("bottom", np.ceil(k.size / 10) if bottom is None else bottom, 1)
    if top + bottom >= k.size:
        raise ValueError(f"k must have more than top + bottom = {top + bottom} entries, got {k.size}")
    order = np.argsort(-k, kind="stable")
    return Groups(order[:top], order[top : k.size - bottom], order[k.size - bottom :])


def initial_estimates(p_hat: ArrayLike, parts: Groups) -> tuple[Floats, Floats]:
    r"""Lines 2 and 3: mean of the bottom group, sample variance of the top group.

    Each has its expectation: p, and :math:`\sigma_p^2 + (p(1-p) - \sigma_p^2)\,\overline{1/k}` with the mean of
    :math:`1/k_i` over the top group.

    Parameters
    ----------
    p_hat : array_like, shape (..., n)
        The users' means, in [0, 1].
    parts : Groups
        As `groups` returns them.

    Returns
    -------
    mean, variance : numpy.ndarray, shape (...)
        One of each for every row.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or the groups leave nobody between them.

    Examples
    --------
    >>> from hdp import user_level
    >>> g = user_level.groups([5, 1, 9, 3, 7])
    >>> mean, variance = user_level.initial_estimates([0.2, 1, 0.6, 0, 0.4], g)
    >>> float(mean), round(float(variance), 3)
    (1.0, 0.02)
    """
    _validate.instance("parts", parts, Groups)
    users = 1 + max(int(part.max(initial=-1)) for part in parts)
    p_hat = _validate.number("p_hat", p_hat, 0, 1, secret=True)
    if p_hat.ndim == 0 or p_hat.shape[-1] < users:
        raise ValueError(f"p_hat must have a column for each of the {users} users in parts, got shape {p_hat.shape}")
    return p_hat[..., parts.bottom].mean(axis=-1), p_hat[..., parts.top].var(axis=-1, ddof=1)


def plug_in_weights(k: ArrayLike, mean: ArrayLike, variance: ArrayLike) -> Floats:
    r"""Lines 6 and 7: weights :math:`1/\hat\sigma_i^2` from estimates of p and of :math:`\sigma_p^2`.

    The estimated variance is capped at :math:`\hat p(1-\hat p)`, which Lemma 2.1 allows.

    Parameters
    ----------
    k : array_like, shape (m,)
        Numbers of samples of the users who take part, in [1, 1e50].
    mean, variance : array_like, shape (...)
        Estimates of p, in [0, 1], and of :math:`\sigma_p^2`, in [0, inf).

    Returns
    -------
    numpy.ndarray, shape (..., m)
        Weights, which sum to 1; equal if the estimated mean is 0 or 1, which says nothing about the variances.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or the groups leave nobody between them.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.plug_in_weights([24, 1], mean=0.5, variance=0.01).round(4)
    array([0.9259, 0.0741])
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    mean = _validate.number("mean", mean, 0, 1, secret=True)[..., None]  # these two are no private estimates
    bernoulli = mean * (1 - mean)
    variance = _validate.number("variance", variance, 0, _validate.LARGE, secret=True)[..., None]
    between = np.minimum(variance, bernoulli)
    variances = np.where(bernoulli > _NONE, model.variance_of_mean(bernoulli, between, k), 1.0)
    return (1 / variances) / np.sum(1 / variances, axis=-1, keepdims=True)


def estimate(p_hat: ArrayLike, k: ArrayLike, top: int | None = None, bottom: int | None = None) -> float | Floats:
    r"""Algorithm 1 as it is meant: the weighted mean of the middle group, with weights from the two others.

    It is unbiased, because the weights do not depend on the data that they multiply.  It is not private.

    Parameters
    ----------
    p_hat : array_like, shape (..., n)
        The users' means, in [0, 1].
    k : array_like, shape (n,)
        Numbers of samples, in [1, 1e50], in any order; ties keep the order of the users.
    top : int, optional
        Users with most data, at least 2; the paper's choice is :math:`\lceil\log n\rceil` (no base is named; here e).
    bottom : int, optional
        Users with least data, at least 1; the paper's choice is :math:`\lceil n/10\rceil`.

    Returns
    -------
    numpy.ndarray, shape (...), or float
        One estimate for each row; a float for a single one.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or the groups leave nobody between them.

    Examples
    --------
    >>> from hdp import user_level
    >>> round(user_level.estimate([0.2, 1, 0.6, 0, 0.5], [5, 1, 9, 3, 7]), 3)
    0.1
    """
    parts = groups(k, top, bottom)
    p_hat = _validate.data(p_hat, np.size(k), 0, 1, name="p_hat")
    weights = plug_in_weights(np.asarray(k, dtype=float)[parts.middle], *initial_estimates(p_hat, parts))
    return _plain(np.sum(weights * p_hat[..., parts.middle], axis=-1))
