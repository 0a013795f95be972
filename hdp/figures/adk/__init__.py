"""Figures of Avent, Dubey & Korolova (2020), and the companion's own for the same results; a module a subject."""

from hdp.figures.adk import (
    amplification,
    baselines,
    beliefs,
    diverging,
    kmeans,
    known,
    laplace,
    salaries,
    unknown,
    unknown_map,
)

MODULES = (baselines, known, salaries, unknown, unknown_map, diverging, beliefs, kmeans, amplification, laplace)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
