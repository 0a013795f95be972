"""The matplotlib view: what is printed, what the PDF shows, and what a page shows without JavaScript."""

import io
import threading

import numpy as np
from matplotlib import colors, patheffects, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from hdp.explore import frame, style
from hdp.explore.evaluate import cell_values, curve_values, draw_values, expression_values
from hdp.explore.layers import SHOWN, Draws, Heatmap, Marker, Points, Rule

_LOCK = threading.Lock()  # matplotlib's rcParams are global


def png(figure, values, panels=False):
    """The picture as PNG bytes; `panels` draws one panel for each preset."""
    buffer = io.BytesIO()
    with _LOCK, rc_context(style.RC):
        FigureCanvasAgg(drawing := draw(figure, values, panels))
        drawing.savefig(buffer, format="png", metadata={"Software": None})
    small = io.BytesIO()  # a picture of a few colours is a third of the size with a palette
    Image.open(buffer).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def draw(figure, values, panels=False):
    """A matplotlib `Figure` at these parameter values."""
    presets = figure.presets if panels and figure.presets else (None,)
    width = 3.0 * len(presets) + 0.6 if len(presets) > 1 else 6.4
    drawing = Figure(figsize=(width, 3.9), layout="constrained")
    axes = drawing.subplots(1, len(presets), squeeze=False, sharey=True)[0]
    for ax, preset in zip(axes, presets, strict=True):
        _panel(ax, figure, values | (preset.values if preset else {}))
        if preset:
            ax.set_title(preset.label)
    axes[0].set_ylabel(figure.y.label)
    if figure.heatmap:
        mesh = axes[0].collections[0]
        drawing.colorbar(mesh, ax=list(axes), label=figure.heatmap.label, extend="neither")
    handles, labels = axes[0].get_legend_handles_labels()
    columns = 2 if len(presets) <= 2 else 4
    drawing.legend(handles, labels, loc="outside lower center", ncols=min(columns, max(len(labels), 1)))
    return drawing


def _panel(ax, figure, values):
    ax.set_xscale(figure.x.scale)
    ax.set_yscale(figure.y.scale)
    ax.set_xlim(figure.x.domain)
    ax.set_ylim(frame.domain(figure, values))
    if figure.equal_units:
        ax.set_aspect("equal")
    ax.set_xlabel(figure.x.label)
    x, curves = curve_values(figure, values)
    entries, drawn = figure.labels(), set()
    for i, layer in enumerate(figure.layers):
        if isinstance(layer, Heatmap):
            _cells(ax, figure, values)
        elif isinstance(layer, Rule):
            _rule(ax, figure, layer, values)
        elif isinstance(layer, Marker):
            point = [expression_values(figure, e, values) for e in (layer.x, layer.y)]
            inside = "white" if figure.heatmap else "none"
            ax.plot(*point, "o", ms=8, mfc=inside, mew=2, color="black", label=layer.label, zorder=5)
        elif not isinstance(layer, Points) or layer.visible(values):
            colour = style.PALETTE[entries[layer.label][0]]
            label = layer.label if layer.label not in drawn else None
            drawn.add(layer.label)
            if isinstance(layer, Draws):
                ax.scatter(*draw_values(figure, layer, values, SHOWN), s=10, color=colour, alpha=0.75, label=label)
            elif isinstance(layer, Points):
                ax.errorbar(layer.x, layer.y, layer.error, fmt="o", ms=4, capsize=3, color=colour, label=label)
            else:
                y = np.where(np.isfinite(curves[i]), curves[i], np.nan)
                dash = (0, tuple(d / layer.width for d in layer.dash)) if layer.dash else "-"
                casing = [patheffects.withStroke(linewidth=layer.width + style.CASING, foreground="white")]
                effects = casing if figure.heatmap else None
                if layer.base is not None:
                    ax.fill_between(
                        x, expression_values(figure, layer.base, values, x), y, color=colour, alpha=0.3, lw=0
                    )
                ax.plot(x, y, color=colour, ls=dash, lw=layer.width, label=label, path_effects=effects)


def _cells(ax, figure, values):
    heatmap = figure.heatmap
    norm = (colors.LogNorm if heatmap.colour.scale == "log" else colors.Normalize)(*heatmap.colour.domain)
    edges = [axis.grid(count) for axis, count in zip((figure.x, figure.y), heatmap.cells, strict=True)]
    z = cell_values(figure, values)[2]
    ax.pcolormesh(*edges, np.where(np.isfinite(z), z, np.nan), cmap=style.SEQUENTIAL, norm=norm)
    ax.grid(visible=False)


def _rule(ax, figure, rule, values):
    position = float(expression_values(figure, rule.x if rule.x is not None else rule.y, values))
    if rule.x is not None:
        if figure.x.domain[0] <= position <= figure.x.domain[1]:
            ax.axvline(position, color=style.NEUTRAL, lw=1.2, ls="--")
            ax.annotate(rule.label, (position, 1), xycoords=("data", "axes fraction"), xytext=(4, -10),
                        textcoords="offset points", fontsize=9)  # fmt: skip
    else:
        ax.axhline(position, color=style.NEUTRAL, lw=1.2, ls="--")
        ax.annotate(rule.label, (1, position), xycoords=("axes fraction", "data"), ha="right", fontsize=9,
                    xytext=(-4, -12 if rule.below else 4), textcoords="offset points")  # fmt: skip
