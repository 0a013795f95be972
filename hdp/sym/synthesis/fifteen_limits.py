"""Six of the steps that lead from one model to another, taken gradually: error over the error at the end of the step.

Both groups have half of the users; at the step t a budget or a share has gone t times as far, or a spread is 1/t.
"""

import sympy as sp

from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n
from hdp.sym.threshold import one_threshold as single
from hdp.sym.user_level import model

step = sp.Symbol("t_step", positive=True)  # at least 1; the end is infinity
FIRST_SPREAD = sp.Rational(1, 5)  # sigma_p at step 1
FIRST_RATIO = sp.Integer(10)  # of the budgets of two groups that become equal, about, at step 1

_half = sp.Rational(1, 2)
_coins = {models.m: 1, models.sigma: _half, models.epsilon: epsilon_1}
arrival = upper.saturation_ratio.subs(f, _half)  # the step at which the generous group is as good as public
equal = upper.uniform_mse


def two_groups(ratio):
    """Theorem 1 before its cap, for halves whose budgets have this ratio."""
    low = upper.bound_a_in_budgets.subs(epsilon_2, ratio * epsilon_1).subs(f, _half)
    return sp.Piecewise((low, ratio <= arrival), (upper.bound_b_in_budgets.subs(f, _half), True))


def hybrid(share, quiet=1):
    """KVH against the true mean for fair coins, where this share trusts and the scale of reports is divided."""
    noisy = known.kvh_mse.subs(models.s_L, models.s_L / quiet).subs(models.laplace) + models.sigma**2 / n
    return noisy.subs(models.c, share).subs(_coins)


_halves = {single.N_1: n / 2, single.N_2: n / 2}
_samples = {model.f: _half, model.p: _half}
spread = model.ideal.subs(model.sigma_p, FIRST_SPREAD / step).subs(_samples)  # times the number of users
alike = model.proportional.subs(model.sigma_p, 0).subs(_samples)

# The number of the arrow, and how far its start is from its end
STEPS = {
    3: two_groups(step) / single.public_affine.subs(_halves),
    4: two_groups(1 + (FIRST_RATIO - 1) / step) / equal,
    8: hybrid(_half, quiet=step) / single.public_affine.subs(_halves),
    9: hybrid(1 - 1 / (2 * step)) / equal,
    13: spread / alike,
    15: equal.subs(epsilon_1, step * epsilon_1) / single.public_risk.subs(single.N_2, n),
}
