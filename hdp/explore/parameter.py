"""A quantity that the reader moves, and the positions of its slider."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import sympy as sp

SIGNIFICANT_DIGITS = 3  # of the positions of a logarithmic slider


@dataclass(frozen=True)
class Parameter:
    """A quantity that the reader moves; made by `Parameter.linear` or `Parameter.logarithmic`.

    Parameters
    ----------
    symbol : sympy.Symbol
        The symbol in the figure's expressions.
    label : str
        Name of the quantity, with its unit.
    positions : tuple of float
        Positions of its slider, increasing.
    value : float
        The paper's value, one of the positions.

    Raises
    ------
    ValueError
        If the positions do not increase, or the paper's value is none of them.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp.explore import Parameter
    >>> Parameter.linear(sp.Symbol("f"), "fraction", low=0, high=1, step=0.25, value=0.7).positions
    (0.0, 0.25, 0.5, 0.7, 0.75, 1.0)
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
    def linear(cls, symbol: sp.Symbol, label: str, low: float, high: float, step: float, value: float) -> Self:
        """Give `symbol` a slider from `low` to `high` by `step`, with its `label` and the paper's `value`."""
        count = round((high - low) / step)
        grid = [float(f"{low + step * i:.12g}") for i in range(count + 1)]
        return cls(symbol, label, _with(grid, value), float(value))

    @classmethod
    def logarithmic(
        cls,
        symbol: sp.Symbol,
        label: str,
        low: float,
        high: float,
        value: float,
        per_decade: float = 20,
        multiple_of: float | None = None,
        also: Iterable[float] = (),
    ) -> Self:
        """Give `symbol` a slider from `low` to `high` in equal ratios, with its `label` and the paper's `value`.

        There are `per_decade` positions a decade, rounded to three digits or to multiples of `multiple_of`, and `also`.
        """
        count = max(round(np.log10(high / low) * per_decade), 1)
        raw = low * (high / low) ** (np.arange(count + 1) / count)
        if multiple_of is None:
            grid = [float(f"{v:.{SIGNIFICANT_DIGITS}g}") for v in raw]
        else:
            grid = [float(max(round(float(f"{v:.2g}") / multiple_of), 1) * multiple_of) for v in raw]
        return cls(symbol, label, _with(grid, value, *also), float(value))

    @property
    def name(self) -> str:
        """Name of the symbol: the key of the parameter everywhere."""
        return self.symbol.name


def _with(grid, *values):
    return tuple(sorted({*grid, *map(float, values)}))
