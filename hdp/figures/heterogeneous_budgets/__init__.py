"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results; a module a page."""

from hdp.figures.heterogeneous_budgets import (
    beyond_the_cap,
    closing_the_gap,
    experiments,
    general_budgets,
    log_uniform,
    lower_bound,
    optimal_weights,
    simulations,
    upper_bound,
)

MODULES = (
    optimal_weights,
    upper_bound,
    beyond_the_cap,
    general_budgets,
    log_uniform,
    lower_bound,
    closing_the_gap,
    experiments,
    simulations,
)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
