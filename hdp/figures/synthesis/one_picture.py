"""The two figures of the page: the ranking of all estimators, and what trust is worth."""

from hdp.figures.synthesis.ranking import ranking
from hdp.figures.synthesis.trust import trust

FIGURES = (ranking, trust)
