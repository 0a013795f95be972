"""The parts of a figure: what is drawn (curves, heatmaps, bars, boxes, words, rules, ...), read out and preset."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from hdp import _number
from hdp._types import Floats
from hdp.explore.axis import Axis


@dataclass(frozen=True)
class Curve:
    """A line y(x; parameters).

    Parameters
    ----------
    label : str
        Name in the legend.
    y : sympy.Expr
        The curve, in the symbol of the horizontal axis and the parameters.
    dash : tuple of int
        Lengths of dashes and gaps.
    width : float
        Width of the line.
    colour : int, optional
        Position in the palette; the next one unless given.
    base : sympy.Expr, optional
        The area between it and the line is filled: water above a floor.
    part : sympy.Expr, optional
        A number that changes where the line jumps: it is broken between two samples that differ in it.
    steps : bool
        Constant between its jumps, like a histogram: drawn in right angles.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Curve("no privacy", 1 / (4 * n)).y
    1/(4*n)
    """

    label: str
    y: sp.Expr
    dash: tuple[int, ...] = ()
    width: float = 2.2
    colour: int | None = None
    base: sp.Expr | None = None
    part: sp.Expr | None = None
    steps: bool = False


@dataclass(frozen=True)
class Heatmap:
    """Cells coloured by z(x, y; parameters) at their middles, on the palette viridis.

    Parameters
    ----------
    z : sympy.Expr
        The value, in the symbols of both axes and the parameters.
    colour : Axis
        Its domain is the range of the palette; a value beyond it has the colour of its end.
    cells : tuple of int
        Columns and rows; as many as the default follow a slider within a frame.

    Raises
    ------
    ValueError
        If the colours have no domain, or there are no cells.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Heatmap(n * c, explore.Axis("product", domain=(0, 1))).label
    'product'
    """

    z: sp.Expr
    colour: Axis
    cells: tuple[int, int] = (32, 24)

    def __post_init__(self):
        if self.colour.domain is None:
            raise ValueError("colour must have a domain, got None: otherwise a colour would change its meaning")
        if min(self.cells) < 1:
            raise ValueError(f"cells must be at least 1 in both directions, got {self.cells!r}")

    @property
    def label(self) -> str:
        """What the colour means, with its unit."""
        return self.colour.label


@dataclass(frozen=True)
class Rule:
    """A straight reference line with its label beside it.

    Parameters
    ----------
    label : str
        What the line marks.
    x, y : sympy.Expr, optional
        Where it stands: vertical at x or horizontal at y; one of the two.
    below : bool
        Put the label of a horizontal rule below it, not above.
    left : bool
        Put the label of a horizontal rule at its left end, not at its right one.

    Raises
    ------
    ValueError
        Unless exactly one of x and y is given.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> explore.Rule("the trivial answer", y=sp.Rational(1, 4)).x is None
    True
    """

    label: str
    x: sp.Expr | None = None
    y: sp.Expr | None = None
    below: bool = False
    left: bool = False

    def __post_init__(self):
        if (self.x is None) == (self.y is None):
            raise ValueError(f"exactly one of x and y must be given for the rule {self.label!r}")


@dataclass(frozen=True)
class Marker:
    """A single computed point.

    Parameters
    ----------
    label : str
        What it marks.
    x, y : sympy.Expr
        Where it stands, in the parameters.
    colour : int, optional
        Position in the palette, that of the curve on which it stands; black, or white in the dark, unless given.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Marker("saturation", x=R, y=1 / R).label
    'saturation'
    """

    label: str
    x: sp.Expr
    y: sp.Expr
    colour: int | None = None


@dataclass(frozen=True)
class Bar:
    """A horizontal bar from 0, with its name at the vertical axis and its number at its end.

    Parameters
    ----------
    label : str
        Its name; `|` is where it breaks on a narrow screen.
    x : sympy.Expr
        Its length, in the parameters.
    y : sympy.Expr
        Its place, a whole number from 0, the lowest: no two bars may have the same.
    kind : str
        Name of its colour in the legend.
    colour : int
        Position in the palette.
    hollow : bool
        An outline only: a bar for comparison.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> explore.Bar("best weights|(the one lemma)", sp.Integer(1), sp.Integer(0), "all trust", colour=0).name
    'best weights (the one lemma)'
    """

    label: str
    x: sp.Expr
    y: sp.Expr
    kind: str
    colour: int
    hollow: bool = False

    @property
    def name(self) -> str:
        """The label in one line."""
        return self.label.replace("|", " ")


@dataclass(frozen=True)
class Circles:
    """Circles about fixed places, on a figure with `equal_units`.

    Parameters
    ----------
    label : str
        Name in the legend.
    x, y : tuple of float
        Centres.
    radius : float
        Radius of all, in the units of the axes.

    Examples
    --------
    >>> from hdp import explore
    >>> explore.Circles("clusters", x=(0.0,), y=(0.5,), radius=0.1).radius
    0.1
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    radius: float


@dataclass(frozen=True)
class Note:
    """A sentence in the middle of the picture where nothing else can be drawn: it says why.

    Parameters
    ----------
    label : str
        What it says.
    when : sympy.Basic
        The condition, in the parameters.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Note("Too few trust the curator.", when=c < 0.1).when
    c < 0.1
    """

    label: str
    when: sp.Basic


@dataclass(frozen=True)
class Box:
    """A rectangle between two corners, such as a vessel or what stands in it; nothing where a corner has no number.

    Parameters
    ----------
    label : str
        Name in the legend, once for all boxes of this name.
    x, y, x2, y2 : sympy.Expr
        Its corners, in the parameters.
    colour : int
        Position in the palette.
    hollow : bool
        An outline, not a filled area.
    opacity : float
        Of the filled area.
    drag : sympy.Symbol, optional
        The parameter that its upper end `y2` stands for: the box can be pulled up and down.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Box("budget", x=sp.S.Zero, y=sp.S.Zero, x2=sp.S.One, y2=epsilon, colour=0, drag=epsilon).y2
    epsilon
    """

    label: str
    x: sp.Expr
    y: sp.Expr
    x2: sp.Expr
    y2: sp.Expr
    colour: int
    hollow: bool = False
    opacity: float = 1.0
    drag: sp.Symbol | None = None


@dataclass(frozen=True)
class Text:
    """Words in the picture, with a number that follows the sliders; nothing where its place has no number.

    Parameters
    ----------
    label : str
        What it says; `{}` stands for the number.
    x, y : sympy.Expr
        Its middle, in the parameters.
    value : sympy.Expr
        The number, in the parameters.
    align : {"center", "left", "right"}
        Whether x is its middle, its beginning or its end.
    bold : bool
        Bold type.
    short : str, optional
        What it says where there is no room for the label.
    room : sympy.Expr, optional
        How wide it may be, on the horizontal axis; where even the short words are wider, there are none.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> explore.Text("keeps {}", sp.S.Zero, sp.S.One, value=sp.Rational(1, 3)).said(1 / 3)
    'keeps 0.333'
    """

    label: str
    x: sp.Expr
    y: sp.Expr
    value: sp.Expr = sp.S.Zero
    align: str = "center"
    bold: bool = False
    short: str | None = None
    room: sp.Expr | None = None

    def said(self, number: float, letters: float = np.inf) -> str:
        """The words with this number, to three digits, where so many letters have room: the short ones, or none."""
        fits = (words for words, needed in self.lengths() if needed <= letters)
        return next(fits, "").replace("{}", f"{float(f'{number:.3g}'):g}")

    def lengths(self) -> list[tuple[str, int]]:
        """What it may say, the longer words first, and for how many letters it takes room: four for any number."""
        return [(words, len(words.replace("{}", "0.00"))) for words in (self.label, self.short) if words is not None]


@dataclass(frozen=True)
class Points:
    """Simulated points with error bars; in a page the vertical axis is fitted to the curves only.

    Parameters
    ----------
    label : str
        Name in the legend; points with the label of a curve have its colour and its entry.
    x, y, error : tuple of float
        Places, and half the length of each bar; of one length.
    colour : int, optional
        Position in the palette; the next one unless given.
    at : dict of float
        Where the sliders stand when the points are seen: they cannot follow elsewhere.

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> from hdp.explore import Points
    >>> points = Points("simulated", x=(1.0,), y=(0.25,), error=(0.01,), at={"n": 100.0})
    >>> points.visible({"n": 100.0}), points.visible({"n": 200.0})
    (True, False)
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...]
    colour: int | None = None
    at: dict[str, float] = field(default_factory=dict)

    def __post_init__(self):
        if not len(self.x) == len(self.y) == len(self.error):
            lengths = [len(self.x), len(self.y), len(self.error)]
            raise ValueError(f"x, y and error of {self.label!r} must have one length, got {lengths}")

    def visible(self, values: Mapping[str, float]) -> bool:
        """Whether the sliders, at these `values`, stand where the points were simulated."""
        return all(values[name] == value for name, value in self.at.items())


U, V = sp.symbols("u_draw v_draw", nonnegative=True)  # two uniform numbers of a draw
MODULUS, CUBE, LINE = 2_147_483_647, 3_140_671, 1_299_709  # of `uniforms`; products stay whole numbers in doubles
START = 100  # the first residues rise slowly


def uniforms(index: ArrayLike) -> tuple[Floats, Floats]:
    """The two numbers in [0, 1) of the draws at these places, 1 to 1000: cubic residues, the same in every language."""
    i = np.asarray(index, dtype=float) + START
    return tuple((i**3 * cube + i * LINE) % MODULUS / MODULUS for cube in (CUBE, CUBE + LINE))


@dataclass(frozen=True)
class Draws:
    """Samples of a distribution, drawn one after the other in a page; what they are follows the sliders.

    Parameters
    ----------
    label : str
        Name in the legend; that of a curve gives its colour.
    x, y : sympy.Expr
        Where a draw stands, in the parameters and in `U` and `V`, two numbers that are uniform on [0, 1).
    count : int
        How many there are, at most 1000; a picture shows the first 60.
    colour : int, optional
        Position in the palette; that of a layer of the same name, or the next one, unless given.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> explore.layers.Draws("exponential", x=-sp.log(1 - explore.layers.U), y=explore.layers.V).count
    300
    """

    label: str
    x: sp.Expr
    y: sp.Expr
    count: int = 300
    colour: int | None = None


SHOWN = 60  # draws of a picture, and of a page before they are set going
Layer = Bar | Box | Circles | Curve | Draws | Heatmap | Marker | Note | Points | Rule | Text


@dataclass(frozen=True)
class Readout:
    """A number printed under the figure that follows the sliders.

    Parameters
    ----------
    label : str
        What the number is.
    value : sympy.Expr
        The number, in the parameters.
    names : tuple of str
        Names of the numbers 1, 2, ..., which are written in their place.
    infinite : str
        What is written for infinity.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp import explore
    >>> n, c, R, epsilon = sp.symbols("n c R epsilon", positive=True)
    >>> explore.Readout("error without privacy", 1 / (4 * n)).value.subs(n, 100)
    1/400
    """

    label: str
    value: sp.Expr
    names: tuple[str, ...] = ()
    infinite: str = "∞"

    def text(self, number: float) -> str:
        """How a number of it is written."""
        if self.names:
            return self.names[int(number) - 1]
        return self.infinite if number == np.inf else _number.number(number)


@dataclass(frozen=True)
class Preset:
    """Named positions of the sliders; with presets the picture shows a panel for each.

    Parameters
    ----------
    label : str
        Name of the preset.
    values : dict of float
        Position of each slider, by name.

    Examples
    --------
    >>> from hdp import explore
    >>> explore.Preset("few users", {"users": 100.0}).values["users"]
    100.0
    """

    label: str
    values: dict[str, float]
