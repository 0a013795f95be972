"""Errors of equal budgets from the library, before and after they are made smaller."""

import math

from hdp import adpm


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
