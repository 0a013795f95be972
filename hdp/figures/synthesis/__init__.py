"""The companion's synthesis: one population through every estimator of the book."""

from hdp.figures.synthesis.ranking import ranking
from hdp.figures.synthesis.trust import trust

FIGURES = (ranking, trust)
__all__ = ["FIGURES", "ranking", "trust"]
