"""The one lemma specialised to the papers: what plays variance and noise cost, and what the paper says comes out.

A population has two kinds of users; the lemma minimises the sum of v_i w_i^2 plus kappa max (s_i w_i)^2.
"""

from typing import NamedTuple

import sympy as sp

from hdp.sym.heterogeneous_budgets import experiments
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n
from hdp.sym.threshold import one_threshold as single
from hdp.sym.threshold import one_threshold as sym
from hdp.sym.user_level import lower_bound as user_lower
from hdp.sym.user_level import model
from hdp.sym.user_level import private as user_private

kappa = sp.Integer(2)  # variance of Laplace noise of scale 1


class Kind(NamedTuple):
    """Users who are alike: how many, the variance of one's item, its noise cost, and whether noise limits it."""

    users: sp.Expr
    variance: sp.Expr
    noise_cost: sp.Expr
    limited: bool


class Specialisation(NamedTuple):
    """The one lemma for one estimator: two kinds of items, and what is said of the level and the minimum.

    `claim` is the label of the theorem or definition of the book that has it.
    """

    estimator: str
    claim: str
    kinds: tuple[Kind, ...]
    level: sp.Expr
    error: sp.Expr


_quarter = sp.Rational(1, 4)
_first, _second = n * f, n * (1 - f)
_trusting, _local = trust.c * n, (1 - trust.c) * n
_report = (trust.sigma**2 + trust.s_L**2).subs(trust.laplace)
_heavy, _light = model.heavy, model.bernoulli
width_ratio = user_private.r  # of every interval to its user's standard deviation
_sigma, _counts = (user_lower.sigma_1, user_lower.sigma_2), (user_lower.N_1, user_lower.N_2)
_costs = tuple(s * width_ratio / user_lower.epsilon for s in _sigma)
_interval_noise = width_ratio**2 * user_lower.noise


def best_clip(limited):
    """Eq. 6 of Cummings et al. with the right noise: T* if these (users, sigma) are noise-limited, widths r sigma."""
    return sum(m / s for m, s in limited) / (sum(m for m, _ in limited) + _interval_noise)


def _clipped(*limited):
    """Lemma 5.2 and eq. 4: the level is epsilon / (r T)."""
    kinds = tuple(Kind(m, s**2, cost, flag) for m, s, cost, flag in zip(_counts, _sigma, _costs, limited, strict=True))
    clip = best_clip([pair for pair, flag in zip(zip(_counts, _sigma, strict=True), limited, strict=True) if flag])
    return kinds, user_lower.epsilon / (width_ratio * clip)


_wider = {user_lower.epsilon: user_lower.epsilon / width_ratio}  # intervals r sigma are sigma with a smaller budget

SPECIALISATIONS = (
    Specialisation(r"ADPM, $r \le R$", "cc-theorem-1",
        (Kind(_first, _quarter, 1 / epsilon_1, True), Kind(_second, _quarter, 1 / epsilon_2, True)),
        (8 + n * upper.mean_square_budget) / (4 * n * upper.mean_budget), upper.bound_a_in_budgets),
    Specialisation(r"ADPM, $r \ge R$", "cc-theorem-1",
        (Kind(_first, _quarter, 1 / epsilon_1, True), Kind(_second, _quarter, 1 / epsilon_2, False)),
        upper.saturation_ratio * epsilon_1 / 4, upper.bound_b_in_budgets),
    Specialisation("LDPE", "hdp-kvh-ldpe",
        (Kind(sp.Integer(1), experiments.group_1_error, sp.Integer(0), False),
         Kind(sp.Integer(1), experiments.group_2_error, sp.Integer(0), False)),
        sp.oo, upper.local_mse),
    Specialisation("affine, public group", "cz-claim-1",
        (Kind(sym.N_1, _quarter, 1 / epsilon_1, True), Kind(sym.N_2, _quarter, sp.Integer(0), False)),
        sym.saturation / 4, sym.public_affine),
    Specialisation(r"threshold $\tau = \epsilon_2$", "cz-definition-6",
        (Kind(sym.N_1, _quarter, sp.oo, True), Kind(sym.N_2, _quarter, 1 / epsilon_2, True)),
        epsilon_2 / 4 + 2 / (sym.N_2 * epsilon_2), sym.generous_risk),
    Specialisation("KVH", "adk-lemma-4-2",
        (Kind(_trusting, trust.sigma**2, trust.m / trust.epsilon, True), Kind(_local, _report, sp.Integer(0), False)),
        trust.sigma**2 * trust.epsilon / trust.m + 2 * trust.m / (_trusting * trust.epsilon),
        known.kvh_mse.subs(trust.laplace) + trust.sigma**2 / n),
    Specialisation("ideal weights, not private", "cfmt-ideal-weights",
        (Kind(n * model.f, _heavy, sp.Integer(0), False), Kind(n * (1 - model.f), _light, sp.Integer(0), False)),
        sp.oo, model.ideal / n),
    Specialisation("private ideal, all clipped", "cfmt-lemma-5-2",
        *_clipped(True, True), user_lower.both_clipped.subs(_wider)),
    Specialisation("private ideal, group 2 clipped", "cfmt-lemma-5-2",
        *_clipped(False, True), user_lower.only_generous.subs(_wider)),
)  # fmt: skip


# -- Six of the steps that lead from one model to another, taken gradually: error over the error at the end of the step.

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
