r"""The estimators that Chaudhuri & Courtade compare (2023, section IV-A), in one registry and with one signature.

User i holds one value in [-1/2, 1/2], drawn from a distribution with some mean and variance, and allows a privacy
loss of :math:`\epsilon_i`; n and the budgets are public.  Every baseline is unbiased but two: ADPM where it answers 0,
and stretching.  A user with budget 0 is unusable: all of them leave her out, as if she were not among the n (the limit
:math:`\epsilon_i \to 0` can differ: the error of UNI then goes to infinity).  A budget of infinity is a public value.
Page :doc:`/book/heterogeneous-budgets/experiments` compares them.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, Rng
from hdp.affine import Affine
from hdp.baselines.mechanisms import BASELINES, NAMES, Baseline
from hdp.baselines.sampling import Sampling, nearby, privacy_loss_witness

__all__ = [
    "BASELINES", "NAMES", "Baseline", "estimator", "expected_mse", "panel", "privacy_loss_witness",
]  # fmt: skip


def estimator(name: str, epsilon: ArrayLike) -> Affine | Sampling:
    """Make a baseline, an `hdp.estimator.Estimator`: `mse(variance)`, `loss`, `estimate(x, rng)`.

    Parameters
    ----------
    name : str
        One of `NAMES`, or "ldpe-users" or "stretching".
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.

    Returns
    -------
    Estimator
        For data in [-1/2, 1/2], ``.within(lower, upper)`` for another interval; with `weights` and noise `scales`, or,
        for "sm", probabilities `kept`.

    Raises
    ------
    ValueError
        If the name is unknown, or an argument lies outside its range.

    Examples
    --------
    >>> from hdp import baselines
    >>> made = baselines.estimator("uni", [0.5, 1.0, 1.0, 2.0])
    >>> made.mse(), made.loss
    (0.5625, array([0.5, 0.5, 0.5, 0.5]))
    """
    return BASELINES[_validate.choice("name", name, BASELINES)].mechanism(epsilon)


def expected_mse(name: str, epsilon: ArrayLike, variance: float = 0.25, mean: float = 0.0) -> float:
    r"""Exact expected squared error of a baseline.

    Affine baselines: :math:`v\|w\|_2^2 + 2\sum_g s_g^2 + ((1-\sum_i w_i)\,\mu)^2` with noise scales :math:`s_g`.
    SM: :math:`E[v/m + 2/(mt)^2]` over the exact (Poisson-binomial) law of the sample size m.

    Parameters
    ----------
    name : str
        One of `NAMES`, or "ldpe-users" or "stretching".
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    variance : float
        Variance :math:`v` of the data, in [0, 1/4].
    mean : float
        Mean :math:`\mu` of the data, with variance + mean^2 <= 1/4 as on any distribution on [-1/2, 1/2].  It matters
        only to "stretching" and where "adpm" answers 0, whose error is then mean^2; worst over all distributions is
        `hdp.adpm.ADPM.mse`.

    Returns
    -------
    float
        In [0, inf].

    Raises
    ------
    ValueError
        If a name is unknown, stands twice or there is none, or an argument lies outside its range.

    Examples
    --------
    >>> from hdp import baselines
    >>> [round(1e4 * baselines.expected_mse(name, [0.1] * 700 + [1.0] * 300), 2) for name in baselines.NAMES]
    [3.99, 5.75, 4.04, 7.46, 22.5, 4.5]
    """
    variance = _validate.scalar("variance", variance, 0, 0.25)
    mean = _validate.scalar("mean", mean, -0.5, 0.5)
    if variance + mean * mean > 0.25 * (1 + 1e-12):
        raise ValueError(f"variance + mean^2 must lie in [0, 0.25] for data in [-1/2, 1/2], got {variance} + {mean}^2")
    return estimator(name, epsilon).mean_squared_error(variance, mean)


def panel(epsilon: ArrayLike, names: Sequence[str] = NAMES) -> Callable[[ArrayLike, Rng], dict[str, Floats]]:
    """Several baselines as one function of the same data, for `hdp.simulate.compare`: one pass over memory.

    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    names : sequence of str
        Which baselines, distinct.

    Returns
    -------
    callable
        `f(x, rng)` with x in [-1/2, 1/2], of shape (runs, n), returns a dict from name to estimates of shape (runs,).
        Each has the law of its own `estimate`; the baselines share one standard Laplace draw for each run
        (LDPE has its own), which makes their differences less noisy.

    Raises
    ------
    ValueError
        If a name is unknown, stands twice or there is none, or an argument lies outside its range.

    Examples
    --------
    >>> from hdp import baselines
    >>> import numpy as np
    >>> both = baselines.panel([1.0, 1.0], ("uni", "propdpm"))
    >>> np.ptp(list(both(np.zeros((3, 2)), np.random.default_rng(1)).values()), axis=0).tolist()
    [0.0, 0.0, 0.0]
    """
    known = isinstance(names, tuple | list) and all(isinstance(name, str) and name in BASELINES for name in names)
    if not known or not names or len(set(names)) < len(names):
        wanted = f"distinct, not empty and of {', '.join(BASELINES)}"
        raise ValueError(f"names must be {wanted}, got {_validate.show(names)}")
    mechanisms = {name: estimator(name, epsilon) for name in names}
    return _Panel(np.shape(epsilon)[0], mechanisms)


class _Panel:
    """What `panel` returns: several mechanisms on the same data."""

    def __init__(self, n, mechanisms):
        self.n = n
        self.mechanisms = mechanisms
        self.affine = {name: mechanism for name, mechanism in mechanisms.items() if isinstance(mechanism, Affine)}
        self.weights = np.array([mechanism.weights for mechanism in self.affine.values()]).reshape(-1, n, 1)

    def __call__(self, x, rng):
        x, rng = _validate.data(x, self.n), _validate.generator(rng)
        if x.ndim != 2:
            raise ValueError(f"x must have shape (runs, {self.n}), got {x.shape}")
        unit = rng.laplace(size=len(x))
        exact = dict(zip(self.affine, self._products(x), strict=True))
        return {
            name: mechanism.noisy(exact[name], rng, unit) if name in exact else mechanism.draw(x, rng, unit)
            for name, mechanism in self.mechanisms.items()
        }

    def _products(self, x):
        """<w, x> for the weights w of each affine mechanism, a row for each; see `nearby`."""
        products = np.empty((len(self.weights), len(x), 1))
        with np.errstate(under="ignore"):
            for near in nearby(x):
                np.matmul(x[near], self.weights, out=products[:, near])
        return products[..., 0]
