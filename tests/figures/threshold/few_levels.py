"""Powers by logarithms."""

import numpy as np


def users(j_levels, n):
    """Drop what one part in 2j - 1 of the sum is made of, and round the rest to j levels."""
    j = j_levels
    if j < 2:
        return np.nan
    return np.exp((np.log(n) + np.log(2 * j - 1)) / (j - 1)) / np.square(1 - 1 / (2 * j - 1))


REFERENCES = {
    "cz-few-levels": {
        "at most, k different": lambda j_levels, k: max(1.0, np.square(k / j_levels)) if j_levels >= 1 else np.nan,
        "at most, for this range": lambda j_levels, h_spread: (
            np.exp(np.log(h_spread) / (j_levels - 1)) if j_levels >= 2 else np.nan
        ),
        "at most, for so many": users,
        "levels that suffice": lambda h_spread: np.ceil(np.log(1.1 * h_spread) / np.log(1.1)),
    }
}
