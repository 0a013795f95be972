"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results."""

from hdp.figures.cc.error import effective_budget, figure_1b, shrinkage
from hdp.figures.cc.experiments import figure_1a, figure_4
from hdp.figures.cc.gap import bounds, gap
from hdp.figures.cc.general import groups_error, groups_privacy, log_uniform
from hdp.figures.cc.tangency import figure_2

__all__ = [
    "bounds",
    "effective_budget",
    "figure_1a",
    "figure_1b",
    "figure_2",
    "figure_4",
    "gap",
    "groups_error",
    "groups_privacy",
    "log_uniform",
    "shrinkage",
]

FIGURES = (
    figure_2,
    figure_1b,
    effective_budget,
    shrinkage,
    groups_privacy,
    groups_error,
    log_uniform,
    bounds,
    gap,
    figure_1a,
    figure_4,
)
