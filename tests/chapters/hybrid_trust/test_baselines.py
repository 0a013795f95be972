"""Every formula of sections 2 and 3 of Avent, Dubey & Korolova against the library, at random settings."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from hdp import hybrid
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, mu_L, mu_T, s_L, s_T, sigma, sigma_L, sigma_T, w
from hdp.sym.symbols import n
from tests.figures.captions import line, number, says
from tests.hybrid.common import DIVERGING, LAPLACE, TIED, assert_defined, value


def tcm_wins(s):
    """Lemma 3.6: a share above the critical one, and at most so many users."""
    return s.c > hybrid.c_crit(s) and s.n <= hybrid.n_crit(s)


def printed_excess(s):
    """By how much `printed_n_crit` is too large."""
    return 2 * (1 - s.c) ** 2 * s.variance_t / (s.c * (((1 - s.c) * s.gap) ** 2 + s.noise_t))


DEFINITIONS = {
    "mean": lambda s: s.mean,
    "mixture_variance": lambda s: s.mixture_variance,
    "printed_mixture_variance": lambda s: s.mixture_variance + s.mean**2,  # the second moment
    "tcm_mse": hybrid.mse_tcm,
    "full_lm_mse": hybrid.mse_full_lm,
    "lm_mse": hybrid.mse_lm,
    "hybrid_mse": lambda s: hybrid.mse_hybrid(s, 0.3),
    "true_mean_mse": lambda s: hybrid.true_mean_mse(s, 0.3),
    "disagreement": lambda s: s.effective_variance / (s.c * (1 - s.c) * s.n),
    "relative_improvement": lambda s: hybrid.relative_improvement(s, 0.5),
    "improvement_over_worst": lambda s: hybrid.improvement_over_worst(s, 0.5),
    "n_crit": hybrid.n_crit,
    "printed_n_crit": lambda s: hybrid.n_crit(s) + printed_excess(s),
    "c_crit": hybrid.c_crit,
    "c_crit_without_cases": hybrid.c_crit,
    "relative_improvement_in_cases": lambda s: hybrid.relative_improvement(s, 0.5),
    "printed_relative_improvement": lambda s: (hybrid.mse_tcm(s) if tcm_wins(s) else hybrid.mse_lm(s)) / 0.5,
}
LAPLACE_DEFINITIONS = {
    "c_crit_equal": hybrid.c_crit,
    "laplace_c_crit": hybrid.c_crit,
    "laplace_tcm_mse": hybrid.mse_tcm,
    "laplace_full_lm_mse": hybrid.mse_full_lm,
    "laplace_relative_improvement": lambda s: hybrid.relative_improvement(s, 0.5),
}


@pytest.mark.settles(
    "adk-laplace-mechanism", "adk-mixture-mean", "adk-mixture-variance", "adk-table-1", "adk-errors",
    "adk-lm-only-is-worse", "adk-definition-3-5", "adk-lemma-3-6-n", "adk-lemma-3-6-c", "adk-definition-3-7",
    "adk-lemma-3-8", "adk-definition-3-9", "adk-section-3-large-enough", "adk-kvh-one-user", "adk-figure-1-text",
    "adk-definition-5-1", "adk-definition-5-2", "adk-theorem-5-5",
    "adk-section-5-r", "adk-definition-6-1", "adk-mean-skew", "hdp-true-mean", "hdp-disagreement",
    "hdp-kvh-never-worse",
)  # fmt: skip
def test_statements_agree_with_the_library():
    """All groups and all noise; with Laplace noise and equal groups; and the number of users that ties the baselines.

    The random settings have both orders of c and c_crit, and of n and n_crit.
    """
    orders = {(s.c > hybrid.c_crit(s), bool(tcm_wins(s))) for s in DIVERGING}
    assert orders == {(False, False), (True, False), (True, True)}
    assert_defined(sym, DEFINITIONS, DIVERGING)
    assert_defined(sym, LAPLACE_DEFINITIONS, LAPLACE)
    assert_defined(sym, {"laplace_n_crit": lambda s: s.n}, TIED)
    for s in DIVERGING:
        if s.sigma_l is not None:
            assert value(sym.c_crit_unequal, s) == pytest.approx(hybrid.c_crit(s), rel=1e-9)


@pytest.mark.settles(
    "adk-laplace-mechanism", "adk-gaussian-mechanism", "adk-kvh-one-user", "adk-section-5-r",
    "hdp-hybrid-limits", "hdp-kvh-never-worse",
)  # fmt: skip
@pytest.mark.parametrize("noise", [sym.laplace, sym.gaussian], ids=["laplace", "gaussian"])
def test_noise_is_calibrated_as_stated(noise):
    """Section 2.1; and the ratio of the two deviations is c n."""
    for s in LAPLACE:
        s = replace(s, epsilon=min(s.epsilon, 1.0), delta=0.0 if noise is sym.laplace else 1e-4)
        deviations = [value(noise[symbol], s) for symbol in (sym.s_T, sym.s_L)]
        np.testing.assert_allclose(deviations, np.sqrt([s.noise_t, s.noise_l]), rtol=1e-12)


@pytest.mark.settles("hdp-window")
@pytest.mark.parametrize("gap", [0.002, 0.01])
def test_the_window_ends_where_the_number_of_users_is_critical(gap):
    """For means that differ there are two such numbers, with the corrected condition and with the printed one."""
    for s in TIED:
        s = replace(s, mu_l=s.mu_t + gap * s.m, sigma_l=0.9 * s.sigma_t)
        for surplus, critical in ((sym.window_surplus, sym.n_crit), (sym.printed_window_surplus, sym.printed_n_crit)):
            low, high = (value(end, s) for end in sym.window(surplus))
            assert low < high
            for users in (low, high):
                assert value(critical, replace(s, n=users)) == pytest.approx(users, rel=1e-6)


@pytest.mark.settles("hdp-window")
def test_the_window_may_be_a_point():
    """Where B = 2 sqrt(A C) the baselines tie, at 8 users; for other numbers Full-LM is better."""
    point = {c: sp.Rational(1, 2), m: 1, epsilon: sp.sqrt(2), sigma_T: 0, sigma_L: 0, sym.gap: sp.Rational(1, 2)}
    lost = (sym.tcm_mse - sym.full_lm_mse).subs(mu_L, mu_T + sym.gap).subs(sym.laplace).subs(point)
    assert sym.window(sym.window_surplus)[0].subs(point) == 8
    assert [sp.sign(sp.simplify(lost.subs(n, users))) for users in (4, 8, 16)] == [1, 0, 1]


@pytest.mark.settles("adk-mixture-mean", "adk-mixture-variance", "adk-definition-2-2")
def test_moments_of_the_mixture_are_those_of_all_values_pooled():
    """Section 2.2, and Definition 2.1: two lists of numbers, thrown together."""
    of_t, of_l = np.array([0, 2, 7]) / 7, np.array([1, 1, 2, 4, 5]) / 5
    point = {c: 3 / 8, mu_T: of_t.mean(), mu_L: of_l.mean(), sigma_T: of_t.std(), sigma_L: of_l.std()}
    found, pooled = (sym.mean.subs(point), sym.mixture_variance.subs(point)), np.append(of_t, of_l)
    assert found == pytest.approx((pooled.mean(), pooled.var()), rel=1e-12)
    moments = dict(mu_t=of_t.mean(), mu_l=of_l.mean(), sigma_t=of_t.std(), sigma_l=of_l.std())
    s = hybrid.Setting(n=8, c=3 / 8, m=1, epsilon=1, **moments)
    assert (s.mean, s.mixture_variance) == pytest.approx(found, rel=1e-12)


def errors_by_hand(trusting, users, laws, weight):
    """The four errors by Definition 2.2, and that against the true mean, from all outcomes of values and noises.

    A law is two values, as likely as each other: of group T, of group L, of the curator's noise, of that in a report.
    """
    of_t, of_l, noise_t, noise_l = laws
    drawn = [of_t] * trusting + [of_l] * (users - trusting) + [noise_t] + [noise_l] * users
    outcomes = np.array(list(product(*drawn)))
    x, y, reports = np.split(outcomes, [users, users + 1], axis=1)
    empirical, sent = x.mean(axis=1), x + reports
    tcm, lm = x[:, :trusting].mean(axis=1) + y[:, 0], sent[:, trusting:].mean(axis=1)
    mixed = weight * tcm + (1 - weight) * lm
    found = [np.mean((estimate - empirical) ** 2) for estimate in (tcm, sent.mean(axis=1), lm, mixed)]
    return [*found, np.mean((mixed - empirical.mean()) ** 2)]


@pytest.mark.settles("adk-errors", "adk-definition-2-2", "adk-estimators", "hdp-true-mean", "hdp-disagreement")
@pytest.mark.parametrize("trusting, users", [(1, 2), (1, 3), (2, 4)])
@pytest.mark.parametrize("weight", [0.0, 1 / 3, 1.0])
def test_errors_are_those_of_the_definitions(trusting, users, weight):
    """For two values in each group and two of each noise, with other means and variances."""
    point = {c: trusting / users, n: users, w: weight, mu_T: 0.5, mu_L: 2.5, sigma_T: 0.5, sigma_L: 1.5, s_T: 2, s_L: 3}
    stated = sym.tcm_mse, sym.full_lm_mse, sym.lm_mse, sym.hybrid_mse, sym.true_mean_mse
    found = errors_by_hand(trusting, users, ((0, 1), (1, 4), (-2, 2), (-3, 3)), weight)
    assert [float(e.subs(point)) for e in stated] == pytest.approx(found, rel=1e-12)
    noise = w**2 * s_T**2 + (1 - w) ** 2 * s_L**2 / ((1 - c) * n)
    assert float((noise + (w - c) ** 2 * sym.disagreement).subs(point)) == pytest.approx(found[3], rel=1e-12)


@pytest.mark.settles("hdp-true-mean")
def test_the_best_weight_depends_on_the_benchmark_where_the_variances_differ():
    """And nowhere else: by the derivatives of both errors."""
    slope = sp.diff(sym.true_mean_mse - sym.hybrid_mse, w)
    assert sp.simplify(slope - 2 * (sigma_T**2 - sigma_L**2) / n) == 0
    assert all(0 < hybrid.kvh_weight(s) < 1 for s in DIVERGING)  # so that the best weight moves


@pytest.mark.settles("adk-definition-3-9", "adk-lemma-3-8")
@pytest.mark.parametrize(
    ("share", "users", "tcm_is_better"),
    [
        ("1/3", 10**6, False),  # c = c_crit, where the denominator of n_crit vanishes
        ("2/5", 24, False),
        ("2/5", 25, True),  # n = n_crit: as good as Full-LM
    ],
)
def test_laplace_improvement_in_cases(share, users, tcm_is_better):
    """Definition 3.9 below, at and above both critical values, against the smaller of the errors of Lemmas 3.2, 3.4."""
    point = {c: sp.Rational(share), n: users, m: 1, epsilon: 2, sigma: sp.Rational(1, 2)}
    full = {**sym.homogeneous, mu_T: 0}
    tcm, local = (e.subs(full).subs(sym.laplace).subs(point) for e in (sym.tcm_mse, sym.full_lm_mse))
    assert (tcm <= local) == tcm_is_better
    assert sym.laplace_relative_improvement.subs(point) == min(tcm, local) / sym.error


# -- What the figures draw, by the library.


FARTHEST = 1e30  # users: stands for "for every larger number"


def setting(n, c, epsilon, sigma_T, sigma_L, d):
    """Data in [0, 1] with means at a distance d."""
    return hybrid.Setting(n, c, 1, epsilon, sigma_T, sigma_L, 0.5 - d / 2, 0.5 + d / 2)


def over_full_lm(mse):
    return lambda **at: mse(setting(**at)) / hybrid.mse_full_lm(setting(**at))


def as_printed(n, **groups):
    """Negative where Lemma 3.6 as printed has TCM-Only better; the curator's noise is that for n users."""
    s = setting(n, **groups)
    surplus = s.c * s.noise_l + (1 - s.c) * ((1 - s.c) * s.variance_t - s.c * s.variance_l)
    return np.log(n * s.c * (((1 - s.c) * s.gap) ** 2 + s.noise_l / (s.c * n) ** 2) / surplus) if surplus > 0 else 1.0


def as_it_is(**at):
    """Negative where TCM-Only is better."""
    return np.log(over_full_lm(hybrid.mse_tcm)(**at))


def window(which, surplus):
    """First or last n for which TCM-Only is better: nan if there is none, inf if there is no last one."""

    def end(c, **groups):
        def at(log_n):
            return surplus(n=np.exp(log_n), c=c, **groups)

        s, steep = setting(1e6, c, **groups), (1 - c) * groups["d"]
        best = np.sqrt(s.noise_l) / (c * steep) if steep else FARTHEST  # E_T/E_F falls before it and rises after it
        low, middle = np.log(2 / c), np.log(max(best, 2 / c))  # at least two users trust
        if c <= hybrid.c_crit(s) or at(middle) >= 0:
            return np.nan
        if which == 1:
            return np.exp(brentq(at, middle, 2 * middle, xtol=1e-14)) if steep else np.inf
        return np.exp(brentq(at, low, middle, xtol=1e-14)) if at(low) > 0 else np.nan

    return end


def c_crit(**groups):
    return float(hybrid.c_crit(setting(1e6, 0.5, **groups)))


def nobody_left(**groups):
    """Whether c_crit lies beyond one half."""
    return c_crit(**groups) >= 0.5


def too_far_apart(d, **groups):
    """Whether at c = 1/2 TCM-Only errs more than Full-LM even for the best number of users, and only for the gap."""
    s = setting(1e6, 0.5, d=d, **groups)
    best = max(np.sqrt(s.noise_l) / (0.25 * d), 2.0) if d else np.inf
    return not nobody_left(d=d, **groups) and np.isfinite(best) and as_it_is(n=best, c=0.5, d=d, **groups) >= 0


REFERENCES = {
    "adk-baselines": {
        "TCM-Only": over_full_lm(hybrid.mse_tcm),
        "Full-LM": 1.0,
        "LM-Only": over_full_lm(hybrid.mse_lm),
        "TCM-Only wins": window(0, as_it_is),
        "Full-LM wins": window(1, as_it_is),
    },
    "adk-regions": {
        "better from here": window(0, as_it_is),
        "better up to here": window(1, as_it_is),
        "from here, as": window(0, as_printed),
        "up to here, as printed": window(1, as_printed),
        "Nowhere here is TCM-Only better: more": nobody_left,
        "Nowhere here is TCM-Only better: the means": too_far_apart,
        "critical fraction": c_crit,
    },
}


# -- What the captions say.


@says("adk-regions", r"closes from above (dashed), and no longer reaches \(c_{crit}\)")
def test_the_region_closes_from_above(figure):
    shares = np.geomspace(0.005, 0.5, 400)
    for d in (0.01, 0.02, 0.05):
        there = shares[np.isfinite(line(figure, "better up", shares, d=d))]
        assert there[0] > 1.3 * number(figure, "critical fraction", d=d)
