"""Every figure of the book, a module a paper; `ALL` lists them by name."""

from importlib import import_module

PAPERS = ("foundations", "cc", "cz", "adk", "cfmt", "synthesis", "choice")


def __getattr__(name):
    """Build `ALL` when it is asked for, so that a page imports the figures of its own paper only."""
    if name != "ALL":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f"{__name__}.{paper}") for paper in PAPERS]
    globals()["ALL"] = {figure.name: figure for module in modules for figure in module.FIGURES}
    return globals()["ALL"]
