"""Figures of the foundations: the Laplace mechanism seen by one user, and the one lemma for three items."""

from hdp.figures.foundations import (
    one_lemma,
    privacy,
    what_epsilon_feels_like,
)

MODULES = (
    what_epsilon_feels_like,
    privacy,
    one_lemma,
)
FIGURES = tuple(figure for module in MODULES for figure in module.FIGURES)
