"""Errors by `hdp.hybrid`, and up to which n one is better by root finding."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq

from hdp import hybrid
from hdp.explore.evaluate import cell_values
from hdp.figures.hybrid_trust import known_variance
from tests.figures.captions import line, number, positions, says
from tests.figures.hybrid_trust.known_variance import improvement, labelled, n_crit, of_each, setting, somebody, tie


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


def naive(s):
    return hybrid.mse_hybrid(s, hybrid.naive_weight(s))


BEST, WORST = improvement(hybrid.mse_pwh), improvement(hybrid.mse_pwh, hybrid.improvement_over_worst)
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
        "KVH": improvement(hybrid.mse_kvh),
        "PWH": BEST,
        "naive": improvement(naive),
        "cautious": improvement(cautious),
        "better baseline": 1.0,
        "R(PWH) < 1": last(hybrid.mse_full_lm),
        "TCM-Only better from": n_crit,
        "PWH better than naive": last(naive),
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


@says("adk-figure-8b", "For the salaries the largest values stand at the top left")
def the_brightest_corner(figure):
    """For 1000 users, and for 100,000 with a large deviation, they stand at the bottom right."""
    for changed, at_top_left in (({}, True), ({"n": 1000}, False), ({"n": 1e5, "sigma": 0.5}, False)):
        _, y, cells = cell_values(figure, figure.values(**changed))
        row, column = np.unravel_index(np.nanargmax(cells), cells.shape)
        assert (row == len(y) - 1, column == 0) == (at_top_left, at_top_left)


@says("adk-figure-3-best", r"In any panel raise \(\epsilon_2\) to 4: its lines fall")
def lines_fall_at_a_budget_of_four(figure):
    """On the way they rise at some n: by 0.04 at 750 users from 1.8 to 2."""
    x = np.geomspace(200, 1e5, 200)
    for preset in figure.presets:
        for name in ("few trust (c₁), large", "more trust (c₂), large"):
            least, paper, most = (line(figure, name, x, **preset.values | {"e_2": e}) for e in (0.6, 1, 4))
            assert (most <= least + 1e-12).all() and (most <= paper + 1e-12).all()
    rising = [float(line(figure, "more trust (c₂), large", 750, e_2=e)) for e in positions(figure, "e_2", 18)]
    assert np.diff(rising).max() > 0.03


@says(
    "adk-figure-3-best",
    "of those for the larger budget one falls far below 1 in panel b, and both in panel c",
)
def who_falls_below_one(figure):
    """The least and the largest values, by panel."""
    x = np.geomspace(200, 1e5, 400)
    for preset, falling in zip(figure.presets, (0, 1, 2), strict=True):
        lines = {c.label: line(figure, c.label, x, **preset.values) for c in figure.curves}
        assert sum(y.min() < 0.6 for name, y in lines.items() if "large" in name) == falling
        assert all(y.min() >= 1 and 1.9 < y.max() < 2 for name, y in lines.items() if "small" in name)


@says("adk-figure-3-worst", "In panel f the lowest comes down from 4.5 to just above 1")
def the_lowest_of_panel_f(figure):
    """And how many lines rise again, by panel."""
    x, lines = np.geomspace(200, 1e5, 400), {}
    for preset, kinks in zip(figure.presets, (3, 2, 2), strict=True):
        lines = {c.label: line(figure, c.label, x, **preset.values) for c in figure.curves[:4]}
        assert sum(y[-1] > 1.01 * y.min() for y in lines.values()) == kinks
        assert all(y[1] < y[0] for y in lines.values())
    lowest = min(lines.values(), key=min)
    assert (np.diff(lowest) < 0).all() and lowest[[0, -1]] == pytest.approx([4.52, 1.008], abs=0.01)


@says("adk-figure-3-worst", r"Raise \(\sigma\): where Full-LM is the worse baseline, \(r\) falls")
def the_gain_over_full_lm_falls(figure):
    x = np.geomspace(200, 1e5, 50)
    for start, share, budget in (("few trust (c₁), large", 0.005, 1), ("more trust (c₂), small", 0.05, 0.1)):
        before = line(figure, start, x, sigma=0.01)
        for sigma in positions(figure, "sigma", 4)[1:]:
            after = line(figure, start, x, sigma=sigma)
            worse = x >= hybrid.laplace_n_crit(hybrid.Setting(1e5, share, 1, budget, sigma))
            assert (after[worse] < before[worse]).all()
            before = after


@says("adk-figure-3-best", r"for \(\epsilon_1 = 0.1\) the lines are nearly those of KVH")
def nearly_those_of_kvh(figure):
    """For every deviation and fraction; at the end of the slider, 0.5, they are far from them."""
    x, far = np.geomspace(1e3, 1e5, 50), []
    for e_1, sigma, c_1, c_2 in itertools.product((0.1, 0.5), (0.01, 0.5), (0.001, 0.005, 0.02), (0.025, 0.3)):
        values = {"e_1": e_1, "sigma": sigma, "c_1": c_1, "c_2": c_2}
        pairs = (line(of, "few trust (c₁), small", x, **values) for of in (known_variance.figure_1, figure))
        far.append((e_1, np.nanmax(np.subtract(*pairs))))
    assert max(d for e_1, d in far if e_1 == 0.1) < 0.08 and max(d for _, d in far) > 0.9


@says("adk-pwh-weights", "can fall below naive, and is below 1 right of the line that says so")
def pwh_falls_below_naive_and_one(figure):
    """Below naive also where it never falls below 1, though TCM-Only has a vertical line."""
    for values, end in (({"sigma": 0.5, "c": 0.3, "epsilon": 1.79}, False), ({}, True)):
        x = np.geomspace(1e3, 1e8, 200)
        pwh, naive = (line(figure, name, x, **values) for name in ("PWH", "naive"))
        assert (pwh < naive).any() and (pwh < 1 - 1e-9).any() == end
        first = number(figure, "R(PWH) < 1", **values)
        assert np.array_equal(pwh < 1 - 1e-9, x > first)


@says("adk-figure-8a", "For the salaries the dark corner, where \\(R\\) is below one half")
def the_dark_corner_of_the_salaries(figure):
    """With the largest deviation it reaches to the largest fraction."""
    for changed, most in (({}, 0.009), ({"sigma": 0.5}, 0.09)):
        _, y, cells = cell_values(figure, figure.values(**changed))
        dark = y[(cells < 0.5).any(axis=1)]
        assert dark.size and dark.max() == pytest.approx(most, rel=0.1)
