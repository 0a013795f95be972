"""The ranking: every estimator of the book in one table, asked for its error on one population."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp import Threshold, _validate, baselines, hybrid, user_level
from hdp._types import Floats
from hdp.affine import Affine
from hdp.compare import obstacles
from hdp.compare.candidate import Candidate
from hdp.compare.mixed import clamped, mixed_release
from hdp.estimator import Estimator, variance_vector
from hdp.user_level.model import checked_prior
from hdp.users import Users


def ranking(
    population: Users, variance: ArrayLike | None = None, prior: tuple[float, float] | None = None
) -> list[Candidate]:
    r"""Every estimator of the book on these users, least error first; those that do not apply come last.

    Estimators that need a curator use the users who trust him, and leave the others out.  The hybrid ones promise one
    budget to everybody, and so run at the strictest of all: one local user who allows 1e-4 ruins even TCM-only, which
    does not use her.  Those for a user's records run at the strictest of the users who trust.

    Parameters
    ----------
    population : Users
        What is public about the users.
    variance : array_like, shape (n,) or scalar
        Variance of each user's value, in (0, 1/4], or a public upper bound of it, which must not be taken from the same
        data; 1/4, the worst case, unless given.
    prior : (float, float), optional
        Public mean p in (0, 1) and standard deviation :math:`\sigma_p` of the users' own means.  Without `variance` it
        gives the variances, from the numbers of records; the estimators that truncate need it to be roughly right.

    Returns
    -------
    list of Candidate
        "mixed" is the best linear release with the curator's Laplace noise (`mixed_release`), "reports" the same if
        nobody trusted him; "centre" answers 1/2 without looking.  Every answer is clamped to [0, 1].

    Examples
    --------
    >>> from hdp.compare import ranking
    >>> from hdp.users import Users
    >>> people = Users([0.1] * 600 + [1.0] * 400, (["curator"] * 3 + ["local"] * 2) * 200)
    >>> [(row.name, float(f"{row.error:.3g}")) for row in ranking(people)[:3]]
    [('mixed', 0.000647), ('adpm', 0.000711), ('ldpe', 0.000727)]
    """
    _validate.instance("population", population, Users)
    prior = None if prior is None else checked_prior(prior)
    if variance is None and prior is not None:
        variance = user_level.sample_mean_variance(prior[0], prior[1], population.records)
    v = variance_vector(0.25 if variance is None else variance, population.size)
    v = v.copy() if v.strides[0] else v  # one that is the same for all takes no memory
    rows: dict[str, Candidate] = {}
    for who in dict.fromkeys(entry.who for entry in ESTIMATORS):  # of millions of users one copy at a time
        asked = Asked.of(who, population, v, prior)
        rows |= {entry.name: _candidate(entry, asked) for entry in ESTIMATORS if entry.who is who}
    listed = [rows[entry.name] for entry in ESTIMATORS]
    return sorted(listed, key=lambda row: float(f"{row.error:.12g}"))  # rounding decides nothing between equals


@dataclass(frozen=True, eq=False)
class Asked:
    """What is known of those whom an estimator is for."""

    population: Users  # all
    given: Floats  # the variances of all
    who: NDArray[Any] | slice  # positions or a mask of them, in the order of the estimator; what follows is theirs
    epsilon: Floats
    variance: Floats
    records: Floats
    prior: tuple[float, float] | None

    @classmethod
    def of(cls, choose, population, variance, prior):
        """Those whom a rule chooses among all."""
        who = choose(population)
        return cls(population, variance, who, population.epsilon[who], variance[who], population.records[who], prior)

    @property
    def strictest(self):
        """The smallest budget."""
        return self.epsilon.min()

    @cached_property
    def setting(self):
        """Two groups and one budget; in a group all count alike, so that mean variances are all that matters."""
        n, t = self.epsilon.size, np.count_nonzero(self.population.trusting)
        sigma_t, sigma_l = (np.sqrt(part.mean()) for part in (self.variance[:t], self.variance[t:]))
        return hybrid.Setting(n=n, c=t / n, m=1, epsilon=self.strictest, sigma_t=sigma_t, sigma_l=sigma_l)


def everybody(population):
    """All users, also those whose values are unusable."""
    return slice(None)


def trusting(population):
    """Those who hand a usable value to the curator."""
    return slice(None) if (mask := population.trusting).all() else mask


def both(population):
    """Those who trust the curator, and then all others with a usable value."""
    groups = population.trusting, population.local & (population.epsilon > 0)
    return np.concatenate([np.flatnonzero(group) for group in groups])


@dataclass(frozen=True)
class Entry:
    """One estimator of the ranking: what it is called, for whom it is, how it is made, what it promises and needs."""

    name: str
    who: Callable[[Users], NDArray[Any] | slice]
    make: Callable[[Asked], Estimator]  # of values in [0, 1]
    promise: str = "her budget"  # with the strictest budget, or that of those whom it uses, in its place
    needs: str = "nothing"
    obstacle: Callable[[Asked], str] = obstacles.nothing  # why it does not apply, empty if it does
    told: bool = True  # whether its error is known for other variances than those that it was made for
    options: Mapping[str, Any] = field(default_factory=dict)  # of its `estimate`


def _candidate(entry, asked):
    """The row of one estimator."""
    if obstacle := _nobody(entry, asked) or entry.obstacle(asked):
        return Candidate.refused(entry.name, obstacle)
    made = entry.make(asked)
    errors = made.mse(asked.variance if entry.told else None), made.mse(np.full(asked.variance.size, 0.25))
    budgets = {"strictest": asked.strictest}
    if "{kept}" in entry.promise:
        budgets["kept"] = asked.epsilon[made.loss > 0].min()
    promise = entry.promise.format(**{name: _not_below(budget) for name, budget in budgets.items()})
    return Candidate(entry.name, *errors, made.users, promise, entry.needs, _run(entry, asked))


def _nobody(entry, asked):
    """Why an estimator has nobody to ask."""
    if entry.who is trusting and not asked.epsilon.size:
        return "nobody trusts the curator"
    local = asked.population.local[asked.who]
    if entry.who is both and (local.all() or not local.any()):
        return "needs users of both kinds, some who trust the curator and some who do not"
    return ""


def _run(entry, asked):
    """How it runs: it refuses values that its privacy does not hold for, and clamps its answer.

    It is made anew for its first run, and then kept: eighteen estimators of millions of users take gigabytes.
    """
    population, variance, prior = asked.population, asked.given, asked.prior

    @cache
    def made():
        asked = Asked.of(entry.who, population, variance, prior)
        return asked.who, entry.make(asked)

    def estimate(x, rng, *, clamp=True):
        x = _validate.data(x, population.size, 0, 1)
        who, estimator = made()
        return clamped(estimator.estimate(x[..., who], rng, **entry.options), clamp)

    return estimate


def _not_below(budget):
    """A budget in six digits, or in all if these would promise less loss than there is."""
    return f"{budget:g}" if float(f"{budget:g}") >= budget else repr(float(budget))


def _baseline(name):
    """How a baseline is made."""
    return lambda asked: baselines.estimator(name, asked.epsilon).within(0, 1)


def _hybrid(name):
    """How an estimator of Avent, Dubey & Korolova is made."""
    return lambda asked: hybrid.estimator(name, asked.setting)


def _mixed(asked):
    return mixed_release(asked.population, asked.variance)


def _reports(asked):
    return mixed_release(Users(asked.population.epsilon, "local"), asked.variance)


def _centre(asked):
    """The answer 1/2, without looking."""
    return Affine(np.zeros(asked.epsilon.size), np.empty(0), 0, 1)


def _threshold(asked):
    return Threshold(asked.epsilon, 0, 1)


def _ideal(asked):
    return user_level.private_ideal(asked.records, *asked.prior, asked.strictest)


def _algorithm_2(asked):
    return user_level.private_estimator(asked.records, asked.strictest, asked.prior)


_ALSO_FROM_THE_CURATOR = "her budget, also from the curator"
_LOCAL_ALSO_FROM_THE_CURATOR = "her budget; local users also from the curator"
_ONE, _ALL = "{strictest} for all who trust", "{strictest} for everybody"
_ROUGH = "a rough p and sigma_p: values far from p are cut"
_PREDICTED = "nothing to run; the error is predicted from the prior"
_A_VARIANCE, _UNCLAMPED = "a variance, or 1/4", {"clamp": False}

# A new estimator is one module, one line here and one below, in the order in which those that err alike are to stand.
ESTIMATORS = (
    Entry("mixed", everybody, _mixed, _LOCAL_ALSO_FROM_THE_CURATOR, _A_VARIANCE, options=_UNCLAMPED),
    Entry("reports", everybody, _reports, _ALSO_FROM_THE_CURATOR, _A_VARIANCE, options=_UNCLAMPED),
    Entry("ldpe-users", everybody, _baseline("ldpe-users"), _ALSO_FROM_THE_CURATOR),
    Entry("centre", everybody, _centre, "nobody gives up anything"),
    Entry("threshold", trusting, _threshold, "{kept} for those kept, 0 for the others"),
    Entry("adpm", trusting, _baseline("adpm")),
    Entry("propdpm", trusting, _baseline("propdpm")),
    Entry("ldpe", trusting, _baseline("ldpe")),
    Entry("sm", trusting, _baseline("sm"), obstacle=obstacles.of_sampling),
    Entry("fme", trusting, _baseline("fme")),
    Entry("uni", trusting, _baseline("uni"), _ONE),
    Entry("tcm-only", both, _hybrid("tcm"), _ALL, obstacle=obstacles.of_hybrid),
    Entry("full-lm", both, _hybrid("full-lm"), _ALL, obstacle=obstacles.of_hybrid),
    Entry("kvh", both, _hybrid("kvh"), _ALL, "the variances, for its weight", obstacles.of_hybrid),
    Entry("pwh", both, _hybrid("pwh"), _ALL, obstacle=obstacles.of_hybrid),
    Entry("naive", both, _hybrid("naive"), _ALL, obstacle=obstacles.of_hybrid),
    Entry("private-ideal", trusting, _ideal, _ONE, _ROUGH, obstacles.of_the_ideal, told=False),
    Entry("algorithm-2", trusting, _algorithm_2, _ONE, _PREDICTED, obstacles.of_algorithm_2, told=False),
)

# What each does with whose values.
DOES = {
    "mixed": "counts every value as far as its budget and variance allow, under one noise or as a report",
    "reports": "as mixed, if nobody trusted the curator: every private value is a report with noise of its own",
    "ldpe-users": "gives every private value Laplace noise of its own, trust or not",
    "centre": "answers the middle of the interval and reads no value",
    "threshold": "spends one threshold of every budget of those who trust, and leaves out who allows less",
    "adpm": "one noise for all who trust; of larger budgets it spends a level only; the middle, if that errs less",
    "propdpm": "weighs those who trust by their budgets, with one noise",
    "ldpe": "one noise for each budget among those who trust, where one for all would do",
    "sm": "keeps values of those who trust, drawn by their budgets, with the noise of the largest one",
    "fme": "weighs those who trust by their budgets, which it caps at a level, with one noise",
    "uni": "a plain average of those who trust, with noise as if all allowed the strictest budget only",
    "tcm-only": "a plain average of those who trust, at the strictest budget of all users",
    "full-lm": "averages reports of everybody, trust or not, at the strictest budget of all",
    "kvh": "combines averages of those who trust and of the others' reports for the least error",
    "pwh": "combines averages of those who trust and of the others' reports for the least noise",
    "naive": "combines averages of those who trust and of the others' reports by their numbers",
    "private-ideal": "weighs those who trust by their records, and cuts values far from the prior mean",
    "algorithm-2": "spends some of those who trust on rough moments first, and averages the others",
}
