"""The ranking: every estimator of the book, from the functions of its own module, in one unit."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm, affine, baselines, hybrid, threshold, user_level
from hdp._number import number
from hdp._types import _plain
from hdp.affine import Affine
from hdp.affine import with_one_noise
from hdp.baselines.sampling import losses
from hdp.compare.candidate import Candidate, linear_error
from hdp.compare.population import Population
from hdp.compare.release import clamped, mixed_release, variance_vector
from hdp.hybrid.estimates import _WEIGHTS
from hdp.hybrid.setting import _MOST
from hdp.user_level.algorithm_2 import MIDDLE, final_release, head_size, mean_accuracy
from hdp.user_level.model import BETA

_HYBRID = {"tcm": "tcm-only", "full-lm": "full-lm", "kvh": "kvh", "pwh": "pwh", "naive": "naive"}
_HER_BUDGET = "her budget"
_LOOKED_AT = 8  # different budgets of which a loss is computed, a second each for a million users
_ALSO_FROM_THE_CURATOR = "her budget, also from the curator"
_NO_CURATOR = "nobody trusts the curator"


def ranking(
    population: Population, variance: ArrayLike | None = None, prior: tuple[float, float] | None = None
) -> list[Candidate]:
    r"""Every estimator of the book on these users, least error first; those that do not apply come last.

    Estimators that need a curator use the users who trust him, and leave the others out.  The hybrid ones promise one
    budget to everybody, and so run at the strictest of all: one local user who allows 1e-4 ruins even TCM-only, which
    does not use her.  Those for a user's records run at the strictest of the users who trust.

    Parameters
    ----------
    population : Population
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

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.

    Examples
    --------
    >>> from hdp.compare import Population, ranking
    >>> people = Population([0.1] * 600 + [1.0] * 400, (["curator"] * 3 + ["local"] * 2) * 200)
    >>> [(row.name, float(f"{row.error:.3g}")) for row in ranking(people)[:3]]
    [('mixed', 0.000647), ('adpm', 0.000711), ('ldpe', 0.000727)]
    """
    _validate.instance("population", population, Population)
    prior = _checked_prior(prior)
    v = _variances(population, variance, prior)
    rows = [*_for_everybody(population, v), *_with_curator(population, v)]
    rows += [*_hybrid(population, v), *_user_level(population, prior)]
    rows = [_checked(row, population.size) for row in rows]
    return sorted(rows, key=lambda row: float(f"{row.error:.12g}"))  # rounding decides nothing between equals


def _checked(row, n):
    """The same candidate, whose estimate refuses values that its privacy does not hold for, and clamps its answer."""
    if row.estimate is None:
        return row

    def estimate(x, rng, *, clamp=True):
        return clamped(row.estimate(_validate.data(x, n, 0, 1), rng), clamp)

    return replace(row, estimate=estimate)


def _checked_prior(prior):
    if prior is None:
        return None
    pair = _validate.number("prior", prior)
    if pair.shape != (2,):
        raise ValueError(f"prior must be a pair, mean and standard deviation, got {_validate.show(prior)}")
    names = "the mean of prior", "the standard deviation of prior"
    return _validate.mean_and_deviation(*pair, names, open_low=True, open_high=True)


def _variances(population, variance, prior):
    if variance is None and prior is not None:
        variance = user_level.sample_mean_variance(*prior, population.records)
    return variance_vector(0.25 if variance is None else variance, population.size)


def _for_everybody(population, v):
    """The mixed release, the same if nobody trusted the curator, Laplace reports of all, and an answer without data."""
    nobody_trusts = Population(population.epsilon, "local")
    mechanism, everybody = baselines.BASELINES["ldpe-users"].mechanism(population.epsilon), np.full(v.size, True)
    centre = lambda x, rng: np.full(x.shape[:-1], 0.5)  # noqa: E731
    return [
        _release("mixed", mixed_release(population, v), "her budget; local users also from the curator"),
        _release("reports", mixed_release(nobody_trusts, v), _ALSO_FROM_THE_CURATOR),
        _linear("ldpe-users", mechanism, v, everybody, _ALSO_FROM_THE_CURATOR),
        Candidate("centre", adpm.TRIVIAL_MSE, adpm.TRIVIAL_MSE, 0, "nobody gives up anything", "nothing", centre),
    ]


def _release(name, plan, promise):
    run, used = partial(plan.estimate, clamp=False), int(np.count_nonzero(plan.weights))
    return Candidate(name, plan.error(), plan.error(0.25), used, promise, "a variance, or 1/4", run)


def _with_curator(population, v):
    """The estimators for a curator, on those who trust him."""
    trusting = population.trusting
    if not trusting.any():
        return [Candidate.refused(name, _NO_CURATOR) for name in (*baselines.NAMES, "threshold")]
    epsilon = population.epsilon[trusting]
    rows = [_threshold(epsilon, v[trusting], trusting)]
    for name in baselines.NAMES:
        if name == "sm":
            rows.append(_sampling(epsilon, v[trusting], trusting))
        else:
            mechanism = baselines.BASELINES[name].mechanism(epsilon)
            promise = _one_budget(epsilon.min()) if name == "uni" else _HER_BUDGET
            rows.append(_linear(name, mechanism, v[trusting], trusting, promise))
    return rows


def _one_budget(epsilon):
    return f"{_not_below(epsilon)} for all who trust"


def _not_below(budget):
    """A budget in six digits, or in all if these would promise less loss than there is."""
    return f"{budget:g}" if float(f"{budget:g}") >= budget else repr(float(budget))


def _linear(name, mechanism, v, mask, promise):
    errors = linear_error(mechanism, v), linear_error(mechanism, np.full(v.size, 0.25))
    used = int(np.count_nonzero(mechanism.weights))
    return Candidate(name, *errors, used, promise, "nothing", _run(mechanism, mask))


def _run(mechanism, mask):
    def run(x, rng):
        rows = x[..., mask].reshape(-1, np.count_nonzero(mask)) - 0.5
        return _plain(mechanism.draw(rows, _validate.generator(rng)).reshape(x.shape[:-1]) + 0.5)

    return run


def _threshold(epsilon, v, mask):
    tau = threshold.best_threshold(epsilon)
    w = threshold.weights(epsilon, tau)
    promise = f"{_not_below(tau)} for those kept, 0 for the others"
    return _linear("threshold", with_one_noise(w, epsilon), v, mask, promise)


def _sampling(epsilon, v, mask):
    """SM, where its privacy is proved; with unequal variances the error is the bound by the largest."""
    top = epsilon.max()
    holders = np.count_nonzero(epsilon == top)
    if top < (holders + 1) * np.log1p(1 / holders):
        if obstacle := _out_of_range(epsilon.min(), _validate.LARGE):
            return Candidate.refused("sm", obstacle)
        first = np.unique(epsilon, return_index=True)[1]
        some = first[np.linspace(0, first.size - 1, min(first.size, _LOOKED_AT)).astype(int)]
        loss, epsilon = losses(epsilon, some), epsilon[some]
        excess = "its privacy is not proved for budgets so small"
        if np.any(loss > epsilon * (1 + 1e-9)):
            worst = np.argmax(loss / epsilon)
            digits = 3 if f"{epsilon[worst]:.3g}" != f"{loss[worst]:.3g}" else 10
            excess = f"not private: a user who allows {epsilon[worst]:g} loses {loss[worst]:.{digits}g}"
        return Candidate.refused("sm", excess)
    mechanism = baselines.BASELINES["sm"].mechanism(epsilon)
    if isinstance(mechanism, Affine):  # nothing is left to chance
        return _linear("sm", mechanism, v, mask, _HER_BUDGET)
    errors = (mechanism.mean_squared_error(float(u), 0.0) for u in (v.max(), 0.25))
    return Candidate("sm", *errors, round(mechanism.kept.sum()), _HER_BUDGET, "nothing", _run(mechanism, mask))


def _out_of_range(strictest, most):
    """Why an estimator does not apply that takes budgets in [1/most, most]; nothing where it does."""
    return "" if 1 / most <= strictest <= most else f"needs budgets in [{1 / most:g}, {most:g}], got {strictest:g}"


def _hybrid(population, v):
    """Avent, Dubey & Korolova's estimators, which promise one budget to everybody: the strictest."""
    usable = population.epsilon > 0
    groups = population.trusting, usable & population.local
    if not (groups[0].any() and groups[1].any()):
        obstacle = "needs users of both kinds, some who trust the curator and some who do not"
        return [Candidate.refused(name, obstacle) for name in _HYBRID.values()]
    strictest = population.epsilon[usable].min()
    if obstacle := _out_of_range(strictest, _MOST):
        return [Candidate.refused(name, obstacle) for name in _HYBRID.values()]
    return [_hybrid_row(name, groups, strictest, v) for name in _HYBRID]


def _hybrid_row(name, groups, epsilon, v):
    n = int(groups[0].sum() + groups[1].sum())
    told, quarter = (_setting(groups, n, epsilon, u) for u in (v, np.full(v.size, 0.25)))
    if name == "full-lm":
        errors = [hybrid.mse_full_lm(s) + s.mixture_variance / n for s in (told, quarter)]
    else:
        errors = [hybrid.true_mean_mse(s, _WEIGHTS[name](told)) for s in (told, quarter)]

    def run(x, rng):
        return hybrid.estimate(name, *(x[..., group] for group in groups), told, rng)

    used = int(groups[0].sum()) if name == "tcm" else n
    needs = "the variances, for its weight" if name == "kvh" else "nothing"
    return Candidate(_HYBRID[name], *errors, used, f"{_not_below(epsilon)} for everybody", needs, run)


def _setting(groups, n, epsilon, v):
    """Two groups of equal weights inside, so that their mean variances are all that matters."""
    t, ell = (np.sqrt(v[group].mean()) for group in groups)
    return hybrid.Setting(n=n, c=groups[0].sum() / n, m=1, epsilon=epsilon, sigma_t=t, sigma_l=ell)


def _user_level(population, prior):
    """Cummings et al.'s estimators, for those who trust the curator, at their strictest budget."""
    trusting = population.trusting
    names = ("private-ideal", "algorithm-2")
    if not trusting.any():
        return [Candidate.refused(name, _NO_CURATOR) for name in names]
    epsilon, k = population.epsilon[trusting].min(), population.records[trusting]
    if np.isinf(epsilon):
        return [Candidate.refused(name, "needs a finite budget, and every value is public") for name in names]
    return [_ideal(k, epsilon, prior, trusting), _algorithm_2(k, epsilon, prior, trusting)]


def _ideal(k, epsilon, prior, mask):
    if prior is None:
        return Candidate.refused("private-ideal", "needs a rough mean and standard deviation of the users' means")
    if obstacle := _out_of_range(epsilon, _validate.LARGE):
        return Candidate.refused("private-ideal", obstacle)
    plan = user_level.private_ideal(k, *prior, epsilon)
    promise = _one_budget(epsilon)
    needs = "a rough p and sigma_p: values far from p are cut"
    run = lambda x, rng: plan.estimate(x[..., mask], rng)  # noqa: E731
    return Candidate("private-ideal", plan.variance, np.inf, k.size, promise, needs, run)


def _algorithm_2(k, epsilon, prior, mask):
    """Its error as it would be if the first estimates were exactly what they aim at."""
    if obstacle := _out_of_range(epsilon, _validate.LARGE):
        return Candidate.refused("algorithm-2", obstacle)
    first, last = head_size(k, epsilon, BETA), k.size // 10
    if not last or 2 * (first + last) > k.size:
        enough = number(math.ceil(2.5 * first))  # with as many users, and a tenth of them, it sets half of them aside
        return Candidate.refused("algorithm-2", f"needs about {enough} users who trust the curator, got {k.size}")
    head, middle, tail = user_level.user_groups(k, epsilon)
    if prior is None:
        return Candidate.refused("algorithm-2", "its error depends on the users' means: predicted from a prior only")
    sigma2 = user_level.sample_mean_variance(*prior, k)
    alpha = mean_accuracy(tail.size, epsilon, BETA)
    rough = MIDDLE * sigma2[head].max()
    plan = final_release(k[middle], k.size, prior[0], rough, alpha, epsilon, BETA)
    error = affine.mean_squared_error(plan.weights, plan.scale, sigma2[middle])

    def run(x, rng):
        return user_level.private_estimate(x[..., mask], k, epsilon, rng).estimate

    needs = "nothing to run; the error is predicted from the prior"
    return Candidate("algorithm-2", error, np.inf, k.size, _one_budget(epsilon), needs, run)
