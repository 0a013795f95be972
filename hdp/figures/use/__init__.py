"""Figures of the pages on the book's use."""

from hdp.figures._lazy import figures_of

MODULES = ("intervals", "real_release", "at_scale")
__getattr__ = figures_of(__name__, MODULES)
