"""The HTML of a figure: picture, controls (shown once the script runs), specification, caption."""

import base64
import json
from html import escape

from hdp.explore import style, vega


def figure(spec, png):
    """A `<figure>` with the fallback picture, the sliders and the Vega-Lite specification as JSON.

    `book/_static/hdp-figure.js` finds it by its class, shows the controls and replaces the picture.
    """
    source = base64.b64encode(png).decode()
    alt = escape(" ".join(spec.alt.split()))
    equal = " data-equal" if spec.equal_units else ""
    document = json.dumps(vega.specification(spec), ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<figure class="hdp-figure" id="figure-{spec.name}" data-name="{spec.name}"{equal}>\n'
        f'<div class="hdp-chart" role="img" aria-label="{alt}" hidden></div>\n'
        f'<img class="hdp-picture" alt="{alt}" src="data:image/png;base64,{source}">\n'
        f"{_controls(spec)}"
        f'<script type="application/json" class="hdp-spec">{document}</script>\n'
        f'<figcaption class="mathjax_process">{spec.caption.strip()}</figcaption>\n</figure>'
    )


def _controls(spec):
    presets = "".join(
        f'<button type="button" data-values="{escape(json.dumps(spec.values(**p.values)))}">{escape(p.label)}</button>'
        for p in spec.presets
    )
    paper = escape(json.dumps(spec.paper_values))
    return (
        '<div class="hdp-controls" hidden>\n'
        + "".join(_slider(spec, p) for p in spec.parameters)
        + "".join(_readout(spec, i, r) for i, r in enumerate(spec.readouts))
        + f'<div class="hdp-buttons"><button type="button" class="hdp-reset" data-values="{paper}">'
        + f"{escape(spec.reset_label)}</button>{presets}"
        + '<span class="hdp-downloads">Download: <button type="button" data-download="svg">image</button>'
        + '<button type="button" data-download="csv">data</button>'
        + '<button type="button" data-download="json">specification</button></span></div>\n</div>\n'
    )


def _slider(spec, parameter):
    identifier = f"{spec.name}-{parameter.name}"
    return (
        f'<div class="hdp-slider"><label for="{identifier}">{escape(parameter.label)}</label>'
        f'<input type="range" id="{identifier}" data-parameter="{parameter.name}" min="0" '
        f'max="{len(parameter.positions) - 1}" step="1" value="{parameter.positions.index(parameter.value)}" '
        f'aria-valuetext="{style.number(parameter.value)}" '
        f'data-positions="{escape(json.dumps(parameter.positions))}">'
        f'<output for="{identifier}">{style.number(parameter.value)}</output></div>\n'
    )


def _readout(spec, index, readout):
    identifier = f"{spec.name}-readout-{index}"
    return (
        f'<p class="hdp-readout" aria-live="polite">{escape(readout.label)}: '
        f'<output id="{identifier}" data-readout="readout_{index}"></output></p>\n'
    )
