"""The companion's synthesis: one population through every estimator of the book; a module a page or a figure."""

from hdp.figures.synthesis import (
    one_picture,
    which_estimator,
)

MODULES = (
    one_picture,
    which_estimator,
)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
