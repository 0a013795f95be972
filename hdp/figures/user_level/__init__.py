"""Figures for Cummings, Feldman, McMillan & Talwar (2022), which has none of its own; a module a subject."""

from hdp.figures._lazy import figures_of

MODULES = (
    "model",
    "private",
    "example",
    "algorithm_2",
    "personal_budgets",
    "lower_bound",
)
__getattr__ = figures_of(__name__, MODULES)
