"""Several mechanisms on the same data in one pass over memory."""

import numpy as np

from hdp import _validate
from hdp.affine import Affine
from hdp.baselines.sampling import blocks


class Panel:
    """Callable `(x, rng) -> {name: estimates}`; see `hdp.baselines.panel`.

    The rows are taken in blocks that stay in the processor's cache, and all that is linear is one matrix product.
    """

    def __init__(self, n, mechanisms):
        self.n = n
        self.mechanisms = mechanisms
        columns = [m.weights if isinstance(m, Affine) else m.certain for m in mechanisms.values()]
        self._matrix = np.column_stack(columns)

    def __call__(self, x, rng):
        x, rng = _validate.data(x, self.n), _validate.generator(rng)
        if x.ndim != 2:
            raise ValueError(f"x must have shape (runs, {self.n}), got {x.shape}")
        unit = rng.laplace(size=len(x))
        found = {name: self._noise(m, unit, rng) for name, m in self.mechanisms.items()}
        for rows in blocks(*np.shape(x)):
            block = x[rows]
            with np.errstate(under="ignore"):
                signals = block @ self._matrix
            for (name, mechanism), signal in zip(self.mechanisms.items(), signals.T, strict=True):
                if isinstance(mechanism, Affine):
                    found[name][rows] += signal
                else:
                    found[name][rows] = mechanism.draw_block(block, signal, rng, unit[rows])
        return found

    @staticmethod
    def _noise(mechanism, unit, rng):
        if isinstance(mechanism, Affine) and mechanism.scales.size > 1:
            return mechanism.noise(rng, unit.size)
        return unit * mechanism.scales.sum() if isinstance(mechanism, Affine) else np.empty(unit.size)
