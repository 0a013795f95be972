"""Section 5 of Avent, Dubey & Korolova: every statement against the library, and the printed conditions."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from hdp import hybrid
from hdp.proof import assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, w
from hdp.sym.symbols import n
from tests.hybrid.common import EQUAL, LAPLACE, alike, assert_defined, curvature, noise_alone, value

HALF = sp.Rational(1, 2)


def mse_naive(s):
    """Error at the weight c."""
    return hybrid.mse_hybrid(s, hybrid.naive_weight(s))


def square(s):
    """What the margins are divided by."""
    return s.c * (s.noise_l + s.lm_users * s.noise_t) ** 2


def margin(s):
    """What PWH gains on Full-LM, in units of the advantage over a square."""
    advantage = (s.noise_l - s.tcm_users * s.noise_t) / s.n
    return (hybrid.mse_full_lm(s) - hybrid.mse_pwh(s)) * square(s) / advantage


def over_tcm(s):
    """What PWH gains on TCM-Only."""
    return (hybrid.mse_tcm(s) - hybrid.mse_pwh(s)) * square(s) / ((1 - s.c) * s.noise_t)


DEFINITIONS = {
    "noise_error": lambda s: hybrid.mse_hybrid(noise_alone(s), 0.3),
    "weight": hybrid.pwh_weight,
    "pwh_mse": hybrid.mse_pwh,
    "gamma": lambda s: 1 / hybrid.mse_pwh(s),
    "naive_mse": mse_naive,
    "margin": margin,
    "worst_margin": over_tcm,
    "naive_margin": lambda s: (2 * curvature(noise_alone(s)) - curvature(s)) * s.c * s.lm_users,
    "cautious_weight": lambda s: hybrid.homogeneous_weight(s, s.m**2 / 4),
}
LAPLACE_DEFINITIONS = {
    "laplace_margin": lambda s: margin(s) * s.c * s.n * s.epsilon**4 / (2 * s.m**2),
    "most_over_full_lm": lambda s: hybrid.mse_full_lm(s) / hybrid.mse_pwh(alike(s, 0.0)),
}


@pytest.mark.settles(
    "adk-section-3-trivial", "adk-definition-5-2", "adk-section-5-naive", "adk-definition-5-3", "adk-lemma-5-4",
    "adk-theorem-5-5", "adk-section-5-r", "adk-section-5-generic", "adk-section-5-conditions", "adk-figure-8-text",
    "hdp-pwh-worst", "hdp-pwh-best", "hdp-pwh-kvh", "hdp-pwh-limits", "hdp-cautious-weight", "hdp-pwh-diverging",
    "hdp-kvh-above-c",
)  # fmt: skip
def test_statements_agree_with_the_library():
    """For any noise, with Laplace noise, and in the limit of many users."""
    assert_defined(unknown, DEFINITIONS, EQUAL)
    assert_defined(unknown, LAPLACE_DEFINITIONS, LAPLACE)
    for s in LAPLACE:
        many = replace(s, n=1e15)
        limit = hybrid.mse_full_lm(many) / hybrid.mse_pwh(many)
        assert value(unknown.limiting_improvement, s) == pytest.approx(limit, rel=1e-6)


@pytest.mark.settles("adk-section-5-conditions", "hdp-pwh-best", "hdp-pwh-limits")
@pytest.mark.parametrize(
    ("statement", "field", "other", "sizes"),
    [
        ("n_bound", "n", hybrid.mse_full_lm, [(0.05, 1.0), (0.1, 1.5)]),
        ("naive_n_bound", "n", mse_naive, [(0.05, 0.7), (0.1, 0.8)]),
        ("even_share", "c", hybrid.mse_full_lm, [(0.2, 0.5), (0.2, 3.0)]),
        ("few_share", "c", hybrid.mse_full_lm, [(0.2, 0.5), (0.2, 3.0)]),
    ],
)
def test_pwh_is_as_good_there(statement, field, other, sizes):
    """At the stated number of users, or share, and not beside it: shares and products of budget and deviation."""
    for share, product in sizes:
        s = hybrid.Setting(1000, share, 1, 2 * product, 0.5)
        there = value(getattr(unknown, statement), s)
        signs = []
        for k in (0.999, 1, 1.001):
            near = replace(s, **{field: there * k})
            signs.append(hybrid.mse_pwh(near) / other(near) - 1)
        assert abs(signs[1]) < 1e-9 and signs[0] * signs[2] < 0


@pytest.mark.settles("adk-section-5-conditions")
@pytest.mark.parametrize(
    ("budget", "share", "regimes"),
    [(2.8, 0.5, "01"), (2.9, 0.5, "11"), (2.0, 0.125, "01"), (2.0, 0.5, "01"), (2.0, 0.6, "00"), (1.0, 0.5, "00")],
)
def test_printed_regimes_are_separated_as_the_paper_says(budget, share, regimes):
    """From epsilon = sqrt(2) m/sigma, up to c = (epsilon sigma/m)^2/2, and beyond it below a number of users."""
    at = {m: 1, sigma: HALF, epsilon: sp.Rational(str(budget)), c: sp.Rational(str(share))}
    first, second, third = (bool(regime.subs(at)) for regime in unknown.printed_regimes)
    assert (first, second) == (regimes[0] == "1", regimes[1] == "1") and third == (not second)
    bound = 2 * (1 + share) / (share * (2 * share - budget**2 / 4)) if third else 10
    assert not third or unknown.printed_n_bound.subs(at) == pytest.approx(bound)
    for users, holds in ((bound / 1.01, True), (bound * 1.01, first or second)):
        assert bool(unknown.printed_condition.subs(at | {n: users})) == holds


@pytest.mark.settles("adk-section-5-conditions", "adk-section-3-trivial")
def test_printed_conditions_are_those_of_the_naive_weight():
    """Whole groups with two trusting users or more: w = c beats both baselines exactly if one of them holds."""
    rng, seen = np.random.default_rng(7), set()
    for _ in range(300):
        users = int(rng.integers(3, 300))
        share, budget = sp.Rational(int(rng.integers(2, users)), users), sp.Rational(int(rng.integers(1, 500)), 50)
        at = {n: users, c: share, m: 1, epsilon: budget, sigma: sp.Rational(int(rng.integers(1, 21)), 40)}
        tcm, full, naive = (e.subs(sym.laplace).subs(at) for e in (known.tcm_mse, known.full_lm_mse, unknown.naive_mse))
        assert naive < full and (naive < tcm) == bool(unknown.printed_condition.subs(at))
        seen.add(bool(naive < tcm))
    assert seen == {False, True}


@pytest.mark.settles("adk-section-5-r", "hdp-pwh-worst")
@pytest.mark.parametrize(("factor", "above"), [(1, True), (0.3, True), (0.06, False)])
def test_noise_of_two_kinds_may_lose_to_both(factor, above):
    """Four coins, three with the curator: noise of one kind, a local one of less variance, and of much less."""
    s = hybrid.Setting(4, 0.75, 1, 10, 0.5)
    s = replace(s, s_t2=s.noise_t, s_l2=s.noise_l * factor)
    r = hybrid.improvement_over_worst(s, hybrid.mse_pwh(s))
    assert (r > 1) == above == (value(unknown.worst_margin, s) > 0)


@pytest.mark.settles("adk-section-5-constant")
def test_a_constant_weight_can_lose_to_both():
    """The example of section 5: r < 1 from 10057 users on, one fewer than printed."""
    tcm, full, fixed = (
        sp.expand(n * e.subs(sym.laplace).subs(unknown.example))
        for e in (known.tcm_mse, known.full_lm_mse, known.mse.subs(w, unknown.example_weight))
    )
    assert_nonnegative(fixed - full, strict=True)  # for every n
    first = sp.solve(fixed - tcm, n)[0]  # n (fixed - tcm) is linear in 1/n and increases
    assert (unknown.example_users, unknown.printed_example_users) == (sp.ceiling(first), sp.ceiling(first) + 1)
    assert sp.limit(fixed - tcm, n, sp.oo) > 0


def test_the_cautious_weight_falls_behind_tcm_only_where_data_vary_little():
    """Beta(10, 10), c = 5 %, epsilon = 1: ever farther from 1000 users on."""
    s = hybrid.Setting(np.array([1e3, 1e4, 1e5]), 0.05, 1, 1, 84**-0.5)
    behind = hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, s.m**2 / 4)) / hybrid.mse_tcm(s)
    assert behind == pytest.approx([1.114, 3.283, 4.226], abs=1e-3)
