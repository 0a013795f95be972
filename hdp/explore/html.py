"""The HTML of a figure: picture, legend and controls (shown once the script runs), specification, caption."""

import base64
import json
import re
from html import escape

import numpy as np

from hdp.explore import frame, style, vega
from hdp.explore.layers import Box, Circles, Draws, Marker, Rule

_TALL = 520  # pixels: a higher picture would leave no room for its sliders if it stayed in sight on a phone


def figure(spec, png):
    """A `<figure>` with the fallback picture, the sliders and the Vega-Lite specification as JSON.

    `book/_static/hdp-figure.js` finds it by its class, shows the controls and replaces the picture.
    """
    source = base64.b64encode(png).decode()
    alt = escape(" ".join(spec.alt.split()))
    equal = " data-equal" if spec.equal_units else ""
    equal += "" if spec.y.domain else f' data-frame="{escape(json.dumps([spec.y.scale, *frame.home(spec)]))}"'
    document = json.dumps(vega.specification(spec), ensure_ascii=False).replace("</", "<\\/")
    pairs = " data-pairs" if spec.pairs else ""
    pairs += " data-tall" if spec.height > _TALL else ""
    formulas = ' class="mathjax_process"' if r"\(" in spec.caption else ""  # whose scripts a page without needs not
    return (
        f'<figure class="hdp-figure" id="figure-{spec.name}" data-name="{spec.name}"{equal}{pairs}>\n'
        f'<div class="hdp-stage"><div class="hdp-chart" role="img" aria-label="{alt}" hidden></div>'
        f"{_cursor(spec)}{_grips(spec)}\n"
        f'<img class="hdp-picture" alt="{alt}" src="data:image/png;base64,{source}"></div>\n'
        f"{_legend(spec)}{_controls(spec)}"
        f'<script type="application/json" class="hdp-spec">{document}</script>\n'
        f"<figcaption{formulas}>{spec.caption.strip()}</figcaption>\n</figure>"
    )


def in_markdown(spec):
    """The anchor, the title and the caption, for a print that has the picture beside them."""
    pieces = re.split(r"\\\((.*?)\\\)", " ".join(spec.caption.split()))
    pieces[::2] = [re.sub(r"([*_$])", r"\\\1", words) for words in pieces[::2]]
    pieces[1::2] = [f"${formula}$" for formula in pieces[1::2]]
    return f"(figure-{spec.name})=\n**{spec.title}.** {re.sub('</?em>', '*', ''.join(pieces))}"


def _cursor(spec):
    """Where pointer and keyboard read values off the curves, and drag the rules that stand for a parameter."""
    if spec.heatmap or not spec.curves:
        return ""
    drags = [
        {"parameter": p.name, "axis": axis}
        for layer in spec.layers if isinstance(layer, Rule)
        for axis in "xy"
        for p in spec.parameters if getattr(layer, axis) == p.symbol
    ]  # fmt: skip
    return (
        f'<div class="hdp-cursor" role="slider" tabindex="0" aria-label="Read values: {escape(spec.x.label)}" '
        f'aria-valuemin="0" aria-valuemax="{spec.samples}" aria-valuenow="0" hidden '
        f'data-drags="{escape(json.dumps(drags))}"><div class="hdp-line"></div><div class="hdp-values"></div></div>'
    )


def _grips(spec):
    """The upper ends of boxes, which pointers pull; for other ways each has a slider."""
    return "".join(
        f'<div class="hdp-grip" data-parameter="{box.drag.name}" aria-hidden="true" hidden></div>'
        for box in spec.layers if isinstance(box, Box) and box.drag is not None
    )  # fmt: skip


def _legend(spec):
    """What the colours, lines and markers mean; in HTML, because a long name wraps there."""
    drawn = {curve.label for curve in spec.curves}
    bars = {bar.kind: bar for bar in spec.bars} | {box.label: box for box in spec.layers if isinstance(box, Box)}
    entries = []
    for label, (place, dash) in spec.labels().items():
        if spec.is_named(label):
            continue
        colour = style.PALETTE[place]
        filled = _box(colour, bars[label]) if label in bars else _dot(5, colour, "none")
        entries.append((label, _line(colour, dash) if label in drawn else filled))
    ground, edge = ("white", "black") if spec.heatmap else ("none", "currentColor")
    markers = {layer.label: layer.colour for layer in spec.layers if isinstance(layer, Marker)}
    edges = {label: edge if c is None or spec.heatmap else style.PALETTE[c] for label, c in markers.items()}
    entries += [(label, _dot(5.5, ground, edges[label])) for label in markers]
    entries += [(layer.label, _dot(5.5, "none", style.NEUTRAL)) for layer in spec.layers if isinstance(layer, Circles)]
    items = "".join(f"<li>{_swatch(drawing)}<span>{escape(label)}</span></li>" for label, drawing in entries)
    ramp = _ramp(spec.heatmap.colour) if spec.heatmap else ""
    return f'<div class="hdp-legend" hidden>{ramp}<ul aria-label="Legend">{items}</ul></div>\n'


def _swatch(drawing):
    return f'<svg width="36" height="14" aria-hidden="true">{drawing}</svg>'


def _line(colour, dash):
    dashes = f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash else ""
    return f'<path d="M0 7H36" stroke="{colour}" stroke-width="2.5"{dashes}/>'


def _dot(radius, fill, stroke):
    return f'<circle cx="18" cy="7" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="2.5"/>'


def _box(colour, layer):
    fill = "none" if layer.hollow else colour
    opacity = getattr(layer, "opacity", 1)
    look = f'fill="{fill}" fill-opacity="{opacity:g}" stroke="{colour}" stroke-width="2"'
    return f'<rect x="4" y="2" width="28" height="10" {look}/>'


def _ramp(colour):
    """The palette of a heatmap, with numbers under it."""
    import matplotlib  # here, because the kernel of a page fetches it for heatmaps only
    from matplotlib.colors import to_hex
    from matplotlib.ticker import MaxNLocator

    palette = matplotlib.colormaps[style.SEQUENTIAL]
    stops = ", ".join(to_hex(palette(k / 16)) for k in range(17))
    scale = np.log if colour.scale == "log" else np.asarray
    low, high = scale(colour.domain)
    marks = colour.decades() if colour.scale == "log" else MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high)
    places = ((mark, (scale(mark) - low) / (high - low)) for mark in marks)
    seen = ((100 * place, style.number(mark)) for mark, place in places if 0 <= place <= 1)
    ticks = "".join(f'<span style="left: {percent:.4g}%">{words}</span>' for percent, words in seen)
    return (
        f'<div class="hdp-ramp"><span>{escape(colour.label)}</span>'
        f'<div style="background: linear-gradient(to right, {stops})"></div><p>{ticks}</p></div>'
    )


def _controls(spec):
    presets = "".join(
        f'<button type="button" data-values="{escape(json.dumps(spec.values(**p.values)))}">{escape(p.label)}</button>'
        for p in spec.presets
    )
    paper = escape(json.dumps(spec.paper_values))
    controls = [_control(spec, i) for i in range(len(spec.parameters))]
    folded = "".join(controls[spec.open :])
    count = max((layer.count for layer in spec.layers if isinstance(layer, Draws)), default=0)
    play = f'<button type="button" class="hdp-play" data-count="{count}">Draw more</button>' if count else ""
    return (
        '<div class="hdp-controls" hidden>\n'
        + "".join(controls[: spec.open])
        + (f'<details class="hdp-more"><summary>More sliders</summary>\n{folded}</details>\n' if folded else "")
        + (_sentences(spec) or "".join(_readout(spec, i, r) for i, r in enumerate(spec.readouts)))
        + f'<div class="hdp-buttons"><button type="button" class="hdp-reset" data-values="{paper}">'
        + f"{escape(spec.reset_label)}</button>{presets}{play}"
        + '<span class="hdp-announced" role="status"></span>'
        + '<span class="hdp-downloads">Download: <button type="button" data-download="svg">image</button>'
        + '<button type="button" data-download="csv">data</button>'
        + '<button type="button" data-download="json">specification</button></span></div>\n</div>\n'
    )


def _least(name, value):
    """What another parameter must be for this part of the page to be shown."""
    return f' data-needs="{escape(json.dumps([name, value]))}"' if name else ""


def _control(spec, index):
    parameter = spec.parameters[index]
    identifier = f"{spec.name}-{parameter.name}"
    control = _choice if parameter.names else _switch if parameter.is_switch else _slider
    beside = index > 0 and spec.parameters[index - 1].typed  # what is typed
    look = " hdp-choice" * bool(parameter.names) + " hdp-partner" * (bool(parameter.names) and beside)
    return (
        f'<div class="hdp-slider{look}"{_least(*(parameter.needs or (None, 0)))}>'
        f'<label for="{identifier}">{escape(parameter.label)}</label>{control(parameter, identifier)}</div>\n'
    )


def _choice(parameter, identifier):
    options = "".join(
        f'<option value="{i}"{" selected" * (parameter.value == position)}{_least(parameter.up_to, position)}>'
        f"{escape(name)}</option>"
        for i, (name, position) in enumerate(zip(parameter.names, parameter.positions, strict=True))
    )
    return (
        f'<select id="{identifier}" data-parameter="{parameter.name}" autocomplete="off" '
        f'data-positions="{escape(json.dumps(parameter.positions))}">{options}</select>'
    )


def _switch(parameter, identifier):
    return (
        f'<input type="checkbox" role="switch" id="{identifier}" data-parameter="{parameter.name}"'
        f'{" checked" * bool(parameter.value)} data-positions="[0, 1]">'
        f'<output for="{identifier}">{parameter.text(parameter.value)}</output>'
    )


def _slider(parameter, identifier):
    shown = f'<output for="{identifier}">{style.number(parameter.value)}</output>'
    if parameter.typed:
        low, high = parameter.positions[0], parameter.positions[-1]
        shown = (
            f'<input type="number" class="hdp-typed" aria-label="{escape(parameter.label)}, typed" step="any" '
            f'inputmode="decimal" min="{low}" max="{high}" value="{parameter.value:g}">'
        )
    return (
        f'<input type="range" id="{identifier}" data-parameter="{parameter.name}" min="0" '
        f'max="{len(parameter.positions) - 1}" step="1" value="{parameter.positions.index(parameter.value)}" '
        f'aria-valuetext="{style.number(parameter.value)}" '
        f'data-positions="{escape(json.dumps(parameter.positions))}">{shown}'
    )


def _sentences(spec):
    """The readouts in their sentences, which are read out once the sliders rest."""
    places = (_output(spec, i, readout) for i, readout in enumerate(spec.readouts))
    said = (re.sub("{}", lambda _: next(places), escape(sentence)) for sentence in spec.sentences)
    return "".join(f'<p class="hdp-readout hdp-sentence" aria-live="polite">{words}</p>\n' for words in said)


def _readout(spec, index, readout):
    return f'<p class="hdp-readout" aria-live="polite">{escape(readout.label)}: {_output(spec, index, readout)}</p>\n'


def _output(spec, index, readout):
    """Where a number is written, with the words that stand for some."""
    words = f' data-names="{escape(json.dumps(readout.names))}"' if readout.names else ""
    words += f' data-infinite="{escape(readout.infinite)}"' if readout.infinite != "∞" else ""
    return f'<output id="{spec.name}-readout-{index}" data-readout="readout_{index}"{words}></output>'
