"""The statements on budgets at scale, against the library."""

import math

import numpy as np
import pytest
import sympy as sp

from hdp import ADPM, adpm
from hdp.at_scale import round_down, weigh
from hdp.at_scale.sums import BLOCK, DIGIT
from hdp.explore.evaluate import expression_values
from hdp.sym.symbols import tau
from hdp.sym.use import at_scale as sym
from tests.figures.captions import layer, line, says


@pytest.mark.settles("hdp-scale-grid")
@pytest.mark.parametrize("bits", [0, 2, 5])
def test_the_cost_of_a_grid_is_within_the_statement(bits):
    """For populations from the noise alone to hardly any of it; the statement is met by the worst one."""
    rng, nearest = np.random.default_rng(1), 0.0
    for n in (5, 50, 5000):
        for budgets in (rng.lognormal(0, 2, n), np.full(n, (1 + 2.0**-bits) * (1 - 1e-12))):
            found, coarse = weigh(budgets), weigh(round_down(budgets, bits))
            values = {sym.ratio: sym.step.subs(sym.digits, bits), tau: found.level, sym.total: found.total}
            bound = float(sym.grid_cost.subs(values))
            cost = coarse.level / coarse.total / (found.level / found.total)
            assert 1 - 1e-12 <= cost <= bound * (1 + 1e-12)
            nearest = max(nearest, (cost - 1) / (bound - 1))
    assert nearest > 0.98


@pytest.mark.settles("hdp-scale-sums")
def test_error_and_noise_are_those_of_the_library():
    """At its level."""
    budgets = np.random.default_rng(2).lognormal(size=300)
    level = ADPM(budgets).level
    clipped = np.minimum(budgets, level)
    values = {tau: level, sym.total: clipped.sum()}
    assert float(sym.least_mse.subs(values)) == pytest.approx(ADPM(budgets).mse(), rel=1e-12)
    w = ADPM(budgets).weights
    assert float(sym.noise_mse.subs(values)) == pytest.approx(2 * np.max(w / budgets) ** 2, rel=1e-12)
    below = budgets[budgets < level]
    stated = sym.level.subs({sym.first: below.sum(), sym.second: np.sum(below**2)})
    assert float(stated) == pytest.approx(level, rel=1e-12)


@pytest.mark.settles("hdp-scale-sums")
def test_the_digits_of_a_square_fit():
    """No product of two digits is too large for a block, which the library chose."""
    assert sym.BITS == DIGIT
    top = {digit: 2**size - 1 for digit, size in zip(sym.d, (DIGIT, DIGIT, 53 - 2 * DIGIT), strict=True)}
    assert sym.number.subs(top) == 2**53 - 1
    assert max(column.subs(top) for column in sym.columns) * BLOCK < 2**53
    square = sum(2 ** (DIGIT * k) * column for k, column in enumerate(sym.columns))
    assert sp.expand(square - sym.number**2) == 0


# -- What the figures draw, by the library.


def extra(factor):
    """Per cent that the error grows by, or nothing where it hardly does."""

    def drawn(n, epsilon, b_digits):
        budget = epsilon / factor(1 + 2.0**-b_digits)
        before, after = (float(adpm.two_group_bound(e, e, n, 1.0)) for e in (epsilon, budget))
        grown = 100 * (after - before) / before
        return grown if grown > 1e-3 else math.nan

    return drawn


REFERENCES = {
    "hdp-scale-cost": {
        "all are rounded": extra(lambda step: step),
        "by half": extra(lambda step: (1 + step) / 2),
        "never more": lambda b_digits: 100 * ((1 + math.ldexp(1, -int(b_digits))) ** 2 - 1),
        "grid points": lambda b_digits: 1 << int(b_digits),
    },
}


# -- What the captions say.


@says("hdp-scale-cost", "one about half as high as the other, of which the upper begins just below a horizontal rule")
def test_the_upper_line_begins_below_the_rule(figure):
    """The lower one begins at half its height."""
    rule = float(expression_values(figure, layer(figure, "never more").y, figure.paper_values))
    upper, lower = (float(line(figure, name, 40)) for name in ("all are", "by half"))
    assert 0.9 * rule < upper < rule and lower < 0.5 * rule
