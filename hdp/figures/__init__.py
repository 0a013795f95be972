"""Every figure of the book, a package a topic, a module a page; `ALL` lists them by name."""

from importlib import import_module
from pkgutil import walk_packages

from hdp import _extras

with _extras.needed("hdp.figures", "simulate,explore", "joblib", "threadpoolctl", "sympy", "matplotlib", "ipywidgets"):
    import sympy  # noqa: F401


def declared(topic=""):
    """Every figure that a module (of one topic or page) has, imported ones too; some take seconds to build."""
    from hdp.explore import FigureSpec

    for module in walk_packages(__path__, f"{__name__}."):
        if module.name.startswith(f"{__name__}.{topic}"):
            yield from (value for value in vars(import_module(module.name)).values() if isinstance(value, FigureSpec))


def __getattr__(name):
    """Build `ALL` when it is asked for, so that a page imports the figures of its own module only."""
    if name != "ALL":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["ALL"] = {figure.name: figure for figure in declared()}
    return globals()["ALL"]
