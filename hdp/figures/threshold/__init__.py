"""Figures for Cyffers & Ziani (2026); the paper has none, these are the companion's own; a module a page."""

from hdp.figures._lazy import figures_of

MODULES = (
    "one_threshold",
    "risk",
    "shape",
    "worst_case",
    "few_levels",
    "trivial_answer",
    "other_privacy",
)
__getattr__ = figures_of(__name__, MODULES)
