"""Figures of Avent, Dubey & Korolova (2020), and the companion's own for the same results; a module a page.

`FIGURES` is built when it is asked for, so that `make figures-full` runs where the numbers of `k_means` are missing.
"""

from importlib import import_module

MODULES = (
    "baselines",
    "known_variance",
    "salaries",
    "unknown_variance",
    "unknown_map",
    "diverging_groups",
    "beliefs",
    "k_means",
    "amplification",
    "laplace_sums",
)


def __getattr__(name):
    """Give `FIGURES`, the figures of all modules."""
    if name != "FIGURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f"{__name__}.{module}") for module in MODULES]
    globals()["FIGURES"] = tuple(figure for module in modules for figure in module.FIGURES)
    return globals()["FIGURES"]
