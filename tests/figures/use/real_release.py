"""Budgets and grids, by hand."""

import math

import numpy as np
from scipy import optimize

from hdp.compare import report_variance
from tests.figures.captions import line, says

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
