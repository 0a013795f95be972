"""What each baseline does with a vector of positive budgets: it becomes an `Affine` or a `Sampling` mechanism.

The registry below says what each one is, why it is private, and where it is from.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp import adpm as _adpm
from hdp._types import Floats
from hdp.affine import Affine, with_one_noise
from hdp.baselines.sampling import Sampling, inclusion
from hdp.clipping import _normalise

NAMES = ("adpm", "propdpm", "ldpe", "sm", "fme", "uni")


def adpm(epsilon):
    """Algorithm 1, with its `return 0` branch as zero weights and no noise."""
    return _adpm.ADPM(epsilon).as_affine


def proportional(epsilon):
    """Weights proportional to the budgets; if somebody is public, the mean of the public values."""
    return with_one_noise(_normalise(epsilon.copy()), epsilon)


def uniform(epsilon):
    """The mean of all, with the noise of the smallest budget."""
    return with_one_noise(np.full(epsilon.size, 1 / epsilon.size), epsilon)


def local_by_budget(epsilon):
    """LDPE with one group for each distinct budget, as in the two-group figures."""
    levels, group, counts = np.unique(epsilon, return_inverse=True, return_counts=True)
    shares, scales = _inverse_variance(levels, counts)
    return Affine((shares / counts)[group], scales, noise_of=group)


def local_by_user(epsilon):
    """LDPE with every user in a group of her own: local noise, as in Table II."""
    return Affine(*_inverse_variance(epsilon, np.ones(epsilon.size)), noise_of=np.arange(epsilon.size))


def _inverse_variance(level, count):
    """Shares of the groups, proportional to 1 / (1/(4 n_g) + 2/(n_g eps_g)^2), and the noise scale of each."""
    top = min(level.max(), 1.0)  # scale first: squares of very small budgets would vanish
    precision = count / (top**2 + 8 / (count * (level / top) ** 2))
    shares = _normalise(precision)
    return shares, shares / count / level


def fme_level(epsilon):
    """FME's common level for the generous users, and who they are.

    Sorted ascending, k is the smallest index with eps_(k+1) > 1/sqrt(n - k); without one nobody is clipped.
    """
    ascending = np.sort(epsilon)
    level = 1 / np.sqrt(np.arange(epsilon.size, 0, -1))  # 1/sqrt(n - k) for k = 0, 1, ..., n - 1
    above = np.flatnonzero(ascending > level)
    return level[above[0]] if above.size else np.inf


def fme(epsilon):
    """Fallah et al., reconstructed: weights proportional to the clipped budgets, noise 1 / their sum."""
    clipped = np.minimum(epsilon, fme_level(epsilon))
    return with_one_noise(_normalise(clipped.copy()), clipped)


def sampling(epsilon):
    """SM; where nobody's inclusion is random it is the noisy mean of those kept."""
    kept, dropped = inclusion(epsilon)
    if ((kept == 0) | (kept == 1)).all():
        return with_one_noise(kept / kept.sum(), epsilon)
    return Sampling(kept, dropped, float(epsilon.max()), epsilon)


def stretching(epsilon):
    """Scale value i by eps_i / max eps, then average with the noise of the largest budget: biased."""
    t, n = epsilon.max(), epsilon.size
    ratio = np.isinf(epsilon).astype(float) if np.isinf(t) else epsilon / t
    return with_one_noise(ratio / n, epsilon)


@dataclass(frozen=True)
class Baseline:
    """One row of the registry `hdp.baselines.BASELINES`.

    Parameters
    ----------
    name : str
        Key in the registry.
    estimator : str
        What is computed, in a line.
    privacy : str
        Why every user gets what she demands, or that she does not.
    source : str
        Where the baseline is defined.
    build : callable
        Maps the budgets, all positive, to the mechanism.

    Examples
    --------
    >>> from hdp.baselines import BASELINES
    >>> BASELINES["uni"].estimator
    'mean of all + Laplace(1/(n min eps))'
    """

    name: str
    estimator: str
    privacy: str
    source: str
    build: Callable[[Floats], Affine | Sampling]

    def mechanism(self, epsilon: ArrayLike) -> Affine | Sampling:
        """Build the mechanism for the budgets `epsilon`: weights and noise scales, or inclusion probabilities."""
        epsilon = _validate.budgets(epsilon)
        usable = epsilon > 0
        with np.errstate(over="ignore", under="ignore", divide="ignore"):  # between budgets of 600 decades
            mechanism = self.build(epsilon[usable])
        return mechanism if usable.all() else _spread(mechanism, usable)


BASELINES = MappingProxyType({b.name: b for b in (
    Baseline("adpm",
        "<w, x> + Laplace(max w_i/eps_i), w proportional to min(eps_i, tau); 0 if that errs by > 1/4",
        "Lemma 1: user i loses w_i/scale = min(eps_i, tau); a constant answer loses nothing.",
        "Chaudhuri & Courtade (2023), Algorithm 1", adpm),
    Baseline("propdpm",
        "<w, x> + Laplace(1/sum eps), w proportional to eps",
        "Lemma 1: user i loses exactly eps_i (a public value aside).",
        "Chaudhuri & Courtade (2023), sections III-A and IV-A", proportional),
    Baseline("ldpe",
        "noisy means of the groups of equal budget, Laplace(1/(n_g eps_g)) each, weighted by 1/variance at 1/4",
        "A user touches one group mean, which is eps_g-private; combining the means is post-processing.",
        "Chaudhuri & Courtade (2023), section IV-A; Ferrando et al. (2021)", local_by_budget),
    Baseline("sm",
        "keep user i with probability (e^eps_i - 1)/(e^t - 1), t = max eps; mean of m kept + Laplace(1/(m t))",
        "NOT private in general when a value is replaced and t < 2 log 2: see `privacy_loss_witness`.  "
        "Private for t >= 2 log 2, or if k users hold the budget t and t >= (k+1) log((k+1)/k).",
        "Chaudhuri & Courtade (2023), section IV-A; Jorgensen, Yu & Cormode (2015)", sampling),
    Baseline("fme",
        "<w, x> + Laplace(1/S), w = clipped eps / S: OUR RECONSTRUCTION, the paper does not define it",
        "Lemma 1: user i loses her clipped budget, at most eps_i.",
        "reconstruction of Fallah et al. (2022), Theorem 1, from the published figures and Table II", fme),
    Baseline("uni",
        "mean of all + Laplace(1/(n min eps))",
        "Lemma 1: everybody loses min eps.",
        "Chaudhuri & Courtade (2023), section IV-A", uniform),
    Baseline("ldpe-users",
        "as ldpe, with every user a group of her own: local noise Laplace(1/eps_i), as Table II needs it",
        "Every noisy value is eps_i-private on its own, even towards the server.",
        "Chaudhuri & Courtade (2023), Table II; Ferrando et al. (2021)", local_by_user),
    Baseline("stretching",
        "mean of (eps_i/t) x_i + Laplace(1/(n t)), t = max eps: biased towards 0",
        "Lemma 1 with weights eps_i/(n t): user i loses exactly eps_i.",
        "Alaggan, Gambs & Kermarrec (2017); Chaudhuri & Courtade (2023), Example 2", stretching),
)})  # fmt: skip


def _spread(mechanism, usable):
    """The same mechanism for all, with weight 0 for users who are not usable."""
    if isinstance(mechanism, Affine):
        noise_of = None if mechanism.noise_of is None else _filled(mechanism.noise_of, usable, 0)
        return replace(mechanism, weights=_filled(mechanism.weights, usable, 0.0), noise_of=noise_of)
    fields = {"kept": 0.0, "dropped": 1.0, "epsilon": 0.0}
    return replace(mechanism, **{name: _filled(getattr(mechanism, name), usable, of) for name, of in fields.items()})


def _filled(values, where, otherwise):
    full = np.full(where.size, otherwise)
    full[where] = values
    return full
