"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results."""

from hdp.figures.cc.error import effective_budget, figure_1b, shrinkage
from hdp.figures.cc.experiments import figure_1a, figure_4, simulated
from hdp.figures.cc.fme import figure_3a, figure_3b
from hdp.figures.cc.gap import bounds, gap
from hdp.figures.cc.general import groups_error, groups_privacy, groups_weights
from hdp.figures.cc.log_uniform import log_uniform, log_uniform_error, log_uniform_weights
from hdp.figures.cc.tangency import figure_2

__all__ = [
    "bounds",
    "effective_budget",
    "figure_1a",
    "figure_1b",
    "figure_2",
    "figure_3a",
    "figure_3b",
    "figure_4",
    "gap",
    "groups_error",
    "groups_privacy",
    "groups_weights",
    "log_uniform",
    "log_uniform_error",
    "log_uniform_weights",
    "shrinkage",
    "simulated",
]

FIGURES = (
    figure_2,
    figure_1b,
    effective_budget,
    shrinkage,
    groups_privacy,
    groups_weights,
    groups_error,
    log_uniform,
    log_uniform_weights,
    log_uniform_error,
    bounds,
    gap,
    figure_1a,
    figure_4,
    figure_3a,
    figure_3b,
)
