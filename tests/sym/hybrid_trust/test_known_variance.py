"""Section 4 of Avent, Dubey & Korolova: every statement against the library, where the baselines tie and elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from hdp import hybrid
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, m
from hdp.sym.hybrid_trust.known_variance import y
from hdp.sym.symbols import n
from tests.hybrid.common import EQUAL, LAPLACE, TIED, assert_defined, curvature, improvement, noise_alone

DEFINITIONS = {
    "weight": hybrid.kvh_weight,
    "mse": lambda s: hybrid.mse_hybrid(s, 0.3),
    "tcm_mse": hybrid.mse_tcm,
    "full_lm_mse": hybrid.mse_full_lm,
    "kvh_mse": hybrid.mse_kvh,
    "printed_gamma": hybrid.mse_kvh,  # upside down
    "gamma": lambda s: 1 / hybrid.mse_kvh(s),
    "advantage": lambda s: (hybrid.mse_full_lm(s) - hybrid.mse_kvh(s)) / hybrid.kvh_weight(s),
    "curvature": curvature,
    "noise_curvature": lambda s: curvature(noise_alone(s)),
    "sampling_curvature": lambda s: curvature(s) - curvature(noise_alone(s)),
    "largest_variance": lambda s: np.var([0.0, s.m]),
}
IN_RATIOS = {
    "over_full_lm": lambda s: hybrid.mse_full_lm(s) / hybrid.mse_kvh(s),
    "over_tcm": lambda s: hybrid.mse_tcm(s) / hybrid.mse_kvh(s),
    "supremum": lambda s: hybrid.best_improvement(s.epsilon),
}
WHERE_THE_BASELINES_TIE = {"crossing": lambda s: s.c, "best_share": lambda s: s.c}
WHERE_THE_BASELINES_TIE |= {"balance": lambda s: (s.epsilon * s.sigma_t / s.m) ** 2}
WHERE_THE_BASELINES_TIE |= dict.fromkeys(
    ("improvement_at_crossing", "step_bound", "envelope", "best_at_size"), improvement
)


@pytest.mark.settles(
    "adk-definition-4-1", "adk-lemma-4-2", "adk-theorem-4-3", "adk-kvh-condition", "adk-kvh-one-user",
    "adk-corollary-4-4", "adk-appendix-b-popoviciu", "adk-appendix-b-step",
    "adk-appendix-b-instance", "adk-section-5-r", "hdp-kvh-never-worse", "hdp-kvh-supremum", "hdp-kvh-envelope",
    "hdp-pwh-kvh", "hdp-believed-variance", "hdp-unbounded-improvement",
)  # fmt: skip
def test_statements_agree_with_the_library():
    """For any noise; with Laplace noise, in ratios; and with as many users as make the baselines tie."""
    assert_defined(known, DEFINITIONS, EQUAL)
    assert_defined(known, IN_RATIOS, LAPLACE)
    assert_defined(known, WHERE_THE_BASELINES_TIE, TIED)
    assert known.printed_lower == known.supremum.subs(epsilon, 1) < known.printed_upper
    assert known.printed_upper == known.step_bound.subs({c: 0, y: sp.Rational(1, 4)})


@pytest.mark.settles("adk-appendix-b-instance", "hdp-kvh-envelope")
@pytest.mark.parametrize("users", [10, 300, 10**5])
def test_best_shares_of_so_many_users_tie_the_baselines(users):
    """In general, in the instance of Appendix B, and where R is 2."""
    for share, square, most in (
        (known.best_share.subs(y, 0.04), 0.04, None),
        (known.example_share, 0.25, None),
        (known.two_share, float(known.two_balance.subs(n, users)), 2),
    ):
        budget = max(1.0, 2 * square**0.5)
        s = Setting(users, float(share.subs(n, users)), 1, budget, square**0.5 / budget)
        assert hybrid.laplace_n_crit(s) == pytest.approx(users, rel=1e-9)
        best = improvement(s)
        assert most is None or best == pytest.approx(most, rel=1e-9)
        assert square != 0.25 or users < 10**5 or best == pytest.approx(17 / 8, abs=2e-4)  # its limit
        assert best > max(improvement(replace(s, c=s.c * k)) for k in (0.9, 0.99, 1.01, 1.1))


@pytest.mark.settles("adk-kvh-unbounded")
@pytest.mark.parametrize("wanted", [3, 10, 10**4])
def test_some_budget_exceeds_every_improvement(wanted):
    """Coins, Laplace noise and whole groups, with the budget at which the stated supremum is above what is wanted."""
    budget = float(sp.sqrt(8 * wanted))
    assert known.supremum.subs(epsilon, budget) == pytest.approx(wanted + 2)
    share = float(known.crossing.subs({y: budget**2 / 4, known.u: 0}))
    users = 10**9
    assert improvement(Setting(users, round(share * users) / users, 1, budget, 0.5)) > wanted


@pytest.mark.settles("adk-appendix-b-popoviciu")
@pytest.mark.parametrize("width", [1, 7])
def test_no_data_vary_more_than_popoviciu_says(width):
    """Laws on up to six points of [0, m], of any weights; those near the two ends come near it."""
    rng, largest = np.random.default_rng(51), float(known.largest_variance.subs(m, width))
    x = width * rng.beta(0.05, 0.05, (20_000, 6))
    weights = rng.dirichlet(np.ones(6), 20_000)
    mean = (weights * x).sum(axis=1)
    variance = (weights * (x - mean[:, None]) ** 2).sum(axis=1)
    assert 0.999 * largest < variance.max() <= largest


@pytest.mark.settles("adk-appendix-b-popoviciu")
def test_popoviciu_is_what_a_setting_allows():
    """The largest deviation, that of a coin on both ends, is accepted for either group, and nothing above it."""
    for width in (1, 2, 1000):
        largest = float(sp.sqrt(known.largest_variance).subs(m, width))
        assert np.std([0, width]) == largest
        for group in ("sigma_t", "sigma_l"):
            given = {"n": 10, "c": 0.5, "m": width, "epsilon": 1, "sigma_t": 0.0}
            assert getattr(Setting(**given | {group: largest}), group) == largest
            with pytest.raises(ValueError, match=f"{group} must be at most m/2"):
                Setting(**given | {group: largest * 1.0001})


@pytest.mark.parametrize("budget", [0.01, 0.1, 1.0])
def test_the_gain_comes_near_its_supremum_only_where_the_baselines_nearly_tie_and_many_trust(budget):
    """Within 0.1, for coins."""
    trusting, share = np.geomspace(2.01, 1e6, 200)[:, None], np.geomspace(1e-8, 0.95, 2000)
    s = Setting(trusting / share, share, 1, budget, 0.5)
    near = improvement(s) > float(known.supremum.subs(epsilon, budget)) - 0.1
    ratio = (hybrid.mse_tcm(s) / hybrid.mse_full_lm(s))[near]
    assert 0.9 < ratio.min() < 0.91 and 1.09 < ratio.max() < 1.112
    assert 10 < np.broadcast_to(trusting, near.shape)[near].min() < 15
