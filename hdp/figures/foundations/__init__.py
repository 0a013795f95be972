"""Figures of the foundations: the Laplace mechanism, the one lemma for items, and for notions of privacy."""

from hdp.figures._lazy import figures_of

MODULES = (
    "vessels",
    "what_epsilon_feels_like",
    "privacy",
    "one_lemma",
    "notions",
)
__getattr__ = figures_of(__name__, MODULES)
