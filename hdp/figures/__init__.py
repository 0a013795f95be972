"""Every figure of the book, a package a topic, a module a page; `ALL` lists them by name."""

from importlib import import_module

from hdp import _extras

with _extras.needed("hdp.figures", "simulate,explore", "joblib", "threadpoolctl", "sympy", "matplotlib", "ipywidgets"):
    import sympy  # noqa: F401

TOPICS = ("foundations", "heterogeneous_budgets", "threshold", "hybrid_trust", "user_level", "synthesis", "use")


def __getattr__(name):
    """Build `ALL` when it is asked for, so that a page imports the figures of its own topic only."""
    if name != "ALL":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f"{__name__}.{topic}") for topic in TOPICS]
    globals()["ALL"] = {figure.name: figure for module in modules for figure in module.FIGURES}
    return globals()["ALL"]
