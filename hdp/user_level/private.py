"""Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022): an estimator, and a run of it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, affine
from hdp._types import Floats, Rng, _plain
from hdp.user_level.algorithm_2 import (
    MIDDLE,
    UserRelease,
    answers,
    final_release,
    first_mean,
    first_variance,
    first_weights,
)
from hdp.user_level.ideal import budgets
from hdp.user_level.model import BETA, checked_prior, sample_mean_variance
from hdp.user_level.parts import UserGroups, grid, split


def private_estimate(
    means: ArrayLike,
    k: ArrayLike,
    epsilon: ArrayLike,
    rng: Rng,
    beta: float = BETA,
    first: ArrayLike | None = None,
    head: int | None = None,
    tail: int | None = None,
) -> UserRelease:
    r"""Algorithm 2: estimate p without knowing p or sigma_p.

    Parameters
    ----------
    means : array_like, shape (..., n)
        User means in [0, 1]; leading axes are independent runs.
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50], public.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    first : array_like, shape (..., n), optional
        First sample of each user, used for the tail as in the paper.  By default the user means take their place:
        the same guarantee and less variance.
    head, tail : int, optional
        Users with most data (even, at least 2), for the variance, and with least data, for the mean, as in
        `user_groups`.

    Returns
    -------
    UserRelease
        First mean, first variance, estimate.  When all data of one user are replaced, she loses at most her budget by
        all three.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or head and tail leave less than half of the users.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> rng, k = np.random.default_rng(1), np.repeat([400, 20], [2000, 8000])
    >>> means = rng.binomial(k, rng.beta(12, 12, 10_000)) / k
    >>> bool(abs(user_level.private_estimate(means, k, epsilon=1.0, rng=rng).estimate - 0.5) < 0.02)
    True
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    x = _validate.data(means, k.size, 0, 1, name="means")
    made = private_estimator(k, epsilon, None, beta, head, tail)
    rng = _validate.generator(rng)
    return made.run(x, x if first is None else _validate.data(first, k.size, 0, 1, name="first"), rng)


def private_estimator(
    k: ArrayLike,
    epsilon: ArrayLike,
    prior: tuple[float, float] | None = None,
    beta: float = BETA,
    head: int | None = None,
    tail: int | None = None,
) -> "Algorithm2":
    r"""Make Algorithm 2, an `hdp.estimator.Estimator` of user means in [0, 1], of shape (..., n).

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50], public.
    prior : (float, float), optional
        Mean p in (0, 1) and standard deviation :math:`\sigma_p` of the users' own means, from which the error is
        predicted as it would be if the first estimates were exactly what they aim at; without it the error is inf.
        The estimates do not depend on it.
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    head, tail : int, optional
        Users with most data (even, at least 2), for the variance, and with least data, for the mean, as in
        `user_groups`.

    Returns
    -------
    Estimator
        Its loss is that of publishing all of `private_estimate`.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or head and tail leave less than half of the users.

    Examples
    --------
    >>> from hdp import user_level
    >>> made = user_level.private_estimator([100] * 5000, epsilon=1.0, prior=(0.5, 0.05))
    >>> round(made.mse() ** 0.5, 4), made.loss[:2], made.users
    (0.0011, array([1., 1.]), 5000)
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    eps, beta = budgets(epsilon, k.size), _validate.chance("beta", beta)
    parts = split(k, eps, beta, head, tail)
    made = Algorithm2(k, eps, beta, parts, np.inf)
    if prior is None:
        return made
    p, sigma_p = checked_prior(prior)
    sigma2 = np.asarray(sample_mean_variance(p, sigma_p, k))
    if sigma2.min() < _validate.TINY:
        raise ValueError(f"prior must let means vary by what a float can hold, got {_validate.show(prior)}")
    alpha, middle = first_weights(eps[parts.tail], beta)[-1], parts.middle
    plan = final_release(k[middle], k.size, p, MIDDLE * sigma2[parts.head].max(), alpha, eps[middle], beta)
    return replace(made, predicted=affine.unbiased_error(plan.weights, plan.scale, sigma2[middle]))


@dataclass(frozen=True, eq=False)
class Algorithm2:
    """Algorithm 2 for users whose numbers of samples and budgets are known."""

    k: Floats
    epsilon: Floats
    beta: float
    parts: UserGroups
    predicted: float

    @property
    def users(self) -> int:
        """How many users it is made for."""
        return self.k.size

    def mse(self, variance: ArrayLike | None = None) -> float:
        """The error predicted from the prior; inf without one and for other variances, where nothing bounds it."""
        return self.predicted if variance is None else np.inf

    @property
    def loss(self) -> Floats:
        """Loss of every user at most, in nats, shape (n,), when all her data are replaced: each enters one release."""
        return self.epsilon

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set of user means, shape (..., n), in [0, 1]."""
        x = _validate.data(x, self.k.size, 0, 1)
        return _plain(self.run(x, x, _validate.generator(rng)).estimate)

    def run(self, x, lowest, rng):
        """Everything that is published, for user means and what the first mean is made of, which are not checked."""
        parts = self.parts
        mean, alpha = first_mean(lowest[..., parts.tail], self.epsilon[parts.tail], self.beta, rng)
        variance = np.asarray(first_variance(x[..., parts.head], grid(self.k), parts.head_budget, rng))
        data, k, eps = x[..., parts.middle], self.k[parts.middle], self.epsilon[parts.middle]
        found = answers(data, k, self.k.size, mean, variance, alpha, eps, self.beta, rng)
        return UserRelease(mean, variance, found)
