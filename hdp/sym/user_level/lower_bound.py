"""Cummings et al. (2022), Section 5: the best noisy linear estimator and the lower bound, in numbers of samples.

Two groups of users, the first with fewer samples; what a general statement sums over users is a term here.
"""

import sympy as sp

from hdp.sym.foundations.one_lemma import T
from hdp.sym.symbols import N_1, N_2, epsilon
from hdp.sym.user_level.model import K, bernoulli, k, mean_variance, p, sigma_p

k_1, k_2 = sp.symbols("k_1 k_2", positive=True)  # samples of each user, k_1 <= k_2
sigma_1, sigma_2 = sp.symbols("sigma_1 sigma_2", positive=True)  # standard deviations of their means, falling
sigma = sp.Symbol("sigma_i", positive=True)  # of one user's mean

noise = 2 / epsilon**2  # variance of Laplace noise of scale 1/epsilon
printed_noise = 1 / epsilon**2  # eqs. (5), (6) and Section 5.2

# Lemma 5.2, a term of each sum over the users
clip_term = sp.Max(1 / (T * sigma) - 1, 0)  # these sum to `noise`
ideal_term = sp.Min(1 / sigma**2, T / sigma)  # one over the sum of these is the least variance

# The same at sigma_p = 0, in numbers of samples
cap_term = sp.Max(sp.sqrt(k / K) - 1, 0)  # these sum to `noise`
sample_term = sp.Min(k, sp.sqrt(k * K))  # p (1 - p) over the sum of these is the least variance


def hard_cap(groups, cap, penalty):
    """Variance over p (1 - p) where every user gives at most `cap` samples, for groups (users, samples)."""
    used = sum(m * sp.Min(size, cap) for m, size in groups)
    return (penalty * cap + used) / used**2


def soft_cap(groups, cap, penalty):
    """Variance over p (1 - p) of the weights of Lemma 5.2 with this cap, not above the largest number of samples."""
    used = sum(m * sp.Min(size, cap) for m, size in groups)
    return (penalty * cap + used) / sum(m * sp.Min(size, sp.sqrt(size * cap)) for m, size in groups) ** 2


# Two groups
only_generous = 1 / (N_1 / sigma_1**2 + N_2**2 / (sigma_2**2 * (N_2 + noise)))  # group 2 clipped
both_clipped = (N_1 + N_2 + noise) / (N_1 / sigma_1 + N_2 / sigma_2) ** 2
ideal_two_groups = sp.Piecewise((only_generous, sigma_2 * (N_2 + noise) <= sigma_1 * N_2), (both_clipped, True))
cap_two_groups = sp.Piecewise(
    (k_2 * (N_2 / (N_2 + noise)) ** 2, k_1 * (N_2 + noise) ** 2 <= k_2 * N_2**2),
    (((N_1 * sp.sqrt(k_1) + N_2 * sp.sqrt(k_2)) / (N_1 + N_2 + noise)) ** 2, True),
)
GROUPS = ((N_1, k_1), (N_2, k_2))
_few, _many = (hard_cap(GROUPS, size, printed_noise).subs(sp.Min(k_1, k_2), k_1) for size in (k_1, k_2))
sample_cap_two_groups = sp.Piecewise((k_1, _few <= _many), (k_2, True))

# Variances over the least one, where users do not differ
_least = ideal_two_groups.subs({sigma_1: 1 / sp.sqrt(k_1), sigma_2: 1 / sp.sqrt(k_2)})
_capped, _all = (hard_cap(GROUPS, size, noise).subs(sp.Min(k_1, k_2), k_1) for size in (k_1, k_2))
all_samples_cost = _all / _least
sample_cap_cost = sp.Piecewise((_capped, _few <= _many), (_all, True)) / _least
equal_weights_cost = (N_1 / k_1 + N_2 / k_2 + noise / k_1) / (N_1 + N_2) ** 2 / _least

_deviations = {s: sp.sqrt(mean_variance.subs(k, size)) for s, size in ((sigma_1, k_1), (sigma_2, k_2))}
ideal_two_sizes = ideal_two_groups.subs(_deviations)
_no_spread = {s: sp.sqrt(bernoulli / size) for s, size in ((sigma_1, k_1), (sigma_2, k_2))}
_at_most = {size: sp.Min(size, bernoulli / sigma_p**2) for size in (k_1, k_2)}
sample_two_sizes = ideal_two_groups.subs(_no_spread).subs(_at_most, simultaneous=True)

# Corollary 5.5 as printed, and with what is provable for noisy linear estimators
_soft = [soft_cap(GROUPS, size, printed_noise) for size in (k_1, k_2)]
_first = sp.Piecewise((_soft[0], _few <= _many), (_soft[1], True))
users = N_1 + N_2
between_users = sigma_p**2 / users * (1 + noise / users)
printed_two_sizes = sp.Min(_first, sigma_p**2 / users)
lower_two_sizes = sp.Max(ideal_two_groups.subs(_no_spread), between_users)
unbiased_floor = sigma_p**2 / (2 * users)  # of every unbiased estimator for beta distributions

# Lemma 5.4: half-widths of at most c standard deviations; J octaves from the best cap to the largest number of samples
c, J = sp.symbols("c_width J_octaves", positive=True)
truncation_cost = 4 * c**2
k_star_loss = 8 * J**2

# That all k samples of a user are 1, whatever the law of her mean: at least this, so it tends to 1 with p
all_ones = 1 - k * (1 - p)
