"""Figures of Avent, Dubey & Korolova (2020), and the companion's own for the same results; a module a page."""

from hdp.figures._lazy import figures_of

MODULES = (
    "baselines",
    "known_variance",
    "salaries",
    "unknown_variance",
    "unknown_map",
    "diverging_groups",
    "beliefs",
    "k_means",
    "k_means_budget",
    "amplification",
    "laplace_sums",
    "best_report",
    "secret_reports",
)
__getattr__ = figures_of(__name__, MODULES)
