"""The best unbiased private estimator for a few users, by linear programming: what Theorem 5.1 speaks about."""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate

_INFEASIBLE = 2  # of scipy.optimize.linprog
_MOST_ROWS = 20_000  # constraints: some minutes of the solver
_MOST_OUTPUT = 1e6  # its tolerances are absolute


def best_unbiased_variance(
    k: Sequence[int], epsilon: float, outputs: ArrayLike, means: Sequence[float] = (1 / 3, 0.4, 0.5, 0.6, 2 / 3)
) -> float:
    r"""Least worst variance of an unbiased private estimator of p with these outputs, for Bernoulli(p) samples.

    Every user has :math:`p_i = p`, so :math:`\sigma_p = 0`.  The probabilities :math:`P(y \mid x)` of the outputs y
    given the counts x of ones are the variables of a linear programme:

    .. math:: \min_P\ \max_p\ \mathbb E\,(y - p)^2, \qquad P(y \mid x) \le e^{\epsilon} P(y \mid x'), \qquad
              \mathbb E\,y = p\ \text{ for all } p

    for all x, x' that differ in one user.  Unbiased on an interval is unbiased for all p: the mean is a polynomial.

    Parameters
    ----------
    k : sequence of int, shape (n,)
        Numbers of samples, each in [1, 50]; the programme has ``prod(k_i + 1) * len(outputs)`` variables, and
        ``sum(k_i)`` times as many constraints, which must not be more than 20,000.
    epsilon : float
        Budget of every user, in (0, 20]: the solver cannot tell larger factors from none.
    outputs : array_like, shape (m,)
        Values the estimator may take, in [-1e6, 1e6].
    means : sequence of float
        The p over which the variance is maximised, each in (0, 1).

    Returns
    -------
    float
        The variance; inf if the programme has no solution, so that no such estimator is unbiased.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    RuntimeError
        If the solver gives up for another reason, such as its own limits.

    Examples
    --------
    One user and one sample: randomised response is best, with variance 1/(4 tanh(epsilon/2)^2) at p = 1/2.

    >>> import numpy as np
    >>> from hdp.user_level import best_unbiased_variance
    >>> edge = 1 / np.tanh(0.5) / 2
    >>> value = best_unbiased_variance([1], 1.0, [0.5 - edge, 0.5 + edge], means=[0.5])
    >>> bool(np.isclose(value, edge**2))
    True
    """
    k = _validate.vector("k", k, 1, 50)
    if np.any(k != np.floor(k)):
        raise ValueError(f"k must be whole numbers, got {k.tolist()}")
    epsilon = _validate.scalar("epsilon", epsilon, 0, 20, open_low=True)
    y = _validate.vector("outputs", outputs, -_MOST_OUTPUT, _MOST_OUTPUT)
    means = _validate.vector("means", means, 0, 1, open_low=True, open_high=True)
    rows = np.prod(k + 1) * k.sum() * y.size
    if rows > _MOST_ROWS:
        raise ValueError(f"k and outputs must make at most {_MOST_ROWS} constraints of privacy, got {rows:.3g}")
    states = np.array(list(product(*(range(int(v) + 1) for v in k))))
    ways, ones = np.prod(scipy.special.comb(k, states), axis=1), states.sum(axis=1)

    total = int(k.sum())
    by_count = np.array([np.where(ones == j, ways, 0) for j in range(total + 1)])  # E y = p, power by power
    equal = np.vstack([np.kron(np.eye(len(states)), np.ones(y.size)), np.kron(by_count, y)])
    j = np.arange(total + 1)
    wanted = np.append(np.ones(len(states)), scipy.special.comb(total, j) * j / total)

    at = [ways * p**ones * (1 - p) ** (total - ones) for p in means]
    variances = np.vstack([np.append(np.kron(q, (y - p) ** 2), -1.0) for p, q in zip(means, at, strict=True)])
    private = _privacy_rows(states, y.size, np.exp(epsilon))
    bounded = scipy.sparse.vstack([scipy.sparse.coo_array(variances), private], format="csr")
    cost = np.append(np.zeros(states.shape[0] * y.size), 1.0)
    limits = {"A_ub": bounded, "b_ub": np.zeros(bounded.shape[0])}
    limits |= {"A_eq": np.hstack([equal, np.zeros((equal.shape[0], 1))]), "b_eq": wanted}
    result = scipy.optimize.linprog(cost, **limits, method="highs")
    if result.status not in (0, _INFEASIBLE):
        raise RuntimeError(f"the linear programme was not solved: {result.message}")
    return np.inf if result.status == _INFEASIBLE else float(result.fun)


def _privacy_rows(states, size, factor):
    """Rows of P(y|x) - factor P(y|x') <= 0, with a last column for the variance, which they do not use."""
    pairs = [(a, b) for a, b in combinations(range(len(states)), 2) if np.sum(states[a] != states[b]) == 1]
    pairs = np.array(pairs + [(b, a) for a, b in pairs])
    column = pairs[:, :, None] * size + np.arange(size)
    row = np.arange(pairs.shape[0] * size)
    values = np.concatenate([np.ones(row.size), np.full(row.size, -factor)])
    places = (np.tile(row, 2), np.concatenate([column[:, 0].ravel(), column[:, 1].ravel()]))
    return scipy.sparse.coo_array((values, places), shape=(row.size, len(states) * size + 1))
