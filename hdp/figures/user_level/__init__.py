"""Figures for Cummings, Feldman, McMillan & Talwar (2022), which has none of its own; a module a subject."""

from hdp.figures.user_level import algorithm_2, example, lower_bound, model, private

MODULES = (model, private, example, algorithm_2, lower_bound)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
