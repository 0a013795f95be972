"""Every estimator on one population of two groups: expected squared errors against the mean of the population.

Of n users n f are in group 1, with budget epsilon_1, the others in group 2, with budget epsilon_2 >= epsilon_1.
Everybody's value lies in an interval of width 1 and has variance v.  Weights that a paper chooses for a variance
assume the largest, 1/4, as the paper does; no error is capped by that of a constant answer.
Where trust is mixed, group 2 trusts the curator and every user of group 1 sends a report with noise of her own.
"""

import sympy as sp

from hdp.sym import cc, cfmt
from hdp.sym import cc_baselines as known
from hdp.sym.cc_baselines import v
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n

_N_1, _N_2 = n * f, n * (1 - f)
_QUARTER = sp.Rational(1, 4)


def lemma_minimum(variances, noise_costs):
    """The one lemma with kappa = 2 for two items of positive noise cost: the least error, whatever noise limits."""
    (v_1, v_2), (s_1, s_2) = variances, noise_costs
    both = (2 + v_1 / s_1**2 + v_2 / s_2**2) / (1 / s_1 + 1 / s_2)
    level = sp.Min(2 * s_1 + v_1 / s_1, 2 * s_2 + v_2 / s_2, both)
    return 1 / sum(sp.Min(1 / w, 1 / (level * s)) for w, s in ((v_1, s_1), (v_2, s_2)))


# A user's value is the mean of her k samples (Bernoulli, of mean p_i; the p_i have mean 1/2 and deviation sigma_p).
# An ideal estimator that knows p cuts it to an interval around p, of this length.
k, sigma_p = cfmt.k, cfmt.sigma_p
value_variance = cfmt.mean_variance.subs(cfmt.p, sp.Rational(1, 2))
FAILURE = sp.Rational(1, 20)  # probability beta that any value is cut
_log = sp.log(4 * n / FAILURE)
cut_length = sp.Min(1, 2 * (sigma_p * sp.sqrt(2 * _log) + sp.sqrt(_log / (2 * k))))
d = sp.Symbol("d", positive=True)

# Both groups trust the curator
_costs = (1 / (_N_1 * epsilon_1), 1 / (_N_2 * epsilon_2))
_variances = (v / _N_1, v / _N_2)
least = lemma_minimum(_variances, _costs)
least_cut = lemma_minimum(_variances, tuple(d * s for s in _costs))
_level = epsilon_1 * cc.saturation_ratio
adpm = sp.Piecewise(
    (known.proportional_mse, epsilon_2 <= _level),
    ((v * (_N_1 * epsilon_1**2 + _N_2 * _level**2) + 2) / (_N_1 * epsilon_1 + _N_2 * _level) ** 2, True),
)


def average(users, budget, variance=v):
    """The mean of so many users, released with noise for one budget."""
    return variance / users + 2 / (users * budget) ** 2


_everybody, _generous = ((n, epsilon_1), (_N_2, epsilon_2))
threshold = sp.Piecewise(
    (average(*_everybody), average(*_everybody, _QUARTER) <= average(*_generous, _QUARTER)),
    (average(*_generous), True),
)

# Group 2 trusts the curator, group 1 sends reports
trusted = average(*_generous)
reported = (v + 2 / epsilon_1**2) / _N_1


def hybrid(weight):
    """Weight of the trusting group, in the notation of Avent et al. the hybrid estimator."""
    return weight**2 * trusted + (1 - weight) ** 2 * reported


kvh = 1 / (1 / trusted + 1 / reported)
pwh = hybrid((reported / (reported + trusted)).subs(v, 0))

# Nobody trusts the curator
_reports = tuple(v + 2 / e**2 for e in (epsilon_1, epsilon_2))
equal_reports = (f * _reports[0] + (1 - f) * _reports[1]) / n
_precisions = tuple(1 / r.subs(v, _QUARTER) for r in _reports)
_parts = tuple(zip((_N_1, _N_2), _precisions, _reports, strict=True))
weighted_reports = sum(m * a**2 * r for m, a, r in _parts) / sum(m * a for m, a, _ in _parts) ** 2
least_reports = 1 / sum(m / r for m, _, r in _parts)

ALL, MIXED, NOBODY, IDEAL = "all trust the curator", "only group 2 trusts", "nobody trusts", "ideal: p is known"

# Name, who has to trust, error; in the order in which a tie is broken
ESTIMATORS = (
    ("best weights (the one lemma)", ALL, least),
    ("best weights, values cut around p", IDEAL, least_cut),
    ("ADPM", ALL, adpm),
    ("PropDPM", ALL, known.proportional_mse),
    ("FME (reconstruction)", ALL, known.fme_mse),
    ("LDPE", ALL, known.local_mse),
    ("best threshold", ALL, threshold),
    ("SM (a lower bound)", ALL, known.sampling_bound),
    ("UNI", ALL, known.uniform_mse),
    ("KVH", MIXED, kvh),
    ("PWH", MIXED, pwh),
    ("TCM-Only", MIXED, trusted),
    ("naive: every user alike", MIXED, hybrid(1 - f)),
    ("LM-Only", MIXED, reported),
    ("reports, weighted (LDPE alone)", NOBODY, weighted_reports),
    ("Full-LM", NOBODY, equal_reports),
)
