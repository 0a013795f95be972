"""Numbers of a figure in Python: the statement's expressions at given parameter values."""

from functools import cache, lru_cache, partialmethod, reduce

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from hdp.explore.layers import Curve, U, V, uniforms


class _Printer(NumPyPrinter):
    """Min, Max, And and Or that broadcast; sympy's own printer stacks the arguments, which must then agree in shape."""

    def _fold(self, function, expr):
        return reduce(lambda a, b: f"numpy.{function}({a}, {b})", map(self._print, expr.args))

    _print_Min = partialmethod(_fold, "minimum")
    _print_Max = partialmethod(_fold, "maximum")
    _print_And = partialmethod(_fold, "logical_and")
    _print_Or = partialmethod(_fold, "logical_or")

    def _print_Piecewise(self, expr):  # sympy's own simplifies the conditions, which is slow and fails for nested Min
        values = ", ".join(self._print(value) for value, _ in expr.args)
        # A condition that is itself a Piecewise is a float, because it may be NaN: nothing holds there.
        conditions = ", ".join(f"numpy.equal({self._print(condition)}, True)" for _, condition in expr.args)
        return f"numpy.select([{conditions}], [{values}], default=numpy.nan)"


@cache
def _compiled(expression, symbols):
    return sp.lambdify(symbols, expression, "numpy", printer=_Printer({"fully_qualified_modules": False}))


@lru_cache(maxsize=64)
def _numbers(derived, parameters):
    """The parameters by symbol, and what is derived from them, in its order."""
    numbers = {symbol: np.float64(value) for symbol, value in parameters}
    with np.errstate(all="ignore"):
        for symbol, expression in derived:
            numbers[symbol] = np.float64(_compiled(expression, tuple(numbers))(*numbers.values()))
    return numbers


def expression_values(figure, expression, values, x=0.0, y=0.0, draws=None):
    """Evaluate one expression of the figure; NaN or inf where it is not defined."""
    axes = {figure.x_symbol: x} | ({figure.y_symbol: y} if figure.y_symbol else {})
    if draws is not None:
        axes |= dict(zip((U, V), uniforms(draws), strict=True))
        x = draws
    numbers = _numbers(figure.derived, tuple((p.symbol, values[p.name]) for p in figure.parameters))
    with np.errstate(all="ignore"):
        arguments = [*(np.asarray(v, dtype=float) for v in axes.values()), *numbers.values()]
        result = _compiled(sp.sympify(expression), (*axes, *numbers))(*arguments)
    return np.broadcast_to(np.asarray(result, dtype=float), np.broadcast_shapes(np.shape(x), np.shape(y)))


def curve_values(figure, values):
    """Sample points and the values of every curve: (x, {index of the layer: y})."""
    x = figure.x.grid(figure.samples)
    curves = [(i, layer) for i, layer in enumerate(figure.layers) if isinstance(layer, Curve)]
    return x, {i: expression_values(figure, curve.y, values, x) for i, curve in curves}


def breaks(figure, curve, values):
    """Whether the curve jumps between each sample and the next, and so has no line there."""
    if curve.part is None:
        return np.zeros(figure.samples + 1, dtype=bool)
    # One beyond the end too, as in the page, where every sample asks for the next one.
    after = figure.x.grid(figure.samples, ahead=1)
    part, then = (expression_values(figure, curve.part, values, x) for x in (figure.x.grid(figure.samples), after))
    return part != then


def numbers(figure, layer, values):
    """What a layer that depends on the parameters alone is drawn from: its places, then its number or condition."""
    keys = ("x", "y", "x2", "y2", "value", "when")
    found = (expression_values(figure, getattr(layer, k), values) for k in keys if getattr(layer, k, None) is not None)
    return tuple(map(float, found))


def draw_values(figure, layer, values, count):
    """Places (x, y) of the first draws of a layer."""
    index = np.arange(1, count + 1)
    return tuple(expression_values(figure, e, values, draws=index) for e in (layer.x, layer.y))


def cell_values(figure, values):
    """Cells of the heatmap: (middles x of the columns, middles y of the rows, z of shape (rows, columns))."""
    columns, rows = figure.heatmap.cells
    x, y = figure.x.centres(columns), figure.y.centres(rows)
    return x, y, expression_values(figure, figure.heatmap.z, values, *np.meshgrid(x, y))
