"""Figures for Cyffers & Ziani (2026); the paper has none, these are the companion's own; a module a page."""

from hdp.figures.threshold import (
    one_threshold,
    risk,
    shape,
    trivial_answer,
    worst_case,
)

MODULES = (
    one_threshold,
    risk,
    shape,
    worst_case,
    trivial_answer,
)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
