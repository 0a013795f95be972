"""Every estimator on one population of two groups: expected squared errors against the mean of the population.

Of n users n f are in group 1, with budget epsilon_1, the others in group 2, with budget epsilon_2 >= epsilon_1.
The value of a user of group g lies in an interval of width 1 and has variance v_g; the means are equal.
Weights that a paper chooses for a variance it does not know assume the largest, 1/4, as the paper does; no error is
capped by that of a constant answer.
Where trust is mixed, group 2 trusts the curator and every user of group 1 sends a report with noise of her own.
"""

import sympy as sp

from hdp.sym.foundations import one_lemma
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n
from hdp.sym.user_level import lower_bound as user_lower
from hdp.sym.user_level import model, private

v_1, v_2 = one_lemma.v_i[:2]
SIZES, BUDGETS, VARIANCES = (n * f, n * (1 - f)), (epsilon_1, epsilon_2), (v_1, v_2)
QUARTER = sp.Rational(1, 4)

# A value is the mean of k_g samples (Bernoulli, of mean p_i; the p_i have mean 1/2 and deviation sigma_p).
# An ideal estimator that knows the mean 1/2 cuts it to an interval around it, of length d_g.
k_1, k_2 = user_lower.k_1, user_lower.k_2
k, sigma_p = model.k, model.sigma_p
value_variance = model.mean_variance.subs(model.p, sp.Rational(1, 2))
FAILURE = sp.Rational(1, 20)  # probability beta that any value is cut
cut_length = sp.Min(1, 2 * private.half_width.subs({private.V: sigma_p**2, private.L: sp.log(4 * n / FAILURE)}))
d_1, d_2 = sp.symbols("d_1 d_2", positive=True)


def total(terms):
    """Sum of a term of each user, given for a user of each group."""
    return sum(m * term for m, term in zip(SIZES, terms, strict=True))


def released(weights, noise):
    """The error of a sum with weights proportional to these, of one user of each group, and Laplace noise."""
    spread = total(w**2 * v for w, v in zip(weights, VARIANCES, strict=True))
    return (spread + 2 * noise**2) / total(weights) ** 2


def counted(*budgets):
    """One release in which every user counts by a budget, at most her own."""
    return released(budgets, 1)


def uncut(weights):
    """One release with these weights and the noise that the user with most weight for her budget needs."""
    return released(weights, sp.Max(*(w / e for w, e in zip(weights, BUDGETS, strict=True))))


def lemma_minimum(lengths):
    """The one lemma for both groups as items, with intervals of these lengths: the least error of one release."""
    variances = [v / m for v, m in zip(VARIANCES, SIZES, strict=True)]
    costs = [d / (m * e) for d, m, e in zip(lengths, SIZES, BUDGETS, strict=True)]
    return one_lemma.minimum(tuple(zip(variances, costs, strict=True)), kappa=2)[1]


# Both groups trust the curator
least, least_cut = lemma_minimum((1, 1)), lemma_minimum((d_1, d_2))
uniform = counted(epsilon_1, epsilon_1)
proportional = counted(epsilon_1, epsilon_2)
adpm = counted(epsilon_1, sp.Min(epsilon_2, epsilon_1 * upper.saturation_ratio))
_many, _few = 1 / sp.sqrt(n), 1 / sp.sqrt(SIZES[1])
fme = counted(
    sp.Min(epsilon_1, _many),
    sp.Piecewise((_many, epsilon_1 > _many), (sp.Min(epsilon_2, _few), True)),
)
_averages = upper.uniform_mse, upper.group_2_mse
threshold = sp.Piecewise((uniform, _averages[0] <= _averages[1]), (counted(0, epsilon_2), True))
every_sample, inverse_variance = uncut((k_1, k_2)), uncut((1 / v_1, 1 / v_2))
group_errors = tuple(map(upper.one_group, SIZES, BUDGETS, VARIANCES))
_assumed = 1 / upper.group_1_mse, 1 / upper.group_2_mse
local_noise = sum(a**2 * e for a, e in zip(_assumed, group_errors, strict=True)) / sum(_assumed) ** 2
# SM at the mean size of its sample, in which is a user of group 1 with the probability q
_kept, _size = (upper.sampling_probability, 1), upper.mean_sample_size
sampling = (total(q * v for q, v in zip(_kept, VARIANCES, strict=True)) + 2 / epsilon_2**2) / _size**2

# Group 2 trusts the curator, group 1 sends reports
report_variances = tuple(v + 2 / e**2 for v, e in zip(VARIANCES, BUDGETS, strict=True))
trusted, reported = group_errors[1], report_variances[0] / SIZES[0]


def hybrid(weight):
    """Weight of the trusting group."""
    return weight**2 * trusted + (1 - weight) ** 2 * reported


kvh = 1 / (1 / trusted + 1 / reported)
pwh = hybrid((reported / (reported + trusted)).subs({v_1: 0, v_2: 0}))

# Nobody trusts the curator
equal_reports = total(report_variances) / n**2
_precisions = tuple(1 / r.subs(v, QUARTER) for r, v in zip(report_variances, VARIANCES, strict=True))
_squares = total(a**2 * r for a, r in zip(_precisions, report_variances, strict=True))
weighted_reports = _squares / total(_precisions) ** 2
least_reports = 1 / total(1 / r for r in report_variances)

# What n times the least error tends to, for equal variances: full trust, only group 2, nobody
trust_limits = (
    v_1,
    1 / ((1 - f) / v_1 + f / (v_1 + 2 / epsilon_1**2)),
    1 / ((1 - f) / (v_1 + 2 / epsilon_2**2) + f / (v_1 + 2 / epsilon_1**2)),
)

ALL, MIXED, NOBODY, IDEAL = "all trust the curator", "only group 2 trusts", "nobody trusts", "ideal: the mean is known"

# Name, who has to trust, error; in the order in which a tie is broken
ESTIMATORS = (
    ("best weights (the one lemma)", ALL, least),
    ("best weights, values cut", IDEAL, least_cut),
    ("ADPM", ALL, adpm),
    ("PropDPM", ALL, proportional),
    ("FME (reconstruction)", ALL, fme),
    ("LDPE", ALL, local_noise),
    ("best threshold", ALL, threshold),
    ("SM (at its mean sample size)", ALL, sampling),
    ("UNI", ALL, uniform),
    ("weights 1/σ²", ALL, inverse_variance),
    ("every sample alike", ALL, every_sample),
    ("KVH", MIXED, kvh),
    ("PWH", MIXED, pwh),
    ("TCM-Only", MIXED, trusted),
    ("naive: every user alike", MIXED, hybrid(1 - f)),
    ("reports, weighted (LDPE alone)", NOBODY, weighted_reports),
    ("Full-LM", NOBODY, equal_reports),
    ("LM-Only (group 1 alone)", NOBODY, reported),
)
