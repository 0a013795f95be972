"""LaTeX of an expression as it stands: terms and factors in the order, and with the signs, that they have.

sympy sorts and evaluates while it prints; here that is done before, by `hdp.proof._arranged`.
"""

from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

Powers = list[tuple[sp.Expr, sp.Expr]]


def latex(expression: sp.Basic, names: dict[sp.Symbol, str] | None = None) -> str:
    """LaTeX of what is arranged; `names` says how symbols are written."""
    return _Printer({"symbol_names": names or {}, "order": "none"}).doprint(expression)


def width(expression: sp.Basic) -> int:
    """Characters that it is wide, fractions stacked."""
    return max(map(len, sp.pretty(expression, use_unicode=True, wrap_line=False, order="none").splitlines()))


def written(number: sp.Rational, powers: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """A product, as it stands."""
    factors = [_power(base, exponent) for base, exponent in powers if exponent != 0]
    factors = factors if number == 1 and factors else [number, *factors]
    return factors[0] if len(factors) == 1 else sp.Mul(*factors, evaluate=False)


def parts(term: sp.Expr) -> tuple[sp.Rational, Powers]:
    """The number and the powers of which a product consists, as it stands."""
    number, powers = sp.S.One, []
    for factor in sp.Mul.make_args(term):
        if factor.is_Rational:
            number *= factor
        else:
            powers.append((factor.base, factor.exp) if factor.is_Pow else (factor, sp.S.One))
    return number, powers


def below(exponent: sp.Expr) -> bool:
    """Whether such a power stands below the line."""
    return bool(exponent.is_Rational and exponent < 0)


def negative(term: sp.Expr) -> bool:
    """Whether it is written with a minus."""
    number = term.args[0] if isinstance(term, sp.Mul) else term
    return bool(number.is_Rational and number < 0)


def negated(term: sp.Expr) -> sp.Expr:
    """What follows the minus."""
    number, powers = parts(term)
    return written(-number, powers)


class _Printer(LatexPrinter):
    def _print_Add(self, expression: sp.Add, order: Any = None) -> str:
        first, *others = expression.args
        terms = [self._print(first)]
        terms += [f"- {self._product(negated(t))}" if negative(t) else f"+ {self._print(t)}" for t in others]
        return " ".join(terms)

    def _print_Mul(self, expression: sp.Expr) -> str:
        if negative(expression):
            return f"- {self._product(negated(expression))}"
        number, powers = parts(expression)
        over = [sp.Integer(number.p)] * (number.p != 1) + [_power(b, e) for b, e in powers if not below(e)]
        under = [sp.Integer(number.q)] * (number.q != 1) + [_power(b, -e) for b, e in powers if below(e)]
        return rf"\frac{{{self._factors(over)}}}{{{self._factors(under)}}}" if under else self._factors(over)

    def _product(self, expression: sp.Expr) -> str:
        """With the brackets that it needs after a minus."""
        text = self._print(expression)
        return rf"\left({text}\right)" if expression.is_Add else text

    def _factors(self, factors: list[sp.Expr]) -> str:
        if len(factors) < 2:
            return self._print(factors[0]) if factors else "1"
        return super()._print_Mul(sp.Mul(*factors, evaluate=False))

    def _print_Min(self, expression: sp.Basic, exp: str | None = None) -> str:
        """With braces, as the papers print it."""
        args = ", ".join(map(self._print, sorted(expression.args, key=sp.default_sort_key)))
        return rf"\{type(expression).__name__.lower()}{f'^{{{exp}}}' if exp else ''}\left\{{{args}\right\}}"

    _print_Max = _print_Min


def _power(base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
    return base if exponent == 1 else sp.Pow(base, exponent, evaluate=False)
