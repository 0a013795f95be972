"""Printing of sympy expressions in the Vega expression language, which the browser evaluates."""

import sympy as sp
from sympy.printing.jscode import JavascriptCodePrinter

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

    def _print_Pow(self, power):
        if power.exp == sp.Rational(1, 3):  # Vega has no cbrt
            return f"Math.pow({self._print(power.base)}, 1/3)"
        return super()._print_Pow(power)

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
    >>> from hdp.explore.printing import expression
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
