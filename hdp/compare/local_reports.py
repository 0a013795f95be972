r"""Four unbiased reports that a user sends who trusts nobody: which varies least, and how each is drawn.

"laplace" and "staircase" add noise to her value, "piecewise" draws from a density that is higher in a window around it.
"one-bit" rounds it at random to 0 or 1, so that the mean is right, and turns the bit over with the probability
:math:`1/(1+e^\epsilon)` of a lie, which the two answers :math:`1/2 \pm \coth(\epsilon/2)/2` undo.  Her loss is her
budget with each.  Pages `hybrid-trust/best-report` and `synthesis/mixed-trust` derive them.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hdp import _validate
from hdp._types import Floats, Rng, _plain

_LEAST = 1e-150  # of budgets: the variance of the noise for a smaller one overflows
LOCAL_REPORTS = ("laplace", "one-bit", "staircase", "piecewise")
_UPWARDS = 1 + 2.0**-50  # more than the rounding of the chance of a lie, which so never spends privacy
_RESOLUTION = 2.0**-53  # of the generator's uniform numbers: a smaller chance of a lie cannot be drawn


def report_variance(
    report: str, epsilon: ArrayLike, variance: ArrayLike = 0.25, mean: float | None = None
) -> float | Floats:
    r"""Variance of a report, of the value and of the noise together.

    Parameters
    ----------
    report : str
        "laplace", "one-bit", "staircase" or "piecewise".
    epsilon : array_like, shape (n,) or scalar
        Budget of each user, in [1e-150, inf].
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in [0, 1/4], or a public upper bound of it.
    mean : float, optional
        Mean of the values, in [0, 1]; unless given, the worst for the report, which is 1/2 for one bit, and as far
        from it as the variance allows for a piecewise density.

    Returns
    -------
    numpy.ndarray or float
        In squared units of the interval, of width 1; a float for a single user.

    Notes
    -----
    With :math:`b = e^{-\epsilon}`, :math:`g = e^{-\epsilon/2}` and :math:`d = |\mu - \tfrac12|`, that is

    - :math:`v + 2/\epsilon^2` with Laplace noise;
    - :math:`\tfrac14\coth^2\tfrac\epsilon2 - d^2` for one bit;
    - :math:`v + ((b(1+b)/2)^{2/3} + b)/(1-b)^2` with staircase noise (Geng & Viswanath, 2016);
    - :math:`v + (v+d^2)\,g/(1-g) + g(1+3g)/(12(1-g)^2)` with a piecewise density (Wang et al., 2019).

    Examples
    --------
    >>> from hdp import compare
    >>> round(compare.report_variance("piecewise", 2.0, 0.01), 4)
    0.3169
    """
    report = _validate.choice("report", report, LOCAL_REPORTS)
    epsilon = _validate.number("epsilon", epsilon, _LEAST)
    variance = _validate.number("variance", variance, 0, 0.25)
    _validate.same_shapes(epsilon=epsilon, variance=variance)
    mean = None if mean is None else _validate.scalar("mean", mean, 0, 1)
    return _plain(variance_of(report, epsilon, variance, mean) + np.zeros(np.shape(variance)))


def variance_of(report, epsilon, v, mean):
    """The same for arguments that are known to be right."""
    if report == "one-bit":
        return one_bit_variance(epsilon, 0.5 if mean is None else mean)
    with np.errstate(under="ignore"):
        if report == "laplace":
            return v + 2 * (1 / epsilon) ** 2
        if report == "staircase":
            b = np.exp(-epsilon)
            return v + ((b * (1 + b) / 2) ** (2 / 3) + b) / np.expm1(-epsilon) ** 2
        g, rest = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        spread = 0.25 if mean is None else v + (mean - 0.5) ** 2  # mean square of the distance from 1/2
        return v + spread * g / rest + g * (1 + 3 * g) / (12 * rest**2)


def best_report(epsilon: ArrayLike, variance: ArrayLike = 0.25, mean: float | None = None) -> NDArray[np.str_]:
    """Which of the four reports varies least, for each user; of those that vary alike, the first of them.

    Parameters
    ----------
    epsilon : array_like, shape (n,) or scalar
        Budget of each user, in [1e-150, inf].
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in [0, 1/4], or a public upper bound of it.
    mean : float, optional
        Mean of the values, in [0, 1]; unless given, the worst for the report, which is 1/2 for one bit, and as far
        from it as the variance allows for a piecewise density.

    Returns
    -------
    numpy.ndarray of str
        Names of the reports, in the shape of budgets and variances.

    Examples
    --------
    >>> from hdp import compare
    >>> compare.best_report([1.0, 2.0, 2.0, 5.0], [0.01, 0.01, 0.25, 0.01]).tolist()
    ['one-bit', 'piecewise', 'one-bit', 'staircase']
    """
    found = np.array([report_variance(report, epsilon, variance, mean) for report in LOCAL_REPORTS])
    return np.array(LOCAL_REPORTS)[np.argmin(found, axis=0)]


def local_report(x: ArrayLike, epsilon: ArrayLike, report: str | ArrayLike, rng: Rng) -> Floats:
    r"""What every user sends: unbiased, and private towards everybody.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Values in [0, 1]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-150, inf].
    report : str or array_like of str, shape (n,)
        "laplace", "one-bit", "staircase" or "piecewise", for all users or for each.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (..., n)
        Reports, whose means are the values.

    Notes
    -----
    Neighbours differ in one user's value; the budgets and the kinds of report are public.  Noise is drawn in floating
    point: for research, not for people.

    Examples
    --------
    >>> from hdp import compare
    >>> compare.local_report([0.2, 0.2], [3.0, 3.0], "piecewise", rng=1).round(3).tolist()
    [0.11, 1.223]
    """
    budget = _validate.vector("epsilon", epsilon, _LEAST)
    x = _validate.data(x, budget.size, 0, 1)
    names, rng, sent = _names(report, budget.shape), _validate.generator(rng), np.array(x, dtype=float)
    for name, draw in _DRAWS.items():
        chosen = names == name
        if chosen.any():
            sent[..., chosen] = draw(x[..., chosen], budget[chosen], rng)
    return sent


def _names(report, shape):
    """The name of each user's report, or ValueError."""
    names = np.full(shape, report) if isinstance(report, str) else _validate.array("report", report)
    if names.shape != shape or names.dtype.kind != "U":
        raise ValueError(f"report must be a name, or names of shape {shape}, got {_validate.show(report)}")
    for name in np.unique(names):
        _validate.choice("report", str(name), LOCAL_REPORTS)
    return names


def flip_probability(epsilon):
    """Chance of a lie for each budget in [0, inf], rounded up."""
    return np.clip(scipy.special.expit(-epsilon) * _UPWARDS, _RESOLUTION, 0.5)


def one_bit_variance(epsilon, mean=0.5):
    """Variance of a one-bit report; it depends on the values by their mean only, and is largest for the mean 1/2."""
    with np.errstate(over="ignore"):
        return 0.25 / np.tanh(epsilon / 2) ** 2 - (mean - 0.5) ** 2


def one_bit_report(x: ArrayLike, epsilon: ArrayLike, rng: Rng) -> Floats:
    r"""What every user sends who tells one bit about her value: unbiased, and private towards everybody.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Values in [0, 1]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    epsilon : array_like, shape (n,)
        Budget of each user, in [1e-150, inf].
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Returns
    -------
    numpy.ndarray, shape (..., n)
        Reports :math:`\tfrac12 \pm \tfrac12\coth(\epsilon_i/2)`, whose means are the values.

    Notes
    -----
    Neighbours differ in one user's value; the budgets are public.  The log-ratio of the probabilities of a report
    for two of her values is largest for 0 and 1, where it is her budget.  Lies are drawn no more rarely than
    :math:`2^{-53}`, so a budget above 36.7 is not spent to the end.

    Examples
    --------
    >>> from hdp import compare
    >>> import math
    >>> compare.one_bit_report([[0.0, 1.0]] * 3, [math.log(3)] * 2, rng=1).round(12).tolist()
    [[-0.5, 1.5], [-0.5, -0.5], [-0.5, 1.5]]
    """
    budget = _validate.vector("epsilon", epsilon, _LEAST)
    x = _validate.data(x, budget.size, 0, 1)
    rng = _validate.generator(rng)
    bit = rng.random(x.shape) < x
    lie = rng.random(x.shape) < flip_probability(budget)
    return 0.5 + np.where(bit != lie, 0.5, -0.5) / np.tanh(budget / 2)


def _laplace(x, epsilon, rng):
    return x + rng.laplace(size=x.shape) / epsilon


def _staircase(x, epsilon, rng):
    """A step, which of its two parts, a place there, a sign."""
    epsilon = np.minimum(epsilon, 1e300)  # no noise either
    rest = -np.expm1(-epsilon)  # 1 - b
    log_mass = (np.log1p(-rest / 2) - epsilon) / 3  # of m = b + (1 - b) gamma, of which the lower part has the rest
    upper = -np.expm1(-log_mass - epsilon) / rest  # chance of the upper part, gamma / m
    width = upper * np.exp(log_mass)
    step, place = np.floor(rng.exponential(size=x.shape) / epsilon), rng.random(x.shape)
    within = np.where(rng.random(x.shape) < upper, width * place, width + (1 - width) * place)
    return x + np.where(rng.random(x.shape) < 0.5, -1.0, 1.0) * (step + within)


def _piecewise(x, epsilon, rng):
    """A place in the window around the value, or in what is left on both sides of it."""
    g, rest = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
    place = rng.random(x.shape)
    near = rng.random(x.shape) * (1 + g) < 1
    return np.where(near, x - g * place, place - g * (place < x)) / rest


_DRAWS = {"laplace": _laplace, "one-bit": one_bit_report, "staircase": _staircase, "piecewise": _piecewise}
