"""Figures for Cummings, Feldman, McMillan & Talwar (2022), which has none of its own; a module a subject."""

from hdp.figures.cfmt import algorithm, example, lower, model, private

MODULES = (model, private, example, algorithm, lower)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
