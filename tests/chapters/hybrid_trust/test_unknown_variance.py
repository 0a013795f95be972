"""Section 5 of Avent, Dubey & Korolova: every statement against the library, and the printed conditions."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from hdp import hybrid
from hdp.figures.hybrid_trust import known_variance
from hdp.figures.hybrid_trust import unknown_variance as figures
from hdp.proof import assert_nonnegative
from hdp.sym.hybrid_trust import baselines as sym
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, w
from hdp.sym.symbols import n
from tests.chapters.hybrid_trust.test_known_variance import (
    improvement_of,
    labelled,
    n_crit,
    of_each,
    setting,
    somebody,
    tie,
)
from tests.figures.captions import line, positions, says
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
        many, crit = replace(s, n=1e15), value(sym.laplace_c_crit, s)
        limit = hybrid.mse_full_lm(many) / hybrid.mse_pwh(many)
        assert value(unknown.limiting_improvement, s) == pytest.approx(limit, rel=1e-6)
        for at in (many, alike(many, 0.0)):  # R tends to 1 if that is smaller
            found = hybrid.relative_improvement(at, hybrid.mse_pwh(at))
            assert found == pytest.approx(min(1, limit) if at is many else 1, rel=1e-6)
        for at in (replace(s, c=crit), replace(many, c=1.001 * crit), replace(many, c=0.999 * crit)):
            assert (hybrid.mse_pwh(at) < hybrid.mse_full_lm(at)) == (at.c >= crit)  # for every n from c_crit on


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
    """At the stated number of users, or share, for shares and products of budget and deviation."""
    for share, product in sizes:
        s = hybrid.Setting(1000, share, 1, 2 * product, 0.5)
        there = replace(s, **{field: value(getattr(unknown, statement), s)})
        assert hybrid.mse_pwh(there) == pytest.approx(other(there), rel=1e-9)


@pytest.mark.settles("adk-section-5-conditions")
@pytest.mark.parametrize(
    ("budget", "share", "regimes"),
    [(2.8, 0.5, "01"), (2.9, 0.5, "11"), (2.0, 0.5, "01"), (2.0, 0.6, "00")],
)
def test_printed_regimes_are_separated_as_the_paper_says(budget, share, regimes):
    """From epsilon = sqrt(2) m/sigma, up to c = (epsilon sigma/m)^2/2, and beyond it."""
    at = {m: 1, sigma: HALF, epsilon: sp.Rational(str(budget)), c: sp.Rational(str(share))}
    first, second, third = (bool(regime.subs(at)) for regime in unknown.printed_regimes)
    assert (first, second) == (regimes[0] == "1", regimes[1] == "1") and third == (not second)


@pytest.mark.settles("adk-section-5-conditions", "adk-section-3-trivial")
def test_printed_conditions_are_those_of_the_naive_weight():
    """Whole groups with two trusting users or more: w = c beats both baselines exactly if one of them holds."""
    rng, seen = np.random.default_rng(7), set()
    for _ in range(60):
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


@pytest.mark.settles("adk-figure-2", "adk-figure-3", "adk-figure-8")
def test_the_figures_have_the_values_of_the_paper():
    """For the salaries with their ranges of c and epsilon; for three Beta laws with two c and two epsilon."""
    for drawn in (known_variance.figure_2b, figures.figure_8a, figures.figure_8b):
        assert (drawn.x.domain, drawn.y.domain) == ((0.1, 10), (0.001, 0.1))
        assert drawn.paper_values == pytest.approx({"n": 252_540, "sigma": 53_254 / 2_349_033})
    best = figures.figure_3_best
    assert [best.paper_values[name] for name in ("c_1", "c_2", "e_1", "e_2")] == [0.005, 0.05, 0.1, 1]
    assert [p.values["sigma"] for p in best.presets] == pytest.approx([84**-0.5, 12**-0.5, 4.8**-0.5])


# -- What the figures draw, by the library.


def last(mse):
    """n up to which PWH is better than another estimator that does not know the variance; 0: never."""

    def number(c, epsilon, sigma):
        def gain(log_n):
            s = setting(np.exp(log_n), c, epsilon, sigma)
            return (mse(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t) * s.n

        low, high = np.log(1.0001 / c), 40.0
        if gain(low) < 0:
            return 0.0
        return np.exp(brentq(gain, low, high, xtol=1e-14)) if gain(high) < 0 else np.inf

    return number


def noise_only(n, c):
    """Full-LM over PWH for constant data, from the weight that minimises the noise."""
    s = setting(n, c, 1, 0)
    return hybrid.mse_full_lm(s) / hybrid.mse_pwh(s)


def cautious(s):
    return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, 0.25))


BEST, WORST = improvement_of(hybrid.mse_pwh), improvement_of(hybrid.mse_pwh, hybrid.improvement_over_worst)
REFERENCES = {
    "adk-figure-3-best": {
        **labelled("{}", of_each(somebody(BEST))),
        "better baseline": 1.0,
        "the paper starts here": 1000.0,
        **labelled("users up to which PWH gains (R > 1): {}", of_each(last(hybrid.mse_full_lm))),
    },
    "adk-figure-3-worst": {
        **labelled("{}", of_each(somebody(WORST))),
        "1 − c + c²n with c₁": lambda n, c_1: somebody(noise_only)(n, c_1),
        "1 − c + c²n with c₂": lambda n, c_2: somebody(noise_only)(n, c_2),
        "the paper starts here": 1000.0,
        **labelled("improvement r for 100,000 users: {}", of_each(WORST, n=1e5)),
    },
    "adk-pwh-weights": {
        "KVH": improvement_of(hybrid.mse_kvh),
        "PWH": BEST,
        "naive": improvement_of(mse_naive),
        "cautious": improvement_of(cautious),
        "better baseline": 1.0,
        "R(PWH) < 1": last(hybrid.mse_full_lm),
        "TCM-Only better from": n_crit,
        "PWH better than naive": last(mse_naive),
    },
}


# -- The maps by `hdp.hybrid`, and the border of R < 1 by root finding.

LEAST = 0.0005  # a line that leaves the map is drawn to here


def even(many, epsilon, n, sigma):
    """Fraction c at which PWH is as good as Full-LM: the larger one, or the smaller."""

    def gain(log_share):
        s = setting(n, np.exp(log_share), epsilon, sigma)
        return (hybrid.mse_full_lm(s) - hybrid.mse_pwh(s)) / (s.noise_l - s.tcm_users * s.noise_t)

    middle, far = -np.log(n) / 2, -1e-9 if many else np.log(max(LEAST, 1.0001 / n))
    if gain(middle) > 0 or gain(far) < 0 or (far < middle) == many:
        return np.nan
    return np.exp(brentq(gain, middle, far, xtol=1e-15, rtol=1e-15))


REFERENCES |= {
    "adk-figure-8a": {
        "relative improvement R": BEST,
        "R < 1 below": partial(even, True),
        "and above": partial(even, False),
    },
    "adk-figure-8b": {
        "improvement over the worse": WORST,
        "TCM-Only is better": tie,
        "improvement r at c = 10 %": lambda n, sigma: WORST(n, 0.1, 0.1, sigma),
        "without sampling error": lambda n: noise_only(n, 0.1),
    },
}


# -- What the captions say.


@says("adk-figure-3-best", r"In any panel raise \(\epsilon_2\) to 4: its lines fall")
def test_lines_fall_at_a_budget_of_four(figure):
    x = np.geomspace(200, 1e5, 200)
    for preset in figure.presets:
        for name in ("few trust (c₁), large", "more trust (c₂), large"):
            paper, most = (line(figure, name, x, **preset.values | {"e_2": e}) for e in (1, 4))
            assert (most <= paper + 1e-12).all()


@says("adk-figure-3-worst", "In panel f the lowest comes down from 4.5 to just above 1")
def test_the_lowest_of_panel_f(figure):
    x, panel = np.geomspace(200, 1e5, 400), figure.presets[-1].values
    lowest = min((line(figure, c.label, x, **panel) for c in figure.curves[:4]), key=min)
    assert (np.diff(lowest) < 0).all() and lowest[[0, -1]] == pytest.approx([4.52, 1.008], abs=0.01)


@says("adk-figure-3-worst", r"Raise \(\sigma\): where Full-LM is the worse baseline, \(r\) falls")
def test_the_gain_over_full_lm_falls(figure):
    x, start, spread = np.geomspace(200, 1e5, 50), "more trust (c₂), small", positions(figure, "sigma", 4)
    for sigma, larger in itertools.pairwise(spread):
        worse = x >= n_crit(0.05, 0.1, larger)
        before, after = (line(figure, start, x[worse], sigma=s) for s in (sigma, larger))
        assert (after < before).all()
