"""Figures of the foundations: the Laplace mechanism seen by one user, and the one lemma for three items."""

from hdp.figures._lazy import figures_of

MODULES = (
    "vessels",
    "what_epsilon_feels_like",
    "privacy",
    "one_lemma",
)
__getattr__ = figures_of(__name__, MODULES)
