"""Budgets and grids, by hand."""

import math

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
