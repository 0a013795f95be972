"""The static view: a Vega-Lite specification whose curves are expressions that the browser computes itself."""

import math

import sympy as sp
from sympy.printing.jscode import JavascriptCodePrinter

from hdp.explore import style
from hdp.explore.spec import Curve, Points, Rule

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name, never fetched
_SUPPORTED = (
    sp.Add, sp.Mul, sp.Pow, sp.Min, sp.Max, sp.Piecewise, sp.exp, sp.log, sp.Abs, sp.floor, sp.ceiling,
    sp.sin, sp.cos, sp.tan, sp.Symbol, sp.Number, sp.NumberSymbol, sp.core.relational.Relational,
    sp.logic.boolalg.Boolean, sp.Tuple, sp.functions.elementary.piecewise.ExprCondPair,
)  # fmt: skip


class _Printer(JavascriptCodePrinter):
    """JavaScript without the prefix `Math.`, as the Vega expression language wants it."""

    def __init__(self, names):
        super().__init__({"user_functions": {}})
        self._names = names

    def _print_Symbol(self, symbol):
        return self._names[symbol]

    def _print_NaN(self, _):
        return "NaN"

    def _print_Infinity(self, _):
        return "(1/0)"

    def _print_NegativeInfinity(self, _):
        return "(-1/0)"


def expression(expr, names):
    """Print a sympy expression in the Vega expression language.

    Parameters
    ----------
    expr : sympy.Expr
        Elementary functions, powers, `Piecewise`, `Min`, `Max`; a `Sum`, `gamma`, `binomial` or `erf` is refused.
    names : dict of sympy.Symbol to str
        What each symbol is called, such as ``datum.x``.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp.explore.vega import expression
    >>> x = sp.Symbol("x")
    >>> expression(sp.sqrt(x) + 1, {x: "datum.x"})
    'sqrt(datum.x) + 1'
    """
    expr = sp.sympify(expr)
    for node in sp.preorder_traversal(expr):
        if not isinstance(node, _SUPPORTED):
            raise ValueError(f"expr must be elementary to run in a browser, got {type(node).__name__} in {expr}")
        if isinstance(node, sp.Symbol) and node not in names:
            raise ValueError(f"names must contain every symbol of expr, got none for {node}")
    closed = expr.replace(
        lambda node: isinstance(node, sp.Piecewise) and node.args[-1].cond != sp.true,
        lambda node: sp.Piecewise(*node.args, (sp.nan, True)),
    )
    return _Printer(names).doprint(closed).replace("Math.", "").replace("===", "==")


def specification(figure):
    """The Vega-Lite specification of a figure, as a dictionary; its sliders are bound parameters."""
    names = {figure.x_symbol: "datum.x"} | {p.symbol: p.name for p in figure.parameters}
    return {
        "$schema": SCHEMA,
        "title": {"text": figure.title, "anchor": "start"},
        "description": " ".join(figure.alt.split()),  # vega-embed makes it the label of the chart
        "width": "container",
        "height": figure.height,
        "autosize": {"type": "fit", "contains": "padding", "resize": True},
        "background": None,
        "params": [_bound(p) for p in figure.parameters]
        + [{"name": f"readout_{i}", "expr": expression(r.value, names)} for i, r in enumerate(figure.readouts)],
        "data": {"name": "samples", "sequence": {"start": 0, "stop": figure.samples + 1, "as": "i"}},
        "transform": [{"calculate": _sample(figure), "as": "x"}, *_calculated(figure, names)],
        "layer": [mark for i, layer in enumerate(figure.layers) for mark in _marks(figure, i, layer, names)],
        "config": _config(),
    }


def _bound(parameter):
    low, high = parameter.positions[0], parameter.positions[-1]
    step = min(b - a for a, b in zip(parameter.positions, parameter.positions[1:], strict=False))
    bind = {"input": "range", "min": low, "max": high, "step": step, "name": parameter.label}
    return {"name": parameter.name, "value": parameter.value, "bind": bind}


def _sample(figure):
    low, high = figure.x.domain
    if figure.x.scale == "log":
        start, span = math.log10(low), math.log10(high) - math.log10(low)
        return f"pow(10, {start!r} + {span!r} * datum.i / {figure.samples})"
    return f"{low!r} + {high - low!r} * datum.i / {figure.samples}"


def _calculated(figure, names):
    """One field y0, y1, ... for each curve; null where it has no finite value, so that the line breaks there."""
    for i, layer in enumerate(figure.layers):
        if isinstance(layer, Curve):
            yield {"calculate": expression(layer.y, names), "as": f"y{i}"}
            yield {"calculate": f"isFinite(datum.y{i}) ? datum.y{i} : null", "as": f"y{i}"}


def _marks(figure, index, layer, names):
    if isinstance(layer, Curve):
        return [_curve(figure, index, layer)]
    if isinstance(layer, Points):
        return _points(figure, layer)
    return _rule(figure, layer, names) if isinstance(layer, Rule) else [_marker(figure, layer, names)]


def _curve(figure, index, layer):
    mark = {"type": "line", "clip": True, "strokeWidth": layer.width, "interpolate": "linear"}
    return {"mark": mark, "encoding": {"x": _x(figure), "y": _y(figure, f"y{index}")} | _legend(figure, layer)}


def _points(figure, layer):
    rows = [dict(x=x, y=y, low=y - e, high=y + e) for x, y, e in zip(layer.x, layer.y, layer.error, strict=True)]
    data = {"values": rows}
    low_high = {"x": _x(figure), "y": _y(figure, "low"), "y2": {"field": "high"}} | _legend(figure, layer)
    return [
        {"data": data, "mark": {"type": "rule", "clip": True}, "encoding": low_high},
        {"data": data, "mark": {"type": "point", "filled": True, "clip": True, "size": 36},
         "encoding": {"x": _x(figure), "y": _y(figure, "y")} | _legend(figure, layer)},
    ]  # fmt: skip


def _rule(figure, layer, names):
    axis = "x" if layer.x is not None else "y"
    encode = {"x": _x(figure)} if axis == "x" else {"y": _y(figure, "y")}
    data = {"values": [{}]}
    transform = [{"calculate": expression(getattr(layer, axis), names), "as": axis}]
    domain = getattr(figure, axis).domain
    if domain:  # neither line nor label outside the frame
        transform.append({"filter": f"{domain[0]!r} <= datum.{axis} && datum.{axis} <= {domain[1]!r}"})
    edge = {"y": {"value": 8}} if axis == "x" else {"x": {"value": "width"}}
    text = {"type": "text", "text": layer.label, "clip": True, "color": "currentColor", "fontSize": 12,
            "align": "left" if axis == "x" else "right", "dx": 5 if axis == "x" else -5,
            "dy": 0 if axis == "x" else 10 if layer.below else -8}  # fmt: skip
    line = {"type": "rule", "color": style.NEUTRAL, "strokeDash": [5, 4], "strokeWidth": 1.5, "clip": True}
    return [
        {"data": data, "transform": transform, "mark": line, "encoding": encode},
        {"data": data, "transform": transform, "mark": text, "encoding": encode | edge},
    ]


def _marker(figure, layer, names):
    position = [{"calculate": expression(getattr(layer, a), names), "as": a} for a in "xy"]
    mark = {"type": "point", "size": 110, "strokeWidth": 2.5, "color": "currentColor", "clip": True}
    return {
        "data": {"values": [{}]},
        "transform": position,
        "mark": mark,
        "encoding": {"x": _x(figure), "y": _y(figure, "y")},
    }


def _x(figure):
    return _position(figure.x, "x")


def _y(figure, field):
    return _position(figure.y, field)


def _position(axis, field):
    scale, ticks = {"type": axis.scale}, {}
    if axis.scale == "linear":
        scale["zero"] = False
    if axis.domain:
        scale |= {"domain": list(axis.domain), "nice": False}
        if axis.scale == "log":
            ticks = {"axis": {"values": axis.decades(), "format": "~g"}}
    return {"field": field, "type": "quantitative", "title": axis.label, "scale": scale} | ticks


def _legend(figure, layer):
    """Colour and dash by label, on scales shared by all layers, so that one legend explains both."""
    entries = figure.labels()
    colours = {"domain": list(entries), "range": [style.PALETTE[c] for c, _ in entries.values()]}
    dashes = {"domain": list(entries), "range": [list(d) or [1, 0] for _, d in entries.values()]}
    return {
        "color": {"datum": layer.label, "type": "nominal", "scale": colours, "title": None},
        "strokeDash": {"datum": layer.label, "type": "nominal", "scale": dashes, "title": None},
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
    return {"font": "sans-serif", "view": {"stroke": None}, "axis": axis, "legend": legend, "aria": False,
            "title": {"color": "currentColor", "fontSize": 14, "fontWeight": 600},
            "mark": {"invalid": "break-paths-show-path-domains", "aria": False}}  # fmt: skip
