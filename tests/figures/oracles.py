"""The figures of the book, `ALL`, with the NumPy route to every number that they draw.

`tests/chapters/<part>/test_<chapter>.py` has `REFERENCES`: for each figure of the page a table of how a label
begins and what stands there, which is a number, a function of one point (it names the symbols of the axes and the
parameters that it needs), or a list of these, in their order, where several layers share the label.  All of it calls
the library or starts from definitions, and never from the statements of `hdp.sym`.
"""

import inspect
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


def _tables():
    """References of figures by name."""
    paths = sorted(Path(__file__).parents[1].glob("chapters/*/test_*.py"))
    modules = [import_module(f"tests.chapters.{path.parent.name}.{path.stem}") for path in paths]
    return {name: table for module in modules for name, table in getattr(module, "REFERENCES", {}).items()}


_TABLES = _tables()
ALL = {figure.name: with_references(figure, _TABLES.get(figure.name, {})) for figure in figures.declared()}

SETTLES = {  # the claims of the book that a figure settles, if it agrees with its references
    "cc-figure-1b": ["cc-figure-1b", "cc-figure-1b-simulated"],
    "cc-figure-2": ["cc-figure-2"],
    "cc-figure-1a": ["cc-figure-1a"],
    "cc-figure-4": ["cc-figure-4"],
    "cc-figure-3a": ["cc-figure-3a"],
    "cc-figure-3b": ["cc-figure-3b"],
    "adk-figure-1a": ["adk-figure-1"],
    "adk-figure-1": ["adk-figure-1"],
    "adk-figure-2b": ["adk-figure-2"],
    "adk-figure-3-best": ["adk-figure-3"],
    "adk-figure-3-worst": ["adk-figure-3-worst"],
    "adk-figure-8a": ["adk-figure-8"],
    "adk-figure-8b": ["adk-figure-8"],
    "adk-figure-4": ["adk-figure-4"],
    "adk-figure-5": ["adk-figure-5"],
    "adk-figure-5-densities": ["adk-figure-5"],
    "cc-general-groups": ["hdp-general-groups"],
    "cc-general-weights": ["hdp-general-weights", "hdp-fme-groups"],
    "cc-general-error": ["hdp-fme-groups", "hdp-population-error"],
    "cc-general-log-uniform": ["hdp-log-uniform-level", "hdp-log-uniform-figures"],
    "cc-log-uniform-error": ["hdp-log-uniform-errors", "hdp-log-uniform-figures"],
    "cc-log-uniform-weights": ["hdp-log-uniform-figures"],
    "cc-given-data": ["hdp-given-data-figure"],
    "cc-buying-water": ["hdp-buying-figure"],
    "cc-buying-money": ["hdp-buying-money"],
    "cc-lower-gap": ["hdp-gap"],
    "cz-risk-against-threshold": ["hdp-cz-figure-threshold"],
    "cz-public-ratio": ["hdp-cz-figure-public"],
    "cz-ratio": ["hdp-cz-figure-ratio"],
    "cz-worst-case": ["hdp-worst-case-figure"],
    "cz-few-levels": ["hdp-few-figure"],
    "cz-trivial-answer": ["hdp-trivial-figure"],
    "adk-baselines": ["hdp-baselines-errors"],
    "adk-regions": ["hdp-baselines-regions"],
    "adk-relations": ["hdp-baselines-relations"],
    "adk-pwh-weights": ["hdp-pwh-weights"],
    "adk-gap": ["hdp-hybrid-gap"],
    "adk-believed-variance": ["hdp-hybrid-belief"],
    "hdp-best-report": ["hdp-best-report-figure"],
    "adk-secret-gain": ["hdp-secret-figure"],
    "synthesis-steps": ["hdp-steps"],
    "synthesis-trust": ["hdp-trust-figure"],
    "hdp-wrong-variances": ["hdp-wrong-variances-figure"],
    "hdp-which-estimator": ["hdp-which-estimator-figure"],
    "synthesis-asking": ["hdp-asking-figure"],
    "hdp-release-bounds-share": ["hdp-release-bounds-share"],
    "hdp-release-rounding": ["hdp-release-figure"],
    "hdp-gaussian-prices": ["hdp-gaussian-figure"],
    "hdp-interval-width": ["hdp-interval-figure"],
    "hdp-interval-variance": ["hdp-interval-worth"],
    "hdp-scale-cost": ["hdp-scale-figure"],
}
