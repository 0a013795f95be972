"""Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022), with a mean and a variance estimator of our choice.

The users are split into three disjoint groups (see `user_groups`): the tail gives a first mean with the weights of
`hdp.adpm`, the head a first variance, the middle the answer, with the weights of the one lemma for estimated variances,
intervals and budgets.  Each user's data enter one release, and what the middle's takes from the others is their
published output: so all three together cost her at most her own budget when all her data are replaced (her k_i stays).
Pages `user-level/algorithm-2` and `user-level/personal-budgets` prove it, and how good the answer is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm, affine
from hdp._types import Floats, Rng
from hdp.user_level.ideal import budgets, release, width
from hdp.user_level.model import variance_of_mean

_CHI2_MEDIAN = 0.454936423119572  # of the square of a standard normal variable
MIDDLE = np.sqrt(8)  # of the factor by which Theorem 4.1 allows the first variance to be off


@dataclass(frozen=True, eq=False)
class UserRelease:
    """What Algorithm 2 publishes.

    Parameters
    ----------
    initial_mean, initial_variance : numpy.ndarray, shape (...)
        First estimates of p and of the variance of the users' means.
    estimate : numpy.ndarray, shape (...)
        The answer, of the shape of the runs.

    Examples
    --------
    >>> from hdp import user_level
    >>> user_level.private_estimate([0.5] * 2000, [100] * 2000, epsilon=1.0, rng=1).initial_mean.shape
    ()
    """

    initial_mean: Floats
    initial_variance: Floats
    estimate: Floats


def private_mean(values: ArrayLike, epsilon: ArrayLike, beta: float, rng: Rng) -> tuple[Floats, float]:
    r"""A first mean with the weights of `hdp.adpm`, and its accuracy alpha.

    .. math:: \alpha = \eta\log\frac2\beta + \|w\|_2\sqrt{\frac12\log\frac4\beta}, \qquad
              \eta = \max_i \frac{w_i}{\epsilon_i}

    Parameters
    ----------
    values : array_like, shape (..., n)
        One number in [0, 1] from each user.
    epsilon : float or array_like, shape (n,)
        Budget of every user, or of each, in [1e-50, 1e50], public.
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

    Notes
    -----
    Privacy: replacing user i moves the weighted mean by at most w_i, so she loses at most :math:`w_i/\eta`.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> k, epsilon = np.repeat([400, 20], [2000, 8000]), np.tile([0.1, 1.0], 5000)
    >>> mean, alpha = user_level.private_mean(np.repeat([0.0, 1.0], 500), epsilon[:1000], beta=0.05, rng=1)
    >>> bool(abs(mean - 0.5) < alpha), round(alpha, 4)
    (True, 0.0717)
    """
    x = _validate.number("values", values, 0, 1, secret=True)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"values must have shape (..., n) with n at least 1, got {x.shape}")
    eps, beta = budgets(epsilon, x.shape[-1]), _validate.chance("beta", beta)
    return first_mean(x, eps, beta, _validate.generator(rng))


def first_mean(x, eps, beta, rng):
    """The same for arguments that are known to be right."""
    w, scale, alpha = first_weights(eps, beta)
    least = 1 / (2 * eps.size)
    return np.clip(x @ w + rng.laplace(0.0, scale, x.shape[:-1]), least, 1 - least), alpha


def first_weights(eps, beta):
    """Its weights, the scale of its noise, and its accuracy."""
    w = adpm.ADPM(eps).weights
    scale = affine.least_scale(w, eps)
    return w, scale, accuracy(scale, np.linalg.norm(w), beta)


def accuracy(scale, norm, beta):
    """What the error of a weighted mean exceeds with probability beta at most.

    That is for this scale of its Laplace noise and Euclidean norm of its weights.
    """
    log = -np.log(beta)
    return float(scale * (np.log(2) + log) + norm * np.sqrt((np.log(4) + log) / 2))


def private_variance(means: ArrayLike, scales: ArrayLike, epsilon: float, rng: Rng) -> Floats:
    r"""A first variance: the exponential mechanism finds the scale below which half of the squared differences lie.

    Users are paired as they stand; pair j has :math:`y_j = (\hat p_{2j} - \hat p_{2j+1})^2/2`, and scale v the score
    :math:`u(v) = -|\#\{j : y_j \le 0.455\,v\} - N/2|`.  A scale is drawn with probability proportional to
    :math:`e^{\epsilon u/2}` and multiplied by :math:`\sqrt 8`, the middle of the factor 8 that Theorem 4.1 allows.

    Parameters
    ----------
    means : array_like, shape (..., m)
        User means in [0, 1], m even and at least 2.
    scales : array_like, shape (G,)
        Public candidates, in [1e-300, 1e300].
    epsilon : float
        Budget of every user, in [1e-50, 1e50].
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (...)
        One variance for each run.

    Notes
    -----
    Privacy: a user is in one pair, so replacing her moves every count, and every score, by at most 1; then each
    probability changes by a factor of at most :math:`e^{\epsilon}` (half from its weight, half from the total).
    Accuracy: with probability 1 - beta the score is within :math:`(2/\epsilon)\log(G/\beta)` of the best one
    (McSherry & Talwar, 2007), so m must be a multiple of :math:`\log(G/\beta)/\epsilon`; and the differences must
    be spread roughly like normal ones, which takes p_i with a density, or k_i p (1 - p) of 10 or more.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> means = np.random.default_rng(1).normal(0.5, 0.1, 400)
    >>> bool(0.01 <= user_level.private_variance(means, 0.25 * 0.5 ** np.arange(12), epsilon=1.0, rng=2) <= 0.08)
    True
    """
    x = _validate.number("means", means, 0, 1, secret=True)
    scales = _validate.vector("scales", scales, 1e-300, 1e300)
    if x.ndim == 0 or x.shape[-1] < 2 or x.shape[-1] % 2:
        raise ValueError(f"means must have shape (..., m) with m even and at least 2, got {x.shape}")
    return first_variance(x, scales, _validate.size("epsilon", epsilon), _validate.generator(rng))


def first_variance(x, scales, epsilon, rng):
    """The same for arguments that are known to be right."""
    probability = scale_probabilities(x, scales, epsilon)
    draw = rng.random((*probability.shape[:-1], 1))
    chosen = np.sum(np.cumsum(probability, axis=-1) < draw, axis=-1)
    return MIDDLE * scales[np.minimum(chosen, scales.size - 1)]


def scale_probabilities(x, scales, epsilon):
    """The exact probabilities of `private_variance`, of shape (..., G)."""
    y = np.sort((x[..., ::2] - x[..., 1::2]) ** 2 / 2, axis=-1)
    count = np.stack([(y <= _CHI2_MEDIAN * v).sum(axis=-1) for v in scales], axis=-1)
    score = -np.abs(count - y.shape[-1] / 2)
    odds = np.exp(epsilon / 2 * (score - score.max(axis=-1, keepdims=True)))
    return odds / odds.sum(axis=-1, keepdims=True)


def answers(x, k, n, mean, variance, alpha, epsilon, beta, rng):
    """What the middle users' data say in every run, after the first estimates."""
    estimate = np.empty(x.shape[:-1])
    for run in np.ndindex(estimate.shape):
        plan = final_release(k, n, mean[run], variance[run], alpha, epsilon, beta)
        estimate[run] = plan.estimate(x[run], rng)
    return estimate


def final_release(k, n, mean, variance, alpha, epsilon, beta):
    """Lines 4 to 14 of Algorithm 2 for the middle users, with the budget of each of them.

    It reads nothing but public numbers and published ones.
    """
    sigma = np.sqrt(variance_of_mean(mean * (1 - mean), variance, k))
    return release(mean, sigma, alpha + width(k, n, variance, beta), epsilon)
