r"""The hybrid model of Avent, Dubey & Korolova (PoPETs 2020), sections 2 to 6.

A fraction c of n users trusts a curator (TCM); the others privatise their own values (LM).  Everybody has the same
budget.  Errors are mean squared errors against the empirical mean of all n users, as in the paper; groups may have
different means and variances.  `Setting` says who is a neighbour of whom and what is public.
"""

from hdp.hybrid.criteria import (
    best_improvement,
    c_crit,
    improvement_over_worst,
    laplace_n_crit,
    n_crit,
    relative_improvement,
)
from hdp.hybrid.errors import (
    homogeneous_weight,
    kvh_weight,
    mse_full_lm,
    mse_hybrid,
    mse_kvh,
    mse_lm,
    mse_pwh,
    mse_tcm,
    naive_weight,
    pwh_weight,
    true_mean_mse,
)
from hdp.hybrid.estimates import NAMES, deviation, estimate, estimator
from hdp.hybrid.setting import Setting

__all__ = [
    "NAMES", "Setting", "best_improvement", "c_crit", "deviation", "estimate", "estimator", "homogeneous_weight",
    "improvement_over_worst", "kvh_weight", "laplace_n_crit", "mse_full_lm", "mse_hybrid", "mse_kvh", "mse_lm",
    "mse_pwh", "mse_tcm", "n_crit", "naive_weight", "pwh_weight", "relative_improvement", "true_mean_mse",
]  # fmt: skip
