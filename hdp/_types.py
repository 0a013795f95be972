"""The types that public signatures share."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rng = np.random.Generator | int  # a source of randomness, or a seed for one


def _plain(value):
    """An array as it is, a single number as a float."""
    return value if np.ndim(value) else float(value)
