"""The value of a formula as it is printed: what a reader who computes it would get, without sympy's help."""

import re

import sympy as sp

TOKEN = re.compile(
    r"\\left\s*(?P<open>[(|]|\\\{)|\\right\s*(?P<close>[)|]|\\\})|(?P<number>[0-9]+)"
    r"|(?P<name>(?:\\[A-Za-z]+|[A-Za-z])(?:_(?:\{[^{}]*\}|[A-Za-z0-9]))?'?(?:\^\{[*+]\})?)|(?P<sign>[-+^{},!\[\]])"
)
FUNCTIONS = {
    rf"\{name}": getattr(sp, name) for name in "log sinh cosh tanh coth exp".split()
} | {r"\Gamma": sp.gamma, r"\min": sp.Min, r"\max": sp.Max}  # fmt: skip


class Unknown(Exception):
    """It is not one of the formulas that are read here."""


def value(text, point):
    """The number that it is where `point(name)` is the value of a letter."""
    text = text.replace(r"\cdot", " ").replace(r"\,", " ").strip()
    tokens, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise Unknown(text[at:])
        tokens.append((found.lastgroup, found[found.lastgroup]))
        at = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())
    reader = _Reader(tokens, point)
    result = reader.total()
    if reader.tokens:
        raise Unknown(text)
    return result


class _Reader:
    def __init__(self, tokens, point):
        self.tokens, self.point = tokens, point

    def next(self, *wanted):
        if not self.tokens or (wanted and self.tokens[0] != wanted):
            raise Unknown(self.tokens[:3])
        return self.tokens.pop(0)

    def sees(self, *token):
        return bool(self.tokens) and self.tokens[0] == token

    def total(self):
        sign = -1 if self.sees("sign", "-") else 1
        if sign < 0:
            self.next()
        result = sign * self.product()
        while self.sees("sign", "+") or self.sees("sign", "-"):
            sign = 1 if self.next()[1] == "+" else -1
            result += sign * self.product()
        return result

    def product(self):
        result = self.factor()
        while self.tokens and (self.tokens[0][0] in ("open", "number", "name") or self.sees("sign", "{")):
            result *= self.factor()
        return result

    def group(self):
        self.next("sign", "{")
        result = self.total()
        self.next("sign", "}")
        return result

    def bracket(self):
        """The numbers in a bracket, with commas between them."""
        kind, closes = self.next(), {"(": ")", "|": "|", r"\{": r"\}"}
        if kind[0] != "open":
            raise Unknown(kind)
        result = [self.total()]
        while self.sees("sign", ","):
            self.next()
            result.append(self.total())
        self.next("close", closes[kind[1]])
        return [abs(result[0])] if kind[1] == "|" else result

    def factor(self):
        kind, text = self.tokens[0] if self.tokens else ("", "")
        if kind == "open":
            (result,) = self.bracket()
        elif self.sees("sign", "{"):
            result = self.group()
        elif kind == "number":
            result = sp.Integer(self.next()[1])
        elif text in FUNCTIONS:
            return self.function(FUNCTIONS[self.next()[1]])
        elif text == r"\frac":
            self.next()
            above, under = self.group(), self.group()
            result = above / under
        elif text == r"\sqrt":
            self.next()
            degree = self.degree()
            result = self.group() ** sp.Rational(1, degree)
        elif kind == "name" and not re.fullmatch(
            r"\\(hat|bar|tilde|binom|begin|operatorname|text|mathrm|infty|lim)", text
        ):
            self.next()
            result = {"e": sp.E, r"\pi": sp.pi}.get(text) or self.point(text)
        else:
            raise Unknown(text)
        while self.sees("sign", "!"):
            self.next()
            result = sp.factorial(result)
        if self.sees("sign", "^"):
            self.next()
            result = result ** self.group()
        return result

    def degree(self):
        """Of a root."""
        if not self.sees("sign", "["):
            return 2
        self.next()
        result = int(self.next()[1])
        self.next("sign", "]")
        return result

    def function(self, function):
        exponent = 1
        if self.sees("sign", "^"):
            self.next()
            exponent = self.group()
        braced = self.sees("sign", "{")
        if braced:
            self.next()
        args = self.bracket() if self.tokens and self.tokens[0][0] == "open" else [self.total()]
        if braced:
            self.next("sign", "}")
        return function(*args) ** exponent
