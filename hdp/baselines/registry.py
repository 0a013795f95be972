"""The registry of baselines: what each one is, why it is private, where it is from, and how it is built."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats
from hdp.affine import Affine
from hdp.baselines import mechanisms
from hdp.baselines.sampling import Sampling

CACHED = 20_000  # users up to which mechanisms are kept: 64 of them are at most about 30 MB
NAMES = ("adpm", "propdpm", "ldpe", "sm", "fme", "uni")


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
        return _kept(self.name, epsilon.tobytes()) if epsilon.size <= CACHED else _mechanism(self.name, epsilon)


BASELINES = MappingProxyType({b.name: b for b in (
    Baseline("adpm",
        "<w, x> + Laplace(max w_i/eps_i), w proportional to min(eps_i, tau); 0 if that errs by > 1/4",
        "Lemma 1: user i loses w_i/scale = min(eps_i, tau); a constant answer loses nothing.",
        "Chaudhuri & Courtade (2023), Algorithm 1", mechanisms.adpm),
    Baseline("propdpm",
        "<w, x> + Laplace(1/sum eps), w proportional to eps",
        "Lemma 1: user i loses exactly eps_i (a public value aside).",
        "Chaudhuri & Courtade (2023), sections III-A and IV-A", mechanisms.proportional),
    Baseline("ldpe",
        "noisy means of the groups of equal budget, Laplace(1/(n_g eps_g)) each, weighted by 1/variance at 1/4",
        "A user touches one group mean, which is eps_g-private; combining the means is post-processing.",
        "Chaudhuri & Courtade (2023), section IV-A; Ferrando et al. (2021)", mechanisms.local_by_budget),
    Baseline("sm",
        "keep user i with probability (e^eps_i - 1)/(e^t - 1), t = max eps; mean of m kept + Laplace(1/(m t))",
        "NOT private in general when a value is replaced and t < 2 log 2: see `privacy_loss_witness`.  "
        "Private for t >= 2 log 2, or if k users hold the budget t and t >= (k+1) log((k+1)/k).",
        "Chaudhuri & Courtade (2023), section IV-A; Jorgensen, Yu & Cormode (2015)", mechanisms.sampling),
    Baseline("fme",
        "<w, x> + Laplace(1/S), w = clipped eps / S: OUR RECONSTRUCTION, the paper does not define it",
        "Lemma 1: user i loses her clipped budget, at most eps_i.",
        "reconstruction of Fallah et al. (2022), Theorem 1, from the published figures and Table II", mechanisms.fme),
    Baseline("uni",
        "mean of all + Laplace(1/(n min eps))",
        "Lemma 1: everybody loses min eps.",
        "Chaudhuri & Courtade (2023), section IV-A", mechanisms.uniform),
    Baseline("ldpe-users",
        "as ldpe, with every user a group of her own: local noise Laplace(1/eps_i), as Table II needs it",
        "Every noisy value is eps_i-private on its own, even towards the server.",
        "Chaudhuri & Courtade (2023), Table II; Ferrando et al. (2021)", mechanisms.local_by_user),
    Baseline("stretching",
        "mean of (eps_i/t) x_i + Laplace(1/(n t)), t = max eps: biased towards 0",
        "Lemma 1 with weights eps_i/(n t): user i loses exactly eps_i.",
        "Alaggan, Gambs & Kermarrec (2017); Chaudhuri & Courtade (2023), Example 2", mechanisms.stretching),
)})  # fmt: skip


@lru_cache(maxsize=64)
def _kept(name, budgets):
    """Simulations ask again and again; for many users the draws of one batch cost more than the mechanism."""
    return _mechanism(name, np.frombuffer(budgets))


def _mechanism(name, epsilon):
    """Build on the usable users and give the others weight 0."""
    usable = epsilon > 0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):  # between budgets of 600 decades
        mechanism = BASELINES[name].build(epsilon[usable])
    if usable.all():
        return mechanism
    if isinstance(mechanism, Affine):
        return Affine(_spread(mechanism.weights, usable, 0.0), mechanism.scales)
    kept, dropped = _spread(mechanism.kept, usable, 0.0), _spread(mechanism.dropped, usable, 1.0)
    return Sampling(kept, dropped, mechanism.budget)


def _spread(values, where, otherwise):
    full = np.full(where.size, otherwise)
    full[where] = values
    return full
