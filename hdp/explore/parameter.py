"""A quantity that the reader moves, and the positions of its slider."""

from dataclasses import dataclass

import numpy as np
import sympy as sp

SIGNIFICANT_DIGITS = 3  # of the positions of a logarithmic slider


@dataclass(frozen=True)
class Parameter:
    """A quantity that the reader moves: a symbol, the positions of its slider, and the paper's value.

    Use `Parameter.linear` or `Parameter.logarithmic`; the paper's value always is one of the positions.
    """

    symbol: sp.Symbol
    label: str
    positions: tuple[float, ...]
    value: float

    def __post_init__(self):
        if list(self.positions) != sorted(set(self.positions)):
            raise ValueError(f"positions of {self.symbol} must increase strictly, got {self.positions!r}")
        if self.value not in self.positions:
            raise ValueError(f"value must be one of the positions of {self.symbol}, got {self.value!r}")

    @classmethod
    def linear(cls, symbol, label, low, high, step, value):
        """Give a slider with equal steps."""
        count = round((high - low) / step)
        grid = [float(f"{low + step * i:.12g}") for i in range(count + 1)]
        return cls(symbol, label, _with(grid, value), float(value))

    @classmethod
    def logarithmic(cls, symbol, label, low, high, value, per_decade=20, multiple_of=None, also=()):
        """Give a slider with equal ratios, rounded to three digits (or to multiples of `multiple_of`), and `also`."""
        count = max(round(np.log10(high / low) * per_decade), 1)
        raw = low * (high / low) ** (np.arange(count + 1) / count)
        if multiple_of is None:
            grid = [float(f"{v:.{SIGNIFICANT_DIGITS}g}") for v in raw]
        else:
            grid = [float(max(round(float(f"{v:.2g}") / multiple_of), 1) * multiple_of) for v in raw]
        return cls(symbol, label, _with(grid, value, *also), float(value))

    @property
    def name(self):
        """Name of the symbol: the key of the parameter everywhere."""
        return self.symbol.name


def _with(grid, *values):
    return tuple(sorted({*grid, *map(float, values)}))
