"""sympy identifies symbols by name and assumptions: two concepts of one letter must not silently be one."""

import ast
import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

import sympy as sp

import hdp.sym
from hdp.sym import symbols
from hdp.sym.foundations import one_lemma as lemma
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import k_means
from hdp.sym.synthesis import one_picture
from hdp.sym.threshold import one_threshold as sym
from hdp.sym.user_level import lower_bound as user_lower
from hdp.sym.user_level import model, private

MODULES = sorted(m.name for m in pkgutil.walk_packages(hdp.sym.__path__, "hdp.sym.") if not m.ispkg)
MAKERS = {"Symbol", "symbols", "Dummy", "Wild", "IndexedBase", "Function", "var"}


def defined(source):
    """Every symbol that the source makes, with the line where it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in MAKERS:
            spelled = isinstance(node.func, ast.Attribute) and node.func.value.id == "sp"
            assert spelled, "made as sp.Symbol or sp.symbols"
            made = eval(compile(ast.Expression(node), "", "eval"), {"sp": sp})
            yield from ((symbol, node.lineno) for symbol in (made if isinstance(made, tuple | list) else (made,)))


def twice(sources):
    """Symbols that are made in more than one place."""
    places = defaultdict(list)
    for name, source in sources.items():
        for symbol, line in defined(source):
            places[symbol].append(f"{name}:{line}")
    return {str(symbol): where for symbol, where in places.items() if len(where) > 1}


def sources():
    """The text of every module of statements."""
    return {name: Path(importlib.import_module(name).__file__).read_text("utf-8") for name in MODULES}


def test_every_symbol_is_made_in_one_place():
    """Who means the same imports it; who means something else takes another name."""
    found = sources()
    assert len(found) > 20 and sum(1 for text in found.values() for _ in defined(text)) > 100
    assert twice(found) == {}


def test_no_module_holds_a_symbol_that_none_of_them_makes():
    """Through no back door: helper functions, other packages."""
    made = {symbol for text in sources().values() for symbol, _ in defined(text)}
    for name in MODULES:
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, sp.Basic):
                bound = value.atoms(sp.Symbol) - value.free_symbols
                assert value.atoms(sp.Symbol) <= made | bound, (name, value)


def test_what_differs_is_not_equal_and_what_is_one_is_one():
    """The two pairs that once were one symbol, and concepts that papers share."""
    assert one_picture.width_ratio != symbols.r and model.f != symbols.f
    assert lower.delta != trust.delta and k_means.K != model.K and private.c != trust.c
    assert one_picture.width_ratio == private.r and private.T == user_lower.T == lemma.T
    assert sym.N_1 == user_lower.N_1 and trust.epsilon == user_lower.epsilon == private.epsilon == symbols.epsilon
