"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results; a module a page."""

from hdp.figures._lazy import figures_of

MODULES = (
    "optimal_weights",
    "upper_bound",
    "beyond_the_cap",
    "best_linear",
    "general_budgets",
    "log_uniform",
    "lower_bound",
    "two_coins",
    "closing_the_gap",
    "what_is_left",
    "smaller_gap",
    "given_data",
    "buying_privacy",
    "experiments",
    "simulations",
)
__getattr__ = figures_of(__name__, MODULES)
