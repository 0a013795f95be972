"""Errors of equal budgets from the library, before and after they are made smaller."""

import math

from hdp import adpm
from hdp.explore.evaluate import expression_values
from tests.figures.captions import layer, line, says


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
def the_upper_line_begins_below_the_rule(figure):
    """The lower one begins at half its height."""
    rule = float(expression_values(figure, layer(figure, "never more").y, figure.paper_values))
    upper, lower = (float(line(figure, name, 40)) for name in ("all are", "by half"))
    assert 0.9 * rule < upper < rule and lower < 0.5 * rule
