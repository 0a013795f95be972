"""Numbers of a figure in Python: the statement's expressions at given parameter values."""

from functools import cache, reduce

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from hdp.explore.spec import Curve


class _Printer(NumPyPrinter):
    """Min, Max, And and Or that broadcast; sympy's own printer stacks the arguments, which must then agree in shape."""

    def _fold(self, function, expr):
        return reduce(lambda a, b: f"numpy.{function}({a}, {b})", map(self._print, expr.args))

    def _print_Min(self, expr):
        return self._fold("minimum", expr)

    def _print_Max(self, expr):
        return self._fold("maximum", expr)

    def _print_And(self, expr):
        return self._fold("logical_and", expr)

    def _print_Or(self, expr):
        return self._fold("logical_or", expr)


@cache
def _compiled(expression, symbols):
    return sp.lambdify(symbols, expression, "numpy", printer=_Printer({"fully_qualified_modules": False}))


def expression_values(figure, expression, values, x=0.0):
    """Evaluate one expression of the figure; NaN or inf where it is not defined."""
    symbols = (figure.x_symbol, *(p.symbol for p in figure.parameters))
    arguments = [np.asarray(x, dtype=float), *(values[p.name] for p in figure.parameters)]
    with np.errstate(all="ignore"):
        result = _compiled(sp.sympify(expression), symbols)(*arguments)
    return np.broadcast_to(np.asarray(result, dtype=float), np.shape(x))


def curve_values(figure, values):
    """Sample points and the values of every curve: (x, {index of the layer: y})."""
    x = figure.x.grid(figure.samples)
    curves = {
        i: expression_values(figure, layer.y, values, x)
        for i, layer in enumerate(figure.layers)
        if isinstance(layer, Curve)
    }
    return x, curves
