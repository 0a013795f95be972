"""The companion's synthesis: one population through every estimator of the book; a module a page or a figure."""

from hdp.figures._lazy import figures_of

MODULES = (
    "one_picture",
    "fifteen_limits",
    "wrong_variances",
    "which_estimator",
    "from_file_to_answer",
    "later_weights",
)
__getattr__ = figures_of(__name__, MODULES)
