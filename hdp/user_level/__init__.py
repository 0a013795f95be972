r"""User-level privacy under heterogeneous data (Cummings, Feldman, McMillan & Talwar 2022).

Users draw their own :math:`p_i` from a distribution D on [0, 1] and hold :math:`k_i` Bernoulli samples each; the mean
p of D is wanted.  Neighbours differ in all the data of one user; n, the :math:`k_i` and the budgets are public.
"""

from hdp.user_level.algorithm_1 import Groups, estimate, groups, initial_estimates, plug_in_weights
from hdp.user_level.algorithm_2 import UserRelease, private_mean, private_variance
from hdp.user_level.ideal import IdealRelease, best_truncation, beta_proxy, half_width, private_ideal, truncated_weights
from hdp.user_level.linear import ideal_clip, ideal_variance, noisy_linear_variance, truncated_estimate
from hdp.user_level.lower_bounds import corollary_5_5, effective_cap, lower_bound, sample_cap, sample_variance
from hdp.user_level.model import (
    BASELINES,
    baseline_variance,
    ideal_weights,
    median_reduction,
    sample_mean_variance,
    variance_of,
)
from hdp.user_level.parts import UserGroups, least_share, user_groups, variance_scales
from hdp.user_level.private import private_estimate, private_estimator
from hdp.user_level.unbiased import best_unbiased_variance

__all__ = [
    "BASELINES", "Groups", "IdealRelease", "UserGroups", "UserRelease", "baseline_variance", "best_truncation",
    "best_unbiased_variance", "beta_proxy", "corollary_5_5", "effective_cap", "estimate", "groups", "half_width",
    "ideal_clip", "ideal_variance", "ideal_weights", "initial_estimates", "least_share", "lower_bound",
    "median_reduction", "noisy_linear_variance",
    "plug_in_weights", "private_estimate", "private_estimator", "private_ideal", "private_mean", "private_variance",
    "sample_cap", "sample_mean_variance", "sample_variance", "truncated_estimate", "truncated_weights", "user_groups",
    "variance_of", "variance_scales",
]  # fmt: skip
