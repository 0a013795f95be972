"""Section 4 of Avent, Dubey & Korolova: every statement against the library, where the baselines tie and elsewhere."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.optimize import brentq

from hdp import hybrid, salaries
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, m
from hdp.sym.hybrid_trust.known_variance import y
from hdp.sym.symbols import n
from tests.figures.captions import line, number, positions, says
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


@pytest.mark.parametrize("budget", [0.01, 0.1, 1.0])
def test_the_gain_comes_near_its_supremum_only_where_the_baselines_nearly_tie_and_many_trust(budget):
    """Within 0.1, for coins."""
    trusting, share = np.geomspace(2.01, 1e6, 200)[:, None], np.geomspace(1e-8, 0.95, 2000)
    s = Setting(trusting / share, share, 1, budget, 0.5)
    near = improvement(s) > float(known.supremum.subs(epsilon, budget)) - 0.1
    ratio = (hybrid.mse_tcm(s) / hybrid.mse_full_lm(s))[near]
    assert 0.9 < ratio.min() < 0.91 and 1.09 < ratio.max() < 1.112
    assert 10 < np.broadcast_to(trusting, near.shape)[near].min() < 15


# -- What the pages share: equal groups on [0, 1], the ratios of their errors, and the four lines of a figure.


def setting(n, c, epsilon, sigma):
    return hybrid.Setting(n=n, c=c, m=1, epsilon=epsilon, sigma_t=sigma)


def improvement_of(mse, over=hybrid.relative_improvement):
    """R of an estimator: the better baseline's error over its own."""

    def ratio(n, c, epsilon, sigma):
        s = setting(n, c, epsilon, sigma)
        return over(s, mse(s))

    return ratio


def weighed(s, weight):
    """R of the hybrid estimator with a weight of the library."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, weight(s)))


def somebody(function):
    """Nothing is drawn where less than one user trusts the curator."""
    return lambda n, c, **rest: function(n, c, **rest) if c * n >= 1 else np.nan


def of_each(function, **fixed):
    """For each fraction and budget of the sliders c_1, c_2, e_1 and e_2, a function of c, epsilon and the others."""

    def line(i, j):
        def at(c_1, c_2, e_1, e_2, **rest):
            return function(c=(c_1, c_2)[i], epsilon=(e_1, e_2)[j], **fixed, **rest)

        return at

    return [line(i, j) for i in (0, 1) for j in (0, 1)]


def labelled(form, functions):
    """Four functions under the labels of the four."""
    few, more, small, large = "few trust (c₁)", "more trust (c₂)", "small budget (ε₁)", "large budget (ε₂)"
    kinds = (f"{few}, {small}", f"{few}, {large}", f"{more}, {small}", f"{more}, {large}")
    return {form.format(kind): function for kind, function in zip(kinds, functions, strict=True)}


def surplus(n, c, epsilon, sigma):
    """Of TCM-Only's error over Full-LM's."""
    s = setting(n, c, epsilon, sigma)
    return hybrid.mse_tcm(s) / hybrid.mse_full_lm(s) - 1


def envelope(n, c):
    """R at the budget that makes the baselines equal, for coins."""
    if c**2 * n <= 1 + 1e-9:
        return 1.0 if c**2 * n >= 1 - 1e-9 else np.nan
    budget = np.exp(brentq(lambda log: surplus(n, c, np.exp(log), 0.5), -30, 15, xtol=1e-15))
    return over(hybrid.mse_full_lm)(c, budget, 0.5, c * n)


def over(baseline):
    """Ratio of its error to KVH's, where t users trust."""

    def ratio(c, epsilon, sigma, t):
        s = setting(t / c, c, epsilon, sigma)
        return baseline(s) / hybrid.mse_kvh(s)

    return ratio


def largest(epsilon, sigma, t):
    """Fraction at which the baselines are equal, and R there."""
    ends = 1e-9, min(1 - 1e-12, t / 2)
    c = brentq(lambda c: surplus(t / c, c, epsilon, sigma), *ends, xtol=1e-16, rtol=1e-15)
    return c, over(hybrid.mse_full_lm)(c, epsilon, sigma, t)


def n_crit(c, epsilon, sigma):
    return hybrid.laplace_n_crit(setting(1e6, c, epsilon, sigma))


REFERENCES = {
    "adk-figure-1a": {
        **{f"Beta({a:g}, {a:g})": lambda x, a=a: stats.beta.pdf(x, a, a) for a in (0.1, 1.0, 10.0)},
        "yours": lambda x, alpha: stats.beta.pdf(x, alpha, alpha),
        "mean + σ": lambda alpha: 0.5 + stats.beta.std(alpha, alpha),
        "σ of yours": lambda alpha: stats.beta.std(alpha, alpha),
    },
    "adk-figure-1": {
        **labelled("{}", of_each(somebody(improvement_of(hybrid.mse_kvh)))),
        "most that any σ and ε give with c₁": lambda n, c_1: envelope(n, c_1),
        "most that any σ and ε give with c₂": lambda n, c_2: envelope(n, c_2),
        "the paper starts here": 1000.0,
        **labelled("users from which TCM-Only is better: {}", of_each(n_crit)),
    },
    "adk-corollary-4-4": {
        "over Full-LM": over(hybrid.mse_full_lm),
        "over TCM-Only": over(hybrid.mse_tcm),
        "bound in Appendix B": lambda c, epsilon, sigma: 2 * (2 - c) / (2 - (1 - c) * (epsilon * sigma) ** 2),
        "printed bound": 16 / 7,
        "largest R": [largest, lambda **at: largest(**at)[1]],
        "supremum": hybrid.best_improvement,
    },
}


# -- The population itself, scipy's log-normal law, and ties of the baselines by root finding.

BIN = 50  # thousands of dollars, like everything drawn


@cache
def population():
    return np.sort(salaries.population(2010)) / 1000


def counted(x):
    """Users in the bin of x; nothing where there is nobody, because the axis is logarithmic."""
    low = x // BIN * BIN
    inside = np.diff(np.searchsorted(population(), [low, low + BIN]))[0]
    return inside if inside else np.nan


def law(a):
    spread = np.sqrt(np.log1p((salaries.DEVIATION / 1000 / a) ** 2))
    return stats.lognorm(spread, scale=a * np.exp(-(spread**2) / 2))


def tie(epsilon, n, sigma):
    ends = -np.log(n), -1e-9
    return np.exp(brentq(lambda log: surplus(n, np.exp(log), epsilon, sigma), *ends, xtol=1e-15, rtol=1e-15))


def largest_gain_largest(epsilon, n, sigma):
    return improvement_of(hybrid.mse_kvh)(n, tie(epsilon, n, sigma), epsilon, sigma)


def passes(n, sigma):
    """Budget and c at which the largest R is 2."""
    budget = np.exp(brentq(lambda log: largest_gain_largest(np.exp(log), n, sigma) - 2, -7, 7, xtol=1e-14))
    return budget, tie(budget, n, sigma)


REFERENCES |= {
    "adk-figure-2a": {
        "synthetic": counted,
        "log-normal": lambda x, a: salaries.USERS * BIN * law(a).pdf(x),
        "width of the data": salaries.MAXIMUM / 1000,
        "median": lambda a: law(a).median(),
        "its standard deviation": lambda a: law(a).std(),
    },
    "adk-figure-2b": {
        "relative improvement R": improvement_of(hybrid.mse_kvh),
        "TCM-Only is better": tie,
        "R passes 2": passes,
        "largest R for ε ≤ 1": lambda n, sigma: largest_gain_largest(1.0, n, sigma),
        "largest R for ε ≤ 10": lambda n, sigma: largest_gain_largest(10.0, n, sigma),
        "smallest ε": lambda n, sigma: passes(n, sigma)[0],
    },
    "adk-figure-2-ridge": {
        "largest R of all c": largest_gain_largest,
        "its limit": lambda epsilon, sigma: hybrid.best_improvement(2 * sigma * epsilon),
        "twice as good": 2.0,
        "high privacy": 1.0,
        "R reaches 2": lambda n, sigma: (passes(n, sigma)[0], 2.0),
    },
}


# -- What the captions say.


@says(
    "adk-figure-2-ridge",
    r"at the salaries&rsquo; \(\sigma/m\): what is missing to the dashed line shrinks like \(1/\sqrt n\) at the left",
)
def test_what_is_missing_shrinks(figure):
    """From 100,000 users to ten million."""
    missing = [
        line(figure, "its limit", [0.1, 10], n=n) - line(figure, "largest R", [0.1, 10], n=n) for n in (1e5, 1e7)
    ]
    assert np.log(missing[0] / missing[1]) / np.log(100) == pytest.approx([0.5, 1], abs=0.01)


@says("adk-figure-1", r"or \(\epsilon_2\): a kink slides along its dotted line, and vanishes to the right")
def test_a_kink_slides_to_the_right(figure):
    for name in ("sigma", "e_2"):
        last = "users from which TCM-Only is better: more trust (c₂), large"
        kinks = [number(figure, last, **{name: v}) for v in positions(figure, name, 4)]
        assert kinks == sorted(kinks) and kinks[0] < kinks[-1] == np.inf
