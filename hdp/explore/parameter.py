"""A quantity that the reader moves, and the positions of its slider; or a switch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import sympy as sp

from hdp._number import number

SIGNIFICANT_DIGITS = 3  # of the positions of a logarithmic slider


@dataclass(frozen=True)
class Parameter:
    """A quantity that the reader moves; made by its class methods: linear, logarithmic, switch, choice.

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
    names : tuple of str
        Names of the positions, if they are chosen by name; otherwise they are those of a slider.
    typed : bool
        A number can be typed beside the slider.
    needs : tuple of str and float, optional
        Another parameter, by name, and the least value of it at which this one means something and is shown.
    up_to : str, optional
        Another parameter, by name: of a list, positions beyond its value cannot be chosen.

    Raises
    ------
    ValueError
        If the positions do not increase, the paper's value is none of them, or some lack a name.

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
    names: tuple[str, ...] = ()
    typed: bool = False
    needs: tuple[str, float] | None = None
    up_to: str | None = None

    def __post_init__(self):
        if self.names and len(self.names) != len(self.positions):
            raise ValueError(f"names must be one for each position of {self.symbol}, got {self.names!r}")
        if list(self.positions) != sorted(set(self.positions)):
            raise ValueError(f"positions of {self.symbol} must increase strictly, got {self.positions!r}")
        if self.value not in self.positions:
            raise ValueError(f"value must be one of the positions of {self.symbol}, got {self.value!r}")

    @classmethod
    def linear(
        cls, symbol: sp.Symbol, label: str, low: float, high: float, step: float, value: float, typed: bool = False
    ) -> Self:
        """Give `symbol` a slider from `low` by `step` to at most `high`, with its `label` and the paper's `value`.

        With typed, a number can be typed beside it.
        """
        count = int((high - low) / step * (1 + 1e-12))  # of whole steps, also where their quotient is rounded down
        grid = [float(f"{low + step * i:.12g}") for i in range(count + 1)]
        return cls(symbol, label, _with(grid, value), float(value), typed=typed)

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

    @classmethod
    def switch(cls, symbol: sp.Symbol, label: str, value: float = 0.0) -> Self:
        """Give `symbol`, 0 or 1 and at first `value`, a switch; its `label` says what is so when it is on."""
        return cls(symbol, label, (0.0, 1.0), float(value))

    @classmethod
    def choice(cls, symbol: sp.Symbol, label: str, names: dict[str, float], value: float) -> Self:
        """Give `symbol` a list to choose from, with its `label`: names with their numbers, increasing.

        The first choice is `value`.
        """
        return cls(symbol, label, tuple(map(float, names.values())), float(value), names=tuple(names))

    @property
    def is_switch(self) -> bool:
        """Whether it is a yes or no."""
        return self.positions == (0.0, 1.0) and not self.names

    def is_shown(self, values: Mapping[str, float]) -> bool:
        """Whether it means something where all parameters have these `values`, by name."""
        return self.needs is None or values[self.needs[0]] >= self.needs[1]

    def text(self, value: float) -> str:
        """How a position, a value of it, is written."""
        if self.names:
            return self.names[self.positions.index(value)]
        return ("no", "yes")[int(value)] if self.is_switch else number(value)

    @property
    def name(self) -> str:
        """Name of the symbol: the key of the parameter everywhere."""
        return self.symbol.name


def _with(grid, *values):
    return tuple(sorted({*grid, *map(float, values)}))
