r"""Avent, Dubey & Korolova (2020), section 7 and appendix E: budgets, weights and errors of hybrid K-means.

What the book mends stands twice: `printed_...` and, without the prefix, as it is mended.
The paper's number of iterations, tau, is J here.
"""

import sympy as sp

from hdp.sym.hybrid_trust.baselines import c, epsilon, m  # m is the side of the box

J = sp.Symbol("J", positive=True)  # iterations
K = sp.Symbol("K_clusters", positive=True)  # clusters
d = sp.Symbol("d", positive=True)  # dimension
N = sp.Symbol("N", positive=True)  # users in each cluster
sigma = sp.Symbol("sigma_c", positive=True)  # standard deviation of a cluster in each coordinate
p = sp.Symbol("p_keep", positive=True)  # probability that an answer is not drawn at random
b_T, b_L = sp.symbols("b_T b_L", positive=True)  # scales of the Laplace noise
N_T, N_L = sp.symbols("N_T N_L", positive=True)  # users of each group in one cluster

# Line 2: the L1 change of all counts and sums when a user joins or is replaced, in the box [0, m]^d and centred
join_corner = m * d + 1
replace_corner, replace_centred = 2 * (m * d + 1), m * d + 2
printed_tcm_scale = (m * d + 1) * J / epsilon
tcm_scale = replace_centred * J / epsilon
lm_scale = m * d * (J + 1) / epsilon

# On a line from 0 to 1, one iteration, two clusters with a border between them: how much counts and sums change, in the
# L1 norm, if a user's value changes, and what she loses by that, in multiples of what she allows
border, value_before, value_after = sp.symbols("border value_before value_after", nonnegative=True)
_one_cluster = sp.Or(
    sp.And(value_before > border, value_after > border), sp.And(value_before <= border, value_after <= border)
)


def _loss(reach, scale):
    """For the size of a value, as a function of it, and the noise for a budget of 1."""
    crossed = 2 + reach(value_before) + reach(value_after)
    changed = sp.Piecewise((sp.Abs(value_before - value_after), _one_cluster), (crossed, True))
    return changed / scale.subs({m: 1, d: 1, J: 1, epsilon: 1})


loss_printed = _loss(lambda value: value, printed_tcm_scale)
loss_corrected = _loss(lambda value: value, J * replace_corner / epsilon)
loss_centred = _loss(lambda value: sp.Abs(value - sp.Rational(1, 2)), tcm_scale)

# Line 7
odds = sp.exp(epsilon / (J + 1))
keep = (odds - 1) / (K + odds - 1)
truth = odds / (odds + K - 1)

# Lines 12 and 13, for one cluster; clusters of equal size; `away` is mu_k - mean of all
random = (1 - p) / K  # probability of each random answer
pwh_weight = b_L**2 * N_T**2 / (b_L**2 * N_T**2 + N_L * b_T**2)
printed_weight = b_L**2 / (b_L**2 + N_L * b_T**2)
undone_inflation = (1 - 2 * random + K * random**2) / p**2  # of the LM noise, by undoing the random answers

# The noise of N_L reports in one sum, and in the sums of two iterations, which a user's one report enters again
frequency = sp.Symbol("omega", positive=True)
answer_share = sp.Symbol("q_answer", positive=True)  # chance of an answer for the cluster, in each of the two
noise_transform = (1 + b_L**2 * frequency**2) ** -N_L  # characteristic function
repeat_correlation = answer_share

# To first order, when every point finds its cluster: variance of a centre's noise in one coordinate, by group
tcm_variance = 2 * b_T**2 / (c * N) ** 2
lm_variance = 2 * b_L**2 / N


def _wcss(central, local, local_variance, bias):
    """Sum of squares for the share `central` of the TCM mean, per cluster position with |mu|^2 and |mu - mean|^2."""
    position, away = sp.symbols("position away", nonnegative=True)
    noise = tcm_variance * (d + position) + d * sigma**2 / (c * N)
    return sp.Lambda(
        (position, away),
        N * (d * sigma**2 + central**2 * noise + local**2 * (d * local_variance + bias**2 * away)),
    )


def _hybrid(local_variance, bias):
    """The same, weighted by the inverse of both variances."""
    central = local_variance / (local_variance + tcm_variance)
    return _wcss(central, 1 - central, local_variance, bias)


cluster_wcss = {
    "lm": _wcss(0, 1, lm_variance, 1 - p),
    "lm undone": _wcss(0, 1, lm_variance * undone_inflation, 0),
    "tcm": _wcss(1, 0, 0, 0),
    "hybrid": _hybrid(lm_variance / (1 - c), 1 - p),
    "hybrid undone": _hybrid(lm_variance / (1 - c) * undone_inflation, 0),
}


def wcss(name, centres, **values):
    """First-order WCSS of a variant for clusters of N points about these centres (rational pairs)."""
    k = len(centres)
    mean = [sp.Add(*column) / k for column in zip(*centres, strict=True)]
    total = 0
    for centre in centres:
        position = sum(x**2 for x in centre)
        away = sum((x - y) ** 2 for x, y in zip(centre, mean, strict=True))
        total += cluster_wcss[name](position, away)
    at = {K: k, d: len(centres[0]), m: 1}
    return total.subs({p: keep, b_T: tcm_scale, b_L: lm_scale}).subs(at).subs(values)
