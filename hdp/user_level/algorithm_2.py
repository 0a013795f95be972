"""Algorithm 2 of Cummings, Feldman, McMillan & Talwar (2022), with a mean and a variance estimator of our choice.

The users are split by their public k_i into three disjoint groups: the tail (least data) gives a first mean, the head
(most data) a first variance, the middle the final answer.  Each user's data enter one epsilon-DP release, and what
the middle's release takes from the others is their published output: so all three releases together are epsilon-DP for
everybody when all data of one user are replaced (her k_i stays).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, Rng
from hdp.user_level.ideal import release, width
from hdp.user_level.model import BETA, variance_of_mean

_CHI2_MEDIAN = 0.454936423119572  # of the square of a standard normal variable
MIDDLE = np.sqrt(8)  # of the factor by which Theorem 4.1 allows the first variance to be off
_RANK_SHARE = 0.1  # part of the pairs by which privacy may move the rank of the chosen scale
_SAMPLING_SHARE = 0.15  # and by which the sample of pairs may (Hoeffding)


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


def user_groups(
    k: ArrayLike, epsilon: float, beta: float = BETA, head: int | None = None, tail: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    r"""Split the users by their public sample counts.

    Parameters
    ----------
    k : array_like, shape (n,)
        Samples of each user, in [1, 1e50], public.
    epsilon : float
        Budget of every user, in [1e-50, 1e50].
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    head, tail : int, optional
        Users with most data (even, at least 2), for the variance, and with least data, for the mean.  By default
        :math:`2\lceil \max\{20 \log(G/\beta)/\epsilon,\ 22.2 \log(2/\beta)\} \rceil` for G
        candidate scales, and n // 10.  The paper's head is log n.

    Returns
    -------
    tuple of numpy.ndarray
        Positions of head, middle and tail; ties in k are broken by position.

    Raises
    ------
    ValueError
        If an argument lies outside its range, shapes do not fit, or head and tail leave less than half of the users.

    Examples
    --------
    >>> from hdp import user_level
    >>> [len(g) for g in user_level.user_groups([100] * 1000 + [1] * 9000, epsilon=1.0)]
    [226, 8774, 1000]
    """
    k = _validate.vector("k", k, 1, _validate.LARGE)
    return split(k, _validate.size("epsilon", epsilon), _validate.chance("beta", beta), head, tail)


def split(k, epsilon, beta, head, tail):
    """The same where all but the sizes of head and tail are known to be right."""
    n = k.size
    head = _validate.whole("head", head_size(k, epsilon, beta) if head is None else head, 2)
    tail = _validate.whole("tail", n // 10 if tail is None else tail, 1)
    if head % 2:
        raise ValueError(f"head must be even, because its users are paired, got {head}")
    if 2 * (head + tail) > n:
        need = f"head {head} and tail {tail} need n at least {2 * (head + tail)}"
        raise ValueError(f"k must have at least twice as many users as head and tail together: {need}, got n = {n}")
    order = np.argsort(-k, kind="stable")
    return order[:head], order[head : n - tail], order[n - tail :]


def head_size(k, epsilon, beta):
    """How many users the first variance takes."""
    for_privacy = 2 * (np.log(grid(k).size) - np.log(beta)) / epsilon / _RANK_SHARE
    return 2 * int(np.ceil(max(for_privacy, (np.log(2) - np.log(beta)) / (2 * _SAMPLING_SHARE**2))))


def private_mean(values: ArrayLike, epsilon: float, beta: float, rng: Rng) -> tuple[Floats, float]:
    r"""A first mean, average plus Laplace noise of scale :math:`1/(m\epsilon)`, and its accuracy alpha.

    .. math:: \alpha = \frac{\log(2/\beta)}{m\epsilon} + \sqrt{\frac{\log(4/\beta)}{2m}}

    Parameters
    ----------
    values : array_like, shape (..., m)
        One number in [0, 1] from each of m users.
    epsilon : float
        Budget of every user, in [1e-50, 1e50].
    beta : float
        Probability of each of two failures at most, in (0, 1): that the first mean errs by more than its accuracy, and
        that anybody is truncated although the first variance is not too small.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    mean : numpy.ndarray, shape (...)
        Clipped to [1/(2m), 1 - 1/(2m)], which costs no privacy.
    alpha : float
        From a Laplace and a Hoeffding tail of probability beta / 2 each.

    Notes
    -----
    Privacy: replacing one user moves the average by at most 1/m, so the loss is at most epsilon.

    Examples
    --------
    >>> from hdp import user_level
    >>> import numpy as np
    >>> mean, alpha = user_level.private_mean(np.repeat([0.0, 1.0], 500), epsilon=1.0, beta=0.05, rng=1)
    >>> bool(abs(mean - 0.5) < alpha), round(alpha, 4)
    (True, 0.0505)
    """
    x = _validate.number("values", values, 0, 1, secret=True)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"values must have shape (..., m) with m at least 1, got {x.shape}")
    epsilon, beta = _validate.size("epsilon", epsilon), _validate.chance("beta", beta)
    return first_mean(x, epsilon, beta, _validate.generator(rng))


def first_mean(x, epsilon, beta, rng):
    """The same for arguments that are known to be right."""
    m = x.shape[-1]
    noise = rng.laplace(0.0, 1 / (m * epsilon), x.shape[:-1])
    return np.clip(x.mean(axis=-1) + noise, 1 / (2 * m), 1 - 1 / (2 * m)), mean_accuracy(m, epsilon, beta)


def mean_accuracy(m, epsilon, beta):
    """What the error of `private_mean` of m users exceeds with probability beta at most."""
    return accuracy(1 / (m * epsilon), m**-0.5, beta)


def accuracy(scale, norm, beta):
    """The same of a weighted mean, for the scale of its Laplace noise and the Euclidean norm of its weights."""
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
    """Lines 4 to 14 of Algorithm 2 for the middle users, for one budget or one of each of them.

    It reads nothing but public numbers and published ones.
    """
    sigma = np.sqrt(variance_of_mean(mean * (1 - mean), variance, k))
    return release(mean, sigma, alpha + width(k, n, variance, beta), epsilon)
