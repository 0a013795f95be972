"""The figures of the book, `ALL`, with the NumPy route to every number that they draw.

`tests/figures/<topic>/<page>.py` has `REFERENCES`: for each figure of the page a table of how a label begins and what
stands there, which is a number, a function of one point (it names the symbols of the axes and the parameters that it
needs), or a list of these, in their order, where several layers share the label.  All of it calls the library or starts
from definitions, and never from the statements of `hdp.sym`.
"""

import inspect
import os
from collections import Counter
from copy import copy
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from hdp import figures
from hdp.explore import Circles, Curve, Draws, Heatmap, Points


def all_shown(figure):
    """The paper's values, but for what must be more for every slider to be shown, by name."""
    return figure.paper_values | dict(sorted(p.needs for p in figure.parameters if p.needs))


def _at_a_point(given):
    """A function of any keywords, which takes those that the given one names."""
    if not callable(given):
        return lambda **_: given
    names = inspect.signature(given).parameters
    if any(p.kind is p.VAR_KEYWORD for p in names.values()):
        return given
    return lambda **values: given(**{name: value for name, value in values.items() if name in names})


def _reference(given, axes):
    """The same for arrays of places on these axes."""
    function = _at_a_point(given)
    if not axes:
        return function

    def along(*places, **values):
        point = lambda *place: function(**values, **dict(zip(axes, place, strict=True)))  # noqa: E731
        return np.vectorize(point, otypes=[float])(*places)

    return along


def with_references(figure, table):
    """The figure, of which every layer and readout has a `reference`; every entry of the table must be one."""
    used = Counter()

    def complete(layer):
        if isinstance(layer, Circles | Draws | Points):  # given, simulated or computed, with a test of their own
            return layer
        key = max((key for key in table if getattr(layer, "name", layer.label).startswith(key)), key=len, default=None)
        if key is None:
            raise ValueError(f"{figure.name}: no reference for {layer.label!r}")
        given = table[key][used[key]] if isinstance(table[key], list) else table[key]
        used[key] += 1
        symbols = {Curve: [figure.x_symbol], Heatmap: [figure.x_symbol, figure.y_symbol]}.get(type(layer), [])
        own = copy(layer)  # another figure may draw the same
        object.__setattr__(own, "reference", _reference(given, [symbol.name for symbol in symbols]))
        return own

    done = replace(figure, layers=tuple(map(complete, figure.layers)), readouts=tuple(map(complete, figure.readouts)))
    for key, given in table.items():
        if used[key] != len(given) if isinstance(given, list) else not used[key]:
            raise ValueError(f"{figure.name}: {key!r} is the label of {used[key]} layers")
    return done


_ASKED = os.environ.get("HDP_AUDIT_FIGURES", "").split()  # figures that the tests of an edit name: all take far longer


def _pages(folder):
    """Modules of pages under a folder; in the audit those that name such a figure."""
    for path in sorted(Path(folder).glob("*/[!_]*.py")):
        text = path.read_text("utf-8")
        if not path.name.startswith("test_") and (not _ASKED or any(f'"{name}"' in text for name in _ASKED)):
            yield f"{path.parent.name}.{path.stem}"


def _tables():
    """References of figures by name."""
    modules = [import_module(f"tests.figures.{page}") for page in _pages(Path(__file__).parent)]
    return {name: table for module in modules for name, table in getattr(module, "REFERENCES", {}).items()}


def _figures():
    """The figures of these pages, which may import others from pages that nobody asked for."""
    if not _ASKED:
        return {figure.name: figure for figure in figures.declared()}
    found = (figure for page in _pages(Path(figures.__file__).parent) for figure in figures.declared(page))
    return {figure.name: figure for figure in found if figure.name in _TABLES}


_TABLES = _tables()
ALL = {name: with_references(figure, _TABLES.get(name, {})) for name, figure in _figures().items()}
