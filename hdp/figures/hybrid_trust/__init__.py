"""Figures of Avent, Dubey & Korolova (2020), and the companion's own for the same results; a module a page."""

from hdp.figures.hybrid_trust import (
    amplification,
    baselines,
    beliefs,
    diverging_groups,
    k_means,
    known_variance,
    laplace_sums,
    salaries,
    unknown_map,
    unknown_variance,
)

MODULES = (
    baselines,
    known_variance,
    salaries,
    unknown_variance,
    unknown_map,
    diverging_groups,
    beliefs,
    k_means,
    amplification,
    laplace_sums,
)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
