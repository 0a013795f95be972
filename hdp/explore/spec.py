"""What a figure is: axes, parameters with the paper's value, and layers that are sympy expressions."""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import sympy as sp

from hdp.explore.axis import Axis
from hdp.explore.layers import (
    Bar,
    Box,
    Circles,
    Curve,
    Draws,
    Heatmap,
    Layer,
    Points,
    Preset,
    Readout,
    Rule,
    Text,
    U,
    V,
)
from hdp.explore.parameter import Parameter


@dataclass(frozen=True)
class FigureSpec:
    """A figure, declared once; a notebook shows the richest of its three views that it can.

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
        `Heatmap` (at most one, first), `Curve`, `Bar`, `Box`, `Rule`, `Marker`, `Circles`, `Points`, `Draws`, `Text`
        and `Note`, in drawing order.
    parameters : tuple of Parameter
        Sliders.
    caption : str
        HTML; what to look for, and where the picture differs from the paper's.
    alt : str
        What the picture shows at the paper's values, for those who do not see it.
    readouts : tuple of Readout
        Numbers under the figure.
    sentences : tuple of str
        The readouts in words, in their order: every `{}` stands for the next one.  Without them each stands alone.
    presets : tuple of Preset
        Buttons that set the sliders.
    reset_label : str
        What the button says that sets all sliders to the paper's values.
    samples : int
        Points of each curve.
    height : int
        Height in pixels.
    y_symbol : sympy.Symbol, optional
        The symbol on the vertical axis; a heatmap needs it.
    equal_units : bool
        Both axes in one unit, as on a map.
    open : int
        How many of the parameters stand open; the others are a click away.
    pairs : bool
        Two parameters stand in one line.
    split : tuple of float, optional
        Two pictures, one below the other: the vertical axis belongs to the upper one, which ends at the first of
        these heights, and the horizontal axis to the lower one, which begins at the second.  Needs ticks of both.
    derived : tuple of (sympy.Symbol, sympy.Expr), optional
        Numbers that several layers share, in terms of the parameters and of those before them: computed once.

    Raises
    ------
    ValueError
        If a text is empty, a range or a symbol is missing, or a slider has no such position.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp.explore import Axis, Curve, FigureSpec, Parameter
    >>> epsilon, n = sp.symbols("epsilon n", positive=True)
    >>> spec = FigureSpec(
    ...     name="noise",
    ...     title="Error of a private mean",
    ...     x_symbol=epsilon,
    ...     x=Axis("privacy budget (nats)", domain=(0.1, 10.0), scale="log"),
    ...     y=Axis("mean squared error", scale="log"),
    ...     layers=(Curve("equal budgets", 1 / (4 * n) + 2 / (n * epsilon) ** 2),),
    ...     parameters=(Parameter.logarithmic(n, "users", low=10, high=1000, value=100),),
    ...     caption="The error falls with the budget, down to that of the sample.",
    ...     alt="A falling curve that levels off.",
    ... )
    >>> spec.values(n=10)
    {'n': 10.0}
    """

    name: str
    title: str
    x_symbol: sp.Symbol
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    parameters: tuple[Parameter, ...]
    caption: str
    alt: str
    readouts: tuple[Readout, ...] = ()
    sentences: tuple[str, ...] = ()
    presets: tuple[Preset, ...] = ()
    reset_label: str = "Paper's values"
    samples: int = 240
    height: int = 420
    y_symbol: sp.Symbol | None = None
    equal_units: bool = False
    open: int = 3
    pairs: bool = False
    split: tuple[float, float] | None = None
    derived: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()

    def __post_init__(self):
        for attribute in ("name", "title", "caption", "alt"):
            if not getattr(self, attribute).strip():
                raise ValueError(f"{attribute} must not be empty: a figure needs it to be read")
        if self.x.domain is None:
            raise ValueError("x must have a domain, got None")
        if self.sentences and "".join(self.sentences).count("{}") != len(self.readouts):
            raise ValueError(f"sentences must have a place for each of {len(self.readouts)} readouts")
        if self.split and not (self.y.domain and self.x.ticks and self.y.ticks):
            raise ValueError("x and y must have ticks, and y a domain, where split makes two pictures, got None")
        self._check_heatmap()
        self._check_symbols()
        stated = [(f"preset {preset.label!r}", preset.values) for preset in self.presets]
        stated += [(f"points {layer.label!r}", layer.at) for layer in self.layers if isinstance(layer, Points)]
        for what, values in stated:
            for key, value in values.items():
                if value not in self.parameter(key).positions:
                    raise ValueError(f"{what}: {key} must be a position of its slider, got {value!r}")

    def _check_heatmap(self):
        places = [i for i, layer in enumerate(self.layers) if isinstance(layer, Heatmap)]
        if places not in ([], [0]):
            raise ValueError(f"layers must have at most one heatmap, and it comes first, got heatmaps at {places}")
        if places and (self.y_symbol is None or self.y.domain is None):
            raise ValueError("y_symbol and the domain of y must be given for a heatmap, got None")
        if not self.equal_units and any(isinstance(layer, Circles) for layer in self.layers):
            raise ValueError("equal_units must be True for circles, or they would be ellipses")
        if places and any(isinstance(layer, Rule) for layer in self.layers):
            raise ValueError("layers must not have a rule on a heatmap, where its label cannot be read: draw a curve")

    def _check_symbols(self):
        given = {p.symbol for p in self.parameters}
        for symbol, expression in self.derived:
            if unknown := expression.free_symbols - given:
                names = sorted(map(str, unknown))
                raise ValueError(f"derived {symbol} uses {names}, not a parameter or derived before")
            given |= {symbol}
        for layer in (*self.layers, *self.readouts):
            for key in ("x", "y", "x2", "y2", "z", "base", "part", "value", "when", "room"):
                expression = getattr(layer, key, None)
                known = given | {self.x_symbol} | ({U, V} if isinstance(layer, Draws) else set())
                known |= {self.y_symbol} if key == "z" else set()
                if unknown := getattr(expression, "free_symbols", set()) - known:
                    raise ValueError(f"{key} of {layer.label!r} uses {sorted(map(str, unknown))}, not a parameter")

    def parameter(self, name: str) -> Parameter:
        """The parameter of this `name`."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise ValueError(f"name must be one of {[p.name for p in self.parameters]}, got {name!r}")

    @cached_property
    def paper_values(self) -> dict[str, float]:
        """The paper's value of every parameter, by name."""
        return {p.name: p.value for p in self.parameters}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The layers that are curves."""
        return tuple(layer for layer in self.layers if isinstance(layer, Curve))

    @property
    def stacked(self) -> tuple[Layer, ...]:
        """The layers as they are drawn: curves change places so that none hides another which it follows."""
        above = iter(sorted(self.curves, key=lambda curve: (bool(curve.dash), -curve.width)))
        return tuple(next(above) if isinstance(layer, Curve) else layer for layer in self.layers)

    @property
    def bars(self) -> tuple[Bar, ...]:
        """The layers that are bars."""
        return tuple(layer for layer in self.layers if isinstance(layer, Bar))

    @property
    def heatmap(self) -> Heatmap | None:
        """The layer that is a heatmap, or None."""
        return next((layer for layer in self.layers if isinstance(layer, Heatmap)), None)

    def labels(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Distinct labels of the legend in the order of the palette, with palette position and dash of each."""
        entries: dict[str, tuple[int, tuple[int, ...]]] = {}
        for layer in self.layers:
            if isinstance(layer, Bar | Box | Curve | Points | Draws):
                label = layer.kind if isinstance(layer, Bar) else layer.label
                colour = len(entries) if layer.colour is None else layer.colour
                entries.setdefault(label, (colour, layer.dash if isinstance(layer, Curve) else ()))
        return dict(sorted(entries.items(), key=lambda entry: entry[1][0]))

    def is_named(self, label: str) -> bool:
        """Whether words in the picture begin with this `label`, so that the legend need not repeat it."""
        return any(isinstance(layer, Text) and layer.label.startswith(label) for layer in self.layers)

    def values(self, **changed: float) -> dict[str, float]:
        """All parameter values: the paper's, except those `changed` by name."""
        for name in changed:
            self.parameter(name)
        return self.paper_values | {k: float(v) for k, v in changed.items()}

    def with_points(self, *points: Points, caption: str = "") -> Self:
        """Return this figure with `points` after all other layers, which keep their numbers, and more `caption`."""
        return replace(self, layers=(*self.layers, *points), caption=self.caption + caption)

    def page(self) -> dict[str, str | bytes]:
        """The forms in which pages, prints and screen readers have it, by their type."""
        from hdp.explore import html, picture

        png = picture.png(self, self.paper_values, panels=True)
        text = f"{self.title}: {' '.join(self.alt.split())}"
        words = html.in_markdown(self)
        return {"text/html": html.figure(self, png), "image/png": png, "text/markdown": words, "text/plain": text}

    def _repr_mimebundle_(self, include=None, exclude=None):
        if os.environ.get("HDP_PAGES"):  # the book is built: nobody moves a live view, and its picture takes a third
            return self.page()
        from hdp.explore import live

        view = {"version_major": 2, "version_minor": 0, "model_id": live.widget(self).model_id}
        return {"application/vnd.jupyter.widget-view+json": view} | self.page()
