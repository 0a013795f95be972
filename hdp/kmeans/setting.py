"""What a run of hybrid K-means takes: what is public, the reading of the algorithm, and the noise, drawn beforehand."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats, Rng
from hdp.noise import RandomizedResponse


@dataclass(frozen=True)
class Setting:
    r"""What is public: budget, iterations, clusters, and the box of the data.

    Parameters
    ----------
    iterations : int
        Number :math:`\tau` of iterations, at least 1.
    epsilon : float
        Budget of every user in nats, in [1e-50, 1e50].
    clusters : int
        Number :math:`K` of clusters, at least 2.
    dimension : int
        Dimension :math:`d` of the data, at least 1.
    m : float
        Side of the box, in [1e-50, 1e50].
    low : float
        Lower end of every coordinate, in [-1e50, 1e50].  The centred box, ``low = -m/2``, needs least noise.

    Examples
    --------
    >>> from hdp.kmeans import Setting
    >>> s = Setting(iterations=5, epsilon=7.0)
    >>> round(s.tcm_scale, 4), round(s.lm_scale, 4), round(s.keep, 4)
    (2.8571, 1.7143, 0.356)
    """

    iterations: int
    epsilon: float
    clusters: int = 4
    dimension: int = 2
    m: float = 1.0
    low: float = -0.5

    def __post_init__(self):
        for name, least in (("iterations", 1), ("clusters", 2), ("dimension", 1)):
            _validate.field(self, name, _validate.whole, least)
        for name in ("epsilon", "m"):
            _validate.field(self, name, _validate.size)
        _validate.field(self, "low", _validate.scalar, -_validate.LARGE, _validate.LARGE)

    @property
    def tcm_sensitivity(self) -> float:
        """Largest L1 change of all counts and sums together when one TCM user is replaced."""
        reach = max(abs(self.low), abs(self.low + self.m))
        return max(self._side * self.dimension, 2 * self.dimension * reach + 2)

    @property
    def tcm_scale(self) -> float:
        """Scale of the Laplace noise of each count and each coordinate of a sum: line 2, corrected."""
        return self.tcm_sensitivity * self.iterations / self.epsilon

    @property
    def printed_tcm_scale(self) -> float:
        r"""The printed :math:`(md+1)\tau/\epsilon`: for users who join or leave, not for those who are replaced.

        It is enough for them where no coordinate of the box is more than m away from 0, as in the paper's.
        """
        return (self.m * self.dimension + 1) * self.iterations / self.epsilon

    @property
    def lm_scale(self) -> float:
        r"""Scale :math:`md(\tau+1)/\epsilon` of the Laplace noise in each coordinate of an LM user's report."""
        return self._side * self.dimension * (self.iterations + 1) / self.epsilon

    @property
    def _side(self):
        """Side of the box between the ends that floats have: far from 0 `low + m` may be rounded up."""
        return max(self.m, (self.low + self.m) - self.low)

    @property
    def response(self) -> RandomizedResponse:
        """The randomised response of one LM user in one iteration."""
        return RandomizedResponse(self.epsilon / (self.iterations + 1), self.clusters)

    @property
    def keep(self) -> float:
        """Probability in line 7 with which the answer is not drawn at random; a random one may be true, too."""
        odds = np.expm1(min(self.epsilon / (self.iterations + 1), 700.0))  # beyond it is 1, and would overflow
        return float(odds / (self.clusters + odds))


@dataclass(frozen=True)
class Reading:
    """Which lines of Algorithm 1 are taken as they must be (True) or as they are printed (False).

    Parameters
    ----------
    scale : bool
        Line 2: the noise of the TCM group is calibrated to a user who is replaced.
    own_value : bool
        Line 7: an LM user looks for the centre nearest to her value, not to her noisy report.
    floor : bool
        Line 10: a count below 1 is taken as 1, and a mean is clamped to the box.
    own_sums : bool
        Lines 10 and 12: the sums go over the users of the cluster, not of the group.
    mean_noise : bool
        Line 13: the noise variance of the TCM mean, not of its sum.
    unbiased : bool
        Line 12: an extension that undoes the random answers.

    Examples
    --------
    >>> from hdp.kmeans import CORRECTED, Reading
    >>> Reading() == CORRECTED
    True
    """

    scale: bool = True
    own_value: bool = True
    floor: bool = True
    own_sums: bool = True
    mean_noise: bool = True
    unbiased: bool = False

    def __post_init__(self):
        for field in fields(self):
            _validate.field(self, field.name, _validate.flag)


CORRECTED = Reading()
AS_PRINTED = Reading(False, False, False, False, False)


@dataclass(frozen=True, eq=False)
class Draws:
    """All randomness of a run, free of its settings, so that runs can share it.

    Parameters
    ----------
    report : ndarray, shape (n, d)
        Laplace noise of scale 1, for each user.
    uniform : ndarray, shape (tau, n)
        Uniform on [0, 1): below `Setting.keep` a user answers with her nearest centre.
    other : ndarray, shape (tau, n)
        The random answer otherwise.
    central : ndarray, shape (tau, K, 1 + d)
        Laplace noise of scale 1 for the TCM group's counts and sums.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.kmeans import Draws, Setting
    >>> Draws.sample(np.random.default_rng(1), 10, Setting(iterations=3, epsilon=7.0)).central.shape
    (3, 4, 3)
    """

    report: Floats
    uniform: Floats
    other: NDArray[np.integer]
    central: Floats

    def __post_init__(self):
        _validate.field(self, "report", _validate.reals)
        _validate.field(self, "uniform", _validate.number, 0, 1, open_high=True)
        _validate.field(self, "central", _validate.reals)
        _validate.field(self, "other", _validate.positions)

    @classmethod
    def sample(cls, rng: Rng, n: int, setting: Setting) -> Self:
        """Draw for n users and a ``setting`` with `rng`, a `numpy.random.Generator` or a seed."""
        rng, n = _validate.generator(rng), _validate.whole("n", n, 1)
        setting = _validate.instance("setting", setting, Setting)
        tau, k, d = setting.iterations, setting.clusters, setting.dimension
        _validate.affordable("n users of this setting", n, d + 2 * tau)
        _validate.affordable("setting", tau, k, d + 1)
        report = rng.standard_exponential((n, d)) - rng.standard_exponential((n, d))
        uniform = rng.random((tau, n))
        other = rng.integers(0, k, (tau, n), np.int8 if k <= 128 else np.int64)
        return cls(report, uniform, other, rng.laplace(size=(tau, k, d + 1)))
