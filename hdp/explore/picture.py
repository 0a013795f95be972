"""The matplotlib view: what is printed, what the PDF shows, and what a page shows without JavaScript."""

import io
import textwrap
import threading

import numpy as np
from matplotlib import colors, patheffects, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import FuncFormatter, LogFormatter
from PIL import Image

from hdp.explore import frame, style
from hdp.explore.evaluate import breaks, cell_values, draw_values, expression_values, numbers
from hdp.explore.layers import SHOWN, Bar, Box, Circles, Curve, Draws, Heatmap, Marker, Note, Points, Rule, Text
from hdp.explore.vega import BAR

ACROSS = 80  # letters have room across a picture
_HALO = [patheffects.withStroke(linewidth=3, foreground="white")]  # sets a label off from lines that cross it
_LOCK = threading.Lock()  # matplotlib's rcParams are global


def png(figure, values, panels=False):
    """The picture as PNG bytes; `panels` draws one panel for each preset."""
    with _LOCK, rc_context(style.RC):
        canvas = FigureCanvasAgg(draw(figure, values, panels))
        canvas.draw()  # once; `savefig` draws twice
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    small = io.BytesIO()  # a picture of a few colours is a third of the size with a palette
    image.quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def draw(figure, values, panels=False):
    """A matplotlib `Figure` at these parameter values."""
    presets = figure.presets if panels and figure.presets else (None,)
    width = 3.0 * len(presets) + 0.6 if len(presets) > 1 else 6.4
    high = 5.4 if figure.bars or any(isinstance(layer, Box) for layer in figure.layers) else 3.9
    drawing = Figure(figsize=(width, high), layout="constrained")
    axes = drawing.subplots(1, len(presets), squeeze=False, sharey=True)[0]
    for ax, preset in zip(axes, presets, strict=True):
        _panel(ax, figure, values | (preset.values if preset else {}))
        if preset:
            ax.set_title(preset.label)
    axes[0].set_ylabel(figure.y.label, y=_height(figure))
    if figure.heatmap:
        mesh = axes[0].collections[0]
        ticks = _ticks(figure.heatmap.colour.scale)
        drawing.colorbar(mesh, ax=list(axes), label=figure.heatmap.label, extend="neither", format=ticks)
    entries = {}
    for handle, label in zip(*axes[0].get_legend_handles_labels(), strict=True):
        if not figure.is_named(label):
            entries.setdefault(label, handle)  # of what shares a label the first
    columns = 4 if len(presets) > 2 else 2 if sum(sorted(map(len, entries))[-2:]) < 72 else 1
    drawing.legend(entries.values(), entries, loc="outside lower center", ncols=min(columns, max(len(entries), 1)))
    return drawing


def _height(figure):
    """Where the title of the vertical axis stands, as a fraction of the picture."""
    if not figure.split:
        return 0.5
    low, high = figure.y.domain
    return ((figure.split[0] + high) / 2 - low) / (high - low)


def _frames(ax, figure):
    """The lines of two pictures in one: the upper one has an edge at its left, the lower one lines at its ticks."""
    (low, high), (above, below) = figure.y.domain, figure.split
    ax.grid(visible=False, axis="x")
    ax.spines["left"].set_bounds(above, high)
    ax.vlines(figure.x.ticks, low, below, color=style.NEUTRAL, lw=0.6, alpha=0.4)
    ax.hlines(above, *figure.x.domain, color=style.NEUTRAL, lw=0.8)


def _axes(ax, figure, values):
    """Scales, ticks and labels; beside bars stand their names."""
    ax.set(xscale=figure.x.scale, yscale=figure.y.scale, xlabel=figure.x.label)
    for drawn, axis in ((ax.xaxis, figure.x), (ax.yaxis, figure.y)):
        drawn.set_major_formatter(_ticks(axis.scale))
        if axis.scale == "log":
            drawn.set_minor_formatter(_ticks(axis.scale))
        if axis.ticks:
            drawn.set_ticks(axis.ticks)
    ax.set(xlim=figure.x.domain, ylim=frame.domain(figure, values))
    if figure.equal_units:
        ax.set_aspect("equal")
    if figure.split:
        _frames(ax, figure)
    if figure.bars:
        places = [float(expression_values(figure, bar.y, values)) for bar in figure.bars]
        ax.set_yticks(places, [bar.name for bar in figure.bars])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")


def _panel(ax, figure, values):
    _axes(ax, figure, values)
    for layer in figure.stacked:
        _DRAWN[type(layer)](ax, figure, layer, values)


def _colour(figure, layer):
    return style.PALETTE[figure.labels()[layer.label][0]]


def _curve(ax, figure, curve, values):
    x, colour = figure.x.grid(figure.samples), _colour(figure, curve)
    y = expression_values(figure, curve.y, values, x)
    y = np.where(np.isfinite(y) & ~breaks(figure, curve, values), y, np.nan)
    step = {"drawstyle": "steps-mid"} if curve.steps else {}
    dash = (0, tuple(d / curve.width for d in curve.dash)) if curve.dash else "-"
    casing = [patheffects.withStroke(linewidth=curve.width + style.CASING, foreground="white")]
    effects = casing if figure.heatmap else None
    if curve.base is not None:
        floor = expression_values(figure, curve.base, values, x)
        ax.fill_between(x, floor, y, color=colour, alpha=0.3, lw=0, step="mid" if curve.steps else None)
    ax.plot(x, y, color=colour, ls=dash, lw=curve.width, label=curve.label, path_effects=effects, **step)


def _draws(ax, figure, draws, values):
    places, colour = draw_values(figure, draws, values, SHOWN), _colour(figure, draws)
    ax.scatter(*places, s=10, color=colour, alpha=0.75, label=draws.label)


def _points(ax, figure, points, values):
    if points.visible(values):
        look = {"fmt": "o", "ms": 4, "capsize": 3, "color": _colour(figure, points), "label": points.label}
        ax.errorbar(points.x, points.y, points.error, **look)


def _marker(ax, figure, marker, values):
    inside = "white" if figure.heatmap else "none"
    edge = "black" if marker.colour is None or figure.heatmap else style.PALETTE[marker.colour]
    place = numbers(figure, marker, values)
    ax.plot(*place, "o", ms=8, mfc=inside, mew=2, color=edge, label=marker.label, zorder=5)


def _circles(ax, figure, circles, values):
    for place in zip(circles.x, circles.y, strict=True):
        ax.add_patch(Circle(place, circles.radius, fill=False, lw=1.6, ec=style.NEUTRAL, label=circles.label))


def _note(ax, figure, note, values):
    if expression_values(figure, note.when, values):
        ax.text(0.5, 0.5, textwrap.fill(note.label, 34), transform=ax.transAxes, ha="center", va="center")


def _text(ax, figure, text, values):
    x, y, value = numbers(figure, text, values)
    if np.isfinite([x, y]).all():
        said, weight = text.said(value, _letters(figure, text, values)), "bold" if text.bold else "normal"
        ax.text(x, y, said, ha=text.align, va="center", fontsize=9, weight=weight)


def _letters(figure, text, values):
    """How many letters words may have."""
    if text.room is None:
        return np.inf
    low, high = figure.x.domain
    return ACROSS * float(expression_values(figure, text.room, values)) / (high - low)


def _ticks(scale):
    """Numbers as they stand beside the sliders; which ticks of a logarithmic axis have one is matplotlib's choice."""
    if scale == "linear":
        return FuncFormatter(lambda value, _: style.number(value))
    return _LogTicks()


class _LogTicks(LogFormatter):
    def __call__(self, value, position=None):
        return style.number(value) if super().__call__(value, position) else ""


def _bar(ax, figure, bar, values):
    length, place = numbers(figure, bar, values)
    colour = style.PALETTE[bar.colour]
    ax.barh(place, length, BAR, fc="none" if bar.hollow else colour, ec=colour, lw=1.5, label=bar.kind)
    ax.text(length, place, f" {length:.2g}", va="center", fontsize=9)


def _cells(ax, figure, heatmap, values):
    norm = (colors.LogNorm if heatmap.colour.scale == "log" else colors.Normalize)(*heatmap.colour.domain)
    edges = [axis.grid(count) for axis, count in zip((figure.x, figure.y), heatmap.cells, strict=True)]
    z = cell_values(figure, values)[2]
    ax.pcolormesh(*edges, np.where(np.isfinite(z), z, np.nan), cmap=style.SEQUENTIAL, norm=norm)
    ax.grid(visible=False)


def _box(ax, figure, box, values):
    x, y, x2, y2 = numbers(figure, box, values)
    if np.isfinite([x, y, x2, y2]).all():
        colour = style.PALETTE[box.colour]
        look = {"fill": False, "lw": 1.8} if box.hollow else {"fc": colour, "lw": 0, "alpha": box.opacity}
        ax.add_patch(Rectangle((x, y), x2 - x, y2 - y, ec=colour, label=box.label, zorder=2, **look))


def _rule(ax, figure, rule, values):
    """A line and its label, that of a vertical one in a row of its own; outside the frame neither is drawn."""
    (position,) = numbers(figure, rule, values)
    low, high = figure.x.domain if rule.x is not None else frame.domain(figure, values)
    if not low <= position <= high:
        return
    line = {"color": style.NEUTRAL, "lw": 1.2, "ls": "--"}
    words = {"textcoords": "offset points", "fontsize": 9, "path_effects": _HALO, "zorder": 4}
    if rule.x is not None:
        row = [other for other in figure.layers if isinstance(other, Rule) and other.x is not None].index(rule)
        ax.axvline(position, **line)
        ax.annotate(rule.label, (position, 1), (4, -10 - 12 * row), ("data", "axes fraction"), **words)
    else:
        end, side, gap = (0, "left", 4) if rule.left else (1, "right", -4)
        ax.axhline(position, **line)
        shift = (gap, -12 if rule.below else 4)
        ax.annotate(rule.label, (end, position), shift, ("axes fraction", "data"), ha=side, **words)


_DRAWN = {
    Bar: _bar, Box: _box, Circles: _circles, Curve: _curve, Draws: _draws, Heatmap: _cells, Marker: _marker,
    Note: _note, Points: _points, Rule: _rule, Text: _text,
}  # fmt: skip
