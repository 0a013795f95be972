"""Formulas are printed as the papers write them, and never mean anything else; of one letter there is one symbol."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections import defaultdict
from itertools import islice
from pathlib import Path

import pytest
import sympy as sp

import hdp.sym
from hdp.proof import _arranged
from hdp.proof._arranged import arranged
from hdp.proof._printer import latex
from hdp.sym.symbols import R, epsilon, epsilon_1, epsilon_2, f, n
from tests.latex import Unknown, value

MODULES = sorted(m.name for m in pkgutil.walk_packages(hdp.sym.__path__, "hdp.sym.") if not m.ispkg)

LONG = 60  # parts

c, w, k, x, y = sp.symbols("c w k x y", positive=True)
sigma, s_L, m = sp.symbols("sigma s_L m", positive=True)


def expressions(found):
    """Every expression in a module's constants, or in a container."""
    if isinstance(found, sp.Expr):
        yield found
    elif isinstance(found, dict | list | tuple):
        for part in found.values() if isinstance(found, dict) else found:
            yield from expressions(part)


def statements(modules=MODULES):
    """Every statement of the book that is an expression, by its module; longer ones are drawn, and never shown."""
    for name in modules:
        module = importlib.import_module(name)
        for found in list(vars(module).values()):
            if (not isinstance(found, type) and not callable(found)) or isinstance(found, sp.Expr):
                yield from (
                    (name, e) for e in expressions(found) if len(list(islice(sp.preorder_traversal(e), LONG))) < LONG
                )


def same(one, two):
    """Whether two numbers are one: exactly, or to 30 digits if they are not rational."""
    return one == two or abs(sp.N(one - two, 40)) < sp.Float("1e-30") * (1 + abs(sp.N(one, 40)))


def points(expression, count=2):
    """Maps of its symbols to different rational numbers."""
    symbols = sorted(expression.free_symbols, key=sp.default_sort_key)
    for j in range(count):
        yield {s: sp.Integer(i + j + 2) if s.is_integer else sp.Rational(5 * i + 2 + j, 97 + 4 * j) for i, s in
               enumerate(symbols)}  # fmt: skip


def assert_same(expression):
    """Its arrangement, and the LaTeX of that, have its value at rational points; return whether the LaTeX was read."""
    result = _arranged._arranged(expression)
    assert arranged(expression) == result, "the check before it is shown, too"
    names = {s: f"s_{{{i}}}" for i, s in enumerate(sorted(expression.free_symbols, key=sp.default_sort_key))}
    text = latex(result, names)
    for point in points(expression):
        right = expression.xreplace(point)
        assert same(result.xreplace(point), right), (expression, result)
        try:
            read = value(text, {names[s]: v for s, v in point.items()}.__getitem__)
        except (Unknown, KeyError):  # a function, a case or a constant that `tests.latex` does not know
            return False
        assert same(read, right), text
    return True


@pytest.mark.parametrize("name", MODULES)
def test_every_statement_keeps_its_value(name):
    """At rational points, as an expression and, nearly all of them, as it is printed."""
    read = [assert_same(expression) for _, expression in statements([name])]
    assert not read or sum(read) >= min(len(read) - 3, 0.85 * len(read))


@pytest.mark.parametrize(
    "expression, text",
    [
        (n * f * epsilon_1**2 - 8 * f + 8, r"n f \epsilon_{1}^{2} + 8 \left(1 - f\right)"),
        (R / (4 * n * (f + (1 - f) * R)), r"\frac{R}{4 n \left(f + \left(1 - f\right) R\right)}"),
        (-R / (R * f * n - R * n - f * n), r"\frac{R}{n \left(f + \left(1 - f\right) R\right)}"),
        (epsilon_2 * n - epsilon_2 * f * n, r"n \left(1 - f\right) \epsilon_{2}"),
        (1 + 8 / (epsilon_1**2 * n * f), r"1 + \frac{8}{n f \epsilon_{1}^{2}}"),
        (-2 * (c - 2) / (c * y - y + 2), r"\frac{2 \left(2 - c\right)}{2 - \left(1 - c\right) y}"),
        ((x + y / k) / y, r"\frac{k x + y}{k y}"),
        (sigma / (sigma + 2 * m / epsilon), r"\frac{\epsilon \sigma}{\epsilon \sigma + 2 m}"),
        ((w - 1) ** 2 * s_L**2 / n, r"\frac{\left(1 - w\right)^{2} s_{L}^{2}}{n}"),
        (1 - f, r"1 - f"),
        (x * (1 - f) + y * (1 - c), r"\left(1 - f\right) x + \left(1 - c\right) y"),
        (x - f + 1, r"1 - f + x"),
        (x / 2, r"\frac{x}{2}"),
        (3 - x * (y - 1), r"3 - x \left(y - 1\right)"),
        (sp.sqrt(2) * sp.sqrt(x) * sp.sqrt(y), r"\sqrt{2 x y}"),
        (sp.exp(x) / (sp.exp(x) / 2 - sp.exp(-x) / 2), r"\frac{2 e^{x}}{e^{x} - e^{- x}}"),
        (sp.Min(x, y + 1), r"\min\left\{x, y + 1\right\}"),
        (sp.Rational(-1, 2), r"- \frac{1}{2}"),
    ],
    ids=str,
)  # fmt: skip
def test_formulas_are_printed_as_in_the_papers(expression, text):
    """One order of letters, 1 - f, one fraction, one root, no needless minus."""
    assert latex(arranged(expression)) == text


def test_what_would_change_the_value_is_shown_as_it_is(monkeypatch):
    """The check is not there for show."""
    monkeypatch.setattr(_arranged, "_arranged", lambda e: e + sp.Rational(1, 10**20))
    assert arranged.__wrapped__(x + 7 * y) == x + 7 * y


@pytest.mark.slow
def test_two_processes_print_alike():
    """Whatever the order of sets is in them."""
    script = "from tests.test_printing import *\nprint(*(latex(arranged(e)) for _, e in statements()), sep='\\n')"
    texts = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout for seed in ("1", "2")
    ]  # fmt: skip
    assert texts[0] == texts[1] and texts[0].count("\n") > 100


MAKERS = {"Symbol", "symbols", "Dummy", "Wild", "IndexedBase", "Function", "var"}
SOURCES = {name: Path(importlib.import_module(name).__file__).read_text("utf-8") for name in MODULES}


def defined(source):
    """Every symbol that the source makes, with the line where it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in MAKERS:
            spelled = isinstance(node.func, ast.Attribute) and node.func.value.id == "sp"
            assert spelled, "made as sp.Symbol or sp.symbols"
            made = eval(compile(ast.Expression(node), "", "eval"), {"sp": sp})
            yield from ((symbol, node.lineno) for symbol in (made if isinstance(made, tuple | list) else (made,)))


def test_every_symbol_is_made_in_one_place():
    """Who means the same imports it; who means something else takes another name."""
    places = defaultdict(list)
    for name, source in SOURCES.items():
        for symbol, line in defined(source):
            places[symbol].append(f"{name}:{line}")
    assert len(SOURCES) > 20 and len(places) > 100
    assert [where for where in places.values() if len(where) > 1] == []


def test_no_module_holds_a_symbol_that_none_of_them_makes():
    """Through no back door: helper functions, other packages."""
    made = {symbol for text in SOURCES.values() for symbol, _ in defined(text)}
    for name in MODULES:
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, sp.Basic):
                bound = value.atoms(sp.Symbol) - value.free_symbols
                assert value.atoms(sp.Symbol) <= made | bound, (name, value)
