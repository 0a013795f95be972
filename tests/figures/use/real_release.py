"""Budgets and grids, by hand."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from hdp.compare import report_variance
from hdp.release import plan_bounds
from tests.figures.captions import line, number, positions, says

REFERENCES = {
    "hdp-release-rounding": {
        "the sum is rounded": lambda epsilon, n_bits: (
            (epsilon + math.ldexp(1, -int(n_bits))) / epsilon if math.ldexp(1, -int(n_bits)) < 2 * epsilon else math.nan
        ),
        "her share": lambda epsilon, n_bits: max(epsilon - math.ldexp(1, -int(n_bits)), 0) / epsilon,
        "her budget": 1.0,
        "grid": lambda n_bits: math.ldexp(1, -int(n_bits)),
    },
}


# -- Prices from the laws of the reports: the mean log-ratio of the two answers, and of two normal laws one apart.


def budget(variance):
    """The pure budget with which one bit varies so, by the library's variance of it."""
    return optimize.brentq(lambda e: report_variance("one-bit", e, 0.25, 0.5) - variance, 1e-2, 40, xtol=1e-15)


def bit(r_report):
    """The divergence of the order 1, which is the dearest, of telling the truth or a lie."""
    lie = 1 / (1 + math.exp(budget(r_report)))
    return (1 - lie) * math.log((1 - lie) / lie) + lie * math.log(lie / (1 - lie))


def noise(r_report, v):
    """That of two normal laws whose means are 1 apart."""
    deviation = math.sqrt(r_report - v)
    return 0.5 * (1 / deviation) ** 2


REFERENCES |= {
    "hdp-gaussian-prices": {
        "price of one bit": lambda r_report: 0.5 * budget(r_report) ** 2 / bit(r_report),
        "real price": 1.0,
        "the value": lambda r_report, v: noise(r_report, v) / bit(r_report),
    },
}


# -- What the captions say.


@says("hdp-release-rounding", "brings both lines nearer to the budget wherever that exceeds a step")
def a_finer_grid_brings_both_lines_nearer(figure):
    """Of a budget of a millionth nothing is spent with four digits, and nothing with twelve."""
    for name in ("her share", "the sum"):
        off = [np.abs(line(figure, name, [1e-6, 0.5, 1], n_bits=bits) - 1)[1:] for bits in (4, 12, 30)]
        assert (np.diff(off, axis=0) < 0).all()
    assert line(figure, "her share", [1e-6], n_bits=4) == line(figure, "her share", [1e-6], n_bits=12) == 0


# -- Bounds and the mean after them: quantiles of a Pareto law, and the least by trying.


def after_bounds(s_b, n, delta_b, alpha_b, h_b):
    """Length of the interval over that which leaves out so much, over what is left for the mean; NaN without any."""
    # what may really lie outside, beside what the noise may hide
    rest = delta_b - h_b / (s_b / 2 * n) if 0 < s_b < 1 else 0
    if rest <= 0:
        return math.nan
    return stats.pareto.isf(rest, alpha_b) / stats.pareto.isf(delta_b, alpha_b) / (1 - s_b)


REFERENCES |= {
    "hdp-release-bounds-share": {
        "first bounds": after_bounds,
        "the best part": lambda **given: (turn(**given), after_bounds(turn(**given), **given)),
        "best part of the budgets": lambda **given: turn(**given),
        "least part that tells": lambda n, delta_b, h_b: h_b / (n / 2) / delta_b,
    },
}


def turn(n, delta_b, alpha_b, h_b):
    """The part at which the noise stops falling: where its logarithm has the slope 0."""
    k = 2 * h_b / n
    slope = lambda s: 1 / (1 - s) - k / (alpha_b * s * (delta_b * s - k))  # noqa: E731
    low = k / delta_b
    return optimize.brentq(slope, low * (1 + 1e-9), 1 - 1e-9, xtol=1e-16, rtol=1e-14)


@says("hdp-release-bounds-share", "the more there are, the smaller is the best part, and the nearer comes the noise")
def more_users_need_a_smaller_part(figure):
    for delta in positions(figure, "delta_b"):
        given = [{"n": n, "delta_b": delta} for n in positions(figure, "n")]
        parts = np.array([number(figure, "best part", **values) for values in given])
        noise = [line(figure, "first bounds", [part], **values)[0] for part, values in zip(parts, given, strict=True)]
        assert (np.diff(parts) < 0).all() and (np.diff(noise) < 0).all() and noise[-1] > 1


@says("hdp-release-bounds-share", "Too small a part makes the interval too long, too large a one leaves too little")
def it_is_a_valley(figure):
    least = number(figure, "least part")
    best = number(figure, "best part")
    x = np.linspace(least, 1, 400)[1:-1]
    y = line(figure, "first bounds", x)
    assert (np.diff(y[x < best]) < 0).all() and (np.diff(y[x > best]) > 0).all() and least < best < 1


@says("hdp-release-bounds-share", "for another one, multiply n by it")
def only_their_product_counts(figure):
    few, many = plan_bounds([2.0] * 20_000, 0.1), plan_bounds([1.0] * 40_000, 0.1)
    assert many.total / many.scale == pytest.approx(few.total / few.scale, rel=1e-9)
    assert number(figure, "least part", n=10**6) == pytest.approx(number(figure, "least part", n=10**5) / 10)
