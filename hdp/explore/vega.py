"""The static view: a Vega-Lite specification whose curves are expressions that the browser computes itself."""

import math
import textwrap

from hdp.explore import frame, layers, style
from hdp.explore.printing import expression

# Numbers beside ticks are written as beside sliders: by the rule of `hdp._number`, for round ones.
NUMBER = ",~r"
_TEN = "floor(log(abs(datum.value)) / LN10 + 1e-9)"
_LEAD = f"replace(format(datum.value / pow(10, {_TEN}), '.3~f') + '·', /^(−?)1·/, '$1')"
_POWER = (
    f"({_TEN} < 0 ? '⁻' : '') + (abs({_TEN}) < 10 ? '' : '⁰¹²³'[floor(abs({_TEN}) / 10)])"
    f" + '⁰¹²³⁴⁵⁶⁷⁸⁹'[abs({_TEN}) % 10]"
)
LABEL = (
    "datum.label == '' ? '' : datum.value != 0 && abs(datum.value) < 1e-4 || abs(datum.value) >= 1e9"
    f" ? {_LEAD} + '10' + {_POWER} : format(datum.value, '{NUMBER}')"
)
# d3 draws every line between two decades unless it is asked for fewer ticks than there are decades.
DECADES = "y_high < 100 * y_low ? 6 : min(6, 0.999 * log(y_high / y_low) / LN10)"
BAR = 0.72  # of the distance from bar to bar is its width
ACROSS = 42  # letters of a title that a phone's drawing has room for
LETTER = 7  # pixels, on the safe side
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name, never fetched


def specification(figure):
    """The Vega-Lite specification of a figure, as a dictionary; its sliders are bound parameters."""
    names = {p.symbol: p.name for p in figure.parameters} | {symbol: symbol.name for symbol, _ in figure.derived}
    names[figure.x_symbol] = "datum.x"
    return {
        "$schema": SCHEMA,
        "title": {"text": figure.title, "anchor": "start"},
        "description": " ".join(figure.alt.split()),  # vega-embed makes it the label of the chart
        "width": "container",
        "height": figure.height,
        "autosize": {"type": "fit", "contains": "padding", "resize": True},
        "background": None,
        "params": [_bound(p) for p in figure.parameters]
        + [{"name": symbol.name, "expr": expression(value, names)} for symbol, value in figure.derived]
        + [{"name": f"readout_{i}", "expr": expression(r.value, names)} for i, r in enumerate(figure.readouts)]
        + _frame(figure)
        + [{"name": "drawn", "value": layers.SHOWN}] * any(isinstance(layer, layers.Draws) for layer in figure.layers),
        "data": {"name": "samples", "sequence": {"start": 0, "stop": figure.samples + 1, "as": "i"}},
        "transform": [
            {"calculate": _along(figure.x, f"datum.i / {figure.samples}"), "as": "x"},
            *_calculated(figure, names),
        ],
        "layer": _layers(figure, names),
        "config": _config(),
    }


def _layers(figure, names):
    """All marks, the labels of lines after what would cross them, but for points, which a page may add."""
    number = {id(layer): i for i, layer in enumerate(figure.layers)}
    marks = [(layer, mark) for layer in figure.stacked for mark in _marks(figure, number[id(layer)], layer, names)]

    def late(entry):
        layer, mark = entry
        return (
            2 if isinstance(layer, layers.Points) else isinstance(layer, layers.Rule) and mark["mark"]["type"] == "text"
        )

    return _frames(figure) + [mark for _, mark in sorted(marks, key=late)]


def _frames(figure):
    """The lines of two pictures in one: the upper one has an edge at its left, the lower one lines at its ticks."""
    if not figure.split:
        return []
    (left, right), (low, high), (above, below) = figure.x.domain, figure.y.domain, figure.split
    edge, line = {"color": style.NEUTRAL}, {"color": style.NEUTRAL, "opacity": 0.25}
    edges = [(left, above, left, high), (left, above, right, above), (left, low, right, low)]
    lines = [(x, low, x, below) for x in figure.x.ticks] + [(left, y, right, y) for y in figure.y.ticks]
    ends = {"x": _x(figure), "y": _y(figure, "y"), "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return [
        {"data": {"values": [dict(zip(("x", "y", "x2", "y2"), row, strict=True)) for row in rows]},
         "mark": {"type": "rule", "strokeWidth": 1} | look, "encoding": ends}
        for rows, look in ((lines, line), (edges, edge))
    ]  # fmt: skip


def _frame(figure):
    """The ends of a vertical axis without a range of its own: the page changes them as `frame.domain` does."""
    ends = () if figure.y.domain else frame.home(figure)
    return [{"name": name, "value": end} for name, end in zip(("y_low", "y_high"), ends, strict=False)]


def _bound(parameter):
    low, high = parameter.positions[0], parameter.positions[-1]
    step = min(b - a for a, b in zip(parameter.positions, parameter.positions[1:], strict=False))
    bind = {"input": "range", "min": low, "max": high, "step": step, "name": parameter.label}
    return {"name": parameter.name, "value": parameter.value, "bind": bind}


def _along(axis, fraction):
    """Place on an axis at this fraction of its range."""
    low, high = axis.domain
    if axis.scale == "log":
        start, span = math.log10(low), math.log10(high) - math.log10(low)
        return f"pow(10, {start!r} + {span!r} * {fraction})"
    return f"{low!r} + {high - low!r} * {fraction}"


def _calculated(figure, names):
    """One field y0, y1, ... for each curve; null where it has no finite value, so that the line breaks there."""
    for i, layer in enumerate(figure.layers):
        if isinstance(layer, layers.Curve):
            yield {"calculate": expression(layer.y, names), "as": f"y{i}"}
            yield {"calculate": f"isFinite(datum.y{i}) ? datum.y{i} : null", "as": f"y{i}"}
            if layer.base is not None:
                yield {"calculate": expression(layer.base, names), "as": f"base{i}"}
            if layer.part is not None:  # of two samples that differ in it the first has a number and no line
                ahead = {figure.x_symbol: f"({_along(figure.x, f'(datum.i + 1) / {figure.samples}')})"}
                here, then = expression(layer.part, names), expression(layer.part, names | ahead)
                yield {"calculate": f"({here}) != ({then}) ? null : datum.y{i}", "as": f"line{i}"}


def _marks(figure, index, layer, names):
    if isinstance(layer, layers.Curve):
        casing = [_casing(figure, index, layer)] if figure.heatmap else []
        filled = [_area(figure, index, layer)] if layer.base is not None else []
        return [*casing, *filled, _curve(figure, index, layer)]
    drawn = _DRAWN[type(layer)](figure, layer, names)
    return drawn if isinstance(drawn, list) else [drawn]


def _curve(figure, index, layer):
    mark = {"type": "line", "clip": True, "strokeWidth": layer.width, "interpolate": _interpolate(layer)}
    field = f"line{index}" if layer.part is not None else f"y{index}"
    return {"mark": mark, "encoding": {"x": _x(figure), "y": _y(figure, field)} | _legend(figure, layer)}


def _interpolate(layer):
    return "step" if layer.steps else "linear"


def _casing(figure, index, layer):
    """A white band under a line on a heatmap: the line is told from the band, whatever the cells behind it."""
    mark = {"type": "line", "clip": True, "strokeWidth": layer.width + style.CASING, "color": "white"}
    return {"name": f"casing_{index}", "mark": mark, "encoding": {"x": _x(figure), "y": _y(figure, f"y{index}")}}


def _area(figure, index, layer):
    """What is filled between a line and its base; it has the line's colour."""
    colour = style.PALETTE[figure.labels()[layer.label][0]]
    mark = {"type": "area", "clip": True, "opacity": 0.3, "color": colour, "interpolate": _interpolate(layer)}
    ends = {"y": _y(figure, f"y{index}"), "y2": {"field": f"base{index}"}}
    return {"name": f"area_{index}", "mark": mark, "encoding": {"x": _x(figure)} | ends}


def _cells(figure, layer, names):
    """One rectangle a cell; the product of two sequences is one sequence, its quotient and its remainder."""
    columns, rows = layer.cells
    counts = {"x": (figure.x, "datum.cell % {0}", columns), "y": (figure.y, "floor(datum.cell / {0})", rows)}
    transform = [
        {"calculate": _along(axis, f"({which.format(columns)} + {shift}) / {count}"), "as": name + end}
        for name, (axis, which, count) in counts.items()
        for end, shift in (("_low", 0), ("", 0.5), ("_high", 1))
    ]
    value = expression(layer.z, names | {figure.y_symbol: "datum.y"})
    transform += [{"calculate": value, "as": "z"}, {"calculate": "isFinite(datum.z) ? datum.z : null", "as": "z"}]
    return {
        "data": {"name": "cells", "sequence": {"start": 0, "stop": columns * rows, "as": "cell"}},
        "transform": transform,
        "mark": {"type": "rect", "tooltip": {"content": "data"}},
        "encoding": {
            "x": _position(figure.x, "x_low"), "x2": {"field": "x_high"},
            "y": _y(figure, "y_low"), "y2": {"field": "y_high"},
            "fill": _fill(layer.colour),
        },
    }  # fmt: skip


def _fill(colour):
    """Channel `fill`, because `color` belongs to the legend of the curves."""
    scale = {"type": colour.scale, "domain": list(colour.domain), "scheme": style.SEQUENTIAL, "clamp": True}
    legend = {"orient": "top", "direction": "horizontal", "gradientLength": {"expr": "width < 420 ? 220 : 320"},
              "titleLimit": 0, "format": NUMBER}  # fmt: skip
    return {"field": "z", "type": "quantitative", "title": colour.label, "scale": scale, "legend": legend}


def _points(figure, layer, names):
    rows = [dict(x=x, y=y, low=y - e, high=y + e) for x, y, e in zip(layer.x, layer.y, layer.error, strict=True)]
    visible = " && ".join(f"{name} == {value!r}" for name, value in layer.at.items()) or "true"
    source = {"data": {"values": rows}, "transform": [{"filter": visible}]}
    # Not the dash, for a bar is solid; and pixels, for hidden rows have no range that the axis could be fitted to.
    shared = {"x": _x(figure), "color": _legend(figure, layer)["color"]}
    pixel = {field: {"value": {"expr": f"scale('y', datum.{field})"}} for field in ("y", "low", "high")}
    return [
        source | {"mark": {"type": "rule", "clip": True, "strokeWidth": 1.5},
                  "encoding": shared | {"y": pixel["low"], "y2": pixel["high"]}},
        source | {"mark": {"type": "point", "filled": True, "clip": True, "size": 36, "opacity": 1},
                  "encoding": shared | {"y": pixel["y"]}},
    ]  # fmt: skip


def _draws(figure, layer, names):
    """Dots that come one after the other: the signal `drawn` says how many there are."""
    uniform = (
        f"(pow(datum.i + {layers.START}, 3) * {{}} + (datum.i + {layers.START}) * {layers.LINE})"
        f" % {layers.MODULUS} / {layers.MODULUS}"
    )
    named = {layers.U: "datum.u", layers.V: "datum.v"} | names
    mark = {"type": "point", "filled": True, "clip": True}
    return {
        "data": {"sequence": {"start": 1, "stop": layer.count + 1, "as": "i"}},
        "transform": [
            {"filter": "datum.i <= drawn"},
            {"calculate": uniform.format(layers.CUBE), "as": "u"},
            {"calculate": uniform.format(layers.CUBE + layers.LINE), "as": "v"},
            {"calculate": expression(layer.x, named), "as": "x"},
            {"calculate": expression(layer.y, named), "as": "y"},
        ],
        "mark": mark | {"size": {"expr": "width < 420 ? 12 : 22"}, "opacity": 0.9},
        "encoding": {"x": _x(figure), "y": _y(figure, "y"), "color": _legend(figure, layer)["color"]},
    }


def _rule(figure, layer, names):
    axis = "x" if layer.x is not None else "y"
    place = _x(figure) if axis == "x" else _y(figure, "y")
    transform = [{"calculate": expression(getattr(layer, axis), names), "as": axis}]
    domain = getattr(figure, axis).domain
    if domain:  # neither line nor label outside the frame
        transform.append({"filter": f"{domain[0]!r} <= datum.{axis} && datum.{axis} <= {domain[1]!r}"})
    line = {"type": "rule", "color": style.NEUTRAL, "strokeDash": [5, 4], "strokeWidth": 1.5, "clip": True}
    edge, beside = _across(figure, layer) if axis == "x" else _along_line(figure, layer, names)
    text = {"type": "text", "text": layer.label, "clip": True, "color": "currentColor", "fontSize": 12} | beside
    data = {"data": {"values": [{}]}, "transform": transform}
    return [data | {"mark": line, "encoding": {axis: place}}, data | {"mark": text, "encoding": {axis: place} | edge}]


def _rules(figure, axis):
    return [rule for rule in figure.layers if isinstance(rule, layers.Rule) and getattr(rule, axis) is not None]


def _across(figure, rule):
    """Where the label of a vertical line stands: in a row of its own, because the lines may come together.

    Right of it, unless there is room on the left only, or nowhere and less of it.
    """
    wide, x = 8 * len(rule.label) + 5, "scale('x', datum.x)"  # pixels a letter are a guess on the safe side
    left = f"{x} + {wide} > width && ({x} > {wide} || 2 * {x} > width)"
    side = {"align": {"expr": f"{left} ? 'right' : 'left'"}, "dx": {"expr": f"{left} ? -5 : 5"}, "dy": 0}
    return {"y": {"value": 8 + 16 * _rules(figure, "x").index(rule)}}, side


def _along_line(figure, rule, names):
    """Where the label of a horizontal line stands: above it or below, where the frame leaves room; and not on another.

    Where lines come together, their labels stand one beside the other.
    """
    place, lift = "scale('y', datum.y)", _lift(rule, "scale('y', datum.y)")
    before = []
    for other in _rules(figure, "y"):
        if other is rule:
            break
        if other.left == rule.left:
            there = f"scale('y', {expression(other.y, names)})"
            near = f"abs({place} + ({lift}) - {there} - ({_lift(other, there)})) < 14"
            before.append(f"({near} ? {LETTER * len(other.label) + 8} : 0)")
    shift = " + ".join(["5", *before])
    side = {"align": "left", "dx": {"expr": shift}} if rule.left else {"align": "right", "dx": {"expr": f"-({shift})"}}
    return {"x": {"value": 0 if rule.left else "width"}}, side | {"dy": {"expr": lift}}


def _lift(rule, place):
    """Pixels from a horizontal line at this `place` down to the middle of its label."""
    return f"{place} > height - 20 ? -8 : 10" if rule.below else f"{place} < 16 ? 10 : -8"


def _placed(layer, names, keys):
    """One row with these numbers of a layer, or none where one is missing."""
    computed = [{"calculate": expression(getattr(layer, key), names), "as": key} for key in keys]
    there = " && ".join(f"isFinite(datum.{key})" for key in keys)
    return {"data": {"values": [{}]}, "transform": [*computed, {"filter": there}]}


def _box(figure, layer, names):
    colour = style.PALETTE[layer.colour]
    look = {"color": colour, "opacity": layer.opacity}
    if layer.hollow:
        look = {"color": "transparent", "stroke": colour, "strokeWidth": 2}
    corners = {"x": _x(figure), "y": _y(figure, "y"), "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    mark = {"type": "rect", "clip": True, "cornerRadius": 3} | look
    row = _placed(layer, names, ("x", "y", "x2", "y2"))
    if layer.drag is not None:  # the page asks where it is
        row["data"] = {"values": [{"pulls": layer.drag.name}]}
    return row | {"mark": mark, "encoding": corners}


def _text(figure, layer, names):
    row = _placed(layer, names, ("x", "y", "value", "room") if layer.room is not None else ("x", "y", "value"))
    row["transform"] += [{"calculate": _said(figure, layer), "as": "said"}]
    mark = {"type": "text", "clip": False, "color": "currentColor", "align": layer.align, "baseline": "middle",
            "fontSize": {"expr": "width < 420 ? 11 : 13"}, "fontWeight": 600 if layer.bold else 400}  # fmt: skip
    text = {"text": {"field": "said"}}
    return row | {"mark": mark, "encoding": {"x": _x(figure), "y": _y(figure, "y")} | text}


def _said(figure, text):
    """The words that have room, as an expression."""
    if text.room is None:
        return _words(text.label)
    low, high = figure.x.domain
    letters = f"datum.room / {high - low!r} * width / (width < 420 ? {LETTER - 1} : {LETTER})"
    return " : ".join([f"{needed} <= {letters} ? {_words(words)}" for words, needed in text.lengths()] + ["''"])


def _words(label):
    """What a text says with its number, as an expression."""
    before, _, after = label.partition("{}")
    number = " + format(datum.value, '.3~r')" if "{}" in label else ""
    return f"{before!r}{number} + {after!r}"


def _marker(figure, layer, names):
    own = "currentColor" if layer.colour is None else style.PALETTE[layer.colour]
    colours = {"stroke": "black", "fill": "white", "opacity": 1} if figure.heatmap else {"color": own}
    mark = {"type": "point", "size": 110, "strokeWidth": 2.5, "clip": True} | colours
    encoding = {"x": _x(figure), "y": _y(figure, "y")}
    return [{"data": {"values": [{}]}, "transform": _place(layer, names), "mark": mark, "encoding": encoding}]


def _place(layer, names):
    return [{"calculate": expression(getattr(layer, axis), names), "as": axis} for axis in "xy"]


def _bar(figure, layer, names):
    """A bar, and its length in figures at its end."""
    ends = {"from": "0", "low": f"datum.y - {BAR / 2}", "high": f"datum.y + {BAR / 2}"}
    data = {
        "data": {"values": [{"bar": layer.name}]},
        "transform": _place(layer, names) + [{"calculate": value, "as": name} for name, value in ends.items()],
    }
    mark = {"type": "rect", "clip": True, "filled": not layer.hollow, "strokeWidth": 2}
    places = {"x": _x(figure, "from"), "x2": {"field": "x"}, "y": _y(figure, "low"), "y2": {"field": "high"}}
    colour = {"color": _legend(figure, layer)["color"]}
    text = {"type": "text", "align": "left", "dx": 5, "color": "currentColor", "fontSize": 12}
    value = {"x": _x(figure), "y": _y(figure, "y"), "text": {"field": "x", "type": "quantitative", "format": ".2~r"}}
    return [data | {"mark": mark, "encoding": places | colour}, data | {"mark": text, "encoding": value}]


def _note(figure, layer, names):
    """Lines of text in the middle."""
    middle = {"x": {"value": {"expr": "width / 2"}}, "y": {"value": {"expr": "height / 2"}}}
    return [{
        "data": {"values": [{"note": layer.label}]},
        "transform": [{"filter": expression(layer.when, names)}],
        "mark": {"type": "text", "text": _lines(layer.label, 34), "fontSize": 14, "lineHeight": 20,
                 "color": "currentColor", "baseline": "middle"},
        "encoding": middle,
    }]  # fmt: skip


def _circles(figure, layer, names):
    """Of one radius on both axes, because these have one unit."""
    low, high = figure.x.domain
    size = {"expr": f"pow({2 * layer.radius / (high - low)!r} * width, 2)"}
    mark = {"type": "point", "filled": False, "clip": True, "strokeWidth": 1.6, "size": size, "opacity": 1}
    rows = [dict(x=x, y=y) for x, y in zip(layer.x, layer.y, strict=True)]
    return {
        "data": {"values": rows},
        "mark": mark | {"color": style.NEUTRAL},
        "encoding": {"x": _x(figure), "y": _y(figure, "y")},
    }


_DRAWN = {
    layers.Bar: _bar, layers.Box: _box, layers.Circles: _circles, layers.Draws: _draws, layers.Heatmap: _cells,
    layers.Marker: _marker, layers.Note: _note, layers.Points: _points, layers.Rule: _rule, layers.Text: _text,
}  # fmt: skip


def _x(figure, field="x"):
    position = _position(figure.x, field)
    if figure.split:
        position["axis"] |= {"grid": False, "domain": False}
    return position


def _y(figure, field):
    position = _position(figure.y, field, (figure.height - 70) // LETTER)
    if figure.split:
        middle = f"scale('y', {(figure.split[0] + figure.y.domain[1]) / 2!r})"
        position["axis"] |= {"grid": False, "domain": False, "titleY": {"expr": middle}}
    return position | {"axis": _names(figure.bars)} if figure.bars else position


def _names(bars):
    """An axis with the names of bars at their places; in two lines where there is no room for one."""
    places = ", ".join(bar.y.name for bar in bars)
    name = f"{[bar.label for bar in bars]!r}[indexof([{places}], datum.value)]"
    # What is centred is the first line
    higher = f"width < 420 && indexof({name}, '|') >= 0 ? -6.5 : 0"
    return {
        "values": list(range(len(bars))),
        "tickCount": len(bars),
        "labelExpr": f"width < 420 ? split({name}, '|') : replace({name}, '|', ' ')",
        "labelLimit": 0, "labelOverlap": False, "grid": False, "ticks": False,
        "encoding": {"labels": {"dy": {"value": {"expr": higher}}}},
    }  # fmt: skip


def _position(axis, field, letters=ACROSS):
    scale, ticks = {"type": axis.scale, "nice": False}, {"labelExpr": LABEL}
    if axis.scale == "linear":
        scale["zero"] = False
    scale["domain"] = list(axis.domain) if axis.domain else [{"expr": "y_low"}, {"expr": "y_high"}]
    if axis.domain and min(map(abs, axis.domain)) >= 1e-4 and not axis.ticks:
        ticks = {"format": NUMBER}
    if axis.scale == "log":
        ticks |= {"values": axis.decades()} if axis.domain else {"tickCount": {"expr": DECADES}}
    if axis.ticks:
        ticks |= {"values": list(axis.ticks)}
    return {"field": field, "type": "quantitative", "title": _lines(axis.label, letters), "scale": scale, "axis": ticks}


def _lines(title, letters):
    """The title of an axis, in even lines of so many letters at most, which a phone's drawing has room for.

    What overhangs takes room from the drawing, and how far it does depends on that room, so that every redrawing would
    end at another size.
    """
    lines = textwrap.wrap(title, letters)
    if len(lines) < 2:
        return title
    narrower = (textwrap.wrap(title, width) for width in range(letters // 2, letters))
    return next((even for even in narrower if len(even) == len(lines)), lines)


def _legend(figure, layer):
    """Colour and dash by label, on scales shared by all layers, so that one legend explains both."""
    entries, label = figure.labels(), layer.kind if isinstance(layer, layers.Bar) else layer.label
    colours = {"domain": list(entries), "range": [style.PALETTE[c] for c, _ in entries.values()]}
    dashes = {"domain": list(entries), "range": [list(d) or [1, 0] for _, d in entries.values()]}
    return {
        "color": {"datum": label, "type": "nominal", "scale": colours, "title": None},
        "strokeDash": {"datum": label, "type": "nominal", "scale": dashes, "title": None},
    }


def _config():
    text = {"labelColor": "currentColor", "titleColor": "currentColor"}
    axis = text | {"domainColor": style.NEUTRAL, "tickColor": style.NEUTRAL, "gridColor": style.NEUTRAL,
                   "gridOpacity": 0.25, "labelFontSize": 12, "labelSeparation": 6, "tickCount": 6,
                   "titleFontSize": 13, "titleFontWeight": "normal"}  # fmt: skip
    legend = text | {"orient": "bottom", "direction": "vertical", "labelFontSize": 12,
                     "columns": {"expr": "width < 420 ? 1 : 2"},
                     "labelLimit": 0, "offset": 4, "symbolType": "stroke", "symbolSize": 500,
                     "symbolStrokeWidth": 2.5}  # fmt: skip
    flush = {"labelFlush": 8}  # pixels from the end within which a label stays inside, for the reason of `_lines`
    return {"font": "sans-serif", "view": {"stroke": None}, "aria": False,
            "axis": axis, "axisY": flush, "legend": legend,
            "title": {"color": "currentColor", "fontSize": 14, "fontWeight": 600},
            "mark": {"invalid": "break-paths-show-path-domains", "aria": False}}  # fmt: skip
