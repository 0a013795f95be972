r"""The best linear release whose reports stay secret: their noise hides those who trust the curator, too.

User i of the group L hands the curator :math:`x_i` plus Gaussian noise of her own, whose standard deviation is one over
her reach :math:`b_i`; users of the group C hand her their values.  She publishes one weighted sum, to which she adds
Gaussian noise where that of the reports is not enough, and never the reports.  Its variance besides that of the values,
:math:`S`, is then the larger of two numbers of which a release with published reports has the sum:

.. math:: N = \sum_{i \in L}\Big(\frac{w_i}{b_i}\Big)^2, \qquad
   \max_{i \in C}\Big(\frac{w_i}{b_i}\Big)^2 + \max_{J \subset L,\ |J| = m}\ \sum_{i \in J}\Big(\frac{w_i}{b_i}\Big)^2

for a coalition of any m local users, who pool what they know of their noise.
Page `hybrid-trust/secret-reports` derives it.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate, notions
from hdp._types import Floats, Rng
from hdp.compare.mixed import clamped
from hdp.estimator import variance_vector
from hdp.notions import Notion
from hdp.users import Users

_FAR = 1e100  # a larger reach is cut to this one, which protects better
_LEAST = 1e-100  # a smaller variance makes no difference


@dataclass(frozen=True, eq=False)
class SecretRelease:
    r"""Weights and noise of a release with secret reports, in the order of the users.  `secret_release` makes it.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,)
        How much each value counts.
    report_scale : numpy.ndarray, shape (n,)
        Standard deviation of the noise in each user's report, 0 for those who make none.
    curator_scale : float
        Standard deviation of the curator's noise; 0 where that of the reports is enough.
    variance : numpy.ndarray, shape (n,)
        What the weights are best for.
    measure : Notion
        How privacy is measured.

    Examples
    --------
    >>> from hdp.compare import secret_release
    >>> from hdp.users import Users
    >>> plan = secret_release(Users([0.2] * 200, ["curator", "local"] * 100))
    >>> round(plan.mse(), 6), plan.curator_scale, round(float(plan.loss[0]), 12)
    (0.004153, 0.0, 0.2)
    """

    weights: Floats
    report_scale: Floats
    curator_scale: float
    variance: Floats
    measure: Notion

    @property
    def users(self) -> int:
        """How many users have weight."""
        return int(np.count_nonzero(self.weights))

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Expected squared error before clamping.

        The variance of a value, in (0, 1/4], shape (n,) or scalar, is by default that for which weights are best.
        """
        v = self.variance if variance is None else variance_vector(variance, self.weights.size)
        with np.errstate(under="ignore"):
            return float(np.sum(v * self.weights**2) + np.sum(self._report_noise()) + self.curator_scale**2)

    @property
    def loss(self) -> Floats:
        """Loss of every user, as `loss_to` says, to whoever knows no local user's noise."""
        return self.loss_to(0)

    def loss_to(self, coalition: int) -> Floats:
        """Loss of every user, shape (n,), in the unit of the measure.

        That of a local user is towards the curator; that of the others is towards whoever sees the answer, and knows
        the noise of so many local users as `coalition`, at least 0, says, whoever they are.
        """
        hidden = self.curator_scale**2 + _rest(self._report_noise(), _whole(coalition))
        with np.errstate(divide="ignore", under="ignore"):
            scale = np.where(self.report_scale > 0, self.report_scale, np.sqrt(hidden))
            moves = np.where(self.report_scale > 0, 1.0, self.weights)
            reach = np.divide(moves, scale, out=np.zeros(scale.size), where=self.weights > 0)
        return np.asarray(self.measure.loss(reach))

    def _report_noise(self):
        """What each report's noise adds to the variance of the answer."""
        return (self.weights * self.report_scale) ** 2

    def estimate(self, x: ArrayLike, rng: Rng, *, clamp: bool = True) -> float | Floats:
        """Draw the answer for values `x` of shape (..., n) in [0, 1] with `rng`, local reports included.

        It is clamped to [0, 1], which costs no privacy and never takes it further from a mean in [0, 1];
        without `clamp` it is unbiased.  Values outside [0, 1] or of another number are refused (ValueError).
        """
        x, rng = _validate.data(x, self.weights.size, 0, 1), _validate.generator(rng)
        with np.errstate(under="ignore"):  # independent Gaussian noises add up to one
            scale = np.sqrt(np.sum(self._report_noise()) + self.curator_scale**2)
            return clamped(x @ self.weights + scale * rng.standard_normal(x.shape[:-1]), clamp)


def secret_release(
    population: Users, measure: str | Notion = "gdp", variance: ArrayLike = 0.25, coalition: int = 0
) -> SecretRelease:
    r"""The best unbiased linear release of which only the answer is published, with Gaussian noise.

    Parameters
    ----------
    population : Users
        What is public about the users; their budgets are in the unit of the measure.
    measure : str or Notion
        How privacy is measured: "gdp", "zcdp", or what `hdp.notions.renyi` and `hdp.notions.approximate` return.
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in (0, 1/4], or a public upper bound of it, which must not be taken from the same
        data; 1/4, the worst case, unless given.
    coalition : int
        How many local users, whoever they are, may pool their noise, at least 0; as many as there are protects like
        published reports.

    Returns
    -------
    SecretRelease
        Weights, noise, `mse()`, `loss` and `estimate(x, rng)`.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the measure is "pure": a sum of Laplace noises protects nobody better
        than the largest of them.

    Notes
    -----
    Neighbours differ in one user's value; n, budgets, trust, variances and hence weights are public, and the answer.
    The curator is honest but curious: she sees the reports, so that their noise must satisfy those who send them, and
    keeps them to herself.  Users of C rely on her, and on all local users but `coalition` of them: that they have
    added their noise and do not tell it.

    With multipliers :math:`\theta + \sum_C \theta_i = 1` of the two numbers, whose larger one is the noise, the weights
    are :math:`w_i = h/(v_i + \theta_i/b_i^2)`, with :math:`\theta_i = \theta` for all of L if nobody pools, and the
    error is :math:`h`.  One root in :math:`\theta` is looked for; all else is sorted once, or once a step if somebody
    pools: O(n log n) each.

    Examples
    --------
    >>> from hdp.compare import secret_release
    >>> from hdp.users import Users
    >>> people = Users([0.2] * 1000, ["curator"] * 40 + ["local"] * 960)
    >>> [round(secret_release(people, coalition=m).mse(), 6) for m in (0, 1, 96, 960)]
    [0.006996, 0.006998, 0.007208, 0.011943]
    """
    _validate.instance("population", population, Users)
    kind, m = notions.resolve(measure), _whole(coalition)
    if kind.name == "pure":
        raise ValueError("measure must be one that Gaussian noise satisfies, such as 'gdp' or 'zcdp', got 'pure'")
    reach, v = np.minimum(kind.reach(population.epsilon), _FAR), variance_vector(variance, population.size).copy()
    used, public = population.epsilon > 0, np.isposinf(population.epsilon)
    local, trusting = population.local & used, population.trusting & ~public
    least = np.maximum(v, _LEAST)
    weights = np.where(public, 1 / least, 0.0)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        here, there = _Trusting(reach[trusting], least[trusting]), _Local(reach[local], least[local], m)
        theta = _share(here, there)
        weights[trusting], weights[local] = here.weights(theta), there.noise(theta) * reach[local]
        weights /= weights.sum()
        needed = np.max(weights[trusting] / reach[trusting], initial=0.0) ** 2
        hidden = _rest((weights[local] / reach[local]) ** 2, m)
        missing = needed - hidden
        if missing <= _validate.ROUNDING * needed:  # the root is rounded: nobody is to count for more than is hidden
            weights[trusting], missing = np.minimum(weights[trusting], reach[trusting] * np.sqrt(hidden)), 0.0
            weights /= weights.sum()  # what hides them shrinks as they do
    own = np.divide(1, reach, out=np.zeros(reach.size), where=local)
    return SecretRelease(weights, own, float(np.sqrt(missing)), v, kind)


def _share(here, there):
    """The multiplier theta of the reports' noise: where what the trusting users need is what the reports hide.

    As theta rises, the reports weigh less and hide less, and those who trust are clipped less and need more.
    """

    def excess(theta):
        noise, needed = there.noise(theta), here.scale(theta)
        most = np.max(noise, initial=0.0) or 1.0
        hidden = most * np.sqrt(_rest((noise / most) ** 2, there.coalition))
        return (needed - hidden) / (needed + hidden) if needed + hidden else 0.0

    if excess(1.0) <= 0:
        return 1.0
    return 0.0 if excess(0.0) >= 0 else scipy.optimize.brentq(excess, 0.0, 1.0, xtol=1e-16, rtol=1e-15)


class _Trusting:
    """Those who trust the curator: a pool of volume 1 - theta, whose ground is v_i b_i and whose density is b_i."""

    def __init__(self, reach, v):
        order = np.argsort(v * reach)
        self.reach, self.v = reach, v
        self.density = np.cumsum(reach[order])
        self.ground = np.cumsum((v * reach**2)[order])

    def scale(self, theta):
        """The noise that they need, in units of the level of the weights: one over the level of the pool."""
        return 1 / np.min((1 - theta + self.ground) / self.density, initial=np.inf)

    def weights(self, theta):
        """Theirs, in units of the level of the weights."""
        return np.minimum(1 / self.v, self.reach * self.scale(theta))


class _Local:
    """Those who send reports, and how many of them may pool what they know."""

    def __init__(self, reach, v, coalition):
        self.reach, self.ground, self.coalition = reach, v * reach**2, coalition

    def noise(self, theta):
        """Deviation of each user's noise in the answer, in units of the level of the weights.

        The user with so much of it that she is in the coalition for sure has the multiplier 1, she who never is has
        theta; between them all have the same noise.
        """
        if not 0 < self.coalition < self.reach.size:
            return self.reach / (self.ground + (1.0 if self.coalition else theta))
        least, most = self.reach / (self.ground + 1), self.reach / (self.ground + theta)
        at = np.concatenate((1 / most, 1 / least))  # she enters a coalition, and is in it for sure
        order = np.argsort(at)
        rate = np.cumsum(np.concatenate((self.reach, -self.reach))[order])
        inside = np.append(0.0, np.cumsum(rate[:-1] * np.diff(at[order])))
        common = 1 / np.interp(self.coalition * (1 - theta), inside, at[order])
        return np.clip(common, least, most)


def _rest(noise, coalition):
    """What noise is left if the coalition knows the most that it can: the sum of all but the largest."""
    if coalition >= noise.size:
        return 0.0
    return float(np.sum(np.partition(noise, noise.size - coalition - 1)[: noise.size - coalition]))


def _whole(coalition):
    return _validate.whole("coalition", coalition, 0)
