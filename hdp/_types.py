"""The types that public signatures share."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rng = np.random.Generator | int  # a source of randomness, or a seed for one
