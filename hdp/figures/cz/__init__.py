"""Figures of Cyffers & Ziani (2026); the paper has none, these are the companion's own for its statements."""

from hdp.figures.cz.ratio import public_ratio, ratio
from hdp.figures.cz.risk import risk_against_threshold
from hdp.figures.cz.shape import shape_budgets
from hdp.figures.cz.worst_case import trivial_answer, worst_case

__all__ = ["public_ratio", "ratio", "risk_against_threshold", "shape_budgets", "trivial_answer", "worst_case"]

FIGURES = (ratio, public_ratio, risk_against_threshold, shape_budgets, worst_case, trivial_answer)
