"""An axis of a figure, or its colour scale: label with unit, range and scale."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Axis:
    """An axis: label with its unit, range (None: fitted to what is drawn) and scale."""

    label: str
    domain: tuple[float, float] | None = None
    scale: str = "linear"

    def __post_init__(self):
        if self.scale not in ("linear", "log"):
            raise ValueError(f"scale must be 'linear' or 'log', got {self.scale!r}")
        if not self.label.strip():
            raise ValueError("label must name the quantity and its unit, got an empty string")

    def decades(self):
        """Powers of ten in the range of a logarithmic axis, with 2 and 5 between them if the range is short."""
        low, high = np.log10(self.domain)
        steps = (1, 2, 5) if high - low < 2 else (1,)
        ticks = [float(f"{m}e{k}") for k in range(int(np.floor(low)), int(np.ceil(high)) + 1) for m in steps]
        return [t for t in ticks if self.domain[0] <= t <= self.domain[1]]

    def grid(self, samples):
        """Sample points over the range, both ends included, equally spaced on the scale."""
        return self._at(np.arange(samples + 1) / samples)

    def centres(self, cells):
        """Middles of so many cells over the range, equally wide on the scale; their edges are `grid(cells)`."""
        return self._at((np.arange(cells) + 0.5) / cells)

    def _at(self, fraction):
        low, high = self.domain
        if self.scale == "log":
            return 10 ** (np.log10(low) + (np.log10(high) - np.log10(low)) * fraction)
        return low + (high - low) * fraction
