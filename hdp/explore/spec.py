"""What a figure is: axes, parameters with the paper's value, and layers that are sympy expressions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

SIGNIFICANT_DIGITS = 3  # of the positions of a logarithmic slider


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
        """Sample points over the range, equally spaced on the scale."""
        low, high = self.domain
        steps = np.arange(samples + 1) / samples
        if self.scale == "log":
            return 10 ** (np.log10(low) + (np.log10(high) - np.log10(low)) * steps)
        return low + (high - low) * steps


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


@dataclass(frozen=True)
class Curve:
    """A line y(x; parameters).  `reference(x, **parameters)` is the NumPy route to the same numbers, for tests."""

    label: str
    y: sp.Expr
    reference: Callable | None = None
    dash: tuple[int, ...] = ()
    width: float = 2.2
    colour: int | None = None  # position in the palette; None: the next one


@dataclass(frozen=True)
class Rule:
    """A straight reference line, vertical at `x` or horizontal at `y`, with its label beside it."""

    label: str
    x: sp.Expr | None = None
    y: sp.Expr | None = None
    reference: Callable | None = None
    below: bool = False  # the label of a horizontal rule: below it, not above

    def __post_init__(self):
        if (self.x is None) == (self.y is None):
            raise ValueError(f"exactly one of x and y must be given for the rule {self.label!r}")


@dataclass(frozen=True)
class Marker:
    """A single computed point."""

    label: str
    x: sp.Expr
    y: sp.Expr
    reference: Callable | None = None


@dataclass(frozen=True)
class Points:
    """Simulated points with error bars of one standard error; they do not follow the sliders."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...]
    colour: int | None = None


@dataclass(frozen=True)
class Readout:
    """A number printed under the figure that follows the sliders."""

    label: str
    value: sp.Expr
    reference: Callable | None = None


@dataclass(frozen=True)
class Preset:
    """Named positions of the sliders; with presets the picture shows a panel for each."""

    label: str
    values: dict[str, float]


@dataclass(frozen=True)
class FigureSpec:
    """A figure, declared once; `_repr_mimebundle_` carries its three views.

    Parameters
    ----------
    name : str
        Identifier in HTML and in file names: lower case, digits and hyphens.
    title : str
        Short heading of the figure.
    x_symbol : sympy.Symbol
        The symbol on the horizontal axis.
    x, y : Axis
        Axes; `x` needs a domain.
    layers : tuple
        `Curve`, `Rule`, `Marker` and `Points`, in drawing order.
    parameters : tuple of Parameter
        Sliders.
    caption : str
        HTML; what to look for, and where the picture differs from the paper's.
    alt : str
        What the picture shows at the paper's values, for those who do not see it.
    """

    name: str
    title: str
    x_symbol: sp.Symbol
    x: Axis
    y: Axis
    layers: tuple
    parameters: tuple[Parameter, ...]
    caption: str
    alt: str
    readouts: tuple[Readout, ...] = ()
    presets: tuple[Preset, ...] = ()
    reset_label: str = "Paper's values"
    samples: int = 240
    height: int = 420

    def __post_init__(self):
        for attribute in ("name", "title", "caption", "alt"):
            if not getattr(self, attribute).strip():
                raise ValueError(f"{attribute} must not be empty: a figure needs it to be read")
        if self.x.domain is None:
            raise ValueError("x must have a domain, got None")
        self._check_symbols()
        for preset in self.presets:
            for key, value in preset.values.items():
                if value not in self.parameter(key).positions:
                    raise ValueError(f"preset {preset.label!r}: {key} must be a position of its slider, got {value!r}")

    def _check_symbols(self):
        known = {p.symbol for p in self.parameters} | {self.x_symbol}
        for layer in (*self.layers, *self.readouts):
            for key in ("x", "y", "value"):
                expression = getattr(layer, key, None)
                unknown = getattr(expression, "free_symbols", set()) - known
                if unknown:
                    raise ValueError(f"{key} of {layer.label!r} uses {sorted(map(str, unknown))}, not a parameter")

    def parameter(self, name):
        """The parameter of this name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise ValueError(f"name must be one of {[p.name for p in self.parameters]}, got {name!r}")

    @cached_property
    def paper_values(self):
        """The paper's value of every parameter, by name."""
        return {p.name: p.value for p in self.parameters}

    @property
    def curves(self):
        """The layers that are curves."""
        return tuple(layer for layer in self.layers if isinstance(layer, Curve))

    def labels(self):
        """Distinct labels of the legend in the order of the palette, with palette position and dash of each."""
        entries = {}
        for layer in self.layers:
            if isinstance(layer, Curve | Points) and layer.label not in entries:
                colour = layer.colour if layer.colour is not None else len(entries)
                entries[layer.label] = (colour, getattr(layer, "dash", ()))
        return dict(sorted(entries.items(), key=lambda entry: entry[1][0]))

    def values(self, **changed):
        """All parameter values: the paper's, except those given by name."""
        for name in changed:
            self.parameter(name)
        return self.paper_values | {k: float(v) for k, v in changed.items()}

    def _repr_mimebundle_(self, include=None, exclude=None):
        from hdp.explore import html, live, picture

        png = picture.png(self, self.paper_values, panels=True)
        return {
            "application/vnd.jupyter.widget-view+json": {
                "version_major": 2,
                "version_minor": 0,
                "model_id": live.widget(self).model_id,
            },
            "text/html": html.figure(self, png),
            "image/png": png,
            "text/plain": f"{self.title}: {' '.join(self.alt.split())}",
        }
