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
from hdp.explore.evaluate import breaks, cell_values, curve_values, draw_values, expression_values, numbers
from hdp.explore.layers import SHOWN, Bar, Box, Circles, Draws, Heatmap, Marker, Note, Points, Rule, Text
from hdp.explore.vega import BAR

ACROSS = 80  # letters have room across a picture
_HALO = [patheffects.withStroke(linewidth=3, foreground="white")]  # sets a label off from lines that cross it
_LOCK = threading.Lock()  # matplotlib's rcParams are global


def png(figure, values, panels=False):
    """The picture as PNG bytes; `panels` draws one panel for each preset."""
    with _LOCK, rc_context(style.RC):
        buffer = _saved(draw(figure, values, panels))
    small = io.BytesIO()  # a picture of a few colours is a third of the size with a palette
    Image.open(buffer).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def small(figure):
    """A sign for the figure, as PNG bytes: what it draws at the paper's values, without axes and words."""
    with _LOCK, rc_context(style.RC):
        drawing = Figure(figsize=(2.4, 1.35))
        ax = drawing.add_axes((0.02, 0.02, 0.96, 0.96))
        _panel(ax, figure, figure.paper_values)
        ax.set_axis_off()
        for words in list(ax.texts):
            words.remove()
        return _saved(drawing, transparent=True).getvalue()


def preview(figure):
    """The picture in 1200 by 630 pixels, the size of previews where pages are shared, as PNG bytes."""
    with _LOCK, rc_context(style.RC):
        drawing = draw(figure, figure.paper_values)
        drawing.set_size_inches(1200 / 144, 630 / 144)
        return _saved(drawing, dpi=144).getvalue()


def _saved(drawing, **options):
    FigureCanvasAgg(drawing)
    drawing.savefig(buffer := io.BytesIO(), format="png", metadata={"Software": None}, **options)
    return buffer


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
    axes[0].set_ylabel(figure.y.label)
    if figure.heatmap:
        mesh = axes[0].collections[0]
        ticks = _ticks(figure.heatmap.colour.scale)
        drawing.colorbar(mesh, ax=list(axes), label=figure.heatmap.label, extend="neither", format=ticks)
    handles, labels = axes[0].get_legend_handles_labels()
    columns = 4 if len(presets) > 2 else 2 if sum(sorted(map(len, labels))[-2:]) < 72 else 1
    drawing.legend(handles, labels, loc="outside lower center", ncols=min(columns, max(len(labels), 1)))
    return drawing


def _axes(ax, figure, values):
    """Scales, ticks and labels; beside bars stand their names."""
    ax.set_xscale(figure.x.scale)
    ax.set_yscale(figure.y.scale)
    for axis, scale in ((ax.xaxis, figure.x.scale), (ax.yaxis, figure.y.scale)):
        axis.set_major_formatter(_ticks(scale))
        if scale == "log":
            axis.set_minor_formatter(_ticks(scale))
    ax.set_xlim(figure.x.domain)
    ax.set_ylim(frame.domain(figure, values))
    for axis, ticks in ((ax.xaxis, figure.x.ticks), (ax.yaxis, figure.y.ticks)):
        if ticks:
            axis.set_ticks(ticks)
    if figure.equal_units:
        ax.set_aspect("equal")
    ax.set_xlabel(figure.x.label)
    if figure.bars:
        places = [float(expression_values(figure, bar.y, values)) for bar in figure.bars]
        ax.set_yticks(places, [bar.name for bar in figure.bars])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")


def _panel(ax, figure, values):
    _axes(ax, figure, values)
    x, curves = curve_values(figure, values)
    entries, drawn = figure.labels(), set()
    rules = [layer for layer in figure.layers if isinstance(layer, Rule) and layer.x is not None]
    for i, layer in enumerate(figure.layers):
        if isinstance(layer, Heatmap):
            _cells(ax, figure, values)
        elif isinstance(layer, Rule):
            _rule(ax, figure, layer, values, rules.index(layer) if layer in rules else 0)
        elif isinstance(layer, Box):
            corners = numbers(figure, layer, values)
            if np.isfinite(corners).all():
                _box(ax, layer, corners, layer.label if layer.label not in drawn else None)
                drawn.add(layer.label)
        elif isinstance(layer, Text):
            _text(ax, figure, layer, values)
        elif isinstance(layer, Marker):
            _marker(ax, figure, layer, values, layer.label if layer.label not in drawn else None)
            drawn.add(layer.label)
        elif isinstance(layer, Circles):
            for k, place in enumerate(zip(layer.x, layer.y, strict=True)):
                label = layer.label if k == 0 else None
                ax.add_patch(Circle(place, layer.radius, fill=False, lw=1.6, ec=style.NEUTRAL, label=label))
        elif isinstance(layer, Note):
            if expression_values(figure, layer.when, values):
                ax.text(0.5, 0.5, textwrap.fill(layer.label, 34), transform=ax.transAxes, ha="center", va="center")
        elif isinstance(layer, Bar):
            _bar(ax, figure, layer, values, label=layer.kind if layer.kind not in drawn else None)
            drawn.add(layer.kind)
        elif not isinstance(layer, Points) or layer.visible(values):
            colour = style.PALETTE[entries[layer.label][0]]
            label = layer.label if layer.label not in drawn else None
            drawn.add(layer.label)
            if isinstance(layer, Draws):
                ax.scatter(*draw_values(figure, layer, values, SHOWN), s=10, color=colour, alpha=0.75, label=label)
            elif isinstance(layer, Points):
                ax.errorbar(layer.x, layer.y, layer.error, fmt="o", ms=4, capsize=3, color=colour, label=label)
            else:
                _curve(ax, figure, layer, values, (x, curves[i]), colour, label)


def _marker(ax, figure, marker, values, label):
    point = [expression_values(figure, e, values) for e in (marker.x, marker.y)]
    inside = "white" if figure.heatmap else "none"
    edge = "black" if marker.colour is None or figure.heatmap else style.PALETTE[marker.colour]
    ax.plot(*point, "o", ms=8, mfc=inside, mew=2, color=edge, label=label, zorder=5)


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


def _curve(ax, figure, layer, values, samples, colour, label):
    x, y = samples
    y = np.where(np.isfinite(y) & ~breaks(figure, layer, values), y, np.nan)
    step = {"drawstyle": "steps-mid"} if layer.steps else {}
    dash = (0, tuple(d / layer.width for d in layer.dash)) if layer.dash else "-"
    casing = [patheffects.withStroke(linewidth=layer.width + style.CASING, foreground="white")]
    effects = casing if figure.heatmap else None
    if layer.base is not None:
        floor = expression_values(figure, layer.base, values, x)
        across = {"step": "mid"} if layer.steps else {}
        ax.fill_between(x, floor, y, color=colour, alpha=0.3, lw=0, **across)
    ax.plot(x, y, color=colour, ls=dash, lw=layer.width, label=label, path_effects=effects, **step)


def _ticks(scale):
    """Numbers as they stand beside the sliders; which ticks of a logarithmic axis have one is matplotlib's choice."""
    if scale == "linear":
        return FuncFormatter(lambda value, _: style.number(value))
    return _LogTicks()


class _LogTicks(LogFormatter):
    def __call__(self, value, position=None):
        return style.number(value) if super().__call__(value, position) else ""


def _bar(ax, figure, bar, values, label):
    length, place = (float(expression_values(figure, e, values)) for e in (bar.x, bar.y))
    colour = style.PALETTE[bar.colour]
    ax.barh(place, length, BAR, fc="none" if bar.hollow else colour, ec=colour, lw=1.5, label=label)
    ax.text(length, place, f" {length:.2g}", va="center", fontsize=9)


def _cells(ax, figure, values):
    heatmap = figure.heatmap
    norm = (colors.LogNorm if heatmap.colour.scale == "log" else colors.Normalize)(*heatmap.colour.domain)
    edges = [axis.grid(count) for axis, count in zip((figure.x, figure.y), heatmap.cells, strict=True)]
    z = cell_values(figure, values)[2]
    ax.pcolormesh(*edges, np.where(np.isfinite(z), z, np.nan), cmap=style.SEQUENTIAL, norm=norm)
    ax.grid(visible=False)


def _box(ax, layer, corners, label):
    x, y, x2, y2 = corners
    colour = style.PALETTE[layer.colour]
    look = {"fill": False, "lw": 1.8} if layer.hollow else {"fc": colour, "lw": 0, "alpha": layer.opacity}
    ax.add_patch(Rectangle((x, y), x2 - x, y2 - y, ec=colour, label=label, zorder=2, **look))


def _rule(ax, figure, rule, values, row):
    """A line and its label, that of a vertical one in a row of its own; outside the frame neither is drawn."""
    position = float(expression_values(figure, rule.x if rule.x is not None else rule.y, values))
    low, high = figure.x.domain if rule.x is not None else frame.domain(figure, values)
    if not low <= position <= high:
        return
    if rule.x is not None:
        ax.axvline(position, color=style.NEUTRAL, lw=1.2, ls="--")
        ax.annotate(rule.label, (position, 1), xycoords=("data", "axes fraction"), xytext=(4, -10 - 12 * row),
                    textcoords="offset points", fontsize=9, path_effects=_HALO, zorder=4)  # fmt: skip
    else:
        ax.axhline(position, color=style.NEUTRAL, lw=1.2, ls="--")
        end, side, gap = (0, "left", 4) if rule.left else (1, "right", -4)
        ax.annotate(rule.label, (end, position), xycoords=("axes fraction", "data"), ha=side, fontsize=9,
                    xytext=(gap, -12 if rule.below else 4), textcoords="offset points",
                    path_effects=_HALO, zorder=4)  # fmt: skip
