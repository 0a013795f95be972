r"""ADPM, the affine differentially private mean (Algorithm 1 of Chaudhuri & Courtade, 2023).

User i holds one value in [-1/2, 1/2] and demands that the output be :math:`\epsilon_i`-private when only her value
changes; n and the budgets are public.  The estimator is :math:`\langle w, x\rangle` plus Laplace noise of scale
:math:`\max_i w_i/\epsilon_i`, with the weights that minimise its worst-case error.
One number settles everything: the clipping level :math:`\tau` with :math:`\sum_i \epsilon_i(\tau-\epsilon_i)_+ = 8`.
Page :doc:`/book/heterogeneous-budgets/upper-bound` derives it; `notion`, `dimension` and `shape` choose another
measure of privacy and vectors, for which page :doc:`/book/foundations/notions` translates the budgets.
"""

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, affine, notions
from hdp._elsewhere import Elsewhere, unit_of
from hdp._types import Floats, Rng, _plain
from hdp.affine import Affine
from hdp.clipping import _normalise, level
from hdp.notions import Notion

__all__ = [
    "answers_zero", "clipping_level", "effective_epsilon", "estimate", "estimator", "saturation_ratio",
    "two_group_bound", "weights", "worst_case_mse",
]  # fmt: skip


TRIVIAL_MSE = 0.25  # worst-case squared error of the answer 0 on [-1/2, 1/2], and in a ball of radius 1/2


def clipping_level(
    epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball"
) -> float:
    r"""Budget :math:`\tau` above which nobody's data is used any more loosely.

    .. math:: \sum_i \epsilon_i\,(\tau - \epsilon_i)_+ = 8

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    float
        The level, in (0, inf] and in the unit of the budgets; inf when every usable value is public.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Notes
    -----
    For two groups :math:`\tau = \epsilon_1 R` (eqs. 4 and 24 of the full version) whenever group 2 is clipped.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.clipping_level([1.0, float("inf")])
    9.0
    """
    unit = unit_of(notion, dimension, shape)
    eps = unit.pure(unit.reach(epsilon))
    return unit.back(level(eps, eps, 8.0))


def weights(epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball") -> Floats:
    r"""Optimal weights, proportional to :math:`\min(\epsilon_i, \tau)` (Algorithm 1; Table I for two groups).

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Weights on the simplex, exact up to rounding, in O(n) operations.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.weights([1.0, 4.0, float("inf")]).round(4)
    array([0.1, 0.4, 0.5])
    >>> adpm.weights([0.5, 2.0, 8.0], notion="zcdp", dimension=2).round(4)
    array([0.1429, 0.2857, 0.5714])
    """
    eps = _pure(epsilon, notion, dimension, shape)
    return _weights(eps, out=eps)  # a copy of the caller's; fresh memory costs more than the arithmetic


def effective_epsilon(
    epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball"
) -> Floats:
    r"""Privacy loss :math:`\min(\epsilon_i, \tau)` that the release causes each user, at most what she allowed.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Loss of the affine release, in nats or the notion's unit; where `answers_zero` the output is constant and
        nobody loses anything.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.effective_epsilon([1.0, 4.0, float("inf")])
    array([1., 4., 5.])
    """
    tau = clipping_level(epsilon, notion=notion, dimension=dimension, shape=shape)
    return np.minimum(_validate.budgets(epsilon), tau)


def worst_case_mse(
    epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball"
) -> float:
    r"""Worst-case error of Algorithm 1, :math:`\min\{\|w\|_2^2/4 + 2\max_i (w_i/\epsilon_i)^2,\ 1/4\}`.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    float
        Squared error over all distributions on [-1/2, 1/2], or squared distance, in (0, 1/4], in the cube in (0, d/4];
        it is attained by a fair coin on two opposite ends or corners, or by a point mass on one if the answer is 0.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> round(adpm.worst_case_mse([0.1] * 700 + [1.0] * 300), 9)
    0.000398936
    """
    return notions.parts(dimension, shape) * min(_affine_mse(epsilon, notion, dimension, shape), TRIVIAL_MSE)


def answers_zero(epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball") -> bool:
    """Whether Algorithm 1 takes its ``return 0`` branch, because the affine error would exceed 1/4.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    bool
        True if the answer is the constant 0.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.answers_zero([0.1, 0.1]), adpm.answers_zero([0.1] * 100)
    (True, False)
    """
    return _affine_mse(epsilon, notion, dimension, shape) > TRIVIAL_MSE


def estimate(
    x: ArrayLike,
    epsilon: ArrayLike,
    rng: Rng,
    *,
    notion: str | Notion = "pure",
    dimension: int = 1,
    shape: str = "ball",
) -> float | Floats:
    r"""Run Algorithm 1 on each data set, with the noise that the notion needs.

    That is Laplace noise for pure privacy and one number, of density proportional to :math:`e^{-\|y\|_2/s}` for
    vectors, to :math:`e^{-\|y\|_\infty/s}` in the cube, and Gaussian noise for every other notion.

    Parameters
    ----------
    x : array_like, shape (..., n) or (..., n, d)
        Data in [-1/2, 1/2], for d > 1 vectors in the ball or the cube.  Clamp beforehand: a check that fails is
        itself an output.
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    numpy.ndarray, shape (...) or (..., d), or float
        One estimate for each data set, as the algorithm prints it: not clamped to [-1/2, 1/2].

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.estimate([0.5, -0.5], [0.1, 0.1], 1)
    0.0
    """
    return estimator(epsilon, notion=notion, dimension=dimension, shape=shape).estimate(x, rng)


def estimator(
    epsilon: ArrayLike, *, notion: str | Notion = "pure", dimension: int = 1, shape: str = "ball"
) -> Affine | Elsewhere:
    r"""Make Algorithm 1, an `hdp.estimator.Estimator`: `error(variance)`, `privacy_loss()` and `estimate(x, rng)`.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    Estimator
        Its loss is in the unit of the budgets, its error a squared distance; of one number and pure budgets it also
        has `weights` and noise `scales`, and ``.around(1/2)`` is for data in [0, 1].

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> made = adpm.estimator([1.0, 4.0, float("inf")])
    >>> made.error(), made.privacy_loss()
    (0.125, array([1., 4., 5.]))
    """
    unit = unit_of(notion, dimension, shape)
    reach = unit.reach(epsilon)
    made = best(unit.pure(reach))
    if unit.kind is None:
        return made
    return Elsewhere(made, unit.kind, affine.least_scale(made.weights, reach), dimension, shape)


def best(eps):
    """Algorithm 1 for pure budgets of one number that are known to be right."""
    w = _weights(eps)
    scale = affine.least_scale(w, eps)
    if affine.unbiased_error(w, scale) > TRIVIAL_MSE:
        return Affine(np.zeros(w.size), np.empty(0))  # the answer 0, which costs nobody anything
    return Affine(w, np.array([scale]))


def saturation_ratio(
    epsilon_1: ArrayLike,
    n: ArrayLike,
    f: ArrayLike,
    *,
    notion: str | Notion = "pure",
    dimension: int = 1,
    shape: str = "ball",
) -> float | Floats:
    r"""Ratio :math:`R = 1 + 8/(\epsilon_1^2 n f)` of budgets from which group 2 is clipped (eq. 4, full version).

    Under another notion, or for vectors, it is the ratio of budgets in the notion's unit.

    Parameters
    ----------
    epsilon_1 : array_like
        Budget of group 1, the stricter one, in [0, inf].
    n : array_like
        Number of users, in [1, inf).
    f : array_like
        Fraction of users in group 1, in [0, 1]; no formula needs `n * f` to be whole.
    notion : str or Notion
        Unit of the budgets: ``"pure"``, ``"zcdp"``, ``"gdp"``, or what `hdp.notions` makes.
    dimension : int
        Dimension d of the values, at least 1.
    shape : str
        Where they lie: ``"ball"`` of radius 1/2, or ``"cube"`` of side 1, both around the origin.

    Returns
    -------
    float or numpy.ndarray
        In [1, inf], broadcast over the arguments; inf when the stricter group is empty or unusable.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> adpm.saturation_ratio(0.01, 80_000, 0.5)
    3.0
    """
    eps, n, f = _two_groups(epsilon_1, n, f)
    _validate.same_shapes(epsilon_1=eps, n=n, f=f)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        unit = unit_of(notion, dimension, shape)
        if unit.kind is None:
            return _plain(np.where(f == 0, np.inf, 1 + _excess(eps, n, f) / eps))
        same = unit.kind.reach(eps) * unit.factor
        clip = np.where(f == 0, np.inf, same + _excess(same, n, f)) / unit.factor
        return _plain(np.where(np.isinf(clip), np.inf, unit.kind.loss(clip) / eps))


def two_group_bound(epsilon_1: ArrayLike, epsilon_2: ArrayLike, n: ArrayLike, f: ArrayLike) -> float | Floats:
    r"""Upper bound of Theorem 1 for two groups, both cases, with the cap of 1/4.

    .. math::
        r \le R:\ \frac{fR+(1-f)r^2}{4n[f+(1-f)r]^2}, \qquad
        r \ge R:\ \frac{n f\epsilon_1^2+8}{4n[n f\epsilon_1^2+8(1-f)]}, \qquad r = \epsilon_2/\epsilon_1

    Parameters
    ----------
    epsilon_1 : array_like
        Budget of group 1, the stricter one, in [0, inf].
    epsilon_2 : array_like
        Budget of group 2, in [`epsilon_1`, inf].
    n : array_like
        Number of users, in [1, inf).
    f : array_like
        Fraction of users in group 1, in [0, 1]; no formula needs `n * f` to be whole.

    Returns
    -------
    float or numpy.ndarray
        Worst-case squared error in (0, 1/4], broadcast over the arguments.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp import adpm
    >>> round(adpm.two_group_bound(0.1, 1.0, 1000, 0.7), 9)
    0.000398936
    """
    eps_1, n, f = _two_groups(epsilon_1, n, f)
    eps_2 = _validate.number("epsilon_2", epsilon_2, 0)
    _validate.same_shapes(epsilon_1=eps_1, epsilon_2=eps_2, n=n, f=f)
    if np.any(eps_2 < eps_1):
        raise ValueError(f"epsilon_2 must lie in [epsilon_1, inf], got {epsilon_2!r} < epsilon_1 = {epsilon_1!r}")
    eps_1, eps_2 = np.where(f == 0, eps_2, eps_1), np.where(f == 1, eps_1, eps_2)  # an empty group has no budget
    with np.errstate(all="ignore"):
        clips = saturated(eps_1, eps_2, n, f)
        q = np.where(eps_2 > 0, eps_1 / eps_2, 1.0)
        mean_ratio = f * q + (1 - f)
        proportional = (f * q**2 + 1 - f) / (4 * n * mean_ratio**2) + 2 / (n * eps_2 * mean_ratio) ** 2
        strict = np.where(f == 0, 0.0, n * f * eps_1**2)
        clipped = np.where(np.isinf(strict), 1 / (4 * n), (strict + 8) / (4 * n * (strict + 8 * (1 - f))))
        bound = np.minimum(np.where(clips | np.isinf(eps_2), clipped, proportional), TRIVIAL_MSE)
    return _plain(bound)


def saturated(eps_1, eps_2, n, f):
    """Whether group 2 is clipped, eps_2 >= eps_1 R; decided where R itself would overflow, too."""
    with np.errstate(all="ignore"):
        return eps_2 >= eps_1 + _excess(eps_1, n, f)


def _excess(eps_1, n, f):
    """By how much the level of two groups, of which the second is clipped, exceeds the first one's budget."""
    f = np.where((f > 0) & np.isinf(eps_1), 1.0, f)  # nothing, however few are public; not inf / inf
    return 8 / (n * f) / eps_1


def _affine_mse(epsilon, notion="pure", dimension=1, shape="ball"):
    """Error of the affine estimator with the optimal weights, without the cap; in a cube that of one coordinate."""
    eps = _pure(epsilon, notion, dimension, shape)
    w = _weights(eps)
    return affine.unbiased_error(w, affine.least_scale(w, eps))


def _weights(eps, out=None):
    """Weights for pure budgets of one number; `out` may be the budgets themselves."""
    with np.errstate(under="ignore"):
        return _normalise(np.clip(eps, 0, level(eps, eps, 8.0), out=out))  # twice as fast as `minimum` with a scalar


def _pure(epsilon, notion, dimension, shape):
    unit = unit_of(notion, dimension, shape)
    return unit.pure(unit.reach(epsilon))


def _two_groups(epsilon_1, n, f):
    eps_1 = _validate.number("epsilon_1", epsilon_1, 0)
    n = _validate.number("n", n, 1, np.inf, open_high=True)
    return eps_1, n, _validate.number("f", f, 0, 1)
